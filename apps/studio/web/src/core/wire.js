// SPDX-License-Identifier: Apache-2.0
//
// The connection to the server: requests with answers, events, binary messages. A lost connection
// is taken up again by itself; the server then sends everything anew, as after a reload.
import {StudioError} from './errors.js';
import {Signals} from './signals.js';

const PROTOCOL = 'sinew-studio-1';
const FIRST_WAIT = 200; // milliseconds before the first new try; each further one waits twice
const LONGEST_WAIT = 2000;

/** Bytes of a text that the server takes: NET_MAX_TEXT of its net.h. */
export const MOST_BYTES = 32 * 1024 * 1024;

/** Where the socket of the page at `location` is. */
export function socketAddress(location) {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    return `${scheme}//${location.host}/socket${location.search}`;
}

export class Wire {
    #signals = new Signals();
    #waiting = new Map();
    #nextId = 1;
    #socket = null;
    #wait = FIRST_WAIT;
    #timer = 0;
    #ended = false;

    /** @param {string} address @param {typeof WebSocket} Socket another class for tests */
    constructor(address, Socket = globalThis.WebSocket) {
        this.address = address;
        this.Socket = Socket;
        /** Bytes of a text at most. */
        this.mostBytes = MOST_BYTES;
        this.state = 'connecting'; // 'connecting' | 'open' | 'lost'
        /** Why the server ended the last connection, '' where it did not say. */
        this.reason = '';
    }

    on(event, listener) {
        return this.#signals.on(event, listener);
    }

    /** Binary messages. */
    onBytes(listener) {
        return this.#signals.on('#bytes', listener);
    }

    /** Changes of `state`. */
    onState(listener) {
        return this.#signals.on('#state', listener);
    }

    connect() {
        const socket = new this.Socket(this.address, PROTOCOL);
        socket.binaryType = 'arraybuffer';
        socket.onopen = () => this.#opened(socket);
        socket.onmessage = ({data}) => this.#received(data);
        socket.onclose = ({reason = ''} = {}) => this.#closed(socket, reason);
        this.#socket = socket;
    }

    /** Gives up the connection and takes it up again, as when it is lost. */
    reconnect() {
        this.#socket?.close();
    }

    /** Ends the connection for good. */
    end() {
        this.#ended = true;
        clearTimeout(this.#timer);
        this.#socket?.close();
    }

    /** @returns {Promise<object>} the answer; rejects with a StudioError */
    call(name, args = {}) {
        if (this.state !== 'open') {
            return Promise.reject(this.#lost(name));
        }
        const id = this.#nextId++;
        const text = JSON.stringify({id, do: name, ...args});
        // A text has three bytes at most for each of its letters: most need no exact count.
        if (3 * text.length > this.mostBytes && bytesOf(text) > this.mostBytes) {
            return Promise.reject(tooLarge(name, this.mostBytes));
        }
        return new Promise((resolve, reject) => {
            this.#waiting.set(id, {name, resolve, reject});
            this.#socket.send(text);
        });
    }

    /** How many calls have no answer yet. */
    get unanswered() {
        return this.#waiting.size;
    }

    /** A message that has no answer. */
    tell(name, args = {}) {
        if (this.state === 'open') {
            this.#socket.send(JSON.stringify({do: name, ...args}));
        }
    }

    /** Sends bytes; resolves when the socket has room for more. */
    async sendBytes(bytes) {
        if (this.state !== 'open') {
            throw this.#lost('upload');
        }
        this.#socket.send(bytes);
        while (this.state === 'open' && this.#socket.bufferedAmount > 4 * 1024 * 1024) {
            await new Promise((resolve) => setTimeout(resolve, 10));
        }
    }

    #opened(socket) {
        if (socket !== this.#socket) {
            return;
        }
        this.#wait = FIRST_WAIT;
        this.#setState('open');
    }

    #received(data) {
        if (typeof data !== 'string') {
            this.#signals.emit('#bytes', data);
            return;
        }
        const message = JSON.parse(data);
        if (message.event !== undefined) {
            this.#signals.emit(message.event, message);
            return;
        }
        const waiting = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if (message.error !== undefined) {
            waiting?.reject(new StudioError(message.error));
        } else {
            waiting?.resolve(message.ok);
        }
    }

    #closed(socket, reason) {
        if (socket !== this.#socket) {
            return;
        }
        this.reason = reason;
        const unanswered = [...this.#waiting.values()];
        this.#waiting.clear();
        this.#setState('lost');
        unanswered.forEach(({name, reject}) => reject(this.#lost(name)));
        if (!this.#ended) {
            this.#timer = setTimeout(() => this.connect(), this.#wait);
            this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
        }
    }

    #lost(name) {
        const why = this.reason === '' ? '' : ` (${this.reason})`;
        return new StudioError({
            status: 'connection',
            message: `the connection to the server was lost${why} before it answered "${name}"`,
        });
    }

    #setState(state) {
        if (state !== this.state) {
            this.state = state;
            this.#signals.emit('#state', state);
        }
    }
}

function bytesOf(text) {
    return new TextEncoder().encode(text).length;
}

// The server would close the connection.
function tooLarge(name, most) {
    return new StudioError({
        status: 'limit',
        message: `this is more than the studio accepts at once (${most / 2 ** 20} MiB), ` +
            `"${name}" was not done`,
    });
}
