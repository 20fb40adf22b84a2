// SPDX-License-Identifier: Apache-2.0
//
// Motion files that are dropped onto the window become clips.
import {h} from '../core/dom.js';
import {addFileClip} from '../core/keying.js';
import {uploadFiles} from '../core/upload.js';
import {besideSign, takeDropBeside} from '../files/beside.js';

const MOTIONS = /\.(bvh|glb|gltf|fbx|dae|mot|sto|sinew\.json)$/i;

/** Whether a file can be a motion, by its name. */
function isMotion(name) {
    return MOTIONS.test(name);
}

/** Dropped files as motions, each with the other files that it may name: [[motion, ...others]]. */
export function motionsOf(files) {
    const others = files.filter(({name}) => !isMotion(name));
    return files.filter(({name}) => isMotion(name)).map((motion) => [motion, ...others]);
}

function hasFiles(event) {
    return [...(event.dataTransfer?.types ?? [])].includes('Files');
}

async function takeFiles(studio, files) {
    const motions = motionsOf(files);
    if (motions.length === 0) {
        studio.notice(
            'A motion is a .bvh, .glb, .gltf, .fbx, .dae, .mot, .sto or .sinew.json file.',
            'warning'
        );
        return;
    }
    for (const motion of motions) {
        try {
            const {file} = await uploadFiles(studio, motion);
            const {name, relaxed} = await addFileClip(studio, file);
            studio.notice(`Added the clip ${name}. ${motion[0].name} is copied beside the document ` +
                `when you save it; Ctrl+Z removes the clip.${relaxText(relaxed)}`);
        } catch (error) {
            studio.notice(refusal(motion[0].name, error), 'error');
        }
    }
}

/** What else the document got with the clip. */
function relaxText(skins) {
    if (skins.length === 0) {
        return '';
    }
    const what = skins.length === 1 ? `The skin ${skins[0]} has` : `${skins.length} skins have`;
    return ` ${what} a relax now, which evens out edges that bones fold or stretch.`;
}

/** Why a file that was dropped is not taken; the user knows it by its name. */
function refusal(name, {message, line, status}) {
    if (status === 'connection') {
        return message;
    }
    const where = line ? ` (line ${line})` : '';
    return message.startsWith('is ') ? `${name} ${message}.`
        : `${name} cannot be played${where}: ${message}.`;
}

/** The same with a window that chooses a file. */
export function chooseMotion(studio) {
    const input = h('input', {
        type: 'file',
        accept: '.bvh,.glb,.gltf,.fbx,.dae,.mot,.sto,.json',
        onchange: () => takeFiles(studio, [...input.files])
    });
    input.click();
}

/** Takes motion files that are dropped while a character is open, and characters beside it. */
export function listenToDrops(studio) {
    const sign = h(
        'div',
        {class: 'drop-sign', hidden: true, 'aria-hidden': 'true'},
        h('p', {}, 'Drop a motion to play it')
    );
    document.body.append(sign);
    const beside = besideSign(studio);
    const hide = () => {
        sign.hidden = true;
        beside.hide();
    };
    const open = () => studio.active.document !== null;
    addEventListener('dragover', (event) => {
        if (hasFiles(event) && open()) {
            event.preventDefault();
            event.dataTransfer.dropEffect = 'copy';
            sign.hidden = false;
            beside.show(event);
        }
    });
    addEventListener('dragleave', (event) => {
        if (event.relatedTarget === null) {
            hide();
        }
    });
    addEventListener('drop', (event) => {
        hide();
        if (hasFiles(event) && open()) {
            event.preventDefault();
            takeDropBeside(studio, event) || takeFiles(studio, [...event.dataTransfer.files]);
        }
    });
}
