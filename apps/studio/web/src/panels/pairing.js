// SPDX-License-Identifier: Apache-2.0
//
// The window of a clip from a file: which of its joints moves which segment, to be seen and changed.
import {h, setChildren} from '../core/dom.js';
import {clipName, currentClip} from '../core/keying.js';
import {dialog, iconButton, searchField} from '../core/widgets.js';
import {
    findOps, pairOps, pairingSummary, reasonOf, shownRows, sourceText
} from '../document/pairing.js';
import {baseName} from '../files/paths.js';

const NOTHING = '–';

class PairingWindow {
    constructor(studio) {
        this.studio = studio;
        this.slot = studio.active;
        this.clip = clipName(studio);
        this.found = null; // what the server says
        this.search = '';
        this.summary = h('p', {class: 'help'}, 'Asking for the pairing…');
        this.warnings = h('ul', {class: 'pairing-warnings', role: 'alert'});
        this.rows = h('tbody');
        this.table = h('div', {class: 'pairing-table', hidden: true},
            h('table', {}, h('thead', {}, h('tr', {},
                ['Segment', 'Part', 'Moved by', 'Why', ''].map((text) => h('th', {}, text)))),
            this.rows));
    }

    open() {
        const search = searchField({label: 'Search segments', placeholder: 'Segment, part or joint',
            onInput: (text) => {
                this.search = text;
                this.showRows();
            }});
        const off = this.studio.on('model', (slot) => slot === this.slot && this.ask());
        dialog({
            title: `Pairing of ${this.clip}`,
            wide: true,
            body: h('div', {class: 'form pairing'}, this.summary, this.warnings, search, this.table),
            actions: [{label: 'Done', primary: true}],
            onClose: off,
        });
        this.ask();
    }

    get file() {
        return baseName(currentClip(this.studio, this.slot)?.file ?? this.clip);
    }

    async ask() {
        try {
            this.found = await this.studio.call('pairing', {slot: this.slot.index});
        } catch {
            return; // the notice says why
        }
        this.show();
    }

    show() {
        const {retargeted, clip, warnings = []} = this.found;
        const plays = retargeted && clip === this.clip;
        this.table.hidden = !plays;
        this.summary.textContent = plays ? pairingSummary(this.found, this.file)
            : clip === this.clip
                ? `${this.file} fits this skeleton and plays as it is: nothing is paired.`
                : `${this.clip} does not play now.`;
        setChildren(this.warnings, plays && warnings.map((text) => h('li', {}, `${text[0].toUpperCase()}${text.slice(1)}.`)));
        this.showRows();
    }

    showRows() {
        const {pairing = {}} = this.found ?? {};
        setChildren(this.rows, shownRows(pairing, this.search).map(([segment, row]) =>
            this.row(segment, row)));
    }

    row(segment, row) {
        const said = this.slot.document.clips?.[this.clip]?.pairing ?? {};
        const isSaid = Object.hasOwn(said, segment);
        return h('tr', {class: row.by === undefined ? 'unpaired' : '', dataset: {segment}},
            h('td', {}, segment),
            h('td', {}, row.part ?? ''),
            h('td', {}, this.choice(segment, row)),
            h('td', {}, reasonOf(row)),
            h('td', {}, isSaid && iconButton({
                icon: 'undo',
                label: `Find what moves ${segment} again`,
                onClick: () => this.edit(`Find what moves ${segment}`,
                    findOps(this.slot.document, this.clip, segment)),
            })));
    }

    // A list of all joints in every row would be many elements: it is filled when it is opened.
    choice(segment, row) {
        const now = sourceText(row.source);
        const isJoint = typeof row.source === 'string';
        const option = (value, text) => h('option', {value}, text);
        const control = h('select', {
            'aria-label': `Joint that moves ${segment}`,
            onfocus: () => fill(),
            onpointerdown: () => fill(),
            onchange: () => control.selectedOptions[0] !== shares && this.edit(`Pair ${segment}`,
                pairOps(this.slot.document, this.clip, segment, control.value || null)),
        }, option(isJoint ? now : '', now || NOTHING));
        const shares = row.source !== null && !isJoint && option('', now);
        let isFull = false;
        const fill = () => {
            if (isFull) {
                return;
            }
            isFull = true;
            setChildren(control, shares, option('', NOTHING), this.found.joints.map(
                ({name, part}) => option(name, part ? `${name} (${part})` : name)));
            if (isJoint) {
                control.value = row.source;
            }
        };
        return control;
    }

    async edit(label, ops) {
        if (ops.length > 0) {
            await this.studio.edit(label, ops, {slot: this.slot}).catch(() => this.show());
        }
    }
}

/** Shows what moves what in the clip that plays. */
export function pairingDialog(studio) {
    if (!currentClip(studio)?.file) {
        studio.notice('No clip from a file plays: there is nothing to pair.', 'warning');
        return;
    }
    new PairingWindow(studio).open();
}
