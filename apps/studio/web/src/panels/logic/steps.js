// SPDX-License-Identifier: Apache-2.0
// The list of all steps of a document, followed from one change to the next.

/**
 * The steps after a change, from those that were known and what the document's event says: {steps,
 * position}; null where only the server knows them. A drag of a slider changes the label of one
 * step some times a second: to ask for thousands each time would be slow.
 * @param {{steps: string[], position: number}} known
 * @param {{undo: ?{label, count}, redo: ?{label, count}}} slot
 */
export function followedSteps({steps, position}, {undo, redo}) {
    const now = undo?.count ?? 0;
    if (redo) {
        return now + redo.count === steps.length ? {steps, position: now} : null;
    }
    if (now > position + 1) {
        return null;
    }
    return {steps: now === 0 ? [] : [...steps.slice(0, now - 1), undo.label], position: now};
}
