// SPDX-License-Identifier: Apache-2.0
//
// Facial muscles from feature points: every place of the table (face_muscles.c) is a combination of
// features and is put onto the skin along a ray from inside the head.
#include "fit/face_muscles.h"
#include "fit/muscle_layout.h"

#include "base/context.h"

#include <string.h>

static const uint32_t desc_check = 0x66616365;

// Depth of a muscle's top below the skin, in eye distances: 1.3 mm.
static const double top_depth = 0.02;

// The rays begin on an upright axis this far behind the eyes, within skull and neck of anything
// that has a face, and are level: they meet the face about at right angles from forehead to chin.
static const double axis_depth = 1.1;

// How far a place may be moved along its ray to lie on the skin. Beyond it other things begin:
// the shoulders, the back of the mouth.
static const double ray_reach = 0.6;

// Skin of a face gives way at once beside a muscle and is drawn along from far: half of the effect
// is gone at 0.3 of the way, where the other falloffs have lost little. Measured on scans of
// smiles.
static const char face_falloff[] = "quadratic";
// Muscles of a face end in the same skin, such as the corner of the mouth, and pull it together:
// what each does adds up. Bellies of a limb lie side by side instead.
static const char face_overlap[] = "sum";

enum { CURVE_POINTS = 9, RING_POINTS = 32 };

typedef struct layout_job {
    sn_muscle_layout *layout;
    const sni_skin_probe *probe;
    sni_face face;
    double depth; // factor on thicknesses
} layout_job;

sn_face_layout_desc sn_face_layout_desc_default(void) {
    return (sn_face_layout_desc){.check = desc_check, .depth = 1};
}

// ---------------------------------------------------------------------------------------------
// Places

static sn_vec3 place_point(const sni_face *face, const sni_face_place *place, uint32_t side) {
    const sn_vec3 *points = face->points[side];
    double out = side == SNI_FACE_LEFT ? place->out : -place->out;
    sn_vec3 p = sn_vec3_lerp(points[place->from], points[place->to], place->way);
    p = sn_vec3_add_scaled(p, out * face->unit, face->left);
    return sn_vec3_add_scaled(p, place->up * face->unit, face->up);
}

// Puts a point onto the outermost skin along the level ray from inside the head through it; onto
// the closest skin where the ray meets none.
static sn_vec3 put_on_skin(const layout_job *job, sn_vec3 point) {
    const sni_face *face = &job->face;
    sn_vec3 centre = sn_vec3_add_scaled(face->middle, -axis_depth * face->unit, face->forward);
    double height = sn_vec3_dot(sn_vec3_sub(point, centre), face->up);
    centre = sn_vec3_add_scaled(centre, height, face->up);
    sn_vec3 way = sn_vec3_sub(point, centre);
    double wanted = sn_vec3_length(way), reach = ray_reach * face->unit;
    sni_skin_ray ray = {.origin = centre,
                        .direction = sn_vec3_normalize_or(way, face->forward),
                        .nearest = fmax(wanted - reach, 0),
                        .farthest = wanted + reach,
                        .outermost = true};
    sn_hit hit;
    if (sni_skin_probe_cast(job->probe, &ray, &hit)) {
        return hit.point;
    }
    sn_closest closest;
    sn_accel_find_closest(job->probe->accel, point, INFINITY, &closest);
    return closest.point;
}

// ---------------------------------------------------------------------------------------------
// Curves

static sn_status open_curve(const layout_job *job, const sni_face_place ends[2], uint32_t side,
                            const sn_vec3 **curve, uint32_t *count, sn_error *error) {
    sn_vec3 *points = sni_layout_alloc(job->layout, CURVE_POINTS, sizeof *points);
    if (points == NULL) {
        return sni_fail_memory(error);
    }
    sn_vec3 origin = place_point(&job->face, &ends[0], side);
    sn_vec3 insertion = place_point(&job->face, &ends[1], side);
    for (uint32_t i = 0; i < CURVE_POINTS; ++i) {
        double t = (double)i / (CURVE_POINTS - 1);
        points[i] = put_on_skin(job, sn_vec3_lerp(origin, insertion, t));
    }
    *curve = points;
    *count = CURVE_POINTS;
    return SN_OK;
}

// Four quarters of ellipses through outer, top, inner and bottom.
static sn_status closed_curve(const layout_job *job, const sni_face_place extremes[4],
                              uint32_t side, bool on_mid_line, const sn_vec3 **curve,
                              uint32_t *count, sn_error *error) {
    const sni_face *face = &job->face;
    sn_vec3 *points = sni_layout_alloc(job->layout, RING_POINTS, sizeof *points);
    if (points == NULL) {
        return sni_fail_memory(error);
    }
    sn_vec3 outer = place_point(face, &extremes[0], side);
    sn_vec3 top = place_point(face, &extremes[1], side);
    sn_vec3 inner = on_mid_line ? place_point(face, &extremes[0], !side)
                                : place_point(face, &extremes[2], side);
    sn_vec3 bottom = place_point(face, &extremes[3], side);
    sn_vec3 centre = sn_vec3_lerp(outer, inner, 0.5);
    for (uint32_t i = 0; i < RING_POINTS; ++i) {
        double angle = 2 * SN_PI * i / RING_POINTS, x = cos(angle), y = sin(angle);
        sn_vec3 p = sn_vec3_add_scaled(centre, fabs(x), sn_vec3_sub(x > 0 ? outer : inner, centre));
        p = sn_vec3_add_scaled(p, fabs(y), sn_vec3_sub(y > 0 ? top : bottom, centre));
        points[i] = put_on_skin(job, p);
    }
    *curve = points;
    *count = RING_POINTS;
    return SN_OK;
}

static sn_vec3 ring_center(const layout_job *job, const sni_face_muscle *from, uint32_t side) {
    sn_vec3 center = place_point(&job->face, &from->center, side);
    return sn_vec3_add_scaled(center, from->forward * job->face.unit, job->face.forward);
}

static sn_status make_curves(const layout_job *job, const sni_face_muscle *from, uint32_t side,
                             sn_layout_muscle *muscle, sn_error *error) {
    for (uint32_t k = 0; k < 2; ++k) {
        sn_status status;
        if (muscle->closed) {
            status = closed_curve(job, from->curves[k], side, from->shape == SNI_FACE_RING_MID,
                                  &muscle->curves[k], &muscle->curve_counts[k], error);
        } else if (from->shape == SNI_FACE_MID) {
            status = open_curve(job, from->curves[0], k, &muscle->curves[k],
                                &muscle->curve_counts[k], error);
        } else {
            status = open_curve(job, from->curves[k], side, &muscle->curves[k],
                                &muscle->curve_counts[k], error);
        }
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Muscles

static bool is_mid(const sni_face_muscle *from) {
    return from->shape == SNI_FACE_MID || from->shape == SNI_FACE_RING_MID;
}

static bool is_ring(const sni_face_muscle *from) {
    return from->shape == SNI_FACE_RING || from->shape == SNI_FACE_RING_MID;
}

// The first feature that a muscle needs and that is not given, SNI_FACE_POINT_COUNT when none is.
static sni_face_point missing_feature(const sni_face *face, const sni_face_muscle *from) {
    uint32_t curves = from->shape == SNI_FACE_MID ? 1 : 2, places = is_ring(from) ? 4 : 2;
    for (uint32_t k = 0; k < curves * places; ++k) {
        const sni_face_place *place = &from->curves[k / places][k % places];
        if (!face->given[place->from] || !face->given[place->to]) {
            return !face->given[place->from] ? place->from : place->to;
        }
    }
    return SNI_FACE_POINT_COUNT;
}

static sn_status add_muscle(const layout_job *job, const sni_face_muscle *from, uint32_t side,
                            sn_error *error) {
    double unit = job->face.unit;
    sn_layout_muscle muscle = {
        .group = from->group,
        .closed = is_ring(from),
        .straight = from->forward > 0,
        .top_depth = top_depth * job->depth * unit,
        .half_thickness = from->thickness * job->depth * unit,
        .bulge = from->bulge,
        .strength = from->strength,
    };
    muscle.name = is_mid(from) ? from->name
                               : sni_layout_text(job->layout, "%s_%c", from->name,
                                                 side == SNI_FACE_LEFT ? 'L' : 'R');
    muscle.d_full = muscle.top_depth + muscle.half_thickness;
    muscle.d_none = muscle.d_full + from->reach * unit;
    sn_status status = make_curves(job, from, side, &muscle, error);
    if (status == SN_OK) {
        muscle.center = muscle.closed ? ring_center(job, from, side) : muscle.center;
        status = sni_layout_add(job->layout, &muscle, error);
    }
    return status;
}

static sn_status add_muscles(const layout_job *job, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sni_face_muscle_count; ++i) {
        const sni_face_muscle *from = &sni_face_muscles[i];
        sni_face_point missing = missing_feature(&job->face, from);
        SN_TRY(
            sni_progress(progress, "laying out muscles", (double)i / sni_face_muscle_count, error));
        if (missing != SNI_FACE_POINT_COUNT) {
            const char *name, *about;
            bool paired, required;
            sn_face_feature_info(missing, &name, &paired, &required, &about);
            SN_TRY(sni_layout_skip(job->layout, from->name,
                                   sni_layout_text(job->layout, "needs the feature \"%s%s\"", name,
                                                   paired ? "_L" : ""),
                                   error));
            continue;
        }
        for (uint32_t side = 0; side < (is_mid(from) ? 1u : 2u); ++side) {
            SN_TRY(add_muscle(job, from, side, error));
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Expressions

enum { MOST_PARTS = 16 };

// The muscles of a name without side: one on the mid-line, or both of a pair.
static uint32_t find_muscles(const sn_muscle_layout *layout, const char *name, uint32_t found[2]) {
    uint32_t count = 0;
    size_t length = strlen(name);
    for (uint32_t i = 0; i < layout->muscle_count && count < 2; ++i) {
        const char *other = layout->muscles[i].name;
        bool begins = strncmp(other, name, length) == 0;
        if (begins && (other[length] == 0 || (other[length] == '_' && other[length + 2] == 0))) {
            found[count++] = i;
        }
    }
    return count;
}

static sn_status add_expression(const layout_job *job, const sni_face_expression *from,
                                sn_error *error) {
    uint32_t *muscles = sni_layout_alloc(job->layout, MOST_PARTS, sizeof *muscles);
    double *amounts = sni_layout_alloc(job->layout, MOST_PARTS, sizeof *amounts);
    if (muscles == NULL || amounts == NULL) {
        return sni_fail_memory(error);
    }
    sn_layout_expression made = {
        .name = from->name, .about = from->about, .muscles = muscles, .amounts = amounts};
    for (uint32_t i = 0; i < MOST_PARTS / 2 && from->parts[i].muscle != NULL; ++i) {
        uint32_t found[2], count = find_muscles(job->layout, from->parts[i].muscle, found);
        for (uint32_t k = 0; k < count; ++k) {
            muscles[made.count] = found[k];
            amounts[made.count++] = from->parts[i].amount;
        }
    }
    return made.count > 0 ? sni_layout_express(job->layout, &made, error) : SN_OK;
}

static sn_status check_desc(const sn_face_layout_desc *desc, sn_error *error) {
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_face_layout_desc_default");
    }
    if (!(desc->depth > 0 && isfinite(desc->depth))) {
        return sni_fail(error, SN_INVALID, "the depth is %g, but must be greater than 0",
                        desc->depth);
    }
    return SN_OK;
}

sn_status sn_face_layout_create(sn_context *context, const sn_face_layout_desc *desc,
                                const sn_progress *progress, sn_muscle_layout **layout,
                                sn_error *error) {
    sn_status status = SN_OK;
    sni_skin_probe probe = {0};
    layout_job job = {.probe = &probe, .depth = desc->depth};
    *layout = NULL;
    SN_TRY(check_desc(desc, error));
    SN_TRY(sni_skin_probe_init(context, desc->mesh, &probe, error));
    SN_TRY(sni_face_init(desc, &probe, &job.face, error));
    SN_TRY(sni_layout_create(context, &job.layout, error));
    job.layout->falloff = face_falloff;
    job.layout->overlap = face_overlap;
    SN_TRY(add_muscles(&job, progress, error));
    for (uint32_t i = 0; i < sni_face_expression_count; ++i) {
        SN_TRY(add_expression(&job, &sni_face_expressions[i], error));
    }
    *layout = job.layout;
cleanup:
    sni_skin_probe_deinit(&probe);
    if (status != SN_OK) {
        sn_muscle_layout_destroy(job.layout);
    }
    return status;
}
