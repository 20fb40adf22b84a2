// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include "geometry/triangle.h"
#include "skin/wrap/bind.h"
#include "skin/wrap/nearest.h"
#include "skin/wrap/reach.h"

#include <stdlib.h>

static const sni_wrap_settings standard = {.local = 6, .reach = 3, .cut = 0.01, .elements = 32};

typedef struct fixture {
    sn_context *context;
    sn_mesh *driver, *points;
    sni_wrap_surface surface;
    sni_wrap_settings settings;
    sni_wrap_rows rows;
    sni_wrap_report report;
} fixture;

static void set_up(fixture *f, sn_mesh *driver, sn_mesh *points) {
    f->driver = driver;
    f->points = points;
    snt_ok(sni_wrap_surface_init(f->context, driver, &f->surface, error));
    if (f->settings.unit == 0) {
        f->settings.unit = f->surface.mean_edge / 2;
    }
}

static void enrol(fixture *f) {
    sni_wrap_rows_deinit(f->context, &f->rows);
    snt_ok(sni_wrap_register(&f->surface, &f->settings, NULL, f->points->vertex_count,
                             f->points->positions, NULL, &f->rows, &f->report, error));
}

static void tear_down(fixture *f) {
    sni_wrap_rows_deinit(f->context, &f->rows);
    sni_wrap_surface_deinit(&f->surface);
    sn_mesh_destroy(f->driver);
    sn_mesh_destroy(f->points);
    snt_context_end(f->context);
}

static double row_sum(const sni_blend_row *row) {
    double sum = 0;
    for (uint32_t i = 0; i < row->count; ++i) {
        sum += row->values[i];
    }
    return sum;
}

// The share of an element, 0 when it is not in the row.
static double share_of(const sni_blend_row *row, uint32_t element) {
    double sum = 0;
    for (uint32_t i = 0; i < row->count; ++i) {
        sum += row->elements[i] == element ? row->values[i] : 0;
    }
    return sum / row_sum(row);
}

// The distance from a point to a triangle by dense sampling of its inside and its sides.
static double sampled_distance(const sn_mesh *driver, const uint32_t *v, sn_vec3 p) {
    sn_vec3 a = sn_vec3_load(driver->positions + 3 * (size_t)v[0]);
    sn_vec3 b = sn_vec3_load(driver->positions + 3 * (size_t)v[1]);
    sn_vec3 c = sn_vec3_load(driver->positions + 3 * (size_t)v[2]);
    double least = INFINITY;
    for (int i = 0; i <= 60; ++i) {
        for (int k = 0; k <= 60 - i; ++k) {
            sn_vec3 q = sn_vec3_scale(a, 1 - (i + k) / 60.0);
            q = sn_vec3_add_scaled(sn_vec3_add_scaled(q, i / 60.0, b), k / 60.0, c);
            least = fmin(least, sn_vec3_distance(p, q));
        }
    }
    return least;
}

// Two triangles at heights 0 and 3 above and below the point: the paper's weights with unit 1.
static void unit_one_is_the_papers_form(void **state) {
    (void)state;
    const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 1, 0, 3, 0, 1, 3};
    const uint32_t faces[] = {0, 1, 2, 3, 4, 5};
    for (int local = 0; local <= 5; ++local) {
        fixture f = {.context = snt_context(1), .settings = standard};
        f.settings.unit = 1;
        f.settings.local = local == 5 ? 2.5 : local;
        f.settings.reach = 0;
        f.settings.cut = 0;
        sn_mesh *points = snt_cloud(f.context, 1, 0, 0, 1);
        memcpy(points->positions, (float[3]){0.25f, 0.25f, 1}, 12);
        set_up(&f, snt_triangles(f.context, 6, corners, 2, faces), points);
        enrol(&f);
        double near = 1 / (1 + pow(1, f.settings.local));
        double far = 1 / (1 + pow(2, f.settings.local));
        snt_near(share_of(&f.rows.rows[0], 0), near / (near + far), 1e-6);
        snt_near(share_of(&f.rows.rows[0], 1), far / (near + far), 1e-6);
        snt_near(sni_wrap_influence(&f.settings, 2), far, 1e-15);
        tear_down(&f);
    }
}

// All elements in double, with distances by sampling, against what was kept.
static void the_cut_keeps_its_bound(void **state) {
    (void)state;
    fixture f = {.context = snt_context(2), .settings = standard};
    f.settings.reach = 0;
    f.settings.elements = 0;
    set_up(&f, snt_sheet(f.context, 9, 0), snt_cloud(f.context, 40, -0.3, 0.3, 5));
    for (int k = 0; k < 3; ++k) {
        f.settings.cut = (double[]){0.01, 0.1, 1e-4}[k];
        enrol(&f);
        for (uint32_t i = 0; i < f.points->vertex_count; ++i) {
            const sni_blend_row *row = &f.rows.rows[i];
            sn_vec3 p = sn_vec3_load(f.points->positions + 3 * (size_t)i);
            double all = 0, kept = 0, smallest_kept = INFINITY, largest_lost = 0;
            for (uint32_t t = 0; t < f.surface.count; ++t) {
                const uint32_t *v = f.surface.triangles->vertices + 3 * (size_t)t;
                double influence =
                    sni_wrap_influence(&f.settings, sampled_distance(f.driver, v, p));
                bool is_kept = share_of(row, t) > 0;
                all += influence;
                kept += is_kept ? influence : 0;
                smallest_kept = is_kept ? fmin(smallest_kept, influence) : smallest_kept;
                largest_lost = is_kept ? largest_lost : fmax(largest_lost, influence);
            }
            // Sampling is off by a sixtieth of a side.
            assert_true(1 - kept / all <= f.settings.cut * 1.05);
            assert_true(largest_lost <= smallest_kept * 1.2);
        }
        assert_true(f.report.largest_loss <= f.settings.cut);
        assert_int_equal(f.report.limited, 0);
    }
    tear_down(&f);
}

static double exact_distance(const sni_wrap_surface *s, uint32_t triangle, const float *point) {
    uint32_t sorted[3];
    double weights[3];
    sni_triangle_sort(s->positions, s->triangles->vertices + 3 * (size_t)triangle, sorted, NULL);
    sni_triangle t = sni_triangle_load(s->positions, sorted);
    return sqrt(sni_triangle_closest(&t, sn_vec3_load(point), weights));
}

// The share of its weight that a point has lost, against all elements in double. The weight of the
// nearest is never lowered.
static double exact_loss(const fixture *f, uint32_t point) {
    const sni_blend_row *row = &f->rows.rows[point];
    const float *p = f->points->positions + 3 * (size_t)point;
    double all = 0, most = 0, largest = 0;
    for (uint32_t t = 0; t < f->surface.count; ++t) {
        double influence = sni_wrap_influence(&f->settings, exact_distance(&f->surface, t, p));
        all += influence;
        most = fmax(most, influence);
    }
    for (uint32_t i = 0; i < row->count; ++i) {
        largest = fmax(largest, row->values[i]);
    }
    return 1 - row_sum(row) / largest * most / all;
}

// Triangles from a hundredth of the mean edge to several: no radius suits all of their points.
static void the_bound_holds_on_uneven_drivers_and_far_from_them(void **state) {
    (void)state;
    fixture f = {.context = snt_context(2), .settings = standard};
    f.settings.reach = 0;
    f.settings.elements = 0;
    sn_mesh *driver = snt_sheet(f.context, 14, 0);
    sn_mesh *points = snt_cloud(f.context, 300, -0.4, 0.4, 8);
    for (uint32_t i = 0; i < driver->vertex_count; ++i) {
        driver->positions[3 * (size_t)i] = powf(driver->positions[3 * (size_t)i], 3);
    }
    for (uint32_t i = 0; i < 200; ++i) {
        points->positions[3 * (size_t)i] = powf(points->positions[3 * (size_t)i], 4);
        points->positions[3 * (size_t)i + 2] *= i < 100 ? 0.02f : 0.2f;
    }
    set_up(&f, driver, points);
    for (int k = 0; k < 4; ++k) {
        f.settings.local = (double[]){6, 4, 3, 12}[k];
        enrol(&f);
        double largest = 0;
        for (uint32_t i = 0; i < f.points->vertex_count; ++i) {
            double loss = exact_loss(&f, i);
            assert_true(loss <= f.settings.cut * (1 + 1e-4));
            largest = fmax(largest, loss);
        }
        // A good part of what may be lost is.
        assert_true(largest > 0.05 * f.settings.cut);
    }
    tear_down(&f);
}

// In any unit of length, and wherever the search begins.
static void the_nearest_element_equals_brute_force(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        float scale = (float[]){1, 1000, 1e-21f, 1e22f}[k];
        fixture f = {.context = snt_context(1), .settings = standard};
        sn_mesh *driver = snt_sheet(f.context, 7, 0);
        sn_mesh *points = snt_cloud(f.context, 300, -0.3, 0.3, 13);
        // Some at vertices, where up to six triangles are equally near.
        memcpy(points->positions, driver->positions, 60 * sizeof(float));
        for (uint32_t i = 0; i < 3 * driver->vertex_count; ++i) {
            driver->positions[i] *= scale;
        }
        for (uint32_t i = 0; i < 3 * points->vertex_count; ++i) {
            points->positions[i] *= scale;
        }
        set_up(&f, driver, points);
        for (uint32_t i = 0; i < points->vertex_count; ++i) {
            const float *p = points->positions + 3 * (size_t)i;
            uint32_t slot = i * 31 % f.surface.count, nearest = 0;
            double distance = sni_wrap_nearest(&f.surface, p, &slot);
            for (uint32_t t = 1; t < f.surface.count; ++t) {
                bool is_nearer =
                    exact_distance(&f.surface, t, p) < exact_distance(&f.surface, nearest, p);
                nearest = is_nearer ? t : nearest;
            }
            assert_int_equal(f.surface.tree.slots[slot].triangle, nearest);
            snt_near(distance / scale, exact_distance(&f.surface, nearest, p) / scale, 0);
        }
        tear_down(&f);
    }
}

// Near the driver 36 elements keep 99 %: what the standard exponent was chosen for.
static void the_standard_keeps_at_most_36_elements(void **state) {
    (void)state;
    fixture f = {.context = snt_context(2), .settings = standard};
    f.settings.elements = 0;
    set_up(&f, snt_sheet(f.context, 24, 0), snt_cloud(f.context, 3000, -0.02, 0.02, 9));
    enrol(&f);
    assert_in_range(f.report.widest, 4, 36);
    assert_true(f.report.largest_loss <= 0.01);
    tear_down(&f);
}

static void the_limit_keeps_the_largest_and_says_what_is_lost(void **state) {
    (void)state;
    fixture f = {.context = snt_context(2), .settings = standard};
    set_up(&f, snt_sheet(f.context, 16, 0), snt_cloud(f.context, 300, -0.6, 0.6, 3));
    f.settings.elements = 0;
    f.settings.reach = 0;
    enrol(&f);
    sni_wrap_rows full = f.rows;
    f.rows = (sni_wrap_rows){0};
    f.settings.elements = 8;
    enrol(&f);
    assert_int_equal(f.report.widest, 8);
    assert_true(f.report.limited > 0 && f.report.largest_loss > 0.01);
    double largest_loss = 0;
    for (uint32_t i = 0; i < f.points->vertex_count; ++i) {
        const sni_blend_row *row = &f.rows.rows[i];
        double smallest = INFINITY;
        uint32_t larger = 0;
        for (uint32_t k = 0; k < row->count; ++k) {
            smallest = fmin(smallest, share_of(&full.rows[i], row->elements[k]));
        }
        for (uint32_t k = 0; k < full.rows[i].count; ++k) {
            double share = full.rows[i].values[k] / row_sum(&full.rows[i]);
            larger += share > smallest * 1.001;
        }
        assert_true(larger < 8);
        largest_loss = fmax(largest_loss, 1 - row_sum(row) / row_sum(&full.rows[i]));
    }
    assert_true(f.report.largest_loss >= largest_loss * 0.99);
    sni_wrap_rows_deinit(f.context, &full);
    tear_down(&f);
}

// The larger `local`, the less weight lies beyond one unit.
static void influence_is_monotone_in_local(void **state) {
    (void)state;
    fixture f = {.context = snt_context(1), .settings = standard};
    f.settings.cut = 0;
    f.settings.elements = 0;
    f.settings.reach = 0;
    set_up(&f, snt_sheet(f.context, 10, 0), snt_cloud(f.context, 30, -0.05, 0.05, 7));
    double before[30];
    for (int step = 0; step < 8; ++step) {
        f.settings.local = (double[]){0, 0.5, 1, 2, 3.5, 6, 12, 32}[step];
        enrol(&f);
        for (uint32_t i = 0; i < 30; ++i) {
            sn_vec3 p = sn_vec3_load(f.points->positions + 3 * (size_t)i);
            double beyond = 0;
            for (uint32_t t = 0; t < f.surface.count; ++t) {
                const uint32_t *v = f.surface.triangles->vertices + 3 * (size_t)t;
                if (sampled_distance(f.driver, v, p) > 1.1 * f.settings.unit) {
                    beyond += share_of(&f.rows.rows[i], t);
                }
            }
            assert_true(step == 0 || beyond < before[i] || beyond < 1e-12);
            before[i] = beyond;
        }
    }
    tear_down(&f);
}

static void far_points_still_have_weights(void **state) {
    (void)state;
    fixture f = {.context = snt_context(1), .settings = standard};
    f.settings.local = 32;
    set_up(&f, snt_sheet(f.context, 4, 0), snt_cloud(f.context, 3, 0, 0, 7));
    f.points->positions[2] = 1e3f;
    f.points->positions[5] = 1e6f;
    f.points->positions[8] = 1e12f;
    enrol(&f);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_in_range(f.rows.rows[i].count, 1, 32);
        assert_true(row_sum(&f.rows.rows[i]) >= 0.5);
    }
    tear_down(&f);
}

// Two sheets close to each other, not joined: a point follows the one that it lies on.
static void other_components_do_not_count(void **state) {
    (void)state;
    fixture f = {.context = snt_context(2), .settings = standard};
    sn_mesh *low = snt_sheet(f.context, 8, 0), *high = snt_sheet(f.context, 8, 0.03);
    sn_mesh *both = NULL;
    uint32_t n = low->vertex_count;
    snt_ok(sn_mesh_create(f.context, "both", 2 * n, 128, 512, &both, error));
    memcpy(both->positions, low->positions, 12 * n);
    memcpy(both->positions + 3 * n, high->positions, 12 * n);
    for (uint32_t i = 0; i < 256; ++i) {
        both->corners[i] = low->corners[i];
        both->corners[256 + i] = low->corners[i] + n;
        both->face_offsets[i / 2] = i / 2 * 4;
    }
    sn_mesh_destroy(low);
    sn_mesh_destroy(high);
    set_up(&f, both, snt_cloud(f.context, 500, -0.01, 0.01, 4));
    enrol(&f);
    for (uint32_t i = 0; i < 500; ++i) {
        for (uint32_t k = 0; k < f.rows.rows[i].count; ++k) {
            assert_true(f.rows.rows[i].elements[k] < f.surface.count / 2);
        }
    }
    // Without separation the other sheet takes its share.
    f.settings.reach = 0;
    enrol(&f);
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 500; ++i) {
        for (uint32_t k = 0; k < f.rows.rows[i].count; ++k) {
            shared += f.rows.rows[i].elements[k] >= f.surface.count / 2;
        }
    }
    assert_true(shared > 500);
    tear_down(&f);
}

// A strip folded like a hairpin: two legs side by side, joined at one end.
static sn_mesh *hairpin(sn_context *context, uint32_t length, double gap) {
    uint32_t rows = 2 * length + 2;
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "legs", 2 * rows, rows - 1, 4 * (rows - 1), &mesh, error));
    for (uint32_t i = 0; i < rows; ++i) {
        bool is_back = i > length;
        double x = 0.1 * (is_back ? rows - 1 - i : i), z = is_back ? gap : 0;
        sn_vec3_store(sn_vec3_make(x, 0, z), mesh->positions + 6 * (size_t)i);
        sn_vec3_store(sn_vec3_make(x, 0.1, z), mesh->positions + 6 * (size_t)i + 3);
        if (i + 1 < rows) {
            const uint32_t quad[4] = {2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1};
            mesh->face_offsets[i] = 4 * i;
            memcpy(mesh->corners + 4 * (size_t)i, quad, sizeof quad);
        }
    }
    return mesh;
}

static void legs_do_not_follow_each_other(void **state) {
    (void)state;
    fixture f = {.context = snt_context(1), .settings = standard};
    sn_mesh *points = snt_cloud(f.context, 20, 0, 0, 1);
    for (uint32_t i = 0; i < 20; ++i) {
        sn_vec3_store(sn_vec3_make(0.1 * i, 0.05, 0.01), points->positions + 3 * (size_t)i);
    }
    set_up(&f, hairpin(f.context, 20, 0.06), points);
    enrol(&f);
    for (uint32_t i = 0; i < 20; ++i) {
        for (uint32_t k = 0; k < f.rows.rows[i].count; ++k) {
            uint32_t element = f.rows.rows[i].elements[k];
            bool is_back = f.surface.centres[element].z > 0.05;
            // The way through the bend is short only near it.
            assert_true(!is_back || f.surface.centres[element].x > 1.5);
        }
    }
    tear_down(&f);
}

// The shortest ways between all places by brute force (Floyd and Warshall).
static double *all_ways(const sni_wrap_surface *s) {
    uint32_t n = s->place_count;
    double *ways = malloc(n * n * sizeof *ways);
    for (uint32_t i = 0; i < n * n; ++i) {
        ways[i] = i / n == i % n ? 0 : INFINITY;
    }
    for (uint32_t t = 0; t < s->count; ++t) {
        for (int k = 0; k < 3; ++k) {
            uint32_t a = s->places[3 * t + k], b = s->places[3 * t + (k + 1) % 3];
            ways[a * n + b] = ways[b * n + a] =
                sn_vec3_distance(sni_wrap_place(s, a), sni_wrap_place(s, b));
        }
    }
    for (uint32_t m = 0; m < n; ++m) {
        for (uint32_t i = 0; i < n * n; ++i) {
            ways[i] = fmin(ways[i], ways[i / n * n + m] + ways[m * n + i % n]);
        }
    }
    return ways;
}

// The fade of an element for a foot at weights of the corners of `nearest`, as reach.h has it.
static double exact_fade(const sni_wrap_surface *s, const double *ways, uint32_t nearest,
                         const double weights[3], double reach, uint32_t element) {
    double way = 0;
    sn_vec3 q = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        uint32_t corner = s->places[3 * nearest + i];
        double least = INFINITY;
        for (int k = 0; k < 3; ++k) {
            least = fmin(least, ways[corner * s->place_count + s->places[3 * element + k]]);
        }
        way += weights[i] * least;
        q = sn_vec3_add_scaled(q, weights[i], sni_wrap_place(s, corner));
    }
    float foot[3];
    sn_vec3_store(q, foot);
    double near = exact_distance(s, element, foot);
    double limit = reach * near + 2 * s->mean_edge;
    double y = (limit - way) / (fmax(reach - 1, 0) / 2 * near + s->mean_edge);
    y = fmin(fmax(y, 0), 1);
    return y * y * (3 - 2 * y);
}

// Feet all over an element: what is left out fades to 0 at all of them, and nothing fades where all
// is said to count wholly.
static void check_reach(const sni_wrap_surface *s, const double *ways, sni_wrap_reach *scratch,
                        uint32_t nearest, double reach, uint32_t *whole) {
    uint32_t *elements = malloc(s->count * sizeof *elements), count = s->count;
    float *found = malloc(3 * s->count * sizeof *found);
    for (uint32_t t = 0; t < s->count; ++t) {
        elements[t] = t;
    }
    bool is_whole = sni_wrap_reach_filter(s, scratch, nearest, reach, elements, &count, found);
    for (int foot = 0; foot < 25; ++foot) {
        double u = foot / 5 / 4.0, v = foot % 5 / 4.0 * (1 - u);
        const double weights[3] = {1 - u - v, u, v};
        uint32_t next = 0;
        for (uint32_t t = 0; t < s->count; ++t) {
            double fade = exact_fade(s, ways, nearest, weights, reach, t);
            bool is_in = next < count && elements[next] == t;
            assert_true(is_in ? !is_whole || fade > 1 - 1e-6 : fade < 1e-6);
            for (int i = 0; i < 3 && is_in && !is_whole; ++i) {
                double least = INFINITY;
                for (int k = 0; k < 3; ++k) {
                    least = fmin(
                        least,
                        ways[s->places[3 * nearest + i] * s->place_count + s->places[3 * t + k]]);
                }
                snt_near(found[3 * next + i], least, 1e-5);
            }
            next += is_in;
        }
        assert_int_equal(next, count);
    }
    *whole += is_whole;
    free(elements);
    free(found);
}

static void reach_equals_brute_force(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        fixture f = {.context = snt_context(1), .settings = standard};
        set_up(&f, kind == 0 ? hairpin(f.context, 12, 0.08) : snt_sheet(f.context, 5, 0),
               snt_cloud(f.context, 1, 0, 0, 1));
        double *ways = all_ways(&f.surface);
        sni_wrap_reach scratch;
        snt_ok(sni_wrap_reach_init(&f.surface, &scratch, error));
        uint32_t whole = 0;
        for (uint32_t nearest = 0; nearest < f.surface.count; ++nearest) {
            check_reach(&f.surface, ways, &scratch, nearest, 3, &whole);
        }
        // On an open sheet no way is much longer than straight, on a hairpin nearly all
        // are.
        assert_true(kind == 0 ? whole < 5 : whole > f.surface.count * 3 / 4);
        sni_wrap_reach_deinit(f.context, &scratch);
        free(ways);
        tear_down(&f);
    }
}

// The largest change of the weights from one point to the next (half the sum of the changes of all
// elements, so that 1 means that nothing of what was followed still is), for points along a line.
static double largest_change(fixture *f, sn_vec3 from, sn_vec3 to) {
    double *now = calloc(2 * f->surface.count, sizeof *now), *before = now + f->surface.count;
    uint32_t count = f->points->vertex_count;
    double largest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double along = (double)i / (count - 1);
        sn_vec3_store(sn_vec3_add_scaled(from, along, sn_vec3_sub(to, from)),
                      f->points->positions + 3 * (size_t)i);
    }
    enrol(f);
    for (uint32_t i = 0; i < count; ++i) {
        const sni_blend_row *row = &f->rows.rows[i];
        double change = 0, sum = row_sum(row);
        memcpy(before, now, f->surface.count * sizeof *now);
        memset(now, 0, f->surface.count * sizeof *now);
        for (uint32_t k = 0; k < row->count; ++k) {
            now[row->elements[k]] = row->values[k] / sum;
        }
        for (uint32_t t = 0; t < f->surface.count; ++t) {
            change += fabs(now[t] - before[t]) / 2;
        }
        largest = i > 0 ? fmax(largest, change) : 0;
    }
    free(now);
    return largest;
}

// Steps of 0.1 mm where edges have 113 mm, from element to element and across the borders of
// separation: in a step weights change by less than 0.002, which is 2.3 times the step in edges.
static void weights_are_continuous(void **state) {
    (void)state;
    static const struct {
        sn_vec3 from, to;
    } walks[] = {
        {{0.005, 0.031, 0.004}, {2.02, 0.067, 0.013}}, // along a leg to the bend
        {{2.095, 0.05, -0.02}, {2.095, 0.05, 0.05}},   // around the bend
        {{1.85, 0.02, 0.012}, {1.97, 0.09, 0.013}},    // where the other leg comes in
        {{1.2, 0.05, -0.3}, {1.9, 0.05, -0.01}},       // from afar
    };
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; ++i) {
        fixture f = {.context = snt_context(2), .settings = standard};
        f.settings.elements = 0;
        double length = sn_vec3_distance(walks[i].from, walks[i].to);
        set_up(&f, hairpin(f.context, 20, 0.06),
               snt_cloud(f.context, (uint32_t)(length / 0.0001), 0, 0, 1));
        double change = largest_change(&f, walks[i].from, walks[i].to);
        assert_true(change < 0.002);
        tear_down(&f);
    }
}

// Faces that share places but no vertices are one surface.
static void a_soup_is_one_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *sheet = snt_sheet(context, 4, 0), *soup = NULL;
    snt_ok(sn_mesh_create(context, "soup", 64, 16, 64, &soup, error));
    for (uint32_t i = 0; i < 64; ++i) {
        memcpy(soup->positions + 3 * i, sheet->positions + 3 * sheet->corners[i], 12);
        soup->corners[i] = i;
        soup->face_offsets[i / 4] = i / 4 * 4;
    }
    sni_wrap_surface surface;
    snt_ok(sni_wrap_surface_init(context, soup, &surface, error));
    assert_int_equal(surface.place_count, 25);
    for (uint32_t i = 0; i < 25; ++i) {
        assert_int_equal(surface.components[i], 0);
    }
    sni_wrap_surface_deinit(&surface);
    sn_mesh_destroy(sheet);
    sn_mesh_destroy(soup);
    snt_context_end(context);
}

// The row of a point does not depend on its company.
static void rows_depend_on_their_point_alone(void **state) {
    (void)state;
    fixture f = {.context = snt_context(2), .settings = standard};
    set_up(&f, snt_sheet(f.context, 12, 0), snt_cloud(f.context, 3000, -0.1, 0.4, 11));
    enrol(&f);
    for (uint32_t i = 0; i < 3000; i += 97) {
        sni_wrap_rows one = {0};
        sni_wrap_report report;
        snt_ok(sni_wrap_register(&f.surface, &f.settings, NULL, 1,
                                 f.points->positions + 3 * (size_t)i, NULL, &one, &report, error));
        assert_int_equal(one.rows[0].count, f.rows.rows[i].count);
        assert_memory_equal(one.rows[0].elements, f.rows.rows[i].elements, 4 * one.rows[0].count);
        assert_memory_equal(one.rows[0].values, f.rows.rows[i].values, 4 * one.rows[0].count);
        sni_wrap_rows_deinit(f.context, &one);
    }
    tear_down(&f);
}

static void a_driver_without_triangles_is_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *cloud = snt_cloud(context, 4, 0, 1, 1);
    sni_wrap_surface surface;
    snt_fails(SN_INVALID, "\"cloud\" has 0 triangles",
              sni_wrap_surface_init(context, cloud, &surface, error));
    sn_mesh_destroy(cloud);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unit_one_is_the_papers_form),
        cmocka_unit_test(the_cut_keeps_its_bound),
        cmocka_unit_test(the_bound_holds_on_uneven_drivers_and_far_from_them),
        cmocka_unit_test(the_nearest_element_equals_brute_force),
        cmocka_unit_test(the_standard_keeps_at_most_36_elements),
        cmocka_unit_test(the_limit_keeps_the_largest_and_says_what_is_lost),
        cmocka_unit_test(influence_is_monotone_in_local),
        cmocka_unit_test(far_points_still_have_weights),
        cmocka_unit_test(other_components_do_not_count),
        cmocka_unit_test(legs_do_not_follow_each_other),
        cmocka_unit_test(reach_equals_brute_force),
        cmocka_unit_test(weights_are_continuous),
        cmocka_unit_test(a_soup_is_one_surface),
        cmocka_unit_test(rows_depend_on_their_point_alone),
        cmocka_unit_test(a_driver_without_triangles_is_refused),
    };
    return cmocka_run_group_tests_name("skin/wrap_bind", tests, NULL, NULL);
}
