// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_FIT_HEAD_UNIT_H
#define SINEW_FIT_HEAD_UNIT_H

// The usual unit, in metres, in which a head is as large as those of people are, and its name;
// `scale` is the number of units to a metre of a head of usual size. Where there is none, the unit
// in which it is just as large, without a name.
double sni_head_unit(double scale, const char **name);

#endif
