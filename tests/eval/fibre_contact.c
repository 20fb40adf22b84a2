// SPDX-License-Identifier: Apache-2.0
//
// Fibre muscles on the bones of shipped characters: what they touch, in random poses and in motion.
// Depths are measured on the bones' meshes as they are posed, not on the grids that the muscles
// use.
#include "toy.h"

#include "eval/frame.h"
#include "geometry/interior.h"
#include "muscle/fibre/fibre.h"

// Of a particle's radius; ends thinner than a centimetre count as that, since grids of bones are
// good to some tenths of a millimetre.
static const double two_percent = 0.02, thin_end = 0.01;

static const char arm_muscles[] =
    "{'biceps': {'kind': 'fibre', 'origins': [{'bone': 'scapula', 'at': [0.6, 0.585, 0.88]}],\n"
    "'insertions': [{'bone': 'radius', 'at': [0.18, 0.804, 0.341]}], 'width': 0.05,\n"
    "'touches': ['scapula', 'humerus', 'ulna', 'radius', 'brachialis']},\n"
    "'brachialis': {'kind': 'fibre', 'origins': [{'segment': 'upper_arm', 'at': [0, 0.17, "
    "0.013]}],\n"
    "'insertions': [{'segment': 'forearm', 'at': [0, 0.045, 0.012]}], 'width': 0.03},\n"
    "'triceps': {'kind': 'fibre', 'origins': [{'segment': 'upper_arm', 'at': [0, 0.08, -0.014]}],\n"
    "'insertions': [{'segment': 'forearm', 'at': [0, -0.01, -0.028]}], 'width': 0.04},\n"
    "'deltoid': {'kind': 'fibre', 'origins': [{'bone': 'clavicle', 'at': [0.9, 0.5, 0.8]}],\n"
    "'insertions': [{'segment': 'upper_arm', 'at': [0.018, 0.14, 0.008]}], 'width': 0.04}}";

static const char human_muscles[] =
    "{'quadriceps': {'kind': 'fibre', 'width': 0.07,\n"
    "'origins': [{'segment': 'thigh.L', 'at': [0, -0.05, 0.035]}],\n"
    "'insertions': [{'segment': 'shin.L', 'at': [0, -0.05, 0.04]}]},\n"
    "'hamstring': {'kind': 'fibre', 'width': 0.06,\n"
    "'origins': [{'bone': 'ischium.L', 'at': [0.5, 0.3, 0.2]}],\n"
    "'insertions': [{'segment': 'shin.L', 'at': [0, -0.06, -0.03]}]},\n"
    "'calf': {'kind': 'fibre', 'width': 0.06,\n"
    "'origins': [{'segment': 'thigh.L', 'at': [0, -0.39, -0.035]}],\n"
    "'insertions': [{'segment': 'foot.L', 'at': [0, -0.02, -0.05]}]},\n"
    "'biceps': {'kind': 'fibre', 'width': 0.05,\n"
    "'origins': [{'bone': 'coracoid.L', 'at': [0.5, 0.5, 0.9]}],\n"
    "'insertions': [{'segment': 'forearm.L', 'at': [0, -0.04, 0.018]}]},\n"
    "'triceps': {'kind': 'fibre', 'width': 0.04,\n"
    "'origins': [{'segment': 'upper arm.L', 'at': [0, -0.06, -0.02]}],\n"
    "'insertions': [{'segment': 'forearm.L', 'at': [0, 0.015, -0.025]}]}}";

// A shipped character without what its bones do not need.
typedef struct scene {
    const char *document, *muscles;
    double seconds, spacing; // of random poses, and between two of them
    const char *const *segments;
} scene;

static const char *const arm_segments[] = {"shoulder", "upper_arm", "forearm", "forearm_end", NULL};
static const char *const human_segments[] = {"clavicle.L", "scapula.L", "upper arm.L", "forearm.L",
                                             "thigh.L",    "shin.L",    "foot.L",      NULL};
static const scene scenes[2] = {
    {"examples/arm/arm.sinew.json", arm_muscles, 6, 0.5, arm_segments},
    {"examples/human/human.sinew.json", human_muscles, 6, 0.5, human_segments},
};

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
    sni_interior *interiors; // of the surfaces, made as they are needed
    double *rest_depths;     // of each muscle, bone and particle: see `exact_depth`
    uint32_t without_room;   // particles of muscles that have none, bones and frames counted
} subject;

static void remove_key(sn_json *json, const char *path) {
    sn_value *value = sn_json_find(json, path);
    if (value != NULL) {
        sn_json_remove(value);
    }
}

// Random values of limited joint parameters, from rest and back to rest.
static void add_tracks(sn_json *json, sn_value *tracks, const char *segment, const scene *what,
                       snt_random *random) {
    char path[256];
    snprintf(path, sizeof path, "/skeleton/%s/limits_deg", segment);
    const sn_value *limits = sn_json_find(json, path);
    for (uint32_t i = 0; i < sn_value_count(limits); ++i) {
        const sn_value *limit = sn_value_at(limits, i);
        double low = sn_value_number(sn_value_at(limit, 0), 0);
        double high = sn_value_number(sn_value_at(limit, 1), 0);
        if (!(low < high)) {
            continue;
        }
        snprintf(path, sizeof path, "%s.%s_deg", segment, limit->key);
        sn_value *track = sn_json_add_object(json, tracks, path);
        sn_json_add_string(json, track, "interpolation", "smooth");
        sn_value *keys = sn_json_add_array(json, track, "keys");
        for (double time = 0; time <= what->seconds; time += what->spacing) {
            bool rests = time == 0 || time + what->spacing > what->seconds;
            double key[2] = {time, rests ? 0 : snt_random_range(random, low, high)};
            sn_json_add_numbers(json, keys, NULL, key, 2);
        }
    }
}

static void add_clip(sn_json *json, sn_value *clips, const char *name, const scene *what,
                     double rate) {
    snt_random random = {5};
    sn_value *clip = sn_json_add_object(json, clips, name);
    sn_json_add_number(json, clip, "rate", rate);
    sn_value *tracks = sn_json_add_object(json, clip, "tracks");
    for (uint32_t i = 0; what->segments[i] != NULL; ++i) {
        add_tracks(json, tracks, what->segments[i], what, &random);
    }
}

// Poses half as often, at several rates: one clip for each.
static const double rates[4] = {120, 60, 30, 24};
static const char *const rate_names[4] = {"at 120", "at 60", "at 30", "at 24"};

static void add_clips(sn_json *json, const scene *what) {
    sn_value *clips = sn_json_add_object(json, sn_json_root(json), "clips");
    scene slower = *what;
    slower.spacing = 2 * what->spacing;
    add_clip(json, clips, "go", what, 30);
    for (int r = 0; r < 4; ++r) {
        add_clip(json, clips, rate_names[r], &slower, rates[r]);
    }
}

static char *make_text(sn_context *context, const scene *what) {
    static const char *const unused[] = {"/muscles", "/skins",     "/tissues", "/clips",
                                         "/drivers", "/synergies", "/controls"};
    sn_json *json = NULL, *muscles = NULL;
    size_t size;
    char *bytes = read_bytes(snt_source(what->document), &size), *text = NULL;
    snt_ok(sn_json_parse(context, bytes, size, &json, error));
    free(bytes);
    for (size_t i = 0; i < sizeof unused / sizeof *unused; ++i) {
        remove_key(json, unused[i]);
    }
    remove_key(json, "/meshes/skin");
    char *copy = quoted(what->muscles);
    snt_ok(sn_json_parse(context, copy, strlen(copy), &muscles, error));
    free(copy);
    assert_non_null(sn_json_add_copy(json, sn_json_root(json), "muscles", sn_json_root(muscles)));
    add_clips(json, what);
    snt_ok(sn_json_write(json, &text, &size, error));
    sn_json_destroy(muscles);
    sn_json_destroy(json);
    return text;
}

static subject open_scene(const scene *what, uint32_t threads) {
    subject s = {.context = snt_context(threads)};
    char *text = make_text(s.context, what);
    snt_ok(sn_character_parse(s.context, snt_source(what->document), text, strlen(text),
                              &s.character, error));
    sn_json_free_text(s.context, text);
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    snt_ok(sn_motion_open(s.model, "go", &s.motion, error));
    snt_ok(sn_frame_create(s.model, &s.frame, error));
    return s;
}

static void end_scene(subject *s) {
    for (uint32_t i = 0; s->interiors != NULL && i < s->model->surface_count; ++i) {
        sni_interior_deinit(&s->interiors[i]);
    }
    free(s->interiors);
    free(s->rest_depths);
    sn_frame_destroy(s->frame);
    sn_motion_destroy(s->motion);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

// --- Depths

// How far the particle of a posed fibre is too deep in a bone's posed mesh, in metres; negative
// where it is clear of it. The section's half axis is that along the normal that the muscle sees.
static double exact_depth(const sni_interior *interior, const sni_fibre_body *body, uint32_t i,
                          sn_vec3 normal) {
    sn_closest closest;
    sn_vec3 at = body->positions[i];
    sn_accel_find_closest(interior->accel, at, INFINITY, &closest);
    double distance = sni_interior_contains(interior, at) ? -closest.distance : closest.distance;
    return body->radii[i] * sni_fibre_half_axis_towards(body, i, normal) - distance;
}

static sn_vec3 normal_of(const subject *s, const sni_fibre *f, uint32_t bone, sn_vec3 at) {
    const sni_fibre_touched *touched = &f->touched[bone];
    sn_mat4 world =
        sn_mat4_multiply(&s->frame->pose.worlds[touched->segment], &touched->to_segment);
    sni_fibre_bone_pose pose;
    assert_true(sni_fibre_bone_place(&world, &world, &pose));
    return sni_fibre_bone_at(&f->bones[bone], &pose, at).gradient;
}

static sni_fibre_body body_now(const subject *s, uint32_t muscle, double *radii) {
    const sni_fibre *f = s->model->muscles[muscle]->bound;
    double *points = (double *)sni_frame_muscle_points(s->frame, muscle);
    sni_fibre_row row = sni_fibre_row_of(f, points, 0);
    sni_fibre_body body = {.positions = row.particles, .normals = row.normals, .radii = radii};
    sni_fibre_axis axis;
    double support;
    sni_fibre_read(f, points, 0, &axis, &body.section, &support);
    body.starts = axis.starts;
    body.chain.particle_count = f->particle_count;
    for (uint32_t i = 0; i < f->particle_count; ++i) {
        radii[i] = body.section.width *
                   sni_fibre_profile_at(&f->profile, body.section.activation, axis.starts[i], NULL);
    }
    return body;
}

enum { PARTICLES = 12 };

// The bone of a muscle's that a surface of the model is, SN_NONE where it does not touch it: those
// of a segment come in the order of the document.
static uint32_t touched_bone(const subject *s, const sni_fibre *f, uint32_t surface) {
    uint32_t segment = s->model->surfaces[surface].segment, before = 0;
    for (uint32_t b = 0; b < surface; ++b) {
        before += s->model->surfaces[b].segment == segment;
    }
    for (uint32_t k = 0; k < f->bone_count; ++k) {
        bool same = f->touched[k].held != NULL && f->touched[k].segment == segment;
        if (same && before-- == 0) {
            return k;
        }
    }
    return SN_NONE;
}

// Puts the solid of a bone to where the frame has it.
static sni_interior *solid_of(subject *s, uint32_t bone) {
    sni_interior *interior = &s->interiors[bone];
    const float *points = sn_frame_points(s->frame, bone);
    if (interior->triangles == NULL) {
        snt_ok(sni_interior_init(interior, s->model->surfaces[bone].mesh, points, error));
    } else {
        snt_ok(sni_interior_move(interior, points, error));
    }
    return interior;
}

// Whether a muscle was said to have no room in the last frame.
static bool has_no_room(const subject *s, uint32_t muscle) {
    const sni_frame_muscles *m = &s->frame->muscles;
    for (uint32_t k = 0; k < m->group_offsets[m->group_count]; ++k) {
        if (m->members[k].number == muscle) {
            return m->members[k].trouble[0] != 0;
        }
    }
    return false;
}

// The deepest particle beyond what it is at rest, as a part of its radius, of all muscles and bones
// that they touch. `rest` measures what is allowed. Muscles that have no room, which is said, are
// bounded.
static double deepest(subject *s, bool rest) {
    double worst = 0;
    uint32_t bones = s->model->blueprint->names[SNI_SECTION_BONES].count;
    for (uint32_t m = 0; m < s->model->blueprint->muscle_count; ++m) {
        const sni_fibre *f = s->model->muscles[m]->bound;
        double radii[PARTICLES];
        sni_fibre_body body = body_now(s, m, radii);
        for (uint32_t b = 0; b < bones; ++b) {
            uint32_t touched = touched_bone(s, f, b);
            if (touched == SN_NONE) {
                continue;
            }
            const sni_interior *interior = solid_of(s, b);
            for (uint32_t i = 1; i + 1 < PARTICLES; ++i) {
                double *allowed = &s->rest_depths[((size_t)m * bones + b) * PARTICLES + i];
                sn_vec3 normal = normal_of(s, f, touched, body.positions[i]);
                double depth = exact_depth(interior, &body, i, normal);
                double size = fmax(radii[i], thin_end);
                *allowed = rest ? fmax(0, depth) : *allowed;
                double miss = (depth - *allowed) / size;
                if (has_no_room(s, m)) {
                    assert_true(miss < 0.2);
                    ++s->without_room;
                    continue;
                }
                worst = fmax(worst, miss);
            }
        }
    }
    return worst;
}

static void measure_rest(subject *s) {
    size_t count = (size_t)s->model->blueprint->muscle_count * s->model->surface_count;
    s->without_room = 0;
    if (s->interiors != NULL) {
        return;
    }
    s->interiors = calloc(s->model->surface_count, sizeof *s->interiors);
    s->rest_depths = calloc(count * PARTICLES, sizeof *s->rest_depths);
    snt_ok(sn_frame_evaluate(s->frame, NULL, 0, error));
    deepest(s, true);
}

// The scenes on two threads, made once: fields of bones take seconds.
static subject made[2];

static subject *scene_of(int i) {
    if (made[i].context == NULL) {
        made[i] = open_scene(&scenes[i], 2);
    }
    return &made[i];
}

static int end_scenes(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        if (made[i].context != NULL) {
            end_scene(&made[i]);
        }
    }
    return 0;
}

// Twelve poses a half second apart, and all frames between them.
static void no_particle_is_deep_in_a_bone(void **state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 2; ++i) {
        subject *s = scene_of(i);
        measure_rest(s);
        uint32_t frames = sn_motion_frame_count(s->motion);
        for (uint32_t n = 0; n < frames; ++n) {
            snt_ok(sn_frame_evaluate(s->frame, s->motion, n, error));
            worst = fmax(worst, deepest(s, false));
        }
        printf("%s: %u frames, deepest %.2g of the radius, %u without room\n", scenes[i].document,
               frames, worst, s->without_room);
    }
    assert_true(worst < two_percent);
}

// The same in poses without a motion, as pictures of single poses are, which muscles are led to in
// few steps.
static void neither_is_it_in_single_poses(void **state) {
    (void)state;
    double worst = 0;
    for (int i = 0; i < 2; ++i) {
        subject *s = scene_of(i);
        snt_random random = {77};
        measure_rest(s);
        for (int n = 0; n < 20; ++n) {
            for (uint32_t k = 0; scenes[i].segments[k] != NULL; ++k) {
                const sn_skeleton *skeleton = sn_model_skeleton(s->model);
                uint32_t segment = 0;
                while (strcmp(skeleton->segments[segment].name, scenes[i].segments[k]) != 0) {
                    ++segment;
                }
                for (int j = SN_JOINT_RX; j < SN_JOINT_RX + 3; ++j) {
                    static const char *const names[3] = {"rx", "ry", "rz"};
                    sn_limit limit = skeleton->segments[segment].limits[j];
                    char name[128];
                    snprintf(name, sizeof name, "%s.%s", scenes[i].segments[k],
                             names[j - SN_JOINT_RX]);
                    snt_ok(sn_frame_set(s->frame, name,
                                        snt_random_range(&random, limit.low, limit.high), error));
                }
            }
            snt_ok(sn_frame_evaluate(s->frame, NULL, 0, error));
            worst = fmax(worst, deepest(s, false));
        }
        sn_frame_clear(s->frame);
        printf("%s: single poses, deepest %.2g of the radius, %u without room\n",
               scenes[i].document, worst, s->without_room);
    }
    assert_true(worst < two_percent);
}

// The biceps and the brachialis stay apart as they are at rest, and the brachialis is the deeper.
static void muscles_do_not_pass_through_each_other(void **state) {
    (void)state;
    const subject *s = scene_of(0);
    double rest[2][PARTICLES], radii[2][PARTICLES], worst = 0;
    uint32_t frames = sn_motion_frame_count(s->motion);
    for (uint32_t n = 0; n < frames; ++n) {
        snt_ok(sn_frame_evaluate(s->frame, s->motion, n, error));
        sni_fibre_body bodies[2] = {body_now(s, 0, radii[0]), body_now(s, 1, radii[1])};
        for (uint32_t b = 0; b < 2; ++b) {
            for (uint32_t i = 1; i + 1 < PARTICLES; ++i) {
                double gap = sni_fibre_muscle_gap(&bodies[b], i, &bodies[1 - b]);
                rest[b][i] = n == 0 ? fmin(0, gap) : rest[b][i];
                worst = fmax(worst, (rest[b][i] - gap) / fmax(radii[b][i], 1e-3));
            }
        }
    }
    printf("muscle in muscle: deepest %.2g of the radius\n", worst);
    assert_true(worst < two_percent);
}

// Threads, which surfaces are asked for, and the order of frames make no difference.
static void all_ways_give_the_same_bits(void **state) {
    (void)state;
    uint64_t expected[3] = {0};
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        subject s = threads == 2 ? *scene_of(0) : open_scene(&scenes[0], threads);
        for (uint32_t n = 0; n < 3; ++n) {
            snt_ok(sn_frame_evaluate(s.frame, s.motion, 10 + 30 * n, error));
            uint64_t hash = hash_frame(s.frame);
            expected[n] = threads == 1 ? hash : expected[n];
            assert_true(hash == expected[n]);
        }
        // The biceps alone, which needs the brachialis.
        uint32_t biceps = sn_model_find_surface(s.model, "biceps");
        size_t count = 3 * (size_t)s.model->surfaces[biceps].mesh->vertex_count;
        float *points = malloc(count * sizeof *points);
        memcpy(points, sn_frame_points(s.frame, biceps), count * sizeof *points);
        sn_frame *other = NULL;
        snt_ok(sn_frame_create(s.model, &other, error));
        snt_ok(sn_frame_select(other, &biceps, 1, error));
        snt_ok(sn_frame_evaluate(other, s.motion, 70, error));
        assert_memory_equal(points, sn_frame_points(other, biceps), count * sizeof *points);
        sn_frame_destroy(other);
        free(points);
        if (threads != 2) {
            end_scene(&s);
        }
    }
}

// The same motion at other rates, compared at common times.
static void frame_rates_agree(void **state) {
    (void)state;
    const subject *s = scene_of(0);
    sn_vec3 expected[4][PARTICLES];
    double lengths[4], most = 0;
    for (int r = 0; r < 4; ++r) {
        sn_motion *motion = NULL;
        snt_ok(sn_motion_open(s->model, rate_names[r], &motion, error));
        snt_ok(sn_frame_evaluate(s->frame, motion, (uint32_t)(1.5 * rates[r]), error));
        for (uint32_t m = 0; m < s->model->blueprint->muscle_count; ++m) {
            double radii[PARTICLES];
            sni_fibre_body body = body_now(s, m, radii);
            lengths[m] = ((const sni_fibre *)s->model->muscles[m]->bound)->rest_length;
            for (uint32_t i = 0; i < PARTICLES; ++i) {
                expected[m][i] = r == 0 ? body.positions[i] : expected[m][i];
                double off = sn_vec3_distance(expected[m][i], body.positions[i]) / lengths[m];
                most = fmax(most, off);
            }
        }
        sn_motion_destroy(motion);
    }
    printf("24, 30, 60 and 120 frames per second differ by %.2g of the length\n", most);
    assert_true(most < 0.02);
}

// --- Small documents

static const char toy_muscles[] =
    "{'sinew': 1, 'name': 'touch', 'skeleton': {'root': {},\n"
    "'arm': {'parent': 'root', 'translation': [0, 1, 0]},\n"
    "'hand': {'parent': 'arm', 'translation': [0, 0.3, 0]},\n"
    "'tip': {'parent': 'hand', 'translation': [0, 0.2, 0]}},\n"
    "%s"
    "'muscles': {'one': {'kind': 'fibre',%s 'origins': [{'segment': 'arm', 'at': [0, 0.02, "
    "0.04]}],\n"
    "'insertions': [{'segment': 'hand', 'at': [0, 0.05, 0.04]}], 'width': 0.05},\n"
    "'two': {'kind': 'fibre', 'origins': [{'segment': 'arm', 'at': [0.03, 0.02, 0.05]}],\n"
    "'insertions': [{'segment': 'hand', 'at': [0.03, 0.05, 0.05]}], 'width': 0.05},\n"
    "'three': {'kind': 'ellipsoid', 'origin': {'segment': 'arm', 'at': [0, 0.02, 0.1]},\n"
    "'insertion': {'segment': 'hand', 'at': [0, 0.05, 0.1]}}},\n"
    "'clips': {'go': {'rate': 24, 'tracks': {'hand.rx_deg': {'keys': [[0, 0], [1, -100]]}}}}}";

static const char rod[] =
    "'bones': {'rod': {'tube': {'points': [[0, 0, 0], [0, 0.3, 0]], 'radii': [0.02, 0.02]},\n"
    "'segment': 'arm'}},\n";

static sn_status open_toy(subject *s, const char *bones, const char *touches, sn_error *error) {
    char text[4096];
    sn_status status = SN_OK;
    snprintf(text, sizeof text, toy_muscles, bones, touches);
    SN_TRY(parse_quoted(s->context, "touch.sinew.json", text, &s->character, error));
    SN_TRY(sn_model_create(s->character, NULL, &s->model, error));
    SN_TRY(sn_motion_open(s->model, "go", &s->motion, error));
    SN_TRY(sn_frame_create(s->model, &s->frame, error));
cleanup:
    return status;
}

// By default the bone of its arm, a capsule of its hand; named ones alone; or none.
static void what_is_touched_can_be_named(void **state) {
    (void)state;
    static const struct {
        const char *touches;
        uint32_t bones, capsules, groups;
    } cases[] = {
        {"", 2, 1, 2},
        {"'touches': [],", 0, 0, 2},
        {"'touches': ['rod'],", 1, 0, 2},
        {"'touches': ['two'],", 0, 0, 1},
        {"'touches': ['rod', 'two'],", 1, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        subject s = {.context = snt_context(1)};
        snt_ok(open_toy(&s, rod, cases[i].touches, error));
        const sni_fibre *f = s.model->muscles[0]->bound;
        uint32_t capsules = 0;
        for (uint32_t k = 0; k < f->bone_count; ++k) {
            capsules += f->touched[k].held == NULL;
        }
        assert_int_equal(f->bone_count, cases[i].bones);
        assert_int_equal(capsules, cases[i].capsules);
        assert_int_equal(s.frame->muscles.group_count, cases[i].groups);
        assert_true(s.frame->muscles.groups[2] == SN_NONE); // the ellipsoid
        end_scene(&s);
    }
}

static void wrong_names_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"'touches': ['one'],", "\"one\" is the muscle itself"},
        {"'touches': ['three'],", "a muscle of kind \"ellipsoid\""},
        {"'touches': ['rot'],", "there is no bone or muscle \"rot\""},
        {"'touches': ['rod', 'rod'],", "named twice"},
        {"'touches': 3,", "touches"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        subject s = {.context = snt_context(1)};
        snt_fails(SN_INVALID, cases[i][1], open_toy(&s, rod, cases[i][0], error));
        end_scene(&s);
    }
}

// Two plates that close upon a muscle.
static const char squeezed[] =
    "{'sinew': 1, 'name': 'press', 'skeleton': {'root': {},\n"
    "'plate': {'parent': 'root'}, 'end': {'parent': 'root'}},\n"
    "'bones': {'wall': {'ellipsoid': {'center': [0, 0, -0.04], 'radii': [0.3, 0.3, 0.03]},\n"
    "'segment': 'root'},\n"
    "'press': {'ellipsoid': {'center': [0, 0, 0.06], 'radii': [0.3, 0.3, 0.03]},\n"
    "'segment': 'plate'}},\n"
    "'muscles': {'one': {'kind': 'fibre', 'origins': [{'segment': 'root', 'at': [0, -0.15, 0]}],\n"
    "'insertions': [{'segment': 'end', 'at': [0, 0.15, 0]}], 'width': 0.04,\n"
    "'touches': ['wall', 'press']}},\n"
    "'clips': {'go': {'rate': 30, 'tracks': {'plate.tz': {'keys': [[0, 0], [1, -0.035]]}}}}}";

typedef struct said {
    int count;
    char text[512];
} said;

static void listen(sn_log_level level, const char *topic, const char *message, void *user) {
    said *s = user;
    (void)topic;
    if (level >= SN_LOG_WARNING) {
        snprintf(s->text, sizeof s->text, "%s", message);
        ++s->count;
    }
}

static void what_has_no_room_is_said_once(void **state) {
    (void)state;
    said heard = {0};
    sn_context_desc desc = sn_context_desc_default();
    desc.log = listen;
    desc.log_user = &heard;
    subject s = {0};
    snt_ok(sn_context_create(&desc, &s.context, error));
    snt_ok(parse_quoted(s.context, "press.sinew.json", squeezed, &s.character, error));
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    snt_ok(sn_motion_open(s.model, "go", &s.motion, error));
    snt_ok(sn_frame_create(s.model, &s.frame, error));
    for (uint32_t n = 0; n <= 30; ++n) {
        snt_ok(sn_frame_evaluate(s.frame, s.motion, n, error));
        double radii[PARTICLES];
        sni_fibre_body body = body_now(&s, 0, radii);
        for (uint32_t i = 0; i < PARTICLES; ++i) {
            assert_true(sn_vec3_length(body.positions[i]) < 0.4);
        }
    }
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.text, "one: it has no room"));
    assert_true(s.frame->muscles.troubles[0] > 3);
    end_scene(&s);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    subject s = {.context = context};
    sn_status status = open_toy(&s, "", "'touches': ['two'],", error);
    if (status == SN_OK) {
        status = sn_frame_evaluate(s.frame, s.motion, 2, error);
    }
    sn_frame_destroy(s.frame);
    sn_motion_destroy(s.motion);
    sn_model_destroy(s.model);
    sn_character_destroy(s.character);
    return status;
}

static void running_out_of_memory_leaves_nothing(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_particle_is_deep_in_a_bone),
        cmocka_unit_test(neither_is_it_in_single_poses),
        cmocka_unit_test(muscles_do_not_pass_through_each_other),
        cmocka_unit_test(all_ways_give_the_same_bits),
        cmocka_unit_test(frame_rates_agree),
        cmocka_unit_test(what_is_touched_can_be_named),
        cmocka_unit_test(wrong_names_are_refused),
        cmocka_unit_test(what_has_no_room_is_said_once),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, end_scenes);
}
