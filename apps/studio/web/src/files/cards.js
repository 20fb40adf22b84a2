// SPDX-License-Identifier: Apache-2.0
//
// Characters that can be opened, as the start page and the window of "Open beside" show them.
import {h} from '../core/dom.js';
import {icon} from '../core/icons.js';
import {baseName, folderOf, whenText} from './paths.js';

// Long folders are cut at their beginning, by writing them from right to left; their signs stay in
// order.
const LEFT_TO_RIGHT = '\u200e';

/** A shipped character with its picture. @param {(name: string) => void} onOpen */
export function galleryCard({name, about, picture}, onOpen) {
    const image = picture
        ? h('img', {src: picture, alt: '', width: 640, height: 400, loading: 'lazy'})
        : h('div', {class: 'no-picture'}, icon('skin'));
    return h(
        'button',
        {
            type: 'button',
            class: 'card',
            dataset: {testid: `gallery-${name}`},
            onclick: () => onOpen(name),
        },
        image,
        h('strong', {}, name),
        h('span', {}, about ?? '')
    );
}

/** A file that was open before. @param {(path: string) => void} onOpen */
export function recentCard({path, when, missing}, onOpen) {
    return h(
        'button',
        {
            type: 'button',
            class: 'recent-file',
            title: path,
            disabled: Boolean(missing),
            onclick: () => onOpen(path),
        },
        icon('file'),
        h('span', {class: 'recent-name'}, baseName(path)),
        h('span', {class: 'recent-folder'}, LEFT_TO_RIGHT + folderOf(path) + LEFT_TO_RIGHT),
        h(
            'span',
            {class: 'recent-when'},
            missing ? 'file not found' : when ? whenText(when) : ''
        )
    );
}
