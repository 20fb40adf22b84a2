// SPDX-License-Identifier: Apache-2.0
#include "check_body.h"

static const char *name_of(const sn_model *model, uint32_t surface) {
    return sn_model_surface(model, surface)->name;
}

static const char *end_of(const sn_attachment_check *attachment) {
    return attachment->insertion ? "insertion" : "origin";
}

const sn_muscle_check *cli_muscle_check(const sn_body_check *check, uint32_t surface) {
    for (uint32_t i = 0; i < check->muscle_count; ++i) {
        if (check->muscles[i].surface == surface) {
            return &check->muscles[i];
        }
    }
    return NULL;
}

void cli_print_body_surface(const sn_model *model, const sn_body_check *check, uint32_t surface) {
    for (uint32_t i = 0; i < check->attachment_count; ++i) {
        const sn_attachment_check *a = &check->attachments[i];
        if (a->muscle == surface && a->share > CLI_ATTACHMENT_SHARE) {
            printf("  %s %u is %.4g mm off the bone %s: %.0f %% of its size\n", end_of(a),
                   a->number + 1, 1000 * a->distance, name_of(model, a->bone), 100 * a->share);
        }
    }
    for (uint32_t i = 0; i < check->skin_count; ++i) {
        const sn_skin_check *s = &check->skins[i];
        if (s->surface == surface && s->inside > 0) {
            printf("  %u %s inside bones, tissues or muscles, the deepest by %.4g mm in %s\n",
                   s->inside, s->inside == 1 ? "vertex lies" : "vertices lie", 1000 * s->depth,
                   name_of(model, s->component));
        }
    }
}

void cli_print_body(const sn_model *model, const sn_body_check *check) {
    const sn_attachment_check *furthest = check->attachments;
    const sn_overlap_check *most = check->overlaps;
    for (uint32_t i = 0; i < check->attachment_count; ++i) {
        furthest =
            check->attachments[i].distance > furthest->distance ? &check->attachments[i] : furthest;
    }
    for (uint32_t i = 0; i < check->overlap_count; ++i) {
        most = check->overlaps[i].share > most->share ? &check->overlaps[i] : most;
    }
    if (check->attachment_count > 0) {
        printf("%u attachments, at most %.4g mm off their bones (%s %u of %s on %s)\n",
               check->attachment_count, 1000 * furthest->distance, end_of(furthest),
               furthest->number + 1, name_of(model, furthest->muscle),
               name_of(model, furthest->bone));
    }
    if (check->overlap_count > 0) {
        printf("%u pair%s of bones and muscles overlap%s by more than %.0f %%, most of all %s in "
               "%s (%.0f %%)\n",
               check->overlap_count, cli_s(check->overlap_count),
               check->overlap_count == 1 ? "s" : "", 100 * CLI_OVERLAP_SHARE,
               name_of(model, most->surfaces[0]), name_of(model, most->surfaces[1]),
               100 * most->share);
    }
}

static bool add_attachments(sn_json *json, sn_value *root, const sn_model *model,
                            const sn_body_check *check) {
    sn_value *list = sn_json_add_array(json, root, "attachments");
    bool done = list != NULL;
    for (uint32_t i = 0; i < check->attachment_count && done; ++i) {
        const sn_attachment_check *a = &check->attachments[i];
        sn_value *o = sn_json_add_object(json, list, NULL);
        done = o != NULL &&
               sn_json_add_string(json, o, "muscle", name_of(model, a->muscle)) != NULL &&
               sn_json_add_string(json, o, "end", end_of(a)) != NULL &&
               sn_json_add_number(json, o, "number", a->number + 1) != NULL &&
               sn_json_add_string(json, o, "bone", name_of(model, a->bone)) != NULL &&
               sn_json_add_number(json, o, "distance", a->distance) != NULL &&
               sn_json_add_number(json, o, "share", a->share) != NULL;
    }
    return done;
}

static bool add_overlaps(sn_json *json, sn_value *root, const sn_model *model,
                         const sn_body_check *check) {
    sn_value *list = sn_json_add_array(json, root, "overlaps");
    bool done = list != NULL;
    for (uint32_t i = 0; i < check->overlap_count && done; ++i) {
        const sn_overlap_check *overlap = &check->overlaps[i];
        sn_value *o = sn_json_add_object(json, list, NULL);
        done = o != NULL &&
               sn_json_add_string(json, o, "part", name_of(model, overlap->surfaces[0])) != NULL &&
               sn_json_add_string(json, o, "in", name_of(model, overlap->surfaces[1])) != NULL &&
               sn_json_add_number(json, o, "share", overlap->share) != NULL;
    }
    return done;
}

static bool add_inside(sn_json *json, sn_value *root, const sn_model *model,
                       const sn_body_check *check) {
    sn_value *list = sn_json_add_array(json, root, "inside");
    bool done = list != NULL;
    for (uint32_t i = 0; i < check->skin_count && done; ++i) {
        const sn_skin_check *s = &check->skins[i];
        sn_value *o = sn_json_add_object(json, list, NULL);
        done = o != NULL &&
               sn_json_add_string(json, o, "skin", name_of(model, s->surface)) != NULL &&
               sn_json_add_number(json, o, "vertices", s->inside) != NULL;
        if (done && s->inside > 0) {
            done = sn_json_add_number(json, o, "depth", s->depth) != NULL &&
                   sn_json_add_number(json, o, "vertex", s->vertex) != NULL &&
                   sn_json_add_string(json, o, "component", name_of(model, s->component)) != NULL;
        }
    }
    return done;
}

bool cli_add_body(sn_json *json, sn_value *root, const sn_model *model,
                  const sn_body_check *check) {
    return add_attachments(json, root, model, check) && add_overlaps(json, root, model, check) &&
           add_inside(json, root, model, check);
}
