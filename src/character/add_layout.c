// SPDX-License-Identifier: Apache-2.0
//
// Putting a layout of muscles (sinew/fit.h) into a document: every muscle by
// sn_character_add_muscle, then what only layouts have: distances that drive, and expressions as
// synergies over the muscles' controls.
#include "character/character.h"

#include "base/context.h"
#include "character/add_fibre.h"
#include "muscle/patch/patch.h"
#include "sinew/fit.h"

#include <stdio.h>
#include <string.h>

// What a layout may change in the root of a document.
static const char *const sections[] = {"skins",   "muscles",   "controls",
                                       "drivers", "landmarks", "synergies"};
enum { SECTION_COUNT = sizeof sections / sizeof *sections };

// Copies of these, to go back to when something fails.
static sn_status keep_sections(sn_context *context, const sn_value *root, sn_json **kept,
                               sn_error *error) {
    sn_status status = sn_json_create(context, kept, error);
    for (uint32_t i = 0; i < SECTION_COUNT && status == SN_OK; ++i) {
        const sn_value *section = sn_value_get(root, sections[i]);
        if (section != NULL &&
            sn_json_add_copy(*kept, sn_json_root(*kept), sections[i], section) == NULL) {
            status = sni_fail_memory(error);
        }
    }
    return status;
}

static void go_back(sn_json *json, const sn_json *kept) {
    sn_value *root = sn_json_root(json);
    for (uint32_t i = 0; i < SECTION_COUNT; ++i) {
        const sn_value *before = sn_value_get(sn_json_root(kept), sections[i]);
        sn_value *now = (sn_value *)sn_value_get(root, sections[i]);
        if (before != NULL) {
            sn_json_add_copy(json, root, sections[i], before);
        } else if (now != NULL) {
            sn_json_remove(now);
        }
    }
}

static sn_value *section_of(sn_json *json, const char *key, bool is_list) {
    sn_value *root = sn_json_root(json), *found = (sn_value *)sn_value_get(root, key);
    if (found != NULL) {
        return found;
    }
    return is_list ? sn_json_add_array(json, root, key) : sn_json_add_object(json, root, key);
}

static bool add_distance(sn_json *json, const sn_layout_muscle *muscle) {
    static const char *const ends[2] = {"origin", "insertion"};
    sn_value *landmarks = section_of(json, "landmarks", false);
    sn_value *driver = sn_json_add_object(json, section_of(json, "drivers", true), NULL);
    bool done = sn_json_add_string(json, driver, "control", muscle->name) != NULL;
    sn_value *distance = done ? sn_json_add_array(json, driver, "distance") : NULL;
    for (int i = 0; i < 2 && done; ++i) {
        const sn_vec3 *p = &muscle->driver_points[i];
        char name[512];
        snprintf(name, sizeof name, "%s %s", muscle->name, ends[i]);
        sn_value *landmark = sn_json_add_object(json, landmarks, name);
        done = sn_json_add_string(json, landmark, "segment", muscle->driver_segments[i]) != NULL &&
               sn_json_add_numbers(json, landmark, "position", (double[3]){p->x, p->y, p->z}, 3) !=
                   NULL &&
               sn_json_add_string(json, distance, NULL, name) != NULL;
    }
    return done && sn_json_add_rows(json, driver, "curve", muscle->driver_curve[0], 2, 2) != NULL;
}

// A muscle's keys while they are written; NULL for want of memory.
typedef struct key_writer {
    sn_json *json;
    sn_value *object;
    bool done;
} key_writer;

static void write_text(key_writer *w, const char *key, const char *text) {
    w->done =
        w->done && (text == NULL || sn_json_add_string(w->json, w->object, key, text) != NULL);
}

static void write_number(key_writer *w, const sn_parameters *table, uint32_t index, double value) {
    const sn_parameter *parameter = &table->items[index];
    w->done =
        w->done && (parameter->choices != NULL
                        ? sn_json_add_string(w->json, w->object, parameter->name,
                                             parameter->choices[(uint32_t)value])
                        : sn_json_add_number(w->json, w->object, parameter->name, value)) != NULL;
}

static void write_curves(key_writer *w, const sn_layout_muscle *muscle) {
    sn_value *curves = sn_json_add_array(w->json, w->object, "curves");
    for (int k = 0; k < 2 && w->done; ++k) {
        w->done = sn_json_add_rows(w->json, curves, NULL, &muscle->curves[k]->x,
                                   muscle->curve_counts[k], 3) != NULL;
    }
}

// A control of 1 shortens the muscle by its strength, one factor for all of it, and swells it by
// all of its bulge: as a contraction alone it would by that share.
static void write_strength(key_writer *w, const sn_layout_muscle *muscle) {
    const double factor[3] = {0.5, 0.5, muscle->strength};
    write_text(w, "tension", muscle->name);
    w->done = w->done && sn_json_add_rows(w->json, sn_json_add_object(w->json, w->object, "vary"),
                                          "contraction", factor, 1, 3) != NULL;
}

static void write_driver(key_writer *w, const sn_layout_muscle *muscle) {
    sn_value *driver = sn_json_add_object(w->json, w->object, "driver");
    w->done = w->done &&
              sn_json_add_string(w->json, driver, "parameter", muscle->driver_parameter) != NULL &&
              sn_json_add_rows(w->json, driver, "curve", muscle->driver_curve[0], 2, 2) != NULL;
}

static void write_ring(key_writer *w, const sn_layout_muscle *muscle) {
    enum { FINE = 12 }; // patches around: enough to follow the outline of an eye
    const sn_parameters *patch = &sni_muscle_patch.parameters;
    write_number(w, patch, SNI_PATCH_CURVES, SNI_PATCH_CLOSED);
    write_number(w, patch, SNI_PATCH_PATCHES_V, FINE);
    w->done =
        w->done && sn_json_add_numbers(w->json, w->object, "center", &muscle->center.x, 3) != NULL;
    if (muscle->straight) {
        write_number(w, patch, SNI_PATCH_WAY, SNI_PATCH_WAY_STRAIGHT);
    }
}

static void write_muscle(key_writer *w, const char *skin, const sn_layout_muscle *muscle) {
    const sn_parameters *patch = &sni_muscle_patch.parameters;
    const sn_parameters *falloff = &sni_deformer_falloff.parameters;
    write_curves(w, muscle);
    write_text(w, "skin", skin);
    write_text(w, "group", muscle->group);
    write_strength(w, muscle);
    write_number(w, patch, SNI_PATCH_SKIN_THICKNESS, muscle->top_depth);
    write_number(w, patch, SNI_PATCH_MUSCLE_THICKNESS, muscle->half_thickness);
    write_number(w, patch, SNI_PATCH_BULGE, muscle->bulge);
    write_number(w, falloff, SNI_FALLOFF_PARAMETER_FULL, muscle->d_full);
    write_number(w, falloff, SNI_FALLOFF_PARAMETER_NONE, muscle->d_none);
    if (muscle->closed) {
        write_ring(w, muscle);
    }
    if (muscle->driver == SN_LAYOUT_ANGLE) {
        write_driver(w, muscle);
    }
}

// ---------------------------------------------------------------------------------------------
// Fibres

// Implicit skins follow the muscles in their fields: the one named, or all of them.
static bool follow_in_fields(sn_json *json, const char *skin, const char *muscle) {
    const sn_value *skins = sn_value_get(sn_json_root(json), "skins");
    bool done = true;
    for (uint32_t i = 0; i < sn_value_count(skins); ++i) {
        const sn_value *one = sn_value_at(skins, i), *deformers = sn_value_get(one, "deformers");
        bool counts = skin == NULL || strcmp(one->key, skin) == 0;
        for (uint32_t k = 0; k < sn_value_count(deformers) && counts; ++k) {
            sn_value *deformer = (sn_value *)sn_value_at(deformers, k);
            const char *kind = sn_value_string(sn_value_get(deformer, "kind"), "");
            if (strcmp(kind, sni_deformer_implicit.name) == 0) {
                sn_value *list = (sn_value *)sn_value_get(deformer, "muscles");
                list = list != NULL ? list : sn_json_add_array(json, deformer, "muscles");
                done = done && sn_json_add_string(json, list, NULL, muscle) != NULL;
            }
        }
    }
    return done;
}

static bool is_moved_by_weights(const sn_value *skin) {
    const sn_value *deformers = sn_value_get(skin, "deformers");
    for (uint32_t k = 0; k < sn_value_count(deformers); ++k) {
        const char *kind = sn_value_string(sn_value_get(sn_value_at(deformers, k), "kind"), "");
        if (strcmp(kind, sni_deformer_implicit.name) == 0 ||
            strcmp(kind, sni_deformer_blend.name) == 0) {
            return true;
        }
    }
    return false;
}

// The skin that a fibre stays inside of: the one named, else the only one. NULL where there are
// several, none of which encloses a whole body for certain, and where no bones carry its inside.
static const char *find_enclosing_skin(sn_json *json, const char *skin) {
    const sn_value *skins = sn_value_get(sn_json_root(json), "skins");
    const sn_value *found = skin != NULL                 ? sn_value_get(skins, skin)
                            : sn_value_count(skins) == 1 ? sn_value_at(skins, 0)
                                                         : NULL;
    return found != NULL && is_moved_by_weights(found) ? found->key : NULL;
}

// A fibre needs no control: it is put among the muscles as it is, inside of its skin.
static sn_status add_fibre(sn_character *character, const char *skin,
                           const sn_layout_muscle *muscle, sn_error *error) {
    sn_json *json = sn_character_document(character);
    sn_value *muscles = section_of(json, "muscles", false);
    if (sn_value_get(muscles, muscle->name) != NULL) {
        return sni_fail(error, SN_INVALID, "there is a muscle \"%s\" already", muscle->name);
    }
    sn_value *object = sn_json_add_object(json, muscles, muscle->name);
    const char *inside = find_enclosing_skin(json, skin);
    bool added = sni_add_fibre(json, object, muscle->fibre) &&
                 (inside == NULL || sn_json_add_string(json, object, "inside", inside) != NULL);
    return added && follow_in_fields(json, skin, muscle->name) ? SN_OK : sni_fail_memory(error);
}

static sn_status add_muscle(sn_character *character, const char *skin,
                            const sn_layout_muscle *muscle, sn_error *error) {
    sn_json *json = sn_character_document(character);
    key_writer w = {.done = true};
    sn_status status = SN_OK;
    if (muscle->fibre != NULL) {
        return add_fibre(character, skin, muscle, error);
    }
    SN_TRY(sn_json_create(sni_character_context(character), &w.json, error));
    // Under its name, so that errors tell it.
    w.object = sn_json_add_object(w.json, sn_json_root(w.json), muscle->name);
    write_muscle(&w, skin, muscle);
    if (!w.done) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(sn_character_add_muscle(character, muscle->name, w.object, error));
    if (muscle->driver == SN_LAYOUT_DISTANCE && !add_distance(json, muscle)) {
        SN_TRY(sni_fail_memory(error));
    }
cleanup:
    sn_json_destroy(w.json);
    return status;
}

static sn_status add_expression(sn_json *json, const sn_muscle_layout *layout,
                                const sn_layout_expression *expression, sn_error *error) {
    sn_value *controls = section_of(json, "controls", false);
    if (sn_value_get(controls, expression->name) != NULL) {
        return sni_fail(error, SN_INVALID, "there is a control \"%s\" already", expression->name);
    }
    sn_value *control = sn_json_add_object(json, controls, expression->name);
    sn_value *synergy = sn_json_add_object(json, section_of(json, "synergies", true), NULL);
    bool done = sn_json_add_string(json, control, "group", "expression") != NULL &&
                sn_json_add_string(json, control, "about", expression->about) != NULL &&
                sn_json_add_string(json, synergy, "control", expression->name) != NULL;
    sn_value *spread = done ? sn_json_add_object(json, synergy, "spread") : NULL;
    for (uint32_t i = 0; i < expression->count && done; ++i) {
        const char *name = layout->muscles[expression->muscles[i]].name;
        done = sn_json_add_number(json, spread, name, expression->amounts[i]) != NULL;
    }
    return done ? SN_OK : sni_fail_memory(error);
}

static bool is_in_layout(const sn_muscle_layout *layout, const char *name) {
    for (uint32_t i = 0; i < layout->muscle_count; ++i) {
        if (strcmp(layout->muscles[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool write_choice(sn_json *json, sn_value *deformer, uint32_t parameter,
                         const char *choice) {
    const sn_parameter *item = &sni_deformer_falloff.parameters.items[parameter];
    return choice == NULL || sn_json_add_string(json, deformer, item->name, choice) != NULL;
}

// Says how the effect falls off and adds up in the deformers that follow muscles of the layout
// alone.
static sn_status set_falloff(sn_json *json, const sn_value *skin, const sn_muscle_layout *layout,
                             sn_error *error) {
    const sn_value *deformers = sn_value_get(skin, "deformers");
    for (uint32_t i = 0; i < sn_value_count(deformers); ++i) {
        sn_value *deformer = (sn_value *)sn_value_at(deformers, i);
        const sn_value *muscles = sn_value_get(deformer, "muscles");
        bool all = sn_value_count(muscles) > 0;
        for (uint32_t k = 0; k < sn_value_count(muscles); ++k) {
            all = all && is_in_layout(layout, sn_value_at(muscles, k)->as.string);
        }
        if (all &&
            (!write_choice(json, deformer, SNI_FALLOFF_PARAMETER_SHAPE, layout->falloff) ||
             !write_choice(json, deformer, SNI_FALLOFF_PARAMETER_OVERLAP, layout->overlap))) {
            return sni_fail_memory(error);
        }
    }
    return SN_OK;
}

static sn_status set_falloffs(sn_json *json, const sn_muscle_layout *layout, sn_error *error) {
    const sn_value *skins = sn_value_get(sn_json_root(json), "skins");
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(skins) && status == SN_OK; ++i) {
        status = set_falloff(json, sn_value_at(skins, i), layout, error);
    }
    return status;
}

sn_status sn_character_add_layout(sn_character *character, const char *skin,
                                  const sn_muscle_layout *layout, const sn_progress *progress,
                                  sn_error *error) {
    sn_json *json = sn_character_document(character), *kept = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_character_check(character, error));
    SN_TRY(keep_sections(sni_character_context(character), sn_json_root(json), &kept, error));
    for (uint32_t i = 0; i < layout->muscle_count && status == SN_OK; ++i) {
        double done = (double)i / layout->muscle_count;
        status = sni_progress(progress, "adding muscles", done, error);
        const sn_layout_muscle *muscle = &layout->muscles[i];
        const char *on = muscle->skin != NULL ? muscle->skin : skin;
        status = status == SN_OK ? add_muscle(character, on, muscle, error) : status;
    }
    for (uint32_t i = 0; i < layout->expression_count && status == SN_OK; ++i) {
        status = add_expression(json, layout, &layout->expressions[i], error);
    }
    status = status == SN_OK ? set_falloffs(json, layout, error) : status;
    status = status == SN_OK ? sn_character_check(character, error) : status;
    if (status != SN_OK) {
        go_back(json, kept);
    }
cleanup:
    sn_json_destroy(kept);
    return status;
}
