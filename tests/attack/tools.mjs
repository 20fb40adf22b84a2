// SPDX-License-Identifier: Apache-2.0
//
// What all attacks share: numbers by chance that can be had again, running the program under limits,
// judging how it ended, and the figures.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../..');
export const jobs = Math.max(1, Number(process.env.JOBS ?? os.cpus().length));

/** Numbers by chance from a seed (mulberry32): the same seed, the same attacks. */
export class Chance {
    #state;

    constructor(seed) {
        this.#state = seed >>> 0;
    }

    /** From 0 to below 1. */
    next() {
        this.#state = (this.#state + 0x6d2b79f5) >>> 0;
        let t = this.#state;
        t = Math.imul(t ^ (t >>> 15), t | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    }

    /** A whole number below `count`. */
    below(count) {
        return Math.floor(this.next() * count);
    }

    bytes(size) {
        return Buffer.from(Array.from({length: size}, () => this.below(256)));
    }

    pick(list) {
        return list[this.below(list.length)];
    }
}

/** What went wrong; kept with its input. */
export class Figures {
    groups = new Map();
    failures = [];

    constructor(folder) {
        this.folder = folder;
        fs.mkdirSync(folder, {recursive: true});
    }

    count(group, kind) {
        const counts = this.groups.get(group) ?? {};
        counts[kind] = (counts[kind] ?? 0) + 1;
        this.groups.set(group, counts);
    }

    /** `files` are copied to the folder of failures. */
    fail(group, what, detail, files = []) {
        const number = this.failures.length + 1;
        this.failures.push(`${group}: ${what}`);
        this.count(group, 'failures');
        console.log(`FAILED ${number} ${group}: ${what}\n${detail.slice(0, 2000)}`);
        for (const file of files.filter((f) => fs.existsSync(f))) {
            fs.copyFileSync(file, path.join(this.folder, `${number}-${path.basename(file)}`));
        }
        fs.writeFileSync(path.join(this.folder, `${number}.txt`), `${group}: ${what}\n${detail}\n`);
    }

    print() {
        for (const [group, counts] of this.groups) {
            const {inputs = 0, failures = 0, ...rest} = counts;
            const texts = Object.entries(rest).map(([kind, count]) => `${count} ${kind}`);
            console.log(`attack ${group}: ${[`${inputs} inputs`, ...texts, `${failures} failures`].join(', ')}`);
        }
    }
}

// Assimp loses memory of files that it refuses.
const leaks = path.join(root, 'tests/attack/leaks.txt');
const sanitizers = {
    ASAN_OPTIONS: 'exitcode=99:allocator_may_return_null=1:hard_rss_limit_mb=4096',
    UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1:exitcode=99',
    LSAN_OPTIONS: `exitcode=99:suppressions=${leaks}:print_suppressions=0`,
};

/** Starts a program in a process group of its own, with at most `memory` MB of addresses. */
export function start(program, args, {memory = 0, ...options} = {}) {
    const words = memory > 0
        ? ['sh', '-c', 'ulimit -v "$1"; shift; exec "$@"', 'sh', String(memory * 1024), program, ...args]
        : [program, ...args];
    return spawn(words[0], words.slice(1), {
        detached: true, stdio: ['ignore', 'ignore', 'pipe'], ...options,
        env: {...process.env, ...sanitizers, ...options.env},
    });
}

export function killGroup(child) {
    try {
        process.kill(-child.pid, 'SIGKILL');
    } catch {
        // It has ended meanwhile.
    }
}

/** Waits for the end of a child; one that takes longer than `seconds` is killed. */
export function finish(child, seconds) {
    return new Promise((resolve) => {
        let text = '', late = false;
        const timer = setTimeout(() => {
            late = true;
            killGroup(child);
        }, seconds * 1000);
        child.stderr?.on('data', (bytes) => {
            text = (text + bytes).slice(0, 100000);
        });
        child.on('close', (status, signal) => {
            clearTimeout(timer);
            killGroup(child); // what it may have started itself
            resolve({status, signal, late, text});
        });
    });
}

const report = /AddressSanitizer|LeakSanitizer|runtime error:|MemorySanitizer|assertion/i;

export const hasReport = (text) => report.test(text);

/** 'accepted', 'clean errors', or what is wrong with the way in which the program ended. */
export function judge({status, signal, late, text}) {
    if (late) {
        return 'takes too long';
    }
    if (signal !== null || status === 99 || status > 128 || hasReport(text)) {
        return `crashes (${signal ?? `status ${status}`})`;
    }
    if (status === 0) {
        return 'accepted';
    }
    const one = /^sinew: [^\n]+\n$/.test(text);
    return (status === 1 || status === 2) && one ? 'clean errors' : `ends with status ${status} and no single line`;
}

export const isGood = (verdict) => verdict === 'accepted' || verdict === 'clean errors';

/** Runs `work(index)` by as many as there are processors until it is `until` (milliseconds). */
export async function repeat(until, work) {
    let index = 0;
    const worker = async () => {
        while (Date.now() < until) {
            await work(index++);
        }
    };
    await Promise.all(Array.from({length: jobs}, worker));
}
