// SPDX-License-Identifier: Apache-2.0
//
// Fibre muscles in documents: their keys, mirror images, memory, what drives them and follows them.
#include "toy.h"

#include "eval/frame.h"
#include "muscle/fibre/fibre.h"

static const char document[] =
    "{'sinew': 1, 'name': 'fibres', 'skeleton': {'root': {},\n"
    "'arm.L': {'parent': 'root', 'translation': [0.2, 1, 0]},\n"
    "'hand.L': {'parent': 'arm.L', 'translation': [0.3, 0, 0]},\n"
    "'arm.R': {'parent': 'root', 'translation': [-0.2, 1, 0]},\n"
    "'hand.R': {'parent': 'arm.R', 'translation': [-0.3, 0, 0]}},\n"
    "'meshes': {'ball': {}},\n"
    "'controls': {'flex.L': {}, 'flex.R': {}, 'size': {'low': 0.02, 'high': 0.06, 'value': "
    "0.06}},\n"
    "'muscles': {\n"
    "'biceps.L': {'kind': 'fibre', 'mirror': true, 'tension': 'flex.L',\n"
    "'origins': [{'segment': 'arm.L', 'at': [0.02, 0.03, 0.02]}],\n"
    "'insertions': [{'segment': 'hand.L', 'at': [0.06, 0.02, 0.02]}],\n"
    "'through': [{'segment': 'arm.L', 'at': [0.15, 0.05, 0.02]}], 'driven': {'width': 'size'}},\n"
    "'broad': {'kind': 'fibre', 'fibres': 4, 'volume': 'exact',\n"
    "'origins': [{'segment': 'root', 'at': [0, 1.1, 0.1]}, {'segment': 'root', 'at': [0, 0.9, "
    "0.1]}],\n"
    "'insertions': [{'segment': 'arm.L', 'at': [0.1, 0.02, 0.05]},\n"
    "{'segment': 'arm.L', 'at': [0.1, -0.02, 0.05]}]}},\n"
    "'skins': {'skin': {'mesh': 'ball', 'deformers': [{'kind': 'blend'},\n"
    "{'kind': 'falloff', 'muscles': ['biceps.L', 'broad'], 'd_full': 0.5, 'd_none': 2}]}},\n"
    "'clips': {'go': {'rate': 24, 'tracks': {'root.tx': {'keys': [[0, 0], [0.5, 0.4], [1, 0]]},\n"
    "'hand.L.rz_deg': {'keys': [[0, 0], [1, 90], [2, 0]]},\n"
    "'hand.R.rz_deg': {'keys': [[0, 0], [1, -90], [2, 0]]},\n"
    "'flex.L': {'keys': [[0, 0], [1, 1]]}, 'flex.R': {'keys': [[0, 0], [1, 1]]},\n"
    "'size': {'keys': [[0, 0.06], [2, 0.03]]}}}}}";

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} subject;

static sn_status open_subject(subject *s, const char *quoted, sn_error *error) {
    sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(s->context, "fibres.sinew.json", quoted, &s->character, error));
    mesh = toy_tube(s->context, "ball", 0.2);
    SN_TRY(sn_mesh_set_weights(mesh, 1, mesh->vertex_count, false, error));
    SN_TRY(sn_mesh_name_bone(mesh, 0, "root", error));
    for (uint32_t v = 0; v <= mesh->vertex_count; ++v) {
        mesh->weights->offsets[v] = v;
        if (v < mesh->vertex_count) {
            mesh->weights->bones[v] = 0;
            mesh->weights->values[v] = 1;
        }
    }
    SN_TRY(sn_character_give_mesh(s->character, "ball", mesh, error));
    SN_TRY(sn_model_create(s->character, NULL, &s->model, error));
    SN_TRY(sn_motion_open(s->model, "go", &s->motion, error));
    SN_TRY(sn_frame_create(s->model, &s->frame, error));
cleanup:
    return status;
}

static void end_subject(subject *s) {
    sn_frame_destroy(s->frame);
    sn_motion_destroy(s->motion);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

static subject make_subject(uint32_t threads) {
    subject s = {.context = snt_context(threads)};
    snt_ok(open_subject(&s, document, error));
    return s;
}

// Threads, the order of frames and a restored state make no difference.
static void all_ways_give_the_same_bits(void **state) {
    (void)state;
    subject s = make_subject(1), other = make_subject(2);
    snt_random random = {12};
    for (int i = 0; i < 12; ++i) {
        uint32_t n = (uint32_t)snt_random_range(&random, 0, 48);
        sn_frame *fresh = NULL;
        snt_ok(sn_frame_evaluate(s.frame, s.motion, n, error));
        snt_ok(sn_frame_create(other.model, &fresh, error));
        snt_ok(sn_frame_evaluate(fresh, other.motion, n, error));
        assert_true(hash_frame(s.frame) == hash_frame(fresh));
        sn_frame_destroy(fresh);
    }
    snt_ok(sn_frame_evaluate(s.frame, s.motion, 17, error));
    size_t size = sn_frame_state_bytes(s.frame);
    void *saved = malloc(size);
    sn_frame_save(s.frame, saved);
    snt_ok(sn_frame_evaluate(s.frame, s.motion, 18, error));
    uint64_t expected = hash_frame(s.frame);
    snt_ok(sn_frame_evaluate(s.frame, s.motion, 3, error));
    snt_ok(sn_frame_restore(s.frame, s.motion, saved, size, error));
    snt_ok(sn_frame_evaluate(s.frame, s.motion, 18, error));
    assert_true(hash_frame(s.frame) == expected);
    free(saved);
    end_subject(&s);
    end_subject(&other);
}

// The image's muscle moves as the mirror image does, while the root goes along the plane.
static void mirror_images_move_alike(void **state) {
    (void)state;
    subject s = make_subject(1);
    snt_ok(sn_frame_evaluate(s.frame, s.motion, 0, error));
    uint32_t left = sn_model_find_surface(s.model, "biceps.L"),
             right = sn_model_find_surface(s.model, "biceps.R");
    uint32_t count = s.model->surfaces[left].mesh->vertex_count, ring = 12;
    const float *l = sn_frame_points(s.frame, left), *r = sn_frame_points(s.frame, right);
    for (uint32_t v = 0; v < count; ++v) {
        // Rings go round the other way.
        uint32_t slice = v / ring, j = v % ring;
        uint32_t image = v < 20 * ring ? slice * ring + (ring - j) % ring : v;
        snt_near((double)l[3 * v], -(double)r[3 * image], 1e-6);
        snt_near((double)l[3 * v + 1], (double)r[3 * image + 1], 1e-6);
        snt_near((double)l[3 * v + 2], (double)r[3 * image + 2], 1e-6);
    }
    end_subject(&s);
}

static void it_thickens_and_is_driven(void **state) {
    (void)state;
    subject s = make_subject(1);
    double before = 0;
    for (uint32_t n = 0; n <= 48; ++n) {
        snt_ok(sn_frame_evaluate(s.frame, s.motion, n, error));
        sn_muscle_state one, broad;
        assert_true(
            sn_frame_muscle_state(s.frame, sn_model_find_surface(s.model, "biceps.L"), &one));
        assert_true(
            sn_frame_muscle_state(s.frame, sn_model_find_surface(s.model, "broad"), &broad));
        snt_near(broad.volume / broad.rest_volume, 1, 1e-5);
        // Its width falls with its control, from twice the last one on; the thickness goes with it.
        double size = 0.06 - 0.03 * n / 48;
        snt_near(one.volume / one.rest_volume, size * size / (0.06 * 0.06), 1e-4);
        assert_true(one.has_activation);
        const sni_fibre *f = s.model->muscles[0]->bound;
        double *points = (double *)sni_frame_muscle_points(s.frame, 0);
        sni_fibre_row row = sni_fibre_row_of(f, points, 0);
        // Smoothed, it follows its control, and never jumps.
        assert_true(fabs(row.section[1] - before) < 0.2);
        before = row.section[1];
        assert_true(one.activation == row.section[1]);
    }
    assert_true(before > 0.9);
    end_subject(&s);
}

// What shortens, bulges, and takes the skin along.
static void skins_follow_it(void **state) {
    (void)state;
    subject s = make_subject(1);
    uint32_t skin = sn_model_find_surface(s.model, "skin");
    const sn_mesh *mesh = s.model->surfaces[skin].mesh;
    double most = 0;
    snt_ok(sn_frame_evaluate(s.frame, s.motion, 24, error)); // the root is back at its place
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 now = sn_vec3_load(sn_frame_points(s.frame, skin) + 3 * (size_t)v);
        sn_vec3 rest = sn_vec3_load(mesh->positions + 3 * (size_t)v);
        most = fmax(most, sn_vec3_distance(now, rest));
    }
    assert_true(most > 0.001 && most < 0.3);
    end_subject(&s);
}

static void fields_and_contact_can_be_asked_for(void **state) {
    (void)state;
    subject s = make_subject(1);
    snt_ok(sn_frame_evaluate(s.frame, s.motion, 10, error));
    for (uint32_t i = 0; i < 3; ++i) {
        const sni_bound_muscle *muscle = s.model->muscles[i];
        const double *points = sni_frame_muscle_points(s.frame, i);
        sni_ball balls[64];
        sn_vec3 gradient;
        uint32_t count = muscle->ops->contact(muscle->bound, points, balls);
        for (uint32_t k = 0; k < count; ++k) {
            assert_true(muscle->ops->field(muscle->bound, points, balls[k].center, &gradient) >
                        0.5);
            assert_true(sn_vec3_is_finite(gradient));
        }
    }
    end_subject(&s);
}

static void wrong_keys_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *find, *put, *message;
    } cases[] = {
        {"'insertions': [{'segment': 'hand.L', 'at': [0.06, 0.02, 0.02]}]",
         "'insertions': [{'segment': 'hand.L', 'at': [0.06, 0.02, 0.02]},\n"
         "{'segment': 'hand.L', 'at': [0.06, 0.05, 0.02]}]",
         "2 insertions, but 1 origins"},
        {"'fibres': 4", "'fibres': 4, 'through': [{'segment': 'leg', 'at': [0, 0, 0]}]", "leg"},
        {"'tension': 'flex.L'", "'tension': 'flex.L', 'fibres': 2", "two origins"},
        {"'tension': 'flex.L'", "'tension': 'flex.L', 'stiffness': 2", "stiffness"},
        {"'tension': 'flex.L'", "'tension': 'flex.L', 'particles': 2", "particles"},
        {"'width': 'size'", "'tendon': 'size'", "tendon"},
        {"'at': [0.06, 0.02, 0.02]", "'at': [-0.28, 0.03, 0.02]", "length"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[4096];
        const char *at = strstr(document, cases[i].find);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - document), document, cases[i].put,
                 at + strlen(cases[i].find));
        if (i == 6) { // without the point on the way it has no length at all
            char *through = strstr(text, "'through'");
            char *end = strstr(through, "],");
            memmove(through, end + 2, strlen(end + 2) + 1);
        }
        subject s = {.context = snt_context(1)};
        snt_fails(SN_INVALID, cases[i].message, open_subject(&s, text, error));
        end_subject(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_give_the_same_bits),
        cmocka_unit_test(mirror_images_move_alike),
        cmocka_unit_test(it_thickens_and_is_driven),
        cmocka_unit_test(skins_follow_it),
        cmocka_unit_test(fields_and_contact_can_be_asked_for),
        cmocka_unit_test(wrong_keys_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
