// SPDX-License-Identifier: Apache-2.0
//
// The program as a user meets it: exit statuses, one line per error, files that are whole or
// absent.
#include "program.h"

#include <sys/resource.h>

static void prints_help(void **state) {
    (void)state;
    static const char *const commands[] = {"demo",   "new",   "muscle",  "face",   "propose",
                                           "driver", "pose",  "express", "run",    "render",
                                           "wrap",   "check", "bench",   "extract"};
    result r;
    run(&r, "--help");
    expect(&r, 0);
    assert_string_equal(r.err, "");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        assert_non_null(strstr(r.out, commands[i]));
        result help;
        runf(&help, "%s --help", commands[i]);
        expect(&help, 0);
        assert_non_null(strstr(help.out, "usage: sinew"));
        assert_non_null(strstr(help.out, "example: sinew"));
    }
}

static void refuses_wrong_usage(void **state) {
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"dance", "there is no command \"dance\""},
        {"run", "sinew run: needs DOC|MODEL -o OUT"},
        {"run a.json", "needs -o OUT"},
        {"run a.json b.json -o c.glb", "has no use for the argument \"b.json\""},
        {"run a.json -o", "-o needs OUT"},
        {"run a.json -o a.glb -o b.glb", "-o is given twice"},
        {"run a.json -o b.glb --fast", "unknown option --fast"},
        {"run a.json -o b.glb --frames 5:2", "--frames takes A:B"},
        {"run a.json -o b.glb --frames -1:2", "--frames takes A:B"},
        {"run a.json -o b.glb --frames x", "--frames takes A:B"},
        {"run a.json -o b.glb --set smile", "--set takes NAME=VALUE"},
        {"run a.json -o b.glb --set smile=wide", "--set takes NAME=VALUE"},
        {"run a.json -o b.glb --glb fat", "--glb takes skinned, morph or game"},
        {"run a.json -o b.glb --targets 3", "--targets goes with --glb game"},
        {"run a.json -o b.glb --error 3", "--error goes with --glb game"},
        {"run a.json -o b.glb --skin body", "--skin goes with --glb game"},
        {"run a.json -o b.glb --rest-frame -1", "--rest-frame takes a whole number from 0"},
        {"run a.json -o b.glb --plant-feet --no-plant-feet", "takes --plant-feet or --no-plant"},
        {"render a.json -o b.png --rest-frame first", "--rest-frame takes a whole number from 0"},
        {"run a.json -o b.glb --threads 0", "--threads takes a whole number"},
        {"run a.json -o b.glb --threads two", "--threads takes a whole number"},
        {"run a.json -o b.glb --memory lots", "--memory takes a size of at least 1M"},
        {"run a.json -o b.glb --memory 5K", "--memory takes a size of at least 1M"},
        {"run a.json -o b.glb --quiet=yes", "--quiet takes no value"},
        {"new a.obj -o b.txt", "writes a document NAME.sinew.json, not \"b.txt\""},
        {"render a.json -o b.bmp", "writes .png, or a film"},
        {"render a.json -o b.png --frames 0:3", "--frames is for --sheet or a film"},
        {"render a.json -o b.png --sheet 3 --frame 1", "--frame draws one frame"},
        {"render a.json -o b.mp4 --frame 1", "--frame draws one frame"},
        {"render a.json -o b.png --show ,",
         "--show takes skin, muscles, tissues, bones and drivers"},
        {"driver a.json", "needs -o OUT"},
        {"driver a.json -o b.glb --faces 3", "--faces takes"},
        {"extract a.json", "needs -o SKIN"},
        {"extract a.json -o b.obj --dimension 3", "--dimension takes"},
        {"render a.json -o b.png --view nowhere",
         "--view takes front, back, left, right, top, three-quarter or AZIMUTH,ELEVATION, not "
         "\"nowhere\""},
        {"render a.json -o b.png --size 10", "--size takes WxH"},
        {"render a.json -o b.png --show fur",
         "--show takes skin, muscles, tissues, bones and drivers"},
        {"render a.json -o b.png --opacity 2", "--opacity takes a number from 0 to 1"},
        {"render a.json -o b.png --quality best", "--quality takes draft, normal or high"},
        {"check", "needs DOC"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        result r;
        run(&r, cases[i].line);
        expect(&r, 2);
        expect_one_line(&r, cases[i].message);
    }
}

// Without --memory it is a share of what the shell allows, too. Sanitizers need more addresses than
// any limit leaves them.
static void memory_is_what_the_shell_allows(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = (struct rlimit){.rlim_cur = (rlim_t)2 << 30, .rlim_max = before.rlim_max};
    char path[512];
    snprintf(path, sizeof path, "%s", snt_scratch("large.sinew.json"));
    FILE *file = fopen(path, "w");
    fputs("{\"sinew\": 1, \"name\": \"x\", \"skeleton\": {\"root\": {}}, \"bones\": {\"b #\": "
          "{\"ellipsoid\": {\"radii\": [1, 1, 1], \"detail\": 64}, \"segment\": \"root\", "
          "\"repeat\": 1000}}}",
          file);
    fclose(file);
    result r;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    runf(&r, "check %s", path);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    expect(&r, 1);
    expect_one_line(&r, "of 1.61 GB allowed");
}

// A few bytes that ask for gigabytes: what they would take is told before it is asked for.
static void small_documents_stay_within_the_memory(void **state) {
    (void)state;
    static const char start[] = "{\"sinew\": 1, \"name\": \"x\", \"skeleton\": {\"root\": {}, "
                                "\"top\": {\"parent\": \"root\", "
                                "\"translation\": [0, 1, 0]}}, \"bones\": {";
    static const struct {
        const char *rest, *message;
    } cases[] = {
        {"\"b #\": {\"ellipsoid\": {\"radii\": [0.1, 0.1, 0.1], \"detail\": 64}, \"segment\": "
         "\"root\", \"frame\": \"size\", \"repeat\": 1000}}}",
         "/bones/b 1: 1000 ellipsoids and tubes with 40962000 vertices would take at least 4.1 GB "
         "of "
         "memory; of 0.537 GB allowed"},
        {"\"b\": {\"ellipsoid\": {\"radii\": [0.1, 0.1, 0.1]}, \"segment\": \"root\", \"frame\": "
         "\"size\"}}, \"meshes\": {\"s\": {\"extract\": {\"dimension\": 4096}}}, \"skins\": "
         "{\"s\": "
         "{\"mesh\": \"s\", \"segment\": \"root\"}}}",
         "/meshes/s/extract: a grid of 4096 x 4096 x 4096 nodes would take at least 7.64 GB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s", snt_scratch("small.sinew.json"));
        FILE *file = fopen(path, "w");
        fprintf(file, "%s%s", start, cases[i].rest);
        fclose(file);
        result r;
        runf(&r, "check %s --memory 512M", path);
        expect(&r, 1);
        expect_one_line(&r, cases[i].message);
    }
}

static void refuses_bad_input(void **state) {
    (void)state;
    const char *folder = make_character("bad", 10);
    result r;
    run(&r, "check /nonexistent/a.sinew.json");
    expect(&r, 1);
    expect_one_line(&r, "sinew: /nonexistent/a.sinew.json: cannot open");
    runf(&r, "run %s/body.sinew.json --motion dance -o %s/a.pc2", folder, folder);
    expect(&r, 1);
    expect_one_line(&r, "there is no clip \"dance\" (the document has turn)");
    runf(&r, "run %s/body.sinew.json --frames 5:99 -o %s/a.pc2", folder, folder);
    expect(&r, 1);
    expect_one_line(&r, "frames 5 to 99 asked for, \"turn\" has frames 0 to 9");
    runf(&r, "run %s/body.sinew.json --set rot.ry=1 -o %s/a.pc2", folder, folder);
    expect(&r, 1);
    expect_one_line(&r, "did you mean \"root.ry\"?");
    runf(&r, "run %s/body.sinew.json -o %s/a.xyz", folder, folder);
    expect(&r, 1);
    expect_one_line(&r, ".xyz");
    runf(&r, "run %s/body.sinew.json -o /nonexistent/a.pc2", folder);
    expect(&r, 1);
    expect_one_line(&r, "/nonexistent/a.pc2: cannot write");
    runf(&r, "render %s/body.sinew.json --frame 77 -o %s/a.png", folder, folder);
    expect(&r, 1);
    expect_one_line(&r, "there is no frame 77");
    char path[4200];
    snprintf(path, sizeof path, "%s/a.pc2", folder);
    assert_false(exists(path));
}

static void makes_documents(void **state) {
    (void)state;
    const char *folder = make_character("new", 10);
    result r;
    runf(&r, "new %s/body.obj -o %s/made.sinew.json", folder, folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "0 segments, 1 mesh with 4 vertices, 0 clips"));
    runf(&r, "check %s/made.sinew.json", folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "watertight"));
    assert_non_null(strstr(r.out, "volume 0.166667 m3"));
    runf(&r, "new %s/body.obj -o %s/made.sinew.json", folder, folder);
    expect(&r, 1);
    expect_one_line(&r, "already exists; --force replaces it");
    runf(&r, "new %s/body.obj --force -o %s/made.sinew.json", folder, folder);
    expect(&r, 0);
}

static void measures_components(void **state) {
    (void)state;
    const char *folder = make_character("components", 10);
    result r;
    char path[4200];
    snprintf(path, sizeof path, "%s/parts.sinew.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "{\"sinew\": 1, \"name\": \"parts\", \"skeleton\": {\"a\": {\"scale\": [2, 1, 1]},"
            "\"b\": {\"parent\": \"a\", \"translation\": [0, 0, 4]}}, \"bones\": {\"c\": "
            "{\"segment\": \"a\", \"frame\": \"size\", \"ellipsoid\": {\"radii\": [0.5, 0.25, "
            "0.25]}}}, \"tissues\": {\"hole\": {\"segment\": \"b\", \"density\": -0.5, "
            "\"ellipsoid\": {\"radii\": [1, 1, 1]}}, \"eye\": {\"segment\": \"b\", \"feature\": "
            "true, \"ellipsoid\": {\"radii\": [1, 1, 1]}}}}");
    fclose(file);
    runf(&r, "check %s", path);
    expect(&r, 0);
    // The segment's scale counts: at rest it is 8 m long.
    assert_non_null(
        strstr(r.out, "bone c: 642 vertices, 1280 faces, watertight, size 8 x 2 x 2 m"));
    assert_non_null(strstr(r.out, ", density -0.5\n"));
    assert_non_null(strstr(r.out, ", a feature\n"));
    runf(&r, "check %s --json", path);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "\"layer\": \"tissue\""));
    assert_non_null(strstr(r.out, "\"feature\": true"));
    assert_non_null(strstr(r.out, "\"density\": -0.5"));
    runf(&r, "render %s --show tissues --size 64x48 --quality draft -o %s/t.png", path, folder);
    expect(&r, 0);
}

static void prints_json(void **state) {
    (void)state;
    const char *folder = make_character("json", 10);
    result r;
    runf(&r, "check %s/body.sinew.json --json", folder);
    expect(&r, 0);
    sn_context *context = snt_context(1);
    sn_json *json;
    snt_ok(sn_json_parse(context, r.out, strlen(r.out), &json, error));
    const sn_value *surface = sn_value_at(sn_value_get(sn_json_root(json), "surfaces"), 0);
    snt_near(sn_value_number(sn_value_get(surface, "volume"), 0), 1.0 / 6, 1e-7);
    sn_json_destroy(json);
    snt_context_end(context);
}

static void writes_every_format(void **state) {
    (void)state;
    static const char *const names[] = {"a.glb", "a.usda", "a.pc2", "a.mdd"};
    const char *folder = make_character("formats", 4);
    char path[4200];
    result r;
    for (size_t i = 0; i < 4; ++i) {
        runf(&r, "run %s/body.sinew.json -o %s/%s", folder, folder, names[i]);
        expect(&r, 0);
        assert_string_equal(r.err, "");
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_true(exists(path));
    }
    runf(&r, "run %s/body.sinew.json -o %s/a.obj", folder, folder);
    expect(&r, 0);
    for (int i = 0; i < 4; ++i) {
        snprintf(path, sizeof path, "%s/a.%04d.obj", folder, i);
        assert_true(exists(path));
    }
}

// A model in centimetres with Z up: check says so, and a document made of it is in metres.
static void converts_units(void **state) {
    (void)state;
    char folder[4096], path[4200];
    result r;
    snprintf(folder, sizeof folder, "%s", snt_scratch("units"));
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/man.obj", folder);
    write_text(path, "v -30 -15 0\nv 30 -15 0\nv 0 20 0\nv 0 0 184.8\n"
                     "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    runf(&r, "check %s", path);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "184.8 m in its longest direction; probably centimetres: use "
                                  "--unit cm\n"));
    assert_non_null(strstr(r.out, "probably Z points up: use --up z\n"));
    runf(&r, "check %s --unit cm --up z", path);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "size 0.6 x 1.848 x 0.35 m"));
    assert_null(strstr(r.out, "probably"));
    runf(&r, "new %s --unit cm --up z -o %s/man.sinew.json", path, folder);
    expect(&r, 0);
    runf(&r, "check %s/man.sinew.json", folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "size 0.6 x 1.848 x 0.35 m"));
    runf(&r, "check %s/man.sinew.json --unit cm", folder);
    expect(&r, 2);
    expect_one_line(&r, "--unit and --up are for model files");
    runf(&r, "check %s --unit parsec", path);
    expect(&r, 2);
    expect_one_line(&r, "--unit takes m, dm, cm, mm, in, ft or metres, not \"parsec\"");
    runf(&r, "check %s --up x", path);
    expect(&r, 2);
}

// A skinned .glb keeps all clips, other files say that they hold one.
static void writes_all_clips(void **state) {
    (void)state;
    const char *folder = make_character("clips", 4);
    char path[4200];
    result r;
    snprintf(path, sizeof path, "%s/two.sinew.json", folder);
    write_text(path, "{\"sinew\": 1, \"name\": \"two\", \"skeleton\": {\"root\": {}},\n"
                     "\"meshes\": {\"body\": {\"file\": \"body.obj\"}},\n"
                     "\"skins\": {\"body\": {\"mesh\": \"body\", \"segment\": \"root\"}},\n"
                     "\"clips\": {\"turn\": {\"rate\": 10, \"tracks\": {\"root.ry_deg\":\n"
                     "  {\"keys\": [[0, 0], [1, 90]]}}}, \"rise\": {\"tracks\":\n"
                     "  {\"root.ty\": {\"keys\": [[0, 0], [0.5, 1]]}}}}}\n");
    runf(&r, "run %s -o %s/all.glb", path, folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "frames 0 to 10 of turn; all frames of rise\n"));
    runf(&r, "run %s --motion rise --motion turn -o %s/all.glb", path, folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "frames 0 to 15 of rise; all frames of turn\n"));
    runf(&r, "run %s --motion rise -o %s/one.glb", path, folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "frames 0 to 15 of rise\n"));
    runf(&r, "run %s --frames 1:2 -o %s/one.glb", path, folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "frames 1 to 2 of turn; one clip of 2\n"));
    runf(&r, "run %s --fps 24 -o %s/all.pc2", path, folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "frames 0 to 24 of turn; one clip of 2\n"));
    runf(&r, "run %s --motion rise --motion turn -o %s/all.pc2", path, folder);
    expect(&r, 1);
    assert_non_null(strstr(r.err, "several --motion"));
    runf(&r, "run %s --fps 0 -o %s/all.pc2", path, folder);
    expect(&r, 2);
}

static void gives_same_bytes_for_any_threads_and_ranges(void **state) {
    (void)state;
    const char *folder = make_character("threads", 40);
    char a[4200], b[4200];
    result r;
    runf(&r, "run %s/body.sinew.json --threads 1 -o %s/one.pc2", folder, folder);
    expect(&r, 0);
    runf(&r, "run %s/body.sinew.json --threads 8 -o %s/eight.pc2", folder, folder);
    expect(&r, 0);
    snprintf(a, sizeof a, "%s/one.pc2", folder);
    snprintf(b, sizeof b, "%s/eight.pc2", folder);
    expect_same_bytes(a, b);
    // Frame 30 alone is frame 30 of the whole.
    runf(&r, "run %s/body.sinew.json --frames 30:30 -o %s/part.obj", folder, folder);
    expect(&r, 0);
    runf(&r, "run %s/body.sinew.json -o %s/whole.obj", folder, folder);
    expect(&r, 0);
    snprintf(a, sizeof a, "%s/part.0030.obj", folder);
    snprintf(b, sizeof b, "%s/whole.0030.obj", folder);
    expect_same_bytes(a, b);
}

// Interrupts runs that would take minutes; whatever they had begun to write must be gone.
static void leaves_nothing_behind_when_interrupted(void **state) {
    (void)state;
    static const char *const names[] = {"a.pc2", "a.usda", "a.obj", "a.glb"};
    const char *folder = make_character("interrupt", 50000000);
    int before = snt_count_entries(folder);
    for (size_t i = 0; i < 4; ++i) {
        char document[4200], out[4200], text[4200], err[4200];
        snprintf(document, sizeof document, "%s/body.sinew.json", folder);
        snprintf(out, sizeof out, "%s/%s", folder, names[i]);
        snprintf(text, sizeof text, "%s", snt_scratch("stdout"));
        snprintf(err, sizeof err, "%s", snt_scratch("stderr"));
        const char *arguments[] = {"sinew", "run", document,   "--glb",     "morph",
                                   "-o",    out,   "--frames", "0:2000000", NULL};
        pid_t child = start(arguments, text, err);
        usleep(400000);
        kill(child, SIGINT);
        assert_int_equal(finish(child), 130);
        assert_int_equal(snt_count_entries(folder), before);
        result r;
        read_all(err, r.err, sizeof r.err);
        expect_one_line(&r, "interrupted");
    }
}

// A flat skin of 2 x 2 quads and two curves on it.
static void adds_muscles(void **state) {
    (void)state;
    char folder[4096], path[4200];
    snprintf(folder, sizeof folder, "%s", snt_scratch("muscles"));
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/sheet.obj", folder);
    write_text(path, "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nv 0 2 0\nv 1 2 0\n"
                     "v 2 2 0\nf 1 2 5 4\nf 2 3 6 5\nf 4 5 8 7\nf 5 6 9 8\n");
    snprintf(path, sizeof path, "%s/curves.json", folder);
    write_text(path,
               "{\"curves\": [[[0.5, 0.2, 0], [0.5, 1.8, 0]], [[1.5, 0.2, 0], [1.5, 1.8, 0]]]}");
    snprintf(path, sizeof path, "%s/away.json", folder);
    write_text(path,
               "{\"curves\": [[[0.5, 0.2, 0], [0.5, 1.8, 5]], [[1.5, 0.2, 0], [1.5, 1.8, 0]]]}");
    result r;
    runf(&r, "new %s/sheet.obj -o %s/sheet.sinew.json", folder, folder);
    expect(&r, 0);
    runf(&r, "muscle %s/sheet.sinew.json --curves %s/away.json -o %s/m.sinew.json", folder, folder,
         folder);
    expect(&r, 1);
    expect_one_line(&r, "the point is 5 m away from the skin");
    snprintf(path, sizeof path, "%s/m.sinew.json", folder);
    assert_false(exists(path));
    runf(&r,
         "muscle %s/sheet.sinew.json --curves %s/curves.json --name belly --muscle-thickness 0.1 "
         "-o %s/m.sinew.json",
         folder, folder, folder);
    expect(&r, 0);
    runf(&r, "run %s/m.sinew.json --set belly=0.3 -o %s/flexed.obj --report %s/r.json", folder,
         folder, folder);
    expect(&r, 0);
    runf(&r, "muscle %s/m.sinew.json --curves %s/curves.json --name belly", folder, folder);
    expect(&r, 1);
    expect_one_line(&r, "there is a muscle \"belly\" already");
    runf(&r, "render %s/m.sinew.json --show muscles --size 64x48 --quality draft -o %s/m.png",
         folder, folder);
    expect(&r, 0);
}

static void makes_drivers(void **state) {
    (void)state;
    const char *arm = snt_source("examples/arm/arm.sinew.json");
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_scratch("driver.glb"));
    result r;
    runf(&r, "driver %s --faces 200 -o %s", arm, path);
    expect(&r, 0);
    assert_string_equal(r.err, "");
    assert_non_null(strstr(r.out, "200 faces, closed"));
    // It is a model like any other.
    runf(&r, "check %s", path);
    expect(&r, 0);
    runf(&r, "driver %s --skin shirt -o %s", arm, snt_scratch("shirt.glb"));
    expect(&r, 1);
    expect_one_line(&r, "there is no skin shirt");
    assert_false(exists(snt_scratch("shirt.glb")));
}

static void extracts_skins(void **state) {
    (void)state;
    char arm[4096], skin[4096], document[4096];
    snprintf(arm, sizeof arm, "%s", snt_source("examples/arm/arm.sinew.json"));
    snprintf(skin, sizeof skin, "%s", snt_scratch("extracted.glb"));
    snprintf(document, sizeof document, "%s", snt_scratch("extracted.sinew.json"));
    result r;
    runf(&r, "extract %s -o %s --dimension 120 --document %s", arm, skin, document);
    expect(&r, 0);
    assert_string_equal(r.err, "");
    assert_non_null(strstr(r.out, "left out \"biceps\": the mesh is open"));
    assert_non_null(strstr(r.out, "parts are too thin for the grid"));
    assert_non_null(strstr(r.out, "`membrane` moves the skin"));
    runf(&r, "check %s", document);
    expect(&r, 0);
    runf(&r, "extract %s -o %s --dimension 120 --part humerus --part ulna", arm, skin);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "around 2 parts"));
    assert_non_null(strstr(r.out, "to use it"));
    runf(&r, "extract %s -o %s --part femur", arm, snt_scratch("femur.obj"));
    expect(&r, 1);
    expect_one_line(&r, "there is no bone, tissue or muscle \"femur\"");
    runf(&r, "extract %s -o %s --part biceps", arm, snt_scratch("femur.obj"));
    expect(&r, 1);
    expect_one_line(&r, "biceps: the mesh is open");
    runf(&r, "extract %s -o %s --part pisiform --part clavicle --threshold 190", arm,
         snt_scratch("femur.obj"));
    expect(&r, 1);
    expect_one_line(&r, "the skin is empty");
    assert_false(exists(snt_scratch("femur.obj")));
}

static void draws_pictures(void **state) {
    (void)state;
    const char *folder = make_character("pictures", 10);
    char path[4200];
    result r;
    runf(&r, "render %s/body.sinew.json --size 64x48 --quality draft -o %s/a.png", folder, folder);
    expect(&r, 0);
    runf(&r,
         "render %s/body.sinew.json --sheet 3 --size 64x48 --quality draft --color stretch "
         "--wireframe -o %s/b.png",
         folder, folder);
    expect(&r, 0);
    snprintf(path, sizeof path, "%s/b.png", folder);
    assert_true(exists(path));
}

// The three files of each shipped character; here the only one is the tetrahedron.
static void makes_the_shipped_characters_move(void **state) {
    (void)state;
    static const char *const names[] = {"body.glb", "body.png", "report.json"};
    const char *folder = make_character("body", 3);
    char examples[4096], out[4096], path[4200];
    result r;
    snprintf(examples, sizeof examples, "%s/..", folder);
    snprintf(out, sizeof out, "%s", snt_scratch("demo"));
    setenv("SINEW_EXAMPLES", examples, 1);
    runf(&r, "demo dragon -o %s", out);
    expect(&r, 1);
    expect_one_line(&r, "there is no shipped character \"dragon\"; choose one of: body");
    assert_false(exists(out));
    runf(&r, "demo --quality draft -o %s", out);
    expect(&r, 0);
    for (size_t i = 0; i < 3; ++i) {
        snprintf(path, sizeof path, "%s/body/%s", out, names[i]);
        assert_true(exists(path));
    }
    unsetenv("SINEW_EXAMPLES");
}

// A plane of two triangles as driver, at rest and lifted, and a point cloud's worth of mesh over
// it.
static void make_wrap_files(char folder[4096]) {
    char path[4200];
    snprintf(folder, 4096, "%s", snt_scratch("wrap"));
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/rest.obj", folder);
    write_text(path, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    snprintf(path, sizeof path, "%s/posed.obj", folder);
    write_text(path, "v 0 0 2\nv 1 0 2\nv 1 1 2\nv 0 1 2\nf 1 2 3 4\n");
    snprintf(path, sizeof path, "%s/turned.obj", folder);
    write_text(path, "v 0 0 2\nv 1 0 2\nv 1 1 2\nv 0 1 2\nf 2 3 4 1\n");
    snprintf(path, sizeof path, "%s/fewer.obj", folder);
    write_text(path, "v 0 0 2\nv 1 0 2\nv 1 1 2\nf 1 2 3\n");
    snprintf(path, sizeof path, "%s/mesh.obj", folder);
    write_text(path, "v 0.25 0.5 0.5\nv 0.5 0.5 0.25\nv 0.5 0.75 0.25\nf 1 2 3\n");
    snprintf(path, sizeof path, "%s/other.obj", folder);
    write_text(path, "v 0.25 0.5 0.5\nv 0.5 0.5 0.25\nv 0.5 0.75 0.5\nf 1 2 3\n");
}

static void wraps_meshes(void **state) {
    (void)state;
    char folder[4096], path[4200], text[4096];
    result r;
    make_wrap_files(folder);
    for (int again = 0; again < 2; ++again) {
        runf(&r,
             "wrap %s/mesh.obj --driver %s/rest.obj --to %s/posed.obj -o %s/out.obj --bind "
             "%s/bind.wrap --local 4",
             folder, folder, folder, folder, folder);
        expect(&r, 0);
        assert_string_equal(r.err, "");
        assert_non_null(strstr(r.out, "3 points follow 2 triangles, 2.0 each"));
        snprintf(path, sizeof path, "%s/out.obj", folder);
        read_all(path, text, sizeof text);
        assert_non_null(strstr(text, "v 0.25 0.5 2.5\nv 0.5 0.5 2.25\nv 0.5 0.75 2.25\n"));
        remove(path);
    }
    runf(&r,
         "wrap %s/mesh.obj --driver %s/rest.obj --to %s/rest.obj -o %s/same.obj --extended "
         "--unit 1 --no-separation",
         folder, folder, folder, folder);
    expect(&r, 0);
    snprintf(path, sizeof path, "%s/same.obj", folder);
    read_all(path, text, sizeof text);
    assert_non_null(strstr(text, "v 0.25 0.5 0.5\nv 0.5 0.5 0.25\nv 0.5 0.75 0.25\n"));
}

// One driver goes up by 2, the other stays.
static void combines_wraps(void **state) {
    (void)state;
    static const struct {
        const char *options, *points;
    } cases[] = {{"", "v 0.25 0.5 1.5\n"},
                 {"--combine larger", "v 0.25 0.5 2.5\n"},
                 {"--weight 0.25 --weight 0.5", "v 0.25 0.5 1\n"}};
    char folder[4096], path[4200], text[4096];
    result r;
    make_wrap_files(folder);
    for (int i = 0; i < 3; ++i) {
        runf(&r,
             "wrap %s/mesh.obj --driver %s/rest.obj --to %s/posed.obj --driver %s/rest.obj --to "
             "%s/rest.obj -o %s/both.obj %s",
             folder, folder, folder, folder, folder, folder, cases[i].options);
        expect(&r, 0);
        snprintf(path, sizeof path, "%s/both.obj", folder);
        read_all(path, text, sizeof text);
        assert_non_null(strstr(text, cases[i].points));
    }
    runf(&r, "wrap %s/mesh.obj --driver a.obj --to b.obj --driver c.obj -o %s/both.obj", folder,
         folder);
    expect(&r, 2);
    assert_non_null(strstr(r.err, "needs one --to for each --driver"));
}

// A driver that is stretched along one side: with frame points space does what they do.
static void wraps_with_frame_points(void **state) {
    (void)state;
    char folder[4096], path[4200], text[8192], posed[8192] = "";
    result r;
    make_wrap_files(folder);
    runf(&r, "driver %s/rest.obj --frame-points -o %s/frames.obj", folder, folder);
    expect(&r, 0);
    snprintf(path, sizeof path, "%s/frames.obj", folder);
    read_all(path, text, sizeof text);
    // Three times as long along x, and pushed up.
    for (const char *line = strstr(text, "v "); line != NULL; line = strstr(line + 1, "v ")) {
        double x, y, z;
        assert_int_equal(sscanf(line, "v %lf %lf %lf", &x, &y, &z), 3);
        size_t used = strlen(posed);
        snprintf(posed + used, sizeof posed - used, "v %.9g %.9g %.9g\n", 3 * x, y, z + 2);
    }
    snprintf(path, sizeof path, "%s/frames_posed.obj", folder);
    strcat(posed, "f 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n");
    write_text(path, posed);
    snprintf(path, sizeof path, "%s/long.obj", folder);
    write_text(path, "v 0 0 2\nv 3 0 2\nv 3 1 2\nv 0 1 2\nf 1 2 3 4\n");
    runf(&r,
         "wrap %s/mesh.obj --driver %s/rest.obj --to %s/long.obj --extended --frames "
         "%s/frames.obj --frames-to %s/frames_posed.obj -o %s/framed.obj",
         folder, folder, folder, folder, folder, folder);
    expect(&r, 0);
    snprintf(path, sizeof path, "%s/framed.obj", folder);
    read_all(path, text, sizeof text);
    double x, y, z;
    assert_int_equal(sscanf(strstr(text, "v "), "v %lf %lf %lf", &x, &y, &z), 3);
    assert_true(fabs(x - 0.75) < 1e-6 && fabs(y - 0.5) < 1e-6 && fabs(z - 2.5) < 1e-6);
    runf(&r, "wrap %s/mesh.obj --driver %s/rest.obj --to %s/long.obj --frames f.obj -o o.obj",
         folder, folder, folder);
    expect(&r, 2);
    assert_non_null(strstr(r.err, "--frames needs --frames-to and --extended"));
}

static void refuses_wrong_wraps(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *posed, *more, *line;
        int status;
    } cases[] = {
        {"mesh.obj", "fewer.obj", "", "has 3 vertices, but", 1},
        {"mesh.obj", "turned.obj", "", "face 0 has different corners than in", 1},
        {"other.obj", "posed.obj", "--bind FILE", "binds other rest points", 1},
        {"rest.obj", "posed.obj", "--bind FILE", "binds 3 vertices, but", 1},
        {"mesh.obj", "posed.obj", "--bind FILE --local 3", "was bound with --local 6, not 3", 1},
        {"mesh.obj", "posed.obj", "--bind FILE --extended", "was bound without --extended", 1},
        {"mesh.obj", "nowhere.obj", "", "nowhere.obj", 1},
        {"mesh.obj", "posed.obj", "--bind FILE --elements 8", "with --elements 0, not 8", 1},
        {"mesh.obj", "posed.obj", "--bind FILE --rebind 1-3", "\"1-3\" is not a number or range",
         1},
        {"mesh.obj", "posed.obj", "--rebind 1", "--rebind needs --bind", 2},
        {"mesh.obj", "posed.obj", "--sets nowhere.json", "nowhere.json", 1},
        {"mesh.obj", "posed.obj", "--local 99", "--local takes a number from 0 to 32", 2},
    };
    char folder[4096], path[4200], binding[4200];
    result r;
    make_wrap_files(folder);
    snprintf(path, sizeof path, "%s/never.obj", folder);
    snprintf(binding, sizeof binding, "%s/kept.wrap", folder);
    runf(&r, "wrap %s/mesh.obj --driver %s/rest.obj --to %s/posed.obj -o %s/out.obj --bind %s",
         folder, folder, folder, folder, binding);
    expect(&r, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char *file = strstr(cases[i].more, "FILE");
        int before = file != NULL ? (int)(file - cases[i].more) : (int)strlen(cases[i].more);
        runf(&r, "wrap %s/%s --driver %s/rest.obj --to %s/%s -o %s %.*s%s%s", folder, cases[i].mesh,
             folder, folder, cases[i].posed, path, before, cases[i].more,
             file != NULL ? binding : "", file != NULL ? file + 4 : "");
        expect(&r, cases[i].status);
        expect_one_line(&r, cases[i].line);
        assert_false(exists(path));
    }
    run(&r, "wrap a.obj --driver b.obj -o c.obj");
    expect(&r, 2);
    expect_one_line(&r, "needs --to");
    // A result that cannot be written leaves no binding behind either.
    runf(&r,
         "wrap %s/mesh.obj --driver %s/rest.obj --to %s/posed.obj -o %s/none/out.obj --bind "
         "%s/new.wrap",
         folder, folder, folder, folder, folder);
    expect(&r, 1);
    snprintf(path, sizeof path, "%s/new.wrap", folder);
    assert_false(exists(path));
}

// Sets, single vertices bound anew, and a driver made finer.
static void edits_wraps(void **state) {
    (void)state;
    static const struct {
        const char *sets, *line;
    } wrong[] = {
        {"{}", "has no list of sets"},
        {"[{\"points\": \"0\", \"faces\": \"0\", \"mode\": \"but\"}]", "\"mode\" is \"but\""},
        {"[{\"points\": \"3\", \"faces\": \"0\", \"mode\": \"add\"}]", "set 0: points: \"3\""},
        {"[{\"points\": \"1\", \"faces\": \"0\", \"mode\": \"remove\"}]", "no face for point 1"},
        {"[{\"points\": \"1\", \"mode\": \"remove\"}]", "set 0: faces: there are none"},
    };
    char folder[4096], path[4200], sets[4200];
    result r;
    make_wrap_files(folder);
    snprintf(sets, sizeof sets, "%s/sets.json", folder);
    snprintf(path, sizeof path, "%s/edited.obj", folder);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        write_text(sets, wrong[i].sets);
        runf(&r, "wrap %s/mesh.obj --driver %s/rest.obj --to %s/posed.obj -o %s --sets %s", folder,
             folder, folder, path, sets);
        expect(&r, 1);
        expect_one_line(&r, wrong[i].line);
        assert_false(exists(path));
    }
    write_text(sets, "{\"sets\": [{\"points\": \"0-1\", \"faces\": \"0\", \"mode\": \"only\"}]}");
    runf(&r,
         "wrap %s/mesh.obj --driver %s/rest.obj --to %s/posed.obj -o %s --sets %s --bind "
         "%s/edited.wrap",
         folder, folder, folder, path, sets, folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "2 points follow sets"));
    // Vertex 2 of other.obj has moved since.
    runf(&r,
         "wrap %s/other.obj --driver %s/rest.obj --to %s/posed.obj -o %s --bind %s/edited.wrap "
         "--rebind 2",
         folder, folder, folder, path, folder);
    expect(&r, 0);
    runf(&r, "wrap %s/other.obj --driver %s/rest.obj --to %s/posed.obj -o %s --bind %s/edited.wrap",
         folder, folder, folder, path, folder);
    expect(&r, 0);
    runf(&r, "driver %s/fewer.obj --subdivide 0 -o %s/finer.obj", folder, folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "finer.obj: 6 vertices, 4 faces"));
    runf(&r, "driver %s/fewer.obj --subdivide 1 -o %s/finest.obj", folder, folder);
    expect(&r, 1);
    expect_one_line(&r, "\"1\" is not a number or range below 1");
    runf(&r, "driver %s/rest.obj --subdivide 0 -o %s/finest.obj", folder, folder);
    expect(&r, 1);
    snprintf(path, sizeof path, "%s/finest.obj", folder);
    assert_false(exists(path));
}

// A cage on a turning segment moves a skin like the segment itself.
static void wraps_in_a_document(void **state) {
    (void)state;
    char path[4200], text[2048];
    const char *folder = make_character("wrapped", 3);
    snprintf(path, sizeof path, "%s/wrapped.sinew.json", folder);
    const char *format =
        "{\"sinew\": 1, \"name\": \"body\", \"skeleton\": {\"root\": {}},\n"
        "\"meshes\": {\"body\": {\"file\": \"body.obj\"}},\n"
        "\"skins\": {\"body\": {\"mesh\": \"body\", \"deformers\": [{\"kind\": \"wrap\"%s}]},\n"
        "  \"cage\": {\"mesh\": \"body\", \"segment\": \"root\", \"show\": false}},\n"
        "\"clips\": {\"turn\": {\"rate\": 30, \"frames\": 3, \"tracks\": {\"root.ry_deg\":\n"
        "  {\"keys\": [[0, 0], [1, 90], [2, -40]]}}}}}\n";
    snprintf(text, sizeof text, format,
             ", \"driver_mesh\": \"cage\", \"local\": 4, \"extended\": \"yes\"");
    write_text(path, text);
    result r;
    runf(&r, "run %s/wrapped.sinew.json -o %s/out.obj", folder, folder);
    expect(&r, 0);
    snprintf(path, sizeof path, "%s/out.0001.obj", folder);
    read_all(path, text, sizeof text);
    float x, y, z;
    const char *vertex = strstr(text, "\nv "); // the first two: (0, 0, 0), (1, 0, 0)
    vertex = strncmp(text, "v ", 2) == 0 ? text : vertex + 1;
    vertex = strstr(vertex + 1, "v ");
    assert_int_equal(sscanf(vertex, "v %f %f %f", &x, &y, &z), 3);
    snt_near(x * x + y * y + z * z, 1, 1e-5);
    assert_true(z < -0.01f); // turned about y
    snprintf(path, sizeof path, "%s/wrong.sinew.json", folder);
    snprintf(text, sizeof text, format, "");
    write_text(path, text);
    runf(&r, "check %s/wrong.sinew.json", folder);
    expect(&r, 1);
    expect_one_line(&r, "the key \"driver_mesh\" is missing");
    static const char *const cases[][2] = {
        {"'driver_patch': {'counts': [2, 2], 'degree': 1}", NULL},
        {"'driver_patch': {'counts': [2, 3], 'degree': 1}", "2 x 3 control points, but"},
        {"'driver_patch': {'counts': [2], 'degree': 1}", "driver_patch/counts"},
        {"'sets': [{'points': '0-1', 'faces': '0', 'mode': 'only'}]", NULL},
        {"'sets': [{'points': '0-999', 'faces': '0', 'mode': 'only'}]", "set 0: points: "},
        {"'sets': [{'points': '0', 'faces': 'all', 'mode': 'remove'}]", "no face for point 0"},
        {"'sets': [{'points': '0', 'faces': '0'}]", "the key \"mode\" is missing"},
        {"'sets': [{'points': '0', 'faces': '0', 'mode': 'but'}]",
         "expected \"only\", \"add\" or \"remove\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char more[256];
        snprintf(more, sizeof more, ", 'driver_mesh': 'cage', %s", cases[i][0]);
        for (char *quote = more; (quote = strchr(quote, '\'')) != NULL;) {
            *quote = '"';
        }
        snprintf(text, sizeof text, format, more);
        write_text(path, text);
        runf(&r, "check %s/wrong.sinew.json", folder);
        expect(&r, cases[i][1] != NULL ? 1 : 0);
        if (cases[i][1] != NULL) {
            expect_one_line(&r, cases[i][1]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_help),
        cmocka_unit_test(refuses_wrong_usage),
        cmocka_unit_test(small_documents_stay_within_the_memory),
        cmocka_unit_test(memory_is_what_the_shell_allows),
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(makes_documents),
        cmocka_unit_test(measures_components),
        cmocka_unit_test(prints_json),
        cmocka_unit_test(writes_every_format),
        cmocka_unit_test(writes_all_clips),
        cmocka_unit_test(converts_units),
        cmocka_unit_test(gives_same_bytes_for_any_threads_and_ranges),
        cmocka_unit_test(leaves_nothing_behind_when_interrupted),
        cmocka_unit_test(adds_muscles),
        cmocka_unit_test(makes_drivers),
        cmocka_unit_test(extracts_skins),
        cmocka_unit_test(draws_pictures),
        cmocka_unit_test(makes_the_shipped_characters_move),
        cmocka_unit_test(wraps_meshes),
        cmocka_unit_test(combines_wraps),
        cmocka_unit_test(wraps_with_frame_points),
        cmocka_unit_test(refuses_wrong_wraps),
        cmocka_unit_test(edits_wraps),
        cmocka_unit_test(wraps_in_a_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
