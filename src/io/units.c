// SPDX-License-Identifier: Apache-2.0
//
// The change of coordinates v' = C v, where C multiplies by a factor f and, for Z up, turns by the
// rotation Q with Q (x, y, z) = (x, z, -y). Every transform M of the file, local or of the world,
// becomes C M C^-1: its linear part Q L Q', its translation f Q t. Products of such transforms are
// again such transforms, so that skins, bones and clips go on to agree, and since Q exchanges axes
// a translation, a rotation and a scale stay what they are.
#include "io/units.h"

#include <string.h>

typedef struct change {
    double factor;
    bool z_up;
} change;

static void turn(const change *c, double *x, double *y, double *z) {
    (void)x;
    if (c->z_up) {
        double up = *z;
        *z = -*y;
        *y = up;
    }
}

static void turn_floats(const change *c, float *v, double factor) {
    double x = v[0] * factor, y = v[1] * factor, z = v[2] * factor;
    turn(c, &x, &y, &z);
    v[0] = (float)x;
    v[1] = (float)y;
    v[2] = (float)z;
}

static sn_vec3 change_point(const change *c, sn_vec3 p) {
    p = sn_vec3_scale(p, c->factor);
    turn(c, &p.x, &p.y, &p.z);
    return p;
}

static void swap_scale(const change *c, double *y, double *z) {
    double before = *y;
    *y = c->z_up ? *z : *y;
    *z = c->z_up ? before : *z;
}

static sn_transform change_transform(const change *c, sn_transform t) {
    t.translation = change_point(c, t.translation);
    turn(c, &t.rotation.x, &t.rotation.y, &t.rotation.z);
    swap_scale(c, &t.scale.y, &t.scale.z);
    return t;
}

// C M C^-1, of which C^-1 acts on rows and C on columns.
static sn_mat4 change_matrix(const change *c, sn_mat4 m) {
    for (int row = 0; row < 4; ++row) {
        turn(c, &m.m[row], &m.m[4 + row], &m.m[8 + row]);
    }
    for (int column = 0; column < 4; ++column) {
        turn(c, &m.m[4 * column], &m.m[4 * column + 1], &m.m[4 * column + 2]);
    }
    for (int row = 0; row < 3; ++row) {
        m.m[12 + row] *= c->factor;
    }
    return m;
}

static bool is_direction(const sn_attribute *attribute) {
    return (strcmp(attribute->name, "normal") == 0 && attribute->width == 3) ||
           (strcmp(attribute->name, "tangent") == 0 && attribute->width == 4);
}

static void change_mesh(const change *c, sn_mesh *mesh) {
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        turn_floats(c, mesh->positions + 3 * v, c->factor);
    }
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        for (size_t i = 0; i < mesh->targets[t].count; ++i) {
            turn_floats(c, mesh->targets[t].offsets + 3 * i, c->factor);
        }
    }
    for (uint32_t a = 0; a < mesh->attribute_count; ++a) {
        sn_attribute *attribute = &mesh->attributes[a];
        for (size_t i = 0; is_direction(attribute) && i < attribute->count; ++i) {
            turn_floats(c, attribute->values + attribute->width * i, 1);
        }
    }
    sn_weights *weights = mesh->weights;
    for (uint32_t b = 0;
         weights != NULL && weights->inverse_bind != NULL && b < weights->bone_count; ++b) {
        weights->inverse_bind[b] = change_matrix(c, weights->inverse_bind[b]);
    }
}

static void change_skeleton(const change *c, sn_skeleton *skeleton) {
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        skeleton->segments[i].rest = change_transform(c, skeleton->segments[i].rest);
    }
}

// A key of a track; tangents of cubic ones change as values do.
static void change_key(const change *c, sn_track_kind kind, double *v) {
    double factor = kind == SN_TRACK_TRANSLATION ? c->factor : 1;
    if (kind == SN_TRACK_SCALE) {
        swap_scale(c, &v[1], &v[2]);
    } else if (kind != SN_TRACK_PARAMETER) {
        for (int k = 0; k < 3; ++k) {
            v[k] *= factor;
        }
        turn(c, &v[0], &v[1], &v[2]);
    }
}

static void change_clip(const change *c, sn_clip *clip) {
    change_skeleton(c, &clip->skeleton);
    for (uint32_t t = 0; t < clip->track_count; ++t) {
        sn_track *track = &clip->tracks[t];
        size_t width = track->kind == SN_TRACK_ROTATION    ? 4
                       : track->kind == SN_TRACK_PARAMETER ? 1
                                                           : 3;
        size_t rows = track->key_count * (track->interpolation == SN_INTERPOLATION_CUBIC ? 3u : 1u);
        for (size_t i = 0; i < rows; ++i) {
            change_key(c, track->kind, track->values + width * i);
        }
    }
}

void sni_import_convert(sn_import *import, double factor, bool z_up) {
    change c = {.factor = factor, .z_up = z_up};
    for (uint32_t i = 0; i < import->mesh_count; ++i) {
        change_mesh(&c, import->meshes[i]);
    }
    change_skeleton(&c, &import->skeleton);
    for (uint32_t i = 0; i < import->clip_count; ++i) {
        change_clip(&c, import->clips[i]);
    }
}
