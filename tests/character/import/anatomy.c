// SPDX-License-Identifier: Apache-2.0
//
// Bodies from folders: a leg of boxes whose every part's place can be told by hand.
#include "leg_folder.h"

#include "sinew/character.h"
#include "sinew/eval.h"

enum { FEMUR, TIBIA, PATELLA, VASTUS, PAD, BAND, EYE, UNION, PART_COUNT };

typedef struct body {
    sn_context *context;
    sn_anatomy *anatomy;
    sn_anatomy_report *report;
    sn_character *character;
    const sn_value *root;
} body;

static void make_body_with(body *b, uint32_t threads, bool rigged, bool fibres) {
    b->context = snt_context(threads);
    const char *folder = snt_leg_folder(rigged ? b->context : NULL, rigged ? "rigged" : "leg");
    char path[4200];
    snprintf(path, sizeof path, "%s/../leg.sinew.json", folder);
    snt_ok(sn_anatomy_read(b->context, folder, NULL, &b->anatomy, error));
    b->anatomy->fibres = fibres;
    snt_ok(sn_character_from_anatomy(b->anatomy, path, NULL, &b->character, &b->report, error));
    b->root = sn_json_root(sn_character_document(b->character));
}

static void make_body(body *b, uint32_t threads, bool rigged) {
    make_body_with(b, threads, rigged, false);
}

static void free_body(body *b) {
    sn_character_destroy(b->character);
    sn_anatomy_report_destroy(b->report);
    sn_anatomy_destroy(b->anatomy);
    snt_context_end(b->context);
}

// The text under a path of the document, "" where there is none.
static const char *text_at(const body *b, const char *path) {
    return sn_value_string(sn_json_find(sn_character_document(b->character), path), "");
}

static double number_at(const body *b, const char *path) {
    return sn_value_number(sn_json_find(sn_character_document(b->character), path), NAN);
}

static void takes_the_skeleton_of_the_rig(void **state) {
    (void)state;
    body b = {0};
    make_body(&b, 1, true);
    assert_int_equal(sn_value_count(sn_value_get(b.root, "skeleton")), 2);
    assert_string_equal(text_at(&b, "/skeleton/shin/parent"), "thigh");
    assert_true(number_at(&b, "/skeleton/shin/translation/1") == -0.5);
    assert_true(number_at(&b, "/skeleton/thigh/translation/1") == 1);
    assert_int_equal(b.report->segment_count, 2);
    assert_string_equal(b.report->segments[1].reason, "");
    assert_int_equal(b.report->skin, SN_ANATOMY_SKIN_RIGGED);
    assert_string_equal(text_at(&b, "/meshes/skin/file"), "rigged/leg.glb");
    assert_string_equal(text_at(&b, "/skins/skin/deformers/0/kind"), "membrane");
    free_body(&b);
}

static void puts_bones_on_segments(void **state) {
    (void)state;
    body b = {0};
    make_body(&b, 1, true);
    assert_string_equal(text_at(&b, "/bones/femur/segment"), "thigh");
    assert_string_equal(text_at(&b, "/bones/tibia/segment"), "shin");
    assert_string_equal(text_at(&b, "/bones/femur/mesh"), "femur");
    assert_string_equal(text_at(&b, "/meshes/femur/file"), "rigged/femur.obj");
    // All eight corners of the patella are nearer to the femur, half of them by 5 mm, the others by
    // 15 mm: it stands above y = 0.5.
    assert_string_equal(text_at(&b, "/bones/patella/segment"), "thigh");
    assert_string_equal(text_at(&b, "/bones/patella/about"), "guessed: nearest to femur");
    const sn_anatomy_result *patella = &b.report->results[PATELLA];
    assert_true(patella->guessed && !b.report->results[FEMUR].guessed);
    assert_int_equal(patella->nearest, FEMUR);
    snt_near(patella->distance, 0.01, 1e-6);
    assert_int_equal(sn_value_count(sn_value_get(b.root, "bones")), 3);
    free_body(&b);
}

static void tells_tissues_from_what_reaches_over_joints(void **state) {
    (void)state;
    body b = {0};
    make_body(&b, 1, true);
    static const sn_part_use uses[PART_COUNT] = {
        SN_PART_AS_BONE,   SN_PART_AS_BONE,   SN_PART_AS_BONE,   SN_PART_AS_MUSCLE,
        SN_PART_AS_TISSUE, SN_PART_AS_MUSCLE, SN_PART_AS_TISSUE, SN_PART_LEFT_OUT};
    for (uint32_t i = 0; i < PART_COUNT; ++i) {
        assert_int_equal(b.report->results[i].use, uses[i]);
    }
    assert_string_equal(text_at(&b, "/tissues/fat pad/segment"), "shin");
    assert_string_equal(b.report->results[BAND].note,
                        "a ligament that reaches over joints, as a muscle");
    assert_string_equal(text_at(&b, "/muscles/knee band/kind"), "mesh");
    assert_string_equal(b.report->results[UNION].note, "a union of other parts");
    assert_null(sn_json_find(sn_character_document(b.character), "/meshes/leg"));
    // Eyes are drawn with the skin, which does not follow them.
    assert_string_equal(text_at(&b, "/tissues/eye_L/look"), "eye");
    assert_true(sn_value_bool(
        sn_json_find(sn_character_document(b.character), "/tissues/eye_L/feature"), false));
    assert_null(sn_json_find(sn_character_document(b.character), "/tissues/fat pad/feature"));
    free_body(&b);
}

static void fits_the_muscle_between_its_bones(void **state) {
    (void)state;
    body b = {0};
    make_body(&b, 1, true);
    assert_int_equal(b.report->muscle_count, 2);
    const sn_anatomy_muscle *vastus = &b.report->muscles[0];
    assert_int_equal(vastus->part, VASTUS);
    assert_int_equal(vastus->origin, FEMUR);
    assert_int_equal(vastus->insertion, TIBIA);
    assert_false(vastus->guessed_origin);
    assert_false(vastus->guessed_insertion);
    // Round sections are ellipses: what is left comes from twelve corners and few slices.
    assert_true(vastus->mean_distance < 0.001);
    assert_true(vastus->mean_distance <= b.report->ninth_distance ||
                b.report->muscles[1].mean_distance <= b.report->ninth_distance);
    assert_true(b.report->median_distance <= b.report->ninth_distance);
    assert_string_equal(text_at(&b, "/muscles/vastus/mesh"), "vastus");
    assert_string_equal(text_at(&b, "/muscles/vastus/strips/0/origins/0/bone"), "femur");
    assert_string_equal(text_at(&b, "/muscles/vastus/strips/0/insertions/1/bone"), "tibia");
    assert_string_equal(text_at(&b, "/muscles/vastus/about"), "");
    double slices = number_at(&b, "/muscles/vastus/strips/0/slices");
    const sn_value *sections =
        sn_json_find(sn_character_document(b.character), "/muscles/vastus/strips/0/sections");
    assert_true(sn_value_count(sections) == slices);
    // Volume of the given spindle, from its twelve-cornered sections: 12/2 sin(30 deg) r^2 = 3 r^2,
    // r = 0.025 (1/4 + 3/4 sin), mean of r^2 = 0.025^2 (1/16 + 3/8 * 2/pi + 9/16 / 2).
    double volume = 0.46 * 3 * 0.025 * 0.025 * (0.0625 + 0.375 * 2 / SN_PI + 0.28125);
    snt_near(vastus->volume / volume, 1, 0.01);
    free_body(&b);
}

// With fibres the muscle is one of that kind between the same segments, needs no mesh, and is as
// large; the body becomes a model.
static void fits_fibres_if_asked(void **state) {
    (void)state;
    body b = {0};
    make_body_with(&b, 1, true, true);
    const sn_anatomy_muscle *vastus = &b.report->muscles[0];
    assert_int_equal(vastus->part, VASTUS);
    assert_int_equal(vastus->origin, FEMUR);
    assert_int_equal(vastus->fibre_count, 1);
    snt_near(vastus->volume_ratio, 1, 0.03);
    assert_true(vastus->overlap > 0.7);
    assert_true(b.report->median_overlap >= b.report->ninth_overlap);
    assert_string_equal(text_at(&b, "/muscles/vastus/kind"), "fibre");
    assert_string_equal(text_at(&b, "/muscles/vastus/origins/0/segment"), "thigh");
    assert_string_equal(text_at(&b, "/muscles/vastus/insertions/1/segment"), "shin");
    assert_string_equal(text_at(&b, "/meshes/vastus/file"), "");
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    snt_ok(sn_model_create(b.character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    sn_muscle_state now;
    assert_true(sn_frame_muscle_state(frame, sn_model_find_surface(model, "vastus"), &now));
    snt_near(now.rest_volume / vastus->volume, 1, 0.08); // twelve corners cut off 4.5 %
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    free_body(&b);
}

// Numbers of sections are hundredths of a millimetre, and axes stay perpendicular.
static void rounds_sections(void **state) {
    (void)state;
    body b = {0};
    make_body(&b, 1, true);
    const sn_value *sections =
        sn_json_find(sn_character_document(b.character), "/muscles/vastus/strips/0/sections");
    for (uint32_t i = 0; i < sn_value_count(sections); ++i) {
        const sn_value *section = sn_value_at(sections, i);
        double dot = 0, wide = 0, thick = 0;
        for (uint32_t k = 0; k < 3; ++k) {
            double center = sn_value_number(sn_value_at(sn_value_get(section, "center"), k), NAN);
            double x = sn_value_number(sn_value_at(sn_value_get(section, "wide"), k), NAN);
            double y = sn_value_number(sn_value_at(sn_value_get(section, "thick"), k), NAN);
            snt_near(center * 1e5, round(center * 1e5), 1e-6);
            dot += x * y;
            wide += x * x;
            thick += y * y;
        }
        assert_true(fabs(dot) <= 4e-4 * sqrt(wide * thick));
    }
    free_body(&b);
}

static void proposes_a_skeleton_without_a_rig(void **state) {
    (void)state;
    body b = {0};
    make_body(&b, 1, false);
    assert_int_equal(b.report->skin, SN_ANATOMY_SKIN_EXTRACTED);
    assert_true(b.report->segment_count >= 2);
    for (uint32_t i = 0; i < b.report->segment_count; ++i) {
        assert_true(b.report->segments[i].reason[0] != 0);
    }
    assert_true(b.report->results[FEMUR].segment != b.report->results[TIBIA].segment);
    assert_true(number_at(&b, "/meshes/skin/extract/dimension") > 0);
    assert_string_equal(text_at(&b, "/bones/femur/segment"),
                        b.report->segments[b.report->results[FEMUR].segment].name);
    free_body(&b);
}

// A closed skin of the index is the skin; an open one stands behind another.
static void takes_listed_skins(void **state) {
    (void)state;
    for (int open = 0; open < 2; ++open) {
        sn_context *context = snt_context(1);
        const char *folder = snt_leg_folder(context, open ? "open" : "closed");
        char text[1024];
        snprintf(text, sizeof text, "%scover.obj,skin,skin,\n", snt_leg_index);
        snt_leg_text(folder, "index.csv", text);
        snt_leg_box(folder, "cover.obj", sn_vec3_make(-0.1, -0.1, -0.1),
                    sn_vec3_make(0.1, 1.1, 0.1), open == 1);
        sn_anatomy *anatomy = NULL;
        sn_anatomy_report *report = NULL;
        sn_character *character = NULL;
        snt_ok(sn_anatomy_read(context, folder, NULL, &anatomy, error));
        snt_ok(
            sn_character_from_anatomy(anatomy, "leg.sinew.json", NULL, &character, &report, error));
        const sn_json *json = sn_character_document(character);
        assert_int_equal(report->skin, open ? SN_ANATOMY_SKIN_RIGGED : SN_ANATOMY_SKIN_LISTED);
        assert_int_equal(report->results[PART_COUNT].use, SN_PART_AS_SKIN);
        assert_true(sn_value_bool(sn_json_find(json, "/skins/skin/show"), true) == !open);
        assert_int_equal(sn_value_count(sn_json_find(json, "/skins")), open ? 2 : 1);
        assert_true((sn_json_find(json, "/skins/skin.2/mesh") != NULL) == open);
        assert_string_equal(report->results[PART_COUNT].note,
                            open ? "an open skin, hidden behind the rig's one" : "");
        sn_character_destroy(character);
        sn_anatomy_report_destroy(report);
        sn_anatomy_destroy(anatomy);
        snt_context_end(context);
    }
}

static void has_the_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    char *first = NULL;
    size_t first_size = 0;
    static const uint32_t threads[] = {1, 2, 3, 8};
    for (int i = 0; i < 4; ++i) {
        body b = {0};
        char *text;
        size_t size;
        make_body(&b, threads[i], true);
        snt_ok(sn_json_write(sn_character_document(b.character), &text, &size, error));
        if (i == 0) {
            first = malloc(size);
            memcpy(first, text, size);
            first_size = size;
        }
        assert_int_equal(size, first_size);
        assert_memory_equal(text, first, size);
        sn_json_free_text(b.context, text);
        free_body(&b);
    }
    free(first);
}

static void becomes_a_model(void **state) {
    (void)state;
    body b = {0};
    make_body(&b, 2, true);
    sn_model *model = NULL;
    snt_ok(sn_model_create(b.character, NULL, &model, error));
    assert_int_equal(sn_model_surface_count(model), 3 + 2 + 2 + 1);
    sn_model_destroy(model);
    free_body(&b);
}

// ---------------------------------------------------------------------------------------------
// Wrong folders

static void expect_failure(const char *folder, sn_status expected, const char *part) {
    sn_context *context = snt_context(1);
    sn_anatomy *anatomy = NULL;
    sn_character *character = NULL;
    sn_anatomy_report *report = NULL;
    snt_ok(sn_anatomy_read(context, folder, NULL, &anatomy, error));
    snt_fails(
        expected, part,
        sn_character_from_anatomy(anatomy, "leg.sinew.json", NULL, &character, &report, error));
    assert_null(character);
    assert_null(report);
    sn_anatomy_destroy(anatomy);
    snt_context_end(context);
}

static void refuses_wrong_folders(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *folder = snt_leg_folder(context, "wrong");
    snt_context_end(context);
    snt_leg_text(folder, "index.csv",
                 "file,kind,rig_joint\nfemur.obj,bone,thigh\ntibia.obj,bone,shim\n"
                 "vastus.obj,muscle,\n");
    expect_failure(folder, SN_INVALID,
                   "wrong/index.csv:3: the rig has no joint \"shim\"; did you mean \"shin\"?");
    snt_leg_text(folder, "index.csv",
                 "file,kind,rig_joint\nfemur.obj,bone,thigh\n"
                 "vastus.obj,muscle,\nband.obj,bone,shin\ntibia.obj,bone,shin\n");
    snt_leg_text(folder, "band.obj", "v 0 0 zero\n");
    expect_failure(folder, SN_SYNTAX, "wrong/band.obj:1: ");
    static const char solid[] = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
                                "vertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    char two[512];
    snprintf(two, sizeof two, "%s%s", solid, solid);
    snt_leg_text(folder, "two.stl", two);
    snt_leg_text(folder, "attachments.csv", "muscle,bone,x,y,z\n");
    snt_leg_text(folder, "index.csv",
                 "file,kind\nfemur.obj,bone\ntwo.stl,bone\n"
                 "vastus.obj,muscle\n");
    expect_failure(folder, SN_INVALID, "wrong/two.stl: 2 meshes, but a part of a folder is one");
    snt_leg_text(folder, "index.csv", "file,kind\nline.obj,bone\nvastus.obj,muscle\n");
    snt_leg_text(folder, "line.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    char path[4200];
    snprintf(path, sizeof path, "%s/attachments.csv", folder);
    remove(path);
    expect_failure(folder, SN_INVALID, "wrong/index.csv: no bone has a surface");
}

// Parts without faces are left out and told.
static void leaves_out_what_has_no_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *folder = snt_leg_folder(context, "empty");
    snt_leg_text(folder, "patella.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    snt_leg_text(folder, "pad.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    sn_anatomy *anatomy = NULL;
    sn_anatomy_report *report = NULL;
    sn_character *character = NULL;
    snt_ok(sn_anatomy_read(context, folder, NULL, &anatomy, error));
    snt_ok(sn_character_from_anatomy(anatomy, "leg.sinew.json", NULL, &character, &report, error));
    assert_int_equal(report->results[PATELLA].use, SN_PART_LEFT_OUT);
    assert_string_equal(report->results[PATELLA].note, "a mesh without faces");
    assert_string_equal(report->results[PAD].note, "a mesh without faces");
    sn_character_destroy(character);
    sn_anatomy_report_destroy(report);
    sn_anatomy_destroy(anatomy);
    snt_context_end(context);
}

typedef struct countdown {
    uint32_t left;
} countdown;

static bool stop_at_zero(const char *step, double fraction, void *user) {
    (void)step;
    (void)fraction;
    countdown *c = user;
    return c->left-- > 0;
}

static void can_be_cancelled_at_every_step(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    const char *folder = snt_leg_folder(context, "cancelled");
    sn_anatomy *anatomy = NULL;
    snt_ok(sn_anatomy_read(context, folder, NULL, &anatomy, error));
    size_t before = sn_context_bytes(context);
    uint32_t calls = 0;
    for (sn_status status = SN_CANCELLED; status == SN_CANCELLED; ++calls) {
        countdown count = {calls};
        sn_progress progress = {stop_at_zero, &count};
        sn_character *character = NULL;
        sn_error error = {0};
        status = sn_character_from_anatomy(anatomy, "leg.sinew.json", &progress, &character, NULL,
                                           &error);
        assert_true(status == SN_OK || status == SN_CANCELLED);
        assert_int_equal(status, error.status);
        sn_character_destroy(character);
        assert_int_equal(sn_context_bytes(context), before);
    }
    assert_true(calls > 2);
    sn_anatomy_destroy(anatomy);
    snt_context_end(context);
}

static const char *attempt_folder;

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_anatomy *anatomy = NULL;
    sn_character *character = NULL;
    sn_anatomy_report *report = NULL;
    sn_status status = sn_anatomy_read(context, attempt_folder, NULL, &anatomy, error);
    if (status == SN_OK) {
        status =
            sn_character_from_anatomy(anatomy, "leg.sinew.json", NULL, &character, &report, error);
    }
    if (status == SN_OK) {
        status = sn_anatomy_report_write(report, anatomy, snt_scratch("fit.json"), error);
    }
    sn_character_destroy(character);
    sn_anatomy_report_destroy(report);
    sn_anatomy_destroy(anatomy);
    return status;
}

// Bones and tissues alone: muscles and skeletons have tests of their own for this.
static void survives_failed_allocations(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    attempt_folder = snt_leg_folder(context, "memory");
    snt_context_end(context);
    snt_leg_text(attempt_folder, "index.csv",
                 "file,kind,rig_joint\nfemur.obj,bone,thigh\ntibia.obj,bone,shin\n"
                 "patella.obj,bone,\npad.obj,soft,\n");
    char path[4200];
    snprintf(path, sizeof path, "%s/attachments.csv", attempt_folder);
    remove(path);
    snt_fail_allocations(attempt, NULL);
}

static void writes_the_report(void **state) {
    (void)state;
    body b = {0};
    make_body(&b, 1, true);
    const char *path = snt_scratch("fit.json");
    snt_ok(sn_anatomy_report_write(b.report, b.anatomy, path, error));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char text[65536];
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(b.context, text, size, &json, error));
    assert_string_equal(sn_value_string(sn_json_find(json, "/skin"), ""), "rigged");
    assert_string_equal(sn_value_string(sn_json_find(json, "/parts/2/nearest"), ""), "femur");
    assert_string_equal(sn_value_string(sn_json_find(json, "/parts/7/use"), ""), "left out");
    assert_string_equal(sn_value_string(sn_json_find(json, "/muscles/0/origin"), ""), "femur");
    double written = sn_value_number(sn_json_find(json, "/muscles/0/mean_distance"), NAN);
    snt_near(written / b.report->muscles[0].mean_distance, 1, 1e-5);
    assert_int_equal(sn_value_count(sn_json_find(json, "/parts")), PART_COUNT);
    sn_json_destroy(json);
    free_body(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_skeleton_of_the_rig),
        cmocka_unit_test(puts_bones_on_segments),
        cmocka_unit_test(tells_tissues_from_what_reaches_over_joints),
        cmocka_unit_test(fits_the_muscle_between_its_bones),
        cmocka_unit_test(fits_fibres_if_asked),
        cmocka_unit_test(rounds_sections),
        cmocka_unit_test(proposes_a_skeleton_without_a_rig),
        cmocka_unit_test(takes_listed_skins),
        cmocka_unit_test(has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(becomes_a_model),
        cmocka_unit_test(refuses_wrong_folders),
        cmocka_unit_test(leaves_out_what_has_no_surface),
        cmocka_unit_test(can_be_cancelled_at_every_step),
        cmocka_unit_test(survives_failed_allocations),
        cmocka_unit_test(writes_the_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
