// SPDX-License-Identifier: Apache-2.0
//
// Meshes of a document that are extracted from its body.
#include "toy.h"

#include "base/memory.h"
#include "eval/model.h"
#include "sinew/fit.h"

#include <string.h>

// A limb of two bones, fat, an eye, and a muscle; what follows "skins" and the sections of meshes,
// muscles and the rest are the test's.
static const char body_text[] =
    "{'sinew': 1, 'name': 'limb', 'skeleton': {'upper': {},\n"
    "'lower': {'parent': 'upper', 'translation': [0, 1, 0]},\n"
    "'end': {'parent': 'lower', 'translation': [0, 1, 0]}},\n"
    "'bones': {'upper': {'ellipsoid': {'center': [0, 0.5, 0], 'radii': [0.12, 0.5, 0.12]},\n"
    "'segment': 'upper', 'frame': 'size'}, 'lower': {'ellipsoid': {'center': [0, 0.5, 0],\n"
    "'radii': [0.12, 0.5, 0.12]}, 'segment': 'lower', 'frame': 'size'}%s},\n"
    "'tissues': {'fat': {'ellipsoid': {'center': [0, 0.9, 0], 'radii': [0.2, 0.2, 0.2]},\n"
    "'segment': 'upper'},\n"
    "'eye': {'ellipsoid': {'center': [5, 0, 0], 'radii': [0.1, 0.1, 0.1]}, 'segment': 'upper',\n"
    "'feature': true}},\n"
    "'muscles': {'flexor': {'kind': 'cylinder', 'origins': [{'bone': 'upper', 'at': [0.4, 0.3, "
    "1]},\n"
    "{'bone': 'upper', 'at': [0.6, 0.3, 1]}], 'insertions': [{'bone': 'lower', 'at': [0.4, 0.4, "
    "1]},\n"
    "{'bone': 'lower', 'at': [0.6, 0.4, 1]}]}%s},\n"
    "'meshes': {'skin': {'extract': {'dimension': %d, 'filter': 1.5%s}%s}%s},\n"
    "'skins': {'skin': {'mesh': 'skin', %s}}%s}";

// What a test adds to the document.
typedef struct changes {
    int dimension; // 0: 60
    const char *bones, *muscles, *extract, *mesh, *meshes, *skin, *rest;
} changes;

typedef struct limb {
    sn_context *context;
    sn_character *character;
    sn_model *model;
} limb;

static const char *text_or_none(const char *text) {
    return text != NULL ? text : "";
}

static sn_mesh *single_triangle(sn_context *context) {
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "open", 3, 1, 3, &mesh, error));
    for (uint32_t i = 0; i < 3; ++i) {
        sn_vec3_store(sn_vec3_make(i == 1, i == 2, 0), mesh->positions + 3 * (size_t)i);
        mesh->corners[i] = i;
    }
    mesh->face_offsets[0] = 0;
    mesh->face_offsets[1] = 3;
    return mesh;
}

static sn_status open_limb(sn_context *context, const changes *c, sn_character **character,
                           sn_model **model, sn_error *error) {
    char text[8192];
    snprintf(text, sizeof text, body_text, text_or_none(c->bones), text_or_none(c->muscles),
             c->dimension > 0 ? c->dimension : 60, text_or_none(c->extract), text_or_none(c->mesh),
             text_or_none(c->meshes),
             c->skin != NULL ? c->skin : "'deformers': [{'kind': 'membrane'}]",
             text_or_none(c->rest));
    sn_status status = parse_quoted(context, "limb.sinew.json", text, character, error);
    if (status == SN_OK && strstr(text, "'open'") != NULL) {
        sn_mesh *mesh = single_triangle(context);
        status = sn_character_give_mesh(*character, "open", mesh, error);
    }
    return status == SN_OK ? sn_model_create(*character, NULL, model, error) : status;
}

static sn_status try_limb(limb *l, const changes *c, sn_error *error) {
    l->context = snt_context(2);
    return open_limb(l->context, c, &l->character, &l->model, error);
}

static void end_limb(limb *l) {
    sn_model_destroy(l->model);
    sn_character_destroy(l->character);
    snt_context_end(l->context);
}

static const sn_mesh *skin_of(const sn_model *model) {
    return sn_model_surface(model, surface_of(model, "skin"))->mesh;
}

static void assert_same_mesh(const sn_mesh *a, const sn_mesh *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_memory_equal(a->positions, b->positions, 12 * (size_t)a->vertex_count);
    assert_memory_equal(a->corners, b->corners, 12 * (size_t)a->face_count);
}

// A matrix that takes the unit ball to an ellipsoid along y.
static sn_mat4 ball(double y, double wide, double high) {
    sn_transform place = {{0, y, 0}, {0, 0, 0, 1}, {wide, high, wide}};
    return sn_mat4_from_transform(&place);
}

static void the_skin_is_made_from_bones_tissues_and_muscles(void **state) {
    (void)state;
    limb l = {0};
    snt_ok(try_limb(&l, &(changes){0}, error));
    // The same from parts that are listed here.
    const sn_mat4 places[3] = {ball(0.5, 0.12, 0.5), ball(1.5, 0.12, 0.5), ball(0.9, 0.2, 0.2)};
    sn_extract_part parts[4];
    for (int i = 0; i < 3; ++i) {
        parts[i] = (sn_extract_part){.name = "part", .ellipsoid = &places[i], .density = 1};
    }
    parts[3] =
        (sn_extract_part){.name = "flexor",
                          .mesh = sn_model_surface(l.model, surface_of(l.model, "flexor"))->mesh,
                          .density = 1};
    sn_extract_desc desc = sn_extract_desc_default();
    desc.parts = parts;
    desc.part_count = 4;
    desc.dimension = 60;
    desc.filter = 1.5;
    sn_mesh *expected = NULL;
    snt_ok(sn_extract_skin(l.context, &desc, NULL, &expected, NULL, error));
    assert_same_mesh(skin_of(l.model), expected);
    assert_string_equal(skin_of(l.model)->name, "skin");
    sn_mesh_destroy(expected);
    // And by the call that the command line uses.
    sn_model_extract_desc asked = sn_model_extract_desc_default();
    sn_extract_report report;
    asked.grid.dimension = 60;
    asked.grid.filter = 1.5;
    snt_ok(sn_model_extract_skin(l.model, &asked, NULL, &expected, &report, error));
    assert_same_mesh(skin_of(l.model), expected);
    assert_int_equal(report.part_count, 4);
    sn_mesh_destroy(expected);
    end_limb(&l);
}

static void parts_and_numbers_count(void **state) {
    (void)state;
    limb all = {0}, fat = {0};
    snt_ok(try_limb(&all, &(changes){0}, error));
    snt_ok(try_limb(&fat, &(changes){.extract = ", 'parts': ['fat'], 'threshold': 100"}, error));
    sn_vec3 low, high;
    sn_mesh_bounds(skin_of(fat.model), &low, &high);
    // At half the density the skin of a large ball is its surface.
    snt_near(low.y, 0.7, 0.01);
    snt_near(high.x, 0.2, 0.01);
    sn_mesh_bounds(skin_of(all.model), &low, &high);
    assert_true(low.y < 0.1 && high.y > 1.9);
    end_limb(&all);
    limb rough = {0};
    snt_ok(try_limb(&rough, &(changes){.extract = ", 'relax': 0"}, error));
    snt_ok(try_limb(&all, &(changes){.extract = ", 'relax': 3"}, error));
    assert_int_equal(skin_of(rough.model)->vertex_count, skin_of(all.model)->vertex_count);
    assert_memory_not_equal(skin_of(rough.model)->positions, skin_of(all.model)->positions,
                            12 * (size_t)skin_of(all.model)->vertex_count);
    end_limb(&all);
    end_limb(&rough);
    end_limb(&fat);
}

static void proportions_do_not_change_the_skin(void **state) {
    (void)state;
    limb plain = {0}, longer = {0};
    snt_ok(try_limb(&plain, &(changes){0}, error));
    snt_ok(try_limb(&longer, &(changes){.rest = ", 'proportions': {'lower': 1.5, 'upper': 0.7}"},
                    error));
    assert_same_mesh(skin_of(plain.model), skin_of(longer.model));
    end_limb(&plain);
    end_limb(&longer);
}

static void the_skin_has_the_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    limb first = {0};
    snt_ok(try_limb(&first, &(changes){0}, error));
    static const uint32_t threads[] = {1, 3, 8};
    for (int i = 0; i < 3; ++i) {
        limb l = {.context = snt_context(threads[i])};
        snt_ok(open_limb(l.context, &(changes){0}, &l.character, &l.model, error));
        assert_same_mesh(skin_of(first.model), skin_of(l.model));
        end_limb(&l);
    }
    end_limb(&first);
}

// --- What else can use the mesh

#define DRAWN                                                                                      \
    ", 'drawn': {'kind': 'patch', 'skin': 'skin', 'segment': 'upper', 'skin_thickness': 0.005,\n"  \
    "'muscle_thickness': 0.02, 'curves': [[[-0.1, 0.75, 0.21], [0, 0.9, 0.24]],\n"                 \
    "[[0.05, 0.7, 0.2], [0.1, 0.85, 0.22]]]}"

static void muscles_and_landmarks_use_it(void **state) {
    (void)state;
    limb plain = {0}, l = {0};
    snt_ok(try_limb(&plain, &(changes){0}, error));
    snt_ok(try_limb(&l,
                    &(changes){.muscles = DRAWN,
                               .rest = ", 'landmarks': {'point': {'mesh': 'skin', 'vertex': 7}}"},
                    error));
    // A muscle on the skin is no part of it.
    assert_same_mesh(skin_of(plain.model), skin_of(l.model));
    assert_true(sn_model_surface(l.model, surface_of(l.model, "drawn"))->mesh->face_count > 0);
    end_limb(&plain);
    end_limb(&l);
}

// --- Refusals

static void wrong_documents_are_refused(void **state) {
    (void)state;
    static const struct {
        changes changes;
        const char *message;
    } cases[] = {
        {{.extract = ", 'parts': ['lowr']"},
         "limb.sinew.json:14: /meshes/skin/extract/parts/0: there is no bone, tissue or muscle "
         "\"lowr\"; did you mean \"lower\"?"},
        {{.extract = ", 'parts': ['fat', 'fat']"},
         "/meshes/skin/extract/parts/1: \"fat\" is named twice"},
        {{.extract = ", 'parts': ['eye']"},
         "/meshes/skin/extract/parts/0: no skin is extracted from \"eye\": it is a feature"},
        {{.muscles = DRAWN, .extract = ", 'parts': ['drawn']"},
         "/meshes/skin/extract/parts/0: the muscle \"drawn\" needs an extracted skin itself"},
        {{.extract = ", 'parts': []"}, "/meshes/skin/extract/parts: expected at least 1 value"},
        {{.extract = ", 'dimensoin': 3"}, "did you mean \"dimension\"?"},
        {{.mesh = ", 'file': 'x.obj'"},
         "/meshes/skin/file: a mesh that is extracted has no \"file\""},
        {{.meshes = ", 'other': {'weights': 'skin'}"},
         "/meshes/other/weights: the mesh \"skin\" is extracted: it has no weights"},
        {{.bones = ", 'cap': {'mesh': 'skin', 'segment': 'upper'}"},
         "/bones/cap/mesh: the mesh \"skin\" is extracted from bones, tissues and muscles and "
         "cannot be one of them"},
        {{.skin = "'segment': 'upper', 'frame': 'segment'"},
         "/skins/skin/frame: the mesh \"skin\" is extracted: it stands in the world at rest"},
        {{.extract = ", 'threshold': 199.9"},
         "limb.sinew.json:14: /meshes/skin/extract: the skin is empty: the smoothed density is"},
        {{.extract = ", 'threshold': 200"},
         "/meshes/skin/extract: the threshold is 200, but must be above 0 and below 200"},
        {{.bones = ", 'cap': {'mesh': 'open', 'segment': 'upper'}",
          .meshes = ", 'open': {}",
          .extract = ", 'parts': ['upper', 'cap']"},
         "limb.sinew.json:14: /meshes/skin/extract/parts/1: the mesh is open"},
        {{.rest = ", 'landmarks': {'point': {'mesh': 'skin', 'vertex': 999999}}"},
         "/landmarks/point/vertex: the mesh \"skin\" has"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        limb l = {0};
        snt_fails(SN_INVALID, cases[i].message, try_limb(&l, &cases[i].changes, error));
        end_limb(&l);
    }
}

typedef struct lines {
    char text[2048];
    uint32_t count;
} lines;

static void note(sn_log_level level, const char *topic, const char *message, void *user) {
    lines *l = user;
    size_t used = strlen(l->text);
    if (strcmp(topic, "extract") == 0) {
        snprintf(l->text + used, sizeof l->text - used, "%d %s\n", (int)level, message);
        l->count++;
    }
}

// What is left out or lost is logged, in the words of the command.
static void losses_are_logged(void **state) {
    (void)state;
    lines logged = {0}, told = {0};
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 2;
    desc.log = note;
    desc.log_user = &logged;
    limb l = {0};
    snt_ok(sn_context_create(&desc, &l.context, error));
    const changes c = {
        .meshes = ", 'open': {}",
        .bones = ", 'cap': {'mesh': 'open', 'segment': 'upper'},\n"
                 "'hair': {'ellipsoid': {'center': [0.9, 0, 0], 'radii': [0.001, 0.001, 0.001]},\n"
                 "'segment': 'upper'},\n"
                 "'apart': {'ellipsoid': {'center': [0.7, 1, 0], 'radii': [0.2, 0.2, 0.2]},\n"
                 "'segment': 'upper'}"};
    snt_ok(open_limb(l.context, &c, &l.character, &l.model, error));
    assert_int_equal(logged.count, 3);
    assert_non_null(strstr(logged.text, "2 left out \"cap\": the mesh is open"));
    assert_non_null(strstr(logged.text, "2 of 2 pieces the largest is kept: "));
    assert_non_null(strstr(logged.text,
                           "2 1 part is too thin for the grid and melts away, such as \"hair\": "
                           "raise the dimension or lower the threshold"));
    sn_model_extract_desc asked = sn_model_extract_desc_default();
    asked.grid.dimension = 60;
    asked.grid.filter = 1.5;
    asked.tell = note;
    asked.tell_user = &told;
    sn_mesh *skin = NULL;
    snt_ok(sn_model_extract_skin(l.model, &asked, NULL, &skin, NULL, error));
    assert_string_equal(told.text, logged.text);
    assert_int_equal(logged.count, 3);
    sn_mesh_destroy(skin);
    sn_model_destroy(l.model);
    sn_character_destroy(l.character);
    sn_context_destroy(l.context);
}

// Takes note of the steps, and gives up at the one that is named.
typedef struct listener {
    char steps[512];
    const char *stop_at;
} listener;

static bool listen(const char *step, double fraction, void *user) {
    listener *l = user;
    size_t used = strlen(l->steps);
    (void)fraction;
    if (strstr(l->steps, step) == NULL) {
        snprintf(l->steps + used, sizeof l->steps - used, "%s, ", step);
    }
    return l->stop_at == NULL || strcmp(step, l->stop_at) != 0;
}

static void progress_is_reported_and_stops_it(void **state) {
    (void)state;
    limb l = {0};
    sn_model *stopped = NULL;
    snt_ok(try_limb(&l, &(changes){0}, error));
    listener heard = {0}, stopping = {.stop_at = "filtering"};
    sn_progress progress = {.report = listen, .user = &heard};
    sn_model_destroy(l.model);
    snt_ok(sn_model_create(l.character, &progress, &l.model, error));
    assert_non_null(strstr(heard.steps, "making muscles, voxelizing, filtering, "));
    progress.user = &stopping;
    snt_fails(SN_CANCELLED, "", sn_model_create(l.character, &progress, &stopped, error));
    assert_null(stopped);
    end_limb(&l);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const changes c = {.dimension = 36, .rest = ", 'proportions': {'lower': 1.5}"};
    sn_character *character = NULL;
    sn_model *model = NULL;
    (void)user;
    sn_status status = open_limb(context, &c, &character, &model, error);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void failing_allocations_are_survived(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_skin_is_made_from_bones_tissues_and_muscles),
        cmocka_unit_test(parts_and_numbers_count),
        cmocka_unit_test(proportions_do_not_change_the_skin),
        cmocka_unit_test(the_skin_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(muscles_and_landmarks_use_it),
        cmocka_unit_test(wrong_documents_are_refused),
        cmocka_unit_test(losses_are_logged),
        cmocka_unit_test(progress_is_reported_and_stops_it),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
