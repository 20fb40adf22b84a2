// SPDX-License-Identifier: Apache-2.0
#include "common/units.h"

#include <math.h>

const double app_smallest_body = 0.03, app_largest_body = 32;

// A body stands on the ground within this part of its size.
static const double ground = 0.02;

static bool find_box(const sn_model *model, const sn_frame *frame, app_units *u) {
    u->low = (sn_vec3){INFINITY, INFINITY, INFINITY};
    u->high = (sn_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        const sn_surface *surface = sn_model_surface(model, i);
        const float *points = sn_frame_points(frame, i);
        for (size_t v = 0; surface->shown && v < surface->mesh->vertex_count; ++v) {
            u->low = sn_vec3_min(u->low, sn_vec3_load(points + 3 * v));
            u->high = sn_vec3_max(u->high, sn_vec3_load(points + 3 * v));
        }
    }
    return u->high.x >= u->low.x;
}

// The unit in which the size would be that of a body.
static void guess_unit(app_units *u) {
    static const struct {
        const char *name, *option;
        double metres;
    } units[] = {{"centimetres", "cm", 0.01},
                 {"millimetres", "mm", 0.001},
                 {"hundredths of what it should be", "100", 100}};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        double real = u->size * units[i].metres;
        // Of a grown person's size, if possible: a tenth of it to ten times as much.
        if (real >= 0.17 && real <= 17) {
            u->name = units[i].name;
            u->option = units[i].option;
            u->metres = units[i].metres;
            return;
        }
    }
}

// A body that was made with Z up stands on the plane of z = 0 and has y = 0 within it.
static bool guess_axis(const app_units *u) {
    double height = u->high.y - u->low.y, depth = u->high.z - u->low.z;
    bool stands_on_y = fabs(u->low.y) < ground * u->size;
    bool stands_on_z = fabs(u->low.z) < ground * u->size;
    bool y_within = fabs(u->low.y + u->high.y) < 0.8 * height;
    return stands_on_z && !stands_on_y && y_within && depth > height;
}

app_units app_guess_units(const sn_model *model, const sn_frame *frame) {
    app_units u = {0};
    if (!find_box(model, frame, &u)) {
        return (app_units){0};
    }
    sn_vec3 extent = sn_vec3_sub(u.high, u.low);
    u.size = fmax(extent.x, fmax(extent.y, extent.z));
    if (u.size > app_largest_body || u.size < app_smallest_body) {
        guess_unit(&u);
    }
    u.z_up = guess_axis(&u);
    return u;
}
