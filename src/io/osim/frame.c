// SPDX-License-Identifier: Apache-2.0
//
// Bodies, frames fixed to them, and what hangs on those: meshes and wrap objects.
#include "base/text.h"
#include "io/osim/osim_internal.h"

#include <string.h>

// Frames may hang on frames this deep.
#define FRAME_DEPTH_MAX 64

sn_transform sni_osim_compose(const sn_transform *a, const sn_transform *b) {
    sn_transform made = sn_transform_identity();
    made.rotation = sn_quat_multiply(a->rotation, b->rotation);
    made.translation = sn_vec3_add(a->translation, sn_quat_rotate(a->rotation, b->translation));
    return made;
}

sn_transform sni_osim_inverse(const sn_transform *a) {
    sn_transform made = sn_transform_identity();
    made.rotation = sn_quat_conjugate(a->rotation);
    made.translation = sn_vec3_scale(sn_quat_rotate(made.rotation, a->translation), -1);
    return made;
}

// --- Bodies

static sn_status add_body(sni_osim_parser *p, const sni_xml_element *element, const char *name,
                          sn_error *error) {
    sni_osim *model = p->model;
    sni_osim_body *body = &model->bodies[model->body_count];
    *body = (sni_osim_body){.name = name, .line = element->line, .joint = SN_NONE};
    if (name[0] == 0) {
        return sni_xml_fail(element, error, SN_INVALID, "a body has no name");
    }
    for (uint32_t i = 0; i < model->body_count; ++i) {
        if (strcmp(model->bodies[i].name, name) == 0) {
            return sni_xml_fail(element, error, SN_INVALID,
                                "there are two bodies \"%s\"; the other one stands in line %u",
                                name, model->bodies[i].line);
        }
    }
    ++model->body_count;
    return SN_OK;
}

// The ground is body 0: <Ground> of version 4, the body "ground" of version 3, or one that nobody
// wrote.
sn_status sni_osim_read_bodies(sni_osim_parser *p, sn_error *error) {
    const sni_xml_element *set = sni_osim_objects(p->root, "BodySet");
    const sni_xml_element *ground = sni_xml_child(p->root, "Ground");
    const char *name = "ground";
    sn_status status = SN_OK;
    SNI_OSIM_NEW(p, p->model->bodies, sni_osim_count(set) + 1);
    if (ground != NULL && sni_xml_value(ground, "name") != NULL) {
        SN_TRY(sni_osim_name(p, ground, &name, error));
    }
    SN_TRY(add_body(p, ground != NULL ? ground : p->root, name, error));
    for (const sni_xml_element *e = sni_xml_child(set, "Body"); e != NULL;
         e = sni_xml_next(e, "Body")) {
        const char *body_name;
        SN_TRY(sni_osim_name(p, e, &body_name, error));
        if (strcmp(body_name, "ground") == 0 && ground == NULL) {
            p->model->bodies[0].line = e->line;
            continue;
        }
        SN_TRY(add_body(p, e, body_name, error));
    }
cleanup:
    return status;
}

static uint32_t find_body(const sni_osim *model, sni_word name) {
    for (uint32_t i = 0; i < model->body_count; ++i) {
        if (sni_osim_same(name, model->bodies[i].name)) {
            return i;
        }
    }
    return SN_NONE;
}

// --- Frames

static sn_status collect_frames(sni_osim_parser *p, const sni_xml_element *element,
                                sn_error *error) {
    sn_status status = SN_OK;
    for (const sni_xml_element *e = sni_xml_child(element, NULL); e != NULL;
         e = sni_xml_next(e, NULL)) {
        if (sni_xml_is(e, "PhysicalOffsetFrame")) {
            sni_osim_frame *frame = &p->frames[p->frame_count++];
            const char *owner = sni_xml_value(element->parent, "name");
            *frame = (sni_osim_frame){.element = e,
                                      .owner = owner != NULL ? owner : "",
                                      .body = SN_NONE,
                                      .at = sn_transform_identity()};
            SN_TRY(sni_osim_name(p, e, &frame->name, error));
        }
        SN_TRY(collect_frames(p, e, error));
    }
cleanup:
    return status;
}

static const sni_osim_frame *lookup_frame(const sni_osim_parser *p, sni_word name, sni_word owner) {
    for (uint32_t i = 0; i < p->frame_count; ++i) {
        const sni_osim_frame *frame = &p->frames[i];
        if (sni_osim_same(name, frame->name) &&
            (owner.start == NULL || sni_osim_same(owner, frame->owner))) {
            return frame;
        }
    }
    return NULL;
}

// What a path names: a frame that the path says the owner of, one of the asking owner, a body, or
// any frame of that name.
static const sni_osim_frame *resolve(const sni_osim_parser *p, sni_word path, const char *owner,
                                     uint32_t *body) {
    sni_word name = sni_osim_leaf(path), none = {NULL, 0};
    size_t before = (size_t)(name.start - path.start);
    const sni_osim_frame *frame = NULL;
    *body = SN_NONE;
    if (sni_osim_same(name, "..") || sni_osim_same(name, ".")) {
        *body = find_body(p->model, (sni_word){owner, strlen(owner)});
        return NULL;
    }
    if (before > 1) {
        frame = lookup_frame(p, name, sni_osim_leaf((sni_word){path.start, before - 1}));
    }
    if (frame == NULL) {
        frame = lookup_frame(p, name, (sni_word){owner, strlen(owner)});
    }
    if (frame == NULL) {
        *body = find_body(p->model, name);
    }
    return frame != NULL || *body != SN_NONE ? frame : lookup_frame(p, name, none);
}

static sn_status fail_unknown(const sni_osim_parser *p, const sni_xml_element *at, sni_word path,
                              const char *what, sn_error *error) {
    sni_word leaf = sni_osim_leaf(path);
    char name[64], hint[SNI_HINT_BYTES];
    size_t length = leaf.length < sizeof name ? leaf.length : sizeof name - 1;
    memcpy(name, leaf.start, length);
    name[length] = 0;
    sni_closest closest = sni_closest_to(name);
    for (uint32_t i = 0; i < p->model->body_count; ++i) {
        sni_closest_try(&closest, p->model->bodies[i].name);
    }
    return sni_xml_fail(at, error, SN_INVALID, "%s \"%s\", but there is no such body or frame%s",
                        what, name, sni_closest_hint(&closest, hint));
}

static sn_status find(sni_osim_parser *p, const sni_xml_element *at, sni_word path,
                      const char *owner, const char *what, uint32_t depth, uint32_t *body,
                      sn_transform *place, sn_error *error);

// Where a frame is on its body. Frames of version 4 have sockets, and those of 4.0 a path to their
// parent.
static sn_status resolve_frame(sni_osim_parser *p, sni_osim_frame *frame, uint32_t depth,
                               sn_error *error) {
    const sni_xml_element *socket = sni_xml_child(frame->element, "socket_parent");
    sn_vec3 translation = {0, 0, 0}, angles = {0, 0, 0};
    sn_transform parent;
    sn_status status = SN_OK;
    if (frame->body != SN_NONE) {
        return SN_OK;
    }
    socket =
        socket != NULL ? socket : sni_xml_child(frame->element, "socket_parent_connectee_name");
    if (frame->visited || depth > FRAME_DEPTH_MAX) {
        return sni_xml_fail(frame->element, error, SN_INVALID, "the frame \"%s\" is its own parent",
                            frame->name);
    }
    if (socket == NULL) {
        return sni_xml_fail(frame->element, error, SN_INVALID, "there is no <socket_parent>");
    }
    frame->visited = true;
    SN_TRY(sni_osim_vector(frame->element, "translation", &translation, true, error));
    SN_TRY(sni_osim_vector(frame->element, "orientation", &angles, true, error));
    SN_TRY(find(p, socket, sni_xml_word(socket), frame->owner, "the frame hangs on", depth + 1,
                &frame->body, &parent, error));
    sn_transform own = sn_transform_identity();
    own.translation = translation;
    own.rotation = sn_quat_from_euler(angles, SN_ROTATION_XYZ);
    frame->at = sni_osim_compose(&parent, &own);
cleanup:
    return status;
}

static sn_status find(sni_osim_parser *p, const sni_xml_element *at, sni_word path,
                      const char *owner, const char *what, uint32_t depth, uint32_t *body,
                      sn_transform *place, sn_error *error) {
    const sni_osim_frame *found = resolve(p, path, owner, body);
    *place = sn_transform_identity();
    if (found == NULL) {
        return *body != SN_NONE ? SN_OK : fail_unknown(p, at, path, what, error);
    }
    sni_osim_frame *frame = &p->frames[found - p->frames];
    sn_status status = resolve_frame(p, frame, depth, error);
    *body = frame->body;
    *place = frame->at;
    return status;
}

sn_status sni_osim_find_frame(sni_osim_parser *p, const sni_xml_element *socket, const char *owner,
                              const char *what, uint32_t *body, sn_transform *at, sn_error *error) {
    return find(p, socket, sni_xml_word(socket), owner, what, 0, body, at, error);
}

sn_status sni_osim_read_frames(sni_osim_parser *p, sn_error *error) {
    sn_status status = SN_OK;
    SNI_OSIM_NEW(p, p->frames, sni_osim_count_all(p->root, "PhysicalOffsetFrame"));
    SN_TRY(collect_frames(p, p->root, error));
    for (uint32_t i = 0; i < p->frame_count; ++i) {
        SN_TRY(resolve_frame(p, &p->frames[i], 0, error));
    }
cleanup:
    return status;
}

// --- Geometry

static sn_status add_mesh(sni_osim_parser *p, const sni_xml_element *element, const char *key,
                          uint32_t body, const sn_transform *at, sn_vec3 scale, sn_error *error) {
    sni_osim_geometry *geometry = &p->model->geometries[p->model->geometry_count];
    sn_vec3 own = {1, 1, 1};
    sn_status status = SN_OK;
    *geometry = (sni_osim_geometry){.line = element->line, .body = body, .place = *at};
    SN_TRY(sni_osim_child_text(p, element, key, &geometry->file, error));
    SN_TRY(sni_osim_vector(element, "scale_factors", &own, true, error));
    geometry->place.scale = sn_vec3_multiply(scale, own);
    if (!(own.x * scale.x != 0 && own.y * scale.y != 0 && own.z * scale.z != 0)) {
        return sni_xml_fail(element, error, SN_INVALID,
                            "<scale_factors> are %.9g %.9g %.9g, but none may be 0", own.x, own.y,
                            own.z);
    }
    ++p->model->geometry_count;
cleanup:
    return status;
}

// <attached_geometry> of a body or frame of version 4.
static sn_status read_attached(sni_osim_parser *p, const sni_xml_element *owner, uint32_t body,
                               const sn_transform *at, sn_error *error) {
    const sni_xml_element *set = sni_xml_child(owner, "attached_geometry");
    sn_status status = SN_OK;
    for (const sni_xml_element *e = sni_xml_child(set, NULL); e != NULL;
         e = sni_xml_next(e, NULL)) {
        if (sni_xml_is(e, "Mesh")) {
            SN_TRY(add_mesh(p, e, "mesh_file", body, at, sn_vec3_make(1, 1, 1), error));
        } else if (!sni_xml_is(e, "FrameGeometry")) {
            SN_TRY(sni_osim_add_other(p, e, error));
        }
    }
cleanup:
    return status;
}

// <VisibleObject> of version 3: rotations and shift of a part stand in <transform>.
static sn_status read_visible(sni_osim_parser *p, const sni_xml_element *owner, uint32_t body,
                              sn_error *error) {
    const sni_xml_element *visible = sni_xml_child(owner, "VisibleObject");
    const sni_xml_element *set = sni_osim_objects(visible, "GeometrySet");
    sn_vec3 scale = {1, 1, 1};
    sn_status status = SN_OK;
    SN_TRY(sni_osim_vector(visible, "scale_factors", &scale, true, error));
    for (const sni_xml_element *e = sni_xml_child(set, "DisplayGeometry"); e != NULL;
         e = sni_xml_next(e, "DisplayGeometry")) {
        double t[6] = {0};
        sn_transform at = sn_transform_identity();
        SN_TRY(sni_osim_numbers(e, "transform", 6, t, true, error));
        at.rotation = sn_quat_from_euler(sn_vec3_make(t[0], t[1], t[2]), SN_ROTATION_XYZ);
        at.translation = sn_vec3_make(t[3], t[4], t[5]);
        SN_TRY(add_mesh(p, e, "geometry_file", body, &at, scale, error));
    }
cleanup:
    return status;
}

// The element of a body; NULL for a ground that nobody wrote.
static const sni_xml_element *body_element(const sni_osim_parser *p, uint32_t body) {
    const sni_xml_element *set = sni_osim_objects(p->root, "BodySet");
    const sni_xml_element *ground = sni_xml_child(p->root, "Ground");
    if (body == 0 && ground != NULL) {
        return ground;
    }
    for (const sni_xml_element *e = sni_xml_child(set, "Body"); e != NULL;
         e = sni_xml_next(e, "Body")) {
        const char *name = sni_xml_value(e, "name");
        if (name != NULL && strcmp(name, p->model->bodies[body].name) == 0) {
            return e;
        }
    }
    return NULL;
}

sn_status sni_osim_read_geometry(sni_osim_parser *p, sn_error *error) {
    sn_status status = SN_OK;
    sn_transform here = sn_transform_identity();
    SNI_OSIM_NEW(p, p->model->geometries,
                 (size_t)sni_osim_count_all(p->root, "Mesh") +
                     sni_osim_count_all(p->root, "DisplayGeometry"));
    for (uint32_t i = 0; i < p->model->body_count; ++i) {
        const sni_xml_element *element = body_element(p, i);
        SN_TRY(read_attached(p, element, i, &here, error));
        if (element != NULL) {
            SN_TRY(read_visible(p, element, i, error));
        }
    }
    for (uint32_t i = 0; i < p->frame_count; ++i) {
        const sni_osim_frame *frame = &p->frames[i];
        SN_TRY(read_attached(p, frame->element, frame->body, &frame->at, error));
    }
cleanup:
    return status;
}

// --- Wrap objects

static sn_status read_side(const sni_xml_element *element, char side[3], sn_error *error) {
    sni_word word = sni_xml_word(sni_xml_child(element, "quadrant"));
    static const char *const known[] = {"x", "+x", "-x", "y", "+y", "-y", "z", "+z", "-z"};
    side[0] = 0;
    if (word.length == 0 || sni_word_is(word, "all") || sni_word_is(word, "unassigned")) {
        return SN_OK;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (sni_word_is(word, known[i])) {
            const char *axis = known[i] + strlen(known[i]) - 1;
            side[0] = known[i][0] == '-' ? '-' : '+';
            side[1] = *axis;
            side[2] = 0;
            return SN_OK;
        }
    }
    return sni_xml_fail(element, error, SN_INVALID,
                        "<quadrant> is \"%.*s\", but must be all, +x, -x, +y, -y, +z or -z",
                        (int)(word.length < 32 ? word.length : 32), word.start);
}

static sn_status read_sizes(const sni_xml_element *element, sni_osim_wrap *wrap, sn_error *error) {
    double radius = 0;
    sn_status status = SN_OK;
    if (wrap->kind == SNI_OSIM_ELLIPSOID) {
        SN_TRY(sni_osim_vector(element, "dimensions", &wrap->radii, false, error));
    } else if (wrap->kind == SNI_OSIM_TORUS) {
        SN_TRY(sni_osim_numbers(element, "inner_radius", 1, &wrap->radii.x, false, error));
        SN_TRY(sni_osim_numbers(element, "outer_radius", 1, &wrap->radii.y, false, error));
        wrap->radii.z = wrap->radii.y;
    } else {
        SN_TRY(sni_osim_numbers(element, "radius", 1, &radius, false, error));
        wrap->radii = sn_vec3_make(radius, radius, radius);
    }
    if (wrap->kind == SNI_OSIM_CYLINDER) {
        SN_TRY(sni_osim_numbers(element, "length", 1, &wrap->length, false, error));
    }
    if (!(wrap->radii.x > 0 && wrap->radii.y > 0 && wrap->radii.z > 0)) {
        return sni_xml_fail(element, error, SN_INVALID,
                            "its radii are %.9g, %.9g and %.9g, but must be above 0", wrap->radii.x,
                            wrap->radii.y, wrap->radii.z);
    }
cleanup:
    return status;
}

static sn_status read_wrap(sni_osim_parser *p, const sni_xml_element *element, uint32_t body,
                           sn_error *error) {
    static const char *const kinds[] = {"WrapCylinder", "WrapSphere", "WrapEllipsoid", "WrapTorus"};
    sni_osim_wrap *wrap = &p->model->wraps[p->model->wrap_count];
    uint32_t kind = 0;
    sn_status status = SN_OK;
    while (kind < 4 && !sni_xml_is(element, kinds[kind])) {
        ++kind;
    }
    if (kind == 4) {
        return sni_osim_add_other(p, element, error);
    }
    *wrap = (sni_osim_wrap){.kind = (sni_osim_wrap_kind)kind,
                            .line = element->line,
                            .body = body,
                            .active = sni_osim_flag(element, "active", true)};
    SN_TRY(sni_osim_name(p, element, &wrap->name, error));
    SN_TRY(sni_osim_vector(element, "xyz_body_rotation", &wrap->angles, true, error));
    SN_TRY(sni_osim_vector(element, "translation", &wrap->center, true, error));
    SN_TRY(read_side(element, wrap->side, error));
    SN_TRY(read_sizes(element, wrap, error));
    ++p->model->wrap_count;
cleanup:
    return status;
}

sn_status sni_osim_read_wraps(sni_osim_parser *p, sn_error *error) {
    uint32_t count = 0;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < p->model->body_count; ++i) {
        count += sni_osim_count(sni_osim_objects(body_element(p, i), "WrapObjectSet"));
    }
    SNI_OSIM_NEW(p, p->model->wraps, count);
    for (uint32_t i = 0; i < p->model->body_count; ++i) {
        const sni_xml_element *set = sni_osim_objects(body_element(p, i), "WrapObjectSet");
        for (const sni_xml_element *e = sni_xml_child(set, NULL); e != NULL;
             e = sni_xml_next(e, NULL)) {
            SN_TRY(read_wrap(p, e, i, error));
        }
    }
cleanup:
    return status;
}
