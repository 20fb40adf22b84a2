// SPDX-License-Identifier: Apache-2.0
//
// Bodies on the command line: skins extracted from bones, tissues and muscles.
#include "program.h"

#include "sinew/eval.h"

#include <string.h>

// Five bones and three muscles, without a skin.
static const char *body(void) {
    return snt_source("docs/cylinder.sinew.json");
}

// The mesh that a document extracts has the bytes of the one that the command writes.
static void documents_extract_what_the_command_writes(void **state) {
    (void)state;
    char document[4096], made[4096], written[4096];
    snprintf(document, sizeof document, "%s", snt_scratch("own.sinew.json"));
    snprintf(made, sizeof made, "%s", snt_scratch("made.obj"));
    snprintf(written, sizeof written, "%s", snt_scratch("written.obj"));
    result r;
    runf(&r, "extract %s --dimension 90 --filter 2 --threshold 50 --relax 1 --document %s", body(),
         document);
    expect(&r, 0);
    assert_string_equal(r.err, "");
    assert_non_null(strstr(r.out, "`membrane` moves the skin"));
    runf(&r, "extract %s --dimension 90 --filter 2 --threshold 50 --relax 1 -o %s --threads 1",
         body(), written);
    expect(&r, 0);
    sn_context *context = snt_context(2);
    sn_character *character = NULL;
    sn_model *model = NULL;
    snt_ok(sn_character_load(context, document, &character, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        if (sn_model_surface(model, i)->layer == SN_LAYER_SKIN) {
            assert_string_equal(sn_model_surface(model, i)->mesh->name, "extracted");
            snt_ok(sn_export_mesh(sn_model_surface(model, i)->mesh, made, error));
        }
    }
    expect_same_bytes(made, written);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void documents_with_extracted_skins_are_used_as_others(void **state) {
    (void)state;
    char document[4096], out[4096];
    snprintf(document, sizeof document, "%s", snt_scratch("skinned.sinew.json"));
    result r;
    runf(&r, "extract %s --dimension 60 --document %s", body(), document);
    expect(&r, 0);
    runf(&r, "check %s", document);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "skin extracted: "));
    static const char *const formats[] = {"glb", "usda", "pc2", "mdd"};
    for (int i = 0; i < 4; ++i) {
        snprintf(out, sizeof out, "%s.%s", snt_scratch("moving"), formats[i]);
        runf(&r, "run %s --frames 0:2 -o %s", document, out);
        expect(&r, 0);
        assert_true(exists(out));
    }
    snprintf(out, sizeof out, "%s", snt_scratch("again.obj"));
    runf(&r, "extract %s --dimension 60 -o %s", document, out);
    expect(&r, 0);
    runf(&r, "driver %s --faces 200 -o %s", document, out);
    expect(&r, 0);
    snprintf(out, sizeof out, "%s", snt_scratch("picture.png"));
    runf(&r, "render %s --size 64x48 --quality draft -o %s", document, out);
    expect(&r, 0);
}

// How many meshes a model file has; each is one of the document's surfaces.
static uint32_t count_meshes(const char *path) {
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    uint32_t count = import->mesh_count;
    sn_import_destroy(import);
    snt_context_end(context);
    return count;
}

static void documents_without_skin_are_played(void **state) {
    (void)state;
    char out[4096], report[4096];
    snprintf(out, sizeof out, "%s", snt_scratch("inside.glb"));
    snprintf(report, sizeof report, "%s", snt_scratch("inside.json"));
    result r;
    runf(&r, "run %s --frames 3:5 -o %s --report %s", body(), out, report);
    expect(&r, 0);
    assert_string_equal(r.err, "");
    assert_non_null(strstr(r.out, "inside.glb: frames 3 to 5 of bend; no skin is shown; written "
                                  "instead: 5 bones, 3 muscles\n"));
    assert_int_equal(count_meshes(out), 8);
    assert_true(exists(report));
    runf(&r, "run %s --frames 3:5 -o %s --bones", body(), out);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "; no skin is shown; written instead: 5 bones\n"));
    assert_int_equal(count_meshes(out), 5);
    runf(&r, "run %s --frames 3:5 -o %s --muscles", body(), out);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "; no skin is shown; written instead: 3 muscles\n"));
    assert_int_equal(count_meshes(out), 3);
    runf(&r, "run %s --frames 3:5 --muscles --glb skinned -o %s", body(), out);
    expect(&r, 1);
    expect_one_line(&r, "the muscle \"biceps\" has more than linear skinning");
    // The report alone.
    remove(report);
    runf(&r, "run %s --frames 3:5 --report %s", body(), report);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "inside.json: frames 3 to 5 of bend, measured only\n"));
    assert_true(exists(report));
    runf(&r, "run %s", body());
    expect(&r, 2);
    expect_one_line(&r, "needs -o OUT, or --report R.json");
    snprintf(out, sizeof out, "%s", snt_scratch("inside.png"));
    runf(&r, "render %s --size 64x48 --quality draft -o %s", body(), out);
    expect(&r, 0);
}

static const char far_off[] = "biceps: it is attached 0.0155 m away";

// How a body is built is told to scripts by reports, and by `check`; playing it they see no line.
static void scripts_find_warnings(void **state) {
    (void)state;
    char report[4096];
    snprintf(report, sizeof report, "%s", snt_scratch("warned.json"));
    result r;
    runf(&r, "run %s --frames 3 --report %s", body(), report);
    expect(&r, 0);
    assert_string_equal(r.err, "");
    sn_context *context = snt_context(1);
    sn_json *json = NULL;
    read_all(report, r.out, sizeof r.out);
    snt_ok(sn_json_parse(context, r.out, strlen(r.out), &json, error));
    const sn_value *text = sn_json_find(json, "/warnings/0/text");
    assert_int_equal(sn_value_count(sn_json_find(json, "/warnings")), 1);
    assert_non_null(strstr(sn_value_string(text, ""), far_off));
    assert_string_equal(sn_value_string(sn_json_find(json, "/warnings/0/topic"), ""), "muscle");
    sn_json_destroy(json);
    snt_context_end(context);
}

static void check_measures_the_body(void **state) {
    (void)state;
    result r;
    runf(&r, "check %s", body());
    expect(&r, 0);
    assert_non_null(strstr(r.err, far_off));
    assert_non_null(strstr(r.out, "muscle triceps: size 0.1883 x 0.1916 x 0.04399 m, length "
                                  "0.2506 m, volume 0.000215001 m3\n"));
    assert_non_null(
        strstr(r.out, "\n  origin 2 is 15.5 mm off the bone scapula: 12 % of its size\n"));
    assert_non_null(strstr(r.out, "\n10 attachments, at most 15.5 mm off their bones (origin 2 "
                                  "of biceps on scapula)\n"));
    assert_non_null(strstr(r.out, "\n1 pair of bones and muscles overlaps by more than 10 %, most "
                                  "of all brachialis in humerus ("));
    runf(&r, "check %s --json", body());
    expect(&r, 0);
    sn_context *context = snt_context(1);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(context, r.out, strlen(r.out), &json, error));
    assert_int_equal(sn_value_count(sn_json_find(json, "/attachments")), 10);
    assert_string_equal(sn_value_string(sn_json_find(json, "/attachments/1/bone"), ""), "scapula");
    snt_near(sn_value_number(sn_json_find(json, "/attachments/1/distance"), 0), 0.0155, 5e-5);
    snt_near(sn_value_number(sn_json_find(json, "/attachments/1/share"), 0), 0.12, 0.01);
    assert_int_equal(sn_value_count(sn_json_find(json, "/overlaps")), 1);
    assert_string_equal(sn_value_string(sn_json_find(json, "/overlaps/0/part"), ""), "brachialis");
    assert_int_equal(sn_value_count(sn_json_find(json, "/inside")), 0);
    assert_non_null(strstr(sn_value_string(sn_json_find(json, "/warnings/0/text"), ""), far_off));
    sn_json_destroy(json);
    snt_context_end(context);
    // A skin that bones look out of.
    char document[4096];
    snprintf(document, sizeof document, "%s", snt_scratch("tight.sinew.json"));
    runf(&r, "extract %s --dimension 80 --threshold 60 --document %s", body(), document);
    expect(&r, 0);
    runf(&r, "check %s", document);
    expect(&r, 0);
    assert_non_null(
        strstr(r.out, " vertices lie inside bones, tissues or muscles, the deepest by "));
}

static void an_empty_skin_is_one_line(void **state) {
    (void)state;
    result r;
    runf(&r, "extract %s --dimension 60 --part clavicle --threshold 199.9 --document %s", body(),
         snt_scratch("empty.sinew.json"));
    expect(&r, 1);
    expect_one_line(&r, "the skin is empty: the smoothed density is ");
    assert_false(exists(snt_scratch("empty.sinew.json")));
    runf(&r, "extract %s", body());
    expect(&r, 2);
    expect_one_line(&r, "needs -o SKIN or --document NEW");
}

// A document of the command extracts what the command wrote, enlarged segments included.
static void segments_are_enlarged(void **state) {
    (void)state;
    char document[4096], written[4096], again[4096];
    snprintf(document, sizeof document, "%s", snt_scratch("large.sinew.json"));
    snprintf(written, sizeof written, "%s", snt_scratch("large.obj"));
    snprintf(again, sizeof again, "%s", snt_scratch("again.obj"));
    result r;
    runf(&r, "extract %s --dimension 70 --enlarge forearm=1.5 --document %s", body(), document);
    expect(&r, 0);
    runf(&r, "extract %s --dimension 70 --enlarge forearm=1.5 -o %s", body(), written);
    expect(&r, 0);
    runf(&r, "run %s --frames 0:0 -o %s", document, again);
    expect(&r, 0);
    runf(&r, "extract %s --dimension 70 --enlarge forarm=1.5 -o %s", body(), written);
    expect(&r, 1);
    assert_non_null(strstr(r.err, "there is no segment \"forarm\" to enlarge"));
    runf(&r, "extract %s --enlarge forearm -o %s", body(), written);
    expect(&r, 2);
    assert_non_null(strstr(r.err, "--enlarge takes SEGMENT=FACTOR, not \"forearm\""));
}

// Proportions and other numbers change for one call.
static void numbers_of_a_document_change_for_a_call(void **state) {
    (void)state;
    char document[4096], outs[3][4096];
    snprintf(document, sizeof document, "%s", snt_scratch("changed.sinew.json"));
    result r;
    runf(&r, "extract %s --dimension 70 --document %s", body(), document);
    expect(&r, 0);
    static const char *const options[] = {"", "--proportion forearm=1.2",
                                          "--change /skins/extracted/deformers/0/thickness=0.01"};
    for (int i = 0; i < 3; ++i) {
        snprintf(outs[i], sizeof outs[i], "%s%d.mdd", snt_scratch("changed"), i);
        runf(&r, "run %s --frames 0:0 %s -o %s", document, options[i], outs[i]);
        expect(&r, 0);
    }
    for (int i = 1; i < 3; ++i) {
        runf(&r, "run %s --frames 0:0 -o %s", document, outs[i]);
        expect(&r, 0);
        expect_same_bytes(outs[0], outs[i]); // nothing was saved
    }
    runf(&r, "render %s --size 16x16 --proportion forarm=2 -o %s.png", document, outs[0]);
    expect(&r, 1);
    assert_non_null(strstr(r.err, "forarm"));
    runf(&r, "run %s --change /skins/none/thickness=1 -o %s", document, outs[0]);
    expect(&r, 1);
    assert_non_null(strstr(r.err, "cannot change \"/skins/none/thickness\""));
    runf(&r, "run %s --change 3 -o %s", document, outs[0]);
    expect(&r, 2);
    assert_non_null(strstr(r.err, "--change takes PATH=NUMBER, not \"3\""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_extract_what_the_command_writes),
        cmocka_unit_test(documents_with_extracted_skins_are_used_as_others),
        cmocka_unit_test(documents_without_skin_are_played),
        cmocka_unit_test(check_measures_the_body),
        cmocka_unit_test(scripts_find_warnings),
        cmocka_unit_test(an_empty_skin_is_one_line),
        cmocka_unit_test(segments_are_enlarged),
        cmocka_unit_test(numbers_of_a_document_change_for_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
