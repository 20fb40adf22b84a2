// SPDX-License-Identifier: Apache-2.0
//
// The studio: messages and bytes that no page would send, and kills while it saves.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import {finish, hasReport, killGroup, root, start} from './tools.mjs';
import {mutateBytes, mutateTree} from './mutate.mjs';

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** A studio at work on a copy of the arm, in a folder that is all it may write to. */
class Studio {
    static async start(program, folder) {
        const studio = new Studio();
        studio.folder = folder;
        studio.document = path.join(folder, 'arm/arm.sinew.json');
        if (!fs.existsSync(studio.document)) {
            fs.cpSync(path.join(root, 'examples/arm'), path.join(folder, 'arm'), {recursive: true});
            fs.mkdirSync(path.join(folder, 'web'), {recursive: true});
            fs.writeFileSync(path.join(folder, 'web/index.html'), '<!doctype html>');
        }
        const args = ['studio', studio.document, '--no-open', '--port', '0', '--web', path.join(folder, 'web'),
            '--state', path.join(folder, 'state'), '--threads', '2'];
        const child = start(program, args, {cwd: folder, stdio: ['ignore', 'pipe', 'pipe'],
            env: {HOME: folder, SINEW_EXAMPLES: path.join(root, 'examples')}});
        studio.child = child;
        studio.end = finish(child, 3600);
        let line = '';
        for await (const bytes of child.stdout) {
            line += bytes;
            if (line.includes('\n')) {
                break;
            }
        }
        const found = /:(\d+)\/\?token=(\w+)/.exec(line);
        if (found === null) {
            throw new Error(`the studio does not start: ${(await studio.end).text}`);
        }
        [studio.port, studio.token] = [Number(found[1]), found[2]];
        return studio;
    }

    /** Sends bytes on a connection of their own and gives what comes back within a moment. */
    knock(bytes, seconds = 0.05) {
        return new Promise((resolve) => {
            const socket = net.connect(this.port, '127.0.0.1');
            let answer = '';
            socket.on('data', (data) => (answer += data.toString('latin1')));
            socket.on('error', () => {});
            socket.on('close', () => resolve(answer));
            socket.write(bytes);
            setTimeout(() => socket.destroy(), seconds * 1000);
        });
    }
}

/** A page that writes its frames by hand. */
class Page {
    answers = [];
    closed = false;

    static open(studio) {
        return new Promise((resolve, reject) => {
            const page = new Page();
            const socket = page.socket = net.connect(studio.port, '127.0.0.1');
            let head = '';
            const greet = (data) => {
                head += data.toString('latin1');
                if (head.includes('\r\n\r\n')) {
                    socket.off('data', greet);
                    socket.on('data', (more) => page.receive(more));
                    page.receive(Buffer.from(head.slice(head.indexOf('\r\n\r\n') + 4), 'latin1'));
                    head.startsWith('HTTP/1.1 101') ? resolve(page) : reject(new Error(head));
                }
            };
            socket.on('data', greet);
            socket.on('error', () => {});
            socket.on('close', () => {
                page.closed = true;
                reject(new Error('closed'));
            });
            const host = `127.0.0.1:${studio.port}`;
            socket.write(`GET /socket?token=${studio.token} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n` +
                'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
                'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sinew-studio-1\r\n\r\n');
        });
    }

    #waiting = Buffer.alloc(0);

    // Frames of texts that are answers are kept; all others are passed over.
    receive(data) {
        let bytes = this.#waiting = Buffer.concat([this.#waiting, data]);
        for (;;) {
            if (bytes.length < 2) {
                break;
            }
            let size = bytes[1] & 127, at = 2;
            if (size === 126 && bytes.length >= 4) {
                [size, at] = [bytes.readUInt16BE(2), 4];
            } else if (size === 127 && bytes.length >= 10) {
                [size, at] = [Number(bytes.readBigUInt64BE(2)), 10];
            } else if (size > 125) {
                break;
            }
            if (bytes.length < at + size) {
                break;
            }
            if ((bytes[0] & 15) === 1 && bytes[0] & 128) {
                const text = bytes.subarray(at, at + size).toString();
                if (/"id":/.test(text) && !/"event":/.test(text)) {
                    this.answers.push(text);
                }
            }
            bytes = bytes.subarray(at + size);
        }
        this.#waiting = bytes;
    }

    sendFrame(first, payload) {
        const size = payload.length, head = size < 126 ? 2 : size < 65536 ? 4 : 10;
        const frame = Buffer.alloc(head + 4 + size);
        frame[0] = first;
        frame[1] = 128 | (size < 126 ? size : size < 65536 ? 126 : 127);
        if (head === 4) {
            frame.writeUInt16BE(size, 2);
        } else if (head === 10) {
            frame.writeBigUInt64BE(BigInt(size), 2);
        }
        payload.copy(frame, head + 4); // the mask is 0
        this.socket.write(frame);
    }

    send(message) {
        this.sendFrame(129, Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)));
    }

    /** Whether an answer with this id comes in time. */
    async answer(id, seconds) {
        const wanted = new RegExp(`"id": ${id}\\b`);
        for (const until = Date.now() + seconds * 1000; Date.now() < until && !this.closed;) {
            const found = this.answers.find((text) => wanted.test(text));
            if (found !== undefined) {
                return found;
            }
            await pause(0.005);
        }
        return null;
    }
}

// Requests of the protocol, to be damaged.
const requests = [
    {do: 'hello'},
    {do: 'edit', slot: 0, ops: [{path: '/about', value: 'x'}], label: 'x', merge: true},
    {do: 'edit', slot: 0, ops: [{path: '/controls/curl/high', value: 2}, {path: '/controls/x', value: {}, index: 0}]},
    {do: 'edit', slot: 0, ops: [{path: '/muscles', gone: true}]},
    {do: 'edit', slot: 0, ops: [{path: '/skins', key: 'skin'}]},
    {do: 'undo', slot: 0}, {do: 'redo', slot: 0}, {do: 'history', slot: 0},
    {do: 'files', folder: '.'}, {do: 'open', slot: 0, path: 'arm/arm.sinew.json'},
    {do: 'open_example', slot: 1, name: 'cloth'}, {do: 'save_as', slot: 0, path: 'other.sinew.json', replace: true},
    {do: 'close', slot: 1, keep: true}, {do: 'open_unsaved', slot: 1, journal: 'x.jsonl'}, {do: 'compare'},
    {do: 'upload', name: 'x.obj', size: 12, slot: 0, drop: 1}, {do: 'seek', frame: 3}, {do: 'play'}, {do: 'stop'},
    {do: 'playback', loop: true, speed: 2, every: true, range: [0, 5]}, {do: 'clip', slot: 0, name: 'curl'},
    {do: 'hold', slot: 0, values: {'forearm.rx_deg': 30}}, {do: 'release', slot: 0, names: null},
    {do: 'view', slot: 0, surfaces: [0, 1], quantity: {name: 'stretch'}}, {do: 'geometry', slot: 0, model: 1, surfaces: [0]},
    {do: 'ack', serial: 1}, {do: 'import', slot: 1, path: 'arm/arm.glb', options: {skin: true}},
    {do: 'export', slot: 0, path: 'out.glb', first: 0, last: 2, replace: true},
    {do: 'picture', slot: 0, path: 'out.png', width: 32, height: 32, quality: 'draft', replace: true},
    {do: 'measure', slot: 0, first: 0, last: 2}, {do: 'propose', slot: 0}, {do: 'cancel', job: 1},
    {do: 'muscle_add', slot: 0, name: 'm', curves: [[[0, 0, 0], [0, 1, 0]], [[0.1, 0, 0], [0.1, 1, 0]]]},
    {do: 'muscle_mirror', slot: 0, muscle: 'm', axis: 'x', at: 0, name: 'n'},
    {do: 'key_pose', slot: 0, skin: 'skin', follows: 'curl', points: {0: [0, 0, 0]}},
];

function sendDamaged(page, chance, id) {
    switch (chance.below(40)) {
    case 0: page.sendFrame(chance.below(256), chance.bytes(chance.below(200))); break; // mostly ends the page
    case 1: case 2: page.sendFrame(129, mutateBytes(Buffer.from(JSON.stringify({id, ...chance.pick(requests)})), chance)); break;
    case 3: page.sendFrame(130, Buffer.concat([Buffer.from('SNWU'), chance.bytes(chance.below(64))])); break;
    default: page.send({id, ...mutateTree(chance.pick(requests), chance)});
    }
}

/** Damaged messages; after each few of them the studio has to answer. */
async function attackMessages(studio, chance, figures, until) {
    let page = null;
    for (let i = 1; Date.now() < until; ++i) {
        if (page === null || page.closed) {
            page = await Page.open(studio);
            page.send({id: 0, do: 'hello'});
        }
        sendDamaged(page, chance, i);
        figures.count('studio messages', 'inputs');
        if (i % 16 === 0) {
            const asked = await Page.open(studio);
            asked.send({id: i, do: 'ping'});
            // A request before may take its time: making models, reading files.
            if (await asked.answer(i, 60) === null) {
                figures.fail('studio messages', 'the studio does not answer', '');
                return;
            }
            asked.socket.destroy();
            page.answers.forEach((text) =>
                figures.count('studio messages', /"error":/.test(text) ? 'clean errors' : 'answers'));
            page.answers = [];
        }
    }
    page?.socket.destroy();
}

/** Requests that are none, by strangers who come in crowds. */
async function attackDoor(studio, chance, figures, until) {
    const good = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${studio.port}\r\nCookie: a=b\r\n\r\n`;
    while (Date.now() < until) {
        const crowd = Array.from({length: 40}, () => studio.knock(mutateBytes(Buffer.from(good), chance)));
        for (const answer of await Promise.all(crowd)) {
            figures.count('studio door', 'inputs');
            figures.count('studio door', /^HTTP\/1\.\d 4/.test(answer) ? 'clean errors' : 'closed');
            if (answer.startsWith('HTTP/1.1 200')) {
                figures.fail('studio door', 'something is served without the token', answer);
            }
        }
    }
}

async function endStudio(studio, figures, group) {
    process.kill(studio.child.pid, 'SIGTERM');
    const end = await Promise.race([studio.end, pause(60)]);
    if (end === undefined || end.status !== 0 || hasReport(end.text)) {
        figures.fail(group, end === undefined ? 'the studio does not end' : `the studio ends with ${end.status ?? end.signal}`,
            end?.text ?? '');
        killGroup(studio.child);
    }
}

export async function attackStudio({program, folder, chance, figures, until}) {
    const now = Date.now();
    let studio = await Studio.start(program, path.join(folder, 'messages'));
    const watch = studio.end.then((end) => ({ended: end}));
    const messages = attackMessages(studio, chance, figures, now + 0.7 * (until - now));
    const first = await Promise.race([messages.then(() => null, (error) => error), watch]);
    if (first !== null) {
        const end = await Promise.race([studio.end, pause(5)]);
        figures.fail('studio messages', `the studio is gone: ${end?.signal ?? end?.status ?? first}`, end?.text ?? '');
        killGroup(studio.child);
        studio = await Studio.start(program, path.join(folder, 'door'));
    }
    await attackDoor(studio, chance, figures, until);
    await endStudio(studio, figures, 'studio');
}

/** Edits and saves without end until the studio is killed; the file is one that was saved, whole. */
export async function killStudios(count, {program, folder, chance, figures}) {
    const group = 'kill -9, studio';
    for (let i = 0; i < count; ++i) {
        const studio = await Studio.start(program, path.join(folder, 'saves'));
        const page = await Page.open(studio);
        page.send({id: 1, do: 'hello'});
        await page.answer(1, 60);
        const stop = Date.now() + 50 + chance.below(600);
        for (let k = 2; Date.now() < stop; k += 2) {
            page.send({id: k, do: 'edit', slot: 0, ops: [{path: '/about', value: `${i}-${k} `.repeat(50)}], label: 'x'});
            page.send({id: k + 1, do: 'save', slot: 0, replace: true});
            await pause(0.01);
        }
        killGroup(studio.child);
        await studio.end;
        page.socket.destroy();
        figures.count(group, 'inputs');
        figures.count(group, 'killed');
        try {
            const about = JSON.parse(fs.readFileSync(studio.document, 'utf8')).about;
            if (/^(\d+-\d+ )\1{49}$/.test(about) !== true && i > 0) {
                throw new Error(`"about" is ${about}`);
            }
        } catch (error) {
            figures.fail(group, 'the document is damaged or lost', String(error), [studio.document]);
        }
    }
    const studio = await Studio.start(program, path.join(folder, 'saves'));
    const page = await Page.open(studio);
    page.send({id: 1, do: 'hello'});
    await page.answer(1, 60);
    page.send({id: 2, do: 'edit', slot: 0, ops: [{path: '/about', value: 'the last'}], label: 'x'});
    page.send({id: 3, do: 'save', slot: 0, replace: true});
    await page.answer(3, 60);
    page.socket.destroy();
    await endStudio(studio, figures, group);
    const left = fs.readdirSync(path.dirname(studio.document)).filter((name) => name.startsWith('.sinew-'));
    if (left.length > 0) {
        figures.fail(group, 'what killed studios left stays', left.join('\n'));
    }
}
