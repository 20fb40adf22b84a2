// SPDX-License-Identifier: Apache-2.0
//
// A second reading of OpenSim models for tests: scans the text for what it needs, moves bodies by
// 3 x 3 matrices, and measures paths as straight lines between points. It shares nothing with the
// library: no XML tree, no quaternions, no rig, and a spline that is solved as a full system.
#ifndef SNT_OSIM_REFERENCE_H
#define SNT_OSIM_REFERENCE_H

#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { REF_BODIES = 32, REF_COORDINATES = 64, REF_MUSCLES = 128, REF_POINTS = 16, REF_KNOTS = 32 };

typedef struct ref_span {
    const char *a, *b;
} ref_span;

typedef struct ref_function {
    int kind; // 0 constant, 1 linear, 2 spline
    int count;
    double x[REF_KNOTS], y[REF_KNOTS];
} ref_function;

typedef struct ref_axis {
    double axis[3];
    int coordinate; // -1: none
    ref_function function;
} ref_axis;

typedef struct ref_body {
    char name[64];
    int parent; // -1 for the ground
    double parent_at[3], parent_turn[3], child_at[3], child_turn[3];
    ref_axis axes[6];
    double r[9], p[3]; // where it is
} ref_body;

typedef struct ref_point {
    int body, conditional, moving[3];
    double at[3], range[2];
    ref_function functions[3];
} ref_point;

typedef struct ref_muscle {
    char name[64];
    int count, wraps;
    double force, fibre;
    ref_point points[REF_POINTS];
} ref_muscle;

typedef struct ref_model {
    char *text;
    int body_count, coordinate_count, muscle_count;
    ref_body bodies[REF_BODIES]; // the ground first, parents before children
    char coordinates[REF_COORDINATES][64];
    double defaults[REF_COORDINATES], values[REF_COORDINATES];
    ref_muscle muscles[REF_MUSCLES];
} ref_model;

// --- Text

static char *ref_load(const char *path) {
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    long size = ftell(stream);
    rewind(stream);
    char *text = calloc((size_t)size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)size, stream), (size_t)size);
    fclose(stream);
    for (char *c = strstr(text, "<!--"); c != NULL; c = strstr(c, "<!--")) {
        char *end = strstr(c, "-->");
        assert_non_null(end);
        memset(c, ' ', (size_t)(end + 3 - c));
    }
    return text;
}

static const char *ref_seek(const char *a, const char *b, const char *what) {
    size_t length = strlen(what);
    for (; a + length <= b; ++a) {
        if (memcmp(a, what, length) == 0) {
            return a;
        }
    }
    return NULL;
}

// The first element of a name, from its tag to its end; none: an empty span.
static ref_span ref_element(ref_span in, const char *name) {
    char open[80], close[80];
    snprintf(open, sizeof open, "<%s", name);
    snprintf(close, sizeof close, "</%s>", name);
    const char *a = in.a;
    while ((a = ref_seek(a, in.b, open)) != NULL) {
        char next = a[strlen(open)];
        if (next == ' ' || next == '>') {
            const char *b = ref_seek(a, in.b, close);
            assert_non_null(b);
            return (ref_span){a, b};
        }
        ++a;
    }
    return (ref_span){in.b, in.b};
}

static ref_span ref_content(ref_span in, const char *name) {
    ref_span element = ref_element(in, name);
    if (element.a == element.b) {
        return element;
    }
    return (ref_span){ref_seek(element.a, element.b, ">") + 1, element.b};
}

static int ref_numbers(ref_span content, double *numbers, int most) {
    int count = 0;
    for (const char *at = content.a; at < content.b && count < most;) {
        char *end;
        numbers[count] = strtod(at, &end);
        if (end == at || end > content.b) {
            break;
        }
        ++count;
        at = end;
    }
    return count;
}

static void ref_vector(ref_span in, const char *name, double v[3]) {
    assert_int_equal(ref_numbers(ref_content(in, name), v, 3), 3);
}

static void ref_word(ref_span content, char word[64]) {
    while (content.a < content.b && strchr(" \t\r\n", *content.a) != NULL) {
        ++content.a;
    }
    size_t length = 0;
    while (content.a + length < content.b && strchr(" \t\r\n<", content.a[length]) == NULL) {
        ++length;
    }
    // Paths: the last part counts.
    for (size_t i = length; i > 0; --i) {
        if (content.a[i - 1] == '/') {
            content.a += i;
            length -= i;
            break;
        }
    }
    assert_true(length < 64);
    memcpy(word, content.a, length);
    word[length] = 0;
}

static void ref_name(ref_span element, char name[64]) {
    const char *a = ref_seek(element.a, element.b, "name=\"") + 6;
    size_t length = (size_t)(strchr(a, '"') - a);
    memcpy(name, a, length);
    name[length] = 0;
}

static int ref_body_index(const ref_model *m, const char *name) {
    for (int i = 0; i < m->body_count; ++i) {
        if (strcmp(m->bodies[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int ref_coordinate(const ref_model *m, const char *name) {
    for (int i = 0; i < m->coordinate_count; ++i) {
        if (strcmp(m->coordinates[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

// --- Functions

static ref_function ref_read_function(ref_span in) {
    ref_function f = {0};
    ref_span spline = ref_element(in, "SimmSpline"), linear = ref_element(in, "LinearFunction");
    if (spline.a < spline.b) {
        f.kind = 2;
        f.count = ref_numbers(ref_content(spline, "x"), f.x, REF_KNOTS);
        assert_int_equal(ref_numbers(ref_content(spline, "y"), f.y, REF_KNOTS), f.count);
    } else if (linear.a < linear.b) {
        f.kind = 1;
        assert_int_equal(ref_numbers(ref_content(linear, "coefficients"), f.y, 2), 2);
    } else {
        assert_int_equal(ref_numbers(ref_content(in, "value"), f.y, 1), 1);
    }
    return f;
}

// n equations by elimination with row exchange.
static void ref_solve(int n, double a[REF_KNOTS][REF_KNOTS + 1], double *x) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        }
        for (int j = 0; j <= n; ++j) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = k + 1; i < n; ++i) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j <= n; ++j) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        x[i] = a[i][n];
        for (int j = i + 1; j < n; ++j) {
            x[i] -= a[i][j] * x[j];
        }
        x[i] /= a[i][i];
    }
}

// The cubic through four points has the third derivative 6 f[x0, x1, x2, x3].
static double ref_third(const double *x, const double *y) {
    double a = (y[1] - y[0]) / (x[1] - x[0]), b = (y[2] - y[1]) / (x[2] - x[1]);
    double c = (y[3] - y[2]) / (x[3] - x[2]);
    double d = (b - a) / (x[2] - x[0]), e = (c - b) / (x[3] - x[1]);
    return 6 * (e - d) / (x[3] - x[0]);
}

// Second derivatives s at the knots: continuous slopes inside, given third derivatives at the ends.
static double ref_spline(const ref_function *f, double at) {
    int n = f->count, i = 0;
    const double *x = f->x, *y = f->y;
    static double a[REF_KNOTS][REF_KNOTS + 1];
    double s[REF_KNOTS] = {0};
    memset(a, 0, sizeof a);
    if (n > 2) {
        double third[2] = {0, 0};
        if (n > 3) {
            third[0] = ref_third(x, y);
            third[1] = ref_third(x + n - 4, y + n - 4);
        }
        a[0][0] = -1;
        a[0][1] = 1;
        a[0][n] = third[0] * (x[1] - x[0]);
        a[n - 1][n - 2] = -1;
        a[n - 1][n - 1] = 1;
        a[n - 1][n] = third[1] * (x[n - 1] - x[n - 2]);
        for (int k = 1; k + 1 < n; ++k) {
            a[k][k - 1] = x[k] - x[k - 1];
            a[k][k] = 2 * (x[k + 1] - x[k - 1]);
            a[k][k + 1] = x[k + 1] - x[k];
            a[k][n] =
                6 * ((y[k + 1] - y[k]) / (x[k + 1] - x[k]) - (y[k] - y[k - 1]) / (x[k] - x[k - 1]));
        }
        ref_solve(n, a, s);
    }
    while (i + 2 < n && at > x[i + 1]) {
        ++i;
    }
    double h = x[i + 1] - x[i], inner = fmin(fmax(at, x[0]), x[n - 1]);
    double u = (x[i + 1] - inner) / h, v = (inner - x[i]) / h;
    double value =
        u * y[i] + v * y[i + 1] + ((u * u * u - u) * s[i] + (v * v * v - v) * s[i + 1]) * h * h / 6;
    double slope =
        (y[i + 1] - y[i]) / h + ((1 - 3 * u * u) * s[i] + (3 * v * v - 1) * s[i + 1]) * h / 6;
    return value + slope * (at - inner);
}

static double ref_value(const ref_function *f, double q) {
    return f->kind == 0 ? f->y[0] : f->kind == 1 ? f->y[0] * q + f->y[1] : ref_spline(f, q);
}

// --- Reading

static void ref_read_end(ref_model *m, ref_span joint, const char *socket, int *body, double at[3],
                         double turn[3]) {
    char wanted[64], name[64];
    ref_word(ref_content(joint, socket), wanted);
    ref_span rest = joint;
    for (;;) {
        ref_span frame = ref_element(rest, "PhysicalOffsetFrame");
        assert_true(frame.a < frame.b);
        ref_name(frame, name);
        if (strcmp(name, wanted) == 0) {
            ref_word(ref_content(frame, "socket_parent"), name);
            *body = ref_body_index(m, name);
            ref_vector(frame, "translation", at);
            ref_vector(frame, "orientation", turn);
            return;
        }
        rest.a = frame.b;
    }
}

static void ref_read_joint(ref_model *m, ref_span joint) {
    ref_span rest = ref_element(joint, "coordinates");
    // <coordinates> of the joint holds elements, those of axes hold words.
    for (ref_span c = ref_element(rest, "Coordinate"); c.a < c.b;
         c = ref_element(rest, "Coordinate")) {
        ref_name(c, m->coordinates[m->coordinate_count]);
        assert_int_equal(
            ref_numbers(ref_content(c, "default_value"), &m->defaults[m->coordinate_count], 1), 1);
        ++m->coordinate_count;
        rest.a = c.b;
    }
    char child_name[64];
    ref_body body = {0};
    double at[3], turn[3];
    ref_read_end(m, joint, "socket_parent_frame", &body.parent, body.parent_at, body.parent_turn);
    // The child's name, by the frame that the socket names.
    ref_span frames = joint;
    char wanted[64], name[64];
    ref_word(ref_content(joint, "socket_child_frame"), wanted);
    child_name[0] = 0;
    for (ref_span f = ref_element(frames, "PhysicalOffsetFrame"); f.a < f.b;
         f = ref_element(frames, "PhysicalOffsetFrame")) {
        ref_name(f, name);
        if (strcmp(name, wanted) == 0) {
            ref_word(ref_content(f, "socket_parent"), child_name);
            ref_vector(f, "translation", at);
            ref_vector(f, "orientation", turn);
        }
        frames.a = f.b;
    }
    memcpy(body.child_at, at, sizeof at);
    memcpy(body.child_turn, turn, sizeof turn);
    memcpy(body.name, child_name, sizeof child_name);
    ref_span axes = ref_element(joint, "SpatialTransform");
    for (int i = 0; i < 6; ++i) {
        ref_axis *axis = &body.axes[i];
        axis->coordinate = -1;
        axis->axis[i % 3] = 1;
        ref_span one = ref_element(axes, "TransformAxis");
        if (one.a < one.b) {
            ref_word(ref_content(one, "coordinates"), name);
            axis->coordinate = ref_coordinate(m, name);
            ref_vector(one, "axis", axis->axis);
            // Simbody takes axes at length 1, whatever their length is.
            double length = sqrt(axis->axis[0] * axis->axis[0] + axis->axis[1] * axis->axis[1] +
                                 axis->axis[2] * axis->axis[2]);
            for (int k = 0; k < 3; ++k) {
                axis->axis[k] /= length;
            }
            axis->function = ref_read_function(one);
            axes.a = one.b;
        }
    }
    assert_true(body.parent >= 0);
    m->bodies[m->body_count++] = body;
}

static void ref_read_point(ref_model *m, ref_span element, ref_point *point) {
    char name[64];
    static const char *const sockets[] = {"socket_x_coordinate", "socket_y_coordinate",
                                          "socket_z_coordinate"};
    static const char *const places[] = {"x_location", "y_location", "z_location"};
    bool moving = memcmp(element.a, "<Moving", 7) == 0;
    ref_word(ref_content(element, "socket_parent_frame"), name);
    *point = (ref_point){.body = ref_body_index(m, name), .conditional = -1};
    assert_true(point->body >= 0);
    for (int k = 0; k < 3; ++k) {
        point->moving[k] = -1;
        if (moving) {
            ref_word(ref_content(element, sockets[k]), name);
            point->moving[k] = ref_coordinate(m, name);
            point->functions[k] = ref_read_function(ref_element(element, places[k]));
        }
    }
    if (!moving) {
        ref_vector(element, "location", point->at);
    }
    if (memcmp(element.a, "<Conditional", 12) == 0) {
        ref_word(ref_content(element, "socket_coordinate"), name);
        point->conditional = ref_coordinate(m, name);
        assert_int_equal(ref_numbers(ref_content(element, "range"), point->range, 2), 2);
    }
}

static void ref_read_muscle(ref_model *m, ref_span element) {
    static const char *const kinds[] = {"PathPoint", "ConditionalPathPoint", "MovingPathPoint"};
    ref_muscle *muscle = &m->muscles[m->muscle_count++];
    ref_span rest = ref_element(element, "PathPointSet");
    ref_name(element, muscle->name);
    ref_numbers(ref_content(element, "max_isometric_force"), &muscle->force, 1);
    ref_numbers(ref_content(element, "optimal_fiber_length"), &muscle->fibre, 1);
    for (;;) {
        ref_span first = {rest.b, rest.b};
        for (int k = 0; k < 3; ++k) {
            ref_span next = ref_element(rest, kinds[k]);
            first = next.a < first.a ? next : first;
        }
        if (first.a == first.b) {
            break;
        }
        ref_read_point(m, first, &muscle->points[muscle->count++]);
        rest.a = first.b;
    }
    ref_span wraps = ref_element(element, "PathWrapSet");
    for (ref_span w = ref_element(wraps, "PathWrap"); w.a < w.b;
         w = ref_element(wraps, "PathWrap")) {
        ++muscle->wraps;
        wraps.a = w.b;
    }
}

static ref_model *ref_read(const char *path) {
    ref_model *m = calloc(1, sizeof *m);
    m->text = ref_load(path);
    ref_span all = {m->text, m->text + strlen(m->text)};
    snprintf(m->bodies[0].name, sizeof m->bodies[0].name, "ground");
    m->bodies[0].parent = -1;
    m->body_count = 1;
    static const char *const joints[] = {"CustomJoint", "WeldJoint"};
    ref_span rest = ref_element(all, "JointSet");
    for (;;) {
        ref_span a = ref_element(rest, joints[0]), b = ref_element(rest, joints[1]);
        ref_span joint = a.a < b.a ? a : b;
        if (joint.a >= joint.b) {
            break;
        }
        ref_read_joint(m, joint);
        rest.a = joint.b;
    }
    rest = ref_element(all, "ForceSet");
    for (ref_span f = ref_element(rest, "Thelen2003Muscle"); f.a < f.b;
         f = ref_element(rest, "Thelen2003Muscle")) {
        ref_read_muscle(m, f);
        rest.a = f.b;
    }
    memcpy(m->values, m->defaults, sizeof m->values);
    return m;
}

static void ref_free(ref_model *m) {
    free(m->text);
    free(m);
}

// --- Kinematics

static void ref_times(const double a[9], const double b[9], double c[9]) {
    double r[9];
    for (int i = 0; i < 9; ++i) {
        r[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[i % 3 + 3] +
               a[i / 3 * 3 + 2] * b[i % 3 + 6];
    }
    memcpy(c, r, sizeof r);
}

static void ref_apply(const double r[9], const double p[3], const double v[3], double out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = p[i] + r[3 * i] * v[0] + r[3 * i + 1] * v[1] + r[3 * i + 2] * v[2];
    }
}

// Rodrigues: R = I + sin K + (1 - cos) K^2.
static void ref_turn(const double axis[3], double angle, double r[9]) {
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
    double k[9] = {0, -z, y, z, 0, -x, -y, x, 0}, square[9];
    ref_times(k, k, square);
    for (int i = 0; i < 9; ++i) {
        r[i] = (i % 4 == 0) + sin(angle) * k[i] + (1 - cos(angle)) * square[i];
    }
}

static void ref_body_fixed(const double angles[3], double r[9]) {
    double one[9];
    for (int i = 0; i < 9; ++i) {
        r[i] = i % 4 == 0;
    }
    for (int k = 0; k < 3; ++k) {
        double axis[3] = {k == 0, k == 1, k == 2};
        ref_turn(axis, angles[k], one);
        ref_times(r, one, r);
    }
}

static void ref_pose(ref_model *m) {
    for (int i = 0; i < 9; ++i) {
        m->bodies[0].r[i] = i % 4 == 0;
    }
    for (int i = 1; i < m->body_count; ++i) {
        ref_body *body = &m->bodies[i];
        const ref_body *parent = &m->bodies[body->parent];
        double r[9], p[3], shift[3] = {0}, one[9], back[9], none[3] = {0};
        ref_body_fixed(body->parent_turn, one);
        ref_times(parent->r, one, r);
        ref_apply(parent->r, parent->p, body->parent_at, p);
        for (int a = 3; a < 6; ++a) {
            const ref_axis *axis = &body->axes[a];
            double q = axis->coordinate >= 0 ? m->values[axis->coordinate] : 0;
            for (int k = 0; k < 3; ++k) {
                shift[k] += axis->axis[k] * ref_value(&axis->function, q);
            }
        }
        ref_apply(r, p, shift, p);
        for (int a = 0; a < 3; ++a) {
            const ref_axis *axis = &body->axes[a];
            double q = axis->coordinate >= 0 ? m->values[axis->coordinate] : 0;
            ref_turn(axis->axis, ref_value(&axis->function, q), one);
            ref_times(r, one, r);
        }
        ref_body_fixed(body->child_turn, one);
        for (int k = 0; k < 9; ++k) {
            back[k] = one[k % 3 * 3 + k / 3];
        }
        ref_times(r, back, body->r);
        double moved[3];
        ref_apply(body->r, none, body->child_at, moved);
        for (int k = 0; k < 3; ++k) {
            body->p[k] = p[k] - moved[k];
        }
    }
}

// The points of a muscle that are on, in the world; how many there are.
static int ref_path(const ref_model *m, const ref_muscle *muscle, double places[REF_POINTS][3]) {
    int count = 0;
    for (int i = 0; i < muscle->count; ++i) {
        const ref_point *point = &muscle->points[i];
        double at[3];
        memcpy(at, point->at, sizeof at);
        for (int k = 0; k < 3; ++k) {
            if (point->moving[k] >= 0) {
                at[k] = ref_value(&point->functions[k], m->values[point->moving[k]]);
            }
        }
        if (point->conditional >= 0 && (m->values[point->conditional] < point->range[0] ||
                                        m->values[point->conditional] > point->range[1])) {
            continue;
        }
        ref_apply(m->bodies[point->body].r, m->bodies[point->body].p, at, places[count++]);
    }
    return count;
}

static inline double ref_length(const ref_model *m, const ref_muscle *muscle) {
    double length = 0, places[REF_POINTS][3];
    int count = ref_path(m, muscle, places);
    for (int i = 1; i < count; ++i) {
        const double *a = places[i - 1], *b = places[i];
        length += sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                       (b[2] - a[2]) * (b[2] - a[2]));
    }
    return length;
}

// --- Motions

typedef struct ref_motion {
    int rows, columns;
    int coordinates[64]; // of each column, -1: time or unknown
    double *numbers;     // rows x columns
} ref_motion;

static inline ref_motion ref_read_motion(const ref_model *m, const char *path) {
    char *text = ref_load(path), *at = strstr(text, "endheader");
    ref_motion motion = {0};
    assert_non_null(at);
    at = strchr(at, '\n') + 1;
    char *line_end = strchr(at, '\n');
    *line_end = 0;
    for (char *word = strtok(at, " \t\r"); word != NULL; word = strtok(NULL, " \t\r")) {
        motion.coordinates[motion.columns++] = ref_coordinate(m, word);
    }
    motion.numbers = calloc(strlen(line_end + 1) + 1, sizeof(double));
    int count = 0;
    for (char *c = line_end + 1, *end;; c = end) {
        motion.numbers[count] = strtod(c, &end);
        if (end == c) {
            break;
        }
        ++count;
    }
    motion.rows = count / motion.columns;
    assert_int_equal(motion.rows * motion.columns, count);
    free(text);
    return motion;
}

// Sets the coordinates of a row; angles are degrees, shifts metres.
static inline void ref_take_row(ref_model *m, const ref_motion *motion, int row) {
    memcpy(m->values, m->defaults, sizeof m->values);
    for (int i = 0; i < motion->columns; ++i) {
        int c = motion->coordinates[i];
        if (c >= 0) {
            bool shift = strstr(m->coordinates[c], "_tx") != NULL ||
                         strstr(m->coordinates[c], "_ty") != NULL ||
                         strstr(m->coordinates[c], "_tz") != NULL;
            m->values[c] = motion->numbers[row * motion->columns + i] *
                           (shift ? 1 : 3.14159265358979323846 / 180);
        }
    }
    ref_pose(m);
}

#endif
