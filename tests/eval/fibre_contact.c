// SPDX-License-Identifier: Apache-2.0
//
// Fibre muscles on the bones of shipped characters: what they touch, in random poses and in motion.
// Depths are measured on the bones' meshes as they are posed, not on the grids that the muscles
// use.
#include "toy.h"

#include "eval/frame.h"
#include "geometry/interior.h"
#include "muscle/fibre/fibre.h"

static const double two_percent = 0.02;

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
    "'insertions': [{'segment': 'upper_arm', 'at': [0.012, 0.13, 0.006]}], 'width': 0.04}}";

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
    double seconds; // of random poses, one every half second
    const char *const *segments;
} scene;

static const char *const arm_segments[] = {"shoulder", "upper_arm", "forearm", "forearm_end", NULL};
static const char *const human_segments[] = {"clavicle.L", "scapula.L", "upper arm.L", "forearm.L",
                                             "thigh.L",    "shin.L",    "foot.L",      NULL};
static const scene scenes[2] = {
    {"examples/arm/arm.sinew.json", arm_muscles, 6, arm_segments},
    {"examples/human/human.sinew.json", human_muscles, 6, human_segments},
};

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
    sni_interior *interiors; // of the surfaces, made as they are needed
    double *rest_depths;     // of each muscle, bone and particle: see `exact_depth`
} subject;

static void remove_key(sn_json *json, const char *path) {
    sn_value *value = sn_json_find(json, path);
    if (value != NULL) {
        sn_json_remove(value);
    }
}

// Random values of limited joint parameters every half second, from rest and back to rest.
static void add_tracks(sn_json *json, sn_value *tracks, const char *segment, double seconds,
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
        for (double time = 0; time <= seconds; time += 0.5) {
            bool rests = time == 0 || time + 0.5 > seconds;
            double key[2] = {time, rests ? 0 : snt_random_range(random, low, high)};
            sn_json_add_numbers(json, keys, NULL, key, 2);
        }
    }
}

static void add_clip(sn_json *json, const scene *what, double rate, uint64_t seed) {
    snt_random random = {seed};
    sn_value *clips = sn_json_add_object(json, sn_json_root(json), "clips");
    sn_value *clip = sn_json_add_object(json, clips, "go");
    sn_json_add_number(json, clip, "rate", rate);
    sn_value *tracks = sn_json_add_object(json, clip, "tracks");
    for (uint32_t i = 0; what->segments[i] != NULL; ++i) {
        add_tracks(json, tracks, what->segments[i], what->seconds, &random);
    }
}

static char *make_text(sn_context *context, const scene *what, double rate, uint64_t seed) {
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
    add_clip(json, what, rate, seed);
    snt_ok(sn_json_write(json, &text, &size, error));
    sn_json_destroy(muscles);
    sn_json_destroy(json);
    return text;
}

static subject open_scene(const scene *what, uint32_t threads, double rate, uint64_t seed) {
    subject s = {.context = snt_context(threads)};
    char *text = make_text(s.context, what, rate, seed);
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

// The deepest particle beyond what it is at rest, as a part of its radius, of all muscles and bones
// that they touch. `rest` measures what is allowed.
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
                double size = fmax(radii[i], 0.05 * f->thickness);
                *allowed = rest ? fmax(0, depth) : *allowed;
                worst = fmax(worst, (depth - *allowed) / size);
            }
        }
    }
    return worst;
}

static void measure_rest(subject *s) {
    size_t count = (size_t)s->model->blueprint->muscle_count * s->model->surface_count;
    s->interiors = calloc(s->model->surface_count, sizeof *s->interiors);
    s->rest_depths = calloc(count * PARTICLES, sizeof *s->rest_depths);
    snt_ok(sn_frame_evaluate(s->frame, NULL, 0, error));
    deepest(s, true);
}

// Twelve poses a half second apart, and all frames between them.
static void no_particle_is_deep_in_a_bone(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        subject s = open_scene(&scenes[i], 2, 30, 5);
        measure_rest(&s);
        uint32_t frames = sn_motion_frame_count(s.motion);
        double worst = 0;
        for (uint32_t n = 0; n < frames; ++n) {
            snt_ok(sn_frame_evaluate(s.frame, s.motion, n, error));
            double d = deepest(&s, false);
            if (d > 0.02)
                printf("frame %u %g\n", n, d);
            worst = fmax(worst, d);
        }
        printf("%s: %u frames, deepest %.2g of the radius\n", scenes[i].document, frames, worst);
        end_scene(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_particle_is_deep_in_a_bone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
