// SPDX-License-Identifier: Apache-2.0

/** What the server refused, with the place in the document or file that it names. */
export class StudioError extends Error {
    constructor({status = 'failed', message = 'it failed for an unknown reason', source, place,
        line, ...more} = {}) {
        super(message);
        this.name = 'StudioError';
        Object.assign(this, {status, source, place, line, more});
    }

    /** One line for people: file, line, place and message, as the command line shows it. */
    get text() {
        const file = this.source && this.line ? `${this.source}:${this.line}` : this.source;
        return [file, this.place, this.message].filter(Boolean).join(': ');
    }
}
