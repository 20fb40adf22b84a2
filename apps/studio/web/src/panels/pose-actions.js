// SPDX-License-Identifier: Apache-2.0
//
// What can be done with poses: save one, a side or the mirror image of one, rename and delete.
import {h} from '../core/dom.js';
import {choiceField, dialog, textField} from '../core/widgets.js';
import {freeName, hasSide, otherSide} from '../document/names.js';
import {join, split} from '../document/pointer.js';
import {addPoseOps, deletePoseOps, mirroredSpread, sideOfSpread, spreadFrom}
    from '../document/poses.js';
import {renameOps} from '../document/references.js';
import {partsOf} from './logic/face.js';

/** Parts of a pose: what each is called, and how it is made of the whole. */
const PARTS = [
    {id: 'whole', label: 'both sides', of: (spread) => spread},
    {id: 'left', label: 'left side only', ending: '.L',
        of: (spread, ...more) => sideOfSpread(spread, 'left', ...more)},
    {id: 'right', label: 'right side only', ending: '.R',
        of: (spread, ...more) => sideOfSpread(spread, 'right', ...more)},
    {id: 'mirrored', label: 'mirror image', of: mirroredSpread}
];

const partOf = (id) => PARTS.find((part) => part.id === id);

const isThereIn = (panel) => (name) => panel.limits.has(name) ||
    panel.studio.active.model.segments.some((segment) => name.startsWith(`${segment.name}.`));

const partsIn = (panel) => (name) => partsOf(panel.face, name);

/** What differs from rest now, as a pose spreads it. */
function presentSpread(panel) {
    return spreadFrom(panel.face.rows.flatMap(({names, rest}) =>
        names.map((name) => [{name, rest}, panel.values(name).own ?? rest])));
}

export const canSave = (panel) => Object.keys(presentSpread(panel)).length > 0;

const takenNames = (panel) => Object.keys(panel.studio.active.document.controls ?? {});

/** Asks for a name; `run` gets it and may throw what the server says. */
function askName(panel, {title, name, action, more = [], run}) {
    const field = textField({label: 'Name', value: name});
    const apply = async () => {
        const wanted = field.value.trim();
        const taken = wanted !== name || action === 'Save' ? takenNames(panel) : [];
        if (wanted === '' || taken.includes(wanted)) {
            field.setError(wanted === '' ? 'A pose needs a name.'
                : `The name "${wanted}" is taken.`);
            return false;
        }
        try {
            await run(wanted);
        } catch (error) {
            field.setError(error.text ?? error.message);
            return false;
        }
        return true;
    };
    const window = dialog({title, body: h('div', {class: 'form'}, field.element, more),
        actions: [{label: 'Cancel'}, {label: action, primary: true, run: apply}]});
    field.control.addEventListener('keydown', async (event) => {
        if (event.key === 'Enter' && await apply()) {
            window.close();
        }
    });
    field.control.select();
}

async function add(panel, name, spread) {
    const {studio} = panel;
    if (Object.keys(spread).length === 0) {
        throw new Error('Nothing on this side differs from rest.');
    }
    await studio.edit(`Save pose ${name}`, addPoseOps(studio.active.document, name, spread),
        {quiet: true});
}

/** Saves what is set now as a pose. Nothing that is shown changes. */
export function savePose(panel) {
    const part = choiceField({label: 'Saves', value: 'whole', help: 'A side alone has half of what ' +
        'belongs to both sides.', choices: PARTS.map(({id, label}) => ({value: id, label}))});
    const spread = presentSpread(panel);
    askName(panel, {
        title: 'Save pose', name: freeName('pose 1', takenNames(panel)), action: 'Save',
        more: [part.element, h('p', {class: 'hint'}, 'All controls of the face that differ from rest ' +
            `(${Object.keys(spread).length}). The pose becomes a control of its own.`)],
        run: (name) => add(panel, name, partOf(part.value).of(spread, isThereIn(panel), partsIn(panel)))
    });
}

function variantName(panel, name, {id, ending}) {
    const wanted = id !== 'mirrored' ? name + ending
        : hasSide(name) ? otherSide(name) : `${name} mirrored`;
    return freeName(wanted, takenNames(panel));
}

async function addVariant(panel, name, id) {
    const part = partOf(id);
    try {
        await add(panel, variantName(panel, name, part),
            part.of(panel.face.spreads.get(name), isThereIn(panel), partsIn(panel)));
    } catch (error) {
        panel.studio.notice(error.text ?? error.message, 'warning');
    }
}

function rename(panel, name) {
    const {studio} = panel;
    askName(panel, {title: `Rename pose ${name}`, name, action: 'Rename', run: async (wanted) => {
        if (wanted !== name) {
            const path = join('controls', name);
            await studio.edit(`Rename pose ${name} to ${wanted}`,
                renameOps(studio.schema, studio.active.document, path, wanted), {quiet: true});
        }
    }});
}

// A clip or another pose may need it.
async function remove(panel, name) {
    const {studio} = panel;
    const ops = deletePoseOps(studio.schema, studio.active.document, name);
    const release = Object.hasOwn(studio.active.held, name) ? [name] : [];
    try {
        await studio.edit(`Delete pose ${name}`, ops, {quiet: true, release});
    } catch (error) {
        const [section, user] = split(error.place ?? '');
        const what = section === 'clips' ? `the clip ${user}`
            : section === 'synergies' ? 'another pose' : null;
        studio.notice(what === null ? error.text ?? error.message
            : `The pose ${name} is not deleted: ${what} needs it.`, 'warning');
    }
}

/** The menu of a pose. */
export function poseActions(panel, {title, names}) {
    const [name] = names;
    const {document} = panel.studio.active;
    const own = names.length === 1 && document.controls?.[name] !== undefined;
    const reason = own ? undefined : 'It is a mirror image, or has two sides.';
    const variant = (id, label) => ({label, icon: 'mirror', disabled: names.length > 1,
        reason: names.length > 1 ? 'It has two sides already.' : undefined,
        run: () => addVariant(panel, name, id)});
    return [
        {title},
        variant('left', 'Save its left side'),
        variant('right', 'Save its right side'),
        variant('mirrored', 'Save its mirror image'),
        'separator',
        {label: 'Rename…', icon: 'edit', disabled: !own, reason, run: () => rename(panel, name)},
        {label: 'Delete', icon: 'trash', disabled: !own, reason, run: () => remove(panel, name)}
    ];
}
