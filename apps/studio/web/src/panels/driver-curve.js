// SPDX-License-Identifier: Apache-2.0
//
// The curve of a driver: outputs over inputs (point-selection.js).
import {put, remove} from '../document/ops.js';
import {split} from '../document/pointer.js';
import {shownAs} from '../document/units.js';

/** The number of the driver that is selected, itself or by the control that it computes; -1: none. */
export function selectedDriver(studio) {
    const [section, name] = split(studio.selection?.path ?? '');
    const drivers = studio.active.document?.drivers ?? [];
    if (section === 'drivers') {
        return drivers[Number(name)] === undefined ? -1 : Number(name);
    }
    return section === 'controls' ? drivers.findIndex(({control}) => control === name) : -1;
}

export class DriverCurve {
    what = 'point';
    least = -Infinity;
    same = 1e-9;
    snap = (x) => Number(x.toPrecision(9));

    constructor(studio, index) {
        Object.assign(this, {studio, index});
    }

    get driver() {
        return this.studio.active.document?.drivers?.[this.index] ?? null;
    }

    get name() {
        return this.driver?.control ?? '';
    }

    curves() {
        return this.driver === null ? {} : {[this.name]: this.driver.curve ?? []};
    }

    interpolation() {
        return this.driver?.interpolation ?? 'linear';
    }

    shownAs(name) {
        return shownAs(name, this.studio.active.document?.controls);
    }

    /** How inputs are shown. */
    get inputs() {
        const {parameter} = this.driver ?? {};
        return parameter === undefined ? {unit: 'm', factor: 1} : this.shownAs(parameter);
    }

    write(label, curves, merge) {
        const path = `/drivers/${this.index}/curve`;
        const points = curves[this.name];
        const ops = [points.length > 0 ? put(path, points) : remove(path)];
        return this.studio.edit(label.replace(/ of .*/, ` of the driver of ${this.name}`), ops,
            {merge});
    }

    setInterpolation(name, interpolation) {
        return this.studio.edit(`Change the interpolation of the driver of ${this.name}`,
            [put(`/drivers/${this.index}/interpolation`, interpolation)]);
    }
}
