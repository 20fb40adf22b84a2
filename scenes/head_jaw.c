// SPDX-License-Identifier: Apache-2.0
//
// The mandible of the head as a rigid body that its muscles move, after C. Peck et al., "Dynamic
// simulation of muscle and articular properties during human wide jaw opening" (2000), and A.
// Hannam et al., "A dynamic model of jaw and hyoid biomechanics during chewing" (2008), whose
// strengths and slopes these are.
#include "scenes/head.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---------------------------------------------------------------------------------------------
// Hyoid bone

static void add_points(sn_json *json, sn_value *object, const char *key, const double (*points)[3],
                       uint32_t count) {
    sn_value *list = sn_json_add_array(json, object, key);
    for (uint32_t i = 0; i < count; ++i) {
        sn_json_add_numbers(json, list, NULL, points[i], 3);
    }
}

// A bow that is open at the back, in the frame of its segment.
void scn_head_add_hyoid(sn_json *json) {
    static const double points[][3] = {
        {0.0175, 0.002, -0.025}, {0.0155, 0, -0.009},  {0.009, 0, 0},           {0, 0, 0.003},
        {-0.009, 0, 0},          {-0.0155, 0, -0.009}, {-0.0175, 0.002, -0.025}};
    static const double radii[] = {0.0016, 0.0018, 0.0032, 0.0038, 0.0032, 0.0018, 0.0016};
    sn_value *bones = (sn_value *)sn_value_get(sn_json_root(json), "bones");
    sn_value *bone = sn_json_add_object(json, bones, "hyoid");
    sn_value *tube = sn_json_add_object(json, bone, "tube");
    add_points(json, tube, "points", points, COUNT(points));
    sn_json_add_numbers(json, tube, "radii", radii, COUNT(radii));
    sn_json_add_string(json, bone, "segment", "hyoid");
}

// ---------------------------------------------------------------------------------------------
// Body

// How muscles of the left side pull: newtons, the part of their length that is tendon, and the
// length at which they are strongest. Closers also have a tone, with which the mouth opens evenly
// with the activation of the openers: without it a tenth of their strength opens it half-way.
static const struct {
    const char *muscle;
    double strength, tendon, optimum, tone;
} pulls[] = {
    {"temporalis front.L", 158, 0.5, 1.1, 0.35},
    {"temporalis middle.L", 95.6, 0.48, 1.1, 0.35},
    {"temporalis back.L", 75.6, 0.51, 1.1, 0.35},
    {"masseter superficial.L", 190.4, 0.46, 1.1, 0.35},
    {"masseter deep.L", 81.6, 0.29, 1.1, 0.35},
    {"pterygoid medial.L", 174.8, 0.64, 1.1, 0.35},
    {"pterygoid lateral lower.L", 66.9, 0, 1, 0.05},
    {"pterygoid lateral upper.L", 28.7, 0, 1, 0.05},
    {"digastric front.L", 40, 0, 1, 0.05},
    {"geniohyoid.L", 32, 0, 1, 0.05},
    {"mylohyoid.L", 35.4, 0, 1, 0.05},
};

static void add_pulls(sn_json *json, sn_value *body) {
    sn_value *list = sn_json_add_array(json, body, "muscles");
    for (size_t i = 0; i < COUNT(pulls); ++i) {
        sn_value *pull = sn_json_add_object(json, list, NULL);
        sn_json_add_string(json, pull, "muscle", pulls[i].muscle);
        sn_json_add_number(json, pull, "strength", pulls[i].strength);
        sn_json_add_number(json, pull, "tendon", pulls[i].tendon);
        sn_json_add_number(json, pull, "optimum", pulls[i].optimum);
        sn_json_add_number(json, pull, "tone", pulls[i].tone);
        sn_json_add_bool(json, pull, "mirror", true);
    }
}

// Condyles slide forward and down on the slope of the joint, which becomes flat in front.
static void add_joints(sn_json *json, sn_value *body) {
    static const double left[3] = {0.049, 0.008, 0.0244};
    sn_value *joint = sn_json_add_object(json, sn_json_add_array(json, body, "joints"), NULL);
    sn_json_add_numbers(json, joint, "point", left, 3);
    sn_json_add_number(json, joint, "slope_deg", 38);
    sn_json_add_number(json, joint, "end_slope_deg", 8);
    sn_json_add_number(json, joint, "travel", 0.014);
    sn_json_add_number(json, joint, "back", 0.0005);
    sn_json_add_number(json, joint, "play", 0.001);
    sn_json_add_bool(json, joint, "mirror", true);
}

static void add_names(sn_json *json, sn_value *object, const char *key, const char *name) {
    sn_json_add_string(json, sn_json_add_array(json, object, key), NULL, name);
}

static void add_body(sn_json *json) {
    sn_value *bodies = sn_json_add_object(json, sn_json_root(json), "bodies");
    sn_value *body = sn_json_add_object(json, bodies, "mandible");
    sn_json_add_string(json, body, "segment", "jaw");
    add_names(json, body, "bones", "mandible");
    sn_json_add_number(json, body, "mass", 0.2);
    add_pulls(json, body);
    add_joints(json, body);
    sn_value *contact = sn_json_add_object(json, sn_json_add_array(json, body, "contacts"), NULL);
    add_names(json, contact, "bones", "lower teeth");
    add_names(json, contact, "against", "upper teeth");
}

// ---------------------------------------------------------------------------------------------
// Controls

#define BOTH(name, value)                                                                          \
    {name ".L", value}, {                                                                          \
        name ".R", value                                                                           \
    }

// The hyoid bone goes down and back as the mouth opens, by muscles that are not here.
static const scn_share openers[] = {
    BOTH("pterygoid lateral lower", 1),
    BOTH("digastric front", 1),
    BOTH("digastric back", 1),
    BOTH("geniohyoid", 1),
    BOTH("mylohyoid", 1),
    {"hyoid.ty", -0.007},
    {"hyoid.tz", -0.003},
};
static const scn_share closers[] = {
    BOTH("temporalis front", 1),        BOTH("temporalis middle", 1),
    BOTH("temporalis back", 1),         BOTH("masseter deep", 1),
    BOTH("masseter superficial", 1),    BOTH("pterygoid medial", 1),
    BOTH("pterygoid lateral upper", 1),
};
static const scn_share forward[] = {
    BOTH("pterygoid lateral lower", 0.33),
    BOTH("masseter superficial", 0.05),
    BOTH("pterygoid medial", 0.05),
};
// Muscles do not push: what is below zero counts as zero, or is taken from other controls.
static const scn_share aside[] = {
    {"pterygoid lateral lower.R", 0.4}, {"pterygoid lateral lower.L", -0.4},
    {"temporalis back.L", 0.05},        {"temporalis back.R", -0.05},
    {"masseter deep.L", 0.02},          {"masseter deep.R", -0.02},
};

static void add_synergies(sn_json *json) {
    const char *group = "pose";
    scn_add_shares(json, "jaw open", 0, 1, group, "Openers pull: opens the mouth.", openers,
                   COUNT(openers));
    scn_add_shares(json, "jaw close", 0, 1, group, "Closers pull: bites.", closers, COUNT(closers));
    scn_add_shares(json, "jaw forward", 0, 1, group, "Pushes the chin forward.", forward,
                   COUNT(forward));
    scn_add_shares(json, "jaw left", -1, 1, group, "Pulls the chin to the left.", aside,
                   COUNT(aside));
}

// How far the edges of the incisors are apart.
static void add_gape(sn_json *json) {
    static const double upper[3] = {0, -0.0346, 0.1042}, lower[3] = {0, -0.033, 0.1002};
    sn_vec3 joint = scn_head_jaw_joint();
    const double below[3] = {scn_round(lower[0] - joint.x), scn_round(lower[1] - joint.y),
                             scn_round(lower[2] - joint.z)};
    sn_value *root = sn_json_root(json), *marks = (sn_value *)sn_value_get(root, "landmarks");
    sn_value *mark = sn_json_add_object(json, marks, "upper incisor");
    sn_json_add_string(json, mark, "segment", "head");
    sn_json_add_numbers(json, mark, "position", upper, 3);
    mark = sn_json_add_object(json, marks, "lower incisor");
    sn_json_add_string(json, mark, "segment", "jaw");
    sn_json_add_numbers(json, mark, "position", below, 3);
    sn_value *control =
        sn_json_add_object(json, (sn_value *)sn_value_get(root, "controls"), "gape");
    sn_json_add_string(json, control, "group", "pose");
    sn_json_add_string(json, control, "unit", "m");
    sn_json_add_string(json, control, "about", "How far the incisors are apart.");
    sn_value *driver = sn_json_add_object(json, sn_json_add_array(json, root, "drivers"), NULL);
    sn_json_add_string(json, driver, "control", "gape");
    sn_value *between = sn_json_add_array(json, driver, "distance");
    sn_json_add_string(json, between, NULL, "upper incisor");
    sn_json_add_string(json, between, NULL, "lower incisor");
}

void scn_head_add_jaw(sn_json *json) {
    add_body(json);
    add_synergies(json);
    add_gape(json);
}

// ---------------------------------------------------------------------------------------------
// Clips

static void add_open(sn_json *json) {
    static const scn_key open[] = {{0, 0}, {0.6, 1}, {1.4, 1}, {1.9, 0}, {3, 0}};
    static const scn_key close[] = {{0, 0}, {1.5, 0}, {2, 0.05}, {2.4, 0.05}, {2.7, 0}, {3, 0}};
    static const scn_track tracks[] = {{"jaw open", 5, open}, {"jaw close", 6, close}};
    const scn_clip clip = {"open", 30, 91, 2, tracks, NULL};
    scn_add_clip(json, &clip, "The openers open the mouth as far as it goes, and let it close.");
}

// Three strokes: the jaw opens, swings to the side that chews, and closes there.
static void add_chew(sn_json *json) {
    static const scn_key open[] = {{0, 0},   {0.22, 0.4}, {0.4, 0},    {0.8, 0}, {1.02, 0.4},
                                   {1.2, 0}, {1.6, 0},    {1.82, 0.4}, {2, 0},   {2.4, 0}};
    static const scn_key left[] = {{0, 0},   {0.3, 1}, {0.5, 0},  {0.8, 0}, {1.1, 1},
                                   {1.3, 0}, {1.6, 0}, {1.9, -1}, {2.1, 0}, {2.4, 0}};
    static const scn_key close[] = {{0, 0},      {0.35, 0},   {0.55, 0.3}, {0.72, 0.3}, {0.8, 0},
                                    {1.15, 0},   {1.35, 0.3}, {1.52, 0.3}, {1.6, 0},    {1.95, 0},
                                    {2.15, 0.3}, {2.32, 0.3}, {2.4, 0}};
    static const scn_track tracks[] = {
        {"jaw open", 10, open}, {"jaw left", 10, left}, {"jaw close", 13, close}};
    const scn_clip clip = {"chew", 30, 73, 3, tracks, NULL};
    scn_add_clip(json, &clip, "Three strokes of chewing, two on the left and one on the right.");
}

void scn_head_add_jaw_clips(sn_json *json) {
    add_open(json);
    add_chew(json);
}
