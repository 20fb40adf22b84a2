// SPDX-License-Identifier: Apache-2.0
//
// Rows implicit/SCENE_...: fibre muscles in an implicit skin, mean times per frame of whole clips,
// beside the tables of V. Roussellet et al., "Dynamic implicit muscles for character skinning"
// (2018), which were measured on six cores of 3.6 GHz.
//
//     _skin      the skin without muscles                     table 2, standard implicit skinning
//     _tracking  the skin with muscles                        table 2, tracking
//     _swing     the muscles, without contact                 table 3, only elasticity
//     _muscles   the muscles, with contact                    table 2, PBD
//     _total     all of it                                    table 2, total; target: TOTAL_BUDGET
//
// Then rows implicit/particles_N: the muscles of the jump with N particles each (figure 12); and
// the curl of the arm up to ten times as large and beyond: implicit/vertices_N with its triangles
// split in four once and twice, implicit/muscles_N with all muscles in several copies.
#include "bench/bench.h"
#include "bench/play.h"

#include "sinew/eval.h"
#include "sinew/fit.h"

#include <math.h>
#include <string.h>

static const char paper[] = "Roussellet et al. 2018";

typedef struct scene {
    const char *name, *character, *clip;
    double skin, tracking, swing, muscles, total; // of the paper, milliseconds
    double budget;                                // for the total, milliseconds
} scene;

static const scene scenes[] = {
    {"shake", "strongarm", "shake", 8, 13, 3, 55, 68, 3},
    {"curl", "strongarm", "curl", 5, 15, 3, 42, 57, 3},
    {"jump", "athlete", "jump", 50, 462, 50, 96, 558, 33},
    {"run", "athlete", "run", 51, 473, 48, 96, 569, 33},
};

// How a document is changed before it is measured.
typedef struct variant {
    bool no_muscles, no_contact;
    uint32_t particles; // 0: as they are
    uint32_t copies;    // of each muscle, beside itself
    uint32_t splits;    // of all triangles of the skin in four
} variant;

// Mean milliseconds per frame.
typedef struct times {
    double muscles, skin, total;
    uint32_t vertex_count, muscle_count;
} times;

static void forget_muscles(sn_json *json) {
    sn_value *muscles = sn_json_find(json, "/muscles");
    const sn_value *skins = sn_value_get(sn_json_root(json), "skins");
    for (uint32_t i = 0; i < sn_value_count(skins); ++i) {
        const sn_value *deformers = sn_value_get(sn_value_at(skins, i), "deformers");
        for (uint32_t k = 0; k < sn_value_count(deformers); ++k) {
            sn_value *used = (sn_value *)sn_value_get(sn_value_at(deformers, k), "muscles");
            if (used != NULL) {
                sn_json_remove(used);
            }
        }
    }
    if (muscles != NULL) {
        sn_json_remove(muscles);
    }
}

// Copies of muscles lie where these lie; all skins follow them, too.
static void copy_muscles(sn_json *json, uint32_t copies) {
    sn_value *muscles = sn_json_find(json, "/muscles");
    const sn_value *skins = sn_value_get(sn_json_root(json), "skins");
    for (uint32_t i = 0; i < sn_value_count(skins); ++i) {
        const sn_value *deformer = sn_value_at(sn_value_get(sn_value_at(skins, i), "deformers"), 0);
        sn_value *used = (sn_value *)sn_value_get(deformer, "muscles");
        uint32_t count = sn_value_count(used);
        for (uint32_t k = 0; k < count * copies; ++k) {
            const char *name = sn_value_string(sn_value_at(used, k % count), "");
            char copy[256];
            snprintf(copy, sizeof copy, "%s %u", name, k / count + 2);
            sn_json_add_copy(json, muscles, copy, sn_value_get(muscles, name));
            sn_json_add_string(json, used, NULL, copy);
        }
    }
}

// Gives the skin called `skin` a finer mesh.
static sn_status split_skin(sn_character *character, uint32_t splits, sn_error *error) {
    sn_json *json = sn_character_document(character);
    const sn_mesh *mesh = NULL;
    sn_mesh *fine = NULL;
    sn_status status = sn_character_mesh(character, "skin", &mesh, error);
    for (uint32_t i = 0; i < splits && status == SN_OK; ++i) {
        sn_mesh *finer = NULL;
        status = sn_driver_mesh_subdivide(i == 0 ? mesh : fine, NULL, false, &finer, error);
        sn_mesh_destroy(fine);
        fine = finer;
    }
    if (status != SN_OK || splits == 0) {
        return status;
    }
    sn_json_add_object(json, sn_json_find(json, "/meshes"), "fine");
    sn_json_add_string(json, sn_json_find(json, "/skins/skin"), "mesh", "fine");
    return sn_character_give_mesh(character, "fine", fine, error);
}

static void change(sn_json *json, const variant *v) {
    const sn_value *muscles = sn_value_get(sn_json_root(json), "muscles");
    for (uint32_t i = 0; i < sn_value_count(muscles); ++i) {
        sn_value *muscle = (sn_value *)sn_value_at(muscles, i);
        if (v->particles != 0) {
            sn_json_add_number(json, muscle, "particles", v->particles);
        }
        if (v->no_contact) {
            sn_json_add_array(json, muscle, "touches");
        }
    }
    if (v->copies > 0) {
        copy_muscles(json, v->copies);
    }
    if (v->no_muscles) {
        forget_muscles(json);
    }
}

static uint32_t count_vertices(const sn_model *model) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        uint32_t count = sn_model_surface(model, i)->mesh->vertex_count;
        most = count > most ? count : most;
    }
    return most;
}

static sn_status measure(snb_report *report, const scene *s, const variant *v, times *t,
                         sn_error *error) {
    sn_character *character = NULL;
    sn_model *model = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/../examples/%s/%s.sinew.json", SNB_SOURCE_DIR, s->character,
             s->character);
    sn_status status = sn_character_load(report->context, path, &character, error);
    if (status == SN_OK) {
        const sn_value *root = sn_json_root(sn_character_document(character));
        change(sn_character_document(character), v);
        t->muscle_count = sn_value_count(sn_value_get(root, "muscles"));
        status = v->splits > 0 ? split_skin(character, v->splits, error) : SN_OK;
    }
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &model, error);
    }
    if (status == SN_OK) {
        t->vertex_count = count_vertices(model);
        snb_frame_times ms = {0};
        status = snb_play(model, s->clip, &ms, error);
        t->muscles = ms.stages[SN_STAGE_MUSCLES];
        t->skin = ms.stages[SN_STAGE_SKIN];
        t->total = ms.total;
    }
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static bool add(snb_report *report, const scene *s, const char *what, uint32_t size, double ms,
                double paper_ms, double target) {
    char row[SNB_TEXT];
    snprintf(row, sizeof row, "implicit/%s_%s", s->name, what);
    return snb_add(report, row, size, ms, paper, paper_ms, target);
}

static sn_status measure_scene(snb_report *report, const scene *s, sn_error *error) {
    const variant whole = {0}, bare = {.no_muscles = true}, free_ones = {.no_contact = true};
    times all = {0}, skin = {0}, swing = {0};
    sn_status status = measure(report, s, &whole, &all, error);
    if (status == SN_OK) {
        status = measure(report, s, &bare, &skin, error);
    }
    if (status == SN_OK) {
        status = measure(report, s, &free_ones, &swing, error);
    }
    if (status != SN_OK) {
        return status;
    }
    // Only the total has a budget; the others are there to see where time goes.
    bool added =
        add(report, s, "skin", all.vertex_count, skin.skin, s->skin, 1) &&
        add(report, s, "tracking", all.vertex_count, all.skin, s->tracking, 1) &&
        add(report, s, "swing", all.muscle_count, swing.muscles, s->swing, 1) &&
        add(report, s, "muscles", all.muscle_count, all.muscles, s->muscles, 1) &&
        add(report, s, "total", all.vertex_count, all.total, s->total, s->total / s->budget);
    snb_note(report, "implicit/%s: %u vertices, %u muscles; total %.2f ms of %.0f", s->name,
             all.vertex_count, all.muscle_count, all.total, s->budget);
    return added ? SN_OK : SN_OUT_OF_MEMORY;
}

// Figure 12: the muscles of the jump against their number of particles; 30 are the reference.
static sn_status measure_particles(snb_report *report, sn_error *error) {
    static const uint32_t counts[] = {30, 10, 20, 40, 60, 120};
    const scene *jump = &scenes[2];
    double reference = 0;
    sn_status status = SN_OK;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && status == SN_OK; ++i) {
        variant v = {.particles = counts[i]};
        times t = {0};
        char row[SNB_TEXT];
        snprintf(row, sizeof row, "implicit/particles_%u", counts[i]);
        status = measure(report, jump, &v, &t, error);
        reference = i == 0 ? t.total : reference;
        // In proportion, or better.
        double target = 0.8 * fmin(1, 30.0 / counts[i]);
        if (status == SN_OK &&
            !snb_add(report, row, t.muscle_count, t.total, "30 particles", reference, target)) {
            status = SN_OUT_OF_MEMORY;
        }
    }
    return status;
}

// The curl with more vertices or muscles, beside itself: in proportion, or better.
static sn_status measure_sizes(snb_report *report, bool vertices, sn_error *error) {
    static const uint32_t splits[] = {0, 1, 2}, copies[] = {0, 1, 4, 9};
    const scene *curl = &scenes[1];
    size_t count = vertices ? sizeof splits / sizeof *splits : sizeof copies / sizeof *copies;
    times one = {0};
    sn_status status = SN_OK;
    for (size_t i = 0; i < count && status == SN_OK; ++i) {
        variant v = vertices ? (variant){.splits = splits[i]} : (variant){.copies = copies[i]};
        times t = {0};
        char row[SNB_TEXT];
        status = measure(report, curl, &v, &t, error);
        one = i == 0 ? t : one;
        uint32_t size = vertices ? t.vertex_count : t.muscle_count;
        uint32_t first = vertices ? one.vertex_count : one.muscle_count;
        snprintf(row, sizeof row, "implicit/%s_%u", vertices ? "vertices" : "muscles", size);
        if (status == SN_OK && !snb_add(report, row, size, t.total, "the curl", one.total,
                                        0.8 * first / fmax(1, size))) {
            status = SN_OUT_OF_MEMORY;
        }
    }
    return status;
}

static bool wants(const snb_report *report, const char *prefix) {
    return snb_wants(report, prefix) || (report->name != NULL && strstr(report->name, prefix));
}

sn_status snb_implicit(snb_report *report, sn_error *error) {
    sn_status status = SN_OK;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes && status == SN_OK; ++i) {
        char prefix[SNB_TEXT];
        snprintf(prefix, sizeof prefix, "implicit/%s", scenes[i].name);
        if (wants(report, prefix)) {
            status = measure_scene(report, &scenes[i], error);
        }
    }
    if (status == SN_OK && wants(report, "implicit/particles")) {
        status = measure_particles(report, error);
    }
    if (status == SN_OK && wants(report, "implicit/vertices")) {
        status = measure_sizes(report, true, error);
    }
    if (status == SN_OK && wants(report, "implicit/muscles")) {
        status = measure_sizes(report, false, error);
    }
    return status;
}
