// SPDX-License-Identifier: Apache-2.0
#include "character/add_fibre.h"

#include "muscle/fibre/fibre.h"

#include <math.h>

typedef struct fibre_writer {
    sn_json *json;
    sn_value *object;
    bool done;
} fibre_writer;

// A number with `digits` decimal digits, the first of them that of `size`.
static double tidy(double value, double size, int digits) {
    double inverse = pow(10, digits - 1 - floor(log10(fmax(size, 1e-12))));
    double tidied = round(value * inverse) / inverse;
    return tidied == 0 ? 0 : tidied; // no -0
}

static void write_text(fibre_writer *w, const char *key, const char *text) {
    w->done = w->done && sn_json_add_string(w->json, w->object, key, text) != NULL;
}

static void write_number(fibre_writer *w, uint32_t index, double value) {
    const sn_parameter *parameter = &sni_muscle_fibre.parameters.items[index];
    if (parameter->choices != NULL) {
        write_text(w, parameter->name, parameter->choices[(uint32_t)value]);
    } else if (value != parameter->standard) {
        w->done = w->done && sn_json_add_number(w->json, w->object, parameter->name, value) != NULL;
    }
}

static bool write_point(sn_json *json, sn_value *list, const sn_layout_point *point) {
    sn_vec3 p = point->position;
    double size = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
    double at[3] = {tidy(p.x, size, 9), tidy(p.y, size, 9), tidy(p.z, size, 9)};
    sn_value *object = sn_json_add_object(json, list, NULL);
    return sn_json_add_string(json, object, "segment", point->segment) != NULL &&
           sn_json_add_numbers(json, object, "at", at, 3) != NULL;
}

static void write_points(fibre_writer *w, const char *key, const sn_layout_point *points,
                         uint32_t count) {
    sn_value *list = count > 0 && w->done ? sn_json_add_array(w->json, w->object, key) : NULL;
    for (uint32_t i = 0; i < count && w->done; ++i) {
        w->done = list != NULL && write_point(w->json, list, &points[i]);
    }
}

bool sni_add_fibre(sn_json *json, sn_value *object, const sn_layout_fibre *fibre) {
    fibre_writer w = {json, object, object != NULL};
    write_text(&w, "kind", "fibre");
    write_points(&w, "origins", fibre->origins, fibre->end_count);
    write_points(&w, "insertions", fibre->insertions, fibre->end_count);
    write_points(&w, "through", fibre->through, fibre->through_count);
    double width = tidy(fibre->width, fibre->width, 6);
    write_number(&w, SNI_FIBRE_WIDTH, width);
    write_number(&w, SNI_FIBRE_THICKNESS, fmin(tidy(fibre->thickness, fibre->width, 6), width));
    write_number(&w, SNI_FIBRE_REST_A, fibre->rest[0]);
    write_number(&w, SNI_FIBRE_REST_B, fibre->rest[1]);
    write_number(&w, SNI_FIBRE_ACTIVE_A, fibre->active[0]);
    write_number(&w, SNI_FIBRE_ACTIVE_B, fibre->active[1]);
    write_number(&w, SNI_FIBRE_FIBRES, fibre->fibres);
    if (fibre->through_count > 9) { // a particle on each, and two between them
        write_number(&w, SNI_FIBRE_PARTICLES, 2 * fibre->through_count + 3);
    }
    write_number(&w, SNI_FIBRE_ACTIVATED_BY, SNI_FIBRE_BY_BOTH);
    if (fibre->flexed_length > 0) {
        write_number(&w, SNI_FIBRE_FLEXED_LENGTH, tidy(fibre->flexed_length, 1, 4));
    }
    if (fibre->stiffness > 0) {
        write_number(&w, SNI_FIBRE_STIFFNESS, fibre->stiffness);
    }
    return w.done;
}
