// SPDX-License-Identifier: Apache-2.0
//
// The start page, over everything while no character is open: shipped characters with pictures,
// recent files and buttons that open or import one.
import {h, setChildren} from '../core/dom.js';
import {icon} from '../core/icons.js';
import {button} from '../core/widgets.js';
import {
    discardUnsaved,
    importFile,
    importFolder,
    open,
    openExample,
    openPath,
    openUnsaved,
} from '../files/actions.js';
import {galleryCard, recentCard} from '../files/cards.js';
import {acceptDrops} from '../files/drop.js';
import {baseName, editsText, folderOf, shownFirst, whenText} from '../files/paths.js';
import {startFirstTime, tourOf} from './tour.js';

export default {
    id: 'start',
    title: 'Start',
    icon: 'start',
    place: 'page',

    mount(element, studio) {
        const page = new StartPage(studio, element);
        studio.on('slot', () => page.show());
        studio.on('document', () => page.show());
        studio.on('ready', () => page.show());
        studio.on('welcome', () => page.fill());
        studio.wire.on('recent', ({recent}) => page.fill({...studio.welcome, recent}));
        studio.wire.on('unsaved', ({unsaved}) => page.fill({...studio.welcome, unsaved}));
        acceptDrops(studio, element);
        startTourOnce(studio);
        page.show();
    },
};

class StartPage {
    constructor(studio, element) {
        this.studio = studio;
        this.element = element;
        this.element.classList.add('start-page');
        this.gallery = h('div', {class: 'gallery'});
        this.recent = h('div', {class: 'recent'});
        this.unsaved = h('section', {
            class: 'unsaved-work',
            'aria-label': 'Unsaved work',
            hidden: true,
        });
        this.element.append(
            h(
                'div',
                {class: 'start-inside'},
                this.#head(),
                h(
                    'div',
                    {class: 'start-columns'},
                    h(
                        'section',
                        {class: 'start-gallery', 'aria-labelledby': 'start-gallery-title'},
                        h('h2', {id: 'start-gallery-title'}, 'Shipped characters'),
                        this.gallery
                    ),
                    h(
                        'section',
                        {class: 'start-side'},
                        this.unsaved,
                        h('h2', {}, 'Open'),
                        this.#openButtons(),
                        h('h2', {}, 'Recent'),
                        this.recent
                    )
                )
            )
        );
        this.fill();
    }

    #head() {
        return h(
            'header',
            {class: 'start-head'},
            h('h1', {}, 'sinew studio'),
            h(
            'p',
            {},
            'Characters whose skin moves over bones and muscles. Open one and draw a muscle on it.'
        ),
            button({
                label: 'Take the tour',
                icon: 'play',
                onClick: () => tourOf(this.studio).start(),
            })
        );
    }

    #openButtons() {
        const {studio} = this;
        return h(
            'div',
            {class: 'start-open'},
            button({
                label: 'Open a file',
                icon: 'folder',
                primary: true,
                onClick: () => open(studio),
            }),
            button({
                label: 'Import a model (also OpenSim)',
                icon: 'upload',
                onClick: () => importFile(studio),
            }),
            button({
                label: 'Import a folder of bones and muscles',
                icon: 'upload',
                onClick: () => importFolder(studio),
            }),
            h('p', {class: 'help'}, 'Or drop a character or a model anywhere on this page.')
        );
    }

    fill(known = this.studio.welcome ?? {}) {
        const {gallery = [], recent = [], unsaved = []} = known;
        Object.assign(this.studio.welcome ?? {}, {recent, unsaved});
        this.#fillUnsaved(unsaved);
        setChildren(
            this.gallery,
            shownFirst(gallery).map((each) =>
                galleryCard(each, (name) => openExample(this.studio, name))
            )
        );
        setChildren(
            this.recent,
            recent.length > 0
                ? recent.map((each) => recentCard(each, (path) => openPath(this.studio, path)))
                : h('p', {class: 'help'}, 'Files that you open or save will be listed here.')
        );
    }

    #fillUnsaved(unsaved) {
        this.unsaved.hidden = unsaved.length === 0;
        setChildren(this.unsaved, [
            h('h2', {}, 'Unsaved work'),
            ...unsaved.map((each) => this.#unsavedItem(each)),
        ]);
    }

    #unsavedItem(item) {
        const {journal, name, path, from, edits, when} = item;
        const place = path ?? from;
        const about = [
            path === null ? `from ${baseName(from)}` : folderOf(path),
            edits > 0 ? editsText(edits) : 'never saved',
            whenText(when),
        ];
        return h(
            'div',
            {class: 'unsaved-item', title: place, dataset: {testid: 'unsaved'}},
            icon('file'),
            h('span', {class: 'unsaved-name'}, path === null && name ? name : baseName(place)),
            h('span', {class: 'unsaved-about'}, about.join(' · ')),
            button({
                label: 'Open',
                title: `Open the unsaved work on ${name}`,
                primary: true,
                onClick: () => openUnsaved(this.studio, journal),
            }),
            button({
                label: 'Discard',
                title: `Discard the unsaved work on ${name}`,
                onClick: () => discardUnsaved(this.studio, item),
            })
        );
    }

    /** Over the page only while there is nothing else to see, once that is known. */
    show() {
        this.element.hidden = !this.studio.empty || !this.studio.ready;
        this.studio.layout.setCovered(!this.element.hidden);
    }
}

// The first time that somebody is here, once it is known that nothing is open and nothing left.
function startTourOnce(studio) {
    const off = studio.on('ready', () => {
        off();
        const left = studio.welcome?.unsaved ?? [];
        if (studio.empty && left.length === 0) {
            startFirstTime(studio);
        }
    });
}
