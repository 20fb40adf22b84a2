// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "layout_checks.h"
#include "sinew/io.h"

// A head as an egg: 63 mm between the eyes, facing +z, +x to its left, with a nose.
enum { RINGS = 96, SEGMENTS = 128, FEATURES = 10 };

static sn_vec3 egg(double elevation, double azimuth) {
    double c = cos(elevation), x = 0.078 * c * sin(azimuth), z = 0.095 * c * cos(azimuth);
    double y = 0.115 * sin(elevation);
    double nose = exp(-(x * x + 0.6 * (y + 0.01) * (y + 0.01)) / 0.00018);
    return sn_vec3_make(x, y, z > 0 ? z + 0.02 * nose : z);
}

static sn_mesh *make_egg(sn_context *context, double scale) {
    sn_mesh *mesh = NULL;
    uint32_t faces = (RINGS - 1) * SEGMENTS;
    snt_ok(sn_mesh_create(context, "egg", RINGS * SEGMENTS, faces, 4 * faces, &mesh, error));
    for (uint32_t v = 0; v < RINGS * SEGMENTS; ++v) {
        double elevation = SN_PI * (((double)(v / SEGMENTS) + 0.5) / RINGS - 0.5);
        double azimuth = 2 * SN_PI * (v % SEGMENTS) / SEGMENTS;
        sn_vec3_store(sn_vec3_scale(egg(elevation, azimuth), scale), mesh->positions + 3 * v);
    }
    for (uint32_t f = 0; f < faces; ++f) {
        uint32_t row = f / SEGMENTS * SEGMENTS, a = f % SEGMENTS, b = (a + 1) % SEGMENTS;
        uint32_t corners[4] = {row + a, row + b, row + SEGMENTS + b, row + SEGMENTS + a};
        memcpy(mesh->corners + 4 * f, corners, sizeof corners);
        mesh->face_offsets[f + 1] = 4 * (f + 1);
    }
    return mesh;
}

// A point of the egg from the front.
static sn_vec3 front(double x, double y) {
    double elevation = asin(y / 0.115);
    return egg(elevation, asin(x / (0.078 * cos(elevation))));
}

static void make_features(sn_face_feature features[FEATURES], double scale) {
    const struct {
        const char *name;
        double x, y;
    } places[FEATURES] = {
        {"eye_inner_L", 0.018, 0.030},  {"eye_outer_L", 0.045, 0.031},
        {"brow_inner_L", 0.012, 0.055}, {"brow_outer_L", 0.055, 0.050},
        {"nose_wing_L", 0.015, -0.014}, {"mouth_corner_L", 0.026, -0.040},
        {"nose_tip", 0, -0.010},        {"lip_upper", 0, -0.031},
        {"lip_lower", 0, -0.050},       {"chin", 0, -0.082},
    };
    for (int i = 0; i < FEATURES; ++i) {
        features[i] = (sn_face_feature){places[i].name,
                                        sn_vec3_scale(front(places[i].x, places[i].y), scale)};
    }
}

static sn_face_layout_desc make_desc(const sn_mesh *mesh, const sn_face_feature *features,
                                     uint32_t count) {
    sn_face_layout_desc desc = sn_face_layout_desc_default();
    desc.mesh = mesh;
    desc.features = features;
    desc.feature_count = count;
    return desc;
}

static sn_vec3 mirrored(sn_vec3 p) {
    return sn_vec3_make(-p.x, p.y, p.z);
}

// ---------------------------------------------------------------------------------------------

static void lays_out_a_face(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_egg(context, 1);
    sn_face_feature features[FEATURES];
    make_features(features, 1);
    sn_face_layout_desc desc = make_desc(mesh, features, FEATURES);
    sn_muscle_layout *layout = NULL;
    snt_ok(sn_face_layout_create(context, &desc, NULL, &layout, error));
    assert_int_equal(layout->muscle_count, 29); // 13 pairs and 3 on the mid-line
    assert_int_equal(layout->skip_count, 2);
    assert_string_equal(layout->skips[0].name, "masseter");
    assert_string_equal(layout->skips[0].reason, "needs the feature \"cheekbone_L\"");
    snt_skin skin = snt_skin_open(context, mesh);
    for (uint32_t i = 0; i < layout->muscle_count; ++i) {
        const sn_layout_muscle *muscle = &layout->muscles[i];
        const sn_layout_muscle *other = snt_other_side(layout, muscle);
        for (uint32_t p = 0; p < muscle->curve_counts[0]; ++p) {
            assert_true(snt_skin_distance(&skin, muscle->curves[0][p]) < 1e-6);
            assert_true(snt_skin_distance(&skin, muscle->curves[1][p]) < 1e-6);
            // The other side, or its own second curve, is the mirror image.
            if (!muscle->closed) {
                sn_vec3 image = other != NULL ? other->curves[0][p] : muscle->curves[1][p];
                assert_true(sn_vec3_distance(mirrored(muscle->curves[0][p]), image) < 2e-4);
            }
        }
        assert_true(other == NULL || (other->half_thickness == muscle->half_thickness &&
                                      other->d_none == muscle->d_none));
    }
    snt_skin_close(&skin);
    snt_depths depths = snt_measure_layout(context, mesh, layout);
    assert_int_equal(depths.wrong, 0);
    assert_int_equal(depths.without_hit + depths.too_deep, 0);
    sn_muscle_layout_destroy(layout);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Features of both sides, of the left or of the right alone, say the same on a symmetric head.
static void mirrors_features(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_egg(context, 1);
    sn_face_feature left[FEATURES], both[FEATURES + 6], right[FEATURES];
    char names[6][32];
    make_features(left, 1);
    memcpy(both, left, sizeof left);
    memcpy(right, left, sizeof left);
    for (int i = 0; i < 6; ++i) {
        snprintf(names[i], sizeof names[i], "%s", left[i].name);
        names[i][strlen(names[i]) - 1] = 'R';
        right[i] = both[FEATURES + i] = (sn_face_feature){names[i], mirrored(left[i].position)};
    }
    const sn_face_layout_desc descs[3] = {make_desc(mesh, left, FEATURES),
                                          make_desc(mesh, both, FEATURES + 6),
                                          make_desc(mesh, right, FEATURES)};
    sn_muscle_layout *layouts[3];
    for (int k = 0; k < 3; ++k) {
        snt_ok(sn_face_layout_create(context, &descs[k], NULL, &layouts[k], error));
    }
    for (uint32_t i = 0; i < layouts[0]->muscle_count; ++i) {
        for (int k = 1; k < 3; ++k) {
            const sn_layout_muscle *a = &layouts[0]->muscles[i], *b = &layouts[k]->muscles[i];
            assert_string_equal(a->name, b->name);
            for (uint32_t p = 0; p < a->curve_counts[1]; ++p) {
                assert_true(sn_vec3_distance(a->curves[1][p], b->curves[1][p]) < 1e-3);
            }
            snt_near(a->half_thickness, b->half_thickness, 1e-6);
        }
    }
    for (int k = 0; k < 3; ++k) {
        sn_muscle_layout_destroy(layouts[k]);
    }
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Nothing is absolute: a head in centimetres gets the same muscles, a hundred times larger.
static void follows_the_size_of_the_head(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *meshes[2] = {make_egg(context, 1), make_egg(context, 100)};
    sn_muscle_layout *layouts[2];
    for (int k = 0; k < 2; ++k) {
        sn_face_feature features[FEATURES];
        make_features(features, k == 0 ? 1 : 100);
        sn_face_layout_desc desc = make_desc(meshes[k], features, FEATURES);
        snt_ok(sn_face_layout_create(context, &desc, NULL, &layouts[k], error));
    }
    for (uint32_t i = 0; i < layouts[0]->muscle_count; ++i) {
        const sn_layout_muscle *a = &layouts[0]->muscles[i], *b = &layouts[1]->muscles[i];
        snt_near(100 * a->half_thickness, b->half_thickness, 1e-6);
        snt_near(100 * a->d_none, b->d_none, 1e-5);
        assert_true(a->strength == b->strength && a->bulge == b->bulge);
        for (uint32_t p = 0; p < a->curve_counts[0]; ++p) {
            sn_vec3 grown = sn_vec3_scale(a->curves[0][p], 100);
            assert_true(sn_vec3_distance(grown, b->curves[0][p]) < 1e-3);
        }
    }
    for (int k = 0; k < 2; ++k) {
        sn_muscle_layout_destroy(layouts[k]);
        sn_mesh_destroy(meshes[k]);
    }
    snt_context_end(context);
}

static void fails(const sn_face_layout_desc *desc, const char *text) {
    sn_muscle_layout *layout = NULL;
    snt_fails(SN_INVALID, text,
              sn_face_layout_create(desc->mesh->context, desc, NULL, &layout, error));
    assert_null(layout);
}

static void refuses_bad_features(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_egg(context, 1);
    sn_face_feature features[FEATURES + 1], good[FEATURES];
    make_features(good, 1);
    memcpy(features, good, sizeof good);
    sn_face_layout_desc desc = make_desc(mesh, features, FEATURES - 1);
    fails(&desc, "the feature \"chin\" is missing: lowest point of the chin");
    features[FEATURES] = features[0];
    desc.feature_count = FEATURES + 1;
    fails(&desc, "the feature \"eye_inner_L\" is given twice");
    desc.feature_count = FEATURES;
    features[0].name = "eye_iner_L";
    fails(&desc, "there is no feature \"eye_iner_L\"; did you mean \"eye_inner_L\"?");
    features[0].name = "chin_L";
    fails(&desc, "there is no feature \"chin_L\"");
    features[0].name = NULL;
    fails(&desc, "there is no feature \"\"");
    features[0] = good[0];
    features[0].position.y = NAN;
    fails(&desc, "the feature \"eye_inner_L\" is at (0.018, nan,");
    features[0] = good[0];
    features[9].position = sn_vec3_make(0, -1, 0);
    fails(&desc, "the feature \"chin\" is too far from the skin: 0.8");
    for (int i = 0; i < FEATURES; ++i) {
        features[i].position = good[0].position;
    }
    fails(&desc, "the features do not tell left from right");
    memcpy(features, good, sizeof good);
    desc.depth = 0;
    fails(&desc, "the depth is 0");
    desc.check = 0;
    fails(&desc, "the desc was not made by sn_face_layout_desc_default");
    sn_mesh *points = NULL;
    snt_ok(sn_mesh_create(context, "points", 0, 0, 0, &points, error));
    desc = make_desc(points, features, FEATURES);
    fails(&desc, "the skin \"points\" has no triangles");
    sn_mesh_destroy(points);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void knows_its_features(void **state) {
    (void)state;
    const char *name, *about;
    bool paired, required;
    uint32_t count = 0, must = 0;
    for (; sn_face_feature_info(count, &name, &paired, &required, &about); ++count) {
        must += required;
        assert_true(strlen(about) > 0);
    }
    assert_int_equal(count, 13);
    assert_int_equal(must, FEATURES);
    assert_string_equal(sn_face_feature_of_ibug(45), "eye_outer_L");
    assert_string_equal(sn_face_feature_of_ibug(8), "chin");
    assert_null(sn_face_feature_of_ibug(1));
    assert_null(sn_face_feature_of_ibug(68));
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_mesh *mesh = NULL;
    sn_muscle_layout *layout = NULL;
    sn_status status = sn_mesh_create(context, "quad", 4, 1, 4, &mesh, error);
    if (status == SN_OK) {
        const float positions[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
        const uint32_t corners[] = {0, 1, 2, 3};
        memcpy(mesh->positions, positions, sizeof positions);
        memcpy(mesh->corners, corners, sizeof corners);
        mesh->face_offsets[1] = 4;
        sn_face_feature features[FEATURES];
        make_features(features, 1);
        for (int i = 0; i < FEATURES; ++i) {
            features[i].position.z = 0;
        }
        features[6].position.z = 0.02; // the nose
        sn_face_layout_desc desc = make_desc(mesh, features, FEATURES);
        status = sn_face_layout_create(context, &desc, NULL, &layout, error);
    }
    sn_muscle_layout_destroy(layout);
    sn_mesh_destroy(mesh);
    return status;
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

static bool stop(const char *step, double fraction, void *user) {
    (void)user;
    (void)step;
    return fraction < 0.5;
}

static void can_be_cancelled(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = make_egg(context, 1);
    sn_face_feature features[FEATURES];
    make_features(features, 1);
    sn_face_layout_desc desc = make_desc(mesh, features, FEATURES);
    sn_progress progress = {.report = stop};
    sn_muscle_layout *layout = NULL;
    snt_fails(SN_CANCELLED, "", sn_face_layout_create(context, &desc, &progress, &layout, error));
    assert_null(layout);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Real faces

// Vertices of the iBUG points on the heads of the data set (its landmarks.json).
static const struct {
    uint32_t point, vertex;
} landmarks[] = {
    {0, 1225},  {8, 966},   {16, 3443}, {17, 268},  {21, 1401}, {22, 3615},
    {26, 2509}, {30, 4857}, {31, 1140}, {35, 3360}, {36, 1507}, {39, 1528},
    {42, 3742}, {45, 3721}, {48, 5708}, {51, 0},    {54, 6213}, {57, 5518},
};
enum { LANDMARKS = sizeof landmarks / sizeof *landmarks };
enum { SKIN_FACES = 13226 }; // face, head, neck and the inside of the mouth stand first
enum {
    CORNER_L = 6213,
    CORNER_R = 5708,
    NOSE_TIP = 4857,
    CHIN = 969,
    CHIN_FRONT = 966,
    CHEEK = 4400
};

// A head with its muscles; with `depths`, only measured.
static snt_body open_head(sn_context *context, const char *path, snt_depths *depths) {
    snt_body head = {0};
    snt_ok(sn_import_file(context, path, &head.import, error));
    snt_ok(sn_character_from_import(head.import, path, path, &head.character, error));
    const sn_mesh *mesh = head.import->meshes[0];
    sn_face_feature features[LANDMARKS];
    for (int i = 0; i < LANDMARKS; ++i) {
        features[i] = (sn_face_feature){sn_face_feature_of_ibug(landmarks[i].point),
                                        sn_vec3_load(mesh->positions + 3 * landmarks[i].vertex)};
    }
    sn_face_layout_desc desc = make_desc(mesh, features, LANDMARKS);
    sn_muscle_layout *layout = NULL;
    snt_ok(sn_face_layout_create(context, &desc, NULL, &layout, error));
    assert_int_equal(layout->muscle_count, 31);
    if (depths != NULL) {
        *depths = snt_measure_layout(context, mesh, layout);
    } else {
        snt_ok(sn_character_add_layout(head.character, NULL, layout, NULL, error));
        snt_body_make(&head);
    }
    sn_muscle_layout_destroy(layout);
    return head;
}

static void lies_at_its_depth_in_real_faces(void **state) {
    (void)state;
    static const char *const files[] = {"face/generic_neutral.obj", "face/identities/id_a.obj",
                                        "face/identities/id_b.obj", "face/identities/id_c.obj",
                                        "face/identities/id_d.obj", "face/identities/id_e.obj",
                                        "face/identities/id_f.obj"};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    enum { HEADS = 2 }; // slow there, and the same code for all
#else
    enum { HEADS = 7 };
#endif
    sn_context *context = snt_context(0);
    for (int i = 0; i < HEADS; ++i) {
        snt_depths depths;
        snt_body head = open_head(context, snt_data(files[i]), &depths);
        print_message("%s: %u muscles, %u points: %u without skin, %u deep, %u wrong, error %.2g\n",
                      files[i], depths.muscles, depths.points, depths.without_hit, depths.too_deep,
                      depths.wrong, depths.worst);
        assert_true(depths.worst < 0.01);
        assert_true(depths.wrong <= depths.points / 150);
        assert_int_equal(depths.without_hit, 0);
        snt_body_close(&head);
    }
    snt_context_end(context);
}

static sn_vec3 moved(const float *points, const float *rest, uint32_t vertex) {
    return sn_vec3_sub(sn_vec3_load(points + 3 * vertex), sn_vec3_load(rest + 3 * vertex));
}

// Data in centimetres, y up, +x to the left. The scanned smile of the data set moves the corner of
// the mouth by (0.7, 1.05, -0.9).
static void smiles(void **state) {
    (void)state;
    sn_context *context = snt_context(0);
    snt_body head = open_head(context, snt_data("face/generic_neutral.obj"), NULL);
    const float *rest = head.import->meshes[0]->positions;
    uint32_t count = head.import->meshes[0]->vertex_count;
    assert_memory_equal(snt_body_points(&head), rest, 3 * sizeof(float) * count);
    snt_ok(sn_frame_set(head.frame, "smile", 1, error));
    const float *points = snt_body_points(&head);
    sn_vec3 left = moved(points, rest, CORNER_L), right = moved(points, rest, CORNER_R);
    assert_true(left.x > 0.5 && left.x < 1.2 && left.y > 0.8 && left.y < 1.4 && left.z < 0);
    assert_true(sn_vec3_distance(mirrored(left), right) < 0.02);
    assert_true(sn_vec3_length(moved(points, rest, NOSE_TIP)) < 0.02);
    assert_true(sn_vec3_length(moved(points, rest, CHIN)) < 0.02);
    sn_vec3 cheek = moved(points, rest, CHEEK);
    assert_true(cheek.x > 0.1 && cheek.y > 0.1);
    // Eyes and teeth are no skin of these muscles; the back of the head is far.
    for (uint32_t v = 17039; v < 24591; ++v) {
        assert_memory_equal(points + 3 * v, rest + 3 * v, 3 * sizeof(float));
    }
    for (uint32_t v = 0; v < count; ++v) {
        assert_true(rest[3 * v + 2] > 0 || memcmp(points + 3 * v, rest + 3 * v, 12) == 0);
    }
    snt_body_close(&head);
    snt_context_end(context);
}

// Every expression moves something, and so does each muscle of one lip alone; none tears the skin,
// in the mouth neither: no edge grows beyond twice its length. The tip of the chin stays.
static void expressions_keep_the_skin_whole(void **state) {
    (void)state;
    static const char *const names[] = {
        "smile",   "frown", "pout",    "brow_raise",      "surprise",
        "sadness", "anger", "disgust", "levator_labii_L", "depressor_labii_L",
        "mentalis"};
    sn_context *context = snt_context(0);
    snt_body head = open_head(context, snt_data("face/generic_neutral.obj"), NULL);
    const sn_mesh *mesh = head.import->meshes[0];
    for (uint32_t e = 0; e < sizeof names / sizeof *names; ++e) {
        sn_frame_clear(head.frame);
        snt_ok(sn_frame_set(head.frame, names[e], 1, error));
        const float *points = snt_body_points(&head);
        double largest = 0;
        uint32_t torn = 0;
        for (uint32_t f = 0; f < SKIN_FACES; ++f) {
            for (uint32_t c = mesh->face_offsets[f]; c + 1 < mesh->face_offsets[f + 1]; ++c) {
                uint32_t a = mesh->corners[c], b = mesh->corners[c + 1];
                double before = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * a),
                                                 sn_vec3_load(mesh->positions + 3 * b));
                double behind =
                    sn_vec3_distance(sn_vec3_load(points + 3 * a), sn_vec3_load(points + 3 * b));
                torn += behind > 2 * before;
            }
        }
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            largest = fmax(largest, sn_vec3_length(moved(points, mesh->positions, v)));
        }
        print_message("%s: moves the skin by %.2f cm at most, %u torn edges\n", names[e], largest,
                      torn);
        assert_true(largest > 0.4 && largest < 2);
        assert_true(sn_vec3_length(moved(points, mesh->positions, CHIN_FRONT)) < 0.1);
        assert_int_equal(torn, 0);
    }
    snt_body_close(&head);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_its_features),
        cmocka_unit_test(refuses_bad_features),
        cmocka_unit_test(lays_out_a_face),
        cmocka_unit_test(mirrors_features),
        cmocka_unit_test(follows_the_size_of_the_head),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(lies_at_its_depth_in_real_faces),
        cmocka_unit_test(smiles),
        cmocka_unit_test(expressions_keep_the_skin_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
