// SPDX-License-Identifier: Apache-2.0
//
// Character, skin and pose mirrored together at x = 0 give the mirrored result. The image of the
// character is made here, from the document said out, entry by entry: nothing of the library's own
// mirror images is used, and the order of all entries stays, so that equals meet equals.
#include "body.h"

// --- Names

// ".L" and ".R" at the end of a name, or before the dot of a parameter.
static const char *other_side(const char *name, char *text, size_t size) {
    assert_true(strlen(name) < size);
    strcpy(text, name);
    for (char *c = text; *c != 0; ++c) {
        if (c[0] == '.' && (c[1] == 'L' || c[1] == 'R') && (c[2] == 0 || c[2] == '.')) {
            c[1] = c[1] == 'L' ? 'R' : 'L';
        }
    }
    return text;
}

static const char *other(const char *name) {
    static char texts[4][256];
    static int next;
    next = (next + 1) % 4;
    return other_side(name, texts[next], sizeof texts[next]);
}

// Whether a joint parameter changes its sign: tx, ry, rz and their degrees.
static bool turns_sign(const char *parameter) {
    const char *dot = strrchr(parameter, '.');
    const char *kind = dot != NULL ? dot + 1 : parameter;
    return strncmp(kind, "tx", 2) == 0 || strncmp(kind, "ry", 2) == 0 ||
           strncmp(kind, "rz", 2) == 0;
}

static bool is_any(const char *key, const char *const *keys) {
    while (*keys != NULL && (key == NULL || strcmp(key, *keys) != 0)) {
        keys += 1;
    }
    return *keys != NULL;
}

// --- Values, in place in a tree that is a copy

static void negate(sn_value *list, uint32_t first, uint32_t last) {
    for (uint32_t i = first; i <= last; ++i) {
        assert_int_equal(list->as.children.items[i]->type, SN_JSON_NUMBER);
        list->as.children.items[i]->as.number *= -1;
    }
}

static void negate_range(sn_value *range) {
    sn_value **items = range->as.children.items;
    double low = items[0]->as.number;
    items[0]->as.number = -items[1]->as.number;
    items[1]->as.number = -low;
}

static void mirror_parameters(sn_value *object, bool ranges) {
    for (uint32_t i = 0; i < sn_value_count(object); ++i) {
        sn_value *item = object->as.children.items[i];
        if (!turns_sign(item->key)) {
            continue;
        }
        if (ranges) {
            negate_range(item);
        } else {
            item->as.number *= -1;
        }
    }
}

// A place on a bone: the box of the other bone is mirrored.
static void mirror_attachments(sn_value *value) {
    if (value->type == SN_JSON_ARRAY) {
        for (uint32_t i = 0; i < sn_value_count(value); ++i) {
            mirror_attachments(value->as.children.items[i]);
        }
        return;
    }
    const sn_value *at = sn_value_get(value, "at");
    assert_int_equal(sn_value_count(at), 3);
    at->as.children.items[0]->as.number = 1 - at->as.children.items[0]->as.number;
}

// Everything inside an entry that is a place or a direction.
static void mirror_shape(sn_value *value) {
    static const char *const points[] = {"translation", "center", "position", "side",
                                         "move",        "at",     NULL};
    static const char *const turns[] = {"rotation_deg", "turn_deg", "rotation", NULL};
    static const char *const places[] = {"origins", "insertions", "origin", "insertion", NULL};
    if (is_any(value->key, points)) {
        negate(value, 0, 0);
    } else if (is_any(value->key, turns)) {
        negate(value, 1, 2);
    } else if (is_any(value->key, places)) {
        mirror_attachments(value);
    } else if (is_any(value->key, (const char *const[]){"limits", "limits_deg", NULL})) {
        mirror_parameters(value, true);
    } else if (is_any(value->key, (const char *const[]){"rest", "rest_deg", NULL})) {
        mirror_parameters(value, false);
    } else if (value->key != NULL && strcmp(value->key, "points") == 0 &&
               value->type == SN_JSON_ARRAY) {
        for (uint32_t i = 0; i < sn_value_count(value); ++i) {
            negate(value->as.children.items[i], 0, 0);
        }
    } else if (value->type == SN_JSON_ARRAY || value->type == SN_JSON_OBJECT) {
        for (uint32_t i = 0; i < sn_value_count(value); ++i) {
            mirror_shape(value->as.children.items[i]);
        }
    }
}

// --- Trees

static sn_value *add_image(sn_json *json, sn_value *container, const sn_value *source);

// Copies with names exchanged, of members and of texts.
static void add_images(sn_json *json, sn_value *container, const sn_value *source) {
    for (uint32_t i = 0; i < sn_value_count(source); ++i) {
        assert_non_null(add_image(json, container, source->as.children.items[i]));
    }
}

static sn_value *add_image(sn_json *json, sn_value *container, const sn_value *source) {
    char key[256];
    const char *name = source->key != NULL ? other_side(source->key, key, sizeof key) : NULL;
    if (source->type == SN_JSON_STRING) {
        return sn_json_add_string(json, container, name, other(source->as.string));
    }
    if (source->type != SN_JSON_ARRAY && source->type != SN_JSON_OBJECT) {
        return sn_json_add_copy(json, container, name, source);
    }
    sn_value *copy = source->type == SN_JSON_ARRAY ? sn_json_add_array(json, container, name)
                                                   : sn_json_add_object(json, container, name);
    add_images(json, copy, source);
    return copy;
}

// The keys of tracks and spreads tell which numbers change their sign.
static void mirror_motion(sn_json *json) {
    const sn_value *synergies = sn_json_find(json, "/synergies"),
                   *clips = sn_json_find(json, "/clips");
    for (uint32_t i = 0; i < sn_value_count(synergies); ++i) {
        const sn_value *spread = sn_value_get(sn_value_at(synergies, i), "spread");
        mirror_parameters((sn_value *)spread, false);
    }
    for (uint32_t i = 0; i < sn_value_count(clips); ++i) {
        const sn_value *tracks = sn_value_get(sn_value_at(clips, i), "tracks");
        for (uint32_t t = 0; t < sn_value_count(tracks); ++t) {
            const sn_value *track = sn_value_at(tracks, t), *keys = sn_value_get(track, "keys");
            for (uint32_t k = 0; k < sn_value_count(keys) && turns_sign(track->key); ++k) {
                negate(keys->as.children.items[k], 1, 1);
            }
        }
    }
}

// The document's mirror image, with everything said out.
static sn_character *image_of(sn_context *context, const sn_character *character) {
    static const char *const shapes[] = {"skeleton", "bones", "tissues", "muscles"};
    sn_json *expanded = NULL, *json = NULL;
    sn_character *image = NULL;
    char *text;
    size_t size;
    snt_ok(sn_character_expand(character, &expanded, error));
    snt_ok(sn_json_create(context, &json, error));
    add_images(json, sn_json_root(json), sn_json_root(expanded));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        sn_value *map = (sn_value *)sn_value_get(sn_json_root(json), shapes[i]);
        for (uint32_t k = 0; k < sn_value_count(map); ++k) {
            mirror_shape(map->as.children.items[k]);
        }
    }
    mirror_motion(json);
    snt_ok(sn_json_write(json, &text, &size, error));
    snt_ok(sn_character_parse(context, "image.sinew.json", text, size, &image, error));
    sn_json_free_text(context, text);
    sn_json_destroy(json);
    sn_json_destroy(expanded);
    return image;
}

// --- Skins

static sn_vec3 reflected(sn_vec3 p) {
    return sn_vec3_make(-p.x, p.y, p.z);
}

// A mesh of triangles seen in a mirror: vertices keep their numbers, faces are turned over.
static sn_mesh *image_of_mesh(const sn_mesh *mesh) {
    sn_mesh *image = NULL;
    snt_ok(sn_mesh_copy(mesh, &image, error));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        image->positions[3 * (size_t)v] *= -1;
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t *corners = image->corners + 3 * (size_t)f, second = corners[1];
        assert_int_equal(mesh->face_offsets[f], 3 * f);
        corners[1] = corners[2];
        corners[2] = second;
    }
    for (uint32_t i = 0; i < image->attribute_count; ++i) {
        sn_attribute *attribute = &image->attributes[i];
        for (uint32_t v = 0; v < attribute->count && strcmp(attribute->name, "normal") == 0; ++v) {
            attribute->values[3 * (size_t)v] *= -1;
        }
    }
    return image;
}

// The image of a body, with the image of its skin as a mesh from memory.
static body make_image(sn_context *context, const body *b) {
    sn_character *image = image_of(context, b->character);
    sn_json_remove(sn_json_find(sn_character_document(image), "/meshes/skin/extract"));
    snt_ok(sn_character_give_mesh(image, "skin", image_of_mesh(b->mesh), error));
    return make_body(image);
}

// The largest distance of a vertex of one surface, seen in the mirror, from another surface.
static double largest_distance(const sn_mesh *from, const float *from_points, const sn_mesh *to,
                               const float *to_points) {
    sn_triangles *triangles = NULL;
    sn_accel *accel = NULL;
    snt_ok(sn_triangles_create(to, to_points, &triangles, error));
    snt_ok(sn_accel_create(to->context, to_points, to->vertex_count, triangles->vertices,
                           triangles->count, &accel, error));
    double largest = 0;
    for (uint32_t v = 0; v < from->vertex_count; ++v) {
        sn_closest closest;
        sn_accel_find_closest(accel, reflected(sn_vec3_load(from_points + 3 * (size_t)v)), INFINITY,
                              &closest);
        largest = fmax(largest, closest.distance);
    }
    sn_accel_destroy(accel);
    sn_triangles_destroy(triangles);
    return largest;
}

// Bones, tissues and muscles are mirrored as surfaces: their vertices may go round the other way.
static void check_parts(const body *b, const body *image, const char *clip) {
    assert_int_equal(sn_model_surface_count(b->model), sn_model_surface_count(image->model));
    for (uint32_t i = 0; i < sn_model_surface_count(b->model); ++i) {
        const sn_surface *one = sn_model_surface(b->model, i);
        const sn_surface *two = sn_model_surface(image->model, i);
        if (one->layer == SN_LAYER_SKIN) {
            continue;
        }
        assert_string_equal(other(one->name), two->name);
        const float *points = sn_frame_points(b->frame, i);
        const float *image_points = sn_frame_points(image->frame, i);
        double there = largest_distance(one->mesh, points, two->mesh, image_points);
        double back = largest_distance(two->mesh, image_points, one->mesh, points);
        if (!(fmax(there, back) <= 1e-5 * b->height)) {
            fail_msg("%s: %s is %g of the height off", clip, one->name,
                     fmax(there, back) / b->height);
        }
    }
}

static void check_skin(const body *b, const body *image, const char *clip, uint32_t number) {
    double worst = 0;
    uint32_t vertex = 0;
    for (uint32_t v = 0; v < b->mesh->vertex_count; ++v) {
        double off = sn_vec3_distance(reflected(skin_point(b, v)), skin_point(image, v));
        if (!(off <= worst)) {
            worst = off;
            vertex = v;
        }
    }
    if (!(worst <= 1e-5 * b->height)) {
        sn_vec3 p = skin_point(b, vertex);
        fail_msg("%s, frame %u: vertex %u at (%g, %g, %g) is %g of the height off", clip, number,
                 vertex, p.x, p.y, p.z, worst / b->height);
    }
}

static void check_body(const char *document) {
    sn_context *context = snt_context(2);
    body b = make_coarse(context, document), image = make_image(context, &b);
    for (uint32_t c = 0; c <= sn_model_clip_count(b.model); ++c) {
        sn_motion *motions[2] = {NULL, NULL};
        uint32_t number = 0;
        if (c > 0) {
            motions[0] = open_clip(&b, c - 1);
            motions[1] = open_clip(&image, c - 1);
            number = strongest_frame(&b, motions[0]);
        }
        const char *clip = c > 0 ? sn_motion_name(motions[0]) : "rest";
        snt_ok(sn_frame_evaluate(b.frame, motions[0], number, error));
        snt_ok(sn_frame_evaluate(image.frame, motions[1], number, error));
        check_parts(&b, &image, clip);
        check_skin(&b, &image, clip, number);
        sn_motion_destroy(motions[0]);
        sn_motion_destroy(motions[1]);
    }
    end_body(&b);
    end_body(&image);
    snt_context_end(context);
}

static void mirrors_the_monkey(void **state) {
    (void)state;
    check_body(MONKEY);
}

static void mirrors_the_human(void **state) {
    (void)state;
    if (!BODY_SLOW) {
        snt_only_thorough();
        check_body(HUMAN);
    }
}

static void mirrors_the_creature(void **state) {
    (void)state;
    check_body(CREATURE);
}

// --- Left and right

static uint32_t find_surface(const sn_model *model, const char *name) {
    uint32_t index = 0;
    while (index < sn_model_surface_count(model) &&
           strcmp(sn_model_surface(model, index)->name, name) != 0) {
        ++index;
    }
    return index;
}

// Bones, tissues and muscles of the two sides at rest, those in the middle with themselves.
static void check_sides(const char *document) {
    sn_context *context = snt_context(2);
    body b = make_coarse(context, document);
    snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
    for (uint32_t i = 0; i < sn_model_surface_count(b.model); ++i) {
        const sn_surface *one = sn_model_surface(b.model, i);
        uint32_t k = find_surface(b.model, other(one->name));
        if (one->layer == SN_LAYER_SKIN) {
            continue;
        }
        assert_true(k < sn_model_surface_count(b.model));
        double apart =
            largest_distance(one->mesh, sn_frame_points(b.frame, i),
                             sn_model_surface(b.model, k)->mesh, sn_frame_points(b.frame, k));
        if (!(apart <= 1e-6 * b.height)) {
            fail_msg("%s: %s is %g of the height off the other side", document, one->name,
                     apart / b.height);
        }
    }
    end_body(&b);
    snt_context_end(context);
}

static void left_and_right_are_alike(void **state) {
    (void)state;
    check_sides(MONKEY);
    check_sides(HUMAN);
    check_sides(CREATURE);
}

// --- Extraction

// The distance between nodes of the grid that a skin was extracted on.
static double spacing_of(const body *b) {
    const sn_json *json = sn_character_document(b->character);
    const sn_value *extract = sn_json_find(json, "/meshes/skin/extract");
    sn_model_extract_desc desc = sn_model_extract_desc_default();
    desc.grid.dimension = (uint32_t)sn_value_number(sn_value_get(extract, "dimension"), 0);
    desc.grid.filter = sn_value_number(sn_value_get(extract, "filter"), 0);
    desc.grid.threshold = sn_value_number(sn_value_get(extract, "threshold"), 35);
    sn_mesh *skin = NULL;
    sn_extract_report report;
    snt_ok(sn_model_extract_skin(b->model, &desc, NULL, &skin, &report, error));
    sn_mesh_destroy(skin);
    return report.spacing;
}

// The skin of the image is the image of the skin, as a surface to a quarter of a voxel.
static void check_extraction(const char *document, double dimension, double filter) {
    sn_context *context = snt_context(2);
    sn_character *character = load_body(context, document);
    coarsen(character, dimension, filter);
    body b = make_body(character), image = make_body(image_of(context, character));
    double voxel = spacing_of(&b);
    double there =
        largest_distance(b.mesh, b.mesh->positions, image.mesh, image.mesh->positions) / voxel;
    double back =
        largest_distance(image.mesh, image.mesh->positions, b.mesh, b.mesh->positions) / voxel;
    if (!(there <= 0.25 && back <= 0.25)) {
        fail_msg("%s: %g and %g voxels apart", document, there, back);
    }
    end_body(&b);
    end_body(&image);
    snt_context_end(context);
}

static void extracts_the_image_of_the_skin(void **state) {
    (void)state;
    check_extraction(CREATURE, 225, 3.2);
    check_extraction(MONKEY, 225, 1.6);
    if (!BODY_SLOW && snt_thorough()) {
        check_extraction(HUMAN, 160, 1.6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirrors_the_monkey),
        cmocka_unit_test(mirrors_the_human),
        cmocka_unit_test(mirrors_the_creature),
        cmocka_unit_test(left_and_right_are_alike),
        cmocka_unit_test(extracts_the_image_of_the_skin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
