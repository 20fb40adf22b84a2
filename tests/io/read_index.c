// SPDX-License-Identifier: Apache-2.0
//
// Folders of anatomy: tables as programs write them, and everything that can be wrong in one.
#include "io_test.h"

#include <sys/stat.h>

static const char index_text[] = "\xef\xbb\xbfkind,volume,file,Name,side,rig_joint\r\n"
                                 "bone,1,bones/femur.obj,,left,thigh\r\n"
                                 "\r\n"
                                 "BONE,,bones/tibia.obj,\"shin, \"\"long\"\"\",,\r\n"
                                 "muscle,2.5,  muscles/vastus.obj , vastus lateralis ,L\r\n"
                                 "bone_union,,leg.obj,,mid,,\r\n"
                                 ",,,,\r\n"
                                 "skin,,\"skin\nof leg.obj\",skin,R,";

static const char attachment_text[] = "x,y,z,muscle_file_stem,bone_file_stem\n"
                                      "1,-2.5,3e-1,vastus,femur\n"
                                      "0,+.5,0,vastus lateralis,\n"
                                      "\n"
                                      "4,5,6,vastus,\"shin, \"\"long\"\"\"";

static sn_status parse(sn_context *context, const char *index, const char *attachments,
                       sn_anatomy **anatomy, sn_error *error) {
    return sn_anatomy_parse(context, "leg", index, strlen(index), attachments,
                            attachments != NULL ? strlen(attachments) : 0, anatomy, error);
}

static void reads_parts_in_any_order_of_columns(void **state) {
    (void)state;
    static const struct {
        const char *file, *name, *side, *joint;
        sn_part_kind kind;
        uint32_t line;
    } expected[] = {
        {"bones/femur.obj", "femur", "left", "thigh", SN_PART_BONE, 2},
        {"bones/tibia.obj", "shin, \"long\"", "", "", SN_PART_BONE, 4},
        {"muscles/vastus.obj", "vastus lateralis", "left", "", SN_PART_MUSCLE, 5},
        {"leg.obj", "leg", "mid", "", SN_PART_BONE_UNION, 6},
        {"skin\nof leg.obj", "skin", "right", "", SN_PART_SKIN, 8},
    };
    sn_context *context = snt_context(1);
    sn_anatomy *anatomy = NULL;
    snt_ok(parse(context, index_text, NULL, &anatomy, error));
    assert_int_equal(anatomy->part_count, 5);
    for (uint32_t i = 0; i < 5; ++i) {
        const sn_anatomy_part *part = &anatomy->parts[i];
        assert_string_equal(part->file, expected[i].file);
        assert_string_equal(part->name, expected[i].name);
        assert_string_equal(part->side, expected[i].side);
        assert_string_equal(part->rig_joint, expected[i].joint);
        assert_int_equal(part->kind, expected[i].kind);
        assert_int_equal(part->line, expected[i].line);
    }
    assert_string_equal(anatomy->parts[0].path, "leg/bones/femur.obj");
    assert_string_equal(anatomy->name, "leg");
    assert_string_equal(anatomy->index, "leg/index.csv");
    assert_null(anatomy->attachment_table);
    assert_null(anatomy->rig);
    sn_anatomy_destroy(anatomy);
    snt_context_end(context);
}

static void finds_attached_parts_by_stem_and_name(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_anatomy *anatomy = NULL;
    snt_ok(parse(context, index_text, attachment_text, &anatomy, error));
    static const uint32_t bones[] = {0, SN_NONE, 1}, lines[] = {2, 3, 5};
    static const double points[][3] = {{1, -2.5, 0.3}, {0, 0.5, 0}, {4, 5, 6}};
    assert_int_equal(anatomy->attachment_count, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        const sn_anatomy_attachment *attachment = &anatomy->attachments[i];
        assert_int_equal(attachment->muscle, 2);
        assert_int_equal(attachment->bone, bones[i]);
        assert_int_equal(attachment->line, lines[i]);
        assert_true(attachment->point.x == points[i][0]);
        assert_true(attachment->point.y == points[i][1]);
        assert_true(attachment->point.z == points[i][2]);
    }
    sn_anatomy_destroy(anatomy);
    // The short names of the columns.
    snt_ok(parse(context, index_text, "bone,muscle,z,y,x\nfemur,vastus,3,2,1\n", &anatomy, error));
    assert_int_equal(anatomy->attachments[0].bone, 0);
    assert_true(anatomy->attachments[0].point.x == 1);
    sn_anatomy_destroy(anatomy);
    snt_context_end(context);
}

static void tells_sides_of_one_name_apart(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_anatomy *anatomy = NULL;
    snt_ok(parse(context,
                 "file,kind,name,side\na.obj,bone,rib,left\nb.obj,bone,rib,right\n"
                 "c.obj,bone,sternum,mid\nd.obj,bone,skull,left\n",
                 NULL, &anatomy, error));
    static const char *const names[] = {"rib.L", "rib.R", "sternum", "skull"};
    for (uint32_t i = 0; i < 4; ++i) {
        assert_string_equal(anatomy->parts[i].name, names[i]);
    }
    sn_anatomy_destroy(anatomy);
    snt_context_end(context);
}

static void names_every_kind(void **state) {
    (void)state;
    static const char *const names[] = {"bone",   "tooth",    "cartilage", "bone_union", "muscle",
                                        "tendon", "ligament", "soft",      "skin"};
    for (int i = 0; i < SN_PART_KIND_COUNT; ++i) {
        assert_string_equal(sn_part_kind_name((sn_part_kind)i), names[i]);
    }
    assert_null(sn_part_kind_name(SN_PART_KIND_COUNT));
}

typedef struct bad_table {
    const char *index, *attachments;
    const char *line; // the whole error
} bad_table;

#define LEG "file,kind,name\nf.obj,bone,femur\nv.obj,muscle,vastus\n"

static const bad_table bad_tables[] = {
    {"", NULL, "leg/index.csv: empty; the first row has the names of the columns"},
    {"\n \n,,\n", NULL, "leg/index.csv: empty; the first row has the names of the columns"},
    {"file,kind\n", NULL, "leg/index.csv: no parts below the names of the columns"},
    {"file,name\na.obj,a\n", NULL, "leg/index.csv:1: there is no column \"kind\""},
    {"\n\nkind;file\nbone;a.obj\n", NULL, "leg/index.csv:3: there is no column \"file\""},
    {"file,kind,File\na.obj,bone,\n", NULL, "leg/index.csv:1: the column \"File\" is there twice"},
    {"file,kind\na.obj,bone\n,bone\n", NULL, "leg/index.csv:3: the row has no file"},
    {"file,kind\na.obj,bone,x\n", NULL, "leg/index.csv:2: 3 cells, but there are 2 columns"},
    {"file,kind\na.obj\n", NULL,
     "leg/index.csv:2: the row has no kind; known ones are bone, tooth, cartilage, bone_union, "
     "muscle, tendon, "
     "ligament, soft, skin"},
    {"file,kind\na.obj,bones\n", NULL,
     "leg/index.csv:2: the kind \"bones\" is unknown; known ones are bone, tooth, cartilage, "
     "bone_union, muscle, tendon, ligament, soft, skin"},
    {"file,kind,side\na.obj,bone,up\n", NULL,
     "leg/index.csv:2: the side \"up\" is unknown; known ones are left, right and mid"},
    {"file,kind,name\na.obj,bone,femur\nb.obj,bone,femur\n", NULL,
     "leg/index.csv:3: the name \"femur\" is that of the bone in line 2"},
    {"file,kind,name,side\na.obj,bone,rib,left\nb.obj,bone,rib,right\nc.obj,tooth,rib,left\n", NULL,
     "leg/index.csv:4: the name \"rib.L\" is that of the bone in line 2"},
    {"file,kind\nbones/a.obj,bone\nmuscles/a.obj,muscle\n", NULL,
     "leg/index.csv:3: the name \"a\" is that of the bone in line 2"},
    {"file,kind\na.obj,muscle\nb.obj,tooth\n", NULL, "leg/index.csv: no part is a bone"},
    {"file,kind\n\"a.obj,bone\n", NULL, "leg/index.csv:2: the quote does not end"},
    {"file,kind\n\"a\".obj,bone\n", NULL,
     "leg/index.csv:2: expected a comma behind the closing quote, found \".obj,bone\""},
    {LEG, "", "leg/attachments.csv: empty; the first row has the names of the columns"},
    {LEG, "bone,x,y,z\n", "leg/attachments.csv:1: there is no column \"muscle_file_stem\""},
    {LEG, "muscle,x,y,z\n", "leg/attachments.csv:1: there is no column \"bone_file_stem\""},
    {LEG, "muscle,bone,x,y\n", "leg/attachments.csv:1: there is no column \"z\""},
    {LEG, "muscle,bone,x,y,z\n,femur,0,0,0\n", "leg/attachments.csv:2: the row has no muscle"},
    {LEG, "muscle,bone,x,y,z\nvastus,femur,0,0,0\nvastsu,femur,0,0,0\n",
     "leg/attachments.csv:3: there is no muscle \"vastsu\" in the index; did you mean \"vastus\"?"},
    {LEG, "muscle,bone,x,y,z\nfemur,femur,0,0,0\n",
     "leg/attachments.csv:2: there is no muscle \"femur\" in the index"},
    {LEG, "muscle,bone,x,y,z\nvastus,tibia,0,0,0\n",
     "leg/attachments.csv:2: there is no bone \"tibia\" in the index"},
    {LEG, "muscle,bone,x,y,z\nvastus,femur,0,o,0\n",
     "leg/attachments.csv:2: y is \"o\", but must be a number"},
    {LEG, "muscle,bone,x,y,z\nvastus,femur,0,0\n",
     "leg/attachments.csv:2: z is \"\", but must be a number"},
    {LEG, "muscle,bone,x,y,z\nvastus,femur,1e999,0,0\n",
     "leg/attachments.csv:2: x is \"1e999\", but must be a number"},
    {LEG, "muscle,bone,x,y,z\nvastus,femur,\"0,5\",0,0\n",
     "leg/attachments.csv:2: x is \"0,5\", but must be a number"},
};

static void refuses_bad_tables(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof bad_tables / sizeof *bad_tables; ++i) {
        const bad_table *bad = &bad_tables[i];
        sn_anatomy *anatomy = NULL;
        sn_error error = {0};
        char text[2048];
        assert_true(parse(context, bad->index, bad->attachments, &anatomy, &error) != SN_OK);
        assert_null(anatomy);
        sn_error_format(&error, text, sizeof text);
        assert_string_equal(text, bad->line);
    }
    snt_context_end(context);
}

static void refuses_bytes_of_zero(void **state) {
    (void)state;
    static const char text[] = "file,kind\na\0b.obj,bone\n";
    sn_context *context = snt_context(1);
    sn_anatomy *anatomy = NULL;
    snt_fails(SN_SYNTAX, "index.csv:2: a byte of 0",
              sn_anatomy_parse(context, "leg", text, sizeof text - 1, NULL, 0, &anatomy, error));
    snt_context_end(context);
}

static sn_status parse_all(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_anatomy *anatomy = NULL;
    sn_status status = parse(context, index_text, attachment_text, &anatomy, error);
    sn_anatomy_destroy(anatomy);
    return status;
}

static void survives_failed_allocations(void **state) {
    (void)state;
    snt_fail_allocations(parse_all, NULL);
}

static void survives_truncation(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    size_t before = sn_context_bytes(context);
    for (size_t size = 0; size < sizeof index_text; ++size) {
        char *exact = malloc(size > 0 ? size : 1); // so that a sanitizer sees reads behind the end
        memcpy(exact, index_text, size);
        sn_anatomy *anatomy = NULL;
        sn_error error = {0};
        sn_status status = sn_anatomy_parse(context, "leg", exact, size, NULL, 0, &anatomy, &error);
        free(exact);
        assert_true((status == SN_OK) == (anatomy != NULL));
        sn_anatomy_destroy(anatomy);
        assert_int_equal(sn_context_bytes(context), before);
    }
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Folders

static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

// A triangle on one joint, with its 56 bytes of positions, joints and weights in the text.
static const char rigged[] =
    "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0, 1]}],\n"
    "\"nodes\": [{\"name\": \"hip\"}, {\"mesh\": 0, \"skin\": 0}],\n"
    "\"skins\": [{\"joints\": [0]}],\n"
    "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0, \"JOINTS_0\": 1, "
    "\"WEIGHTS_0\": 2}}]}],\n"
    "\"accessors\": [\n"
    "{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\", \"min\": "
    "[0, 0, 0], \"max\": [0, 0, 0]},\n"
    "{\"bufferView\": 1, \"componentType\": 5121, \"count\": 3, \"type\": \"VEC4\"},\n"
    "{\"bufferView\": 2, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC4\"}],\n"
    "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}, {\"buffer\": 0, \"byteOffset\": 36, "
    "\"byteLength\": 12}, {\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": 48}],\n"
    "\"buffers\": [{\"byteLength\": 96, \"uri\": \"data:application/octet-stream;base64,%s\"}]}\n";

// 48 bytes of zero, then for each vertex the weights 1, 0, 0, 0.
static const char rigged_bytes[] =
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8A"
    "AAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAA";

static void write_in(const char *folder, const char *name, const char *text) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snt_write(path, text);
}

static void write_rig(const char *folder, const char *name) {
    char text[4096];
    snprintf(text, sizeof text, rigged, rigged_bytes);
    write_in(folder, name, text);
}

static const char *make_folder(const char *name) {
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s", snt_scratch(name));
    mkdir(folder, 0777);
    write_in(folder, "index.csv", "file,kind\nfemur.obj,bone\n");
    write_in(folder, "femur.obj", triangle);
    return folder;
}

static void finds_the_rig(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_anatomy *anatomy = NULL;
    const char *folder = make_folder("rigs");
    char path[4200];
    snt_ok(sn_anatomy_read(context, folder, NULL, &anatomy, error));
    assert_null(anatomy->rig);
    assert_null(anatomy->attachment_table);
    assert_string_equal(anatomy->name, "rigs");
    sn_anatomy_destroy(anatomy);

    write_in(folder, "plain.gltf", "{\"asset\": {\"version\": \"2.0\"}}");
    write_rig(folder, "dog.gltf");
    snprintf(path, sizeof path, "%s/dog.gltf", folder);
    snt_ok(sn_anatomy_read(context, folder, NULL, &anatomy, error));
    assert_string_equal(anatomy->rig, path);
    sn_anatomy_destroy(anatomy);

    write_rig(folder, "cat.gltf");
    snt_fails(
        SN_INVALID,
        "/rigs: 2 models with weights, cat.gltf, dog.gltf: name one of them as the rig (--rig)",
        sn_anatomy_read(context, folder, NULL, &anatomy, error));
    snt_ok(sn_anatomy_read(context, folder, "dog.gltf", &anatomy, error));
    assert_string_equal(anatomy->rig, path);
    sn_anatomy_destroy(anatomy);
    snt_ok(sn_anatomy_read(context, folder, path, &anatomy, error));
    assert_string_equal(anatomy->rig, path);
    sn_anatomy_destroy(anatomy);
    snt_ok(sn_anatomy_read(context, folder, "none", &anatomy, error));
    assert_null(anatomy->rig);
    sn_anatomy_destroy(anatomy);
    snt_fails(SN_INVALID, "plain.gltf: the rig has no mesh with weights",
              sn_anatomy_read(context, folder, "plain.gltf", &anatomy, error));
    snt_fails(SN_IO, "horse.glb: cannot open",
              sn_anatomy_read(context, folder, "horse.glb", &anatomy, error));
    snt_context_end(context);
}

static void refuses_bad_folders(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_anatomy *anatomy = NULL;
    const char *folder = make_folder("bad");
    write_in(folder, "index.csv", "file,kind\nfemur.obj,bone\nbones/tibia.obj,bone\n");
    snt_fails(SN_IO, "/bad/index.csv:3: there is no file \"bones/tibia.obj\"",
              sn_anatomy_read(context, folder, NULL, &anatomy, error));
    write_in(folder, "index.csv", "file,kind\nfemur.obj,bone\nbones/tibia.obj,bone_union\n");
    snt_ok(sn_anatomy_read(context, folder, NULL, &anatomy, error));
    sn_anatomy_destroy(anatomy);
    write_in(folder, "attachments.csv", "muscle,bone,x,y,z\nvastus,femur,0,0,0\n");
    snt_fails(SN_INVALID, "/bad/attachments.csv:2: there is no muscle \"vastus\" in the index",
              sn_anatomy_read(context, folder, NULL, &anatomy, error));
    char path[4200];
    snprintf(path, sizeof path, "%s/index.csv", folder);
    remove(path);
    snt_fails(SN_IO,
              "/bad: no index.csv in this folder; it lists the meshes, with columns \"file\" and "
              "\"kind\"",
              sn_anatomy_read(context, folder, NULL, &anatomy, error));
    snt_fails(SN_IO, "/nowhere: cannot open the folder: No such file or directory",
              sn_anatomy_read(context, snt_scratch("nowhere"), NULL, &anatomy, error));
    snt_context_end(context);
}

static void reads_the_dog(void **state) {
    (void)state;
    const char *index = snt_data("animal/dog/index.csv");
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(index) - strlen("/index.csv")), index);
    sn_context *context = snt_context(1);
    sn_anatomy *anatomy = NULL;
    snt_ok(sn_anatomy_read(context, folder, NULL, &anatomy, error));
    uint32_t counts[SN_PART_KIND_COUNT] = {0};
    for (uint32_t i = 0; i < anatomy->part_count; ++i) {
        counts[anatomy->parts[i].kind]++;
    }
    // The numbers of the data's own description.
    assert_int_equal(counts[SN_PART_BONE], 220);
    assert_int_equal(counts[SN_PART_TOOTH], 42);
    assert_int_equal(counts[SN_PART_MUSCLE], 251);
    assert_int_equal(counts[SN_PART_SOFT], 14);
    assert_int_equal(anatomy->attachment_count, 1088);
    assert_non_null(strstr(anatomy->rig, "dog.glb"));
    sn_anatomy_destroy(anatomy);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_parts_in_any_order_of_columns),
        cmocka_unit_test(finds_attached_parts_by_stem_and_name),
        cmocka_unit_test(tells_sides_of_one_name_apart),
        cmocka_unit_test(names_every_kind),
        cmocka_unit_test(refuses_bad_tables),
        cmocka_unit_test(refuses_bytes_of_zero),
        cmocka_unit_test(survives_failed_allocations),
        cmocka_unit_test(survives_truncation),
        cmocka_unit_test(finds_the_rig),
        cmocka_unit_test(refuses_bad_folders),
        cmocka_unit_test(reads_the_dog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
