// SPDX-License-Identifier: Apache-2.0
//
// A deformer and a muscle that exist in this file alone, with inputs and memory of their own. All
// that the library would need for them is here: their files, the file of the input, and one line
// in each table of kinds. What repeating and mirroring do to the keys of the input is said with the
// keys.
#include "toy.h"

#include "character/schema/tables.h"
#include "eval/frame.h"
#include "muscle/muscle.h"
#include "sinew/live.h"

// ---------------------------------------------------------------------------------------------
// An input: segments by name, where they are, and how strongly each of them attracts

static const sni_input input_magnets;

typedef struct magnets_plan {
    uint32_t count;
    uint32_t *segments;
    double *pulls;
    sn_vec3 offset;
} magnets_plan;

// At rest and in a frame alike.
typedef struct magnets {
    uint32_t count;
    const sn_vec3 *places;
    const double *pulls;
} magnets;

static const sni_schema magnet_names = {
    .type = SNI_SCHEMA_ARRAY, .help = "Names of segments.", .item = &text, .least = 1};
static const sni_schema magnet_pulls = {
    .type = SNI_SCHEMA_MAP, .help = "Numbers by segment.", .item = &number};
static const sni_schema_field magnet_fields[] = {
    NEEDED("magnets", magnet_names, .name_of = "segments", .help = "What attracts it."),
    FIELD("pulls", magnet_pulls, .keys_of = "segments", .help = "How strongly, 1 when not given."),
    FIELD("offset", vector3, .mirror = sni_mirror_point, .help = "From the segments' origins.")};

static sn_status decode_magnets(const sni_decoding *decoding, void **made, sn_error *error) {
    const sn_value *names = sn_value_get(decoding->object, "magnets");
    const sn_value *pulls = sn_value_get(decoding->object, "pulls");
    magnets_plan *plan;
    sn_status status = SN_OK;
    if (names == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    plan->count = sn_value_count(names);
    plan->offset =
        sni_decode_vector(sn_value_get(decoding->object, "offset"), sn_vec3_make(0, 0, 0));
    SNI_PLAN_NEW(decoding->blueprint, plan->segments, plan->count);
    SNI_PLAN_NEW(decoding->blueprint, plan->pulls, plan->count);
    for (uint32_t i = 0; i < plan->count && status == SN_OK; ++i) {
        const sn_value *name = sn_value_at(names, i);
        plan->pulls[i] = sn_value_number(sn_value_get(pulls, name->as.string), 1);
        status = sni_find_name(decoding->blueprint, SNI_SECTION_SKELETON, name, &plan->segments[i],
                               error);
    }
    *made = plan;
    return status;
}

static sn_status digest_magnets(const sni_collecting *collecting, const void *made,
                                sni_digest *digest, sn_error *error) {
    const magnets_plan *plan = made;
    (void)collecting;
    (void)error;
    sni_digest_add(digest, plan->segments, plan->count * sizeof *plan->segments);
    sni_digest_add(digest, plan->pulls, plan->count * sizeof *plan->pulls);
    sni_digest_add_vector(digest, plan->offset);
    return SN_OK;
}

static const magnets *find_magnets(const magnets_plan *plan, const sn_mat4 *worlds,
                                   sni_arena *arena) {
    magnets *block = sni_arena_alloc(arena, 1, sizeof *block);
    sn_vec3 *places = sni_arena_alloc(arena, plan->count, sizeof *places);
    if (block == NULL || places == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < plan->count; ++i) {
        places[i] = sn_mat4_point(&worlds[plan->segments[i]], plan->offset);
    }
    *block = (magnets){plan->count, places, plan->pulls};
    return block;
}

static sn_status collect_magnets(const sni_collecting *collecting, const void *made,
                                 const void **block, void **kept, sn_error *error) {
    (void)kept;
    *block = find_magnets(made, collecting->rest->worlds, collecting->arena);
    return *block != NULL ? SN_OK : sni_fail_memory(error);
}

static sn_status validate_magnets(const sni_checking *checking, const void *block,
                                  sn_error *error) {
    const magnets *m = block;
    return m->count <= 3 ? SN_OK
                         : sni_fail(error, SN_INVALID, "%s: %u magnets are too many",
                                    checking->kind, m->count);
}

static const void *pose_magnets(const sni_posing *posing, const void *made, const void *kept) {
    (void)kept;
    return find_magnets(made, sn_frame_worlds(posing->frame), posing->arena);
}

static const sni_input input_magnets = {.name = "magnets",
                                        .fields = magnet_fields,
                                        .field_count = COUNT(magnet_fields),
                                        .decode = decode_magnets,
                                        .digest = digest_magnets,
                                        .collect = collect_magnets,
                                        .validate = validate_magnets,
                                        .pose = pose_magnets};

static sn_vec3 middle_of(const magnets *m) {
    sn_vec3 sum = {0, 0, 0};
    double pulls = 0;
    for (uint32_t i = 0; i < m->count; ++i) {
        sum = sn_vec3_add_scaled(sum, m->pulls[i], m->places[i]);
        pulls += m->pulls[i];
    }
    return sn_vec3_scale(sum, 1 / pulls);
}

// What follows the middle of its magnets: by `rate` of the way in a second.
typedef struct chaser {
    sn_vec3 at;
} chaser;

static void chase(chaser *c, sn_vec3 goal, double rate, double time_step) {
    c->at = sn_vec3_lerp(c->at, goal, fmin(1, rate * time_step));
}

static const sn_parameter chase_parameters[] = {
    {.name = "rate", .help = "How fast it follows", .unit = "1/s", .standard = 4, .high = 100}};

// ---------------------------------------------------------------------------------------------
// A deformer: the mesh is shifted by how far it lags behind

typedef struct drift {
    double rate;
} drift;

static sn_status drift_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    drift *d = sni_alloc(job->context, 1, sizeof *d);
    if (d == NULL) {
        return sni_fail_memory(error);
    }
    d->rate = job->parameters[0];
    *bound = d;
    return SN_OK;
}

static void drift_unbind(sn_context *context, void *bound) {
    sni_free(context, bound);
}

static size_t drift_bytes(const void *bound) {
    (void)bound;
    return sizeof(drift);
}

static size_t drift_state_bytes(const void *bound) {
    (void)bound;
    return sizeof(chaser);
}

static void drift_reset(const void *bound, const sni_deform_job *job) {
    (void)bound;
    ((chaser *)job->state)->at = middle_of(job->inputs[0]);
}

static sn_status drift_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const drift *d = bound;
    chaser *c = job->state;
    sn_vec3 goal = middle_of(job->inputs[0]);
    (void)error;
    chase(c, goal, d->rate, job->time_step);
    for (uint32_t i = 0; i < job->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(job->points_in + 3 * (size_t)i);
        sn_vec3_store(sn_vec3_add(p, sn_vec3_sub(c->at, goal)), job->points_out + 3 * (size_t)i);
    }
    return SN_OK;
}

static const sni_deformer_ops drift_ops = {.name = "drift",
                                           .help = "Lags behind its magnets",
                                           .parameters = SNI_PARAMETERS(chase_parameters),
                                           .inputs = {{&input_magnets, true}},
                                           .bind = drift_bind,
                                           .unbind = drift_unbind,
                                           .deform = drift_deform,
                                           .bytes = drift_bytes,
                                           .state_bytes = drift_state_bytes,
                                           .state_reset = drift_reset};

const sni_deformer_ops *const sni_deformer_kinds[] = {
    &sni_deformer_blend, &sni_deformer_morph,    &sni_deformer_wrap, &sni_deformer_falloff,
    &sni_deformer_cloth, &sni_deformer_membrane, &drift_ops,         NULL,
};

// ---------------------------------------------------------------------------------------------
// A muscle: a tetrahedron that lags behind in the same way

enum { CORNERS = 4 };
static const double corners[CORNERS][3] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};

typedef struct blob {
    double rate;
    sn_vec3 rest;
} blob;

static void write_corners(sn_vec3 at, double *points) {
    for (int i = 0; i < 3 * CORNERS; ++i) {
        points[i] = corners[i / 3][i % 3] + (i % 3 == 0 ? at.x : i % 3 == 1 ? at.y : at.z);
    }
}

static sn_status blob_bind(const sni_muscle_job *job, void **bound, sn_error *error) {
    blob *b = sni_alloc(job->context, 1, sizeof *b);
    if (b == NULL) {
        return sni_fail_memory(error);
    }
    *b = (blob){.rate = job->parameters[0], .rest = middle_of(job->inputs[0])};
    *bound = b;
    return SN_OK;
}

static void blob_surface(const void *bound, sni_muscle_surface *surface) {
    (void)bound;
    *surface = (sni_muscle_surface){.name = "blob", .point_count = CORNERS};
}

static void blob_reset(const void *bound, const sni_muscle_pose_job *job) {
    (void)bound;
    ((chaser *)job->state)->at = middle_of(job->inputs[0]);
}

static sn_status blob_pose(const void *bound, const sni_muscle_pose_job *job, sn_error *error) {
    const blob *b = bound;
    chaser *c = job->state;
    (void)error;
    chase(c, middle_of(job->inputs[0]), b->rate, job->time_step);
    write_corners(c->at, job->relaxed);
    write_corners(c->at, job->contracted);
    return SN_OK;
}

static void blob_emit_points(const void *bound, uint32_t steps, const double *points,
                             float *positions) {
    (void)bound;
    (void)steps;
    for (int i = 0; i < 3 * CORNERS; ++i) {
        positions[i] = (float)points[i];
    }
}

static sn_status blob_emit_surface(const void *bound, sn_context *context, uint32_t steps,
                                   sn_mesh **mesh, sn_error *error) {
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const blob *b = bound;
    double points[3 * CORNERS];
    sn_status status = sn_mesh_create(context, "blob", CORNERS, 4, 12, mesh, error);
    if (status == SN_OK) {
        write_corners(b->rest, points);
        blob_emit_points(bound, steps, points, (*mesh)->positions);
        memcpy((*mesh)->corners, faces, sizeof faces);
        for (uint32_t i = 0; i <= 4; ++i) {
            (*mesh)->face_offsets[i] = 3 * i;
        }
    }
    return status;
}

static void blob_measure(const void *bound, const double *points, sni_muscle_measure *measure) {
    (void)bound;
    (void)points;
    *measure = (sni_muscle_measure){.length = 0.1, .rest_length = 0.1};
}

// A ball around its first corner, 1 in its centre.
static double blob_field(const void *bound, const double *points, sn_vec3 at, sn_vec3 *gradient) {
    sn_vec3 from = sn_vec3_sub(at, sn_vec3_make(points[0], points[1], points[2]));
    double distance = sn_vec3_length(from);
    (void)bound;
    *gradient = distance > 0 ? sn_vec3_scale(from, -1 / (0.2 * distance)) : from;
    return fmax(0, 1 - distance / 0.2);
}

static uint32_t blob_contact(const void *bound, const double *points, sni_ball *balls) {
    (void)bound;
    if (balls != NULL) {
        *balls = (sni_ball){sn_vec3_make(points[0], points[1], points[2]), 0.1};
    }
    return 1;
}

static const sni_muscle_ops blob_ops = {.name = "blob",
                                        .help = "Lags behind its magnets",
                                        .parameters = SNI_PARAMETERS(chase_parameters),
                                        .inputs = {{&input_magnets, true}},
                                        .bind = blob_bind,
                                        .unbind = drift_unbind,
                                        .surface = blob_surface,
                                        .pose = blob_pose,
                                        .emit_surface = blob_emit_surface,
                                        .emit_points = blob_emit_points,
                                        .measure = blob_measure,
                                        .bytes = drift_bytes,
                                        .state_bytes = drift_state_bytes,
                                        .state_reset = blob_reset,
                                        .field = blob_field,
                                        .contact = blob_contact};

const sni_muscle_ops *const sni_muscle_kinds[] = {
    &sni_muscle_patch,
    &sni_muscle_cylinder,
    &sni_muscle_ellipsoid,
    &sni_muscle_mesh,
    &blob_ops,
    NULL,
};

// ---------------------------------------------------------------------------------------------
// A character with both

static const char document[] =
    "{'sinew': 1, 'name': 'kinds', 'skeleton': {'root': {}, 'tip': {'parent': 'root',\n"
    "'translation': [0, 1, 0]}},\n"
    "'meshes': {'ball': {}},\n"
    "'tissues': {'core': {'ellipsoid': {'center': [0, 0, 0], 'radii': [1, 1, 1]},\n"
    "'segment': 'root'}},\n"
    "'muscles': {'b': {'kind': 'blob', 'magnets': ['root', 'tip'], 'rate': 2}},\n"
    "'skins': {'skin': {'mesh': 'ball', 'deformers': [{'kind': 'drift', 'magnets': ['tip']}]}},\n"
    "'clips': {'go': {'rate': 10, 'tracks': {'root.tx': {'keys': [[0, 0], [4, 4]]}}}}}";

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
    SN_TRY(parse_quoted(s->context, "kinds.sinew.json", quoted, &s->character, error));
    mesh = toy_tube(s->context, "ball", 0.2);
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

// Where a thing that follows x = t with this rate is after n frames of a tenth of a second.
static double expected_x(double rate, uint32_t n) {
    double x = 0;
    for (uint32_t i = 1; i <= n; ++i) {
        x += fmin(1, rate * 0.1) * (i * 0.1 - x);
    }
    return x;
}

static void they_follow_their_inputs_with_memory(void **state) {
    (void)state;
    subject s = make_subject(2);
    uint32_t skin = sn_model_find_surface(s.model, "skin"),
             blob_surface_number = sn_model_find_surface(s.model, "b");
    float rest = sn_model_surface(s.model, skin)->mesh->positions[0];
    for (uint32_t n = 0; n < 30; ++n) {
        snt_ok(sn_frame_evaluate(s.frame, s.motion, n, error));
        snt_near((double)sn_frame_points(s.frame, skin)[0] - (double)rest,
                 expected_x(4, n) - n * 0.1, 1e-5);
        snt_near((double)sn_frame_points(s.frame, blob_surface_number)[0], expected_x(2, n), 1e-5);
        snt_near((double)sn_frame_points(s.frame, blob_surface_number)[1], 0.5, 1e-6);
    }
    end_subject(&s);
}

static void any_order_of_frames_gives_the_same_bits(void **state) {
    (void)state;
    subject s = make_subject(1), other = make_subject(3);
    snt_random random = {11};
    for (int i = 0; i < 20; ++i) {
        uint32_t n = (uint32_t)snt_random_range(&random, 0, 39);
        snt_ok(sn_frame_evaluate(s.frame, s.motion, n, error));
        sn_frame *fresh = NULL;
        snt_ok(sn_frame_create(other.model, &fresh, error));
        snt_ok(sn_frame_evaluate(fresh, other.motion, n, error));
        assert_true(hash_frame(s.frame) == hash_frame(fresh));
        sn_frame_destroy(fresh);
    }
    end_subject(&s);
    end_subject(&other);
}

static void their_memory_is_saved_and_restored(void **state) {
    (void)state;
    subject s = make_subject(1);
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
}

static void edits_of_them_recompile_them_alone(void **state) {
    (void)state;
    subject s = make_subject(1);
    sn_model *model = NULL;
    sn_json *json = sn_character_document(s.character);
    sn_json_add_number(json, sn_json_find(json, "/muscles/b"), "rate", 5);
    snt_ok(sn_model_recompile(s.character, s.model, NULL, &model, error));
    assert_ptr_equal(model->bound[1].deformers[0].binding, s.model->bound[1].deformers[0].binding);
    assert_ptr_not_equal(model->muscles[0], s.model->muscles[0]);
    sn_model_destroy(model);
    end_subject(&s);
}

static void a_field_and_contact_can_be_asked_for(void **state) {
    (void)state;
    subject s = make_subject(1);
    const sni_bound_muscle *muscle = s.model->muscles[0];
    const double *points = sni_frame_muscle_points(s.frame, 0);
    sn_vec3 gradient, at = sn_vec3_make(points[0] + 0.1, points[1], points[2]);
    snt_near(muscle->ops->field(muscle->bound, points, at, &gradient), 0.5, 1e-12);
    snt_near(gradient.x, -5, 1e-9);
    sni_ball ball;
    assert_int_equal(muscle->ops->contact(muscle->bound, points, &ball), 1);
    snt_near(ball.center.x, points[0], 0);
    end_subject(&s);
}

typedef struct wrong {
    const char *find, *put, *message;
} wrong;

static void wrong_inputs_are_refused_by_name(void **state) {
    (void)state;
    static const wrong cases[] = {
        {"'magnets': ['tip']", "'rate': 1",
         "/skins/skin/deformers/0: the key \"magnets\" is missing"},
        {"['tip']", "['tap']", "there is no segment \"tap\"; did you mean \"tip\"?"},
        {"['tip']", "['tip', 'tip', 'tip', 'tip']", "drift: 4 magnets are too many"},
        {"'magnets': ['tip']", "'magnet': ['tip']", "unknown key; did you mean \"magnets\"?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text_of_it[2048];
        const char *at = strstr(document, cases[i].find);
        snprintf(text_of_it, sizeof text_of_it, "%.*s%s%s", (int)(at - document), document,
                 cases[i].put, at + strlen(cases[i].find));
        subject s = {.context = snt_context(1)};
        sn_error found = {0};
        assert_int_equal(open_subject(&s, text_of_it, &found), SN_INVALID);
        char whole[1400];
        sn_error_format(&found, whole, sizeof whole);
        if (strstr(whole, cases[i].message) == NULL) {
            fail_msg("case %zu: expected \"%s\", found \"%s\"", i, cases[i].message, whole);
        }
        end_subject(&s);
    }
}

// A chain of three segments, another one on each side, and muscles and a skin that name them.
static const char repeated[] =
    "{'sinew': 1, 'name': 'repeated',\n"
    "'skeleton': {'s#': {'chain': 3, 'translation': [0, 1, 0]},\n"
    "'arm_l': {'parent': 's1', 'translation': [2, 0, 0], 'mirror': true}},\n"
    "'meshes': {'ball': {}},\n"
    "'muscles': {'b#': {'kind': 'blob', 'magnets': ['s#'], 'repeat': 3},\n"
    "'side_l': {'kind': 'blob', 'magnets': ['s1', 'arm_l'], 'pulls': {'arm_l': 3},\n"
    "'offset': [0.5, 0, 0], 'mirror': true}},\n"
    "'skins': {'skin': {'mesh': 'ball', 'deformers': [{'kind': 'drift', 'magnets': ['s#'],\n"
    "'pulls': {'s#': 2}}]}},\n"
    "'clips': {'go': {'rate': 10, 'tracks': {'s1.tx': {'keys': [[0, 0], [4, 4]]}}}}}";

static void check_text_at(const sn_json *json, const char *path, const char *expected) {
    const sn_value *found = sn_json_find(json, path);
    assert_non_null(found);
    assert_string_equal(sn_value_string(found, ""), expected);
}

static void their_keys_are_repeated_and_mirrored(void **state) {
    (void)state;
    subject s = {.context = snt_context(1)};
    sn_json *json = NULL;
    snt_ok(open_subject(&s, repeated, error));
    snt_ok(sn_character_expand(s.character, &json, error));
    check_text_at(json, "/muscles/b2/magnets/0", "s2");
    check_text_at(json, "/skins/skin/deformers/0/magnets/2", "s3");
    assert_int_equal(sn_value_count(sn_json_find(json, "/skins/skin/deformers/0/magnets")), 3);
    snt_near(sn_value_number(sn_json_find(json, "/skins/skin/deformers/0/pulls/s2"), 0), 2, 0);
    check_text_at(json, "/muscles/side_r/magnets/0", "s1");
    check_text_at(json, "/muscles/side_r/magnets/1", "arm_r");
    snt_near(sn_value_number(sn_json_find(json, "/muscles/side_r/pulls/arm_r"), 0), 3, 0);
    // Both are drawn to their own side: to 3/4 of 2 m and half a metre more.
    snt_ok(sn_frame_evaluate(s.frame, s.motion, 0, error));
    uint32_t left = sn_model_find_surface(s.model, "side_l"),
             right = sn_model_find_surface(s.model, "side_r");
    snt_near((double)sn_frame_points(s.frame, left)[0], 2, 1e-6);
    snt_near((double)sn_frame_points(s.frame, right)[0], -2, 1e-6);
    sn_json_destroy(json);
    end_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_follow_their_inputs_with_memory),
        cmocka_unit_test(any_order_of_frames_gives_the_same_bits),
        cmocka_unit_test(their_memory_is_saved_and_restored),
        cmocka_unit_test(edits_of_them_recompile_them_alone),
        cmocka_unit_test(a_field_and_contact_can_be_asked_for),
        cmocka_unit_test(wrong_inputs_are_refused_by_name),
        cmocka_unit_test(their_keys_are_repeated_and_mirrored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
