// SPDX-License-Identifier: Apache-2.0
//
// Two different characters side by side: which place the second one takes, the window that offers
// it, and files that are dropped on the right half of the picture.
import {h} from '../core/dom.js';
import {titleOf} from '../core/texts.js';
import {uploadFiles} from '../core/upload.js';
import {dialog} from '../core/widgets.js';
import {importPath, openExample, openPath, readableFilters} from './actions.js';
import {chooseFile, folderOfSlot} from './browser.js';
import {galleryCard, recentCard} from './cards.js';
import {mainFile} from './drop.js';
import {shownFirst} from './paths.js';

const MOST_RECENT = 6;

/** Where a character goes that is opened beside the one at work: the free place, else the other. */
function besideSlot(studio) {
    return studio.slots[1 - studio.activeIndex];
}

/** Opens a character or a model of the server's machine beside the one at work. */
async function openBeside(studio, path, slot = besideSlot(studio)) {
    const isDocument = path.toLowerCase().endsWith('.json');
    await (isDocument ? openPath : importPath)(studio, path, slot);
    showBoth(studio);
}

async function openExampleBeside(studio, name) {
    await openExample(studio, name, besideSlot(studio));
    showBoth(studio);
}

// Where the user has not changed their mind.
function showBoth(studio) {
    if (studio.slots.every(({document}) => document !== null)) {
        studio.viewport.setCompare(true);
    }
}

async function chooseBeside(studio) {
    const chosen = await chooseFile(studio, {
        title: 'Open beside',
        action: 'Open beside',
        filters: readableFilters(studio),
        folder: folderOfSlot(studio.active),
    });
    if (chosen !== null) {
        await openBeside(studio, chosen.path);
    }
    return chosen !== null;
}

/** The window with all that can be opened beside: shipped characters, recent files, any file. */
export function besideDialog(studio) {
    const {gallery = [], recent = []} = studio.welcome ?? {};
    const other = besideSlot(studio);
    const openedBy = (open) => (what) => {
        window.close();
        return open(studio, what);
    };
    const list = recent.slice(0, MOST_RECENT);
    const window = dialog({
        title: 'Open beside',
        wide: true,
        body: h(
            'div',
            {class: 'beside'},
            h('p', {class: 'help'}, whereText(studio.active, other)),
            h(
                'div',
                {class: 'gallery'},
                shownFirst(gallery).map((each) => galleryCard(each, openedBy(openExampleBeside)))
            ),
            list.length > 0 && h('h3', {}, 'Recent'),
            h(
                'div',
                {class: 'recent'},
                list.map((each) => recentCard(each, openedBy(openBeside)))
            )
        ),
        actions: [
            {label: 'Cancel'},
            {label: 'Choose a file…', primary: true, run: () => chooseBeside(studio)},
        ],
    });
}

function whereText(active, other) {
    return other.document === null
        ? `It is shown beside ${titleOf(active)}. Both share camera and playhead.`
        : `It replaces ${titleOf(other)} beside ${titleOf(active)}.`;
}

// ---- drops

/** The right half of the picture, where a drop opens beside. @returns {DOMRect} */
function rightHalf(studio) {
    const {left, top, width, height} = studio.viewport.element.getBoundingClientRect();
    return new DOMRect(left + width / 2, top, width / 2, height);
}

/** The sign over the right half while files are dragged. */
export function besideSign(studio) {
    const element = h('div', {class: 'drop-beside', hidden: true, 'aria-hidden': 'true'},
        h('p', {}, 'Drop a character here to open it beside this one'));
    document.body.append(element);
    return {
        show(event) {
            const half = rightHalf(studio);
            for (const side of ['left', 'top', 'width', 'height']) {
                element.style.setProperty(side, `${half[side]}px`);
            }
            element.hidden = false;
            element.classList.toggle('over', isInside(half, event));
        },
        hide() {
            element.hidden = true;
        },
    };
}

function isInside(box, {clientX, clientY}) {
    return clientX >= box.left && clientX <= box.right && clientY >= box.top &&
        clientY <= box.bottom;
}

/**
 * Opens a character that is dropped on the right half, with the files that it refers to.
 * @returns {boolean} false: it is something else, or was dropped elsewhere
 */
export function takeDropBeside(studio, event) {
    const files = [...event.dataTransfer.files];
    const main = mainFile(files, studio.welcome?.extensions.import ?? []);
    const meant = main !== null && main.purpose !== 'motion';
    if (!meant || !isInside(rightHalf(studio), event)) {
        return false;
    }
    sendBeside(studio, main.file, files).catch((error) => studio.report(error));
    return true;
}

async function sendBeside(studio, main, files) {
    const slot = studio.slots.find(({document}) => document === null) ?? studio.slots[1];
    const others = files.filter((each) => each !== main);
    const {path} = await uploadFiles(studio, [main, ...others], slot);
    await openBeside(studio, path, slot);
}

/** A second character that is there when the page comes, or comes later, is shown. */
export function showSecond(studio) {
    let two = false;
    studio.on('slot', () => {
        const before = two;
        two = studio.slots.every(({document}) => document !== null);
        if (two && !before) {
            studio.viewport.setCompare(true);
        }
    });
}
