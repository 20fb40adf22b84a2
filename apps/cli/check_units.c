// SPDX-License-Identifier: Apache-2.0
//
// Hints of `sinew check` about units and axes. They are guesses from the size and place of what is
// shown, and are said as such; nothing is converted unasked.
#include "check_units.h"

#include <math.h>

// Bodies of people and animals, and most things that they wear, are between these sizes, in metres:
// from a newborn mouse to a blue whale.
static const double smallest = 0.03, largest = 32;

// A body stands on the ground within this part of its size.
static const double ground = 0.02;

typedef struct box {
    sn_vec3 low, high;
} box;

static bool find_box(const cli_session *session, box *b) {
    *b = (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < sn_model_surface_count(session->model); ++i) {
        const sn_surface *surface = sn_model_surface(session->model, i);
        const float *points = sn_frame_points(session->frame, i);
        for (size_t v = 0; surface->shown && v < surface->mesh->vertex_count; ++v) {
            b->low = sn_vec3_min(b->low, sn_vec3_load(points + 3 * v));
            b->high = sn_vec3_max(b->high, sn_vec3_load(points + 3 * v));
        }
    }
    return b->high.x >= b->low.x;
}

// The unit in which a size would be that of a body.
typedef struct unit {
    const char *name, *option;
    double metres;
} unit;

static const unit *guess_unit(double size) {
    static const unit units[] = {{"centimetres", "cm", 0.01},
                                 {"millimetres", "mm", 0.001},
                                 {"hundredths of what it should be", "100", 100}};
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        double real = size * units[i].metres;
        // Of a grown person's size, if possible: a tenth of it to ten times as much.
        if (real >= 0.17 && real <= 17) {
            return &units[i];
        }
    }
    return NULL;
}

static void tell_size(const cli_call *call, double size, double height) {
    const unit *guessed = size > largest || size < smallest ? guess_unit(size) : NULL;
    if (guessed == NULL) {
        return;
    }
    printf("%.4g m tall, %.4g m in its longest direction; probably %s: use --unit %s", height, size,
           guessed->name, guessed->option);
    if (cli_loaded_document(call) != NULL) {
        printf(" when the document is made, or \"unit\": %g in its meshes", guessed->metres);
    }
    printf("\n");
}

// A body that was made with Z up stands on the plane of z = 0 and has y = 0 within it.
static void tell_axis(const cli_call *call, const box *b, double size) {
    double height = b->high.y - b->low.y, depth = b->high.z - b->low.z;
    bool stands_on_y = fabs(b->low.y) < ground * size, stands_on_z = fabs(b->low.z) < ground * size;
    bool y_within = fabs(b->low.y + b->high.y) < 0.5 * height;
    if (stands_on_z && !stands_on_y && y_within && depth > height) {
        printf(
            "its lowest point is at z = %.3g m and y goes from %.3g to %.3g m; probably Z points "
            "up: use --up z",
            b->low.z, b->low.y, b->high.y);
        if (cli_loaded_document(call) != NULL) {
            printf(" when the document is made, or \"up\": \"z\" in its meshes");
        }
        printf("\n");
    }
}

void cli_tell_units(const cli_call *call, const cli_session *session) {
    box b;
    if (find_box(session, &b)) {
        sn_vec3 extent = sn_vec3_sub(b.high, b.low);
        double size = fmax(extent.x, fmax(extent.y, extent.z));
        tell_size(call, size, extent.y);
        tell_axis(call, &b, size);
    }
}
