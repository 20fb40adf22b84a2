// SPDX-License-Identifier: Apache-2.0
//
// The file menu and its keys, and help at the other end of the bar.
import {h} from '../core/dom.js';
import {icon} from '../core/icons.js';
import {iconButton, menu} from '../core/widgets.js';
import {
    close,
    importFile,
    importFolder,
    open,
    openPath,
    openUnsaved,
    save,
    saveAs,
} from '../files/actions.js';
import {besideDialog, showSecond} from '../files/beside.js';
import {exportDialog} from '../files/export.js';
import {extractDialog} from '../files/extract.js';
import {filmDialog, reasonAgainstFilm} from '../files/film.js';
import {baseName, editsText} from '../files/paths.js';
import {pictureDialog} from '../files/picture.js';
import {openHelp} from './help.js';
import {tourOf} from './tour.js';

const MOST_RECENT = 6;

/**
 * What the menu can do, with the keys that do the same; what opens a window ends in "…".
 * `needs`: only with a character; `reason`: why it cannot be done.
 */
function commands(studio) {
    return [
        {label: 'Open…', icon: 'folder', keys: 'Ctrl+O', run: () => open(studio)},
        {
            label: 'Open beside…',
            icon: 'compare',
            keys: 'Ctrl+Shift+O',
            needs: true,
            run: () => besideDialog(studio),
        },
        {label: 'Save', icon: 'save', keys: 'Ctrl+S', needs: true, run: () => save(studio)},
        {
            label: 'Save as…',
            icon: 'copy',
            keys: 'Ctrl+Shift+S',
            needs: true,
            run: () => saveAs(studio),
        },
        'separator',
        {label: 'Import a model…', icon: 'upload', keys: 'Ctrl+I', run: () => importFile(studio)},
        {
            label: 'Import a folder of bones and muscles…',
            icon: 'upload',
            run: () => importFolder(studio),
        },
        {
            label: 'Export…',
            icon: 'export',
            keys: 'Ctrl+E',
            needs: true,
            run: () => exportDialog(studio),
        },
        {label: 'Extract a skin…', icon: 'skin', needs: true, run: () => extractDialog(studio)},
        {label: 'Picture…', icon: 'eye', needs: true, run: () => pictureDialog(studio)},
        {
            label: 'Film…',
            icon: 'play',
            needs: true,
            reason: reasonAgainstFilm(studio.active),
            run: () => filmDialog(studio),
        },
        'separator',
        {label: 'Close', icon: 'close', needs: true, run: () => close(studio)},
    ];
}

function recentItems(studio) {
    const recent = (studio.welcome?.recent ?? []).slice(0, MOST_RECENT);
    return recent.length === 0
        ? []
        : [
              'separator',
              {title: 'Recent'},
              ...recent.map(({path}) => ({
                  label: baseName(path),
                  tip: path,
                  run: () => openPath(studio, path),
              })),
          ];
}

function unsavedItems(studio) {
    const unsaved = (studio.welcome?.unsaved ?? []).slice(0, MOST_RECENT);
    return unsaved.length === 0
        ? []
        : [
              'separator',
              {title: 'Unsaved work'},
              ...unsaved.map(({journal, path, name, edits}) => ({
                  label: `${path === null ? name : baseName(path)} (${edits > 0 ? editsText(edits) : 'never saved'})`,
                  run: () => openUnsaved(studio, journal),
              })),
          ];
}

function addShortcuts(studio) {
    for (const each of commands(studio).filter((item) => item.keys)) {
        studio.shortcuts.add({
            keys: each.keys,
            title: each.label.replace('…', ''),
            group: 'Files',
            run: each.run,
            when: () => !each.needs || studio.active.document !== null,
        });
    }
    studio.shortcuts.add({
        keys: ['F1', '?'],
        title: 'Help',
        group: 'General',
        run: () => help(studio),
    });
}

function help(studio) {
    openHelp(studio, {startTour: () => tourOf(studio).start()});
}

// Without a character there is no need to say why.
function stateOf({needs, reason}, empty) {
    return needs && empty ? {disabled: true, reason: null} : {disabled: Boolean(reason)};
}

function showMenu(studio, anchor) {
    const empty = studio.active.document === null;
    const items = commands(studio).map((each) =>
        each === 'separator' ? each : {...each, ...stateOf(each, empty)}
    );
    menu([...items, ...unsavedItems(studio), ...recentItems(studio)], anchor);
}

// What is not saved is in the journal already, so nothing is lost; people like to know.
function tellWhatIsKept(studio) {
    let told = false;
    studio.on('document', (slot) => {
        if (slot.dirty && !told) {
            told = true;
            studio.notice(
                'Your work is kept as you go, so closing this page loses nothing. Ctrl+S writes ' +
                    'the file.'
            );
        }
    });
}

export default {
    id: 'file-menu',
    title: 'File',
    icon: 'menu',
    place: 'bar',

    mount(element, studio) {
        const button = h(
            'button',
            {
                type: 'button',
                class: 'quiet',
                'aria-haspopup': 'menu',
                'aria-expanded': 'false',
                dataset: {testid: 'file-menu'},
                onclick: () => showMenu(studio, button),
            },
            icon('menu'),
            h('span', {}, 'File')
        );
        element.append(button);
        studio.layout.barEnd.append(
            iconButton({
                icon: 'help',
                label: 'Help',
                keys: 'F1',
                testid: 'help',
                onClick: () => help(studio),
            })
        );
        addShortcuts(studio);
        tellWhatIsKept(studio);
        showSecond(studio);
    },
};
