// SPDX-License-Identifier: Apache-2.0
//
// Tells what node's test runner does in the words of cmocka, which cmake/test counts.
import {inspect} from 'node:util';

function words(error) {
    const cause = error?.cause ?? error;
    return cause?.stack ?? inspect(cause);
}

// Suites pass and fail with what is in them.
const isSuite = (data) => data.details?.type === 'suite';

export default async function* report(events) {
    const count = {passed: 0, failed: 0, skipped: 0};
    for await (const {type, data} of events) {
        if ((type !== 'test:pass' && type !== 'test:fail') || isSuite(data)) {
            if (type === 'test:stdout' || type === 'test:stderr') {
                yield data.message;
            }
            continue;
        }
        const seconds = (data.details.duration_ms / 1000).toFixed(1);
        if (data.skip !== undefined) {
            count.skipped += 1;
            yield `[  SKIPPED ] ${data.name}\nskipped: ${data.skip}\n`;
        } else if (type === 'test:pass') {
            count.passed += 1;
            yield `[       OK ] ${data.name} (${seconds} s)\n`;
        } else {
            count.failed += 1;
            yield `${words(data.details.error)}\n[  FAILED  ] ${data.name} (${seconds} s)\n`;
        }
    }
    yield `[  PASSED  ] ${count.passed} test(s).\n`;
    for (const kind of ['skipped', 'failed']) {
        if (count[kind] > 0) {
            yield `[${kind === 'failed' ? '  FAILED  ' : '  SKIPPED '}] ${count[kind]} test(s).\n`;
        }
    }
}
