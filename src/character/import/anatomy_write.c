// SPDX-License-Identifier: Apache-2.0
//
// The document of a body that was made from a folder. What was guessed says so in its `about`.
#define _GNU_SOURCE
#include "base/file.h"
#include "character/add_skeleton.h"
#include "character/import/anatomy.h"
#include "character/write_graph.h"
#include "io/names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    const sni_anatomy_build *build;
    const char *document_path;
    sn_json *json;
    sn_value *root;
    sni_names names; // of meshes
} writer;

// ---------------------------------------------------------------------------------------------
// Numbers

// Hundredths of a millimetre.
static const double point_step = 1e-5;
// Axes of sections keep their directions: rounded in powers of ten of at most this part of their
// length, the cosine between two that are perpendicular stays below 4e-4.
static const double axis_step = 2e-4;

static bool add_rounded(writer *w, sn_value *object, const char *key, sn_vec3 v, double step) {
    double inverse = round(1 / step); // whole, so that the quotient is the nearest decimal
    double values[3] = {round(v.x * inverse) / inverse, round(v.y * inverse) / inverse,
                        round(v.z * inverse) / inverse};
    for (int i = 0; i < 3; ++i) {
        values[i] = values[i] == 0 ? 0 : values[i]; // no -0
    }
    return sn_json_add_numbers(w->json, object, key, values, 3) != NULL;
}

static bool add_point(writer *w, sn_value *object, const char *key, sn_vec3 v) {
    return add_rounded(w, object, key, v, point_step);
}

static bool add_axis(writer *w, sn_value *object, const char *key, sn_vec3 v) {
    double length = sn_vec3_length(v);
    double step = pow(10, floor(log10(fmax(length, 1e-9) * axis_step)));
    return add_rounded(w, object, key, v, fmin(step, point_step));
}

// ---------------------------------------------------------------------------------------------
// Meshes

static sn_status add_file(writer *w, sn_value *map, const char *name, const char *path,
                          const char *mesh, sn_error *error) {
    sn_context *context = w->build->context;
    char *file = sni_path_relative(context, w->document_path, path);
    sn_value *object = sn_json_add_object(w->json, map, name);
    bool done = file != NULL && sn_json_add_string(w->json, object, "file", file) != NULL &&
                (mesh == NULL || sn_json_add_string(w->json, object, "mesh", mesh) != NULL);
    sni_free(context, file);
    return done ? SN_OK : sni_fail_memory(error);
}

static sn_status add_part_meshes(writer *w, sn_value *map, sn_error *error) {
    sn_status status = SN_OK;
    const sn_anatomy *anatomy = w->build->anatomy;
    for (uint32_t i = 0; i < anatomy->part_count && status == SN_OK; ++i) {
        const sn_anatomy_part *part = &anatomy->parts[i];
        sn_part_use use = w->build->report->results[i].use;
        // The meshes of muscles that are made of fibres are not needed any more.
        bool needed = use != SN_PART_LEFT_OUT && !(anatomy->fibres && use == SN_PART_AS_MUSCLE);
        if (needed) {
            SN_TRY(sni_names_add(&w->names, part->name, i, error));
            SN_TRY(add_file(w, map, part->name, part->path, NULL, error));
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Bones and tissues

static bool is_letter(char c) {
    return isalpha((unsigned char)c) != 0;
}

// Whether a name tells an eye: "Eye_L", "left eyeball"; not "eyelid".
static bool names_eye(const char *name) {
    for (const char *at = strcasestr(name, "eye"); at != NULL; at = strcasestr(at + 1, "eye")) {
        bool begins = at == name || !is_letter(at[-1]);
        if (begins && (!is_letter(at[3]) || strncasecmp(at + 3, "ball", 4) == 0)) {
            return true;
        }
    }
    return false;
}

static bool add_about_guess(writer *w, sn_value *object, const sn_anatomy_result *result) {
    char text[512];
    if (!result->guessed) {
        return true;
    }
    if (result->nearest != SN_NONE) {
        snprintf(text, sizeof text, "guessed: nearest to %s",
                 w->build->anatomy->parts[result->nearest].name);
    } else {
        snprintf(text, sizeof text, "guessed by its position");
    }
    return sn_json_add_string(w->json, object, "about", text) != NULL;
}

static bool add_component(writer *w, sn_value *map, uint32_t index) {
    const sni_anatomy_build *build = w->build;
    const char *name = build->anatomy->parts[index].name;
    const sn_anatomy_result *result = &build->report->results[index];
    sn_value *object = sn_json_add_object(w->json, map, name);
    bool done = sn_json_add_string(w->json, object, "mesh", name) != NULL &&
                sn_json_add_string(w->json, object, "segment",
                                   build->skeleton.segments[result->segment].name) != NULL;
    if (done && result->use == SN_PART_AS_TISSUE && names_eye(name)) {
        done = sn_json_add_bool(w->json, object, "feature", true) != NULL &&
               sn_json_add_string(w->json, object, "look", "eye") != NULL;
    }
    return done && add_about_guess(w, object, result);
}

// A map of all parts of one use, where there are any.
static bool add_components(writer *w, const char *key, sn_part_use use) {
    sn_value *map = NULL;
    bool done = true;
    for (uint32_t i = 0; i < w->build->anatomy->part_count && done; ++i) {
        if (w->build->report->results[i].use == use) {
            map = map != NULL ? map : sn_json_add_object(w->json, w->root, key);
            done = map != NULL && add_component(w, map, i);
        }
    }
    return done;
}

// ---------------------------------------------------------------------------------------------
// Muscles

static bool add_places(writer *w, sn_value *strip, const char *key, const sn_fit_place places[2]) {
    sn_value *list = sn_json_add_array(w->json, strip, key);
    bool done = list != NULL;
    for (int i = 0; i < 2 && done; ++i) {
        sn_value *object = sn_json_add_object(w->json, list, NULL);
        done = sn_json_add_string(w->json, object, "bone",
                                  w->build->fit_bones[places[i].bone].name) != NULL &&
               add_point(w, object, "point", places[i].point);
    }
    return done;
}

static bool add_sections(writer *w, sn_value *strip, const sn_fit_strip *fit) {
    sn_value *list = sn_json_add_array(w->json, strip, "sections");
    bool done = list != NULL;
    for (uint32_t i = 0; i < fit->slice_count && done; ++i) {
        const sn_fit_section *section = &fit->sections[i];
        sn_value *object = sn_json_add_object(w->json, list, NULL);
        done = object != NULL && add_point(w, object, "center", section->center) &&
               add_axis(w, object, "wide", section->wide) &&
               add_axis(w, object, "thick", section->thick);
    }
    return done;
}

// The frame of a section in a segment's, as angles: x along `wide`, z along the strip.
static bool add_turn(writer *w, sn_value *object, const sn_fit_section *section,
                     const sn_mat4 *back) {
    sn_vec3 none = {0, 0, 0};
    sn_vec3 x = sn_vec3_normalize_or(sn_mat4_direction(back, section->wide), none);
    sn_vec3 along = sn_vec3_cross(section->thick, section->wide);
    sn_vec3 z = sn_vec3_normalize_or(sn_mat4_direction(back, along), none);
    sn_vec3 y = sn_vec3_cross(z, x);
    sn_mat4 frame = {{x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, 0, 0, 0, 1}};
    sn_vec3 angles = sn_quat_to_euler(sn_mat4_rotation(&frame), SN_ROTATION_XYZ);
    return add_axis(w, object, "turn_deg", sn_vec3_scale(angles, 180 / SN_PI));
}

static bool add_pivots(writer *w, sn_value *strip, const sn_fit_strip *fit) {
    const sni_anatomy_build *build = w->build;
    sn_value *list = fit->pivot_count > 0 ? sn_json_add_array(w->json, strip, "pivots") : NULL;
    bool done = fit->pivot_count == 0 || list != NULL;
    for (uint32_t i = 0; i < fit->pivot_count && done; ++i) {
        const sn_fit_pivot *pivot = &fit->pivots[i];
        sn_mat4 back;
        done = sn_mat4_invert(&build->worlds[pivot->segment], &back);
        sn_value *object = sn_json_add_object(w->json, list, NULL);
        done = done && sn_json_add_number(w->json, object, "slice", pivot->slice) != NULL &&
               sn_json_add_string(w->json, object, "segment",
                                  build->skeleton.segments[pivot->segment].name) != NULL &&
               add_point(w, object, "at", sn_mat4_point(&back, pivot->point));
        if (pivot->turned) {
            done = done && add_turn(w, object, &fit->sections[pivot->slice], &back);
        }
        if (pivot->half != SN_NONE) {
            done = done && sn_json_add_string(w->json, object, "half",
                                              build->skeleton.segments[pivot->half].name) != NULL;
        }
    }
    return done;
}

static bool add_strip(writer *w, sn_value *list, const sn_fit_strip *strip) {
    sn_value *object = sn_json_add_object(w->json, list, NULL);
    return object != NULL && add_places(w, object, "origins", strip->origins) &&
           add_places(w, object, "insertions", strip->insertions) &&
           sn_json_add_number(w->json, object, "slices", strip->slice_count) != NULL &&
           add_sections(w, object, strip) && add_pivots(w, object, strip);
}

// Which ends nothing in the folder told.
static const char *about_ends(const sn_muscle_fit *fit) {
    return fit->guessed_origin && fit->guessed_insertion ? "guessed: its origins and insertions"
           : fit->guessed_origin                         ? "guessed: its origins"
           : fit->guessed_insertion                      ? "guessed: its insertions"
                                                         : NULL;
}

static bool add_about_ends(writer *w, sn_value *object, const sn_muscle_fit *fit) {
    const char *about = about_ends(fit);
    return about == NULL || sn_json_add_string(w->json, object, "about", about) != NULL;
}

static bool add_muscle(writer *w, sn_value *map, uint32_t part, const sn_muscle_fit *fit) {
    const char *name = w->build->anatomy->parts[part].name;
    sn_value *object = sn_json_add_object(w->json, map, name);
    bool done = object != NULL && add_about_ends(w, object, fit) &&
                sn_json_add_string(w->json, object, "kind", "mesh") != NULL &&
                sn_json_add_string(w->json, object, "mesh", name) != NULL;
    sn_value *list = done ? sn_json_add_array(w->json, object, "strips") : NULL;
    done = list != NULL;
    for (uint32_t i = 0; i < fit->strip_count && done; ++i) {
        done = add_strip(w, list, &fit->strips[i]);
    }
    for (uint32_t i = 0; i < fit->hem_count && done; ++i) {
        done = add_strip(w, list, &fit->hems[i]);
    }
    return done;
}

// A surface with control points along fitted paths.
static bool add_graph(writer *w, sn_value *map, uint32_t part, const sn_muscle_fit *fit,
                      const sn_graph_fit *graph) {
    const sni_anatomy_build *build = w->build;
    const sni_graph_names names = {build->fit_bones, &build->skeleton, build->worlds};
    const char *name = build->anatomy->parts[part].name;
    sn_value *object = sn_json_add_object(w->json, map, name);
    return object != NULL && add_about_ends(w, object, fit) &&
           sn_json_add_string(w->json, object, "kind", "graph") != NULL &&
           sn_json_add_string(w->json, object, "mesh", name) != NULL &&
           sni_write_graph(w->json, object, graph, &names);
}

static bool add_fitted(writer *w, sn_value *map, uint32_t index) {
    const sni_anatomy_build *build = w->build;
    uint32_t part = build->muscles[index];
    const sn_muscle_fit *fit = build->fits[index];
    if (build->fibres != NULL) {
        return sni_anatomy_add_fibres(build, w->json, map, build->anatomy->parts[part].name,
                                      about_ends(fit), build->fibres[index]);
    }
    return build->graphs != NULL && build->graphs[index] != NULL
               ? add_graph(w, map, part, fit, build->graphs[index])
               : add_muscle(w, map, part, fit);
}

static bool add_muscles(writer *w) {
    sn_value *map = NULL;
    bool done = true;
    for (uint32_t i = 0; i < w->build->muscle_count && done; ++i) {
        if (w->build->fits[i] != NULL) {
            map = map != NULL ? map : sn_json_add_object(w->json, w->root, "muscles");
            done = map != NULL && add_fitted(w, map, i);
        }
    }
    return done;
}

// ---------------------------------------------------------------------------------------------
// Skins

// Accelerated rounds settle as far as the standard 30 do. A skin that was given has its length and
// stays as it is at rest: no `rest` below 1. Skin slides easily over many thin muscles (anchor,
// blend), does not buckle where it is pressed together (push), and stays out of all that is near
// (clear; spheres in one component would push it into others). Found on a dog that walks
// (docs/dog-walk.md). NULL when memory runs out.
static sn_value *add_membrane(writer *w, sn_value *skins, const char *name, bool given, bool show) {
    sn_value *object = sn_json_add_object(w->json, skins, name);
    bool done = sn_json_add_string(w->json, object, "mesh", name) != NULL;
    sn_value *list = done ? sn_json_add_array(w->json, object, "deformers") : NULL;
    sn_value *membrane = sn_json_add_object(w->json, list, NULL);
    done = sn_json_add_string(w->json, membrane, "kind", "membrane") != NULL &&
           sn_json_add_number(w->json, membrane, "rounds", 12) != NULL &&
           sn_json_add_string(w->json, membrane, "accelerate", "yes") != NULL &&
           (!given || sn_json_add_number(w->json, membrane, "rest", 1) != NULL) &&
           sn_json_add_number(w->json, membrane, "anchor", 0.02) != NULL &&
           sn_json_add_number(w->json, membrane, "blend", 0.8) != NULL &&
           sn_json_add_number(w->json, membrane, "push", 0) != NULL &&
           sn_json_add_number(w->json, membrane, "sphere", 0) != NULL &&
           sn_json_add_number(w->json, membrane, "clear", 0.05) != NULL &&
           (show || sn_json_add_bool(w->json, object, "show", false) != NULL);
    return done ? object : NULL;
}

static sn_status add_rigged(writer *w, sn_value *meshes, sn_value *skins, sn_error *error) {
    sn_status status = SN_OK;
    const sn_import *rig = w->build->rig;
    for (uint32_t i = 0; i < rig->mesh_count; ++i) {
        const char *name, *mesh = rig->meshes[i]->name;
        if (rig->meshes[i]->weights == NULL) {
            continue;
        }
        SN_TRY(
            sni_names_add_unique(&w->names, rig->mesh_count == 1 ? "skin" : mesh, i, &name, error));
        SN_TRY(add_file(w, meshes, name, w->build->anatomy->rig, rig->mesh_count == 1 ? NULL : mesh,
                        error));
        if (add_membrane(w, skins, name, true, true) == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
cleanup:
    return status;
}

// A finer grid and less smoothing than the standard: fingers stay apart, and so do thighs and the
// arm and the side of the chest, which would be webs in motion (with a filter of 1.7 at 400 nodes
// they are). A low threshold closes the gaps between muscles and in the skull.
static bool add_extraction(writer *w, sn_value *mesh) {
    sn_value *extract = sn_json_add_object(w->json, mesh, "extract");
    return sn_json_add_number(w->json, extract, "dimension", 450) != NULL &&
           sn_json_add_number(w->json, extract, "filter", 1.25) != NULL &&
           sn_json_add_number(w->json, extract, "threshold", 10) != NULL &&
           sn_json_add_number(w->json, extract, "relax", 12) != NULL;
}

static sn_status add_extracted(writer *w, sn_value *meshes, sn_value *skins, sn_error *error) {
    const char *name;
    sn_status status = sni_names_add_unique(&w->names, "skin", 0, &name, error);
    if (status != SN_OK) {
        return status;
    }
    sn_value *mesh = sn_json_add_object(w->json, meshes, name);
    bool done = add_extraction(w, mesh) && add_membrane(w, skins, name, false, true) != NULL;
    return done ? SN_OK : sni_fail_memory(error);
}

// Skins of the index; those that another skin is shown in place of are hidden, and so are soft
// parts that lie on others as skins do.
static bool add_listed(writer *w, sn_value *skins) {
    bool done = true, listed = w->build->report->skin == SN_ANATOMY_SKIN_LISTED;
    for (uint32_t i = 0; i < w->build->anatomy->part_count && done; ++i) {
        const sn_anatomy_part *part = &w->build->anatomy->parts[i];
        if (w->build->report->results[i].use == SN_PART_AS_SKIN) {
            bool skin = part->kind == SN_PART_SKIN;
            sn_value *object = add_membrane(w, skins, part->name, true, skin && listed);
            done = object != NULL &&
                   (skin || sn_json_add_string(w->json, object, "look", "tissue") != NULL);
        }
    }
    return done;
}

static sn_status add_skins(writer *w, sn_value *meshes, sn_error *error) {
    sn_value *skins = sn_json_add_object(w->json, w->root, "skins");
    if (skins == NULL || !add_listed(w, skins)) {
        return sni_fail_memory(error);
    }
    switch (w->build->report->skin) {
    case SN_ANATOMY_SKIN_RIGGED: return add_rigged(w, meshes, skins, error);
    case SN_ANATOMY_SKIN_EXTRACTED: return add_extracted(w, meshes, skins, error);
    default: return SN_OK;
    }
}

// ---------------------------------------------------------------------------------------------
// Motion

static sn_status add_clips(writer *w, sn_error *error) {
    const sn_import *rig = w->build->rig;
    if (rig == NULL || rig->clip_count == 0) {
        return SN_OK;
    }
    sn_status status = SN_OK;
    sn_value *map = sn_json_add_object(w->json, w->root, "clips");
    for (uint32_t i = 0; i < rig->clip_count && status == SN_OK; ++i) {
        const char *name = rig->clips[i]->name;
        status = add_file(w, map, name, w->build->anatomy->rig, NULL, error);
        sn_value *clip = (sn_value *)sn_value_get(map, name);
        if (status == SN_OK && sn_json_add_string(w->json, clip, "clip", name) == NULL) {
            status = sni_fail_memory(error);
        }
    }
    return status;
}

static bool add_coupled_point(writer *w, sn_value *landmarks, sn_value *pair, const char *name,
                              const sn_plan_coupling *coupling, int index) {
    const sni_anatomy_build *build = w->build;
    uint32_t segment = coupling->segments[index];
    char text[256];
    sn_mat4 back;
    snprintf(text, sizeof text, "%s %d", name, index + 1);
    sn_value *object = sn_json_add_object(w->json, landmarks, text);
    return sn_mat4_invert(&build->worlds[segment], &back) &&
           sn_json_add_string(w->json, object, "segment", build->skeleton.segments[segment].name) !=
               NULL &&
           add_point(w, object, "position", sn_mat4_point(&back, coupling->points[index])) &&
           sn_json_add_string(w->json, pair, NULL, text) != NULL;
}

static bool add_curve(writer *w, sn_value *driver, const sn_plan_coupling *coupling) {
    sn_value *curve = coupling->key_count > 0 ? sn_json_add_array(w->json, driver, "curve") : NULL;
    bool done = coupling->key_count == 0 || curve != NULL;
    for (uint32_t i = 0; i < coupling->key_count && done; ++i) {
        done = sn_json_add_numbers(w->json, curve, NULL, coupling->curve[i], 2) != NULL;
    }
    return done;
}

// A control, its driver and its synergy.
static bool add_coupling(writer *w, const sn_plan_coupling *coupling, sn_value *controls,
                         sn_value *synergies, sn_value *drivers, sn_value **landmarks) {
    sn_value *control = sn_json_add_object(w->json, controls, coupling->name);
    sn_value *driver = sn_json_add_object(w->json, drivers, NULL);
    sn_value *synergy = sn_json_add_object(w->json, synergies, NULL);
    bool done = sn_json_add_number(w->json, control, "low", coupling->low) != NULL &&
                sn_json_add_number(w->json, control, "high", coupling->high) != NULL &&
                sn_json_add_string(w->json, driver, "control", coupling->name) != NULL &&
                sn_json_add_string(w->json, synergy, "control", coupling->name) != NULL;
    if (done && coupling->parameter != NULL) {
        done = sn_json_add_string(w->json, driver, "parameter", coupling->parameter) != NULL;
    } else if (done) {
        sn_value *pair = sn_json_add_array(w->json, driver, "distance");
        *landmarks =
            *landmarks != NULL ? *landmarks : sn_json_add_object(w->json, w->root, "landmarks");
        for (int i = 0; i < 2 && done; ++i) {
            done = add_coupled_point(w, *landmarks, pair, coupling->name, coupling, i);
        }
    }
    done = done && add_curve(w, driver, coupling);
    sn_value *spread = done ? sn_json_add_object(w->json, synergy, "spread") : NULL;
    done = spread != NULL;
    for (uint32_t i = 0; i < coupling->spread_count && done; ++i) {
        done = sn_json_add_number(w->json, spread, coupling->spreads[i].parameter,
                                  coupling->spreads[i].amount) != NULL;
    }
    return done;
}

static bool add_couplings(writer *w) {
    const sn_body_plan *plan = w->build->plan;
    if (plan == NULL || plan->coupling_count == 0) {
        return true;
    }
    sn_value *controls = sn_json_add_object(w->json, w->root, "controls");
    sn_value *synergies = sn_json_add_array(w->json, w->root, "synergies");
    sn_value *drivers = sn_json_add_array(w->json, w->root, "drivers");
    sn_value *landmarks = NULL;
    bool done = controls != NULL && synergies != NULL && drivers != NULL;
    for (uint32_t i = 0; i < plan->coupling_count && done; ++i) {
        done = add_coupling(w, &plan->couplings[i], controls, synergies, drivers, &landmarks);
    }
    return done;
}

// ---------------------------------------------------------------------------------------------

// A closed skin of the index is the body's; else the rig's is, else one is made.
static void choose_skin(const sni_anatomy_build *build) {
    sn_anatomy_report *report = build->report;
    report->skin = build->rig != NULL ? SN_ANATOMY_SKIN_RIGGED : SN_ANATOMY_SKIN_EXTRACTED;
    for (uint32_t i = 0; i < build->anatomy->part_count; ++i) {
        sn_anatomy_result *result = &report->results[i];
        if (build->anatomy->parts[i].kind == SN_PART_SKIN && build->meshes[i] != NULL) {
            result->use = SN_PART_AS_SKIN;
            result->segment = SN_NONE;
            if (result->holed_edges == 0) {
                report->skin = SN_ANATOMY_SKIN_LISTED;
            }
        }
    }
}

// Open skins beside another one: a leg of a body whose whole skin is made.
static sn_status note_hidden(sni_anatomy_build *build, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < build->anatomy->part_count && status == SN_OK; ++i) {
        if (build->anatomy->parts[i].kind == SN_PART_SKIN &&
            build->report->results[i].use == SN_PART_AS_SKIN &&
            build->report->skin != SN_ANATOMY_SKIN_LISTED) {
            status = sni_anatomy_note(build, i, error, "an open skin, hidden behind the %s one",
                                      build->rig != NULL ? "rig's" : "extracted");
        }
    }
    return status;
}

sn_status sni_anatomy_write(sni_anatomy_build *build, const char *document_path,
                            sn_character *character, sn_error *error) {
    sn_status status = SN_OK;
    sn_json *json = sn_character_document(character);
    writer w = {
        .build = build, .document_path = document_path, .json = json, .root = sn_json_root(json)};
    sni_names_init(&w.names, build->context);
    choose_skin(build);
    SN_TRY(note_hidden(build, error));
    char about[256];
    snprintf(about, sizeof about, "made from the %u parts of the folder %s",
             build->anatomy->part_count, build->anatomy->name);
    bool done = sn_json_add_string(json, w.root, "about", about) != NULL &&
                sni_add_skeleton(json, w.root, &build->skeleton);
    sn_value *meshes = done ? sn_json_add_object(json, w.root, "meshes") : NULL;
    if (meshes == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(add_part_meshes(&w, meshes, error));
    if (!add_components(&w, "bones", SN_PART_AS_BONE) ||
        !add_components(&w, "tissues", SN_PART_AS_TISSUE)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(add_skins(&w, meshes, error));
    if (!add_muscles(&w) || !add_couplings(&w)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(add_clips(&w, error));
cleanup:
    sni_names_deinit(&w.names);
    return status;
}
