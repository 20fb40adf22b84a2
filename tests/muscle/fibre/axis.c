// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "muscle/fibre/axis.h"
#include "muscle/fibre/lanes.h"

enum { MOST = 40 };

typedef struct posed {
    sn_vec3 points[MOST], normals[MOST];
    double starts[MOST];
    sni_fibre_axis axis;
} posed;

static void finish(posed *p, uint32_t count, sn_vec3 first, sn_vec3 last) {
    double length = sni_fibre_axis_measure(p->points, count, p->starts);
    sni_fibre_axis_normals(p->points, p->starts, count, first, last, p->normals);
    p->axis = (sni_fibre_axis){count, p->points, p->normals, p->starts, length};
}

static posed *corner(posed *p) {
    p->points[0] = sn_vec3_make(0, 0, 0);
    p->points[1] = sn_vec3_make(1, 0, 0);
    p->points[2] = sn_vec3_make(1, 1, 0);
    finish(p, 3, sn_vec3_make(0, 0, 1), sn_vec3_make(0, 0, 1));
    return p;
}

// An arc of a circle of the given length.
static posed *arc(posed *p, double angle, double length, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        double turn = angle * i / (count - 1), radius = length / angle;
        p->points[i] = sn_vec3_make(radius * sin(turn), radius * (1 - cos(turn)), 0);
    }
    finish(p, count, sn_vec3_make(0, 0, 1), sn_vec3_make(0, 0, 1));
    return p;
}

static void points_project_as_in_the_specification(void **state) {
    (void)state;
    static const struct {
        sn_vec3 at;
        double s, distance; // 0: not told
    } rows[] = {
        {{.8, .1, 0}, .43, 0.116619037897},
        {{.8, .2, 0}, .5, 0.282842712475},
        {{.5, .2, 0}, 0.298275862069, 0.222086099146},
        {{.9, .05, .3}, 0.474354595272, 0.308013936768},
        {{1.2, -.3, 0}, .5, 0.360555127546},
        {{-.1, .1, 0}, 0, 0},
        {{.6, .7, .1}, 0.712542104728, 0.495558969136},
    };
    posed p;
    corner(&p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sni_fibre_foot foot = sni_fibre_axis_project(&p.axis, rows[i].at);
        snt_near(foot.s, rows[i].s, 1e-11);
        if (rows[i].distance > 0) {
            snt_near(foot.distance, rows[i].distance, 1e-11);
        }
    }
}

// A muscle beside which the radius of curvature is larger than it is thick.
static const sni_beta beta_rest = {3, 3}, beta_active = {4, 7};

static void projection_is_continuous_along_random_paths(void **state) {
    (void)state;
    snt_random random = {21};
    posed p;
    for (int round = 0; round < 60; ++round) {
        arc(&p, snt_random_range(&random, 0.2, 2.5), 0.25, 12);
        double radius = 0.25 / 2.5;
        sn_vec3 from = p.points[snt_random_u32(&random) % 12], to;
        to = p.points[snt_random_u32(&random) % 12];
        sn_vec3 offsets[2];
        for (int i = 0; i < 2; ++i) {
            double most = 0.5 * radius;
            offsets[i] = sn_vec3_make(snt_random_range(&random, -most, most),
                                      snt_random_range(&random, -most, most),
                                      snt_random_range(&random, -most, most));
            offsets[i] = sn_vec3_scale(offsets[i], 0.57);
        }
        from = sn_vec3_add(from, offsets[0]);
        to = sn_vec3_add(to, offsets[1]);
        enum { STEPS = 4000 };
        double step = sn_vec3_distance(from, to) / STEPS, before = -1;
        for (int i = 0; i <= STEPS; ++i) {
            sn_vec3 at = sn_vec3_lerp(from, to, (double)i / STEPS);
            sni_fibre_foot foot = sni_fibre_axis_project(&p.axis, at);
            if (foot.distance > 0.5 * radius) {
                before = -1; // a path across the hollow of an arc leaves the muscle
                continue;
            }
            if (before >= 0) {
                // Twice as fast as the point at most, and near a kink as fast again.
                assert_true(fabs(foot.s - before) * p.axis.length < 12 * step + 1e-12);
            }
            before = foot.s;
        }
    }
}

static posed *straight(posed *p, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        p->points[i] = sn_vec3_make(0.25 * i / (count - 1), 0, 0);
    }
    finish(p, count, sn_vec3_make(0, 1, 0), sn_vec3_make(0, 1, 0));
    return p;
}

static void fields_have_the_values_of_the_specification(void **state) {
    (void)state;
    static const struct {
        sn_vec3 at;
        double round, flat;
    } rows[] = {
        {{.125, .03, 0}, -0.00137475099503, -0.010504629365},
        {{.125, 0, .03}, -0.00137475099503, 0.00569722238097},
        {{.125, .02, .02}, -0.00309047974757, -0.00118717555229},
        {{.05, .01, 0}, -0.00285109800756, -0.00659069618792},
        {{-.01, .01, 0}, 0.0141421356237, 0.0141421356237},
    };
    sni_fibre_profile profile = sni_fibre_profile_make(beta_rest, beta_active);
    sni_fibre_section round = {&profile, 0, 0.02, 0}, flat = {&profile, 0, 0.02, 0.8};
    posed p;
    straight(&p, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        snt_near(sni_fibre_field(&p.axis, &round, rows[i].at).distance, rows[i].round, 1e-13);
        snt_near(sni_fibre_field(&p.axis, &flat, rows[i].at).distance, rows[i].flat, 1e-13);
    }
    sn_vec3 gradient = sni_fibre_field(&p.axis, &flat, sn_vec3_make(.125, .02, .02)).gradient;
    snt_near(gradient.x, 0, 1e-9);
    snt_near(gradient.y, 0.360383878, 1e-8);
    snt_near(gradient.z, 1.05382968, 1e-8);
    gradient = sni_fibre_field(&p.axis, &flat, sn_vec3_make(.05, .01, .004)).gradient;
    snt_near(gradient.x, -0.446030378, 1e-8);
    snt_near(gradient.y, 0.676081075, 1e-8);
    snt_near(gradient.z, 1.00237972, 1e-8);
    // On the axis the normal's direction is taken.
    sni_distance_value on_axis = sni_fibre_field(&p.axis, &flat, sn_vec3_make(.125, 0, 0));
    snt_near(on_axis.gradient.y, 1, 1e-15);
    assert_true(on_axis.distance < 0);
}

// Whether the projection changes its rule within a step of the point, where the gradient jumps.
static bool is_beside_an_edge(const sni_fibre_axis *axis, sn_vec3 at) {
    sn_vec3 slope = sni_fibre_axis_project(axis, at).slope;
    double step = 3e-7;
    for (int i = 0; i < 6; ++i) {
        double d = i & 1 ? -step : step;
        sn_vec3 beside = {i / 2 == 0 ? d : 0, i / 2 == 1 ? d : 0, i / 2 == 2 ? d : 0};
        sn_vec3 other = sni_fibre_axis_project(axis, sn_vec3_add(at, beside)).slope;
        if (sn_vec3_distance(other, slope) > 1e-2 * sn_vec3_length(slope)) {
            return true;
        }
    }
    return false;
}

// Exact beside bent axes too, where feet of two segments are blended.
static void gradients_are_those_of_the_field(void **state) {
    (void)state;
    sni_fibre_profile profile = sni_fibre_profile_make(beta_rest, beta_active);
    sni_fibre_section section = {&profile, 0.4, 0.02, 0.5};
    snt_random random = {8};
    posed p;
    for (int bent = 0; bent < 2; ++bent) {
        if (bent) {
            arc(&p, 1, 0.25, 29);
        } else {
            straight(&p, 12);
        }
        double worst = 0;
        for (int i = 0; i < 2000; ++i) {
            uint32_t k = 1 + snt_random_u32(&random) % (p.axis.point_count - 2);
            sn_vec3 at = p.points[k];
            at.x += snt_random_range(&random, -0.01, 0.01);
            at.y += snt_random_range(&random, -0.03, 0.03);
            at.z += snt_random_range(&random, -0.03, 0.03);
            sni_distance_value here = sni_fibre_field(&p.axis, &section, at);
            if (sni_fibre_axis_project(&p.axis, at).distance < 0.005) {
                continue; // next to the axis, where directions turn fast
            }
            double step = 1e-7;
            if (is_beside_an_edge(&p.axis, at)) {
                continue;
            }
            sn_vec3 slope = {0, 0, 0};
            double *slopes = &slope.x;
            for (int axis = 0; axis < 3; ++axis) {
                sn_vec3 d = {axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0};
                slopes[axis] = (sni_fibre_field(&p.axis, &section, sn_vec3_add(at, d)).distance -
                                sni_fibre_field(&p.axis, &section, sn_vec3_sub(at, d)).distance) /
                               (2 * step);
            }
            double miss = sn_vec3_distance(slope, here.gradient) / sn_vec3_length(slope);
            worst = fmax(worst, miss);
        }
        assert_true(worst < 1e-5);
    }
}

// The volume inside of the field, by counting cells, over the volume that the width is made for.
static double volume_ratio(const posed *p, const sni_fibre_section *section, double expected) {
    enum { CELLS = 90 };
    sn_vec3 low = p->points[0], high = low;
    for (uint32_t i = 0; i < p->axis.point_count; ++i) {
        low = sn_vec3_min(low, p->points[i]);
        high = sn_vec3_max(high, p->points[i]);
    }
    double rim = 2.2 * section->width;
    sn_vec3 border = {rim, rim, rim};
    low = sn_vec3_sub(low, border);
    sn_vec3 size = sn_vec3_sub(sn_vec3_add(high, border), low);
    size_t inside = 0;
    for (int i = 0; i < CELLS * CELLS * CELLS; ++i) {
        sn_vec3 at = {low.x + size.x * (i % CELLS + 0.5) / CELLS,
                      low.y + size.y * (i / CELLS % CELLS + 0.5) / CELLS,
                      low.z + size.z * (i / CELLS / CELLS + 0.5) / CELLS};
        inside += sni_fibre_field(&p->axis, section, at).distance < 0;
    }
    return size.x * size.y * size.z * (double)inside / (CELLS * CELLS * CELLS) / expected;
}

static void bent_muscles_keep_their_volume(void **state) {
    (void)state;
    sni_fibre_profile profile = sni_fibre_profile_make(beta_rest, beta_active);
    double volume = SN_PI * 0.02 * 0.02 * 0.25;
    posed p;
    for (int i = 0; i < 3; ++i) {
        arc(&p, SN_PI * 0.5 * (i + 0.01), 0.25, 12);
        double width = sni_fibre_width(volume, p.axis.length, 0.25);
        sni_fibre_section section = {&profile, 0.5 * i, width, 0.3 * i};
        snt_near(volume_ratio(&p, &section, volume), 1, 0.01);
    }
    // Widths by length.
    snt_near(sni_fibre_width(3.14159265358979e-4, .2, .25), 0.0223606797749979, 1e-15);
    snt_near(sni_fibre_width(3.14159265358979e-4, .15, .25), 0.0258198889747161, 1e-15);
    snt_near(sni_fibre_width(3.14159265358979e-4, .3, .25), 0.0182574185835055, 1e-15);
    assert_true(sni_fibre_width(1, 0, 0.25) == sni_fibre_width(1, 0.075, 0.25));
}

static void axes_without_length_or_direction_are_defined(void **state) {
    (void)state;
    posed p;
    for (int i = 0; i < 5; ++i) {
        p.points[i] = sn_vec3_make(1, 2, 3);
    }
    finish(&p, 5, sn_vec3_make(0, 1, 0), sn_vec3_make(0, -1, 0));
    snt_near(p.axis.length, 0, 0);
    snt_near(p.starts[2], 0.5, 0);
    sni_fibre_profile profile = sni_fibre_profile_make(beta_rest, beta_active);
    sni_fibre_section section = {&profile, 0, 0.02, 0.8};
    sni_distance_value at = sni_fibre_field(&p.axis, &section, sn_vec3_make(1, 2, 3.5));
    assert_true(isfinite(at.distance) && sn_vec3_is_finite(at.gradient));
    // Normals along the axis: any other is taken, of one sign.
    for (int i = 0; i < 5; ++i) {
        p.points[i] = sn_vec3_make(i, 0, 0);
    }
    finish(&p, 5, sn_vec3_make(1, 0, 0), sn_vec3_make(1, 0, 0));
    for (int i = 0; i < 5; ++i) {
        snt_near(sn_vec3_length(p.normals[i]), 1, 1e-12);
        snt_near(p.normals[i].x, 0, 1e-12);
        assert_true(sn_vec3_dot(p.normals[i], p.normals[0]) > 0.99);
    }
}

static sn_vec3 random_point(snt_random *random) {
    return sn_vec3_make(snt_random_range(random, -0.6, 0.6), snt_random_range(random, -0.3, 0.8),
                        snt_random_range(random, -0.4, 0.4));
}

// Eight points in a box, and a point beside it.
static sni_solid_places random_places(snt_random *random) {
    sn_vec3 middle = random_point(random);
    double size = snt_random_range(random, 0, 0.1);
    const double at[3] = {middle.x, middle.y, middle.z};
    sni_solid_places places;
    float *axes[3] = {places.x, places.y, places.z};
    for (int axis = 0; axis < 3; ++axis) {
        places.box[axis] = INFINITY;
        places.box[3 + axis] = -INFINITY;
        for (int k = 0; k < SNI_SOLID_LANES; ++k) {
            float *place = &axes[axis][k];
            *place = (float)(at[axis] + snt_random_range(random, -size, size));
            places.box[axis] = fminf(places.box[axis], *place);
            places.box[3 + axis] = fmaxf(places.box[3 + axis], *place);
        }
    }
    return places;
}

static double distance_from_box(const float box[6], sn_vec3 at) {
    sn_vec3 low = {box[0], box[1], box[2]}, high = {box[3], box[4], box[5]};
    return sn_vec3_distance(at, sn_vec3_min(sn_vec3_max(at, low), high));
}

typedef struct lane_errors {
    double distance;
    uint32_t gradients; // that are off by a thousandth
} lane_errors;

static void compare_lanes(const posed *p, const sni_fibre_section *section,
                          const sni_solid_places *places, const sni_solid_distances *found,
                          lane_errors *errors) {
    for (int k = 0; k < SNI_SOLID_LANES; ++k) {
        sn_vec3 at = {places->x[k], places->y[k], places->z[k]};
        sni_distance_value right = sni_fibre_field(&p->axis, section, at);
        sn_vec3 gradient = {found->x[k], found->y[k], found->z[k]};
        assert_true(found->bound <= right.distance);
        errors->distance = fmax(errors->distance, fabs(right.distance - found->distances[k]));
        errors->gradients += sn_vec3_distance(gradient, right.gradient) > 1e-3;
    }
}

// Eight points at once, in floats, are told what one is told in doubles. Where feet change from one
// link to another gradients jump, and one of both may be a hair beyond that. No bound says more
// than the distance is, neither in its box nor beside it.
static void eight_points_are_told_the_same(void **state) {
    (void)state;
    enum { TRIES = 2000 };
    static const uint32_t counts[] = {2, 3, 9, 10, 30, 40};
    sn_context *context = snt_context(1);
    snt_random random = {7};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        // The first has open ends.
        sni_fibre_profile profile =
            sni_fibre_profile_make(c == 0 ? (sni_beta){1, 1} : beta_rest, beta_active);
        sni_fibre_section section = {&profile, 0.4, 0.05, 0.8};
        double thickness = section.width * sni_fibre_profile_most(&profile, section.activation);
        sni_solid_view view = {sn_mat4_identity(), 1};
        sni_fibre_lanes *lanes = test_malloc(sni_fibre_lanes_bytes(counts[c]));
        lane_errors errors = {0};
        posed p;
        arc(&p, 4, 1, counts[c]);
        sni_fibre_lanes_make(&p.axis, &section, thickness, &view, lanes);
        for (int i = 0; i < TRIES; ++i) {
            sni_solid_places places = random_places(&random);
            sni_solid_distances found;
            sni_fibre_lanes_field(context, lanes, &places, &found);
            compare_lanes(&p, &section, &places, &found, &errors);
            float bound = sni_fibre_lanes_at_least(context, lanes, places.box);
            sn_vec3 beside = random_point(&random);
            assert_true(bound <= found.bound);
            assert_true(bound - distance_from_box(places.box, beside) <=
                        sni_fibre_field(&p.axis, &section, beside).distance);
        }
        assert_true(errors.distance < 5e-5);
        assert_true(errors.gradients <= SNI_SOLID_LANES * TRIES / 500);
        test_free(lanes);
    }
    snt_context_end(context);
}

// Seen from elsewhere, and as somebody of another size sees it.
static void fibres_are_seen_from_elsewhere(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_fibre_profile profile = sni_fibre_profile_make(beta_rest, beta_active);
    sni_fibre_section section = {&profile, 0.4, 0.05, 0.8};
    double thickness = section.width * sni_fibre_profile_most(&profile, section.activation);
    snt_random random = {8};
    posed p;
    arc(&p, 1, 1, 30);
    sn_transform there = {
        {3, -2, 1},
        sn_quat_from_axis_angle(sn_vec3_normalize_or(sn_vec3_make(1, 2, 3), sn_vec3_make(1, 0, 0)),
                                2),
        {0.5, 0.5, 0.5}};
    sni_solid_view view = {sn_mat4_from_transform(&there), 2};
    sni_fibre_lanes *lanes = test_malloc(sni_fibre_lanes_bytes(30));
    sni_fibre_lanes_make(&p.axis, &section, thickness, &view, lanes);
    sn_mat4 back;
    assert_true(sn_mat4_invert(&view.back, &back));
    for (int i = 0; i < 500; ++i) {
        sn_vec3 at = random_point(&random), seen = sn_mat4_point(&view.back, at);
        sni_solid_places places = {.box = {(float)seen.x, (float)seen.y, (float)seen.z,
                                           (float)seen.x, (float)seen.y, (float)seen.z}};
        sni_solid_distances found;
        for (int k = 0; k < SNI_SOLID_LANES; ++k) {
            places.x[k] = (float)seen.x;
            places.y[k] = (float)seen.y;
            places.z[k] = (float)seen.z;
        }
        sni_fibre_lanes_field(context, lanes, &places, &found);
        // Half of what the floats of lanes may be off, above, as it is seen at half its size.
        snt_near(found.distances[3], sni_fibre_field(&p.axis, &section, at).distance / 2, 2.5e-5);
    }
    test_free(lanes);
    snt_context_end(context);
}

// On both sides of a kink sections turn with the point: the field has no jump where feet go from
// one segment to the other, neither on the outer side of the kink nor on the inner one.
static void sections_turn_around_kinks(void **state) {
    (void)state;
    sni_fibre_profile profile = sni_fibre_profile_make((sni_beta){3, 3}, (sni_beta){3, 3});
    sni_fibre_section section = {&profile, 0, 0.3, 0.95};
    posed p;
    p.points[0] = sn_vec3_make(0, 0, 0);
    p.points[1] = sn_vec3_make(1, 0, 0);
    p.points[2] = sn_vec3_make(1.5, 0.8, 0.3);
    sn_vec3 wide = sn_vec3_normalize_or(sn_vec3_make(0.5, 1, 1), sn_vec3_make(0, 0, 1));
    finish(&p, 3, wide, wide);
    enum { STEPS = 20000 };
    for (int side = -1; side <= 1; side += 2) {
        double before = 0, largest = 0;
        for (int i = 0; i <= STEPS; ++i) {
            double angle = SN_PI * i / STEPS;
            sn_vec3 at = {1 - 0.2 * cos(angle), -0.2 * side * sin(angle), -0.1};
            double here = sni_fibre_field(&p.axis, &section, at).distance;
            largest = i > 0 ? fmax(largest, fabs(here - before)) : 0;
            before = here;
        }
        // The point goes on by 3e-5, and the field is up to 10 times as steep as a distance.
        assert_true(largest < 3e-4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_project_as_in_the_specification),
        cmocka_unit_test(projection_is_continuous_along_random_paths),
        cmocka_unit_test(fields_have_the_values_of_the_specification),
        cmocka_unit_test(gradients_are_those_of_the_field),
        cmocka_unit_test(bent_muscles_keep_their_volume),
        cmocka_unit_test(eight_points_are_told_the_same),
        cmocka_unit_test(fibres_are_seen_from_elsewhere),
        cmocka_unit_test(sections_turn_around_kinks),
        cmocka_unit_test(axes_without_length_or_direction_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
