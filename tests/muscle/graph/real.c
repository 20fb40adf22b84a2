// SPDX-License-Identifier: Apache-2.0
//
// Scanned muscles with paths that were fitted to them: all muscles of the face, sheets, fans and
// sphincters among them, and twenty of the body. SINEW_THOROUGH=1 tries all, else every so many.
#include "test.h"

#include "shapes.h"

#include "sinew/fit.h"
#include "sinew/io.h"

enum { LINE = 2048, CELLS = 40, BODY_MUSCLES = 20, BODY_STEP = 9, STEPS = 12 };

typedef struct scans {
    sn_context *context;
    sn_import *bones[2];
    sn_fit_bone fit_bones[2];
    uint32_t parents[2];
    uint32_t muscles, keys;
    uint32_t steps; // the most of any search
    double worst;   // volume
} scans;

// Splits a line of a CSV file; cells with commas are in quotes.
static int split(char *line, char **cells) {
    int count = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *cell = line; cell != NULL && count < CELLS; ++count) {
        bool quoted = cell[0] == '"';
        char *end = quoted ? strchr(++cell, '"') : cell;
        char *comma = end != NULL ? strchr(end, ',') : NULL;
        if (quoted && end != NULL) {
            *end = 0;
        }
        if (comma != NULL) {
            *comma = 0;
        }
        cells[count] = cell;
        cell = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

static bool is_thorough(void) {
    return snt_thorough();
}

static void set_up(scans *s) {
    static const char *const files[2] = {"anatomy/skull/cranium_solid.obj",
                                         "anatomy/skull/mandible_solid.obj"};
    static const char *const names[2] = {"cranium", "mandible"};
    *s = (scans){.context = NULL, .parents = {SN_NONE, 0}};
    snt_data(files[0]);
    s->context = snt_context(2);
    for (uint32_t i = 0; i < 2; ++i) {
        snt_ok(sn_import_file(s->context, snt_data(files[i]), &s->bones[i], error));
        s->fit_bones[i] = (sn_fit_bone){names[i], s->bones[i]->meshes[0], i};
    }
}

static void tear_down(scans *s) {
    sn_import_destroy(s->bones[0]);
    sn_import_destroy(s->bones[1]);
    snt_context_end(s->context);
}

static bool is_leaf(const sn_graph_fit *fit, uint32_t point) {
    bool leaf = true;
    for (uint32_t i = 0; i < fit->point_count; ++i) {
        leaf = leaf && fit->points[i].parent != point;
    }
    return leaf;
}

// Roots go with the upper segment, leaves with the lower one, all others with both.
static void take_fit(graph_test *t, sni_graph_point *points, const sn_graph_fit *fit) {
    for (uint32_t i = 0; i < fit->point_count; ++i) {
        const sn_fit_graph_point *from = &fit->points[i];
        points[i] = (sni_graph_point){.segment = fit->sphincter            ? 0
                                                 : from->parent == SN_NONE ? 0
                                                 : is_leaf(fit, i)         ? 1
                                                                           : SN_NONE,
                                      .point = from->point,
                                      .parent = from->parent,
                                      .root = from->parent == SN_NONE,
                                      .tendon = from->tendon};
    }
    t->input.point_count = fit->point_count;
    t->input.points = points;
    t->input.circle_count = 0;
    t->input.has_center = fit->sphincter;
    t->input.center = (sni_muscle_attachment){.segment = 0, .point = fit->center.point};
}

// The mean of the roots, or of the leaves.
static sn_vec3 mean_end(const sn_graph_fit *fit, bool leaves) {
    sn_vec3 sum = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < fit->point_count; ++i) {
        if (leaves ? is_leaf(fit, i) : fit->points[i].parent == SN_NONE) {
            sum = sn_vec3_add(sum, fit->points[i].point);
            ++count;
        }
    }
    return sn_vec3_scale(sum, 1.0 / (count > 0 ? count : 1));
}

static void check_volume(scans *s, graph_test *t, const char *name, const sn_mat4 *worlds,
                         double contraction) {
    bool kept = false;
    snt_ok(graph_try_pose(t, worlds, contraction, 0, &kept, error));
    double volume = graph_volume(t, t->surface);
    double ratio = volume / graph_volume(t, t->graph->mesh->positions);
    if (!kept || !(fabs(ratio - 1) < 0.01)) {
        fail_msg("%s: %.4f of its volume at contraction %g", name, ratio, contraction);
    }
    s->worst = fmax(s->worst, fabs(ratio - 1));
}

// Contracted by up to 60 %; stretched by 30 %; turned at one end while it contracts.
static void move_muscle(scans *s, graph_test *t, const char *name, const sn_graph_fit *fit) {
    sn_vec3 root = mean_end(fit, false), way = sn_vec3_sub(mean_end(fit, true), root);
    sn_mat4 worlds[2] = {t->rest[0], t->rest[1]};
    for (int i = 0; i <= STEPS; ++i) {
        check_volume(s, t, name, t->rest, (double)i / STEPS);
    }
    for (int i = -1; i < 4; ++i) {
        if (fit->sphincter) {
            worlds[0].m[0] = 1 + 0.1 * i; // about its middle, along x
            worlds[0].m[12] = -0.1 * i * fit->center.point.x;
        } else {
            worlds[1].m[12] = 0.1 * i * way.x;
            worlds[1].m[13] = 0.1 * i * way.y;
            worlds[1].m[14] = 0.1 * i * way.z;
        }
        check_volume(s, t, name, worlds, 0);
        check_volume(s, t, name, worlds, 0.4);
    }
    for (int i = 0; i < 4 && !fit->sphincter; ++i) {
        sn_quat turn = sn_quat_from_euler(sn_vec3_make(0.15 * i, -0.1 * i, 0.1), SN_ROTATION_XYZ);
        sn_vec3 move = sn_vec3_sub(root, sn_quat_rotate(turn, root));
        worlds[1] = graph_matrix(turn, move);
        check_volume(s, t, name, worlds, 0.25 * i);
    }
}

static void try_muscle(scans *s, const char *file, const char *name,
                       const sn_graph_fit_desc *given) {
    sn_graph_fit_desc desc = *given;
    sn_import *import = NULL;
    sn_graph_fit *fit = NULL;
    graph_test t;
    snt_ok(sn_import_file(s->context, snt_data(file), &import, error));
    desc.muscle.name = name;
    desc.muscle.mesh = import->meshes[0];
    desc.muscle.bone_count = 2;
    desc.muscle.bones = s->fit_bones;
    desc.muscle.segment_count = 2;
    desc.muscle.segment_parents = s->parents;
    snt_ok(sn_fit_graph(s->context, &desc, &fit, error));
    assert_true(fit->point_count <= SNI_GRAPH_POINTS_MOST);
    sni_graph_point *points = calloc(fit->point_count, sizeof *points);
    graph_init(&t, s->context, GRAPH_SPINDLE, 1);
    t.rest[0] = t.rest[1] = sn_mat4_identity();
    t.job.name = name;
    t.input.mesh = import->meshes[0];
    take_fit(&t, points, fit);
    graph_bind(&t);
    move_muscle(s, &t, name, fit);
    s->muscles++;
    s->keys += t.graph->key_count;
    s->steps = t.graph->most_steps > s->steps ? t.graph->most_steps : s->steps;
    graph_free(&t);
    free(points);
    sn_graph_fit_destroy(fit);
    sn_import_destroy(import);
}

static sn_fit_place place_of(char *const *cells) {
    uint32_t bone = strcmp(cells[0], "cranium") == 0    ? 0
                    : strcmp(cells[0], "mandible") == 0 ? 1
                                                        : SN_NONE;
    return (sn_fit_place){bone, {atof(cells[1]), atof(cells[2]), atof(cells[3])}};
}

static void faces_keep_their_volume(void **state) {
    (void)state;
    scans s;
    char line[LINE], file[256], *cells[CELLS];
    uint32_t listed = 0, sphincters = 0;
    const char *table = snt_data("face/facial_muscles.csv");
    FILE *rows = fopen(table, "r");
    set_up(&s);
    assert_non_null(rows);
    assert_non_null(fgets(line, sizeof line, rows));
    while (fgets(line, sizeof line, rows) != NULL) {
        split(line, cells);
        bool ring = strcmp(cells[18], "sphincter") == 0;
        sphincters += ring;
        if (!is_thorough() && listed++ % 9 != 2 && !(ring && sphincters == 1)) {
            continue;
        }
        sn_graph_fit_desc desc = sn_graph_fit_desc_default();
        sn_fit_place places[2] = {place_of(cells + 5), place_of(cells + 12)};
        desc.sphincter = ring;
        desc.muscle.place_count = ring ? 0 : 2;
        desc.muscle.places = places;
        desc.origin_count = ring ? 0 : 1;
        snprintf(file, sizeof file, "anatomy/%s", cells[0]);
        try_muscle(&s, file, cells[1], &desc);
    }
    fclose(rows);
    assert_true(s.muscles == (is_thorough() ? 58 : s.muscles) && s.muscles >= 5);
    // The thesis: about five.
    assert_true(s.steps <= 8);
    print_message("%u muscles: at most %u steps, %.1f keys, volume to %.1e\n", s.muscles, s.steps,
                  (double)s.keys / s.muscles, s.worst);
    tear_down(&s);
}

static void bodies_keep_their_volume(void **state) {
    (void)state;
    scans s;
    char line[LINE], file[256], *cells[CELLS];
    uint32_t listed = 0;
    FILE *rows = fopen(snt_data("anatomy/index.csv"), "r");
    set_up(&s);
    assert_non_null(rows);
    assert_non_null(fgets(line, sizeof line, rows));
    while (fgets(line, sizeof line, rows) != NULL && s.muscles < (is_thorough() ? 20 : 3)) {
        split(line, cells);
        if (strncmp(cells[0], "muscles/", 8) != 0 || listed++ % BODY_STEP != 0) {
            continue;
        }
        sn_graph_fit_desc desc = sn_graph_fit_desc_default();
        snprintf(file, sizeof file, "anatomy/%s", cells[0]);
        try_muscle(&s, file, cells[2], &desc);
    }
    fclose(rows);
    assert_true(s.muscles == (is_thorough() ? BODY_MUSCLES : 3));
    assert_true(s.steps <= 12);
    print_message("%u muscles: at most %u steps, %.1f keys, volume to %.1e\n", s.muscles, s.steps,
                  (double)s.keys / s.muscles, s.worst);
    tear_down(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_keep_their_volume),
        cmocka_unit_test(bodies_keep_their_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
