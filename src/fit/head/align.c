// SPDX-License-Identifier: Apache-2.0
//
// A body is searched for its head along each axis: sections become wider from the top of the head
// on and narrower again to the neck. Top and neck of both heads give place and scale of a start,
// which closest points make better (Besl and McKay, A method for registration of 3-D shapes, 1992).
#include "fit/head/align.h"

#include "base/context.h"
#include "geometry/triangle.h"

#include <string.h>

enum {
    PROBES = 4000,  // points that sections are made of, and that measure a fit
    POINTS = 400,   // points of the known head that look for closest ones
    SECTIONS = 160, // of a mesh along an axis
    ROUNDS = 24,    // of closest points; half of them, with every third point, for a first look
    BEST = 6,       // starts that are looked at again
    SCALES = 3,
    TURNS = 24, // by right angles
    TILTS = 9,  // of each: none, and eight others
    NEAR = 16,  // starts around the best end
    STARTS = TURNS * TILTS * SCALES + NEAR + BEST,
};

// The scale may leave that of the start by this factor; a head without a neck begins at these.
static const double scale_room = 1.6;
static const double scales[SCALES] = {1, 0.8, 1.25};

// Places that are this far apart in the known head's metres, or face elsewhere, do not fit.
static const double misfit_cap = 0.02;
static const double least_dot = 0.3;

// How far tilted starts are turned, and those around the best end, degrees.
static const double wide_tilt = 40, near_tilts[2] = {15, 30};

// Below this misfit no tilted starts are tried: the heads of the test data end at 0.003 to 0.006
// upright, and from 0.009 on the wrong way round.
static const double good_fit = 0.0065;

// ---------------------------------------------------------------------------------------------
// Samples

sn_status sni_head_surface_sample(const sni_head_surface *s, uint32_t count, sn_vec3 *points,
                                  sn_vec3 *normals, sn_error *error) {
    double total = 0;
    sn_vec3 c[3];
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        sni_triangle_corners(s->positions, s->vertices + 3 * (size_t)t, c);
        total += sni_triangle_area(c[0], c[1], c[2]);
    }
    if (!(total > 0)) {
        return sni_fail(error, SN_INVALID, "the head has no area");
    }
    // Every `step` of area there is a point; where it lies in its triangle two rotations by
    // irrational parts say, so that points of one triangle are spread, too.
    double step = total / count, passed = 0;
    uint32_t made = 0;
    for (uint32_t t = 0; t < s->triangle_count && made < count; ++t) {
        sni_triangle_corners(s->positions, s->vertices + 3 * (size_t)t, c);
        passed += sni_triangle_area(c[0], c[1], c[2]);
        for (; made < count && (made + 0.5) * step <= passed; ++made) {
            double u = fmod(made * 0.7548776662466927, 1), v = fmod(made * 0.5698402909980532, 1);
            double root = sqrt(u);
            const double w[3] = {1 - root, root * (1 - v), root * v};
            points[made] = sn_vec3_add_scaled(
                sn_vec3_add_scaled(sn_vec3_scale(c[0], w[0]), w[1], c[1]), w[2], c[2]);
            normals[made] = sni_head_surface_normal(s, t, w);
        }
    }
    for (; made < count; ++made) { // rounding left the last ones out
        points[made] = points[made > 0 ? made - 1 : 0];
        normals[made] = normals[made > 0 ? made - 1 : 0];
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// The head along an axis

// Where a head begins and ends along a direction, and its middle.
typedef struct head_range {
    double top, neck;
    bool has_neck; // the mesh widens again below
    sn_vec3 middle;
} head_range;

// The width of each section: the root of the product of its extents along two axes across.
static void measure_sections(const sn_vec3 *points, sn_vec3 up, sn_vec3 across, double low,
                             double high, double *widths) {
    double range[SECTIONS][4];
    sn_vec3 along = sn_vec3_cross(up, across);
    for (int i = 0; i < SECTIONS; ++i) {
        range[i][0] = range[i][2] = INFINITY;
        range[i][1] = range[i][3] = -INFINITY;
    }
    for (uint32_t i = 0; i < PROBES; ++i) {
        double at = (high - sn_vec3_dot(points[i], up)) / (high - low) * SECTIONS;
        int section = (int)fmin(fmax(at, 0), SECTIONS - 1);
        double x = sn_vec3_dot(points[i], across), z = sn_vec3_dot(points[i], along);
        double *r = range[section];
        r[0] = fmin(r[0], x);
        r[1] = fmax(r[1], x);
        r[2] = fmin(r[2], z);
        r[3] = fmax(r[3], z);
    }
    for (int i = 0; i < SECTIONS; ++i) {
        const double *r = range[i];
        widths[i] = r[1] > r[0] ? sqrt((r[1] - r[0]) * (r[3] - r[2])) : 0;
    }
}

// The widths of three sections beside each other, of which the widest counts: few points leave
// gaps.
static double widest(const double *widths, int section) {
    double width = 0;
    for (int i = section - 1; i <= section + 1; ++i) {
        width = i >= 0 && i < SECTIONS ? fmax(width, widths[i]) : width;
    }
    return width;
}

// Finds the first narrow place below the first wide one.
static head_range find_head(const sn_vec3 *points, sn_vec3 up, sn_vec3 across) {
    double low = INFINITY, high = -INFINITY, widths[SECTIONS];
    for (uint32_t i = 0; i < PROBES; ++i) {
        low = fmin(low, sn_vec3_dot(points[i], up));
        high = fmax(high, sn_vec3_dot(points[i], up));
    }
    head_range head = {.top = high, .neck = low};
    if (high > low) {
        measure_sections(points, up, across, low, high, widths);
        double most = 0, least = INFINITY;
        int narrow = SECTIONS;
        for (int i = 0; i < SECTIONS && !head.has_neck; ++i) {
            double width = widest(widths, i);
            if (width > most) {
                most = least = width;
                narrow = i;
            } else if (width < least) {
                least = width;
                narrow = i;
            } else if (least < 0.8 * most && width > 1.15 * least) {
                head.has_neck = true;
            }
        }
        if (head.has_neck) {
            head.neck = high - (narrow + 0.5) / SECTIONS * (high - low);
        }
    }
    sn_vec3 sum = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < PROBES; ++i) {
        if (sn_vec3_dot(points[i], up) >= head.neck) {
            sum = sn_vec3_add(sum, points[i]);
            ++count;
        }
    }
    head.middle = sn_vec3_scale(sum, 1.0 / (count > 0 ? count : 1));
    return head;
}

// ---------------------------------------------------------------------------------------------
// Starts

typedef struct aligner {
    const sni_head_surface *known, *other;
    sn_vec3 known_probes[PROBES], known_normals[PROBES];
    sn_vec3 other_probes[PROBES], other_normals[PROBES];
    sn_vec3 points[POINTS], normals[POINTS]; // of the known head, above its neck
    uint32_t point_count;
    head_range known_head;
    sni_similarity starts[STARTS], ends[STARTS];
    double misfits[STARTS];
    uint32_t begin;  // of the starts that are tried
    uint32_t stride; // of the points that are used
    int rounds;
} aligner;

// The turn that puts y of the known head on `up` and z on `front`.
static sn_quat turn_to(sn_vec3 up, sn_vec3 front) {
    sn_vec3 side = sn_vec3_cross(up, front);
    sn_mat4 m = sn_mat4_identity();
    const sn_vec3 axes[3] = {side, up, front};
    for (int k = 0; k < 3; ++k) {
        m.m[4 * k] = axes[k].x;
        m.m[4 * k + 1] = axes[k].y;
        m.m[4 * k + 2] = axes[k].z;
    }
    return sn_mat4_rotation(&m);
}

static sn_quat right_angles(int number) {
    static const sn_vec3 axes[6] = {{0, 1, 0},  {0, 0, 1},  {1, 0, 0},
                                    {0, -1, 0}, {0, 0, -1}, {-1, 0, 0}};
    sn_vec3 up = axes[number / 4];
    sn_vec3 first = fabs(up.z) > 0 ? sn_vec3_make(0, -up.z, 0) : sn_vec3_make(0, 0, 1);
    sn_vec3 side = sn_vec3_cross(up, first);
    const sn_vec3 fronts[4] = {first, sn_vec3_scale(first, -1), side, sn_vec3_scale(side, -1)};
    return turn_to(up, fronts[number % 4]);
}

// Turns about eight axes, of which two are upright; number 0 is none.
static sn_quat tilt(int number, double degrees) {
    if (number == 0) {
        return sn_quat_identity();
    }
    static const sn_vec3 axes[8] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1},
                                    {0, 1, 0}, {0, -1, 0}, {1, 0, 1}, {-1, 0, -1}};
    sn_vec3 axis = sn_vec3_normalize_or(axes[number - 1], sn_vec3_make(0, 1, 0));
    return sn_quat_from_axis_angle(axis, degrees * SN_PI / 180);
}

static void make_start(aligner *a, uint32_t number) {
    int scale = (int)(number % SCALES), turn = (int)(number / SCALES % TURNS);
    sn_quat rotation =
        sn_quat_multiply(right_angles(turn), tilt((int)(number / (SCALES * TURNS)), wide_tilt));
    sn_vec3 up = sn_quat_rotate(rotation, sn_vec3_make(0, 1, 0));
    sn_vec3 side = sn_quat_rotate(rotation, sn_vec3_make(1, 0, 0));
    head_range head = find_head(a->other_probes, up, side);
    double known = a->known_head.top - a->known_head.neck;
    double size = scales[scale] * (head.top - head.neck) / (known > 0 ? known : 1);
    sni_similarity start = {rotation, size > 0 ? size : 1, {0, 0, 0}};
    // Tops meet, and middles across.
    sn_vec3 middle = sni_similarity_point(&start, a->known_head.middle);
    start.translation = sn_vec3_sub(head.middle, middle);
    double top = start.scale * a->known_head.top + sn_vec3_dot(start.translation, up);
    start.translation = sn_vec3_add_scaled(start.translation, head.top - top, up);
    a->starts[number] = start;
}

// ---------------------------------------------------------------------------------------------
// Closest points

static void improve(const aligner *a, sni_similarity *s) {
    sn_vec3 from[POINTS], to[POINTS];
    double first = s->scale;
    for (int round = 0; round < a->rounds; ++round) {
        uint32_t count = 0, asked = a->point_count / a->stride;
        // At first all places within a quarter of a head count, in the end those within 20 mm.
        double reach = s->scale * (misfit_cap + 0.06 * (a->rounds - 1 - round) / (a->rounds - 1));
        for (uint32_t i = 0; i < a->point_count; i += a->stride) {
            sni_skin_place place;
            sni_head_surface_closest(a->other, sni_similarity_point(s, a->points[i]), reach,
                                     &place);
            sn_vec3 normal = sn_quat_rotate(s->rotation, a->normals[i]);
            if (place.triangle != SN_NONE && !place.on_border &&
                sn_vec3_dot(normal, place.normal) > least_dot) {
                from[count] = a->points[i];
                to[count++] = place.point;
            }
        }
        sni_similarity next;
        if (count < asked / 4 || !sni_similarity_fit(from, to, NULL, count, &next)) {
            return;
        }
        double scale = fmin(fmax(next.scale, first / scale_room), first * scale_room);
        if (scale != next.scale) {
            return;
        }
        *s = next;
    }
}

static double misfit_of(const sni_head_surface *surface, const sni_similarity *s, sn_vec3 point,
                        sn_vec3 normal) {
    sni_skin_place place;
    sn_vec3 at = sni_similarity_point(s, point);
    sni_head_surface_closest(surface, at, INFINITY, &place);
    sn_vec3 turned = sn_quat_rotate(s->rotation, normal);
    return sn_vec3_dot(turned, place.normal) > least_dot ? place.distance : INFINITY;
}

// The mean distance in both directions of what lies above the neck.
static double measure(const aligner *a, const sni_similarity *s) {
    sni_similarity back = sni_similarity_invert(s);
    double sums[2] = {0, 0};
    uint32_t counts[2] = {0, 0};
    for (uint32_t i = 0; i < a->point_count; i += a->stride) {
        double distance = misfit_of(a->other, s, a->points[i], a->normals[i]) / s->scale;
        sums[0] += fmin(distance, misfit_cap);
        ++counts[0];
    }
    for (uint32_t i = 0; i < PROBES; i += PROBES / POINTS / 2 * a->stride) {
        sn_vec3 at = sni_similarity_point(&back, a->other_probes[i]);
        if (at.y > a->known_head.neck) {
            double distance = misfit_of(a->known, &back, a->other_probes[i], a->other_normals[i]);
            sums[1] += fmin(distance, misfit_cap);
            ++counts[1];
        }
    }
    double forth = counts[0] > 0 ? sums[0] / counts[0] : misfit_cap;
    return (forth + (counts[1] > 0 ? sums[1] / counts[1] : misfit_cap)) / 2;
}

// Meshes stand on y or on z; another axis must fit the better.
static double unusual(const sni_similarity *s) {
    sn_vec3 up = sn_quat_rotate(s->rotation, sn_vec3_make(0, 1, 0));
    return fmax(up.y, up.z) > 0.7 ? 1 : 1.15;
}

static void try_starts(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    aligner *a = user;
    for (uint32_t i = a->begin + begin; i < a->begin + end; ++i) {
        if (i < TURNS * TILTS * SCALES) {
            make_start(a, i);
        }
        a->ends[i] = a->starts[i];
        improve(a, &a->ends[i]);
        a->misfits[i] = measure(a, &a->ends[i]) * unusual(&a->ends[i]);
    }
}

static sn_status aligner_init(aligner *a, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_head_surface_sample(a->known, PROBES, a->known_probes, a->known_normals, error));
    SN_TRY(sni_head_surface_sample(a->other, PROBES, a->other_probes, a->other_normals, error));
    a->known_head = find_head(a->known_probes, sn_vec3_make(0, 1, 0), sn_vec3_make(1, 0, 0));
    uint32_t above = 0;
    for (uint32_t i = 0; i < PROBES; ++i) {
        above += a->known_probes[i].y > a->known_head.neck;
    }
    uint32_t seen = 0;
    for (uint32_t i = 0; i < PROBES && a->point_count < POINTS; ++i) {
        if (a->known_probes[i].y > a->known_head.neck &&
            (uint64_t)seen++ * POINTS / above >= a->point_count) {
            a->points[a->point_count] = a->known_probes[i];
            a->normals[a->point_count++] = a->known_normals[i];
        }
    }
cleanup:
    return status;
}

// The best end, and the best of those that are another pose.
static void choose(const aligner *a, sni_alignment *alignment) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < STARTS; ++i) {
        best = a->misfits[i] < a->misfits[best] ? i : best;
    }
    alignment->similarity = a->ends[best];
    alignment->misfit = a->misfits[best];
    alignment->second = INFINITY;
    for (uint32_t i = 0; i < STARTS; ++i) {
        double turn = fabs(sn_quat_dot(a->ends[i].rotation, a->ends[best].rotation));
        if (turn < cos(15 * SN_PI / 180)) { // half of the angle
            alignment->second = fmin(alignment->second, a->misfits[i]);
        }
    }
}

// Starts that are turned a little away from the best end so far.
static void start_around(aligner *a, uint32_t first, const sni_similarity *best) {
    sn_vec3 middle = sni_similarity_point(best, a->known_head.middle);
    for (uint32_t i = 0; i < NEAR; ++i) {
        sni_similarity start = *best;
        sn_quat turn = tilt((int)(i % 8) + 1, near_tilts[i / 8]);
        start.rotation = sn_quat_multiply(best->rotation, turn);
        sn_vec3 moved = sni_similarity_point(&start, a->known_head.middle);
        start.translation = sn_vec3_add(start.translation, sn_vec3_sub(middle, moved));
        a->starts[first + i] = start;
    }
}

// The best ends so far as starts.
static void start_again(aligner *a, uint32_t first) {
    for (uint32_t i = 0; i < BEST; ++i) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < first; ++k) {
            best = a->misfits[k] < a->misfits[best] ? k : best;
        }
        a->starts[first + i] = a->ends[best];
        a->misfits[best] = INFINITY;
    }
}

static void try_range(aligner *a, uint32_t begin, uint32_t end, sni_alignment *alignment) {
    a->begin = begin;
    sn_parallel_for(a->known->context, end - begin, 1, try_starts, a);
    choose(a, alignment);
}

static sn_status search(aligner *a, const sn_progress *progress, sni_alignment *alignment,
                        sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < STARTS; ++i) {
        a->misfits[i] = INFINITY;
    }
    a->stride = 3;
    a->rounds = ROUNDS / 2;
    SN_TRY(sni_progress(progress, "finding the head", 0, error));
    try_range(a, 0, TURNS * SCALES, alignment);
    if (alignment->misfit > good_fit) {
        SN_TRY(sni_progress(progress, "finding the head", 0.2, error));
        try_range(a, TURNS * SCALES, TURNS * SCALES * TILTS, alignment);
    }
    SN_TRY(sni_progress(progress, "finding the head", 0.8, error));
    start_around(a, STARTS - BEST - NEAR, &alignment->similarity);
    try_range(a, STARTS - BEST - NEAR, STARTS - BEST, alignment);
    double second = alignment->second;
    start_again(a, STARTS - BEST);
    a->stride = 1;
    a->rounds = ROUNDS;
    try_range(a, STARTS - BEST, STARTS, alignment);
    alignment->second = fmin(alignment->second, second);
cleanup:
    return status;
}

sn_status sni_align(const sni_head_surface *known, const sni_head_surface *other,
                    const sn_progress *progress, sni_alignment *alignment, sn_error *error) {
    sn_status status = SN_OK;
    aligner *a = NULL;
    *alignment = (sni_alignment){.similarity = sni_similarity_identity()};
    SNI_NEW_ZERO(known->context, a, 1);
    a->known = known;
    a->other = other;
    SN_TRY(aligner_init(a, error));
    SN_TRY(search(a, progress, alignment, error));
    sn_vec3 up = sn_quat_rotate(alignment->similarity.rotation, sn_vec3_make(0, 1, 0));
    sn_vec3 side = sn_quat_rotate(alignment->similarity.rotation, sn_vec3_make(1, 0, 0));
    alignment->has_neck = find_head(a->other_probes, up, side).has_neck;
cleanup:
    sni_free(known->context, a);
    return status;
}
