// SPDX-License-Identifier: Apache-2.0
//
// The tools, of which one is in the hand. It hears what the pointer does in the viewport first.

export class Toolbox {
    #studio;

    constructor(studio, tools) {
        this.#studio = studio;
        this.tools = tools;
        this.current = null;
        tools.filter((tool) => tool.key).forEach((tool) => studio.shortcuts.add({
            keys: tool.key, title: tool.title, group: 'Tools', run: () => this.set(tool.id),
            when: () => studio.active.document !== null,
        }));
    }

    /** Lays the tool down: Esc, where the tool has no use for it. */
    addShortcuts(first) {
        this.#studio.shortcuts.add({keys: 'Esc', title: 'Back to the Select tool', group: 'Tools',
            run: () => this.set(first), when: () => this.current?.id !== first});
    }

    find(id) {
        return this.tools.find((tool) => tool.id === id) ?? null;
    }

    set(id) {
        const tool = this.find(id);
        if (tool === null || tool === this.current) {
            return;
        }
        this.current?.leave?.();
        this.current = tool;
        tool.enter?.(this.#studio);
        this.#studio.emit('tool', tool);
    }

    /** Gives an event to the tool. @returns whether it took it */
    give(method, event) {
        return this.current?.[method]?.(event) === true;
    }
}
