// SPDX-License-Identifier: Apache-2.0
//
// What `person` shows where: hair, a shirt and shorts, given by their borders on the body at rest;
// and small differences of the skin's colour, as a factor on it.
#include "scenes/person.h"

#include "scenes/documents.h"

#include <math.h>

// The left shoulder and the direction of the arm at rest, metres.
static const sn_vec3 shoulder = {0.167, 1.42, -0.03}, along_arm = {0.69, -0.72, 0.06};

// Height of the hairline on the head, by how far in front it is: from the nape over the ears to
// the forehead.
static const double hairline[][2] = {{-0.09, 1.556}, {-0.045, 1.566}, {-0.01, 1.590},
                                     {0.025, 1.622}, {0.05, 1.632},   {0.07, 1.668},
                                     {0.095, 1.688}, {0.125, 1.697}};

static double hairline_at(double z) {
    uint32_t count = sizeof hairline / sizeof *hairline, i = 1;
    while (i + 1 < count && z > hairline[i][0]) {
        ++i;
    }
    double t = scn_smooth_step(hairline[i - 1][0], hairline[i][0], z);
    return hairline[i - 1][1] + t * (hairline[i][1] - hairline[i - 1][1]);
}

// Distance from an ellipsoid on both sides of the body, in parts of its size, below 0 inside.
static double beside(sn_vec3 p, sn_vec3 middle, sn_vec3 size) {
    sn_vec3 d = {(fabs(p.x) - middle.x) / size.x, (p.y - middle.y) / size.y,
                 (p.z - middle.z) / size.z};
    return sn_vec3_length(d) - 1;
}

static double inside_hair(sn_vec3 p) {
    if (p.y < 1.5) {
        return -1;
    }
    double ear =
        0.03 * beside(p, sn_vec3_make(0.094, 1.615, 0.012), sn_vec3_make(0.018, 0.036, 0.03));
    return fmin(0.8 * (p.y - hairline_at(p.z)), ear);
}

// A band of the face around a middle line, highest at `top` metres from the middle of the face and
// thinner towards both ends.
typedef struct band {
    double from, to, top; // x
    double height, arch;  // y of the line at its ends, and how much higher it is at the top
    double thickness;     // half of it
} band;

static const band brow = {0.011, 0.053, 0.034, 1.6455, 0.0075, 0.0034};
static const band lips = {-0.025, 0.025, 0, 1.5540, 0.0008, 0.0066};

static double inside_band(const band *b, sn_vec3 p, double x) {
    if (p.z < 0.075 || x < b->from - 0.02 || x > b->to + 0.02 || fabs(p.y - b->height) > 0.03) {
        return -1;
    }
    double end = x < b->top ? b->from : b->to, t = (x - b->top) / (end - b->top);
    double away = (p.y - b->height - b->arch * (1 - t * t)) / b->thickness;
    return b->thickness * (1 - t * t * t * t - away * away);
}

// Whether a point belongs to an arm: the trunk lies below the arms.
static bool is_arm(sn_vec3 p, double *along) {
    sn_vec3 d = sn_vec3_sub(sn_vec3_make(fabs(p.x), p.y, p.z), shoulder);
    *along = sn_vec3_dot(d, along_arm);
    return d.x > 0.08 || d.x * -along_arm.y + d.y * along_arm.x > -0.07;
}

// The collar is where a cone about the neck, lower in front, meets the body.
static double inside_shirt(sn_vec3 p) {
    double along, r = sqrt(p.x * p.x + 1.3 * (p.z - 0.005) * (p.z - 0.005));
    double collar = p.y < 1.4 ? 1 : r - (0.066 + (p.y - 1.47) + 0.25 * p.z);
    return is_arm(p, &along) ? fmin(collar, 0.155 - along) : fmin(collar, p.y - 0.955);
}

static double inside_shorts(sn_vec3 p) {
    return fabs(p.x) > 0.27 ? -1 : fmin(0.955 - p.y, p.y - 0.575);
}

double scn_person_inside(scn_person_region region, sn_vec3 point) {
    switch (region) {
    case SCN_PERSON_HAIR: return inside_hair(point);
    case SCN_PERSON_BROWS: return inside_band(&brow, point, fabs(point.x));
    case SCN_PERSON_LIPS: return inside_band(&lips, point, point.x);
    case SCN_PERSON_SHIRT: return inside_shirt(point);
    case SCN_PERSON_SHORTS: return inside_shorts(point);
    default: return 0;
    }
}

// ---------------------------------------------------------------------------------------------
// Colours

typedef struct paint {
    const char *name;
    float color[3]; // linear
    float roughness;
} paint;

static const paint paints[SCN_PERSON_REGIONS] = {
    [SCN_PERSON_HAIR] = {"hair", {0.050F, 0.027F, 0.014F}, 0.6F},
    [SCN_PERSON_BROWS] = {"brows", {0.085F, 0.048F, 0.028F}, 0.7F},
    [SCN_PERSON_LIPS] = {"lips", {0.440F, 0.190F, 0.150F}, 0.4F},
    [SCN_PERSON_SHIRT] = {"shirt", {0.055F, 0.235F, 0.330F}, 0.9F},
    [SCN_PERSON_SHORTS] = {"shorts", {0.050F, 0.056F, 0.072F}, 0.9F},
    [SCN_PERSON_SKIN] = {"skin", {0.610F, 0.370F, 0.275F}, 0.5F},
};

// Where skin is redder or darker than elsewhere, on both sides of the body: within `size` of the
// middle the whole factor, fading to none at twice that.
typedef struct blush {
    sn_vec3 middle, size;
    double factor[3];
} blush;

static const blush blushes[] = {
    {{0.000, 1.5930, 0.150}, {0.014, 0.0090, 0.02}, {0.97, 0.80, 0.78}}, // nose
    {{0.045, 1.5900, 0.100}, {0.016, 0.0140, 0.02}, {0.97, 0.82, 0.80}}, // cheeks
    {{0.092, 1.6150, 0.012}, {0.012, 0.0260, 0.03}, {0.95, 0.78, 0.75}}, // ears
    {{0.033, 1.6250, 0.100}, {0.014, 0.0080, 0.02}, {0.80, 0.68, 0.66}}, // lids
};

static void tint(sn_vec3 p, double factor[3]) {
    factor[0] = factor[1] = factor[2] = 1;
    for (size_t i = 0; i < sizeof blushes / sizeof *blushes; ++i) {
        double away = beside(p, blushes[i].middle, blushes[i].size);
        double share = 1 - scn_smooth_step(0, 0.9, away);
        for (int k = 0; k < 3; ++k) {
            factor[k] *= 1 - share * (1 - blushes[i].factor[k]);
        }
    }
}

scn_person_region scn_person_region_at(sn_vec3 point) {
    for (scn_person_region r = SCN_PERSON_HAIR; r < SCN_PERSON_SKIN; ++r) {
        if (scn_person_inside(r, point) > 0) {
            return r;
        }
    }
    return SCN_PERSON_SKIN;
}

static sn_status add_materials(sn_mesh *body, sn_error *error) {
    sn_status status = SN_OK;
    for (int r = 0; r < SCN_PERSON_REGIONS && status == SN_OK; ++r) {
        const paint *p = &paints[r];
        sn_material *made = NULL;
        status = sn_mesh_add_material(body, p->name, &made, error);
        if (status == SN_OK) {
            made->has_color = true;
            for (int k = 0; k < 3; ++k) {
                made->base_color[k] = p->color[k];
            }
            made->base_color[3] = 1;
            made->metallic = 0;
            made->roughness = p->roughness;
        }
    }
    return status;
}

// Faces are cut, so that each lies in one region: that of its middle.
static sn_vec3 middle_of(const sn_mesh *body, uint32_t face) {
    sn_vec3 middle = {0, 0, 0};
    for (uint32_t i = 0; i < 3; ++i) {
        const float *p = &body->positions[3 * (size_t)body->corners[3 * (size_t)face + i]];
        middle = sn_vec3_add_scaled(middle, 1 / 3.0, sn_vec3_load(p));
    }
    return middle;
}

static sn_status add_runs(sn_mesh *body, sn_error *error) {
    sn_status status = SN_OK;
    int before = -1;
    for (uint32_t f = 0; f < body->face_count && status == SN_OK; ++f) {
        int region = (int)scn_person_region_at(middle_of(body, f));
        if (region != before) {
            status = sn_mesh_add_run(body, SN_RUN_MATERIAL, f, paints[region].name, error);
        }
        before = region;
    }
    return status;
}

// In steps of 1/255, which a file holds in a byte.
static sn_status add_colors(sn_mesh *body, sn_error *error) {
    sn_attribute *colors = NULL;
    sn_status status =
        sn_mesh_add_attribute(body, "color", 3, body->vertex_count, false, &colors, error);
    for (uint32_t v = 0; status == SN_OK && v < body->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(&body->positions[3 * (size_t)v]);
        double factor[3] = {1, 1, 1};
        if (inside_hair(p) <= 0) {
            tint(p, factor);
        }
        for (int k = 0; k < 3; ++k) {
            colors->values[3 * (size_t)v + (size_t)k] = (float)round(factor[k] * 255) / 255;
        }
    }
    return status;
}

sn_status scn_person_paint(sn_mesh *body, sn_error *error) {
    sn_status status = add_materials(body, error);
    status = status == SN_OK ? add_runs(body, error) : status;
    return status == SN_OK ? add_colors(body, error) : status;
}
