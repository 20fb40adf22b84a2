// SPDX-License-Identifier: Apache-2.0

/** Time that is left, as people say it; '' where it is not known. */
export function leftText(seconds) {
    if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) {
        return '';
    }
    if (seconds < 1.5) {
        return 'about a second left';
    }
    if (seconds < 90) {
        return `${Math.round(seconds)} s left`;
    }
    const minutes = Math.round(seconds / 60);
    return minutes < 90 ? `${minutes} min left` : `${(seconds / 3600).toFixed(1)} h left`;
}
