// SPDX-License-Identifier: Apache-2.0
//
// The monkey's skin in its clips, at the size that is shipped: how deep it gets into the components
// that it hangs on and how far its triangles are stretched, computed here from the points and
// compared with report.json (docs/report.md). Every third frame; all with SINEW_THOROUGH.
#include "body.h"

#include "sinew/geometry.h"

// Every so many vertices are measured here, all of them by the report.
enum { SAMPLE = 31, MOST_FRAMES = 2000 };

// --- Components

// A bone, tissue or muscle that carries skin.
typedef struct part {
    uint32_t surface;
    sn_triangles *triangles;
    sn_accel *accel;
} part;

typedef struct scene {
    body b;
    part *parts;
    uint32_t part_count;
    uint32_t *owners; // part of each SAMPLEth vertex
    double (
        *inverses)[3]; // of each triangle at rest: [1/a, -c/(a b), 1/b] for edges (a, 0), (c, b)
} scene;

static bool carries_skin(const sn_surface *surface) {
    return surface->layer != SN_LAYER_SKIN && !surface->feature && surface->density > 0 &&
           is_closed(surface->mesh);
}

static void find_parts(scene *s) {
    uint32_t count = sn_model_surface_count(s->b.model);
    s->parts = calloc(count, sizeof *s->parts);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_surface *surface = sn_model_surface(s->b.model, i);
        if (carries_skin(surface)) {
            part *p = &s->parts[s->part_count++];
            const float *points = sn_frame_points(s->b.frame, i);
            p->surface = i;
            snt_ok(sn_triangles_create(surface->mesh, points, &p->triangles, error));
            snt_ok(sn_accel_create(s->b.context, points, surface->mesh->vertex_count,
                                   p->triangles->vertices, p->triangles->count, &p->accel, error));
        }
    }
}

static void pose_parts(scene *s) {
    for (uint32_t i = 0; i < s->part_count; ++i) {
        const float *points = sn_frame_points(s->b.frame, s->parts[i].surface);
        snt_ok(sn_accel_update(s->parts[i].accel, points, false, error));
    }
}

// The distance to the nearest part, as the parts stand.
static double nearest_part(const scene *s, sn_vec3 point, uint32_t *nearest) {
    double best = INFINITY;
    for (uint32_t i = 0; i < s->part_count; ++i) {
        sn_closest closest;
        sn_accel_find_closest(s->parts[i].accel, point, best, &closest);
        if (closest.triangle != SN_NONE && closest.distance < best) {
            best = closest.distance;
            *nearest = i;
        }
    }
    return best;
}

static sn_vec3 rest_point(const scene *s, uint32_t vertex) {
    return sn_vec3_load(s->b.mesh->positions + 3 * (size_t)vertex);
}

// --- Depth

// Times that the surface winds around a point: solid angles by Van Oosterom and Strackee (1983).
static double winding(const part *p, const float *points, sn_vec3 point) {
    double sum = 0;
    for (uint32_t t = 0; t < p->triangles->count; ++t) {
        sn_vec3 r[3];
        double n[3];
        for (int k = 0; k < 3; ++k) {
            size_t v = p->triangles->vertices[3 * (size_t)t + k];
            r[k] = sn_vec3_sub(sn_vec3_load(points + 3 * v), point);
            n[k] = sn_vec3_length(r[k]);
        }
        double triple = sn_vec3_dot(r[0], sn_vec3_cross(r[1], r[2]));
        double rest = n[0] * n[1] * n[2] + sn_vec3_dot(r[0], r[1]) * n[2] +
                      sn_vec3_dot(r[1], r[2]) * n[0] + sn_vec3_dot(r[2], r[0]) * n[1];
        sum += 2 * atan2(triple, rest);
    }
    return sum / (4 * SN_PI);
}

// How far a point lies below the surface of a part, as the frame stands; 0 where it is outside or
// not deeper than `least`.
static double depth_in(const scene *s, const part *p, sn_vec3 point, double least) {
    sn_closest closest;
    sn_accel_find_closest(p->accel, point, INFINITY, &closest);
    if (closest.distance <= least ||
        winding(p, sn_frame_points(s->b.frame, p->surface), point) < 0.5) {
        return 0;
    }
    return closest.distance;
}

static double deepest_sample(const scene *s) {
    double deepest = 0;
    for (uint32_t i = 0; SAMPLE * i < s->b.mesh->vertex_count; ++i) {
        sn_vec3 point = skin_point(&s->b, SAMPLE * i);
        deepest = fmax(deepest, depth_in(s, &s->parts[s->owners[i]], point, deepest));
    }
    return deepest;
}

// --- Stretch

static const float *corner(const scene *s, const float *points, uint32_t face, uint32_t k) {
    return points + 3 * (size_t)s->b.mesh->corners[3 * (size_t)face + k];
}

static void edges_of(const scene *s, const float *points, uint32_t face, sn_vec3 edges[2]) {
    sn_vec3 a = sn_vec3_load(corner(s, points, face, 0));
    edges[0] = sn_vec3_sub(sn_vec3_load(corner(s, points, face, 1)), a);
    edges[1] = sn_vec3_sub(sn_vec3_load(corner(s, points, face, 2)), a);
}

// Triangles that are flat at rest have no map: zero.
static void invert_rest(scene *s) {
    const sn_mesh *mesh = s->b.mesh;
    s->inverses = calloc(mesh->face_count, sizeof *s->inverses);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        assert_int_equal(mesh->face_offsets[f], 3 * f);
        sn_vec3 e[2];
        edges_of(s, mesh->positions, f, e);
        double lengths[3] = {sn_vec3_length(e[0]), sn_vec3_length(e[1]),
                             sn_vec3_distance(e[0], e[1])};
        double twice = sn_vec3_length(sn_vec3_cross(e[0], e[1])); // area
        double longest = fmax(lengths[0], fmax(lengths[1], lengths[2]));
        // The smallest sine of an angle: twice the area over the two longer sides.
        double least = fmin(lengths[0], fmin(lengths[1], lengths[2]));
        double middle = lengths[0] + lengths[1] + lengths[2] - longest - least;
        if (twice >= 1e-5 * longest * middle) {
            double a = lengths[0], b = twice / a, c = sn_vec3_dot(e[0], e[1]) / a;
            s->inverses[f][0] = 1 / a;
            s->inverses[f][1] = -c / (a * b);
            s->inverses[f][2] = 1 / b;
        }
    }
}

// The largest singular value of the map F that takes a triangle from rest to where it is: F has the
// columns f and g, and its square is the larger eigenvalue of FtF.
static double stretch_of(const scene *s, const float *points, uint32_t face) {
    sn_vec3 e[2];
    edges_of(s, points, face, e);
    sn_vec3 f = sn_vec3_scale(e[0], s->inverses[face][0]);
    sn_vec3 g =
        sn_vec3_add_scaled(sn_vec3_scale(e[0], s->inverses[face][1]), s->inverses[face][2], e[1]);
    double ff = sn_vec3_dot(f, f), fg = sn_vec3_dot(f, g), gg = sn_vec3_dot(g, g);
    return sqrt((ff + gg) / 2 + sqrt((ff - gg) * (ff - gg) / 4 + fg * fg));
}

static double largest_stretch(const scene *s, uint32_t *face) {
    const float *points = sn_frame_points(s->b.frame, s->b.skin);
    double largest = 0;
    for (uint32_t f = 0; f < s->b.mesh->face_count; ++f) {
        double stretch = stretch_of(s, points, f);
        if (!(stretch <= largest)) {
            largest = stretch;
            *face = f;
        }
    }
    return largest;
}

// --- The monkey

static scene make_scene(sn_context *context) {
    scene s = {.b = make_body(load_body(context, MONKEY))};
    snt_ok(sn_frame_evaluate(s.b.frame, NULL, 0, error));
    find_parts(&s);
    invert_rest(&s);
    s.owners = calloc(s.b.mesh->vertex_count / SAMPLE + 1, sizeof *s.owners);
    for (uint32_t i = 0; SAMPLE * i < s.b.mesh->vertex_count; ++i) {
        nearest_part(&s, rest_point(&s, SAMPLE * i), &s.owners[i]);
    }
    return s;
}

static void end_scene(scene *s) {
    for (uint32_t i = 0; i < s->part_count; ++i) {
        sn_accel_destroy(s->parts[i].accel);
        sn_triangles_destroy(s->parts[i].triangles);
    }
    free(s->parts);
    free(s->owners);
    free(s->inverses);
    end_body(&s->b);
}

// What was found in a frame.
typedef struct figures {
    double sampled, depth; // here, of some vertices, and by the report, of all
    double stretch;
    uint32_t face;
} figures;

static const sn_value *contact(const sn_value *frame, const char *key) {
    return sn_value_get(sn_value_get(sn_value_get(frame, "contact"), "skin"), key);
}

// The report measures all vertices, so that it finds at least what the samples find.
static void compare(const sn_value *frame, figures *f) {
    const sn_value *triangle = sn_value_get(sn_value_get(frame, "skin"), "triangle");
    f->depth = sn_value_number(contact(frame, "depth"), -1);
    snt_near(sn_value_number(sn_value_get(triangle, "stretch"), -1) / f->stretch, 1, 1e-4);
    assert_true(f->depth >= f->sampled - 1e-6);
}

// The vertex that the report names hangs on the part that it names, and is as deep in it.
static void check_named_vertex(scene *s, const sn_motion *motion, uint32_t number,
                               const sn_value *frame) {
    uint32_t vertex = (uint32_t)sn_value_number(contact(frame, "vertex"), -1), owner = SN_NONE;
    snt_ok(sn_frame_evaluate(s->b.frame, NULL, 0, error));
    pose_parts(s);
    nearest_part(s, rest_point(s, vertex), &owner);
    assert_string_equal(sn_model_surface(s->b.model, s->parts[owner].surface)->name,
                        sn_value_string(contact(frame, "component"), ""));
    snt_ok(sn_frame_evaluate(s->b.frame, motion, number, error));
    pose_parts(s);
    snt_near(depth_in(s, &s->parts[owner], skin_point(&s->b, vertex), 0),
             sn_value_number(contact(frame, "depth"), -1), 1e-6);
}

// Plays a clip, every `step`th frame of it, and measures each.
static sn_json *measure(scene *s, const sn_motion *motion, uint32_t step, figures *found) {
    sn_report *report = NULL;
    snt_ok(sn_report_create(s->b.model, &report, error));
    for (uint32_t f = 0; f < sn_motion_frame_count(motion); f += step) {
        snt_ok(sn_frame_evaluate(s->b.frame, motion, f, error));
        snt_ok(sn_report_add(report, s->b.frame, f, error));
        pose_parts(s);
        found[f / step].sampled = deepest_sample(s);
        found[f / step].stretch = largest_stretch(s, &found[f / step].face);
    }
    sn_json *json = read_report_of(s->b.context, report);
    sn_report_destroy(report);
    return json;
}

// The limits: no vertex deeper in its component than 1 % of the height of the skin at rest (with
// the tail), no triangle stretched beyond three times. Says where they do not hold.
static uint32_t count_beyond(const scene *s, const sn_motion *motion, uint32_t number,
                             const sn_value *frame, const figures *f) {
    bool deep = !(f->depth <= 0.01 * s->b.height), stretched = !(f->stretch <= 3);
    if (deep) {
        print_error("%s, frame %u: vertex %.0f is %g of the height within %s\n",
                    sn_motion_name(motion), number, sn_value_number(contact(frame, "vertex"), -1),
                    f->depth / s->b.height, sn_value_string(contact(frame, "component"), ""));
    }
    if (stretched) {
        sn_vec3 p = rest_point(s, s->b.mesh->corners[3 * (size_t)f->face]);
        print_error("%s, frame %u: triangle %u, at (%g, %g, %g) at rest, is stretched %g times\n",
                    sn_motion_name(motion), number, f->face, p.x, p.y, p.z, f->stretch);
    }
    return (uint32_t)deep + (uint32_t)stretched;
}

static uint32_t frame_step(void) {
    if (BODY_SLOW) {
        return 12;
    }
    return snt_thorough() ? 1 : 3;
}

static uint32_t check_clip(scene *s, uint32_t clip) {
    static figures found[MOST_FRAMES];
    sn_motion *motion = open_clip(&s->b, clip);
    uint32_t frames = sn_motion_frame_count(motion), step = frame_step();
    assert_true(frames <= MOST_FRAMES);
    sn_json *json = measure(s, motion, step, found);
    const sn_value *entries = sn_json_find(json, "/frames");
    uint32_t deepest = 0, beyond = 0;
    for (uint32_t i = 0; i < sn_value_count(entries); ++i) {
        compare(sn_value_at(entries, i), &found[i]);
        beyond += count_beyond(s, motion, i * step, sn_value_at(entries, i), &found[i]);
        deepest = found[i].depth > found[deepest].depth ? i : deepest;
    }
    if (found[deepest].depth > 0) {
        check_named_vertex(s, motion, deepest * step, sn_value_at(entries, deepest));
    }
    sn_json_destroy(json);
    sn_motion_destroy(motion);
    return beyond;
}

static void skin_stays_out_and_whole(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    scene s = make_scene(context);
    uint32_t beyond = 0;
    for (uint32_t c = 0; c < sn_model_clip_count(s.b.model); ++c) {
        beyond += check_clip(&s, c);
    }
    assert_int_equal(beyond, 0);
    end_scene(&s);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skin_stays_out_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
