// SPDX-License-Identifier: Apache-2.0
//
// Reading OpenSim models: what is understood, and the one line that tells what is not.
#include "../io_test.h"

#include "io/osim/osim.h"

#include <math.h>
#include <stdlib.h>

// A thigh and a shank of version 4, line by line, so that tests can change one of them.
static const char *const lines[] = {
    "<OpenSimDocument Version=\"40000\">", // 1
    "<Model name=\"leg\">",                // 2
    "<Ground name=\"ground\"><attached_geometry><Brick "
    "name=\"floor\"/></attached_geometry></Ground>",
    "<BodySet><objects>",                       // 4
    "<Body name=\"thigh\"><attached_geometry>", // 5
    "<Mesh name=\"bone\"><scale_factors>1 2 "
    "1</scale_factors><mesh_file>femur.vtp</mesh_file></Mesh>",
    "</attached_geometry><WrapObjectSet><objects><WrapCylinder name=\"knee\">", // 7
    "<xyz_body_rotation>0 0.5 0</xyz_body_rotation><translation>0 -0.4 0</translation>",
    "<quadrant>-x</quadrant><radius>0.02</radius><length>0.1</length>",                 // 9
    "</WrapCylinder></objects></WrapObjectSet></Body>",                                 // 10
    "<Body name=\"shank\"/>",                                                           // 11
    "</objects></BodySet>",                                                             // 12
    "<JointSet><objects>",                                                              // 13
    "<PinJoint name=\"hip\"><socket_parent_frame>/ground</socket_parent_frame>",        // 14
    "<socket_child_frame>/bodyset/thigh</socket_child_frame>",                          // 15
    "<coordinates><Coordinate name=\"hip_angle\"><default_value>0.25</default_value>",  // 16
    "<range>-1 1</range><clamped>true</clamped></Coordinate></coordinates></PinJoint>", // 17
    "<CustomJoint name=\"knee\"><socket_parent_frame>a</socket_parent_frame>",          // 18
    "<socket_child_frame>b</socket_child_frame>",                                       // 19
    "<frames><PhysicalOffsetFrame name=\"a\"><socket_parent>/bodyset/thigh</socket_parent>",
    "<translation>0 -0.4 0</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame>",
    "<PhysicalOffsetFrame name=\"b\"><socket_parent>/bodyset/shank</socket_parent>", // 22
    "<translation>0 0.01 0</translation></PhysicalOffsetFrame></frames>",            // 23
    "<coordinates><Coordinate name=\"knee_angle\"/></coordinates>",                  // 24
    "<SpatialTransform><TransformAxis name=\"rotation1\"><coordinates>knee_angle</coordinates>",
    "<axis>0 0 2</axis><LinearFunction><coefficients>-1 0</coefficients></LinearFunction>", // 26
    "</TransformAxis><TransformAxis name=\"translation1\"><coordinates>knee_angle</coordinates>",
    "<axis>1 0 0</axis><MultiplierFunction><scale>2</scale><function>",                  // 28
    "<SimmSpline><x>0 1 2 3</x><y>0 1 8 27</y></SimmSpline>",                            // 29
    "</function></MultiplierFunction></TransformAxis></SpatialTransform></CustomJoint>", // 30
    "</objects></JointSet>",                                                             // 31
    "<ForceSet><objects>",                                                               // 32
    "<Millard2012EquilibriumMuscle name=\"ham\"><GeometryPath><PathPointSet><objects>",  // 33
    "<PathPoint name=\"p1\"><socket_parent_frame>/ground</socket_parent_frame>",         // 34
    "<location>0 0.1 0</location></PathPoint>",                                          // 35
    "<ConditionalPathPoint name=\"p2\"><socket_parent_frame>/bodyset/thigh</socket_parent_frame>",
    "<location>0 -0.3 0</location><socket_coordinate>/jointset/knee/knee_angle</socket_coordinate>",
    "<range>-0.5 0.5</range></ConditionalPathPoint>", // 38
    "<MovingPathPoint name=\"p3\"><socket_parent_frame>/bodyset/shank</socket_parent_frame>",
    "<socket_x_coordinate>knee_angle</socket_x_coordinate><x_location><LinearFunction>", // 40
    "<coefficients>0.1 0.02</coefficients></LinearFunction></x_location><y_location><Constant>",
    "<value>-0.05</value></Constant></y_location><z_location><Constant><value>0</value>", // 42
    "</Constant></z_location></MovingPathPoint></objects></PathPointSet>",                // 43
    "<PathWrapSet><objects><PathWrap name=\"w\"><wrap_object>knee</wrap_object>",         // 44
    "<range>2 3</range></PathWrap></objects></PathWrapSet></GeometryPath>",               // 45
    "<max_isometric_force>900</max_isometric_force>",                                     // 46
    "<optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.3</"
    "tendon_slack_length>",
    "</Millard2012EquilibriumMuscle><CoordinateActuator name=\"reserve\"/>", // 48
    "</objects></ForceSet><ProbeSet><objects><Probe/></objects></ProbeSet>", // 49
    "<ConstraintSet><objects/></ConstraintSet>",                             // 50
    "</Model></OpenSimDocument>",                                            // 51
};
enum { LINE_COUNT = sizeof lines / sizeof *lines };

// The text with `line` (from 1; 0: none) replaced.
static char *make_text(int line, const char *with) {
    char *text = calloc(1, 16384);
    for (int i = 0; i < LINE_COUNT; ++i) {
        strcat(strcat(text, i + 1 == line ? with : lines[i]), "\n");
    }
    return text;
}

static sni_osim *parse(sn_context *context, const char *text) {
    sni_osim *model = NULL;
    snt_ok(sni_osim_parse(context, "leg.osim", text, strlen(text), &model, error));
    return model;
}

static void near_vector(sn_vec3 v, double x, double y, double z) {
    snt_near(sn_vec3_distance(v, sn_vec3_make(x, y, z)), 0, 1e-12);
}

static void reads_bodies_and_joints(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *text = make_text(0, "");
    sni_osim *model = parse(context, text);
    assert_string_equal(model->name, "leg");
    assert_int_equal(model->body_count, 3);
    assert_string_equal(model->bodies[2].name, "shank");
    assert_int_equal(model->joint_count, 2);
    const sni_osim_joint *hip = &model->joints[0], *knee = &model->joints[1];
    assert_string_equal(hip->kind, "PinJoint");
    assert_int_equal(hip->parent, 0);
    assert_int_equal(knee->parent, 1);
    assert_int_equal(knee->child, 2);
    near_vector(knee->parent_offset.translation, 0, -0.4, 0);
    near_vector(knee->child_offset.translation, 0, 0.01, 0);
    // A pin turns about z.
    assert_int_equal(hip->axes[2].coordinate_count, 1);
    assert_int_equal(hip->axes[0].coordinate_count, 0);
    near_vector(knee->axes[0].axis, 0, 0, 1);
    assert_int_equal(model->coordinate_count, 2);
    assert_true(model->coordinates[0].clamped && model->coordinates[0].is_rotation);
    snt_near(model->coordinates[0].value, 0.25, 0);
    snt_near(model->coordinates[0].range[1], 1, 0);
    assert_int_equal(model->geometry_count, 1);
    assert_string_equal(model->geometries[0].file, "femur.vtp");
    near_vector(model->geometries[0].place.scale, 1, 2, 1);
    // What is no mesh and no muscle is listed, probes are not.
    assert_int_equal(model->other_count, 2);
    assert_string_equal(model->others[0].kind, "Brick");
    assert_string_equal(model->others[1].name, "reserve");
    sni_osim_destroy(model);
    free(text);
    snt_context_end(context);
}

static void reads_functions(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *text = make_text(0, "");
    sni_osim *model = parse(context, text);
    const sni_osim_function *f = &model->joints[1].axes[3].function;
    // Twice the cube: the spline meets a cubic exactly, and goes on straight beyond its ends.
    for (double x = 0; x <= 3; x += 0.125) {
        snt_near(sni_osim_evaluate(f, &x), 2 * x * x * x, 1e-12);
    }
    double beyond[] = {-1, 4};
    snt_near(sni_osim_evaluate(f, &beyond[0]), 0, 1e-12);
    snt_near(sni_osim_evaluate(f, &beyond[1]), 54 + 54, 1e-12);
    double polynomial[] = {2, -3, 0.5}, keys[] = {0, 1, 3}, values[] = {1, 2, -2};
    double at[] = {2, 4, -1, 2.9};
    sni_osim_function p = {.kind = SNI_OSIM_POLYNOMIAL, .count = 3, .values = polynomial};
    snt_near(sni_osim_evaluate(&p, &at[0]), 2 * 4 - 6 + 0.5, 1e-12);
    sni_osim_function l = {.kind = SNI_OSIM_PIECEWISE, .count = 3, .keys = keys, .values = values};
    snt_near(sni_osim_evaluate(&l, &at[0]), 0, 1e-12);
    snt_near(sni_osim_evaluate(&l, &at[1]), -4, 1e-12);
    snt_near(sni_osim_evaluate(&l, &at[2]), 0, 1e-12);
    l.kind = SNI_OSIM_STEPPED;
    snt_near(sni_osim_evaluate(&l, &at[3]), 2, 0);
    sni_osim_destroy(model);
    free(text);
    snt_context_end(context);
}

static void reads_muscles(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *text = make_text(0, "");
    sni_osim *model = parse(context, text);
    assert_int_equal(model->muscle_count, 1);
    const sni_osim_muscle *m = &model->muscles[0];
    assert_string_equal(m->kind, "Millard2012EquilibriumMuscle");
    snt_near(m->force, 900, 0);
    snt_near(m->tendon_length, 0.3, 0);
    assert_int_equal(m->point_count, 3);
    assert_int_equal(m->points[1].conditional, 1);
    snt_near(m->points[1].range[0], -0.5, 0);
    assert_true(m->points[2].moves);
    assert_int_equal(m->points[2].coordinates[0], 1);
    assert_int_equal(m->points[2].coordinates[1], SN_NONE);
    near_vector(m->points[2].at, 0.02, -0.05, 0);
    assert_int_equal(m->around_count, 1);
    assert_int_equal(m->arounds[0].first, 1);
    assert_int_equal(m->arounds[0].last, 2);
    assert_string_equal(model->wraps[0].side, "-x");
    snt_near(model->wraps[0].radii.x, 0.02, 0);
    snt_near(model->wraps[0].length, 0.1, 0);
    sni_osim_destroy(model);
    free(text);
    snt_context_end(context);
}

// Version 3: joints stand in bodies, path points name bodies, meshes stand in VisibleObject.
static void reads_the_older_layout(void **state) {
    (void)state;
    static const char text[] =
        "<OpenSimDocument Version=\"30000\"><Model name=\"old\"><BodySet><objects>\n"
        "<Body name=\"ground\"><Joint/></Body>\n"
        "<Body name=\"foot\"><Joint><CustomJoint name=\"ankle\"><parent_body>shank</parent_body>\n"
        "<location_in_parent>0 -0.4 0</location_in_parent><orientation_in_parent>0 0 0"
        "</orientation_in_parent><location>0 0 0</location><orientation>0 0 0.5</orientation>\n"
        "<CoordinateSet><objects><Coordinate name=\"angle\"/></objects></CoordinateSet>\n"
        "<SpatialTransform><TransformAxis name=\"rotation1\"><coordinates>angle</coordinates>\n"
        "<axis>0 0 1</axis><function><LinearFunction><coefficients>1 0</coefficients>"
        "</LinearFunction></function></TransformAxis></SpatialTransform></CustomJoint></Joint>\n"
        "<VisibleObject><scale_factors>2 2 2</scale_factors><GeometrySet><objects>"
        "<DisplayGeometry><geometry_file>foot.vtp</geometry_file><transform>0 0 0 0.1 0 0"
        "</transform></DisplayGeometry></objects></GeometrySet></VisibleObject></Body>\n"
        "<Body name=\"shank\"><Joint><FreeJoint name=\"root\"><parent_body>ground</parent_body>\n"
        "<CoordinateSet><objects><Coordinate name=\"a\"/><Coordinate name=\"b\"/>"
        "<Coordinate name=\"c\"/><Coordinate name=\"x\"/><Coordinate name=\"y\"/>"
        "<Coordinate name=\"z\"/></objects></CoordinateSet></FreeJoint></Joint></Body>\n"
        "</objects></BodySet><ForceSet><objects><Thelen2003Muscle name=\"m\"><GeometryPath>\n"
        "<PathPointSet><objects><PathPoint name=\"1\"><location>0 0 0</location><body>shank</body>"
        "</PathPoint><PathPoint name=\"2\"><location>0 0.1 0</location><body>foot</body>"
        "</PathPoint></objects></PathPointSet></GeometryPath></Thelen2003Muscle></objects>"
        "</ForceSet></Model></OpenSimDocument>\n";
    sn_context *context = snt_context(1);
    sni_osim *model = parse(context, text);
    assert_int_equal(model->body_count, 3);
    // The shank comes first: parents before children.
    assert_string_equal(model->joints[0].name, "root");
    assert_string_equal(model->joints[1].name, "ankle");
    near_vector(model->joints[1].parent_offset.translation, 0, -0.4, 0);
    snt_near(2 * asin(model->joints[1].child_offset.rotation.z), 0.5, 1e-12);
    near_vector(model->geometries[0].place.scale, 2, 2, 2);
    near_vector(model->geometries[0].place.translation, 0.1, 0, 0);
    assert_false(model->coordinates[4].is_rotation);
    assert_int_equal(model->muscles[0].points[1].body, model->joints[1].child);
    sni_osim_destroy(model);
    snt_context_end(context);
}

static void reads_couplers(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *text = make_text(
        50, "<ConstraintSet><objects><CoordinateCouplerConstraint name=\"c\">"
            "<coupled_coordinates_function><LinearFunction><coefficients>3 0.5</coefficients>"
            "</LinearFunction></coupled_coordinates_function><independent_coordinate_names>"
            "hip_angle</independent_coordinate_names><dependent_coordinate_name>knee_angle"
            "</dependent_coordinate_name><scale_factor>2</scale_factor>"
            "</CoordinateCouplerConstraint></objects></ConstraintSet>");
    sni_osim *model = parse(context, text);
    assert_int_equal(model->coordinates[1].source, 0);
    snt_near(model->coordinates[1].value, 2 * (3 * 0.25 + 0.5), 1e-12);
    sni_osim_destroy(model);
    free(text);
    snt_context_end(context);
}

typedef struct bad_line {
    int line;
    const char *with;
    sn_status status;
    const char *message;
} bad_line;

static const bad_line bad_lines[] = {
    {1, "<Dog>", SN_SYNTAX, "leg.osim:51: "},
    {2, "<Model>", SN_OK, NULL},
    {11, "", SN_INVALID,
     "leg.osim:22: OpenSimDocument/Model \"leg\"/JointSet/objects/CustomJoint "
     "\"knee\"/frames/PhysicalOffsetFrame "
     "\"b\"/socket_parent: the frame hangs on \"shank\", but there is no such body or frame"},
    {11, "<Body name=\"thigh\"/>", SN_INVALID,
     "there are two bodies \"thigh\"; the other one stands in line 5"},
    {11, "<Body name=\"shank\"/><Body name=\"foot\"/>", SN_INVALID,
     "leg.osim:11: no joint carries the body \"foot\": it is the child of none"},
    {14, "<PinJoint name=\"hip\"><socket_parent_frame>/bodyset/shank</socket_parent_frame>",
     SN_INVALID, "leg.osim:14: the joints form a circle: \"thigh\" is its own ancestor"},
    {14, "<PinJoint name=\"hip\"><socket_parent_frame>/bodyset/thihg</socket_parent_frame>",
     SN_INVALID,
     "the joint's parent is \"thihg\", but there is no such body or frame; did you mean "
     "\"thigh\"?"},
    {14, "<PinJoint name=\"hip\">", SN_INVALID, "leg.osim:14: "},
    {16, "<coordinates><Coordinate name=\"hip_angle\"><default_value>x</default_value>", SN_SYNTAX,
     "leg.osim:16: "},
    {17, "<range>-1</range></Coordinate></coordinates></PinJoint>", SN_INVALID,
     "<range> needs 2 numbers, but has 1"},
    {17, "<range>1 -1</range></Coordinate></coordinates></PinJoint>", SN_INVALID,
     "its range is from 1 to -1"},
    {17, "</Coordinate><Coordinate name=\"two\"/></coordinates></PinJoint>", SN_INVALID,
     "a PinJoint has 1 coordinate, this one 2"},
    {20, "<frames><PhysicalOffsetFrame name=\"a\"><socket_parent>a</socket_parent>", SN_INVALID,
     "leg.osim:20: OpenSimDocument/Model \"leg\"/JointSet/objects/CustomJoint "
     "\"knee\"/frames/PhysicalOffsetFrame "
     "\"a\": the frame \"a\" is its own parent"},
    {24, "<coordinates><Coordinate name=\"hip_angle\"/></coordinates>", SN_INVALID,
     "there are two coordinates \"hip_angle\"; the other one stands in line 16"},
    {25, "<SpatialTransform><TransformAxis name=\"rotation1\"><coordinates>knee</coordinates>",
     SN_INVALID, "there is no coordinate \"knee\""},
    {26, "<axis>0 0 0</axis>", SN_INVALID, "<axis> has no direction"},
    {26, "<axis>0 0 1</axis><GCVSpline/>", SN_UNSUPPORTED,
     "leg.osim:26: OpenSimDocument/Model \"leg\"/JointSet/objects/CustomJoint "
     "\"knee\"/SpatialTransform/"
     "TransformAxis \"rotation1\"/GCVSpline: the function <GCVSpline> is not supported; "
     "supported are Constant, LinearFunction, PolynomialFunction, SimmSpline, "
     "PiecewiseLinearFunction, PiecewiseConstantFunction, MultiplierFunction"},
    {26, "<LinearFunction><coefficients>1 2 3</coefficients></LinearFunction>", SN_INVALID,
     "<LinearFunction> takes 2 coordinates, but <coordinates> names 1"},
    {29, "<SimmSpline><x>0 1 1</x><y>0 1 8</y></SimmSpline>", SN_INVALID,
     "<x> must rise, but 1 comes after 1"},
    {29, "<SimmSpline><x>0 1 2</x><y>0 1</y></SimmSpline>", SN_INVALID,
     "<x> has 3 numbers and <y> 2; a curve needs as many of both, and at least one"},
    {34, "<PathPoint name=\"p1\"><socket_parent_frame>/bodyset/pelvis</socket_parent_frame>",
     SN_INVALID,
     "leg.osim:34: OpenSimDocument/Model \"leg\"/ForceSet/objects/Millard2012EquilibriumMuscle "
     "\"ham\"/GeometryPath/PathPointSet/"
     "objects/PathPoint \"p1\"/socket_parent_frame: the path point is on \"pelvis\", but there is "
     "no such body or frame"},
    {35, "<location>0 0.1</location></PathPoint>", SN_INVALID,
     "<location> needs 3 numbers, but has 2"},
    {35, "</PathPoint>", SN_INVALID, "there is no <location>"},
    {37, "<location>0 0 0</location><socket_coordinate>hip</socket_coordinate>", SN_INVALID,
     "there is no coordinate \"hip\""},
    {46, "<max_isometric_force>-1</max_isometric_force>", SN_INVALID,
     "force -1 N, fibres 0.1 m, tendon 0.3 m: the first two must be above 0, the tendon not below"},
    {46, "<max_isometric_force>1e300</max_isometric_force>", SN_INVALID,
     "<max_isometric_force> has 1e+300, but numbers must be within 1e+12"},
    {18, "<ScapulothoracicJoint name=\"knee\"><socket_parent_frame>a</socket_parent_frame>",
     SN_SYNTAX, "leg.osim:30: "},
    {48,
     "</Millard2012EquilibriumMuscle><Millard2012EquilibriumMuscle name=\"ham\"><GeometryPath/>"
     "</Millard2012EquilibriumMuscle>",
     SN_INVALID, "a muscle's path needs at least 2 points, but has 0"},
};

static void tells_what_is_wrong(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; ++i) {
        const bad_line *bad = &bad_lines[i];
        char *text = make_text(bad->line, bad->with);
        sni_osim *model = NULL;
        if (bad->status == SN_OK) {
            snt_ok(sni_osim_parse(context, "leg.osim", text, strlen(text), &model, error));
        } else {
            snt_fails(bad->status, bad->message,
                      sni_osim_parse(context, "leg.osim", text, strlen(text), &model, error));
            assert_null(model);
        }
        sni_osim_destroy(model);
        free(text);
    }
    snt_context_end(context);
}

// Memory that runs out at any allocation leaves nothing behind.
static void survives_without_memory(void **state) {
    (void)state;
    char *text = make_text(0, "");
    sn_status status = SN_OUT_OF_MEMORY;
    for (size_t limit = 1; status == SN_OUT_OF_MEMORY && limit < 1000; ++limit) {
        sn_context_desc desc = sn_context_desc_default();
        sn_context *context = NULL;
        sni_osim *model = NULL;
        sn_error error = {0};
        desc.thread_count = 1;
        desc.allocator.count_limit = limit;
        if (sn_context_create(&desc, &context, &error) != SN_OK) {
            continue;
        }
        status = sni_osim_parse(context, "leg.osim", text, strlen(text), &model, &error);
        assert_true(status == SN_OK || status == SN_OUT_OF_MEMORY);
        sni_osim_destroy(model);
        snt_context_end(context);
    }
    assert_int_equal(status, SN_OK);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_bodies_and_joints), cmocka_unit_test(reads_functions),
        cmocka_unit_test(reads_muscles),           cmocka_unit_test(reads_the_older_layout),
        cmocka_unit_test(reads_couplers),          cmocka_unit_test(tells_what_is_wrong),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
