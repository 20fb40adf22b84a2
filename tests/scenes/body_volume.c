// SPDX-License-Identifier: Apache-2.0
//
// Muscles keep their volume in every frame of every clip, measured on the stored meshes, and
// report.json says the same.
#include "body.h"

enum { MOST_MUSCLES = 1000 };

// The muscles of a model that promise to keep their volume.
typedef struct muscles {
    uint32_t count;
    uint32_t surfaces[MOST_MUSCLES];
    sn_triangles *triangles[MOST_MUSCLES];
    double rest[MOST_MUSCLES];
} muscles;

// Skins take time and move no muscle here.
static body make_skinless(sn_context *context, const char *document) {
    sn_character *character = load_body(context, document);
    const sn_json *json = sn_character_document(character);
    sn_json_remove(sn_json_find(json, "/skins"));
    sn_json_remove(sn_json_find(json, "/meshes/skin"));
    return make_body(character);
}

static bool keeps_volume(const sn_value *muscle) {
    return strcmp(sn_value_string(sn_value_get(muscle, "kind"), ""), "ellipsoid") == 0 ||
           strcmp(sn_value_string(sn_value_get(muscle, "volume"), ""), "exact") == 0;
}

static void find_muscles(const body *b, muscles *m) {
    sn_json *expanded = NULL;
    snt_ok(sn_character_expand(b->character, &expanded, error));
    const sn_value *written = sn_value_get(sn_json_root(expanded), "muscles");
    uint32_t found = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(b->model); ++i) {
        const sn_surface *surface = sn_model_surface(b->model, i);
        if (surface->layer != SN_LAYER_MUSCLE) {
            continue;
        }
        found += 1;
        if (!keeps_volume(sn_value_get(written, surface->name))) {
            continue;
        }
        assert_true(is_closed(surface->mesh) && m->count < MOST_MUSCLES);
        sn_triangles **triangles = &m->triangles[m->count];
        snt_ok(sn_triangles_create(surface->mesh, surface->mesh->positions, triangles, error));
        m->rest[m->count] = enclosed(sn_frame_points(b->frame, i), *triangles);
        assert_true(m->rest[m->count] > 0);
        m->surfaces[m->count++] = i;
    }
    assert_int_equal(found, sn_value_count(written));
    sn_json_destroy(expanded);
}

// How far a frame's volumes are from those at rest at most, and that it was measured.
static double largest_change(const body *b, const muscles *m, const sn_value *reported,
                             uint32_t *worst) {
    double largest = 0;
    for (uint32_t i = 0; i < m->count; ++i) {
        const char *name = sn_model_surface(b->model, m->surfaces[i])->name;
        const sn_value *entry = sn_value_get(reported, name);
        double volume = enclosed(sn_frame_points(b->frame, m->surfaces[i]), m->triangles[i]);
        // Points of the mesh are floats, the report's volume is in double.
        snt_near(sn_value_number(sn_value_get(entry, "volume"), 0) / volume, 1, 1e-4);
        snt_near(sn_value_number(sn_value_get(entry, "rest_volume"), 0) / m->rest[i], 1, 1e-4);
        double change = fabs(volume / m->rest[i] - 1);
        if (!(change <= largest)) {
            largest = change;
            *worst = m->surfaces[i];
        }
    }
    return largest;
}

// Two passes: the first fills the report, the second compares each frame with it.
static void check_clip(const body *b, const muscles *m, uint32_t clip) {
    sn_motion *motion = open_clip(b, clip);
    sn_report *report = NULL;
    uint32_t frames = sn_motion_frame_count(motion), step = BODY_SLOW ? 4 : 1;
    snt_ok(sn_report_create(b->model, &report, error));
    for (uint32_t f = 0; f < frames; f += step) {
        snt_ok(sn_frame_evaluate(b->frame, motion, f, error));
        snt_ok(sn_report_add(report, b->frame, f, error));
    }
    sn_json *json = read_report_of(b->context, report);
    const sn_value *reported = sn_json_find(json, "/frames");
    assert_int_equal(sn_value_count(reported), (frames + step - 1) / step);
    double largest = 0;
    for (uint32_t f = 0; f < frames; f += step) {
        const sn_value *entry = sn_value_at(reported, f / step);
        assert_int_equal((uint32_t)sn_value_number(sn_value_get(entry, "frame"), -1), f);
        snt_ok(sn_frame_evaluate(b->frame, motion, f, error));
        uint32_t worst = 0;
        double change = largest_change(b, m, sn_value_get(entry, "muscles"), &worst);
        if (!(change <= 0.005)) {
            fail_msg("%s, frame %u: the volume of %s changes by %g %%", sn_motion_name(motion), f,
                     sn_model_surface(b->model, worst)->name, 100 * change);
        }
        largest = fmax(largest, change);
    }
    const sn_value *all = sn_json_find(json, "/summary/all_muscles/largest_volume_change");
    snt_near(sn_value_number(all, -1), largest, 1e-4);
    sn_json_destroy(json);
    sn_report_destroy(report);
    sn_motion_destroy(motion);
}

static void check_body(const char *document, uint32_t least_muscles) {
    sn_context *context = snt_context(2);
    body b = make_skinless(context, document);
    muscles m = {0};
    snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
    find_muscles(&b, &m);
    assert_true(m.count >= least_muscles);
    for (uint32_t c = 0; c < sn_model_clip_count(b.model); ++c) {
        check_clip(&b, &m, c);
    }
    for (uint32_t i = 0; i < m.count; ++i) {
        sn_triangles_destroy(m.triangles[i]);
    }
    end_body(&b);
    snt_context_end(context);
}

static void the_monkeys_muscles_keep_their_volume(void **state) {
    (void)state;
    check_body(MONKEY, 52);
}

static void the_humans_muscles_keep_their_volume(void **state) {
    (void)state;
    check_body(HUMAN, 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_monkeys_muscles_keep_their_volume),
        cmocka_unit_test(the_humans_muscles_keep_their_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
