// SPDX-License-Identifier: Apache-2.0
//
// What the face of the head does: its skin in layers over the muscles, action units (Ekman and
// Friesen, "Facial Action Coding System") as controls over muscles, expressions and the names of
// ARKit as controls over action units, and a clip of expressions.
#include "scenes/head.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---------------------------------------------------------------------------------------------
// Skin

// The edge of the collar stays where the head takes it.
static void add_pins(sn_json *json, sn_value *layers, const sn_mesh *skin) {
    const double collar = -0.12; // below it there is nothing but that edge
    sn_value *pins = sn_json_add_array(json, layers, "pins");
    for (uint32_t i = 0; i < skin->vertex_count; ++i) {
        if (skin->positions[3 * (size_t)i + 1] < collar) {
            sn_json_add_number(json, pins, NULL, i);
        }
    }
}

// Muscles between bones lie below the skin and make it bulge. The platysma does not pull at it: it
// goes with the jaw to the corner of the mouth, and dents cheek and collar when the mouth opens.
static bool pulls_skin(const scn_head_muscle *muscle) {
    return !scn_head_is_between_bones(muscle) && strcmp(muscle->group, "neck") != 0;
}

// The palpebral part of orbicularis oculi in the upper lid closes the lids.
static void add_lids(sn_json *json, sn_value *deformers) {
    static const char *const names[2][2] = {{"eyeball.L", "oculi upper lid.L"},
                                            {"eyeball.R", "oculi upper lid.R"}};
    sn_value *lids = sn_json_add_object(json, deformers, NULL);
    sn_json_add_string(json, lids, "kind", "lids");
    sn_value *eyes = sn_json_add_array(json, lids, "eyes");
    for (int side = 0; side < 2; ++side) {
        sn_value *eye = sn_json_add_object(json, eyes, NULL);
        sn_json_add_string(json, eye, "eye", names[side][0]);
        sn_json_add_string(json, eye, "closes", names[side][1]);
    }
}

void scn_head_add_skin(sn_json *json, const scn_head *h) {
    sn_value *skins = sn_json_add_object(json, sn_json_root(json), "skins");
    sn_value *skin = sn_json_add_object(json, skins, "skin");
    sn_json_add_string(json, skin, "mesh", "skin");
    sn_value *deformers = sn_json_add_array(json, skin, "deformers");
    sn_value *layers = sn_json_add_object(json, deformers, NULL);
    sn_json_add_string(json, layers, "kind", "layers");
    sn_value *muscles = sn_json_add_array(json, layers, "muscles");
    for (uint32_t i = 0; i < scn_head_muscle_count(); ++i) {
        for (int side = 0; side < 2 && pulls_skin(&h->muscles[i]); ++side) {
            char name[64];
            snprintf(name, sizeof name, "%s.%c", h->muscles[i].name, "LR"[side]);
            sn_json_add_string(json, muscles, NULL, name);
        }
    }
    add_pins(json, layers, h->skin.mesh);
    sn_json_add_number(json, layers, "membrane", 0.05);
    sn_json_add_number(json, layers, "smoothing", 3); // its weights are smooth
    add_lids(json, deformers);
}

// ---------------------------------------------------------------------------------------------
// Controls

enum { SHARES_MOST = 11 };

// Controls of the left side stand for both; those without side also move the right side.
typedef struct spread {
    const char *name, *about;
    scn_share shares[SHARES_MOST]; // those behind the last have no name
} spread;

// clang-format off
static const spread action_units[] = {
    {"AU1.L", "Raises the inner brow.",
     {{"frontalis 1.L", 1}, {"frontalis 2.L", 0.6}}},
    {"AU2.L", "Raises the outer brow.",
     {{"frontalis 2.L", 0.3}, {"frontalis 3.L", 1}, {"frontalis 4.L", 1}}},
    {"AU4.L", "Lowers the brow and draws it inwards.",
     {{"corrugator.L", 1}, {"corrugator lateral.L", 0.6}, {"procerus.L", 0.7},
      {"depressor supercilii.L", 0.7}}},
    {"AU5.L", "Raises the upper lid.",
     {{"levator palpebrae.L", 0.5}}},
    {"AU6.L", "Raises the cheek and narrows the eye from the side.",
     {{"oculi lateral.L", 0.6}, {"oculi lower outer.L", 0.7}, {"malaris inner.L", 1},
      {"malaris outer.L", 1}}},
    {"AU7.L", "Tightens the lids.",
     {{"oculi upper lid.L", 0.2}, {"oculi lower lid.L", 1}, {"oculi medial lower.L", 0.5},
      {"oculi lower inner.L", 0.3}}},
    {"AU8", "Brings the lips towards each other.",
     {{"oris upper outer medial.L", 0.45}, {"oris upper rim medial.L", 1},
      {"oris lower outer medial.L", 0.45}, {"oris lower rim medial.L", 1}}},
    {"AU9.L", "Wrinkles the nose.",
     {{"levator alae nasi wing.L", 0.6}, {"levator alae nasi lip.L", 0.6},
      {"levator alae nasi cheek.L", 0.8}, {"procerus.L", 0.4}}},
    {"AU10.L", "Raises the upper lip.",
     {{"levator labii.L", 1}, {"levator labii lateral.L", 0.8}, {"levator alae nasi lip.L", 0.3}}},
    {"AU11.L", "Deepens the fold beside nose and mouth.",
     {{"zygomaticus minor.L", 1}}},
    {"AU12.L", "Pulls the corner of the mouth up and back.",
     {{"zygomaticus major.L", 1}, {"zygomaticus minor.L", 0.3}}},
    {"AU13.L", "Pulls the corner of the mouth straight up.",
     {{"levator anguli oris.L", 1}}},
    {"AU14.L", "Draws the corner of the mouth back and in.",
     {{"buccinator.L", 1}, {"risorius.L", 0.3}}},
    {"AU15.L", "Pulls the corner of the mouth down.",
     {{"depressor anguli oris.L", 1}}},
    {"AU16.L", "Pulls the lower lip down.",
     {{"depressor labii.L", 1}}},
    {"AU17.L", "Raises the chin.",
     {{"mentalis.L", 1}}},
    {"AU18", "Puckers the lips.",
     {{"oris upper outer lateral.L", 0.85}, {"oris upper outer medial.L", 0.6},
      {"oris upper rim lateral.L", 0.85}, {"oris upper rim medial.L", 0.6},
      {"oris lower outer lateral.L", 0.85}, {"oris lower outer medial.L", 0.6},
      {"oris lower rim lateral.L", 0.85}, {"oris lower rim medial.L", 0.6}}},
    {"AU20.L", "Stretches the mouth sideways.",
     {{"risorius.L", 1}, {"buccinator.L", 0.3}}},
    {"AU22", "Funnels the lips.",
     {{"oris upper outer lateral.L", 0.8}, {"oris upper rim lateral.L", 0.8},
      {"oris lower outer lateral.L", 0.8}, {"oris lower rim lateral.L", 0.8},
      {"depressor labii.L", 0.5}, {"levator labii.L", 0.4}}},
    {"AU23", "Tightens the lips.",
     {{"oris upper rim lateral.L", 0.6}, {"oris upper rim medial.L", 0.6},
      {"oris lower rim lateral.L", 0.6}, {"oris lower rim medial.L", 0.6}}},
    {"AU24", "Presses the lips together.",
     {{"oris upper outer medial.L", 0.5}, {"oris upper rim medial.L", 0.5},
      {"oris lower outer medial.L", 0.5}, {"oris lower rim medial.L", 0.5}, {"mentalis.L", 0.3}}},
    {"AU25", "Parts the lips.",
     {{"depressor labii.L", 0.6}, {"levator labii.L", 0.2}}},
    {"AU26", "Drops the jaw.",
     {{"jaw open", 0.25}}},
    {"AU27", "Opens the mouth as far as it goes.",
     {{"jaw open", 1}}},
    {"AU38.L", "Widens the nostril.",
     {{"nasalis alar.L", 1}}},
    {"AU39.L", "Narrows the nostril.",
     {{"nasalis transverse.L", 0.7}, {"depressor septi.L", 0.7}}},
    {"AU41.L", "Lets the upper lid droop.",
     {{"oculi upper lid.L", 0.3}}},
    {"AU42.L", "Narrows the eye to a slit.",
     {{"oculi upper lid.L", 0.7}}},
    {"AU43.L", "Closes the eye.",
     {{"oculi upper lid.L", 1}}},
    {"AU45.L", "Blinks.",
     {{"oculi upper lid.L", 1}}},
    {"AU46.L", "Winks.",
     {{"oculi upper lid.L", 1}, {"oculi lower lid.L", 0.6}, {"oculi lower outer.L", 0.4},
      {"malaris outer.L", 0.5}, {"malaris inner.L", 0.4}}},
};

// Named as those of `sinew face`.
static const spread expressions[] = {
    {"smile", "Pulls the corners of the mouth up and back and raises the cheeks.",
     {{"AU12.L", 1}, {"AU6.L", 0.3}, {"risorius.L", 0.3}}},
    {"frown", "Draws the brows together and the corners of the mouth down.",
     {{"AU4.L", 1}, {"AU15.L", 0.9}, {"AU17.L", 0.5}}},
    {"pout", "Narrows the mouth and pushes the lips forward.",
     {{"AU18", 1}, {"AU17.L", 0.4}}},
    {"brow_raise", "Raises both brows.",
     {{"AU1.L", 1}, {"AU2.L", 1}}},
    {"surprise", "Raises the brows and drops the jaw.",
     {{"AU1.L", 1}, {"AU2.L", 1}, {"AU5.L", 0.8}, {"jaw open", 0.3}}},
    {"sadness", "Raises the inner brows, lowers the corners of the mouth.",
     {{"AU1.L", 1}, {"AU4.L", 0.3}, {"AU15.L", 0.8}, {"AU17.L", 0.4}}},
    {"anger", "Lowers the brows, narrows eyes and lips.",
     {{"AU4.L", 1}, {"AU7.L", 0.5}, {"AU9.L", 0.3}, {"AU23", 0.7}, {"jaw close", 0.2}}},
    {"disgust", "Wrinkles the nose and raises the upper lip.",
     {{"AU9.L", 1}, {"AU10.L", 0.6}, {"AU4.L", 0.3}, {"AU15.L", 0.3}, {"AU6.L", 0.3}}},
};

// Names of ARKit without side.
static const spread arkit[] = {
    {"browInnerUp", NULL,
     {{"AU1.L", 1}}},
    {"jawOpen", NULL,
     {{"jaw open", 1}}},
    {"jawForward", NULL,
     {{"jaw forward", 1}}},
    {"jawLeft", NULL,
     {{"jaw left", 1}}},
    {"jawRight", NULL,
     {{"jaw left", -1}}},
    {"mouthFunnel", NULL,
     {{"AU22", 1}}},
    {"mouthPucker", NULL,
     {{"AU18", 1}}},
    {"mouthClose", NULL,
     {{"AU8", 1}}},
    {"mouthShrugLower", NULL,
     {{"AU17.L", 1}}},
    {"mouthShrugUpper", NULL,
     {{"oris upper rim medial.L", 0.5}, {"levator labii.L", 0.25}, {"AU17.L", 0.6}}},
    {"mouthLeft", NULL,
     {{"risorius.L", 0.8}, {"buccinator.L", 0.6}, {"zygomaticus major.L", 0.2},
      {"oris upper outer lateral.R", 0.6}, {"oris upper rim lateral.R", 0.6},
      {"oris lower outer lateral.R", 0.6}, {"oris lower rim lateral.R", 0.6}}},
    {"mouthRight", NULL,
     {{"risorius.R", 0.8}, {"buccinator.R", 0.6}, {"zygomaticus major.R", 0.2},
      {"oris upper outer lateral.L", 0.6}, {"oris upper rim lateral.L", 0.6},
      {"oris lower outer lateral.L", 0.6}, {"oris lower rim lateral.L", 0.6}}},
};

// Names of ARKit that go on with `_L` and `_R`, or with `Left` and `Right`: the left side.
static const spread arkit_pairs[] = {
    {"eyeBlink", NULL,
     {{"AU45.L", 1}}},
    {"eyeSquint", NULL,
     {{"AU7.L", 1}, {"AU6.L", 0.3}}},
    {"eyeWide", NULL,
     {{"AU5.L", 1}}},
    {"browDown", NULL,
     {{"AU4.L", 1}}},
    {"browOuterUp", NULL,
     {{"AU2.L", 1}}},
    {"cheekSquint", NULL,
     {{"AU6.L", 1}}},
    {"noseSneer", NULL,
     {{"AU9.L", 1}}},
    {"mouthSmile", NULL,
     {{"AU12.L", 1}, {"risorius.L", 0.3}}},
    {"mouthFrown", NULL,
     {{"AU15.L", 1}}},
    {"mouthDimple", NULL,
     {{"AU14.L", 1}}},
    {"mouthStretch", NULL,
     {{"AU20.L", 1}}},
    {"mouthUpperUp", NULL,
     {{"AU10.L", 1}}},
    {"mouthLowerDown", NULL,
     {{"AU16.L", 1}}},
    {"mouthPress", NULL,
     {{"oris upper rim lateral.L", 0.4}, {"oris lower rim lateral.L", 0.4}, {"AU14.L", 0.4},
      {"AU17.L", 0.2}}},
};

// How the eyes turn, degrees.
static const struct {
    const char *name;
    scn_spread turn;
} arkit_eyes[] = {
    {"eyeLookUp", {"eye.L.rx", -25}},
    {"eyeLookDown", {"eye.L.rx", 25}},
    {"eyeLookIn", {"eye.L.ry", -35}},
    {"eyeLookOut", {"eye.L.ry", 35}},
};
// clang-format on

static bool has_side(const char *name) {
    return strstr(name, ".L") != NULL || strstr(name, ".R") != NULL;
}

// mouthLeft moves the sides differently.
static bool is_symmetric(const spread *s) {
    bool left = false, right = false;
    for (int i = 0; i < SHARES_MOST && s->shares[i].parameter != NULL; ++i) {
        left = left || strstr(s->shares[i].parameter, ".L") != NULL;
        right = right || strstr(s->shares[i].parameter, ".R") != NULL;
    }
    return left && !right;
}

// The last entry of the section is that of the control just added.
static void mirror_last(sn_json *json, const char *section) {
    const sn_value *list = sn_value_get(sn_json_root(json), section);
    const sn_value *last = sn_value_at(list, sn_value_count(list) - 1);
    sn_json_add_bool(json, (sn_value *)last, "mirror", true);
}

static void add_spread(sn_json *json, const char *name, const char *group, const spread *s) {
    uint32_t count = 0;
    while (count < SHARES_MOST && s->shares[count].parameter != NULL) {
        count += 1;
    }
    scn_add_shares(json, name, 0, 1, group, s->about, s->shares, count);
    if (is_symmetric(s)) {
        mirror_last(json, "synergies");
    }
}

static void add_spreads(sn_json *json, const char *group, const spread *list, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        add_spread(json, list[i].name, group, &list[i]);
        if (has_side(list[i].name)) {
            mirror_last(json, "controls");
        }
    }
}

// NAMELeft and NAMERight, which give their values to NAME_L and NAME_R.
static void add_long_names(sn_json *json, const char *base) {
    static const char *const sides[2][2] = {{"Left", "_L"}, {"Right", "_R"}};
    for (int side = 0; side < 2; ++side) {
        char name[64], other[64];
        snprintf(name, sizeof name, "%s%s", base, sides[side][0]);
        snprintf(other, sizeof other, "%s%s", base, sides[side][1]);
        scn_add_shares(json, name, 0, 1, "ARKit", NULL, &(scn_share){other, 1}, 1);
    }
}

static void add_arkit(sn_json *json) {
    char name[64];
    add_spreads(json, "ARKit", arkit, COUNT(arkit));
    for (size_t i = 0; i < COUNT(arkit_pairs); ++i) {
        snprintf(name, sizeof name, "%s_L", arkit_pairs[i].name);
        add_spread(json, name, "ARKit sides", &arkit_pairs[i]);
        mirror_last(json, "controls");
        add_long_names(json, arkit_pairs[i].name);
    }
    for (size_t i = 0; i < COUNT(arkit_eyes); ++i) {
        scn_spread turn = arkit_eyes[i].turn;
        scn_share share = {turn.parameter, scn_round(turn.degrees * (SN_PI / 180))};
        snprintf(name, sizeof name, "%s_L", arkit_eyes[i].name);
        scn_add_shares(json, name, 0, 1, "ARKit sides", NULL, &share, 1);
        mirror_last(json, "controls");
        mirror_last(json, "synergies");
        add_long_names(json, arkit_eyes[i].name);
    }
}

void scn_head_add_face(sn_json *json) {
    add_spreads(json, "action units", action_units, COUNT(action_units));
    add_spreads(json, "expressions", expressions, COUNT(expressions));
    add_arkit(json);
}

// ---------------------------------------------------------------------------------------------
// Clips

// Both eyes blink, then the left one winks. Eyes look down, up and aside, with a blink on the way.
static void add_eye_clips(sn_json *json) {
    static const scn_key both[] = {{0, 0}, {0.1, 0}, {0.2, 1}, {0.25, 1}, {0.45, 0}, {1.2, 0}};
    static const scn_key left_eye[] = {{0, 0},   {0.1, 0},  {0.2, 1}, {0.25, 1}, {0.45, 0},
                                       {0.6, 0}, {0.75, 1}, {0.9, 1}, {1.1, 0},  {1.2, 0}};
    static const scn_key cheek[] = {{0, 0}, {0.6, 0}, {0.75, 0.5}, {0.9, 0.5}, {1.1, 0}, {1.2, 0}};
    static const scn_track blinks[] = {
        {"eyeBlinkLeft", 10, left_eye}, {"eyeBlinkRight", 6, both}, {"cheekSquintLeft", 6, cheek}};
    static const scn_key up[] = {{0, 0},   {0.4, -0.8}, {1, -0.8},  {1.4, 0.8},
                                 {2, 0.8}, {2.3, 0.1},  {3.2, 0.1}, {3.6, 0}};
    static const scn_key left[] = {{0, 0},    {2, 0},      {2.3, 0.7}, {2.7, 0.7},
                                   {3, -0.7}, {3.2, -0.7}, {3.6, 0}};
    static const scn_key blink[] = {{0, 0}, {2.05, 0}, {2.15, 1}, {2.2, 1}, {2.4, 0}, {3.6, 0}};
    static const scn_track gaze[] = {{"look up", 8, up},
                                     {"look left", 7, left},
                                     {"eyeBlinkLeft", 6, blink},
                                     {"eyeBlinkRight", 6, blink}};
    const scn_clip clips[] = {{"blink", 30, 37, 3, blinks, NULL}, {"gaze", 30, 109, 4, gaze, NULL}};
    scn_add_clip(json, &clips[0], "The eyes blink, then the left one winks.");
    scn_add_clip(json, &clips[1], "The eyes look around, and the lids go with them.");
}

// Smile, frown, surprise, disgust, pout and an open mouth, a second each.
void scn_head_add_face_clips(sn_json *json) {
    static const char *const names[] = {"smile",   "frown", "surprise",
                                        "disgust", "pout",  "jaw open"};
    const double end = COUNT(names);
    scn_key keys[COUNT(names)][6];
    scn_track tracks[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); ++i) {
        const double begin = (double)i;
        const scn_key made[6] = {{0, 0},           {begin, 0},     {begin + 0.3, 1},
                                 {begin + 0.7, 1}, {begin + 1, 0}, {end, 0}};
        size_t from = i == 0, to = i + 1 == COUNT(names) ? 5 : 6; // no time twice
        memcpy(keys[i], made, sizeof made);
        tracks[i] = (scn_track){names[i], (uint32_t)(to - from), keys[i] + from};
    }
    const scn_clip clip = {"expressions", 30, 181, COUNT(names), tracks, NULL};
    scn_add_clip(json, &clip, "Smile, frown, surprise, disgust, pout, and the mouth opens.");
    add_eye_clips(json);
}
