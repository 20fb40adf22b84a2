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

enum { PLAIN = 1, MUSCLED = 2, BOTH = 3 };

static void pose(snt_rig *rig, const char *parameter, double value, unsigned which) {
    sn_frame *frames[2] = {rig->plain_frame, rig->muscled_frame};
    for (int i = 0; i < 2; ++i) {
        if ((which >> i & 1) != 0) {
            sn_frame_clear(frames[i]);
            if (parameter != NULL) {
                snt_ok(sn_frame_set(frames[i], parameter, value, error));
            }
            snt_ok(sn_frame_evaluate(frames[i], NULL, 0, error));
        }
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

// Of all turns by 5 degrees of joints between both ends, the one that brings these nearest; as long
// as it does so for one more step, up to 60 degrees.
static movement find_movement(snt_rig *rig, const sn_layout_muscle *m) {
    static const char *const turns[] = {"rx_deg", "ry_deg", "rz_deg"};
    const sn_skeleton *skeleton = sn_model_skeleton(rig->plain);
    uint32_t ends[2];
    movement best = {0};
    pose(rig, NULL, 0, PLAIN);
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
                t.to = t.from + (k % 2 == 0 ? 5 : -5);
                pose(rig, t.parameter, t.to, PLAIN);
                if (driver_distance(rig, m) < nearest) {
                    nearest = driver_distance(rig, m);
                    best = t;
                }
            }
        }
    }
    double step = best.to - best.from;
    for (int k = 2; k <= 13; ++k) {
        pose(rig, best.parameter, best.from + k * step, PLAIN);
        if (driver_distance(rig, m) > nearest) {
            break;
        }
        nearest = driver_distance(rig, m);
        best.to = best.from + (k - 1) * step;
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

// The largest ratio of an edge to the same edge of the body without muscles, or to that edge at
// rest where that is longer; and the largest ratios to lengths at rest, with and without muscles.
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
                    // Edges that blending has pushed together may come back to their length.
                    s->by_muscles = fmax(s->by_muscles, after / fmax(before, length));
                }
            }
        }
    }
}

static void keep_rest(snt_rig *rig, float **rest) {
    pose(rig, NULL, 0, BOTH);
    for (uint32_t i = 0; i < rig->skin_count; ++i) {
        size_t size =
            3 * sizeof(float) * sn_model_surface(rig->plain, rig->skins[i])->mesh->vertex_count;
        rest[i] = malloc(size);
        memcpy(rest[i], sn_frame_points(rig->plain_frame, rig->skins[i]), size);
    }
}

// The lengths of a muscle in a pose: of its curves, of their chord, both as the skin carries them,
// and the distance that drives it.
typedef struct lengths {
    double curves, chord, driver;
} lengths;

static lengths measure(const snt_rig *rig, uint32_t muscle) {
    const sn_layout_muscle *m = &rig->layout->muscles[muscle];
    uint32_t last = rig->curves[muscle].counts[0] - 1;
    sn_vec3 ends[2];
    for (int i = 0; i < 2; ++i) {
        uint32_t p = i == 0 ? 0 : last;
        ends[i] =
            sn_vec3_lerp(snt_rig_point(rig, muscle, 0, p), snt_rig_point(rig, muscle, 1, p), 0.5);
    }
    return (lengths){snt_rig_length(rig, muscle), sn_vec3_distance(ends[0], ends[1]),
                     m->driver == SN_LAYOUT_DISTANCE ? driver_distance(rig, m) : 0};
}

// What holds all through a movement.
typedef struct verdict {
    bool rests, grows, curves, chord, driver;
} verdict;

// Moves one muscle in four steps: its control grows, and its curves, their chord or the way between
// the points that drive it get shorter. Adds to how many do by their skin.
static bool check_muscle(snt_rig *rig, uint32_t muscle, float *const *rest, uint32_t *by_skin,
                         stretch *s) {
    const sn_layout_muscle *m = &rig->layout->muscles[muscle];
    movement t = movement_of(rig, m);
    pose(rig, NULL, 0, BOTH);
    lengths before = measure(rig, muscle);
    double control = snt_rig_control(rig, m->name);
    verdict v = {fabs(control) < 1e-4, true, true, true, m->driver == SN_LAYOUT_DISTANCE};
    for (int k = 1; k <= 4 && t.parameter[0] != 0; ++k) {
        pose(rig, t.parameter, t.from + (t.to - t.from) * k / 4, BOTH);
        lengths now = measure(rig, muscle);
        double value = snt_rig_control(rig, m->name);
        v.curves = v.curves && now.curves < before.curves;
        v.chord = v.chord && now.chord < before.chord;
        v.driver = v.driver && now.driver < before.driver;
        v.grows = v.grows && value > control - 1e-9 && value > 0;
        before = now;
        control = value;
        add_stretch(rig, rest, s);
    }
    if (s->by_muscles > 1.45 && getenv("DBG")) print_message("    %s: %.2f\n", m->name, s->by_muscles), s->by_muscles = 0;
    bool fine = v.rests && v.grows && (v.curves || v.chord || v.driver) && control > 0.1;
    if (!fine) {
        print_message("  %s by %s from %.0f to %.0f: %s%s%s control %.3f\n", m->name, t.parameter,
                      t.from, t.to, v.rests ? "" : "works at rest,",
                      v.grows ? "" : " does not contract,",
                      v.curves || v.chord || v.driver ? "" : " does not shorten,", control);
    }
    *by_skin += v.curves || v.chord;
    return fine;
}

static void muscles_shorten_as_they_contract(void **state) {
    (void)state;
    uint32_t wrong = 0;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i) {
        snt_rig rig = snt_rig_open(bodies[i]);
        float *rest[SNT_SKINS] = {0};
        uint32_t by_skin = 0, failed = 0;
        stretch s = {0};
        keep_rest(&rig, rest);
        for (uint32_t m = 0; m < rig.layout->muscle_count; ++m) {
            failed += !check_muscle(&rig, m, rest, &by_skin, &s);
        }
        print_message("%s: %u muscles, %u do not shorten, skin of %u does; edges of %.2f, without "
                      "muscles of %.2f, by muscles %.2f\n",
                      bodies[i], rig.layout->muscle_count, failed, by_skin, s.with, s.without,
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
