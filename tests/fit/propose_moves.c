// SPDX-License-Identifier: Apache-2.0
//
// Proposed muscles shorten in their movement, contract as they do so, and tear no skin: through the
// range of their joints, one muscle after the other, and in real clips.
#include "test.h"

#include "propose_rig.h"

static const char *const bodies[] = {
    "human/human.glb",       "human/human_male_muscular.glb", "rigs/Xbot.glb",
    "rigs/Soldier.glb",      "rigs/SambaDancing.fbx",         "gltf/CesiumMan.glb",
    "gltf/RiggedFigure.glb", "rigs/riggedMesh.glb",           "gltf/Fox.glb",
    "animal/dog/dog.glb",
};

// The movement of a muscle: one parameter of a joint, from its value at rest on.
typedef struct movement {
    char parameter[160];
    double from, to;
} movement;

static void pose(snt_rig *rig, const char *parameter, double value) {
    sn_frame *frames[2] = {rig->plain_frame, rig->muscled_frame};
    for (int i = 0; i < 2; ++i) {
        sn_frame_clear(frames[i]);
        if (parameter != NULL) {
            snt_ok(sn_frame_set(frames[i], parameter, value, error));
        }
        snt_ok(sn_frame_evaluate(frames[i], NULL, 0, error));
    }
}

// The distance of the points that drive a muscle.
static double driver_distance(const snt_rig *rig, const sn_layout_muscle *m) {
    sn_vec3 points[2];
    for (int i = 0; i < 2; ++i) {
        uint32_t segment = sn_model_find_segment(rig->plain, m->driver_segments[i]);
        points[i] = sn_mat4_point(&sn_frame_worlds(rig->plain_frame)[segment], m->driver_points[i]);
    }
    return sn_vec3_distance(points[0], points[1]);
}

static bool is_below(const sn_skeleton *skeleton, uint32_t segment, uint32_t other) {
    while (segment != SN_NONE && segment != other) {
        segment = skeleton->segments[segment].parent;
    }
    return segment == other;
}

// Of all turns by 20 degrees of joints between both ends, the one that brings these nearest.
static movement find_movement(snt_rig *rig, const sn_layout_muscle *m) {
    static const char *const turns[] = {"rx_deg", "ry_deg", "rz_deg"};
    const sn_skeleton *skeleton = sn_model_skeleton(rig->plain);
    uint32_t ends[2];
    movement best = {0};
    pose(rig, NULL, 0);
    double nearest = driver_distance(rig, m);
    for (int i = 0; i < 2; ++i) {
        ends[i] = sn_model_find_segment(rig->plain, m->driver_segments[i]);
    }
    for (int i = 0; i < 2; ++i) {
        for (uint32_t s = ends[i]; s != SN_NONE && !is_below(skeleton, ends[!i], s);
             s = skeleton->segments[s].parent) {
            for (int k = 0; k < 6; ++k) {
                movement t;
                snprintf(t.parameter, sizeof t.parameter, "%s.%s", skeleton->segments[s].name,
                         turns[k / 2]);
                t.from = skeleton->segments[s].rest_parameters[SN_JOINT_RX + k / 2] * 180 / SN_PI;
                t.to = t.from + (k % 2 == 0 ? 20 : -20);
                pose(rig, t.parameter, t.to);
                if (driver_distance(rig, m) < nearest) {
                    nearest = driver_distance(rig, m);
                    best = t;
                }
            }
        }
    }
    return best;
}

static movement movement_of(snt_rig *rig, const sn_layout_muscle *m) {
    movement t = {0};
    if (m->driver != SN_LAYOUT_ANGLE) {
        return find_movement(rig, m);
    }
    bool rises = m->driver_curve[1][1] == 1;
    snprintf(t.parameter, sizeof t.parameter, "%s", m->driver_parameter);
    t.from = m->driver_curve[!rises][0];
    t.to = m->driver_curve[rises][0];
    return t;
}

// The largest ratio of an edge to the same edge of the body without muscles, and the largest
// ratios of edges to their lengths at rest, with and without them.
typedef struct stretch {
    double by_muscles, with, without;
} stretch;

static double edge(const float *points, uint32_t a, uint32_t b) {
    return sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)a),
                            sn_vec3_load(points + 3 * (size_t)b));
}

static void add_stretch(const snt_rig *rig, float *const *rest, stretch *s) {
    for (uint32_t i = 0; i < rig->skin_count; ++i) {
        const sn_mesh *mesh = sn_model_surface(rig->plain, rig->skins[i])->mesh;
        const float *plain = sn_frame_points(rig->plain_frame, rig->skins[i]);
        const float *muscled = sn_frame_points(rig->muscled_frame, rig->muscled_skins[i]);
        double size = sqrt(fmax(edge(rest[i], 0, mesh->vertex_count / 2), 1e-9)) * 1e-4;
        for (uint32_t f = 0; f < mesh->face_count; ++f) {
            for (uint32_t c = mesh->face_offsets[f]; c + 1 < mesh->face_offsets[f + 1]; ++c) {
                uint32_t a = mesh->corners[c], b = mesh->corners[c + 1];
                double length = edge(rest[i], a, b), before = edge(plain, a, b);
                double after = edge(muscled, a, b);
                if (length > size) {
                    s->with = fmax(s->with, after / length);
                    s->without = fmax(s->without, before / length);
                    // Edges that blending has folded up say nothing about muscles.
                    s->by_muscles = fmax(s->by_muscles, after / fmax(before, 0.5 * length));
                }
            }
        }
    }
}

static void keep_rest(snt_rig *rig, float **rest) {
    pose(rig, NULL, 0);
    for (uint32_t i = 0; i < rig->skin_count; ++i) {
        size_t size =
            3 * sizeof(float) * sn_model_surface(rig->plain, rig->skins[i])->mesh->vertex_count;
        rest[i] = malloc(size);
        memcpy(rest[i], sn_frame_points(rig->plain_frame, rig->skins[i]), size);
    }
}

// Moves one muscle in four steps: its control grows, and its curves or the way between its ends get
// shorter. Adds what is wrong, and whether the curves did.
static uint32_t check_muscle(snt_rig *rig, uint32_t muscle, float *const *rest, uint32_t *by_curves,
                             stretch *s) {
    const sn_layout_muscle *m = &rig->layout->muscles[muscle];
    movement t = movement_of(rig, m);
    double worst = fmax(s->by_muscles, 1.3);
    bool has_ends = m->driver == SN_LAYOUT_DISTANCE, curves = true, ends = has_ends, grows = true;
    pose(rig, NULL, 0);
    double length = snt_rig_length(rig, muscle), control = snt_rig_control(rig, m->name);
    double distance = has_ends ? driver_distance(rig, m) : 0;
    double at_rest = control;
    bool rests = fabs(control) < 1e-4;
    for (int k = 1; k <= 4 && t.parameter[0] != 0; ++k) {
        // Skin that is blended linearly folds in deep creases: curves count up to 100 degrees.
        double angle = (t.to - t.from) * k / 4;
        pose(rig, t.parameter, t.from + angle);
        double now = snt_rig_length(rig, muscle), value = snt_rig_control(rig, m->name);
        curves = curves && (now < length * 1.0005 || fabs(angle) > 100);
        ends = ends && driver_distance(rig, m) < distance * 1.0005;
        grows = grows && (value > control - 1e-9) && (k > 1 || value > 0);
        length = now;
        control = value;
        distance = has_ends ? driver_distance(rig, m) : 0;
        add_stretch(rig, rest, s);
    }
    if (s->by_muscles > worst + 1e-9) {
        print_message("    %s: %.2f\n", m->name, s->by_muscles);
    }
    bool fine = rests && grows && (curves || ends) && control > 0.1;
    if (!fine) {
        print_message("  %s by %s: %s%s%s control %.3f rest %.4g\n", m->name, t.parameter,
                      rests ? "" : "works at rest,", grows ? "" : " does not contract,",
                      curves || ends ? "" : " does not shorten,", control, at_rest);
    }
    *by_curves += curves;
    return !fine;
}

static void muscles_shorten_as_they_contract(void **state) {
    (void)state;
    uint32_t wrong = 0;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        snt_rig rig = snt_rig_open(bodies[i]);
        float *rest[SNT_SKINS] = {0};
        uint32_t by_curves = 0, failed = 0;
        stretch s = {0};
        keep_rest(&rig, rest);
        for (uint32_t m = 0; m < rig.layout->muscle_count; ++m) {
            failed += check_muscle(&rig, m, rest, &by_curves, &s);
        }
        print_message("%s: %u muscles, %u do not shorten, curves of %u do; edges of %.2f, without "
                      "muscles of %.2f, by muscles %.2f\n",
                      bodies[i], rig.layout->muscle_count, failed, by_curves, s.with, s.without,
                      s.by_muscles);
        wrong += failed + (s.with > 1.6 * s.without);
        for (uint32_t k = 0; k < rig.skin_count; ++k) {
            free(rest[k]);
        }
        snt_rig_close(&rig);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_shorten_as_they_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
