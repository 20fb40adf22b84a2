// SPDX-License-Identifier: Apache-2.0
//
// A skinned character as UsdSkel text: for each mesh a SkelRoot with a Skeleton of the segments
// that move it, a SkelAnimation, the Mesh at rest with weights, and BlendShapes for its morph
// targets.
//
// UsdSkel has p' = sum_j w_j A_j B_j^-1 G p, where joints A_j are translation and rotation (scales
// of joints have 16 bits, too few). Here a bone takes p to J_j p with J_j = world * inverse bind.
// If all J_j of a mesh have one scale s in all frames, J_j p = K_j (s p) with K_j rigid: then G =
// s, B_j is the translation to the place b_j of the joint at rest, and A_j = K_j B_j stands where
// the joint is. What has other scales cannot be said so and is refused.
#include "io/write_usd_skel.h"

#include "base/context.h"
#include "io/names.h"
#include "io/usda.h"
#include "motion/skeleton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A part of the size that scales of a mesh may differ by.
static const double scale_tolerance = 2e-5;

// Decimals of places (0.5 micrometres) and of quaternions and weights.
enum { PLACE_DECIMALS = 6, TURN_DECIMALS = 7 };

typedef struct joint {
    uint32_t segment; // SN_NONE: never moves
    uint32_t parent;  // a joint, or SN_NONE
    sn_mat4 inverse_bind;
    sn_vec3 place; // b_j
} joint;

typedef struct skel {
    sn_context *context;
    const sn_export_skinned_desc *desc;
    sni_text_output *out;
    sn_mat4 *worlds; // segment_count
    sn_mat4 *rest_worlds;
    const sn_mesh *mesh;
    uint32_t index;   // of the mesh
    const char *prim; // its name
    double scale;     // s
    uint32_t joint_count;
    joint *joints;
    uint32_t *slots;       // bone_count: joints of bones
    uint32_t *joint_of;    // segment_count: joints of segments, SN_NONE without
    sni_names segments;    // by name
    sn_vec3 *translations; // joint_count x frame_count
    sn_quat *rotations;
    char **names; // joint_count: paths
} skel;

// ---------------------------------------------------------------------------------------------
// Joints

static sn_mat4 matrix_of(const joint *j, const sn_mat4 *worlds) {
    return j->segment != SN_NONE ? sn_mat4_multiply(&worlds[j->segment], &j->inverse_bind)
                                 : j->inverse_bind;
}

static double scale_of(const sn_mat4 *m) {
    sn_vec3 x = {m->m[0], m->m[1], m->m[2]}, y = {m->m[4], m->m[5], m->m[6]};
    sn_vec3 z = {m->m[8], m->m[9], m->m[10]};
    return cbrt(sn_vec3_dot(sn_vec3_cross(x, y), z));
}

// K of a matrix J = K s. False where it is not rigid.
static bool make_rigid(const skel *s, sn_mat4 *m) {
    for (int i = 0; i < 12; ++i) {
        m->m[i] /= s->scale;
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b <= a; ++b) {
            double dot = 0;
            for (int k = 0; k < 3; ++k) {
                dot += m->m[4 * a + k] * m->m[4 * b + k];
            }
            if (!(fabs(dot - (a == b)) <= scale_tolerance)) {
                return false;
            }
        }
    }
    return scale_of(m) > 0;
}

// The nearest joint above each, which stands before it.
static void find_parents(skel *s) {
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        uint32_t above = s->joints[j].segment;
        s->joints[j].parent = SN_NONE;
        while (above != SN_NONE && s->joints[j].parent == SN_NONE) {
            above = s->desc->skeleton->segments[above].parent;
            s->joints[j].parent = above != SN_NONE ? s->joint_of[above] : SN_NONE;
        }
    }
}

static bool lacks_weights(const sn_mesh *mesh) {
    bool lacks = false;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        lacks = lacks || mesh->weights->offsets[v] == mesh->weights->offsets[v + 1];
    }
    return lacks;
}

// The bind matrix of a bone: that of the mesh, or from the rest pose.
static sn_mat4 bind_of(const skel *s, uint32_t bone, uint32_t segment) {
    sn_mat4 bind = sn_mat4_identity();
    if (s->mesh->weights->inverse_bind != NULL) {
        return s->mesh->weights->inverse_bind[bone];
    }
    sn_mat4_invert(&s->rest_worlds[segment], &bind);
    return bind;
}

// Adds a bone of the mesh as the next joint, unless its segment has one. UsdSkel has no two bones
// of one segment with different binds.
static sn_status add_bone(skel *s, uint32_t bone, uint32_t segment, sn_error *error) {
    uint32_t known = s->joint_of[segment];
    sn_mat4 bind = bind_of(s, bone, segment);
    if (known != SN_NONE) {
        s->slots[bone] = known;
        return memcmp(&s->joints[known].inverse_bind, &bind, sizeof bind) == 0
                   ? SN_OK
                   : sni_fail(error, SN_UNSUPPORTED,
                              "mesh \"%s\": the segment \"%s\" is bound twice, differently; write "
                              "points",
                              s->mesh->name, s->desc->skeleton->segments[segment].name);
    }
    s->joints[s->joint_count] = (joint){.segment = segment, .inverse_bind = bind};
    s->slots[bone] = s->joint_of[segment] = s->joint_count++;
    return SN_OK;
}

// The bones of a mesh, those above before those below them, as UsdSkel asks for.
static sn_status list_bones(skel *s, sn_error *error) {
    const sn_skeleton *skeleton = s->desc->skeleton;
    const sn_weights *weights = s->mesh->weights;
    uint32_t *first = NULL, *next = NULL; // lists of the bones of segments
    sn_status status = SN_OK;
    SNI_NEW(s->context, first, skeleton->segment_count);
    SNI_NEW(s->context, next, weights->bone_count);
    memset(first, 0xff, skeleton->segment_count * sizeof *first);
    for (uint32_t b = weights->bone_count; b-- > 0;) {
        uint32_t segment = sni_names_find(&s->segments, weights->bone_names[b]);
        if (segment == SN_NONE) {
            SN_TRY(sni_fail(error, SN_INVALID, "mesh \"%s\": there is no segment \"%s\"",
                            s->mesh->name, weights->bone_names[b]));
        }
        next[b] = first[segment];
        first[segment] = b;
    }
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        for (uint32_t b = first[segment]; b != SN_NONE; b = next[b]) {
            SN_TRY(add_bone(s, b, segment, error));
        }
    }
cleanup:
    sni_free(s->context, first);
    sni_free(s->context, next);
    return status;
}

// The bones of a mesh and, for vertices without weights, one that never moves; or the segment that
// carries the mesh.
static sn_status list_joints(skel *s, sn_error *error) {
    const sn_weights *weights = s->mesh->weights;
    sn_status status = SN_OK;
    uint32_t bones = weights != NULL ? weights->bone_count : 0;
    SNI_NEW_ZERO(s->context, s->joints, bones + (size_t)1);
    SNI_NEW(s->context, s->slots, bones);
    s->joint_count = 0;
    memset(s->joint_of, 0xff, s->desc->skeleton->segment_count * sizeof *s->joint_of);
    if (weights != NULL) {
        SN_TRY(list_bones(s, error));
    }
    if (weights == NULL || s->joint_count == 0 || lacks_weights(s->mesh)) {
        uint32_t carrier = weights == NULL && s->desc->mesh_segments != NULL
                               ? s->desc->mesh_segments[s->index]
                               : SN_NONE;
        s->joints[s->joint_count++] =
            (joint){.segment = carrier, .inverse_bind = sn_mat4_identity()};
    }
    find_parents(s);
cleanup:
    return status;
}

static sn_status fail_scale(const skel *s, uint32_t j, sn_error *error) {
    uint32_t segment = s->joints[j].segment;
    return sni_fail(error, SN_UNSUPPORTED,
                    "mesh \"%s\": the segment \"%s\" is scaled in a way that UsdSkel cannot say; "
                    "write points",
                    s->mesh->name,
                    segment != SN_NONE ? s->desc->skeleton->segments[segment].name : "still");
}

// b_j: the point that K takes to where the segment is at rest.
static sn_status find_places(skel *s, sn_error *error) {
    sn_mat4 first = matrix_of(&s->joints[0], s->rest_worlds);
    s->scale = scale_of(&first);
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        joint *at = &s->joints[j];
        sn_mat4 k = matrix_of(at, s->rest_worlds), inverse;
        if (!(s->scale > 0) || !make_rigid(s, &k) || !sn_mat4_invert(&k, &inverse)) {
            return fail_scale(s, j, error);
        }
        if (at->segment != SN_NONE) {
            const double *w = s->rest_worlds[at->segment].m;
            at->place = sn_mat4_point(&inverse, sn_vec3_make(w[12], w[13], w[14]));
        }
    }
    return SN_OK;
}

// A rotation has two quaternions: the one nearer to that of the frame before.
static sn_quat rotation_of(const sn_mat4 *k, const sn_quat *before) {
    sn_transform t;
    sn_mat4_decompose(k, &t);
    sn_quat q = t.rotation;
    return before != NULL && sn_quat_dot(q, *before) < 0 ? (sn_quat){-q.x, -q.y, -q.z, -q.w} : q;
}

static sn_status find_motion(skel *s, sn_error *error) {
    size_t segments = s->desc->skeleton->segment_count, joints = s->joint_count;
    uint32_t frames = s->desc->frame_count > 0 ? s->desc->frame_count : 1;
    sn_status status = SN_OK;
    SNI_NEW(s->context, s->translations, joints * frames);
    SNI_NEW(s->context, s->rotations, joints * frames);
    for (size_t f = 0; f < frames; ++f) {
        if (s->desc->frame_count > 0) {
            sni_skeleton_world(s->desc->skeleton, s->desc->locals + f * segments, s->worlds);
        } else {
            memcpy(s->worlds, s->rest_worlds, segments * sizeof *s->worlds);
        }
        for (uint32_t j = 0; j < joints; ++j) {
            sn_mat4 k = matrix_of(&s->joints[j], s->worlds);
            if (!make_rigid(s, &k)) {
                return fail_scale(s, j, error);
            }
            s->translations[f * joints + j] = sn_mat4_point(&k, s->joints[j].place);
            s->rotations[f * joints + j] =
                rotation_of(&k, f > 0 ? &s->rotations[(f - 1) * joints + j] : NULL);
        }
    }
cleanup:
    return status;
}

// The transform of a joint in the one above it.
static void find_local(const skel *s, size_t frame, uint32_t j, sn_vec3 *translation,
                       sn_quat *rotation) {
    const sn_vec3 *t = s->translations + frame * s->joint_count;
    const sn_quat *q = s->rotations + frame * s->joint_count;
    uint32_t parent = s->joints[j].parent;
    *translation = t[j];
    *rotation = q[j];
    if (parent != SN_NONE) {
        sn_quat back = sn_quat_conjugate(q[parent]);
        *translation = sn_quat_rotate(back, sn_vec3_sub(t[j], t[parent]));
        *rotation = sn_quat_multiply(back, q[j]);
    }
}

// ---------------------------------------------------------------------------------------------
// Text

static void put_tuple(const skel *s, const double *numbers, int count, int decimals) {
    sni_put(s->out, "(");
    for (int i = 0; i < count; ++i) {
        sni_put(s->out, i > 0 ? "," : "");
        sni_usda_put_rounded(s->out, numbers[i], decimals);
    }
    sni_put(s->out, ")");
}

static void put_vec3(const skel *s, sn_vec3 v) {
    put_tuple(s, (double[]){v.x, v.y, v.z}, 3, PLACE_DECIMALS);
}

static void put_translation_matrix(const skel *s, sn_vec3 v) {
    sni_put(s->out, "((1,0,0,0),(0,1,0,0),(0,0,1,0),");
    put_tuple(s, (double[]){v.x, v.y, v.z, 1}, 4, PLACE_DECIMALS);
    sni_put(s->out, ")");
}

static void put_joint_names(const skel *s, const char *indent) {
    sni_put(s->out, indent);
    sni_put(s->out, "uniform token[] joints = [");
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        sni_put(s->out, j > 0 ? ",\"" : "\"");
        sni_put(s->out, s->names[j]);
        sni_put(s->out, "\"");
    }
    sni_put(s->out, "]\n");
}

static void put_skeleton(const skel *s) {
    put_joint_names(s, "            ");
    sni_put(s->out, "            uniform matrix4d[] bindTransforms = [");
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        sni_put(s->out, j > 0 ? "," : "");
        put_translation_matrix(s, s->joints[j].place);
    }
    sni_put(s->out, "]\n            uniform matrix4d[] restTransforms = [");
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        uint32_t parent = s->joints[j].parent;
        sn_vec3 above = parent != SN_NONE ? s->joints[parent].place : sn_vec3_make(0, 0, 0);
        sni_put(s->out, j > 0 ? "," : "");
        put_translation_matrix(s, sn_vec3_sub(s->joints[j].place, above));
    }
    sni_put(s->out, "]\n");
}

typedef void put_value(const skel *s, size_t frame, uint32_t item);

static void put_translation(const skel *s, size_t frame, uint32_t j) {
    sn_vec3 translation;
    sn_quat rotation;
    find_local(s, frame, j, &translation, &rotation);
    put_vec3(s, translation);
}

static void put_rotation(const skel *s, size_t frame, uint32_t j) {
    sn_vec3 translation;
    sn_quat q;
    find_local(s, frame, j, &translation, &q);
    put_tuple(s, (double[]){q.w, q.x, q.y, q.z}, 4, TURN_DECIMALS);
}

static void put_weight(const skel *s, size_t frame, uint32_t target) {
    uint32_t count = s->mesh->target_count;
    const float *weights = s->desc->weights != NULL ? s->desc->weights[s->index] : NULL;
    sni_usda_put_rounded(s->out,
                         weights != NULL && s->desc->frame_count > 0
                             ? weights[frame * count + target]
                             : s->mesh->targets[target].weight,
                         TURN_DECIMALS);
}

static void put_samples(const skel *s, const char *name, put_value *put, uint32_t count) {
    uint32_t frames = s->desc->frame_count > 0 ? s->desc->frame_count : 1;
    sni_put(s->out, "                ");
    sni_put(s->out, name);
    sni_put(s->out, ".timeSamples = {\n");
    for (uint32_t f = 0; f < frames && s->out->status == SN_OK; ++f) {
        sni_put(s->out, "                    ");
        sni_put_uint(s->out, f);
        for (uint32_t i = 0; i < count; ++i) {
            sni_put(s->out, i > 0 ? "," : ": [");
            put(s, f, i);
        }
        sni_put(s->out, count > 0 ? "],\n" : ": [],\n");
    }
    sni_put(s->out, "                }\n");
}

// "target_007": names of targets may be anything.
static void put_target_name(const skel *s, uint32_t target) {
    sni_put(s->out, "target_");
    sni_put_uint(s->out, target + 1);
}

static void put_target_list(const skel *s, const char *name) {
    sni_put(s->out, name);
    for (uint32_t t = 0; t < s->mesh->target_count; ++t) {
        sni_put(s->out, t > 0 ? ",\"" : "\"");
        put_target_name(s, t);
        sni_put(s->out, "\"");
    }
    sni_put(s->out, "]\n");
}

static void put_animation(const skel *s) {
    sni_put(s->out, "            def SkelAnimation \"Anim\"\n            {\n");
    put_joint_names(s, "                ");
    put_samples(s, "float3[] translations", put_translation, s->joint_count);
    put_samples(s, "quatf[] rotations", put_rotation, s->joint_count);
    sni_put(s->out, "                half3[] scales = [");
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        sni_put(s->out, j > 0 ? ",(1,1,1)" : "(1,1,1)");
    }
    sni_put(s->out, "]\n");
    if (s->mesh->target_count > 0) {
        put_target_list(s, "                uniform token[] blendShapes = [");
        put_samples(s, "float[] blendShapeWeights", put_weight, s->mesh->target_count);
    }
    sni_put(s->out, "            }\n");
}

static void put_floats(const skel *s, const float *values, size_t count) {
    for (size_t i = 0; i < count && s->out->status == SN_OK; ++i) {
        sni_put(s->out, i > 0 ? ",(" : "(");
        for (size_t k = 0; k < 3; ++k) {
            sni_put(s->out, k > 0 ? "," : "");
            sni_put_float(s->out, values[3 * i + k]);
        }
        sni_put(s->out, ")");
    }
    sni_put(s->out, "]\n");
}

static uint32_t longest_row(const sn_mesh *mesh) {
    uint32_t longest = 1;
    for (uint32_t v = 0; mesh->weights != NULL && v < mesh->vertex_count; ++v) {
        uint32_t length = mesh->weights->offsets[v + 1] - mesh->weights->offsets[v];
        longest = length > longest ? length : longest;
    }
    return longest;
}

// Rows of equal length, filled with zeros. Weights add up to one, as UsdSkel asks for.
static void put_row(const skel *s, uint32_t vertex, uint32_t size, bool indices) {
    const sn_weights *weights = s->mesh->weights;
    uint32_t begin = weights != NULL ? weights->offsets[vertex] : 0;
    uint32_t end = weights != NULL ? weights->offsets[vertex + 1] : 0;
    uint32_t alone = weights != NULL ? s->joint_count - 1 : 0; // of a vertex without weights
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        sum += weights->values[i];
    }
    for (uint32_t i = 0; i < size; ++i) {
        bool used = begin + i < end;
        sni_put(s->out, i > 0 || vertex > 0 ? "," : "");
        if (indices) {
            sni_put_uint(s->out, used ? s->slots[weights->bones[begin + i]] : i == 0 ? alone : 0);
        } else {
            sni_usda_put_rounded(s->out,
                                 used     ? weights->values[begin + i] / (sum > 0 ? sum : 1)
                                 : i == 0 ? 1
                                          : 0,
                                 TURN_DECIMALS);
        }
    }
}

static void put_rows(const skel *s, const char *name, bool indices) {
    uint32_t size = longest_row(s->mesh);
    sni_put(s->out, name);
    for (uint32_t v = 0; v < s->mesh->vertex_count && s->out->status == SN_OK; ++v) {
        put_row(s, v, size, indices);
    }
    sni_put(s->out, "] (\n            elementSize = ");
    sni_put_uint(s->out, size);
    sni_put(s->out, "\n            interpolation = \"vertex\"\n        )\n");
}

static void put_targets(const skel *s) {
    put_target_list(s, "        uniform token[] skel:blendShapes = [");
    sni_put(s->out, "        rel skel:blendShapeTargets = [");
    for (uint32_t t = 0; t < s->mesh->target_count; ++t) {
        sni_put(s->out, t > 0 ? ",</Root/" : "</Root/");
        sni_put(s->out, s->prim);
        sni_put(s->out, "/Mesh/");
        put_target_name(s, t);
        sni_put(s->out, ">");
    }
    sni_put(s->out, "]\n");
    for (uint32_t t = 0; t < s->mesh->target_count; ++t) {
        const sn_target *target = &s->mesh->targets[t];
        sni_put(s->out, "\n        def BlendShape \"");
        put_target_name(s, t);
        sni_put(s->out, "\"\n        {\n            uniform vector3f[] offsets = [");
        put_floats(s, target->offsets, target->count);
        if (target->vertices != NULL) {
            sni_put(s->out, "            uniform int[] pointIndices = [");
            for (uint32_t i = 0; i < target->count; ++i) {
                sni_put(s->out, i > 0 ? "," : "");
                sni_put_uint(s->out, target->vertices[i]);
            }
            sni_put(s->out, "]\n");
        }
        sni_put(s->out, "        }\n");
    }
}

static void put_mesh(const skel *s) {
    sn_vec3 low, high;
    sni_put(s->out, "\n    def Mesh \"Mesh\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n"
                    "    )\n    {\n");
    sni_usda_put_topology(s->out, s->mesh);
    sni_put(s->out, "        point3f[] points = [");
    put_floats(s, s->mesh->positions, s->mesh->vertex_count);
    sn_mesh_bounds(s->mesh, &low, &high);
    sni_put(s->out, "        float3[] extent = [");
    put_vec3(s, low);
    sni_put(s->out, ",");
    put_vec3(s, high);
    sni_put(s->out, "]\n        matrix4d primvars:skel:geomBindTransform = ((");
    for (int k = 0; k < 3; ++k) {
        static const char *const before[] = {"", ",0,0,0),(0,", ",0,0),(0,0,"};
        sni_put(s->out, before[k]);
        sni_put_double(s->out, s->scale);
    }
    sni_put(s->out, ",0),(0,0,0,1))\n");
    put_rows(s, "        int[] primvars:skel:jointIndices = [", true);
    put_rows(s, "        float[] primvars:skel:jointWeights = [", false);
    sni_put(s->out, "        rel skel:skeleton = </Root/");
    sni_put(s->out, s->prim);
    sni_put(s->out, "/Skel>\n");
    if (s->mesh->target_count > 0) {
        put_targets(s);
    }
    sni_put(s->out, "    }\n");
}

static void put_root(const skel *s) {
    sni_put(s->out, "\n    def SkelRoot \"");
    sni_put(s->out, s->prim);
    sni_put(s->out, "\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n"
                    "        def Skeleton \"Skel\" (\n            prepend apiSchemas = "
                    "[\"SkelBindingAPI\"]\n        )\n        {\n");
    put_skeleton(s);
    sni_put(s->out, "            rel skel:animationSource = </Root/");
    sni_put(s->out, s->prim);
    sni_put(s->out, "/Skel/Anim>\n");
    put_animation(s);
    sni_put(s->out, "        }\n");
    put_mesh(s);
    sni_put(s->out, "    }\n");
}

// ---------------------------------------------------------------------------------------------
// Names

// Paths of joints: names of those above them and their own.
static sn_status name_joints(skel *s, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(s->context, s->names, s->joint_count);
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        uint32_t parent = s->joints[j].parent, segment = s->joints[j].segment;
        const char *above = parent != SN_NONE ? s->names[parent] : "";
        const char *name = segment != SN_NONE ? s->desc->skeleton->segments[segment].name : "still";
        char *identifier = sni_usda_identifier(s->context, name);
        size_t size = strlen(above) + (identifier != NULL ? strlen(identifier) : 0) + 16;
        s->names[j] = identifier != NULL ? sni_alloc(s->context, size, 1) : NULL;
        if (s->names[j] != NULL) {
            // The number keeps names apart that differ in what identifiers cannot have.
            snprintf(s->names[j], size, "%s%s%s_%u", above, parent != SN_NONE ? "/" : "",
                     identifier, j);
        }
        sni_free(s->context, identifier);
        SN_TRY(s->names[j] != NULL ? SN_OK : sni_fail_memory(error));
    }
cleanup:
    return status;
}

static void release_mesh(skel *s) {
    for (uint32_t j = 0; s->names != NULL && j < s->joint_count; ++j) {
        sni_free(s->context, s->names[j]);
    }
    sni_free(s->context, s->names);
    sni_free(s->context, s->joints);
    sni_free(s->context, s->slots);
    sni_free(s->context, s->translations);
    sni_free(s->context, s->rotations);
    s->names = NULL;
    s->joints = NULL;
    s->slots = NULL;
    s->translations = NULL;
    s->rotations = NULL;
}

static sn_status write_mesh(skel *s, sn_error *error) {
    char prim[32];
    sn_status status = SN_OK;
    char *identifier = sni_usda_identifier(s->context, s->mesh->name);
    char *full = identifier != NULL ? sni_alloc(s->context, strlen(identifier) + 16, 1) : NULL;
    SN_TRY(full != NULL ? SN_OK : sni_fail_memory(error));
    snprintf(prim, sizeof prim, "_%u", s->index);
    snprintf(full, strlen(identifier) + 16, "%s%s", identifier, s->index > 0 ? prim : "");
    s->prim = full;
    SN_TRY(list_joints(s, error));
    SN_TRY(find_places(s, error));
    SN_TRY(find_motion(s, error));
    SN_TRY(name_joints(s, error));
    put_root(s);
    status = s->out->status;
cleanup:
    release_mesh(s);
    sni_free(s->context, identifier);
    sni_free(s->context, full);
    return status;
}

sn_status sni_write_usd_skel(sn_context *context, const char *path,
                             const sn_export_skinned_desc *desc, sn_error *error) {
    skel s = {.context = context, .desc = desc};
    uint32_t last = desc->frame_count > 0 ? desc->frame_count - 1 : 0;
    sn_status status = SN_OK;
    if (desc->further_count > 0) {
        return sni_fail(error, SN_UNSUPPORTED, "a .usda holds one clip, not %u",
                        desc->further_count + 1);
    }
    sni_names_init(&s.segments, context);
    SNI_NEW_ZERO(context, s.out, 1);
    SNI_NEW(context, s.worlds, desc->skeleton->segment_count);
    SNI_NEW(context, s.joint_of, desc->skeleton->segment_count);
    for (uint32_t i = 0; i < desc->skeleton->segment_count; ++i) {
        SN_TRY(sni_names_add(&s.segments, desc->skeleton->segments[i].name, i, error));
    }
    SN_TRY(sni_skeleton_rest_worlds(context, desc->skeleton, &s.rest_worlds, error));
    SN_TRY(sni_text_output_open(NULL, path, s.out, error));
    sni_usda_put_stage(s.out, desc->rate, 0, last);
    for (uint32_t m = 0; m < desc->mesh_count; ++m) {
        s.mesh = desc->meshes[m];
        s.index = m;
        SN_TRY(write_mesh(&s, error));
    }
    sni_put(s.out, "}\n");
    status = sni_text_output_commit(s.out);
cleanup:
    if (s.out != NULL) {
        sni_text_output_close(s.out);
    }
    sni_free(context, s.out);
    sni_free(context, s.worlds);
    sni_free(context, s.joint_of);
    sni_names_deinit(&s.segments);
    sni_free(context, s.rest_worlds);
    return status;
}
