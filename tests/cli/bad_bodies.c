// SPDX-License-Identifier: Apache-2.0
//
// Bodies that cannot be made, each with the one line that says so; and those that can after all.
#include "program.h"

#include <string.h>

// Seven lines; slots for more bones, tissues, muscles and the mesh of a skin.
static const char body_text[] =
    "{'sinew': 1, 'name': 'limb', 'skeleton': {'upper': {}, 'lower': {'parent': 'upper',\n"
    " 'translation': [0, 1, 0]}}, 'meshes': {'flat': {'file': 'flat.obj'},\n"
    " 'open': {'file': 'open.obj'}%s},\n"
    "'bones': {'femur': %s, 'tibia': {'ellipsoid': {'center': [0, 0.5, 0],\n"
    " 'radii': [0.1, 0.5, 0.1]}, 'segment': 'lower'}%s},\n"
    "'muscles': {%s}\n"
    "%s}\n";

#define FEMUR "{'ellipsoid': {'center': [0, 0.5, 0], 'radii': [0.1, 0.5, 0.1]}, 'segment': 'upper'}"
#define ON(bone, u) "{'bone': '" bone "', 'at': [" u ", 0.4, 1]}"
#define CYLINDER(a, b, c, d, more)                                                                 \
    "'rectus': {'kind': 'cylinder', 'origins': [" a ", " b "], 'insertions': [" c ", " d "]" more  \
    "}"
#define RECTUS(more)                                                                               \
    CYLINDER(ON("femur", "0.3"), ON("femur", "0.7"), ON("tibia", "0.3"), ON("tibia", "0.7"), more)
#define PIVOT(slice) ", 'pivots': [{'slice': " slice ", 'segment': 'lower', 'at': [0, 0, 0.2]}]"
#define SKIN ", 'skins': {'skin': {'mesh': 'skin', 'deformers': [{'kind': 'membrane'}]}}"
#define EXTRACT(numbers) ", 'skin': {'extract': {'dimension': 100, 'filter': 1" numbers "}}"

// Why an open tetrahedron cannot be filled.
#define IS_OPEN                                                                                    \
    "the mesh is open or partly inside out: along the edge between vertices 1 and 2, at (0.05, "   \
    "0.05, 0), 1 more triangle runs in one direction than in the other"

typedef struct bad_case {
    const char *meshes, *femur, *bones, *muscles, *rest;
    const char *command; // besides the document
    const char *line;    // behind "sinew: FILE"; NULL: none
    const char *out;     // part of what is printed; NULL: anything
    const char *warns;   // all that is warned of where there is no error; NULL: nothing
} bad_case;

static const bad_case cases[] = {
    // Muscles without extent.
    {.muscles = CYLINDER(ON("femur", "0.3"), ON("femur", "0.3"), ON("tibia", "0.3"),
                         ON("tibia", "0.7"), ""),
     .line = ":6: /muscles/rectus: rectus: its two origins are at the same place, so that it has "
             "no width there; move them apart, or make it an \"ellipsoid\""},
    {.muscles = CYLINDER(ON("femur", "0.3"), ON("femur", "0.7"), ON("tibia", "0.7"),
                         ON("tibia", "0.7"), ""),
     .line = ":6: /muscles/rectus: rectus: its two insertions are at the same place, so that it "
             "has no width there; move them apart, or make it an \"ellipsoid\""},
    {.muscles = CYLINDER(ON("femur", "0.3"), ON("femur", "0.7"), ON("femur", "0.3"),
                         ON("femur", "0.7"), ""),
     .line = ":6: /muscles/rectus: rectus: it has no length: its origins and insertions are at the "
             "same place"},
    {.muscles = "'e': {'kind': 'ellipsoid', 'origin': " ON("femur", "0.5") ", 'insertion': " ON(
         "femur", "0.5") "}",
     .line = ":6: /muscles/e: e: it has no length: its origin and insertion are at the same place"},
    // Bones without volume: nothing can be attached to them or made from them; else they are drawn.
    {.femur = "{'mesh': 'flat', 'segment': 'upper'}",
     .muscles = RECTUS(""),
     .line = ":6: /muscles/rectus/origins/0/bone: the bone \"femur\" has no volume, so that it has "
             "no outer side"},
    {.bones = ", 'plate': {'mesh': 'flat', 'segment': 'upper'}", .out = "can be evaluated"},
    {.bones = ", 'plate': {'mesh': 'flat', 'segment': 'upper', 'frame': 'size'}",
     .line = ":5: /bones/plate: the mesh has no volume"},
    {.rest = ", 'tissues': {'plate': {'mesh': 'flat', 'segment': 'upper'}}",
     .line = ":7: /tissues/plate: the mesh has no volume"},
    {.bones = ", 'plate': {'mesh': 'flat', 'segment': 'upper'}",
     .command = "extract --dimension 100 --filter 1 -o ",
     .out = "left out \"plate\": the mesh has no volume"},
    {.bones = ", 'plate': {'mesh': 'flat', 'segment': 'upper'}",
     .command = "extract --part plate -o ",
     .line = ": plate: the mesh has no volume"},
    // Open bones.
    {.bones = ", 'shell': {'mesh': 'open', 'segment': 'upper'}",
     .out = "bone shell: 4 vertices, 3 faces, open"},
    {.femur = "{'mesh': 'open', 'segment': 'upper'}",
     .muscles = RECTUS(""),
     .out = "can be evaluated",
     .warns =
         "warning: rectus: it is attached 0.0412 m away from the surface of the bone \"femur\"\n"
         "warning: rectus: it is attached 0.0636 m away from the surface of the bone "
         "\"femur\"\n"},
    {.bones = ", 'shell': {'mesh': 'open', 'segment': 'upper', 'frame': 'size'}",
     .line = ":5: /bones/shell: " IS_OPEN},
    {.rest = ", 'tissues': {'shell': {'mesh': 'open', 'segment': 'upper'}}",
     .line = ":7: /tissues/shell: " IS_OPEN},
    {.bones = ", 'shell': {'mesh': 'open', 'segment': 'upper'}",
     .command = "extract --dimension 100 --filter 1 -o ",
     .out = "left out \"shell\": " IS_OPEN},
    {.bones = ", 'shell': {'mesh': 'open', 'segment': 'upper'}",
     .command = "extract --part shell -o ",
     .line = ": shell: " IS_OPEN},
    {.bones = ", 'shell': {'mesh': 'open', 'segment': 'upper'}",
     .meshes = EXTRACT(""),
     .rest = SKIN,
     .out = "can be evaluated",
     .warns = "warning: left out \"shell\": " IS_OPEN "\n"},
    {.bones = ", 'shell': {'mesh': 'open', 'segment': 'upper'}",
     .meshes = EXTRACT(", 'parts': ['femur', 'shell']"),
     .rest = SKIN,
     .line = ":3: /meshes/skin/extract/parts/1: " IS_OPEN},
    // Skins without a surface.
    {.meshes = ", 'skin': {'extract': {'dimension': 40}}",
     .rest = SKIN,
     .line = ":3: /meshes/skin/extract: the skin is empty: the smoothed density is 2.92 at most, "
             "but the threshold is 35; the parts are too thin for this grid"},
    {.meshes = ", 'skin': {'extract': {'dimension': 40}}",
     .rest = SKIN,
     .command = "run -o ",
     .line = ":3: /meshes/skin/extract: the skin is empty: the smoothed density is 2.92 at most, "
             "but the threshold is 35; the parts are too thin for this grid"},
    {.command = "extract --dimension 40 -o ",
     .line = ": the skin is empty: the smoothed density is 2.92 at most, but the threshold is 35; "
             "the parts are too thin for this grid"},
    {.meshes = EXTRACT(", 'threshold': 200"),
     .rest = SKIN,
     .line = ":3: /meshes/skin/extract: the threshold is 200, but must be above 0 and below 200, "
             "the density within the body"},
    {.command = "extract --threshold 200 -o ",
     .line = ": the threshold is 200, but must be above 0 and below 200, the density within the "
             "body"},
    // Pivots.
    {.muscles = RECTUS(PIVOT("0")),
     .line = ":6: /muscles/rectus: rectus: pivot 1 is on slice 0, but must be on one between the "
             "ends, 1 to 6"},
    {.muscles = RECTUS(PIVOT("7")),
     .line = ":6: /muscles/rectus: rectus: pivot 1 is on slice 7, but must be on one between the "
             "ends, 1 to 6"},
    {.muscles = RECTUS(PIVOT("8")),
     .line = ":6: /muscles/rectus: rectus: pivot 1 is on slice 8, but must be on one between the "
             "ends, 1 to 6"},
    {.muscles = RECTUS(PIVOT("1")), .out = "can be evaluated"},
};

static const char *text_or(const char *text, const char *otherwise) {
    return text != NULL ? text : otherwise;
}

static void write_body(const bad_case *c, const char *path) {
    char text[4096];
    snprintf(text, sizeof text, body_text, text_or(c->meshes, ""), text_or(c->femur, FEMUR),
             text_or(c->bones, ""), text_or(c->muscles, ""), text_or(c->rest, ""));
    for (char *q = text; *q != 0; ++q) {
        *q = *q == '\'' ? '"' : *q;
    }
    write_text(path, text);
}

static void each_has_its_line(void **state) {
    (void)state;
    char folder[4096], path[4200], made[4200], expected[8192];
    snprintf(folder, sizeof folder, "%s", snt_scratch("bodies"));
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/flat.obj", folder);
    write_text(path, "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nf 1 2 3\nf 1 3 2\n");
    snprintf(path, sizeof path, "%s/open.obj", folder);
    write_text(path, "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    snprintf(path, sizeof path, "%s/limb.sinew.json", folder);
    snprintf(made, sizeof made, "%s/made.glb", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const bad_case *c = &cases[i];
        result r;
        write_body(c, path);
        remove(made);
        if (c->command != NULL) { // "extract --part x -o " becomes "extract DOC --part x -o FILE"
            int verb = (int)strcspn(c->command, " ");
            runf(&r, "%.*s %s%s%s", verb, c->command, path, c->command + verb, made);
        } else {
            runf(&r, "check %s", path);
        }
        expect(&r, c->line != NULL ? 1 : 0);
        snprintf(expected, sizeof expected, "%s", c->warns != NULL ? c->warns : "");
        if (c->line != NULL) {
            snprintf(expected, sizeof expected, "sinew: %s%s\n", path, c->line);
        }
        assert_string_equal(r.err, expected);
        if (c->out != NULL && strstr(r.out, c->out) == NULL) {
            fail_msg("case %zu: expected \"%s\" in \"%s\"", i, c->out, r.out);
        }
        assert_true(exists(made) == (c->line == NULL && c->command != NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
