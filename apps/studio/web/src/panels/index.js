// SPDX-License-Identifier: Apache-2.0
//
// The panels, in the order in which they stand. A panel is one file:
//     export default {id, title, icon, place, mount(element, studio)}
// with the place 'bar' (left end of the top bar), 'left', 'right', 'bottom' (tabs where there are
// several) or 'page' (over everything, such as the start page; it shows and hides itself). With
// `least`, the pixels that it needs, a panel keeps a size of its own.
import controls from './controls.js';
import curves from './curves.js';
import face from './face.js';
import history from './history.js';
import jobs from './jobs.js';
import outliner from './outliner.js';
import plots from './plots.js';
import properties from './properties.js';
import timeline from './timeline.js';

export const panels = [
    outliner,
    properties,
    controls,
    face,
    history,
    timeline,
    curves,
    plots,
    jobs
];
