// SPDX-License-Identifier: Apache-2.0
//
// The jaw of a real skull: cranium, mandible, hyoid bone and 28 teeth of the anatomy of the test
// data, and the muscles of mastication where facial_muscles.csv has them, as strong as in C. Peck
// et al., "Dynamic simulation of muscle and articular properties during human wide jaw opening"
// (2000), and A. Hannam et al., "A dynamic model of jaw and hyoid biomechanics during chewing"
// (2008).
#include "../character/documents.h"

#include "geometry/interior.h"
#include "io/read_csv.h"
#include "sinew/eval.h"
#include "sinew/io.h"

#include <math.h>

// Where the skull's middle plane is.
static const double middle = -0.00065;

// --- The document

typedef struct writer {
    char text[65536];
    size_t used;
} writer;

static void add(writer *w, const char *format, ...) SN_PRINTF(2, 3);
static void add(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, arguments);
    va_end(arguments);
    assert_true(w->used < sizeof w->text);
}

// A muscle, on the left; points that are not in the table are given.
typedef struct muscle {
    const char *name, *table_name;
    double strength, tendon, optimum;
    const char *from; // bone that it begins on
    sn_vec3 origin, insertion;
    bool turned; // the table begins at the mandible
} muscle;

static const muscle muscles[] = {
    {"anterior temporalis",
     NULL,
     158,
     0.5,
     1.1,
     "cranium",
     {.0567, 1.5667, .1378},
     {.0417, 1.5021, .1382},
     false},
    {"middle temporalis", "temporalis", 95.6, 0.48, 1.1, "cranium", {0, 0, 0}, {0, 0, 0}, false},
    {"posterior temporalis",
     NULL,
     75.6,
     0.51,
     1.1,
     "cranium",
     {.0697, 1.5692, .0679},
     {.0417, 1.5021, .1342},
     false},
    {"superficial masseter",
     "masseter, superficial part",
     190.4,
     0.46,
     1.1,
     "cranium",
     {0, 0, 0},
     {0, 0, 0},
     false},
    {"deep masseter",
     "masseter, deep part",
     81.6,
     0.29,
     1.1,
     "cranium",
     {0, 0, 0},
     {0, 0, 0},
     false},
    {"medial pterygoid",
     "medial pterygoid",
     174.8,
     0.64,
     1.1,
     "cranium",
     {0, 0, 0},
     {0, 0, 0},
     false},
    {"lower lateral pterygoid",
     "lateral pterygoid, lower head",
     66.9,
     0,
     1,
     "cranium",
     {0, 0, 0},
     {0, 0, 0},
     false},
    {"upper lateral pterygoid",
     "lateral pterygoid, upper head",
     28.7,
     0,
     1,
     "cranium",
     {0, 0, 0},
     {0, 0, 0},
     false},
    {"digastric", "digastric, anterior belly", 40, 0, 1, "hyoid", {0, 0, 0}, {0, 0, 0}, true},
    {"geniohyoid", NULL, 32, 0, 1, "hyoid", {.004, 1.443, .1285}, {.003, 1.446, .164}, false},
    {"mylohyoid", NULL, 35.4, 0, 1, "hyoid", {.006, 1.441, .13}, {.015, 1.45, .156}, false},
};
enum { MUSCLE_COUNT = sizeof muscles / sizeof *muscles, FIRST_OPENER = 8 };

static sn_vec3 mirrored(sn_vec3 p, char side) {
    return side == 'L' ? p : sn_vec3_make(2 * middle - p.x, p.y, p.z);
}

static const char *cell(const sni_csv *table, uint32_t row, const char *name) {
    uint32_t column = sni_csv_column(table, name);
    assert_true(column != SN_NONE);
    return sni_csv_cell(table, row, column);
}

static sn_vec3 point_of(const sni_csv *table, uint32_t row, const char *end) {
    double at[3];
    for (int i = 0; i < 3; ++i) {
        char name[32];
        snprintf(name, sizeof name, "%s_%c", end, "xyz"[i]);
        at[i] = atof(cell(table, row, name));
    }
    return sn_vec3_make(at[0], at[1], at[2]);
}

// Where a muscle of one side begins and ends.
static void find_ends(const sni_csv *table, const muscle *m, char side, sn_vec3 ends[2]) {
    ends[0] = mirrored(m->origin, side);
    ends[1] = mirrored(m->insertion, side);
    for (uint32_t i = 0; i < sni_csv_count(table) && m->table_name != NULL; ++i) {
        if (strcmp(cell(table, i, "muscle"), m->table_name) == 0 &&
            strcmp(cell(table, i, "side"), side == 'L' ? "left" : "right") == 0) {
            ends[m->turned] = point_of(table, i, "origin");
            ends[!m->turned] = point_of(table, i, "insertion");
        }
    }
    assert_true(sn_vec3_distance(ends[0], ends[1]) > 0.02);
}

static void add_muscles(writer *w, const sni_csv *table) {
    add(w, "'muscles': {");
    for (int i = 0; i < 2 * MUSCLE_COUNT; ++i) {
        const muscle *m = &muscles[i / 2];
        char side = i % 2 == 0 ? 'L' : 'R';
        sn_vec3 ends[2];
        find_ends(table, m, side, ends);
        add(w, "%s\n'%s.%c': {'kind': 'cylinder', 'slices': 5, 'activation': '%s.%c', 'origins': [",
            i > 0 ? "," : "", m->name, side, m->name, side);
        for (int k = 0; k < 4; ++k) {
            // Two attachments at each end, a few millimetres apart.
            sn_vec3 p = ends[k / 2];
            p.z += k % 2 == 0 ? 0.002 : -0.002;
            add(w, "%s{'bone': '%s', 'point': [%.5f, %.5f, %.5f]}", k % 2 == 1 ? ", " : "",
                k < 2 ? m->from : "mandible", p.x, p.y, p.z);
            add(w, "%s", k == 1 ? "], 'insertions': [" : k == 3 ? "]}" : "");
        }
    }
    add(w, "},\n'controls': {'gape': {}, 'open': {}, 'close': {}");
    for (int i = 0; i < 2 * MUSCLE_COUNT; ++i) {
        add(w, ", '%s.%c': {}", muscles[i / 2].name, i % 2 == 0 ? 'L' : 'R');
    }
    add(w, "},\n");
}

static void add_spread(writer *w, const char *control, int first, int last, const char *more) {
    add(w, "{'control': '%s', 'spread': {%s", control, more);
    for (int i = 2 * first; i < 2 * last; ++i) {
        add(w, "%s'%s.%c': 1", i > 2 * first || more[0] != 0 ? ", " : "", muscles[i / 2].name,
            i % 2 == 0 ? 'L' : 'R');
    }
    add(w, "}}");
}

// The hyoid bone goes down as the mouth opens, by muscles that are not here.
static void add_body(writer *w) {
    add(w, "'synergies': [");
    add_spread(w, "open", FIRST_OPENER, MUSCLE_COUNT,
               "'lower lateral pterygoid.L': 1, 'lower lateral pterygoid.R': 1, 'hyoid.ty': "
               "-0.007, 'hyoid.tz': -0.003");
    add(w, ",\n");
    add_spread(w, "close", 0, 6, "");
    add(w, "],\n'landmarks': {'upper': {'segment': 'head', 'position': [0, 1.466, 0.187]},"
           "'lower': {'segment': 'jaw', 'position': [0, 1.4655, 0.183]}},\n"
           "'drivers': [{'control': 'gape', 'distance': ['upper', 'lower']}],\n"
           "'bodies': {'mandible': {'segment': 'jaw', 'bones': ['mandible'], 'mass': 0.2, "
           "'muscles': [");
    for (int i = 0; i < 2 * MUSCLE_COUNT; ++i) {
        const muscle *m = &muscles[i / 2];
        add(w, "%s{'muscle': '%s.%c', 'strength': %g, 'tendon': %g, 'optimum': %g}",
            i > 0 ? ",\n" : "", m->name, i % 2 == 0 ? 'L' : 'R', m->strength, m->tendon,
            m->optimum);
    }
    add(w, "], 'joints': [");
    for (int i = 0; i < 2; ++i) {
        sn_vec3 p = mirrored(sn_vec3_make(0.04, 1.511, 0.105), i == 0 ? 'L' : 'R');
        add(w,
            "%s{'point': [%.5f, %.5f, %.5f], 'slope_deg': 38, 'end_slope_deg': 8, 'travel': 0.014, "
            "'back': 0.0005, 'play': 0.001}",
            i > 0 ? ", " : "", p.x, p.y, p.z);
    }
    add(w, "], 'contacts': [{'bones': [");
}

// --- The character

enum { TEETH = 14 };

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    uint32_t teeth[2][TEETH]; // surfaces: upper, lower
} subject;

static sn_mesh *load_mesh(sn_context *context, const char *relative) {
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, snt_data(relative), &import, error));
    assert_true(import->mesh_count == 1);
    sn_mesh *mesh = import->meshes[0];
    import->meshes[0] = NULL;
    import->mesh_count = 0;
    sn_import_destroy(import);
    return mesh;
}

static bool is_tooth(const sni_csv *index, uint32_t row, bool lower) {
    return strcmp(cell(index, row, "kind"), "tooth") == 0 &&
           (strstr(cell(index, row, "name"), "lower") != NULL) == lower;
}

// Names of all teeth of a row, and the files of both.
static void add_teeth(writer *w, const sni_csv *index, bool lower, bool bones) {
    for (uint32_t i = 0, count = 0; i < sni_csv_count(index); ++i) {
        if (is_tooth(index, i, lower)) {
            const char *name = cell(index, i, "name");
            if (bones) {
                add(w, ",\n'%s': {'mesh': '%s', 'segment': '%s'}", name, name,
                    lower ? "jaw" : "head");
            } else {
                add(w, "%s'%s'", count > 0 ? ", " : "", name);
            }
            ++count;
        }
    }
}

static void write_document(writer *w, const sni_csv *table, const sni_csv *index) {
    add(w, "{'sinew': 1, 'name': 'jaw', 'skeleton': {'head': {}, 'jaw': {'parent': 'head'}, "
           "'hyoid': {'parent': 'head'}},\n'meshes': {'cranium': {}, 'mandible': {}, 'hyoid': {}");
    for (uint32_t i = 0; i < sni_csv_count(index); ++i) {
        if (is_tooth(index, i, false) || is_tooth(index, i, true)) {
            add(w, ", '%s': {}", cell(index, i, "name"));
        }
    }
    add(w, "},\n'bones': {'cranium': {'mesh': 'cranium', 'segment': 'head'}, 'mandible': {'mesh': "
           "'mandible', 'segment': 'jaw'}, 'hyoid': {'mesh': 'hyoid', 'segment': 'hyoid'}");
    add_teeth(w, index, false, true);
    add_teeth(w, index, true, true);
    add(w, "},\n");
    add_muscles(w, table);
    add_body(w);
    add_teeth(w, index, true, false);
    add(w, "], 'against': [");
    add_teeth(w, index, false, false);
    add(w, "]}]}}}");
}

static void give(const subject *s, const char *name, const char *path) {
    snt_ok(sn_character_give_mesh(s->character, name, load_mesh(s->context, path), error));
}

static void read_table(sn_context *context, const char *relative, sni_csv *table) {
    size_t size;
    char *bytes = read_bytes(snt_data(relative), &size);
    snt_ok(sni_csv_read(context, bytes, size, table, error));
    free(bytes);
}

static subject open_subject(void) {
    static writer w;
    subject s = {.context = snt_context(1)};
    sni_csv table = {0}, index = {0};
    read_table(s.context, "face/facial_muscles.csv", &table);
    read_table(s.context, "anatomy/index.csv", &index);
    w.used = 0;
    write_document(&w, &table, &index);
    snt_ok(parse_quoted(s.context, "jaw.sinew.json", w.text, &s.character, error));
    give(&s, "cranium", "anatomy/skull/cranium_solid.obj");
    give(&s, "mandible", "anatomy/skull/mandible_solid.obj");
    give(&s, "hyoid", "anatomy/bones/FMA52749_hyoid_bone.obj");
    for (int lower = 0; lower < 2; ++lower) {
        for (uint32_t i = 0; i < sni_csv_count(&index); ++i) {
            if (is_tooth(&index, i, lower == 1)) {
                char path[256];
                snprintf(path, sizeof path, "anatomy/%s", cell(&index, i, "file"));
                give(&s, cell(&index, i, "name"), path);
            }
        }
    }
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    snt_ok(sn_frame_create(s.model, &s.frame, error));
    for (uint32_t i = 0; i < 2 * TEETH; ++i) {
        s.teeth[i / TEETH][i % TEETH] = 3 + i; // behind cranium, mandible and hyoid
    }
    sni_csv_deinit(&table);
    sni_csv_deinit(&index);
    return s;
}

static void end_subject(subject *s) {
    sn_frame_destroy(s->frame);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

static void pose(const subject *s, const char *control, double value) {
    sn_frame_clear(s->frame);
    if (control != NULL) {
        snt_ok(sn_frame_set(s->frame, control, value, error));
    }
    snt_ok(sn_frame_evaluate(s->frame, NULL, 0, error));
}

static double gape(const subject *s) {
    return sn_frame_controls(s->frame)[sn_model_find_control(s->model, "gape")];
}

// A point of the chin.
static sn_vec3 chin(const subject *s) {
    return sn_mat4_point(&sn_frame_worlds(s->frame)[sn_model_find_segment(s->model, "jaw")],
                         sn_vec3_make(middle, 1.4445, 0.1777));
}

// --- What must be shown

static void openers_open_as_far_as_in_life(void **state) {
    (void)state;
    subject s = open_subject();
    snt_near(sn_model_body(s.model, 0).mass, 0.2, 1e-12);
    pose(&s, "open", 1);
    sn_body_state body = sn_frame_body_state(s.frame, 0);
    // 46.6 mm at the incisors and 11.9 mm at the condyles are the means of 27 women (Travers et
    // al., "Associations between incisor and mandibular condylar movements during maximum mouth
    // opening in humans", 2000).
    print_message("opened by %.1f mm, condyles %.1f and %.1f mm forward\n", 1e3 * gape(&s),
                  1e3 * body.joints[0].travel, 1e3 * body.joints[1].travel);
    assert_true(gape(&s) > 0.035 && gape(&s) < 0.05);
    for (int i = 0; i < 2; ++i) {
        assert_true(body.joints[i].travel > 0.006 && body.joints[i].travel < 0.0142);
    }
    assert_true(fabs(chin(&s).x - middle) < 0.001);
    end_subject(&s);
}

// The depth of the lower teeth in the upper ones, beyond what they have at rest, and the other way
// round, by rays and closest points of their own.
static double deepest(const subject *s, const uint32_t *points_of, const uint32_t *in) {
    double most = 0;
    for (int i = 0; i < TEETH; ++i) {
        const sn_mesh *mesh = sn_model_surface(s->model, in[i])->mesh;
        const float *now = sn_frame_points(s->frame, in[i]);
        sni_interior then_in, now_in;
        snt_ok(sni_interior_init(&then_in, mesh, mesh->positions, error));
        snt_ok(sni_interior_init(&now_in, mesh, now, error));
        for (int k = 0; k < TEETH; ++k) {
            const sn_mesh *other = sn_model_surface(s->model, points_of[k])->mesh;
            const float *points = sn_frame_points(s->frame, points_of[k]);
            for (uint32_t v = 0; v < other->vertex_count; ++v) {
                sn_vec3 closest;
                double depth =
                    sni_interior_depth(&now_in, sn_vec3_load(points + 3 * (size_t)v), &closest);
                if (depth > 0) {
                    sn_vec3 rest = sn_vec3_load(other->positions + 3 * (size_t)v);
                    most = fmax(most, depth - sni_interior_depth(&then_in, rest, &closest));
                }
            }
        }
        sni_interior_deinit(&then_in);
        sni_interior_deinit(&now_in);
    }
    return most;
}

static void closing_stops_at_the_teeth(void **state) {
    (void)state;
    subject s = open_subject();
    pose(&s, "close", 1);
    sn_body_state body = sn_frame_body_state(s.frame, 0);
    print_message("bites with %.0f N, %.3f mm deep\n", body.contacts[0].force,
                  1e3 * body.contacts[0].depth);
    assert_true(body.contacts[0].force > 300); // men bite with 500 to 700 N
    assert_true(body.contacts[0].depth < 2e-4);
    assert_true(deepest(&s, s.teeth[1], s.teeth[0]) < 2e-4);
    assert_true(deepest(&s, s.teeth[0], s.teeth[1]) < 2e-4);
    end_subject(&s);
}

static void one_lateral_pterygoid_moves_the_chin_to_the_other_side(void **state) {
    (void)state;
    subject s = open_subject();
    pose(&s, NULL, 0);
    double rest = chin(&s).x;
    pose(&s, "lower lateral pterygoid.L", 1);
    print_message("the left one moves the chin by %.1f mm\n", 1e3 * (chin(&s).x - rest));
    assert_true(chin(&s).x - rest < -0.005);
    pose(&s, "lower lateral pterygoid.R", 1);
    assert_true(chin(&s).x - rest > 0.005);
    end_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openers_open_as_far_as_in_life),
        cmocka_unit_test(closing_stops_at_the_teeth),
        cmocka_unit_test(one_lateral_pterygoid_moves_the_chin_to_the_other_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
