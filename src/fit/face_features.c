// SPDX-License-Identifier: Apache-2.0
//
// The sagittal plane goes through the mid-line features and lies half-way between the two of each
// pair. Where no pair is given on both sides the mid-line features alone span it: nose tip, lips
// and chin make a triangle in profile.
#include "fit/face_features.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

// Features further away from the skin than this part of the eyes' distance are taken for a mistake.
static const double largest_gap = 0.5;

static const struct {
    const char *name;
    bool paired, required;
    const char *about;
} infos[SNI_FACE_POINT_COUNT] = {
    [SNI_FACE_EYE_INNER] = {"eye_inner", true, true, "inner corner of the eye"},
    [SNI_FACE_EYE_OUTER] = {"eye_outer", true, true, "outer corner of the eye"},
    [SNI_FACE_BROW_INNER] = {"brow_inner", true, true, "inner end of the brow"},
    [SNI_FACE_BROW_OUTER] = {"brow_outer", true, true, "outer end of the brow"},
    [SNI_FACE_NOSE_WING] = {"nose_wing", true, true, "where the wing of the nose meets the lip"},
    [SNI_FACE_MOUTH_CORNER] = {"mouth_corner", true, true, "corner of the mouth"},
    [SNI_FACE_NOSE_TIP] = {"nose_tip", false, true, "tip of the nose"},
    [SNI_FACE_LIP_UPPER] = {"lip_upper", false, true, "middle of the upper lip's upper border"},
    [SNI_FACE_LIP_LOWER] = {"lip_lower", false, true, "middle of the lower lip's lower border"},
    [SNI_FACE_CHIN] = {"chin", false, true, "lowest point of the chin seen from the front"},
    [SNI_FACE_CHEEKBONE] = {"cheekbone", true, false, "most prominent point of the cheekbone"},
    [SNI_FACE_JAW_ANGLE] = {"jaw_angle", true, false, "angle of the jaw below the ear"},
    [SNI_FACE_EAR] = {"ear", true, false, "where the ear begins, before its opening"},
};

bool sn_face_feature_info(uint32_t number, const char **name, bool *paired, bool *required,
                          const char **about) {
    if (number >= SNI_FACE_POINT_COUNT) {
        return false;
    }
    *name = infos[number].name;
    *paired = infos[number].paired;
    *required = infos[number].required;
    *about = infos[number].about;
    return true;
}

const char *sn_face_feature_of_ibug(uint32_t point) {
    switch (point) {
    case 0: return "ear_R";
    case 4: return "jaw_angle_R";
    case 8: return "chin";
    case 12: return "jaw_angle_L";
    case 16: return "ear_L";
    case 17: return "brow_outer_R";
    case 21: return "brow_inner_R";
    case 22: return "brow_inner_L";
    case 26: return "brow_outer_L";
    case 30: return "nose_tip";
    case 31: return "nose_wing_R";
    case 35: return "nose_wing_L";
    case 36: return "eye_outer_R";
    case 39: return "eye_inner_R";
    case 42: return "eye_inner_L";
    case 45: return "eye_outer_L";
    case 48: return "mouth_corner_R";
    case 51: return "lip_upper";
    case 54: return "mouth_corner_L";
    case 57: return "lip_lower";
    default: return NULL;
    }
}

// ---------------------------------------------------------------------------------------------
// Names

typedef struct given {
    bool is_given[SNI_FACE_SIDES][SNI_FACE_POINT_COUNT];
    sn_vec3 points[SNI_FACE_SIDES][SNI_FACE_POINT_COUNT];
} given;

static bool is_name(const char *text, uint32_t feature, const char *ending) {
    size_t length = strlen(infos[feature].name);
    return strncmp(text, infos[feature].name, length) == 0 && strcmp(text + length, ending) == 0;
}

static bool find_feature(const char *text, uint32_t *feature, uint32_t *side) {
    for (*feature = 0; *feature < SNI_FACE_POINT_COUNT; ++*feature) {
        bool paired = infos[*feature].paired;
        *side = SNI_FACE_LEFT;
        if (is_name(text, *feature, paired ? "_L" : "")) {
            return true;
        }
        *side = SNI_FACE_RIGHT;
        if (paired && is_name(text, *feature, "_R")) {
            return true;
        }
    }
    return false;
}

static sn_status fail_unknown(const char *name, sn_error *error) {
    char names[2 * SNI_FACE_POINT_COUNT][32], hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to(name);
    for (uint32_t i = 0; i < 2 * SNI_FACE_POINT_COUNT; ++i) {
        const char *ending = !infos[i / 2].paired ? "" : i % 2 == 0 ? "_L" : "_R";
        snprintf(names[i], sizeof names[i], "%s%s", infos[i / 2].name, ending);
        sni_closest_try(&closest, names[i]);
    }
    return sni_fail(error, SN_INVALID, "there is no feature \"%s\"%s", name,
                    sni_closest_hint(&closest, hint));
}

static sn_status take_features(const sn_face_layout_desc *desc, given *g, sn_error *error) {
    for (uint32_t i = 0; i < desc->feature_count; ++i) {
        const sn_face_feature *from = &desc->features[i];
        uint32_t feature, side;
        if (from->name == NULL || !find_feature(from->name, &feature, &side)) {
            return fail_unknown(from->name != NULL ? from->name : "", error);
        }
        if (g->is_given[side][feature]) {
            return sni_fail(error, SN_INVALID, "the feature \"%s\" is given twice", from->name);
        }
        if (!sn_vec3_is_finite(from->position)) {
            return sni_fail(error, SN_INVALID,
                            "the feature \"%s\" is at (%g, %g, %g), which is not finite",
                            from->name, from->position.x, from->position.y, from->position.z);
        }
        g->is_given[side][feature] = true;
        g->points[side][feature] = from->position;
    }
    for (uint32_t f = 0; f < SNI_FACE_POINT_COUNT; ++f) {
        bool any = g->is_given[SNI_FACE_LEFT][f] || g->is_given[SNI_FACE_RIGHT][f];
        if (infos[f].required && !any) {
            return sni_fail(error, SN_INVALID, "the feature \"%s%s\" is missing: %s", infos[f].name,
                            infos[f].paired ? "_L" : "", infos[f].about);
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// The frame

typedef struct plane {
    sn_vec3 origin, normal; // the normal points to the left
} plane;

static sn_vec3 middle_of_given(const given *g, uint32_t feature) {
    return g->is_given[SNI_FACE_LEFT][feature] ? g->points[SNI_FACE_LEFT][feature]
                                               : g->points[SNI_FACE_RIGHT][feature];
}

// The normal from pairs, as far as there are any, weighted by their distance.
static sn_vec3 normal_of_pairs(const given *g) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t f = 0; f < SNI_FACE_POINT_COUNT; ++f) {
        if (g->is_given[SNI_FACE_LEFT][f] && g->is_given[SNI_FACE_RIGHT][f]) {
            sum = sn_vec3_add(
                sum, sn_vec3_sub(g->points[SNI_FACE_LEFT][f], g->points[SNI_FACE_RIGHT][f]));
        }
    }
    return sum;
}

// The normal of the profile from nose tip to lips to chin, turned to the side of a given feature.
static sn_vec3 normal_of_profile(const given *g) {
    sn_vec3 nose = middle_of_given(g, SNI_FACE_NOSE_TIP);
    sn_vec3 lips = sn_vec3_lerp(middle_of_given(g, SNI_FACE_LIP_UPPER),
                                middle_of_given(g, SNI_FACE_LIP_LOWER), 0.5);
    sn_vec3 chin = middle_of_given(g, SNI_FACE_CHIN);
    sn_vec3 normal = sn_vec3_cross(sn_vec3_sub(lips, nose), sn_vec3_sub(chin, nose));
    sn_vec3 outer = middle_of_given(g, SNI_FACE_EYE_OUTER);
    double side = sn_vec3_dot(normal, sn_vec3_sub(outer, nose));
    bool is_left = g->is_given[SNI_FACE_LEFT][SNI_FACE_EYE_OUTER];
    return sn_vec3_scale(normal, (side > 0) == is_left ? 1 : -1);
}

static sn_status find_plane(const given *g, plane *p, sn_error *error) {
    sn_vec3 pairs = normal_of_pairs(g), sum = {0, 0, 0}, none = {0, 0, 0};
    double count = 0;
    p->normal = sn_vec3_length(pairs) > 0 ? pairs : normal_of_profile(g);
    p->normal = sn_vec3_normalize_or(p->normal, none);
    if (sn_vec3_length(p->normal) == 0) {
        return sni_fail(error, SN_INVALID,
                        "the features do not tell left from right; give more of them on both "
                        "sides");
    }
    for (uint32_t f = 0; f < SNI_FACE_POINT_COUNT; ++f) {
        bool left = g->is_given[SNI_FACE_LEFT][f], right = g->is_given[SNI_FACE_RIGHT][f];
        if (left && (right || !infos[f].paired)) {
            sn_vec3 other = g->points[infos[f].paired ? SNI_FACE_RIGHT : SNI_FACE_LEFT][f];
            sum = sn_vec3_add(sum, sn_vec3_lerp(g->points[SNI_FACE_LEFT][f], other, 0.5));
            count += 1;
        }
    }
    p->origin = sn_vec3_scale(sum, 1 / count); // the mid-line features are always given
    return SN_OK;
}

static sn_vec3 mirror(const plane *p, sn_vec3 point) {
    double away = sn_vec3_dot(sn_vec3_sub(point, p->origin), p->normal);
    return sn_vec3_add_scaled(point, -2 * away, p->normal);
}

static void mirror_features(const given *g, const plane *p, const sni_skin_probe *probe,
                            sni_face *face) {
    for (uint32_t f = 0; f < SNI_FACE_POINT_COUNT; ++f) {
        bool left = g->is_given[SNI_FACE_LEFT][f], right = g->is_given[SNI_FACE_RIGHT][f];
        face->given[f] = left || right;
        for (uint32_t side = 0; side < SNI_FACE_SIDES && face->given[f]; ++side) {
            face->points[side][f] = g->points[side][f];
            if (!infos[f].paired) {
                face->points[side][f] = g->points[SNI_FACE_LEFT][f];
            } else if (!g->is_given[side][f]) {
                sn_closest closest;
                sn_accel_find_closest(probe->accel, mirror(p, g->points[!side][f]), INFINITY,
                                      &closest);
                face->points[side][f] = closest.point;
            }
        }
    }
}

static sn_vec3 pair_middle(const sni_face *face, sni_face_point feature) {
    return sn_vec3_lerp(face->points[SNI_FACE_LEFT][feature], face->points[SNI_FACE_RIGHT][feature],
                        0.5);
}

static sn_vec3 eye_middle(const sni_face *face, uint32_t side) {
    return sn_vec3_lerp(face->points[side][SNI_FACE_EYE_INNER],
                        face->points[side][SNI_FACE_EYE_OUTER], 0.5);
}

// Up is from the mouth to the eyes, within the sagittal plane.
static sn_status span_frame(const plane *p, sni_face *face, sn_error *error) {
    sn_vec3 none = {0, 0, 0};
    sn_vec3 eyes[2] = {eye_middle(face, SNI_FACE_LEFT), eye_middle(face, SNI_FACE_RIGHT)};
    face->unit = sn_vec3_distance(eyes[0], eyes[1]);
    face->middle = sn_vec3_lerp(eyes[0], eyes[1], 0.5);
    face->left = p->normal;
    sn_vec3 up = sn_vec3_sub(face->middle, pair_middle(face, SNI_FACE_MOUTH_CORNER));
    up = sn_vec3_add_scaled(up, -sn_vec3_dot(up, face->left), face->left);
    face->up = sn_vec3_normalize_or(up, none);
    face->forward = sn_vec3_cross(face->left, face->up);
    if (!(face->unit > 0) || sn_vec3_length(face->up) == 0) {
        return sni_fail(error, SN_INVALID, "all features lie at one point");
    }
    return SN_OK;
}

static sn_status check_gaps(const given *g, const sni_skin_probe *probe, double unit,
                            sn_error *error) {
    for (uint32_t k = 0; k < SNI_FACE_SIDES * SNI_FACE_POINT_COUNT; ++k) {
        uint32_t side = k / SNI_FACE_POINT_COUNT, f = k % SNI_FACE_POINT_COUNT;
        sn_closest closest = {.distance = 0};
        if (g->is_given[side][f]) {
            sn_accel_find_closest(probe->accel, g->points[side][f], INFINITY, &closest);
        }
        if (closest.distance > largest_gap * unit) {
            const char *ending = !infos[f].paired ? "" : side == SNI_FACE_LEFT ? "_L" : "_R";
            return sni_fail(error, SN_INVALID,
                            "the feature \"%s%s\" is too far from the skin: %.4g away, while the "
                            "eyes are %.4g apart",
                            infos[f].name, ending, closest.distance, unit);
        }
    }
    return SN_OK;
}

sn_status sni_face_init(const sn_face_layout_desc *desc, const sni_skin_probe *probe,
                        sni_face *face, sn_error *error) {
    given g = {0};
    plane p;
    sn_status status = SN_OK;
    *face = (sni_face){0};
    SN_TRY(take_features(desc, &g, error));
    SN_TRY(find_plane(&g, &p, error));
    mirror_features(&g, &p, probe, face);
    SN_TRY(span_frame(&p, face, error));
    SN_TRY(check_gaps(&g, probe, face->unit, error));
cleanup:
    return status;
}
