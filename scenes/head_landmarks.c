// SPDX-License-Identifier: Apache-2.0
//
// Craniofacial landmarks: points of the skin, and of the bone below them at the depth of soft
// tissue that is usual there. Depths are means of adults in millimetres, from published tables
// (Rhine and Moore 1982, Stephan and Simpson 2008, Hona and Stephan 2023).
#include "scenes/head_shape.h"

#include "sinew/geometry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct landmark {
    const char *name;
    bool mandible;    // its bone
    bool forward;     // measured straight back instead of along the skin's normal: lips curl
    double depth;     // millimetres
    double around[3]; // near this place; the closest vertex of the skin counts
} landmark;

// clang-format off
static const landmark middle[SCN_HEAD_MIDDLE_LANDMARKS] = {
    {"supraglabella", false, false, 3.9, {0, 70.3, 105.1}},
    {"glabella", false, false, 5.5, {0, 57.3, 107.7}},
    {"nasion", false, false, 6.5, {0, 44.5, 106}},
    {"rhinion", false, false, 3.0, {0, 23.7, 117.4}},
    {"mid_philtrum", false, false, 11.5, {0, -16.9, 115.4}},
    {"labrale_superius", false, true, 11.5, {0, -24.8, 118.2}},
    {"labrale_inferius", true, true, 13.0, {0, -43.9, 115.4}},
    {"labiomental", true, false, 11.0, {0, -52.4, 110}},
    {"pogonion", true, false, 11.5, {0, -62.5, 111}},
    {"menton", true, false, 7.0, {0, -80, 94}},
    {"vertex", false, false, 5.0, {0, 144.6, -2}},
    {"bregma", false, false, 5.0, {0, 142, 27}},
    {"lambda", false, false, 6.0, {0, 84, -84}},
    {"opisthocranion", false, false, 6.5, {0, 55, -87.5}},
};
static const landmark left[SCN_HEAD_SIDE_LANDMARKS] = {
    {"frontal_eminence", false, false, 3.9, {32.8, 89, 91.3}},
    {"supraorbital", false, false, 7.6, {32.8, 56.8, 101}},
    {"suborbital", false, false, 5.9, {31.7, 15, 95.3}},
    {"inferior_malar", false, false, 13.0, {36, -9, 98}},
    {"lateral_orbit", false, false, 10.4, {58.4, 16, 80.6}},
    {"zygomatic_arch", false, false, 7.4, {72.4, 14.8, 43.4}},
    {"supraglenoid", false, false, 8.25, {74, 19, 24}},
    {"gonion", true, false, 11.75, {58.4, -44, 39}},
    {"supra_m2", false, false, 26.0, {49.5, -27.8, 83.2}},
    {"occlusal_line", true, false, 17.6, {59.5, -29.7, 64}},
    {"sub_m2", true, false, 15.75, {51, -44.3, 71}},
    {"mid_ramus", true, false, 19.5, {65, -27.9, 42}},
    {"mid_masseter", true, false, 20.0, {68.6, -13, 41.8}},
    {"mid_mandibular_body", true, false, 10.0, {41, -61.1, 77.7}},
    {"euryon", false, false, 7.0, {78.9, 67.5, -8.7}},
};
// clang-format on

void scn_head_finder_deinit(scn_head_finder *finder) {
    sn_accel_destroy(finder->accel);
    sn_triangles_destroy(finder->triangles);
    free(finder->normals);
}

sn_status scn_head_finder_init(sn_context *context, const sn_mesh *skin, scn_head_finder *finder,
                               sn_error *error) {
    sn_status status = SN_OK;
    *finder = (scn_head_finder){.skin = skin};
    finder->normals = malloc(3 * (size_t)skin->vertex_count * sizeof *finder->normals);
    SN_TRY(finder->normals != NULL ? SN_OK : scn_fail_memory(error));
    SN_TRY(sn_mesh_normals(skin, skin->positions, finder->normals, error));
    SN_TRY(sn_triangles_create(skin, skin->positions, &finder->triangles, error));
    SN_TRY(sn_accel_create(context, skin->positions, skin->vertex_count,
                           finder->triangles->vertices, finder->triangles->count, &finder->accel,
                           error));
cleanup:
    return status;
}

sn_vec3 scn_head_normal(const scn_head_finder *finder, uint32_t triangle,
                        const double barycentric[3]) {
    sn_vec3 normal = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        uint32_t vertex = finder->triangles->vertices[3 * (size_t)triangle + k];
        normal = sn_vec3_add_scaled(normal, barycentric[k],
                                    sn_vec3_load(finder->normals + 3 * (size_t)vertex));
    }
    return sn_vec3_normalize_or(normal, sn_vec3_make(0, 0, 1));
}

uint32_t scn_head_closest_vertex(const sn_mesh *mesh, sn_vec3 point) {
    uint32_t closest = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 away = sn_vec3_sub(sn_vec3_load(mesh->positions + 3 * (size_t)i), point);
        double square = sn_vec3_dot(away, away);
        if (square < least) {
            least = square;
            closest = i;
        }
    }
    return closest;
}

static void fill(const scn_head_finder *finder, const landmark *l, scn_head_landmark *made) {
    sn_vec3 around = sn_vec3_scale(sn_vec3_make(l->around[0], l->around[1], l->around[2]), SCN_MM);
    uint32_t vertex = scn_head_closest_vertex(finder->skin, around);
    sn_vec3 skin = sn_vec3_load(finder->skin->positions + 3 * (size_t)vertex);
    sn_vec3 out = sn_vec3_load(finder->normals + 3 * (size_t)vertex);
    if (l->forward) {
        out = sn_vec3_make(0, 0, 1);
    } else if (skin.x == 0) {
        out.x = 0;
    }
    out = sn_vec3_normalize_or(out, sn_vec3_make(0, 0, 1));
    *made = (scn_head_landmark){.skin_vertex = vertex,
                                .mandible = l->mandible,
                                .depth = l->depth * SCN_MM,
                                .skin = skin,
                                .out = out};
    made->bone = sn_vec3_add_scaled(skin, -made->depth, out);
    snprintf(made->name, sizeof made->name, "%s", l->name);
}

static scn_head_landmark other_side(const sn_mesh *skin, const scn_head_landmark *l) {
    scn_head_landmark made = *l;
    made.skin_vertex = scn_head_closest_vertex(skin, scn_mirrored(l->skin));
    made.skin = scn_mirrored(l->skin);
    made.bone = scn_mirrored(l->bone);
    made.out = scn_mirrored(l->out);
    made.name[strlen(made.name) - 1] = 'R';
    return made;
}

sn_status scn_head_find_landmarks(sn_context *context, const sn_mesh *skin,
                                  scn_head_landmark made[SCN_HEAD_LANDMARKS], sn_error *error) {
    scn_head_finder f;
    sn_status status = scn_head_finder_init(context, skin, &f, error);
    for (int i = 0; status == SN_OK && i < SCN_HEAD_MIDDLE_LANDMARKS; ++i) {
        fill(&f, &middle[i], &made[i]);
    }
    for (int i = 0; status == SN_OK && i < SCN_HEAD_SIDE_LANDMARKS; ++i) {
        scn_head_landmark *l = &made[SCN_HEAD_MIDDLE_LANDMARKS + 2 * i];
        fill(&f, &left[i], l);
        strcat(l->name, ".L");
        l[1] = other_side(skin, l);
    }
    scn_head_finder_deinit(&f);
    return status;
}
