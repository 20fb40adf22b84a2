// SPDX-License-Identifier: Apache-2.0
//
// Weights of the head's skin on the jaw: 1 on the lower lip and below the lower teeth, 0 on the
// upper lip and over the cranium, in between by the distances from both bones, evened out.
#include "scenes/head_shape.h"

#include "sinew/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 40 };

static double distance_from(const sn_accel *accel, sn_vec3 p) {
    sn_closest closest;
    sn_accel_find_closest(accel, p, INFINITY, &closest);
    return closest.distance;
}

// Behind the ramus, down the neck and above the line from the mouth's corner to the joint the jaw
// loses its hold.
static double held_by_jaw(sn_vec3 p) {
    double line = -0.035 + 0.56 * (0.101 - p.z);
    double below = 1 - scn_smooth_step(-0.010, 0.026, p.y - line);
    double front = scn_smooth_step(0.014, 0.056, p.z);
    double above_neck = scn_smooth_step(-0.118, -0.072, p.y);
    return below * front * above_neck;
}

// Near the opening of the mouth the lips decide, and they do so alone where their red begins.
static double lips_share(const double *v) {
    return scn_smooth_step(0.02, 0.4, v[SCN_HEAD_LIP]);
}

typedef struct weigher {
    const scn_head_skin *skin;
    scn_head_finder bones[2];                 // cranium, mandible
    double *weights, *means, *counts, *fixed; // #V; fixed: how much a weight stays as it is
} weigher;

static void start(weigher *w) {
    for (uint32_t i = 0; i < w->skin->mesh->vertex_count; ++i) {
        const double *v = w->skin->values[i];
        sn_vec3 p = sn_vec3_load(w->skin->mesh->positions + 3 * (size_t)i);
        double c = distance_from(w->bones[0].accel, p), m = distance_from(w->bones[1].accel, p);
        double share = c * c / (c * c + m * m + 1e-12) * held_by_jaw(p);
        // Towards the corners both lips go half the way.
        double corner = 0.6 * scn_smooth_step(0.010, 0.027, fabs(p.x));
        double lip = v[SCN_HEAD_LOWER] + corner * (0.45 - v[SCN_HEAD_LOWER]);
        double lips = lips_share(v);
        w->weights[i] = share + lips * (lip - share);
        w->fixed[i] = fmax(lips, p.y > -0.008 || p.y < -0.12 || p.z < 0.012 ? 1 : 0);
    }
}

static void even_out(weigher *w) {
    const sn_mesh *mesh = w->skin->mesh;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        w->means[i] = w->counts[i] = 0;
    }
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        uint32_t next = c % 4 == 3 ? c - 3 : c + 1;
        uint32_t a = mesh->corners[c], b = mesh->corners[next];
        w->means[a] += w->weights[b];
        w->means[b] += w->weights[a];
        w->counts[a] += 1;
        w->counts[b] += 1;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        double step = 0.7 * (1 - w->fixed[i]);
        w->weights[i] += step * (w->means[i] / w->counts[i] - w->weights[i]);
    }
}

// In steps of 1/255, which files hold in a byte.
static sn_status store(const weigher *w, sn_error *error) {
    sn_mesh *mesh = w->skin->mesh;
    uint32_t entry = 0;
    sn_status status = sn_mesh_set_weights(mesh, 2, 2 * mesh->vertex_count, false, error);
    for (uint32_t i = 0; status == SN_OK && i < mesh->vertex_count; ++i) {
        int jaw = (int)floor(w->weights[i] * 255 + 0.5);
        mesh->weights->offsets[i] = entry;
        for (uint32_t bone = 0; bone < 2; ++bone) {
            int steps = bone == 1 ? jaw : 255 - jaw;
            if (steps > 0) {
                mesh->weights->bones[entry] = bone;
                mesh->weights->values[entry++] = (float)steps / 255;
            }
        }
    }
    if (status == SN_OK) {
        mesh->weights->offsets[mesh->vertex_count] = entry;
        status = sn_mesh_name_bone(mesh, 0, "head", error);
    }
    return status == SN_OK ? sn_mesh_name_bone(mesh, 1, "jaw", error) : status;
}

sn_status scn_head_weigh(sn_context *context, scn_head_skin *skin, const sn_mesh *cranium,
                         const sn_mesh *mandible, sn_error *error) {
    sn_status status = SN_OK;
    size_t count = skin->mesh->vertex_count;
    double *memory = calloc(4 * count, sizeof *memory);
    weigher w = {.skin = skin, .weights = memory};
    SN_TRY(memory != NULL ? SN_OK : scn_fail_memory(error));
    w.means = memory + count;
    w.counts = memory + 2 * count;
    w.fixed = memory + 3 * count;
    SN_TRY(scn_head_finder_init(context, cranium, &w.bones[0], error));
    SN_TRY(scn_head_finder_init(context, mandible, &w.bones[1], error));
    start(&w);
    for (int round = 0; round < ROUNDS; ++round) {
        even_out(&w);
    }
    SN_TRY(store(&w, error));
cleanup:
    scn_head_finder_deinit(&w.bones[0]);
    scn_head_finder_deinit(&w.bones[1]);
    free(memory);
    return status;
}
