// SPDX-License-Identifier: Apache-2.0
//
// The nine parameters of a joint.

/** In the order of the numbers of a frame: sn_joint_parameter of motion.h. */
export const PARAMETERS = ['rx', 'ry', 'rz', 'tx', 'ty', 'tz', 'sx', 'sy', 'sz'];
export const ROTATIONS = PARAMETERS.slice(0, 3);
export const TRANSLATIONS = PARAMETERS.slice(3, 6);

/** Degrees of a radian. */
export const DEGREES = 180 / Math.PI;
