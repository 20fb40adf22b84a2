// SPDX-License-Identifier: Apache-2.0
//
// Measurements of a body at rest against ones made here.
#include "toy.h"

#include "../geometry/shapes.h"
#include "base/error.h"

// A large ball, one that reaches into it, one within it, one far away; a muscle from the middle of
// one to the side of another; fat and an eye, which do not count among parts.
static const char body_text[] =
    "{'sinew': 1, 'name': 'balls', 'skeleton': {'a': {}, 'b': {'parent': 'a',\n"
    "'translation': [0, 1.2, 0]}}, 'bones': {\n"
    "'large': {'ellipsoid': {'radii': [1, 1, 1]}, 'segment': 'a'},\n"
    "'small': {'ellipsoid': {'radii': [0.5, 0.5, 0.5]}, 'segment': 'b'},\n"
    "'inner': {'ellipsoid': {'radii': [0.3, 0.3, 0.3]}, 'segment': 'a'},\n"
    "'far': {'ellipsoid': {'center': [9, 0, 0], 'radii': [1, 1, 1]}, 'segment': 'a'}},\n"
    "'tissues': {'fat': {'ellipsoid': {'radii': [1, 1, 1]}, 'segment': 'a'},\n"
    "'eye': {'ellipsoid': {'radii': [5, 5, 5]}, 'segment': 'a', 'feature': true},\n"
    "'away': {'ellipsoid': {'radii': [5, 5, 5]}, 'segment': 'a', 'density': -1}},\n"
    "'muscles': {'m': {'kind': 'ellipsoid', 'origin': {'bone': 'far', 'at': [0.5, 0.5, 0.5]},\n"
    "'insertion': {'bone': 'far', 'at': [1, 0.5, 0.5]}}},\n"
    "'meshes': {'cube': {}}, 'skins': {'cube': {'mesh': 'cube'},\n"
    "'hidden': {'mesh': 'cube', 'show': false}}}";

typedef struct balls {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_body_check *check;
} balls;

static void set_up(balls *b, uint32_t threads) {
    b->context = snt_context(threads);
    sn_mesh *cube = snt_cube(b->context);
    sn_vec3 low, high;
    sn_mesh_bounds(cube, &low, &high);
    for (size_t i = 0; i < cube->vertex_count; ++i) { // its lowest corner in the middle of all
        sn_vec3 p = sn_vec3_sub(sn_vec3_load(cube->positions + 3 * i), low);
        sn_vec3_store(sn_vec3_scale(p, 0.65 / (high.x - low.x)), cube->positions + 3 * i);
    }
    snt_ok(parse_quoted(b->context, "balls.sinew.json", body_text, &b->character, error));
    snt_ok(sn_character_give_mesh(b->character, "cube", cube, error));
    snt_ok(sn_model_create(b->character, NULL, &b->model, error));
    snt_ok(sn_body_check_create(b->model, 0.1, NULL, &b->check, error));
}

static void tear_down(balls *b) {
    sn_body_check_destroy(b->check);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    snt_context_end(b->context);
}

static const char *name_of(const balls *b, uint32_t surface) {
    return sn_model_surface(b->model, surface)->name;
}

static void muscles_and_their_attachments_are_measured(void **state) {
    (void)state;
    balls b;
    set_up(&b, 2);
    assert_int_equal(b.check->muscle_count, 1);
    assert_string_equal(name_of(&b, b.check->muscles[0].surface), "m");
    snt_near(b.check->muscles[0].length, 1, 1e-6);
    assert_true(b.check->muscles[0].volume > 0);
    assert_int_equal(b.check->attachment_count, 2);
    const sn_attachment_check *origin = &b.check->attachments[0], *insertion = origin + 1;
    assert_true(!origin->insertion && insertion->insertion);
    assert_string_equal(name_of(&b, origin->bone), "far");
    // From the middle of the ball to its surface, whose faces are within the radius; the box of a
    // ball of radius 1 has a diagonal of 2 sqrt(3).
    assert_true(origin->distance < 1 && origin->distance > 0.98);
    snt_near(origin->share, origin->distance / (2 * sqrt(3)), 1e-6);
    snt_near(insertion->distance, 0, 1e-6);
    tear_down(&b);
}

static void overlaps_are_found(void **state) {
    (void)state;
    balls b;
    set_up(&b, 2);
    // Vertices of the small ball, which stands at y = 1.2, within 1 of the origin.
    const sn_mesh *small = sn_model_surface(b.model, surface_of(b.model, "small"))->mesh;
    double inside = 0;
    for (size_t i = 0; i < small->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(small->positions + 3 * i);
        inside += sn_vec3_length(sn_vec3_add(p, sn_vec3_make(0, 1.2, 0))) < 0.995;
    }
    inside /= small->vertex_count;
    bool seen[3] = {false};
    for (uint32_t i = 0; i < b.check->overlap_count; ++i) {
        const sn_overlap_check *o = &b.check->overlaps[i];
        const char *part = name_of(&b, o->surfaces[0]), *in = name_of(&b, o->surfaces[1]);
        if (strcmp(part, "small") == 0 && strcmp(in, "large") == 0) {
            snt_near(o->share, inside, 0.03);
            seen[0] = true;
        } else if (strcmp(part, "inner") == 0 && strcmp(in, "large") == 0) {
            assert_true(o->share == 1);
            seen[1] = true;
        } else { // the muscle within its bone
            assert_string_equal(part, "m");
            assert_string_equal(in, "far");
            seen[2] = true;
        }
    }
    assert_int_equal(b.check->overlap_count, 3);
    assert_true(seen[0] && seen[1] && seen[2]);
    sn_body_check *strict = NULL;
    snt_ok(sn_body_check_create(b.model, 0.99, NULL, &strict, error));
    assert_int_equal(strict->overlap_count, 1);
    sn_body_check_destroy(strict);
    tear_down(&b);
}

static void skin_within_components_is_counted(void **state) {
    (void)state;
    balls b;
    set_up(&b, 2);
    assert_int_equal(b.check->skin_count, 1); // the hidden one is not
    const sn_skin_check *skin = &b.check->skins[0];
    assert_string_equal(name_of(&b, skin->surface), "cube");
    // A corner in the middle, three at 0.65, three at 0.92 and one at 1.13 from it.
    assert_int_equal(skin->inside, 7);
    assert_true(skin->depth < 1 && skin->depth > 0.98);
    assert_string_equal(name_of(&b, skin->component), "large"); // as deep in the fat, behind it
    const sn_mesh *mesh = sn_model_surface(b.model, skin->surface)->mesh;
    assert_true(sn_vec3_length(sn_vec3_load(mesh->positions + 3 * (size_t)skin->vertex)) < 1e-6);
    tear_down(&b);
}

static void threads_do_not_show(void **state) {
    (void)state;
    balls one, many;
    set_up(&one, 1);
    set_up(&many, 8);
    assert_int_equal(one.check->overlap_count, many.check->overlap_count);
    assert_memory_equal(one.check->overlaps, many.check->overlaps,
                        one.check->overlap_count * sizeof *one.check->overlaps);
    assert_true(one.check->skins[0].depth == many.check->skins[0].depth);
    assert_int_equal(one.check->skins[0].inside, many.check->skins[0].inside);
    tear_down(&one);
    tear_down(&many);
}

static bool stop(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    (void)user;
    return false;
}

static void it_can_be_stopped(void **state) {
    (void)state;
    balls b;
    set_up(&b, 1);
    const sn_progress progress = {.report = stop};
    sn_body_check *check = NULL;
    snt_fails(SN_CANCELLED, "", sn_body_check_create(b.model, 0.1, &progress, &check, error));
    assert_null(check);
    tear_down(&b);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    static const char text[] =
        "{'sinew': 1, 'name': 'pair', 'skeleton': {'a': {}}, 'bones': {\n"
        "'a': {'ellipsoid': {'radii': [0.6, 0.8, 0.5], 'detail': 2}, 'segment': 'a'},\n"
        "'b': {'ellipsoid': {'radii': [0.5, 0.8, 0.6], 'detail': 2}, 'segment': 'a'}},\n"
        "'meshes': {'skin': {'extract': {'dimension': 16, 'filter': 1}}},\n"
        "'skins': {'skin': {'mesh': 'skin'}}}";
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_body_check *check = NULL;
    sn_status status = SN_OK;
    (void)user;
    SN_TRY(parse_quoted(context, "pair.sinew.json", text, &character, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(sn_body_check_create(model, 0.1, NULL, &check, error));
cleanup:
    sn_body_check_destroy(check);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void failing_allocations_are_survived(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_and_their_attachments_are_measured),
        cmocka_unit_test(overlaps_are_found),
        cmocka_unit_test(skin_within_components_is_counted),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
