// SPDX-License-Identifier: Apache-2.0
//
// Documents of OpenSim models move as a second computation says (osim_reference.h).
#include "osim_reference.h"

#include "sinew/sinew.h"

#include <sys/stat.h>

typedef struct osim_body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    ref_model *reference;
} osim_body;

static osim_body open_model(const char *file) {
    osim_body b = {.context = snt_context(1)};
    sn_osim_desc desc = sn_osim_desc_default();
    char path[512];
    snprintf(path, sizeof path, "%s", snt_data(file));
    desc.skin = false;
    snt_ok(sn_character_from_osim(b.context, path, &desc, "new.sinew.json", &b.character, NULL,
                                  error));
    snt_ok(sn_model_create(b.character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    b.reference = ref_read(path);
    return b;
}

static void close_model(osim_body *b) {
    ref_free(b->reference);
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    snt_context_end(b->context);
}

static const sn_mat4 *world_of(const osim_body *b, const char *segment) {
    const sn_skeleton *skeleton = sn_model_skeleton(b->model);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (strcmp(skeleton->segments[i].name, segment) == 0) {
            return &sn_frame_worlds(b->frame)[i];
        }
    }
    fail_msg("there is no segment %s", segment);
    return NULL;
}

// OpenSim has x forward and z to the right; here z is forward and x to the left.
static sn_vec3 ours(const double p[3]) {
    return sn_vec3_make(-p[2], p[1], p[0]);
}

// Bodies stand where the reference has them: their origins, and their axes.
static double largest_shift(const osim_body *b) {
    double largest = 0;
    for (int i = 0; i < b->reference->body_count; ++i) {
        const ref_body *body = &b->reference->bodies[i];
        const sn_mat4 *world = world_of(b, body->name);
        for (int k = 0; k < 4; ++k) {
            double tip[3], at[3] = {0.1 * (k == 1), 0.1 * (k == 2), 0.1 * (k == 3)};
            ref_apply(body->r, body->p, at, tip);
            sn_vec3 own = sn_mat4_point(world, sn_vec3_make(at[0], at[1], at[2]));
            largest = fmax(largest, sn_vec3_distance(own, ours(tip)));
        }
    }
    return largest;
}

static sn_json *read_report(sn_context *context, const char *path) {
    char *text = ref_load(path);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(context, text, strlen(text), &json, error));
    free(text);
    return json;
}

static double length_in(const sn_json *json, uint32_t frame, const char *muscle) {
    const sn_value *frames = sn_value_get(sn_json_root(json), "frames");
    const sn_value *muscles = sn_value_get(sn_value_at(frames, frame), "muscles");
    return sn_value_number(sn_value_get(sn_value_get(muscles, muscle), "length"), NAN);
}

// Plays a motion and compares every body and every muscle in every frame. `wrapped` gets the
// largest difference of muscles with wrap objects, as a part of the straight length.
static void compare_motion(osim_body *b, const char *file, double *wrapped) {
    char path[512], report_path[512];
    snprintf(path, sizeof path, "%s", snt_data(file));
    ref_motion rows = ref_read_motion(b->reference, path);
    sn_motion *motion = NULL;
    sn_report *report = NULL;
    double bodies = 0, muscles = 0, around[REF_MUSCLES] = {0};
    const char *worst = "";
    snt_ok(sn_motion_open(b->model, path, &motion, error));
    snt_ok(sn_report_create(b->model, &report, error));
    assert_int_equal(sn_motion_frame_count(motion), rows.rows);
    for (int i = 0; i < rows.rows; ++i) {
        snt_ok(sn_frame_evaluate(b->frame, motion, (uint32_t)i, error));
        snt_ok(sn_report_add(report, b->frame, (uint32_t)i, error));
        ref_take_row(b->reference, &rows, i);
        bodies = fmax(bodies, largest_shift(b));
    }
    snprintf(report_path, sizeof report_path, "%s", snt_scratch("lengths.json"));
    snt_ok(sn_report_save(report, report_path, error));
    sn_json *json = read_report(b->context, report_path);
    for (int i = 0; i < rows.rows; ++i) {
        ref_take_row(b->reference, &rows, i);
        for (int k = 0; k < b->reference->muscle_count; ++k) {
            const ref_muscle *muscle = &b->reference->muscles[k];
            double straight = ref_length(b->reference, muscle);
            double off = length_in(json, (uint32_t)i, muscle->name) / straight - 1;
            if (muscle->wraps > 0) {
                // The way around a body is never shorter than the straight one.
                assert_true(off > -1e-6);
                around[k] = fmax(around[k], off);
            } else if (!(fabs(off) <= muscles)) {
                muscles = fabs(off);
                worst = muscle->name;
            }
        }
    }
    print_message("%s: bodies within %.2g m, muscles without wrap objects within %.2g of their "
                  "length (%s)\n",
                  file, bodies, muscles, worst);
    for (int k = 0; k < b->reference->muscle_count; ++k) {
        if (b->reference->muscles[k].wraps > 0) {
            print_message(
                "  %s goes around %d wrap objects: at most %.2f %% longer than straight\n",
                b->reference->muscles[k].name, b->reference->muscles[k].wraps, 100 * around[k]);
            *wrapped = fmax(*wrapped, around[k]);
        }
    }
    assert_true(bodies < 1e-5);
    assert_true(muscles < 0.01);
    sn_json_destroy(json);
    sn_report_destroy(report);
    sn_motion_destroy(motion);
    free(rows.numbers);
}

static void gait_walks_as_computed(void **state) {
    (void)state;
    double wrapped = 0;
    osim_body b = open_model("osim/gait2392.osim");
    assert_int_equal(b.reference->muscle_count, 92);
    compare_motion(&b, "osim/gait2392_walk_ik.mot", &wrapped);
    compare_motion(&b, "osim/gait2392_normal.mot", &wrapped);
    snt_near(wrapped, 0, 0); // it has no wrap objects
    close_model(&b);
}

static void arm_bends_as_computed(void **state) {
    (void)state;
    double wrapped = 0;
    osim_body b = open_model("osim/arm26.osim");
    assert_int_equal(b.reference->muscle_count, 6);
    compare_motion(&b, "osim/arm26_ik.mot", &wrapped);
    // A twentieth of a muscle's length is what rounding a joint costs; more would be a way astray.
    assert_true(wrapped > 1e-3 && wrapped < 0.06);
    close_model(&b);
}

// --- Any joint

// Two joints whose axes lie askew, with frames that are turned and shifted on both sides, default
// values that are not 0, shifts along skew axes, and a muscle from the far body to the near one.
static const char askew[] =
    "<OpenSimDocument Version=\"40000\"><Model name=\"askew\"><BodySet><objects>\n"
    "<Body name=\"one\"></Body><Body name=\"two\"></Body></objects></BodySet>\n"
    "<JointSet><objects><CustomJoint name=\"near\">\n"
    "<socket_parent_frame>a</socket_parent_frame><socket_child_frame>b</socket_child_frame>\n"
    "<coordinates><Coordinate name=\"q1\"><default_value>0.3</default_value></Coordinate>\n"
    "<Coordinate name=\"q2\"><default_value>0</default_value></Coordinate>\n"
    "<Coordinate name=\"q3_tx\"><default_value>0.02</default_value></Coordinate></coordinates>\n"
    "<frames><PhysicalOffsetFrame name=\"a\"><socket_parent>/ground</socket_parent>\n"
    "<translation>0.1 0.2 -0.3</translation><orientation>0.4 -0.5 0.6</orientation>"
    "</PhysicalOffsetFrame><PhysicalOffsetFrame name=\"b\"><socket_parent>/bodyset/one"
    "</socket_parent><translation>-0.05 0.1 0.02</translation><orientation>-0.2 0.3 0.1"
    "</orientation></PhysicalOffsetFrame></frames><SpatialTransform>\n"
    "<TransformAxis name=\"rotation1\"><coordinates>q1</coordinates><axis>1 2 -1</axis>"
    "<LinearFunction><coefficients>1 0.2</coefficients></LinearFunction></TransformAxis>\n"
    "<TransformAxis name=\"rotation2\"><coordinates>q2</coordinates><axis>0 1 0.5</axis>"
    "<SimmSpline><x>-1 -0.2 0.5 1.5 2</x><y>0.5 0.1 -0.3 0.2 0.4</y></SimmSpline>"
    "</TransformAxis>\n"
    "<TransformAxis name=\"rotation3\"><coordinates></coordinates><axis>0 0 1</axis>"
    "<Constant><value>0.25</value></Constant></TransformAxis>\n"
    "<TransformAxis name=\"translation1\"><coordinates>q3_tx</coordinates><axis>1 1 0</axis>"
    "<LinearFunction><coefficients>2 0.01</coefficients></LinearFunction></TransformAxis>\n"
    "<TransformAxis name=\"translation2\"><coordinates>q1</coordinates><axis>0 1 0</axis>"
    "<SimmSpline><x>-1 0 1 2</x><y>0.01 0.02 0.05 0.01</y></SimmSpline></TransformAxis>\n"
    "<TransformAxis name=\"translation3\"><coordinates>q2</coordinates><axis>0 0 1</axis>"
    "<LinearFunction><coefficients>-0.1 0</coefficients></LinearFunction></TransformAxis>\n"
    "</SpatialTransform></CustomJoint><CustomJoint name=\"far\">\n"
    "<socket_parent_frame>c</socket_parent_frame><socket_child_frame>d</socket_child_frame>\n"
    "<coordinates><Coordinate name=\"q4\"><default_value>-0.4</default_value></Coordinate>"
    "<Coordinate name=\"q5\"><default_value>0.1</default_value></Coordinate></coordinates>\n"
    "<frames><PhysicalOffsetFrame name=\"c\"><socket_parent>/bodyset/one</socket_parent>\n"
    "<translation>0 -0.4 0</translation><orientation>0 0.3 0</orientation>"
    "</PhysicalOffsetFrame><PhysicalOffsetFrame name=\"d\"><socket_parent>/bodyset/two"
    "</socket_parent><translation>0 0 0</translation><orientation>0 0 0</orientation>"
    "</PhysicalOffsetFrame></frames><SpatialTransform>\n"
    "<TransformAxis name=\"rotation1\"><coordinates>q4</coordinates><axis>0 -1 0</axis>"
    "<LinearFunction><coefficients>1 0</coefficients></LinearFunction></TransformAxis>\n"
    "<TransformAxis name=\"rotation2\"><coordinates>q5</coordinates><axis>0 0 1</axis>"
    "<LinearFunction><coefficients>-2 0</coefficients></LinearFunction></TransformAxis>\n"
    "<TransformAxis name=\"rotation3\"><coordinates></coordinates><axis>1 0 0</axis>"
    "<Constant><value>0</value></Constant></TransformAxis></SpatialTransform></CustomJoint>\n"
    "</objects></JointSet><ForceSet><objects><Thelen2003Muscle name=\"m\"><GeometryPath>"
    "<PathPointSet><objects>\n"
    "<PathPoint name=\"p1\"><socket_parent_frame>/bodyset/two</socket_parent_frame>"
    "<location>0.03 -0.1 0</location></PathPoint>\n"
    "<MovingPathPoint name=\"p2\"><socket_parent_frame>/bodyset/one</socket_parent_frame>"
    "<socket_x_coordinate>q4</socket_x_coordinate><socket_y_coordinate>q4</socket_y_coordinate>"
    "<socket_z_coordinate>q2</socket_z_coordinate><x_location><SimmSpline><x>-1 0 1 2</x>"
    "<y>0.04 0.05 0.03 0.06</y></SimmSpline></x_location><y_location><SimmSpline><x>-1 1</x>"
    "<y>-0.35 -0.35</y></SimmSpline></y_location><z_location><LinearFunction>"
    "<coefficients>0.02 0.01</coefficients></LinearFunction></z_location></MovingPathPoint>\n"
    "<ConditionalPathPoint name=\"p3\"><socket_parent_frame>/bodyset/one</socket_parent_frame>"
    "<location>0.05 -0.2 0.01</location><socket_coordinate>q4</socket_coordinate>"
    "<range>-0.5 0.5</range></ConditionalPathPoint>\n"
    "<PathPoint name=\"p4\"><socket_parent_frame>/ground</socket_parent_frame>"
    "<location>0.1 0.3 -0.3</location></PathPoint></objects></PathPointSet></GeometryPath>"
    "<max_isometric_force>100</max_isometric_force><optimal_fiber_length>0.1"
    "</optimal_fiber_length></Thelen2003Muscle></objects></ForceSet></Model></OpenSimDocument>\n";

static void write_text(const char *path, const char *text) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static osim_body open_text(const char *text) {
    osim_body b = {.context = snt_context(1)};
    sn_osim_desc desc = sn_osim_desc_default();
    char path[512];
    snprintf(path, sizeof path, "%s", snt_scratch("model.osim"));
    write_text(path, text);
    desc.skin = false;
    snt_ok(sn_character_from_osim(b.context, path, &desc, "new.sinew.json", &b.character, NULL,
                                  error));
    snt_ok(sn_model_create(b.character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    b.reference = ref_read(path);
    return b;
}

static void joints_askew_move_as_computed(void **state) {
    (void)state;
    osim_body b = open_text(askew);
    snt_random random = {20};
    for (int round = 0; round < 50; ++round) {
        char path[512];
        sn_report *report = NULL;
        sn_frame_clear(b.frame);
        for (int c = 0; c < b.reference->coordinate_count && round > 0; ++c) {
            bool shift = strstr(b.reference->coordinates[c], "_tx") != NULL;
            double value = snt_random_range(&random, -1.4, 1.4);
            b.reference->values[c] = value;
            snt_ok(sn_frame_set(b.frame, b.reference->coordinates[c],
                                shift ? value : value * 180 / SN_PI, error));
        }
        // Round 0: the default values, which everything is bound to.
        snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
        ref_pose(b.reference);
        snt_near(largest_shift(&b), 0, 1e-12);
        snt_ok(sn_report_create(b.model, &report, error));
        snt_ok(sn_report_add(report, b.frame, 0, error));
        snprintf(path, sizeof path, "%s", snt_scratch("askew.json"));
        snt_ok(sn_report_save(report, path, error));
        sn_report_destroy(report);
        sn_json *json = read_report(b.context, path);
        snt_near(length_in(json, 0, "m"), ref_length(b.reference, &b.reference->muscles[0]), 1e-8);
        sn_json_destroy(json);
    }
    const sn_mat4 *rest = sn_model_rest_worlds(b.model);
    sn_frame_clear(b.frame);
    snt_ok(sn_frame_evaluate(b.frame, NULL, 0, error));
    for (uint32_t i = 0; i < sn_model_skeleton(b.model)->segment_count; ++i) {
        for (int k = 0; k < 16; ++k) {
            snt_near(sn_frame_worlds(b.frame)[i].m[k], rest[i].m[k], 1e-14);
        }
    }
    close_model(&b);
}

// --- What is missing

typedef struct made {
    sn_context *context;
    sn_character *character;
    sn_osim_report report;
} made;

// A model in the folder deep/er of the scratch folder, of a welded body with one mesh.
static made make_with_mesh(const char *file, bool skin) {
    made m = {.context = snt_context(1)};
    sn_osim_desc desc = sn_osim_desc_default();
    char path[512], text[1024];
    snprintf(path, sizeof path, "%s", snt_scratch("deep"));
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s", snt_scratch("deep/er"));
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s", snt_scratch("deep/er/model.osim"));
    snprintf(text, sizeof text,
             "<OpenSimDocument><Model name=\"m\"><BodySet><objects>\n<Body name=\"b\">"
             "<attached_geometry>\n<Mesh><mesh_file>%s</mesh_file></Mesh>"
             "</attached_geometry></Body></objects></BodySet><JointSet><objects><WeldJoint "
             "name=\"w\"><socket_parent_frame>/ground</socket_parent_frame>"
             "<socket_child_frame>/bodyset/b</socket_child_frame></WeldJoint></objects>"
             "</JointSet></Model></OpenSimDocument>",
             file);
    write_text(path, text);
    desc.skin = skin;
    snt_ok(sn_character_from_osim(m.context, path, &desc, "new.sinew.json", &m.character, &m.report,
                                  error));
    return m;
}

static void unmake(made *m) {
    sn_osim_report_deinit(&m->report);
    sn_character_destroy(m->character);
    snt_context_end(m->context);
}

static void missing_meshes_are_named_and_left_out(void **state) {
    (void)state;
    made m = make_with_mesh("no_such.vtp", true);
    assert_int_equal(m.report.bone_count, 0);
    assert_int_equal(m.report.note_count, 2);
    assert_non_null(strstr(m.report.notes[0],
                           "model.osim:3: the mesh \"no_such.vtp\" is left out: it is not found"));
    assert_non_null(strstr(m.report.notes[1], "--geometry DIR names another folder"));
    unmake(&m);
    m = make_with_mesh("no_such.vtp", false);
    assert_non_null(strstr(m.report.notes[0], "model.osim: 1 mesh is left out"));
    unmake(&m);
    write_text(snt_scratch("deep/er/broken.obj"), "f 1 2 3\n");
    m = make_with_mesh("broken.obj", true);
    assert_int_equal(m.report.bone_count, 0);
    assert_non_null(strstr(m.report.notes[0], "the mesh \"broken.obj\" is left out: "));
    unmake(&m);
}

// Beside the model, in Geometry/, in the folders above, whatever the case and whatever folder the
// model names; the document has the name of the file that is there.
static void meshes_are_found_where_they_lie(void **state) {
    (void)state;
    static const struct {
        const char *named, *there;
    } cases[] = {{"one.obj", "deep/er/one.obj"},
                 {"Two.OBJ", "deep/er/two.obj"},
                 {"three.obj", "deep/er/Geometry/three.obj"},
                 {"four.obj", "deep/Four.obj"},
                 {"../up/five.obj", "deep/geometry/five.obj"},
                 {"C:\\OpenSim\\six.obj", "Geometry/six.obj"},
                 {"Seven.obj", "deep/er/GEOMETRY/SEVEN.OBJ"}};
    static const char *const folders[] = {"deep",          "deep/er",  "deep/er/Geometry",
                                          "deep/geometry", "Geometry", "deep/er/GEOMETRY"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
        mkdir(snt_scratch(folders[i]), 0777);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        write_text(snt_scratch(cases[i].there),
                   "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
        made m = make_with_mesh(cases[i].named, false);
        assert_int_equal(m.report.note_count, 0);
        assert_int_equal(m.report.bone_count, 1);
        const sn_value *meshes =
            sn_value_get(sn_json_root(sn_character_document(m.character)), "meshes");
        const char *file = sn_value_string(sn_value_get(sn_value_at(meshes, 0), "file"), "");
        assert_non_null(strstr(file, cases[i].there));
        unmake(&m);
    }
}

// --- Volumes

// What stands on the ground is kept and hidden, and no part of the body.
static void ground_is_no_bone(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_osim_desc desc = sn_osim_desc_default();
    sn_osim_report report = {0};
    sn_character *character = NULL;
    char path[512], floor[512];
    snprintf(path, sizeof path, "%s", snt_scratch("model.osim"));
    snprintf(floor, sizeof floor, "%s", snt_scratch("floor.obj"));
    write_text(floor, "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    write_text(path,
               "<OpenSimDocument><Model name=\"m\"><Ground name=\"ground\"><attached_geometry>"
               "<Mesh><mesh_file>floor.obj</mesh_file></Mesh></attached_geometry></Ground>"
               "<BodySet><objects><Body name=\"b\"><attached_geometry><Mesh>"
               "<mesh_file>floor.obj</mesh_file></Mesh></attached_geometry></Body></objects>"
               "</BodySet><JointSet><objects><WeldJoint name=\"w\"><socket_parent_frame>/ground"
               "</socket_parent_frame><socket_child_frame>/bodyset/b</socket_child_frame>"
               "</WeldJoint></objects></JointSet></Model></OpenSimDocument>");
    desc.skin = false;
    snt_ok(
        sn_character_from_osim(context, path, &desc, "new.sinew.json", &character, &report, error));
    const sn_json *document = sn_character_document(character);
    assert_int_equal(report.bone_count, 1);
    assert_string_equal(report.notes[0], "\"floor\" stands on the ground: a hidden skin");
    assert_string_equal(sn_value_string(sn_json_find(document, "/bones/floor/segment"), ""), "b");
    assert_string_equal(sn_value_string(sn_json_find(document, "/skins/floor/segment"), ""),
                        "ground");
    assert_false(sn_value_bool(sn_json_find(document, "/skins/floor/show"), true));
    sn_osim_report_deinit(&report);
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_status make_with_motion(sn_context *context, const char *columns, sn_osim_report *report,
                                  sn_character **character, sn_error *error) {
    sn_osim_desc desc = sn_osim_desc_default();
    char path[512], motion[512], text[1024];
    const char *motions[] = {motion};
    snprintf(path, sizeof path, "%s", snt_scratch("model.osim"));
    snprintf(motion, sizeof motion, "%s", snt_scratch("walk.mot"));
    write_text(path, askew);
    snprintf(text, sizeof text,
             "walk\nnRows=2\nnColumns=3\ninDegrees=yes\nendheader\n"
             "time\t%s\n0\t1\t1\n1\t2\t2\n",
             columns);
    write_text(motion, text);
    desc.motions = motions;
    desc.motion_count = 1;
    desc.skin = false;
    return sn_character_from_osim(context, path, &desc, "new.sinew.json", character, report, error);
}

// Columns that the model lacks are left out and told; a motion of which nothing fits is refused
// when the document is made, not when it is played.
static void unknown_columns_are_left_out(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_osim_report report = {0};
    snt_ok(make_with_motion(context, "no_such_angle\tq1", &report, &character, error));
    assert_non_null(strstr(report.notes[report.note_count - 1],
                           "walk.mot: 1 column that the model lacks is left out: no_such_angle"));
    const sn_json *document = sn_character_document(character);
    assert_string_equal(sn_value_string(sn_json_find(document, "/clips/walk/ignore/0"), ""),
                        "no_such_angle");
    sn_osim_report_deinit(&report);
    sn_character_destroy(character);
    character = NULL;
    snt_fails(SN_INVALID, "walk.mot: the model has none of its columns: left, right",
              make_with_motion(context, "left\tright", NULL, &character, error));
    assert_null(character);
    snt_context_end(context);
}

static void muscles_have_the_volume_of_their_fibres(void **state) {
    (void)state;
    osim_body b = open_model("osim/gait2392.osim");
    for (uint32_t i = 0; i < sn_model_surface_count(b.model); ++i) {
        const sn_surface *surface = sn_model_surface(b.model, i);
        for (int k = 0; k < b.reference->muscle_count; ++k) {
            const ref_muscle *muscle = &b.reference->muscles[k];
            if (surface->layer != SN_LAYER_MUSCLE || strcmp(surface->name, muscle->name) != 0) {
                continue;
            }
            sn_triangles *triangles = NULL;
            sn_mass mass;
            snt_ok(sn_triangles_create(surface->mesh, surface->mesh->positions, &triangles, error));
            snt_ok(sn_mass_compute(b.context, surface->mesh->positions, triangles->vertices,
                                   triangles->count, &mass, error));
            sn_triangles_destroy(triangles);
            // Beside the fibres there are tendons of 30 N/mm2 along at most all of the path, and
            // bends take a little away.
            double fibres = muscle->force / 0.61e6 * muscle->fibre;
            double tendon = fmax(muscle->force / 30e6, 7.1e-6) * 0.5;
            if (!(mass.volume > 0.93 * fibres && mass.volume < 1.05 * fibres + tendon)) {
                fail_msg("%s has %g m3, its fibres %g", muscle->name, mass.volume, fibres);
            }
        }
    }
    close_model(&b);
}

// --- Moment arms

// The length of a muscle with one coordinate held.
static double length_at(osim_body *b, const char *muscle, const char *coordinate, double degrees) {
    sn_report *report = NULL;
    char path[512];
    sn_frame_clear(b->frame);
    snt_ok(sn_frame_set(b->frame, coordinate, degrees, error));
    snt_ok(sn_frame_evaluate(b->frame, NULL, 0, error));
    snt_ok(sn_report_create(b->model, &report, error));
    snt_ok(sn_report_add(report, b->frame, 0, error));
    snprintf(path, sizeof path, "%s", snt_scratch("length.json"));
    snt_ok(sn_report_save(report, path, error));
    sn_report_destroy(report);
    sn_json *json = read_report(b->context, path);
    double length = length_in(json, 0, muscle);
    sn_json_destroy(json);
    return length;
}

static void expect_shorter(osim_body *b, const char *muscle, const char *coordinate, double from,
                           double to) {
    double before = length_at(b, muscle, coordinate, from);
    double after = length_at(b, muscle, coordinate, to);
    if (!(after < before - 1e-3)) {
        fail_msg("%s is %g m at %s = %g, and %g m at %g", muscle, before, coordinate, from, after,
                 to);
    }
}

// Knee flexion is negative in gait2392, dorsiflexion positive.
static void flexors_shorten_in_flexion(void **state) {
    (void)state;
    osim_body gait = open_model("osim/gait2392.osim");
    static const char *const sides[] = {"r", "l"};
    for (int i = 0; i < 2; ++i) {
        char muscle[64], coordinate[64];
#define NAMED(text, base) (snprintf(text, sizeof text, "%s_%s", base, sides[i]), text)
        expect_shorter(&gait, NAMED(muscle, "bifemlh"), NAMED(coordinate, "knee_angle"), -10, -80);
        expect_shorter(&gait, NAMED(muscle, "semiten"), NAMED(coordinate, "knee_angle"), -10, -80);
        expect_shorter(&gait, NAMED(muscle, "vas_lat"), NAMED(coordinate, "knee_angle"), -80, -10);
        expect_shorter(&gait, NAMED(muscle, "soleus"), NAMED(coordinate, "ankle_angle"), 15, -20);
        expect_shorter(&gait, NAMED(muscle, "tib_ant"), NAMED(coordinate, "ankle_angle"), -20, 15);
        expect_shorter(&gait, NAMED(muscle, "psoas"), NAMED(coordinate, "hip_flexion"), 0, 50);
        expect_shorter(&gait, NAMED(muscle, "glut_max2"), NAMED(coordinate, "hip_flexion"), 50, 0);
#undef NAMED
    }
    close_model(&gait);
    osim_body arm = open_model("osim/arm26.osim");
    expect_shorter(&arm, "BIClong", "r_elbow_flex", 10, 100);
    expect_shorter(&arm, "BICshort", "r_elbow_flex", 10, 100);
    expect_shorter(&arm, "BRA", "r_elbow_flex", 10, 100);
    expect_shorter(&arm, "TRIlong", "r_elbow_flex", 100, 10);
    expect_shorter(&arm, "TRIlat", "r_elbow_flex", 100, 10);
    close_model(&arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gait_walks_as_computed),
        cmocka_unit_test(arm_bends_as_computed),
        cmocka_unit_test(joints_askew_move_as_computed),
        cmocka_unit_test(missing_meshes_are_named_and_left_out),
        cmocka_unit_test(meshes_are_found_where_they_lie),
        cmocka_unit_test(ground_is_no_bone),
        cmocka_unit_test(unknown_columns_are_left_out),
        cmocka_unit_test(muscles_have_the_volume_of_their_fibres),
        cmocka_unit_test(flexors_shorten_in_flexion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
