// SPDX-License-Identifier: Apache-2.0
//
// An OpenSim model, all together, and its tree of joints.
#include "io/osim/osim.h"

#include "base/file.h"
#include "io/osim/osim_internal.h"

#include <string.h>

// Whether a body hangs on the ground, by however many joints. Every body is the child of at most
// one joint, so that a way that does not end within as many steps as there are bodies is a circle.
static bool reaches_ground(const sni_osim *model, uint32_t body) {
    for (uint32_t steps = 0; steps <= model->body_count; ++steps) {
        if (body == 0) {
            return true;
        }
        if (model->bodies[body].joint == SN_NONE) {
            return false;
        }
        body = model->joints[model->bodies[body].joint].parent;
    }
    return false;
}

static sn_status fail_at(const sni_osim *model, uint32_t line, const char *format, const char *name,
                         sn_error *error) {
    (void)model;
    sni_fail_at(error, SN_INVALID, __func__, __LINE__, format, name);
    sni_error_place(error, line, NULL);
    return SN_INVALID;
}

static sn_status check_tree(const sni_osim *model, sn_error *error) {
    for (uint32_t i = 1; i < model->body_count; ++i) {
        const sni_osim_body *body = &model->bodies[i];
        if (body->joint == SN_NONE) {
            return fail_at(model, body->line,
                           "no joint carries the body \"%s\": it is the child of none", body->name,
                           error);
        }
    }
    for (uint32_t i = 1; i < model->body_count; ++i) {
        const sni_osim_body *body = &model->bodies[i];
        if (!reaches_ground(model, i)) {
            return fail_at(model, model->joints[body->joint].line,
                           "the joints form a circle: \"%s\" is its own ancestor", body->name,
                           error);
        }
    }
    return SN_OK;
}

// Parents before children, else in the file's order.
static sn_status sort_joints(sni_osim_parser *p, sn_error *error) {
    sni_osim *model = p->model;
    sni_osim_joint *sorted;
    bool *done;
    uint32_t *numbers, count = 0;
    sn_status status = SN_OK;
    SNI_OSIM_NEW(p, sorted, model->joint_count);
    SNI_OSIM_NEW(p, numbers, model->joint_count);
    SNI_OSIM_NEW(p, done, model->body_count);
    done[0] = true;
    while (count < model->joint_count) {
        for (uint32_t i = 0; i < model->joint_count; ++i) {
            const sni_osim_joint *joint = &model->joints[i];
            if (done[joint->parent] && !done[joint->child]) {
                done[joint->child] = true;
                numbers[i] = count;
                sorted[count++] = *joint;
            }
        }
    }
    model->joints = sorted;
    for (uint32_t i = 0; i < model->coordinate_count; ++i) {
        model->coordinates[i].joint = numbers[model->coordinates[i].joint];
    }
    for (uint32_t i = 1; i < model->body_count; ++i) {
        model->bodies[i].joint = numbers[model->bodies[i].joint];
    }
cleanup:
    return status;
}

static sn_status read_model(sni_osim_parser *p, sn_error *error) {
    sni_osim *model = p->model;
    sni_word credits = sni_xml_word(sni_xml_child(p->root, "credits"));
    sn_status status = SN_OK;
    SN_TRY(sni_osim_name(p, p->root, &model->name, error));
    SN_TRY(sni_osim_copy(p, credits.start, credits.length, &model->credits, error));
    SN_TRY(sni_osim_read_bodies(p, error));
    SN_TRY(sni_osim_read_frames(p, error));
    SN_TRY(sni_osim_read_joints(p, error));
    SN_TRY(check_tree(model, error));
    SN_TRY(sort_joints(p, error));
    SN_TRY(sni_osim_read_couplers(p, error));
    SN_TRY(sni_osim_read_geometry(p, error));
    SN_TRY(sni_osim_read_wraps(p, error));
    SN_TRY(sni_osim_read_muscles(p, error));
cleanup:
    return status;
}

static sn_status find_model(const sni_xml *xml, const sni_xml_element **model, sn_error *error) {
    const sni_xml_element *root = sni_xml_root(xml);
    *model = sni_xml_is(root, "Model") ? root : sni_xml_child(root, "Model");
    if (!sni_xml_is(root, "OpenSimDocument") && *model != root) {
        return sni_xml_fail(root, error, SN_INVALID,
                            "the file begins with <%s>, but an OpenSim model with "
                            "<OpenSimDocument>",
                            root->name);
    }
    return *model != NULL
               ? SN_OK
               : sni_xml_fail(root, error, SN_INVALID, "there is no <Model> in <%s>", root->name);
}

sn_status sni_osim_parse(sn_context *context, const char *path, const char *bytes, size_t size,
                         sni_osim **model, sn_error *error) {
    SN_ASSERT(size == 0 || bytes != NULL);
    sni_xml *xml = NULL;
    sni_osim *made = NULL;
    sni_osim_parser parser = {0};
    sn_status status = SN_OK;
    *model = NULL;
    SN_TRY(sni_xml_parse(context, bytes, size, &xml, error));
    SN_TRY(find_model(xml, &parser.root, error));
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    sni_arena_init(&made->arena, context);
    parser.model = made;
    SN_TRY(read_model(&parser, error));
    *model = made;
    made = NULL;
cleanup:
    if (status != SN_OK) {
        sni_error_source(error, path);
    }
    sni_osim_destroy(made);
    sni_xml_destroy(xml);
    return status;
}

sn_status sni_osim_read(sn_context *context, const char *path, sni_osim **model, sn_error *error) {
    char *bytes = NULL;
    size_t size = 0;
    sn_status status = SN_OK;
    *model = NULL;
    SN_TRY(sni_file_read(context, path, &bytes, &size, error));
    SN_TRY(sni_osim_parse(context, path, bytes, size, model, error));
cleanup:
    sni_free(context, bytes);
    return status;
}

void sni_osim_destroy(sni_osim *model) {
    if (model == NULL) {
        return;
    }
    sn_context *context = model->context;
    sni_free(context, model->others);
    sni_arena_deinit(&model->arena);
    sni_free(context, model);
}
