// SPDX-License-Identifier: Apache-2.0
//
// The character `cloth`: a sheet that falls on a table and drapes, and a fine tablecloth that it
// drives (Figure 6 of Singh and Kokkevis 2000).
#ifndef SINEW_SCENES_CLOTH_H
#define SINEW_SCENES_CLOTH_H

#include "sinew/mesh.h"

// The parts, each a mesh of quads. The tablecloth is chequered: every second square, the lining and
// the hem are one mesh, the other squares another, whose borders have the same points.
sn_status scn_cloth_table(sn_context *context, sn_mesh **mesh, sn_error *error);
sn_status scn_cloth_sheet(sn_context *context, sn_mesh **mesh, sn_error *error);
sn_status scn_cloth_blue(sn_context *context, sn_mesh **mesh, sn_error *error);
sn_status scn_cloth_white(sn_context *context, sn_mesh **mesh, sn_error *error);

// Height of the table's top.
#define SCN_CLOTH_TABLE_HEIGHT 0.74

sn_status scn_cloth_build(sn_context *context, const char *folder, sn_error *error);

#endif
