// SPDX-License-Identifier: Apache-2.0
//
// Point caches as Blender plays them (tests/blender/pc2.py). Skips where Blender is not installed.
#define _GNU_SOURCE
#include "io_test.h"

#include <math.h>
#include <unistd.h>

enum { SIDE = 12, FRAMES = 6, FIRST_FRAME = 5 };

// A sheet of quads. Blender drops vertices without a face when it reads OBJ, so there are none.
static sn_mesh *make_sheet(sn_context *context) {
    sn_mesh *mesh = NULL;
    uint32_t faces = (SIDE - 1) * (SIDE - 1);
    snt_ok(sn_mesh_create(context, "sheet", SIDE * SIDE, faces, 4 * faces, &mesh, error));
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        mesh->positions[3 * i] = (float)(i % SIDE) * 0.1f;
        mesh->positions[3 * i + 1] = (float)(i / SIDE) * 0.2f;
        mesh->positions[3 * i + 2] = 0.3f;
    }
    for (uint32_t f = 0; f < faces; ++f) {
        uint32_t corner = f / (SIDE - 1) * SIDE + f % (SIDE - 1);
        const uint32_t quad[] = {corner, corner + 1, corner + SIDE + 1, corner + SIDE};
        memcpy(mesh->corners + 4 * f, quad, sizeof quad);
        mesh->face_offsets[f + 1] = 4 * (f + 1);
    }
    return mesh;
}

static void play(const char *extension) {
    if (system("command -v blender >/dev/null 2>&1") != 0) {
        snt_skip("Blender is not installed");
    }
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_sheet(context);
    const sn_mesh *meshes[] = {mesh};
    char obj[4096], points[4096], cache[4096], command[32768];
    snprintf(obj, sizeof obj, "%s", snt_scratch("sheet.obj"));
    snprintf(points, sizeof points, "%s", snt_scratch("points"));
    snprintf(cache, sizeof cache, "%s%s", snt_scratch("sheet"), extension);
    snt_ok(sn_export_mesh(mesh, obj, error));
    sn_export_desc desc = sn_export_desc_default();
    desc.mesh_count = 1;
    desc.meshes = meshes;
    desc.first_frame = FIRST_FRAME;
    desc.frame_count = FRAMES;
    sn_exporter *exporter = NULL;
    snt_ok(sn_exporter_begin(context, cache, &desc, &exporter, error));
    FILE *stream = fopen(points, "wb");
    assert_non_null(stream);
    for (int f = 0; f < FRAMES; ++f) {
        float moved[3 * SIDE * SIDE];
        for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) {
            moved[i] = mesh->positions[i] + 0.2f * sinf((float)i * 0.37f + (float)f * 1.1f);
        }
        const float *frame[] = {moved};
        snt_ok(sn_exporter_add(exporter, frame, error));
        fwrite(moved, sizeof moved, 1, stream);
    }
    fclose(stream);
    snt_ok(sn_exporter_end(exporter, error));
    snprintf(command, sizeof command,
             "ASAN_OPTIONS= LD_PRELOAD= blender -b --python-exit-code 3 --python '%s' -- '%s' '%s' "
             "'%s' %d >'%s.log' 2>&1 || { cat '%s.log'; exit 1; }",
             snt_source("tests/blender/pc2.py"), obj, cache, points, FIRST_FRAME, cache, cache);
    int result = system(command);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
    assert_int_equal(result, 0);
}

static void blender_plays_pc2(void **state) {
    (void)state;
    play(".pc2");
}

static void blender_plays_mdd(void **state) {
    (void)state;
    play(".mdd");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blender_plays_pc2),
        cmocka_unit_test(blender_plays_mdd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
