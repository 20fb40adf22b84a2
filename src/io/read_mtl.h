// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_IO_READ_MTL_H
#define SINEW_IO_READ_MTL_H

#include "io/text.h"
#include "sinew/mesh.h"

// Adds the materials of the libraries that an OBJ file's mtllib statement names: one file whose
// name may hold blanks, or several. A library that is not there is logged and passed over, since
// OBJ files travel without theirs all the time; one that is wrong is an error.
sn_status sni_read_mtl(sn_mesh *mesh, const char *obj_path, sni_word names, sn_error *error);

#endif
