// SPDX-License-Identifier: Apache-2.0
//
// What a mirror image has under a key, as `mirror` of a sni_schema_field. Whoever describes a key
// says it there: one of these, or a function of its own. A key that says nothing gives the image
// the names of the other side, as `name_of` and `keys_of` tell, and what lies below it is reflected
// by its own description.
#ifndef SINEW_CHARACTER_EXPAND_MIRROR_H
#define SINEW_CHARACTER_EXPAND_MIRROR_H

#include "character/expand/expand.h"
#include "character/schema/schema.h"

#define SNI_MIRROR(name)                                                                           \
    sn_status name(sni_expansion *expansion, const sni_schema_field *field, sn_value *value,       \
                   sn_error *error)

// The same, names too.
SNI_MIRROR(sni_mirror_same);
// What a key that says nothing gets: its names, then what lies below it.
SNI_MIRROR(sni_mirror_names);
SNI_MIRROR(sni_mirror_below);
// A name that must have a side, since nothing else tells the image from the entry.
SNI_MIRROR(sni_mirror_sided);
// The heading of a control.
SNI_MIRROR(sni_mirror_group);
// The mesh of a vertex: the image of a vertex is that of the mirrored mesh.
SNI_MIRROR(sni_mirror_vertex);

// A number that changes its sign; a point or a vector; a list of them; angles about x, y and z, or
// a quaternion; [low, high], which becomes [-high, -low].
SNI_MIRROR(sni_mirror_number);
SNI_MIRROR(sni_mirror_point);
SNI_MIRROR(sni_mirror_points);
SNI_MIRROR(sni_mirror_turn);
SNI_MIRROR(sni_mirror_range);

// How much parameters get, by name; the outputs of a curve, which change their sign; a parameter,
// and with it the inputs of the `curve` or the ends of the `range` beside it.
SNI_MIRROR(sni_mirror_spread);
SNI_MIRROR(sni_mirror_outputs);
SNI_MIRROR(sni_mirror_source);
SNI_MIRROR(sni_mirror_ranged);

#endif
