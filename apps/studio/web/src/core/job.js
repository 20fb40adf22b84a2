// SPDX-License-Identifier: Apache-2.0
//
// Long work that the page goes on with when it is done. Its card shows progress and errors.

/** Starts a job. @returns {Promise<number>} its number; what the server refuses rejects */
export async function startJob(studio, name, args) {
    const {job} = await studio.call(name, args, {quiet: true});
    return job;
}

/** @returns {Promise<*>} the result of a job; null where it failed or was cancelled */
export function resultOf(studio, number) {
    return new Promise((resolve) => {
        const off = studio.on('jobs', ({job, state, result}) => {
            if (job === number && state !== 'running') {
                off();
                resolve(state === 'done' ? (result ?? {}) : null);
            }
        });
    });
}
