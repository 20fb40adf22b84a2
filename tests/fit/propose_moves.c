// SPDX-License-Identifier: Apache-2.0
//
// Proposed muscles shorten in their movement, contract as they do so, and tear no skin: through the
// range of their joints, one muscle after the other, and in real clips.
#include "test.h"

#include "propose_rig.h"

// The first ones always; the rest only where SINEW_THOROUGH is set, to stay short.
static const char *const bodies[] = {
    "human/human.glb",       "rigs/Xbot.glb",         "gltf/CesiumMan.glb",
    "gltf/RiggedFigure.glb", "animal/dog/dog.glb",    "human/human_male_muscular.glb",
    "rigs/Soldier.glb",      "rigs/SambaDancing.fbx", "rigs/riggedMesh.glb",
    "gltf/Fox.glb",
};
enum { SHORT_COUNT = 5, SHORT_CLIPS = 4 };

static size_t count_of(size_t all, size_t few) {
    return snt_thorough() ? all : few;
}

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
    for (size_t i = 0; i < count_of(sizeof bodies / sizeof *bodies, SHORT_COUNT); ++i) {
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

// ---------------------------------------------------------------------------------------------
// Clips

// A hinge in a clip: three joints in a row and the muscle that bends the middle one.
typedef struct clip_case {
    const char *file, *clip; // NULL: the first of the file
    const char *muscle;
    const char *joints[3];
} clip_case;

static const clip_case clip_cases[] = {
    {"human/human.glb",
     "mocap/cmu_02_03_run_jog.bvh",
     "hamstrings_L",
     {"upperleg01.L", "lowerleg01.L", "foot.L"}},
    {"human/human.glb",
     "mocap/cmu_02_03_run_jog.bvh",
     "biceps_R",
     {"upperarm01.R", "lowerarm01.R", "wrist.R"}},
    {"rigs/Xbot.glb",
     "run",
     "hamstrings_L",
     {"mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot"}},
    {"rigs/Xbot.glb",
     "run",
     "biceps_L",
     {"mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"}},
    {"rigs/Soldier.glb",
     "Run",
     "hamstrings_R",
     {"mixamorig:RightUpLeg", "mixamorig:RightLeg", "mixamorig:RightFoot"}},
    {"rigs/Soldier.glb",
     "Run",
     "biceps_R",
     {"mixamorig:RightArm", "mixamorig:RightForeArm", "mixamorig:RightHand"}},
    {"rigs/SambaDancing.fbx",
     NULL,
     "biceps_L",
     {"mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"}},
    {"rigs/SambaDancing.fbx",
     NULL,
     "hamstrings_R",
     {"mixamorig:RightUpLeg", "mixamorig:RightLeg", "mixamorig:RightFoot"}},
    {"gltf/CesiumMan.glb",
     NULL,
     "hamstrings_L",
     {"leg_joint_L_1", "leg_joint_L_2", "leg_joint_L_3"}},
    {"gltf/Fox.glb",
     "Run",
     "hamstrings_L",
     {"b_LeftLeg01_015", "b_LeftLeg02_016", "b_LeftFoot01_017"}},
};

// The bend of a hinge in the frame's pose, degrees.
static double bend_of(const snt_rig *rig, const char *const joints[3]) {
    sn_vec3 p[3];
    for (int i = 0; i < 3; ++i) {
        uint32_t segment = sn_model_find_segment(rig->muscled, joints[i]);
        assert_true(segment != SN_NONE);
        const double *m = sn_frame_worlds(rig->muscled_frame)[segment].m;
        p[i] = sn_vec3_make(m[12], m[13], m[14]);
    }
    sn_vec3 a = sn_vec3_sub(p[1], p[0]), b = sn_vec3_sub(p[2], p[1]);
    return atan2(sn_vec3_length(sn_vec3_cross(a, b)), sn_vec3_dot(a, b)) * 180 / SN_PI;
}

enum { CLIP_FRAMES = 40 };

// Of all pairs of frames whose bends differ by 10 degrees or more, the part in which the muscle
// contracts less where the joint is bent further.
static double count_wrong(const double (*frames)[2], uint32_t count) {
    uint32_t pairs = 0, wrong = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < count; ++k) {
            bool further = frames[i][0] > frames[k][0] + 10;
            pairs += further;
            wrong += further && frames[i][1] < frames[k][1] - 0.02;
        }
    }
    return pairs > 0 ? (double)wrong / pairs : 0;
}

static void check_clip(const clip_case *c, uint32_t *failed) {
    snt_rig rig = snt_rig_open(c->file);
    sn_motion *motion = NULL;
    const char *clip = c->clip == NULL                ? sn_model_clip_name(rig.muscled, 0)
                       : strchr(c->clip, '.') != NULL ? snt_data(c->clip)
                                                      : c->clip;
    double frames[CLIP_FRAMES][2], least = INFINITY, most = 0, low = INFINITY, high = 0;
    snt_ok(sn_motion_open(rig.muscled, clip, &motion, error));
    uint32_t length = sn_motion_frame_count(motion), count = 0;
    for (; count < CLIP_FRAMES && count < length; ++count) {
        uint32_t number = length > CLIP_FRAMES ? count * (length / CLIP_FRAMES) : count;
        snt_ok(sn_frame_evaluate(rig.muscled_frame, motion, number, error));
        frames[count][0] = bend_of(&rig, c->joints);
        frames[count][1] = snt_rig_control(&rig, c->muscle);
        least = fmin(least, frames[count][0]);
        most = fmax(most, frames[count][0]);
        low = fmin(low, frames[count][1]);
        high = fmax(high, frames[count][1]);
    }
    double wrong = count_wrong(frames, count);
    print_message("%s, %s: bends by %.0f to %.0f degrees, %s by %.2f to %.2f, %.1f %% against it\n",
                  c->file, c->clip != NULL ? c->clip : "first clip", least, most, c->muscle, low,
                  high, 100 * wrong);
    *failed += wrong > 0.05 || (most - least > 30 && high - low < 0.1);
    sn_motion_destroy(motion);
    snt_rig_close(&rig);
}

static void muscles_follow_clips(void **state) {
    (void)state;
    uint32_t failed = 0;
    size_t count = count_of(sizeof clip_cases / sizeof *clip_cases, SHORT_CLIPS);
    for (size_t i = 0; i < count; ++i) {
        check_clip(&clip_cases[i], &failed);
    }
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_shorten_as_they_contract),
        cmocka_unit_test(muscles_follow_clips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
