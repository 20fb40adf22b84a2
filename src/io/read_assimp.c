// SPDX-License-Identifier: Apache-2.0
//
// FBX and Collada through Assimp, the one file that knows it: meshes with bones, morph targets and
// attributes, the tree of nodes, and animations of nodes.
//
// Assimp gives every corner of a face a vertex of its own. Vertices that stand at one place and
// move alike are joined again (join.h), but their order is Assimp's, not the file's. Lengths become
// metres by the unit of the file. Materials keep colour alone, images are not read, nor are
// cameras and lights. What comes back is checked by import.c as everything else.
#include "base/context.h"
#include "base/file.h"
#include "io/import.h"
#include "io/join.h"
#include "motion/skeleton.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <string.h>

// A scene and its nodes, which become segments of the same numbers.
typedef struct assimp_reader {
    sn_context *context;
    const char *path;
    const struct aiScene *scene;
    uint32_t node_count, node_capacity;
    const struct aiNode **nodes;
    uint32_t *parents;
    sn_import *import;
} assimp_reader;

static sn_mat4 to_mat4(const struct aiMatrix4x4 *a) {
    return (sn_mat4){{a->a1, a->b1, a->c1, a->d1, a->a2, a->b2, a->c2, a->d2, a->a3, a->b3, a->c3,
                      a->d3, a->a4, a->b4, a->c4, a->d4}};
}

// ---------------------------------------------------------------------------------------------
// Nodes

static sn_status push_node(assimp_reader *reader, const struct aiNode *node, uint32_t parent,
                           sn_error *error) {
    uint32_t count = reader->node_count;
    uint32_t parent_capacity = reader->node_capacity;
    if (!sni_grow(reader->context, &reader->parents, &parent_capacity, count + 1,
                  sizeof *reader->parents) ||
        !sni_grow(reader->context, &reader->nodes, &reader->node_capacity, count + 1,
                  sizeof *reader->nodes)) {
        return sni_fail_memory(error);
    }
    reader->nodes[count] = node;
    reader->parents[count] = parent;
    reader->node_count++;
    return SN_OK;
}

// Breadth first, so that depth costs no stack.
static sn_status collect_nodes(assimp_reader *reader, sn_error *error) {
    sn_status status = push_node(reader, reader->scene->mRootNode, SN_NONE, error);
    for (uint32_t i = 0; i < reader->node_count && status == SN_OK; ++i) {
        const struct aiNode *node = reader->nodes[i];
        for (uint32_t k = 0; k < node->mNumChildren && status == SN_OK; ++k) {
            status = push_node(reader, node->mChildren[k], i, error);
        }
    }
    return status;
}

static sn_status make_segments(assimp_reader *reader, char ***slots, sn_error *error) {
    sn_skeleton *skeleton = &reader->import->skeleton;
    for (uint32_t i = 0; i < reader->node_count; ++i) {
        sn_segment *segment = &skeleton->segments[i];
        sn_mat4 local = to_mat4(&reader->nodes[i]->mTransformation);
        double size = 0;
        for (int k = 0; k < 16; ++k) {
            size = fmax(size, fabs(local.m[k]));
        }
        segment->parent = reader->parents[i];
        segment->name = sni_string_copy_n(reader->context, reader->nodes[i]->mName.data,
                                          reader->nodes[i]->mName.length);
        if (segment->name == NULL) {
            return sni_fail_memory(error);
        }
        if (!isfinite(size)) {
            return sni_fail(error, SN_INVALID, "the transform of node \"%s\" is not finite",
                            segment->name);
        }
        if (sn_mat4_decompose(&local, &segment->rest) > 1e-4 * size) { // floats have 7 digits
            sni_log(reader->context, SN_LOG_WARNING, "io", "%s: ignored the shear of node \"%s\"",
                    reader->path, segment->name);
        }
        slots[i] = &segment->name;
    }
    return SN_OK;
}

static sn_status make_skeleton(assimp_reader *reader, sn_error *error) {
    sn_status status = SN_OK;
    char ***slots = NULL;
    uint32_t changed;
    SN_TRY(collect_nodes(reader, error));
    SN_TRY(
        sni_skeleton_init(reader->context, reader->node_count, &reader->import->skeleton, error));
    SNI_NEW(reader->context, slots, reader->node_count);
    SN_TRY(make_segments(reader, slots, error));
    SN_TRY(
        sni_make_names_unique(reader->context, slots, reader->node_count, "node", &changed, error));
    if (changed > 0) {
        sni_log(reader->context, SN_LOG_WARNING, "io",
                "%s: %u nodes without a name of their own got a number", reader->path, changed);
    }
    SN_TRY(sni_skeleton_sort(reader->context, &reader->import->skeleton, error));
cleanup:
    sni_free(reader->context, slots);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Meshes

static sn_status copy_faces(const struct aiMesh *source, sn_mesh *mesh, sn_error *error) {
    uint32_t corner = 0;
    for (uint32_t f = 0; f < source->mNumFaces; ++f) {
        const struct aiFace *face = &source->mFaces[f];
        for (uint32_t k = 0; k < face->mNumIndices; ++k) {
            if (face->mIndices[k] >= source->mNumVertices) {
                return sni_fail(error, SN_INVALID, "face %u uses vertex %u, but there are %u", f,
                                face->mIndices[k], source->mNumVertices);
            }
            mesh->corners[corner++] = face->mIndices[k];
        }
        mesh->face_offsets[f + 1] = corner;
    }
    return SN_OK;
}

static void copy_vectors(const struct aiVector3D *source, uint32_t count, uint32_t width,
                         float *values) {
    for (size_t i = 0; i < count; ++i) {
        values[width * i] = source[i].x;
        values[width * i + 1] = source[i].y;
        if (width > 2) {
            values[width * i + 2] = source[i].z;
        }
    }
}

static sn_status add_vectors(sn_mesh *mesh, const char *name, const struct aiVector3D *vectors,
                             uint32_t width, sn_error *error) {
    sn_attribute *attribute;
    sn_status status =
        sn_mesh_add_attribute(mesh, name, width, mesh->vertex_count, false, &attribute, error);
    if (status == SN_OK) {
        copy_vectors(vectors, mesh->vertex_count, width, attribute->values);
    }
    return status;
}

static sn_status add_attributes(const struct aiMesh *source, sn_mesh *mesh, sn_error *error) {
    sn_status status = SN_OK;
    static const char *const uv_names[] = {"uv", "uv1"};
    for (int i = 0; i < 2; ++i) {
        if (source->mTextureCoords[i] != NULL) {
            SN_TRY(add_vectors(mesh, uv_names[i], source->mTextureCoords[i], 2, error));
        }
    }
    if (source->mNormals != NULL) {
        SN_TRY(add_vectors(mesh, "normal", source->mNormals, 3, error));
    }
    if (source->mColors[0] != NULL) {
        sn_attribute *attribute;
        SN_TRY(
            sn_mesh_add_attribute(mesh, "color", 4, mesh->vertex_count, false, &attribute, error));
        for (size_t i = 0; i < mesh->vertex_count; ++i) {
            const struct aiColor4D *c = &source->mColors[0][i];
            memcpy(attribute->values + 4 * i, (float[]){c->r, c->g, c->b, c->a}, 4 * sizeof(float));
        }
    }
cleanup:
    return status;
}

// Turns lists per bone into rows per vertex: counts, then sums, then entries.
static void fill_weights(const struct aiMesh *source, sn_weights *weights) {
    uint32_t *ends = weights->offsets + 1;
    for (uint32_t b = 0; b < source->mNumBones; ++b) {
        const struct aiBone *bone = source->mBones[b];
        for (uint32_t i = 0; i < bone->mNumWeights; ++i) {
            ends[bone->mWeights[i].mVertexId]++;
        }
    }
    uint32_t sum = 0;
    for (uint32_t v = 0; v < source->mNumVertices; ++v) {
        uint32_t count = ends[v];
        ends[v] = sum;
        sum += count;
    }
    for (uint32_t b = 0; b < source->mNumBones; ++b) {
        const struct aiBone *bone = source->mBones[b];
        for (uint32_t i = 0; i < bone->mNumWeights; ++i) {
            uint32_t entry = ends[bone->mWeights[i].mVertexId]++;
            weights->bones[entry] = b;
            weights->values[entry] = bone->mWeights[i].mWeight;
        }
    }
}

static sn_status add_weights(const struct aiMesh *source, sn_mesh *mesh, sn_error *error) {
    sn_status status = SN_OK;
    uint64_t count = 0;
    for (uint32_t b = 0; b < source->mNumBones; ++b) {
        const struct aiBone *bone = source->mBones[b];
        count += bone->mNumWeights;
        for (uint32_t i = 0; i < bone->mNumWeights; ++i) {
            if (bone->mWeights[i].mVertexId >= source->mNumVertices) {
                return sni_fail(error, SN_INVALID, "bone \"%s\" moves vertex %u of %u",
                                bone->mName.data, bone->mWeights[i].mVertexId,
                                source->mNumVertices);
            }
        }
    }
    if (count == 0 || count > UINT32_MAX) {
        return count == 0 ? SN_OK : sni_fail(error, SN_LIMIT, "too many weights");
    }
    SN_TRY(sn_mesh_set_weights(mesh, source->mNumBones, (uint32_t)count, true, error));
    mesh->weights->offsets[mesh->vertex_count] = 0; // a count like the others, until summed
    fill_weights(source, mesh->weights);
    for (uint32_t b = 0; b < source->mNumBones; ++b) {
        mesh->weights->inverse_bind[b] = to_mat4(&source->mBones[b]->mOffsetMatrix);
        SN_TRY(sn_mesh_name_bone(mesh, b, source->mBones[b]->mName.data, error));
    }
cleanup:
    return status;
}

static sn_status add_targets(const struct aiMesh *source, sn_mesh *mesh, sn_error *error) {
    for (uint32_t t = 0; t < source->mNumAnimMeshes; ++t) {
        const struct aiAnimMesh *shape = source->mAnimMeshes[t];
        if (shape->mVertices == NULL || shape->mNumVertices != source->mNumVertices) {
            continue; // it changes something else than the shape
        }
        sn_target *target;
        sn_status status =
            sn_mesh_add_target(mesh, shape->mName.data, mesh->vertex_count, false, &target, error);
        if (status != SN_OK) {
            return status;
        }
        copy_vectors(shape->mVertices, mesh->vertex_count, 3, target->offsets);
        for (size_t i = 0; i < (size_t)mesh->vertex_count * 3; ++i) {
            target->offsets[i] -= mesh->positions[i];
        }
    }
    return SN_OK;
}

static sn_status add_material(const assimp_reader *reader, const struct aiMesh *source,
                              sn_mesh *mesh, sn_error *error) {
    if (source->mMaterialIndex >= reader->scene->mNumMaterials) {
        return SN_OK;
    }
    const struct aiMaterial *given = reader->scene->mMaterials[source->mMaterialIndex];
    struct aiString name = {0};
    struct aiColor4D color;
    sn_material *material;
    if (aiGetMaterialString(given, AI_MATKEY_NAME, &name) != aiReturn_SUCCESS || name.length == 0) {
        return SN_OK;
    }
    sn_status status = sn_mesh_add_material(mesh, name.data, &material, error);
    if (status != SN_OK) {
        return status;
    }
    if (aiGetMaterialColor(given, AI_MATKEY_COLOR_DIFFUSE, &color) == aiReturn_SUCCESS) {
        memcpy(material->base_color, (float[]){color.r, color.g, color.b, color.a},
               sizeof material->base_color);
        material->has_color = true;
    }
    return sn_mesh_add_run(mesh, SN_RUN_MATERIAL, 0, name.data, error);
}

static sn_status make_mesh(const assimp_reader *reader, const struct aiMesh *source,
                           const char *node_name, sn_mesh **mesh, sn_error *error) {
    sn_status status = SN_OK;
    uint64_t corner_count = 0;
    for (uint32_t f = 0; f < source->mNumFaces; ++f) {
        corner_count += source->mFaces[f].mNumIndices;
    }
    if (corner_count >= UINT32_MAX || source->mNumVertices == SN_NONE) {
        return sni_fail(error, SN_LIMIT, "a mesh of %llu corners is too large",
                        (unsigned long long)corner_count);
    }
    const char *name = source->mName.length > 0 ? source->mName.data : node_name;
    SN_TRY(sn_mesh_create(reader->context, name, source->mNumVertices, source->mNumFaces,
                          (uint32_t)corner_count, mesh, error));
    copy_vectors(source->mVertices, source->mNumVertices, 3, (*mesh)->positions);
    SN_TRY(copy_faces(source, *mesh, error));
    SN_TRY(add_attributes(source, *mesh, error));
    SN_TRY(add_weights(source, *mesh, error));
    SN_TRY(add_targets(source, *mesh, error));
    SN_TRY(add_material(reader, source, *mesh, error));
    SN_TRY(sni_join_split_vertices(*mesh, error));
cleanup:
    if (status != SN_OK) {
        sni_error_place(error, 0, "mesh \"%s\"", source->mName.data);
    }
    return status;
}

static sn_status make_meshes_of_node(assimp_reader *reader, uint32_t index, sn_error *error) {
    const struct aiNode *node = reader->nodes[index];
    for (uint32_t i = 0; i < node->mNumMeshes; ++i) {
        sn_mesh *mesh = NULL;
        sn_status status = make_mesh(reader, reader->scene->mMeshes[node->mMeshes[i]],
                                     node->mName.data, &mesh, error);
        if (status != SN_OK) {
            sn_mesh_destroy(mesh);
            return status;
        }
        uint32_t segment = mesh->weights == NULL ? index : SN_NONE;
        status = sni_import_add_mesh(reader->import, mesh, segment, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Animations

// Keys with numbers between `times[i]`; of keys at one time the last one counts.
typedef struct key_list {
    sn_clip *clip;
    sn_track *track;
    double seconds_per_tick;
} key_list;

static sn_status begin_keys(key_list *keys, sn_track_kind kind, const char *name, uint32_t count,
                            sn_error *error) {
    sn_status status = sn_clip_add_track(keys->clip, kind, name, SN_INTERPOLATION_LINEAR, count,
                                         &keys->track, error);
    if (status == SN_OK) {
        keys->track->key_count = 0;
    }
    return status;
}

static void add_key(key_list *keys, double tick, const double *value) {
    sn_track *track = keys->track;
    double time = tick * keys->seconds_per_tick;
    uint32_t width = sn_track_width(track);
    if (track->key_count > 0 && time <= track->times[track->key_count - 1]) {
        track->key_count--;
        time = track->times[track->key_count];
    }
    track->times[track->key_count] = time;
    memcpy(track->values + (size_t)width * track->key_count, value, width * sizeof *value);
    track->key_count++;
}

static sn_status add_channel(key_list *keys, const struct aiNodeAnim *channel, sn_error *error) {
    sn_status status = SN_OK;
    const char *name = channel->mNodeName.data;
    if (channel->mNumPositionKeys > 0) {
        SN_TRY(begin_keys(keys, SN_TRACK_TRANSLATION, name, channel->mNumPositionKeys, error));
        for (uint32_t i = 0; i < channel->mNumPositionKeys; ++i) {
            const struct aiVectorKey *key = &channel->mPositionKeys[i];
            add_key(keys, key->mTime, (double[]){key->mValue.x, key->mValue.y, key->mValue.z});
        }
    }
    if (channel->mNumRotationKeys > 0) {
        SN_TRY(begin_keys(keys, SN_TRACK_ROTATION, name, channel->mNumRotationKeys, error));
        for (uint32_t i = 0; i < channel->mNumRotationKeys; ++i) {
            const struct aiQuatKey *key = &channel->mRotationKeys[i];
            sn_quat q = sn_quat_normalize(
                (sn_quat){key->mValue.x, key->mValue.y, key->mValue.z, key->mValue.w});
            add_key(keys, key->mTime, (double[]){q.x, q.y, q.z, q.w});
        }
    }
    if (channel->mNumScalingKeys > 0) {
        SN_TRY(begin_keys(keys, SN_TRACK_SCALE, name, channel->mNumScalingKeys, error));
        for (uint32_t i = 0; i < channel->mNumScalingKeys; ++i) {
            const struct aiVectorKey *key = &channel->mScalingKeys[i];
            add_key(keys, key->mTime, (double[]){key->mValue.x, key->mValue.y, key->mValue.z});
        }
    }
cleanup:
    return status;
}

static bool falls_on_frames(const sn_clip *clip, double rate) {
    static const double tolerance = 0.02; // of a frame
    for (uint32_t t = 0; t < clip->track_count; ++t) {
        for (uint32_t i = 0; i < clip->tracks[t].key_count; ++i) {
            double frame = clip->tracks[t].times[i] * rate;
            if (fabs(frame - round(frame)) > tolerance) {
                return false;
            }
        }
    }
    return true;
}

// Frames per second of an animation. Assimp's ticks are the frames of the file where it states
// them; an FBX may leave that open (one tick a second, or a negative number), and Collada has none
// (a thousand). Then it is the first usual rate at which all keys fall on frames, else 30.
static double find_rate(const sn_clip *clip, double ticks_per_second) {
    static const double usual[] = {
        30, 24, 25, 60, 48, 50, 120, 30000 / 1001.0, 24000 / 1001.0, 60000 / 1001.0, 100, 240};
    if (ticks_per_second >= 10 && ticks_per_second <= 240) {
        return ticks_per_second;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; ++i) {
        if (falls_on_frames(clip, usual[i])) {
            return usual[i];
        }
    }
    return 30;
}

static sn_status set_frames(sn_clip *clip, const struct aiAnimation *animation, double ticks,
                            sn_error *error) {
    clip->rate = find_rate(clip, ticks);
    double frames = floor(animation->mDuration / ticks * clip->rate + 0.5) + 1;
    if (!(frames >= 1 && frames < UINT32_MAX)) {
        return sni_fail(error, SN_INVALID, "animation \"%s\" lasts %g ticks", animation->mName.data,
                        animation->mDuration);
    }
    clip->frame_count = (uint32_t)frames;
    return SN_OK;
}

static sn_status make_clip(assimp_reader *reader, const struct aiAnimation *animation,
                           sn_error *error) {
    sn_status status = SN_OK;
    sn_clip *clip = NULL;
    // Negative ticks are those of times that are negative, too; zero is Assimp's word for unknown.
    double ticks = animation->mTicksPerSecond != 0 ? animation->mTicksPerSecond : 25;
    const char *name = animation->mName.length > 0 ? animation->mName.data : "animation";
    SN_TRY(sn_clip_create(reader->context, name, 1, 1, &clip, error));
    SN_TRY(sni_skeleton_copy(reader->context, &reader->import->skeleton, &clip->skeleton, error));
    key_list keys = {.clip = clip, .seconds_per_tick = 1 / ticks};
    for (uint32_t i = 0; i < animation->mNumChannels; ++i) {
        SN_TRY(add_channel(&keys, animation->mChannels[i], error));
    }
    SN_TRY(set_frames(clip, animation, ticks, error));
    if (animation->mNumMorphMeshChannels > 0) {
        sni_log(reader->context, SN_LOG_WARNING, "io",
                "%s: ignored the motion of morph targets in \"%s\"", reader->path, name);
    }
    status = sni_import_add_clip(reader->import, clip, error);
    clip = NULL;
cleanup:
    sn_clip_destroy(clip);
    return status;
}

static sn_status convert(assimp_reader *reader, sn_error *error) {
    sn_status status = SN_OK;
    if (reader->scene->mRootNode == NULL) {
        return sni_fail(error, SN_INVALID, "the file has no nodes");
    }
    SN_TRY(make_skeleton(reader, error));
    for (uint32_t i = 0; i < reader->node_count; ++i) {
        SN_TRY(make_meshes_of_node(reader, i, error));
    }
    for (uint32_t i = 0; i < reader->scene->mNumAnimations; ++i) {
        SN_TRY(make_clip(reader, reader->scene->mAnimations[i], error));
    }
cleanup:
    return status;
}

sn_status sni_read_assimp(const sni_source *source, sn_import *import, sn_error *error) {
    if (source->size == 0 || source->size > UINT32_MAX) {
        return sni_fail(error, source->size == 0 ? SN_SYNTAX : SN_LIMIT,
                        "a file of %zu bytes cannot be read through Assimp", source->size);
    }
    assimp_reader reader = {.context = source->context, .path = source->name, .import = import};
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    // Without its helper nodes for pivots, a joint stays one node.
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    const char *extension = sni_path_extension(source->name);
    reader.scene = aiImportFileFromMemoryWithProperties(
        source->bytes, (uint32_t)source->size,
        aiProcess_JoinIdenticalVertices | aiProcess_GlobalScale,
        extension[0] == '.' ? extension + 1 : "fbx", properties);
    aiReleasePropertyStore(properties);
    sn_status status;
    if (reader.scene == NULL) {
        status = sni_fail(error, SN_SYNTAX, "Assimp: %s", aiGetErrorString());
    } else {
        status = convert(&reader, error);
        aiReleaseImport(reader.scene);
    }
    sni_free(source->context, reader.nodes);
    sni_free(source->context, reader.parents);
    return status;
}
