// SPDX-License-Identifier: Apache-2.0
//
// Files dropped on the start page: a character is opened, a model imported, with the files that it
// refers to beside it. While a character is open, the timeline takes motions.
import {h} from '../core/dom.js';
import {uploadFiles} from '../core/upload.js';
import {DOCUMENT_ENDING, importPath, openPath, withDot} from './actions.js';

const MOTION = /\.(bvh|mot|sto)$/i;

/** What becomes of a dropped file: 'open', 'import', 'motion' (which needs a character) or null. */
function purposeOf(name, importable) {
    const lower = name.toLowerCase();
    if (lower.endsWith(DOCUMENT_ENDING)) {
        return 'open';
    }
    if (MOTION.test(lower)) {
        return 'motion';
    }
    return importable.map(withDot).some((each) => lower.endsWith(each)) ? 'import' : null;
}

/** The file that is meant among those dropped, with what becomes of it; the others go along. */
export function mainFile(files, importable) {
    const known = files.map((file) => ({file, purpose: purposeOf(file.name, importable)}));
    return (
        ['open', 'import', 'motion']
            .map((wanted) => known.find(({purpose}) => purpose === wanted))
            .find((each) => each !== undefined) ?? null
    );
}

export function acceptDrops(studio, element) {
    const veil = h(
        'div',
        {class: 'drop-veil', hidden: true, 'aria-hidden': 'true'},
        h('p', {}, 'Drop to open or import')
    );
    element.append(veil);
    const wanted = (event) =>
        event.dataTransfer?.types.includes('Files') && studio.empty;
    addEventListener('dragover', (event) => {
        if (wanted(event)) {
            event.preventDefault();
            veil.hidden = false;
        }
    });
    addEventListener('dragleave', (event) => {
        veil.hidden ||= event.relatedTarget === null;
    });
    addEventListener('drop', (event) => {
        veil.hidden = true;
        if (wanted(event)) {
            event.preventDefault();
            takeFiles(studio, [...event.dataTransfer.files]).catch((error) => studio.report(error));
        }
    });
}

async function takeFiles(studio, files) {
    const main = mainFile(files, studio.welcome?.extensions.import ?? []);
    if (main === null || main.purpose === 'motion') {
        studio.notice(
            main === null
                ? `The studio cannot read ${files[0]?.name ?? 'this file'}.`
                : 'A motion needs a character. Open one first, then drop the motion again.',
            'warning'
        );
        return;
    }
    const others = files.filter((each) => each !== main.file);
    const {path} = await uploadFiles(studio, [main.file, ...others], studio.slots[0]);
    await (main.purpose === 'open' ? openPath(studio, path) : importPath(studio, path));
}
