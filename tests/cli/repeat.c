// SPDX-License-Identifier: Apache-2.0
//
// Commands on documents that say repeated things once: names that such a document only stands for
// are found, and what is written stays as it was.
#include "program.h"

static const char document[] =
    "{\n"
    "  \"sinew\": 1,\n"
    "  \"name\": \"sheet\",\n"
    "  \"skeleton\": {\n"
    "    \"root\": {},\n"
    "    \"arm.L\": {\"parent\": \"root\", \"translation\": [0.5, 0, 0], \"mirror\": true},\n"
    "    \"tail#\": {\"chain\": 3, \"parent\": \"root\"}\n"
    "  },\n"
    "  \"meshes\": {\"sheet\": {\"file\": \"sheet.obj\"}},\n"
    "  \"skins\": {\n"
    "    \"skin\": {\n"
    "      \"mesh\": \"sheet\",\n"
    "      \"deformers\": [\n"
    "        {\n"
    "          \"kind\": \"morph\",\n"
    "          \"poses\": [\n"
    "            {\n"
    "              \"follows\": \"puff.R\",\n"
    "              \"keys\": [{\"at\": 0, \"points\": {}}, {\"at\": 1, \"points\": {\"1\": [0, 0, "
    "1]}}]\n"
    "            }\n"
    "          ]\n"
    "        },\n"
    "        {\"kind\": \"falloff\", \"muscles\": [\"strip#\"], \"d_full\": 0.1, \"d_none\": 0.2}\n"
    "      ]\n"
    "    }\n"
    "  },\n"
    "  \"muscles\": {\n"
    "    \"strip#\": {\n"
    "      \"repeat\": 2,\n"
    "      \"kind\": \"patch\",\n"
    "      \"skin\": \"skin\",\n"
    "      \"curves\": [[[0.2, 0.2, 0], [0.2, 1.8, 0]], [[0.4, 0.2, 0], [0.4, 1.8, 0]]],\n"
    "      \"contraction\": \"squeeze.L#\"\n"
    "    }\n"
    "  },\n"
    "  \"controls\": {\n"
    "    \"puff.L\": {\"group\": \"face.L\", \"mirror\": true},\n"
    "    \"flex.L\": {\"mirror\": true},\n"
    "    \"squeeze.L#\": {\"repeat\": 2}\n"
    "  },\n"
    "  \"drivers\": [{\"control\": \"squeeze.L#\", \"parameter\": \"arm.L.rx_deg\", \"repeat\": "
    "2}]\n"
    "}\n";

// A folder with the document, a sheet of 2 m x 2 m about x = 0, and two curves on its left half.
static const char *make_sheet(const char *name) {
    static char folder[4096];
    char path[4200];
    snprintf(folder, sizeof folder, "%s", snt_scratch(name));
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/sheet.obj", folder);
    write_text(path, "v -1 0 0\nv 0 0 0\nv 1 0 0\nv -1 1 0\nv 0 1 0\nv 1 1 0\nv -1 2 0\nv 0 2 0\n"
                     "v 1 2 0\nf 1 2 5 4\nf 2 3 6 5\nf 4 5 8 7\nf 5 6 9 8\n");
    snprintf(path, sizeof path, "%s/curves.json", folder);
    write_text(path,
               "{\"curves\": [[[0.5, 0.2, 0], [0.5, 1.8, 0]], [[0.9, 0.2, 0], [0.9, 1.8, 0]]]}");
    snprintf(path, sizeof path, "%s/s.sinew.json", folder);
    write_text(path, document);
    return folder;
}

static sn_json *read_json(sn_context *context, const char *folder, const char *file) {
    char path[4200], *text;
    size_t size;
    sn_json *json;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snt_ok(sni_file_read(context, path, &text, &size, error));
    snt_ok(sn_json_parse(context, text, size, &json, error));
    sni_free(context, text);
    return json;
}

static void prints_what_it_stands_for(void **state) {
    (void)state;
    const char *d = make_sheet("said");
    sn_context *context = snt_context(1);
    sn_json *json;
    result r;
    runf(&r, "check %s/s.sinew.json --expanded", d);
    expect(&r, 0);
    snt_ok(sn_json_parse(context, r.out, strlen(r.out), &json, error));
    assert_non_null(sn_json_find(json, "/skeleton/arm.R"));
    assert_string_equal(sn_value_string(sn_json_find(json, "/skeleton/tail3/parent"), ""), "tail2");
    assert_string_equal(sn_value_string(sn_json_find(json, "/controls/puff.R/group"), ""),
                        "face.R");
    assert_string_equal(
        sn_value_string(sn_json_find(json, "/skins/skin/deformers/1/muscles/1"), ""), "strip2");
    assert_null(sn_json_find(json, "/skeleton/tail#"));
    sn_json_destroy(json);
    snt_context_end(context);
    runf(&r, "check %s/s.sinew.json", d);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "sheet: 6 segments, 6 controls"));
    runf(&r, "check %s/none.sinew.json --expanded", d);
    expect(&r, 1);
}

static void draws_muscles(void **state) {
    (void)state;
    const char *d = make_sheet("drawn");
    sn_context *context = snt_context(1);
    result r;
    runf(&r, "muscle %s/s.sinew.json --curves %s/curves.json --name strip2", d, d);
    expect(&r, 1);
    expect_one_line(&r, "there is a muscle \"strip2\" already");
    // The segment and the control are those of a mirror image: there already.
    runf(&r,
         "muscle %s/s.sinew.json --curves %s/curves.json --name pec --segment arm.R --control "
         "flex.R --muscle-thickness 0.1 -o %s/one.sinew.json",
         d, d, d);
    expect(&r, 0);
    sn_json *json = read_json(context, d, "one.sinew.json");
    assert_null(sn_json_find(json, "/controls/flex.R"));
    assert_null(sn_json_find(json, "/skeleton/arm.R"));
    assert_true(sn_value_bool(sn_json_find(json, "/skeleton/arm.L/mirror"), false));
    assert_string_equal(sn_value_string(sn_json_find(json, "/muscles/pec/contraction"), ""),
                        "flex.R");
    sn_json_destroy(json);
    // A control with a counterpart, and one without.
    runf(&r,
         "muscle %s/s.sinew.json --curves %s/curves.json --name pec.L --control flex.L "
         "--muscle-thickness 0.1 --mirror x -o %s/two.sinew.json",
         d, d, d);
    expect(&r, 0);
    json = read_json(context, d, "two.sinew.json");
    assert_null(sn_json_find(json, "/controls/flex.R"));
    assert_string_equal(sn_value_string(sn_json_find(json, "/muscles/pec.R/contraction"), ""),
                        "flex.R");
    sn_json_destroy(json);
    runf(&r,
         "muscle %s/s.sinew.json --curves %s/curves.json --name pec.L --control squeeze.L2 "
         "--muscle-thickness 0.1 --mirror x -o %s/three.sinew.json",
         d, d, d);
    expect(&r, 0);
    json = read_json(context, d, "three.sinew.json");
    assert_null(sn_json_find(json, "/controls/squeeze.L2"));
    assert_non_null(sn_json_find(json, "/controls/squeeze.R2"));
    assert_string_equal(sn_value_string(sn_json_find(json, "/drivers/1/parameter"), ""),
                        "arm.R.rx_deg");
    assert_null(sn_json_find(json, "/drivers/2"));
    sn_json_destroy(json);
    runf(&r, "check %s/three.sinew.json", d);
    expect(&r, 0);
    snt_context_end(context);
}

static void poses_and_expresses(void **state) {
    (void)state;
    const char *d = make_sheet("posed");
    sn_context *context = snt_context(1);
    result r;
    runf(&r, "express %s/s.sinew.json --group face.R -o %s/t.glb", d, d);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "puff.R"));
    runf(&r, "express %s/s.sinew.json --group face.L -o %s/t.glb", d, d);
    expect(&r, 1);
    expect_one_line(&r, "no control moves the skin");
    runf(&r, "express %s/s.sinew.json --set puff.R=1 -o %s/t.obj", d, d);
    expect(&r, 0);
    runf(&r, "pose %s/s.sinew.json --at tail2.rx_deg=30 --shape %s/t.obj -o %s/p.sinew.json", d, d,
         d);
    expect(&r, 0);
    sn_json *json = read_json(context, d, "p.sinew.json");
    assert_true(sn_value_number(sn_json_find(json, "/skeleton/tail#/chain"), 0) == 3);
    assert_string_equal(
        sn_value_string(sn_json_find(json, "/skins/skin/deformers/0/poses/1/follows"), ""),
        "tail2.rx_deg");
    sn_json_destroy(json);
    runf(&r, "run %s/s.sinew.json --set arm.R.rx_deg=20 --set tail3.ry=1 -o %s/o.obj", d, d);
    expect(&r, 0);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_what_it_stands_for),
        cmocka_unit_test(draws_muscles),
        cmocka_unit_test(poses_and_expresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
