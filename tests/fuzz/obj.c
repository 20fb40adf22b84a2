// SPDX-License-Identifier: Apache-2.0
//
// The OBJ reader, and the writer: what was read is written and reads back with the same topology
// and bits.
#define _POSIX_C_SOURCE 200809L
#include "import.h"

#include <stdio.h>
#include <unistd.h>

// Writes through a real file, since writers know no other.
static void check_round_trip(const sn_mesh *mesh) {
    static char path[64];
    if (path[0] == 0) {
        snprintf(path, sizeof path, "/tmp/sinew-fuzz-%ld.obj", (long)getpid());
    }
    sn_error error = {0};
    sn_import *again = NULL;
    if (sn_export_mesh(mesh, path, &error) != SN_OK ||
        sn_import_file(mesh->context, path, &again, &error) != SN_OK) {
        abort();
    }
    const sn_mesh *read = again->meshes[0];
    if (read->vertex_count != mesh->vertex_count || read->face_count != mesh->face_count ||
        read->corner_count != mesh->corner_count || read->run_count != mesh->run_count ||
        read->attribute_count != mesh->attribute_count ||
        memcmp(read->positions, mesh->positions, 12 * (size_t)mesh->vertex_count) != 0 ||
        memcmp(read->corners, mesh->corners, 4 * (size_t)mesh->corner_count) != 0 ||
        memcmp(read->face_offsets, mesh->face_offsets, 4 * (size_t)mesh->face_count) != 0) {
        abort();
    }
    sn_import_destroy(again);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sn_import *import = fuzz_read("fuzz.obj", data, size);
    // Files cost far more than memory: one input in sixteen is enough.
    if (import != NULL && size % 16 == 0) {
        check_round_trip(import->meshes[0]);
    }
    sn_import_destroy(import);
    return 0;
}
