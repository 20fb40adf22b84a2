// SPDX-License-Identifier: Apache-2.0
//
// What the tool in hand can be told: its help line and its own controls.
import {clear, h} from './dom.js';

export default {
    id: 'tool',
    title: 'Tool',
    icon: 'edit',
    place: 'right',

    mount(element, studio) {
        const show = () => {
            clear(element);
            const tool = studio.tool;
            if (tool === null) {
                return;
            }
            const body = h('div', {class: 'tool-body'});
            element.append(h('h2', {class: 'panel-title'}, tool.title),
                h('p', {class: 'help'}, tool.help ?? ''), body);
            tool.panel?.(body);
        };
        studio.on('tool', (tool) => {
            show();
            if (tool.panel !== undefined) {
                studio.layout.show('tool');
            }
        });
        show();
    },
};
