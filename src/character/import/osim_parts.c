// SPDX-License-Identifier: Apache-2.0
//
// Bones, skin and clips of a document that is made of an OpenSim model.
#include "base/file.h"
#include "base/text.h"
#include "character/import/osim.h"
#include "sinew/geometry.h"
#include "sinew/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- Bones

static void stem_of(const char *file, char stem[SNI_OSIM_NAME_BYTES]) {
    const char *name = sni_path_name(file);
    size_t length = strlen(name) - strlen(sni_path_extension(file));
    snprintf(stem, SNI_OSIM_NAME_BYTES, "%.*s", (int)(length < 200 ? length : 200), name);
    if (stem[0] == 0) {
        snprintf(stem, SNI_OSIM_NAME_BYTES, "mesh");
    }
}

// The mesh of a file, once however many bones have it.
static const char *mesh_of(sni_osim_builder *b, const char *file, const char *stem) {
    for (uint32_t i = 0; i < sn_value_count(b->meshes); ++i) {
        const sn_value *mesh = sn_value_at(b->meshes, i);
        if (strcmp(sn_value_string(sn_value_get(mesh, "file"), ""), file) == 0) {
            return mesh->key;
        }
    }
    char name[SNI_OSIM_NAME_BYTES];
    sn_value *mesh = sn_json_add_object(b->json, b->meshes, sni_osim_unique(b->meshes, stem, name));
    return sn_json_add_string(b->json, mesh, "file", file) != NULL ? mesh->key : NULL;
}

// A bone that is scaled, or that stands elsewhere than in the frame of its body, has a segment of
// its own.
static const char *segment_of(sni_osim_builder *b, const sni_osim_geometry *geometry,
                              const char *stem) {
    const sn_transform *place = &geometry->place;
    const char *body = b->model->bodies[geometry->body].name;
    sn_vec3 scale = place->scale;
    bool scaled = scale.x != 1 || scale.y != 1 || scale.z != 1;
    if (!scaled && sn_vec3_length(place->translation) == 0 && fabs(place->rotation.w) == 1) {
        return body;
    }
    char name[SNI_OSIM_NAME_BYTES];
    sn_value *segment =
        sni_osim_add_segment(b, sni_osim_unique_segment(b, stem, name), body, place);
    bool done = segment != NULL && (!scaled || sni_osim_add_vector(b, segment, "scale", scale));
    return done ? segment->key : NULL;
}

// --- What bones enclose

// Bones that fill less than this part of the ellipsoid in their box, and are larger than that, are
// cages such as ribs.
static const double cage_share = 0.06, cage_size = 0.2;
// The ellipsoid that fills a cage, as a part of its box.
static const double filling = 0.85;

static const sni_osim_box empty = {{INFINITY, INFINITY, INFINITY},
                                   {-INFINITY, -INFINITY, -INFINITY}};

static void widen(sni_osim_box *box, sn_vec3 point) {
    box->low = sn_vec3_min(box->low, point);
    box->high = sn_vec3_max(box->high, point);
}

static sn_vec3 in_body(const sni_osim_geometry *geometry, sn_vec3 point) {
    const sn_transform *place = &geometry->place;
    return sn_vec3_add(place->translation,
                       sn_quat_rotate(place->rotation, sn_vec3_multiply(place->scale, point)));
}

static sn_vec3 from_frame(const sn_transform *frame, sn_vec3 point) {
    return sn_vec3_add(frame->translation, sn_quat_rotate(frame->rotation, point));
}

static void include(sni_osim_builder *b, const sni_osim_geometry *geometry, sn_vec3 point) {
    sn_vec3 own = in_body(geometry, point);
    widen(&b->boxes[geometry->body], own);
    widen(&b->box, from_frame(&b->rest[geometry->body], own));
}

// Keeps where a cage is in the frame of its body's parent.
static void keep_cage(sni_osim_builder *b, const sni_osim_geometry *geometry, const sn_mesh *mesh,
                      const char *bone) {
    uint32_t parent = b->model->joints[b->model->bodies[geometry->body].joint].parent;
    sn_transform to_parent = sni_osim_inverse(&b->rest[parent]);
    to_parent = sni_osim_compose(&to_parent, &b->rest[geometry->body]);
    b->cage = bone;
    b->cage_body = geometry->body;
    b->cage_box = empty;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 own = in_body(geometry, sn_vec3_load(mesh->positions + 3 * i));
        widen(&b->cage_box, from_frame(&to_parent, own));
    }
}

static bool add_tissue(sni_osim_builder *b, const char *wanted, const char *segment, sn_vec3 center,
                       sn_vec3 radii) {
    char name[SNI_OSIM_NAME_BYTES];
    sn_value *tissue =
        sn_json_add_object(b->json, b->tissues, sni_osim_unique(b->tissues, wanted, name));
    sn_value *ellipsoid = sn_json_add_object(b->json, tissue, "ellipsoid");
    return sni_osim_add_vector(b, ellipsoid, "center", center) &&
           sni_osim_add_vector(b, ellipsoid, "radii", radii) &&
           sn_json_add_string(b->json, tissue, "segment", segment) != NULL;
}

// Fills the waist: from the middle of the cage to that of the bones of its body's parent, along the
// axis in which they lie furthest apart, as wide as what fills the cage.
static sn_status fill_waist(sni_osim_builder *b, sn_error *error) {
    uint32_t parent =
        b->cage != NULL ? b->model->joints[b->model->bodies[b->cage_body].joint].parent : 0;
    const sni_osim_box *box = &b->boxes[parent];
    if (parent == 0 || !(box->low.x <= box->high.x)) {
        return SN_OK;
    }
    sn_vec3 low = b->cage_box.low, high = b->cage_box.high;
    sn_vec3 cage = sn_vec3_lerp(low, high, 0.5), hips = sn_vec3_lerp(box->low, box->high, 0.5);
    double from[3] = {cage.x, cage.y, cage.z}, to[3] = {hips.x, hips.y, hips.z};
    double size[3] = {high.x - low.x, high.y - low.y, high.z - low.z}, center[3], radii[3];
    int along = 0;
    for (int k = 0; k < 3; ++k) {
        along = fabs(to[k] - from[k]) > fabs(to[along] - from[along]) ? k : along;
        center[k] = (from[k] + to[k]) / 2;
        radii[k] = filling * size[k] / 2;
    }
    radii[along] = fabs(from[along] - to[along]) / 2;
    if (!(radii[0] > 1e-3 && radii[1] > 1e-3 && radii[2] > 1e-3)) {
        return SN_OK;
    }
    if (!add_tissue(b, "waist", b->model->bodies[parent].name,
                    sn_vec3_make(center[0], center[1], center[2]),
                    sn_vec3_make(radii[0], radii[1], radii[2]))) {
        return sni_fail_memory(error);
    }
    return sni_osim_note(b, error, "guessed: between \"%s\" and \"%s\" is a waist of tissue",
                         b->cage, b->model->bodies[parent].name);
}

static sn_status volume_of(sn_context *context, const sn_mesh *mesh, double *volume,
                           sn_error *error) {
    sn_triangles *triangles = NULL;
    sn_mass mass = {0};
    sn_status status = SN_OK;
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    SN_TRY(sn_mass_compute(context, mesh->positions, triangles->vertices, triangles->count, &mass,
                           error));
    *volume = fabs(mass.volume);
cleanup:
    sn_triangles_destroy(triangles);
    return status;
}

// Fills a cage with tissue, so that skin closes over it.
static sn_status fill_cage(sni_osim_builder *b, const sni_osim_geometry *geometry,
                           const sn_mesh *mesh, const char *bone, const char *segment,
                           sn_error *error) {
    sn_vec3 low, high;
    double volume = 0;
    sn_status status = SN_OK;
    sn_mesh_bounds(mesh, &low, &high);
    sn_vec3 size = sn_vec3_sub(high, low), center = sn_vec3_lerp(low, high, 0.5);
    double around = SN_PI / 6 * size.x * size.y * size.z;
    SN_TRY(volume_of(b->context, mesh, &volume, error));
    if (fmin(size.x, fmin(size.y, size.z)) < cage_size / 2 ||
        fmax(size.x, fmax(size.y, size.z)) < cage_size || !(volume < cage_share * around)) {
        return SN_OK;
    }
    char wanted[SNI_OSIM_NAME_BYTES];
    snprintf(wanted, sizeof wanted, "%.200s filling", bone);
    if (!add_tissue(b, wanted, segment, center, sn_vec3_scale(size, filling / 2))) {
        return sni_fail_memory(error);
    }
    keep_cage(b, geometry, mesh, bone);
    status = sni_osim_note(b, error, "guessed: \"%s\" is a cage, and filled with tissue", bone);
cleanup:
    return status;
}

// A bone is about as thick as the second largest side of its box.
static void note_thickness(sni_osim_builder *b, const sni_osim_geometry *geometry,
                           const sn_mesh *mesh) {
    sn_vec3 low, high, scale = geometry->place.scale;
    if (mesh->vertex_count == 0) {
        return;
    }
    sn_mesh_bounds(mesh, &low, &high);
    double x = fabs(scale.x) * (high.x - low.x), y = fabs(scale.y) * (high.y - low.y),
           z = fabs(scale.z) * (high.z - low.z);
    b->thinnest = fmin(b->thinnest, fmax(fmin(x, y), fmin(fmax(x, y), z)));
}

// Measures the mesh of a bone.
static sn_status measure_bone(sni_osim_builder *b, const sni_osim_geometry *geometry,
                              const sn_mesh *mesh, const char *bone, const char *segment,
                              sn_error *error) {
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        include(b, geometry, sn_vec3_load(mesh->positions + 3 * i));
    }
    note_thickness(b, geometry, mesh);
    return mesh->vertex_count > 0 ? fill_cage(b, geometry, mesh, bone, segment, error) : SN_OK;
}

// A bone; or, on the ground, a floor or a treadmill, which is no part of the body: a hidden skin.
static sn_value *add_surface(sni_osim_builder *b, const char *stem, const char *mesh,
                             const char *segment, bool on_ground) {
    char name[SNI_OSIM_NAME_BYTES];
    sn_value *map = on_ground ? b->skins : b->bones;
    sn_value *surface = sn_json_add_object(b->json, map, sni_osim_unique(map, stem, name));
    bool done = sn_json_add_string(b->json, surface, "mesh", mesh) != NULL &&
                sn_json_add_string(b->json, surface, "segment", segment) != NULL &&
                sn_json_add_string(b->json, surface, "frame", "segment") != NULL &&
                (!on_ground || (sn_json_add_string(b->json, surface, "look", "plain") != NULL &&
                                sn_json_add_bool(b->json, surface, "show", false) != NULL));
    return done ? surface : NULL;
}

// A model without a mesh still moves: each is named, but not hundreds of them, and where there will
// be no skin, only their number.
enum { MOST_NAMED = 10 };

static sn_status note_missing(sni_osim_builder *b, const sni_osim_geometry *geometry,
                              const char *reason, sn_error *error) {
    return ++b->missing > MOST_NAMED || !b->desc->skin
               ? SN_OK
               : sni_osim_note(b, error, "%s:%u: the mesh \"%s\" is left out: %s", b->model_path,
                               geometry->line, geometry->file, reason);
}

static sn_status note_more_missing(sni_osim_builder *b, sn_error *error) {
    uint32_t named = !b->desc->skin ? 0 : b->missing < MOST_NAMED ? b->missing : MOST_NAMED;
    sn_status status = SN_OK;
    if (b->missing > named) {
        SN_TRY(sni_osim_note(b, error, "%s: %u %smesh%s left out", b->model_path,
                             b->missing - named, named > 0 ? "more " : "",
                             b->missing - named == 1 ? " is" : "es are"));
    }
    if (b->missing > 0) {
        SN_TRY(sni_osim_note(b, error,
                             "meshes are looked for beside the model, in Geometry/ and in the "
                             "folders above%s%s",
                             b->desc->geometry != NULL ? ", and in "
                                                       : "; --geometry DIR names "
                                                         "another folder",
                             b->desc->geometry != NULL ? b->desc->geometry : ""));
    }
cleanup:
    return status;
}

// Finds and reads a mesh. Without one `import` is NULL and the reason noted.
static sn_status read_geometry(sni_osim_builder *b, const sni_osim_geometry *geometry, char **path,
                               sn_import **import, sn_error *error) {
    sn_error wrong = {0};
    sn_status status = SN_OK;
    SN_TRY(sni_osim_find_mesh(b, geometry->file, path, error));
    if (*path == NULL) {
        return note_missing(b, geometry, "it is not found", error);
    }
    status = sn_import_file(b->context, *path, import, &wrong);
    if (status == SN_OUT_OF_MEMORY || status == SN_CANCELLED) {
        *error = wrong;
        return status;
    }
    if (status != SN_OK) {
        char text[sizeof wrong.message];
        sn_error_format(&wrong, text, sizeof text);
        return note_missing(b, geometry, text, error);
    }
    if ((*import)->mesh_count == 0) {
        sn_import_destroy(*import);
        *import = NULL;
        return note_missing(b, geometry, "there is no mesh in its file", error);
    }
cleanup:
    return status;
}

static sn_status add_geometry(sni_osim_builder *b, const sni_osim_geometry *geometry,
                              sn_error *error) {
    char stem[SNI_OSIM_NAME_BYTES];
    char *path = NULL, *file = NULL;
    sn_import *import = NULL;
    bool on_ground = geometry->body == 0;
    sn_status status = SN_OK;
    SN_TRY(read_geometry(b, geometry, &path, &import, error));
    if (import == NULL) {
        goto cleanup;
    }
    file = sni_path_relative(b->context, b->document_path, path);
    stem_of(path, stem);
    const char *mesh = file != NULL ? mesh_of(b, file, stem) : NULL;
    const char *segment = mesh != NULL ? segment_of(b, geometry, stem) : NULL;
    sn_value *surface = segment != NULL ? add_surface(b, stem, mesh, segment, on_ground) : NULL;
    if (surface == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    if (on_ground) {
        SN_TRY(sni_osim_note(b, error, "\"%s\" stands on the ground: a hidden skin", surface->key));
    } else {
        SN_TRY(measure_bone(b, geometry, import->meshes[0], surface->key, segment, error));
    }
cleanup:
    sn_import_destroy(import);
    sni_free(b->context, path);
    sni_free(b->context, file);
    return status;
}

sn_status sni_osim_add_bones(sni_osim_builder *b, sn_error *error) {
    sn_status status = SN_OK;
    b->thinnest = INFINITY;
    for (uint32_t i = 0; i < b->model->body_count; ++i) {
        b->boxes[i] = empty;
    }
    for (uint32_t i = 0; i < b->model->geometry_count; ++i) {
        SN_TRY(add_geometry(b, &b->model->geometries[i], error));
    }
    SN_TRY(note_more_missing(b, error));
    SN_TRY(fill_waist(b, error));
cleanup:
    return status;
}

// --- Skin

// Nodes that far apart are fine enough for a body; half as far as its smallest bone is thick where
// that is less, but not below the least. Smoothed over 13 mm, a low level closes skin over what the
// model leaves out between muscles, and a higher one keeps thighs apart.
static const double node_distance = 0.006, least_distance = 0.004, skin_filter = 0.0132;
static const double skin_level = 10;
// Bones of fingers and toes are too thin for that: a finer filter, in nodes, keeps them under the
// skin. Between bones and muscles of the pelvis are holes of a few centimetres, which are none of
// the body.
static const double skin_detail = 1, skin_holes = 0.06;
enum { LEAST_NODES = 100, MOST_NODES = 500, MARGIN_NODES = 20 };

static bool add_grid(sni_osim_builder *b, sn_value *extract) {
    sn_vec3 size = sn_vec3_sub(b->box.high, b->box.low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    double distance = fmin(fmax(b->thinnest / 2, least_distance), node_distance);
    double nodes = isfinite(longest) ? longest / distance + MARGIN_NODES : LEAST_NODES;
    nodes = round(fmin(fmax(nodes, LEAST_NODES), MOST_NODES));
    double spacing = isfinite(longest) ? longest / fmax(nodes - MARGIN_NODES, 1) : distance;
    double filter = round(10 * skin_filter / spacing) / 10;
    return sn_json_add_number(b->json, extract, "dimension", nodes) != NULL &&
           sn_json_add_number(b->json, extract, "filter", filter) != NULL &&
           sn_json_add_number(b->json, extract, "threshold", skin_level) != NULL &&
           sn_json_add_number(b->json, extract, "detail", skin_detail) != NULL &&
           sn_json_add_number(b->json, extract, "holes", skin_holes) != NULL;
}

bool sni_osim_add_skin(sni_osim_builder *b) {
    char mesh_name[SNI_OSIM_NAME_BYTES], skin_name[SNI_OSIM_NAME_BYTES];
    sni_osim_unique(b->meshes, "skin", mesh_name);
    sni_osim_unique(b->skins, "skin", skin_name);
    sn_value *mesh = sn_json_add_object(b->json, b->meshes, mesh_name);
    sn_value *extract = sn_json_add_object(b->json, mesh, "extract");
    sn_value *skin = sn_json_add_object(b->json, b->skins, skin_name);
    bool done = extract != NULL && add_grid(b, extract) &&
                sn_json_add_string(b->json, skin, "mesh", mesh_name) != NULL;
    sn_value *list = sn_json_add_array(b->json, skin, "deformers");
    sn_value *membrane = sn_json_add_object(b->json, list, NULL);
    return done && sn_json_add_string(b->json, membrane, "kind", "membrane") != NULL;
}

// --- Clips

// Whether a column moves something: a coordinate that no coupler computes, or an activation.
static bool is_played(const sni_osim_builder *b, const char *column) {
    for (uint32_t i = 0; i < b->model->coordinate_count; ++i) {
        const sni_osim_coordinate *c = &b->model->coordinates[i];
        if (c->source != SN_NONE && strcmp(c->name, column) == 0) {
            return false;
        }
    }
    return sn_value_get(sn_value_get(b->root, "controls"), column) != NULL;
}

// Columns that the model lacks, or that a coupler computes in it, are left out by name. Those that
// it lacks are told; a motion of which nothing fits is of another model.
static sn_status add_ignored(sni_osim_builder *b, const sn_clip *clip, const char *path,
                             sn_value *object, sn_error *error) {
    const sn_value *controls = sn_value_get(b->root, "controls");
    sn_value *list = NULL;
    sni_name_list lacking = {0};
    uint32_t played = 0;
    for (uint32_t t = 0; clip->is_table && t < clip->track_count; ++t) {
        const char *column = clip->tracks[t].target;
        if (is_played(b, column)) {
            ++played;
            continue;
        }
        if (sn_value_get(controls, column) == NULL) {
            sni_name_list_add(&lacking, column);
        }
        list = list != NULL ? list : sn_json_add_array(b->json, object, "ignore");
        if (sn_json_add_string(b->json, list, NULL, column) == NULL) {
            return sni_fail_memory(error);
        }
    }
    char names[SNI_NAME_LIST_BYTES];
    if (clip->is_table && played == 0) {
        return sni_fail(error, SN_INVALID, "%s: the model has none of its columns: %s", path,
                        sni_name_list_text(&lacking, names));
    }
    return lacking.count == 0
               ? SN_OK
               : sni_osim_note(b, error, "%s: %u column%s that the model lacks %s left out: %s",
                               path, lacking.count, lacking.count == 1 ? "" : "s",
                               lacking.count == 1 ? "is" : "are",
                               sni_name_list_text(&lacking, names));
}

static sn_status add_clip(sni_osim_builder *b, sn_value *clips, const char *path, sn_error *error) {
    char stem[SNI_OSIM_NAME_BYTES], name[SNI_OSIM_NAME_BYTES];
    sn_import *import = NULL;
    char *file = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_import_file(b->context, path, &import, error));
    if (import->clip_count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "%s: there is no motion in it", path));
    }
    file = sni_path_relative(b->context, b->document_path, path);
    stem_of(path, stem);
    sn_value *clip = sn_json_add_object(b->json, clips, sni_osim_unique(clips, stem, name));
    if (file == NULL || sn_json_add_string(b->json, clip, "file", file) == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(add_ignored(b, import->clips[0], path, clip, error));
cleanup:
    sn_import_destroy(import);
    sni_free(b->context, file);
    return status;
}

sn_status sni_osim_add_clips(sni_osim_builder *b, sn_error *error) {
    sn_status status = SN_OK;
    if (b->desc->motion_count == 0) {
        return SN_OK;
    }
    sn_value *clips = sn_json_add_object(b->json, b->root, "clips");
    for (uint32_t i = 0; i < b->desc->motion_count && status == SN_OK; ++i) {
        status =
            clips != NULL ? add_clip(b, clips, b->desc->motions[i], error) : sni_fail_memory(error);
    }
    return status;
}
