// SPDX-License-Identifier: Apache-2.0
//
// Whether solids have an inside: for meshes, that every edge is passed as often one way as the
// other. That is all that winding numbers need, and all that a projection along rows needs to end
// every row outside.
#include "geometry/density.h"
#include "geometry/finite.h"
#include "sinew/geometry.h"

#include <stdlib.h>
#include <string.h>

// An ellipsoid whose volume is below this part of the cube of its size is flat.
static const double flat_volume = 1e-12;

// Side of a triangle, seen from its lower vertex.
typedef struct side {
    uint32_t high;
    int32_t way; // +1 from the lower to the higher vertex
} side;

static int compare_sides(const void *a, const void *b) {
    uint32_t left = ((const side *)a)->high, right = ((const side *)b)->high;
    return (left > right) - (left < right);
}

// By insertion where there are few, as nearly everywhere.
static void sort_at_vertex(side *sides, uint32_t count) {
    enum { FEW = 24 };
    if (count > FEW) {
        qsort(sides, count, sizeof *sides, compare_sides);
        return;
    }
    for (uint32_t i = 1; i < count; ++i) {
        side next = sides[i];
        uint32_t at = i;
        for (; at > 0 && sides[at - 1].high > next.high; --at) {
            sides[at] = sides[at - 1];
        }
        sides[at] = next;
    }
}

static sn_status fail_open(const sni_solid *solid, uint32_t low, uint32_t high, int32_t surplus,
                           sn_error *error) {
    sn_vec3 a = sn_vec3_load(solid->positions + 3 * (size_t)low);
    sn_vec3 b = sn_vec3_load(solid->positions + 3 * (size_t)high);
    sn_vec3 middle = sn_vec3_lerp(a, b, 0.5);
    return sni_fail(error, SN_INVALID,
                    "the mesh is open or partly inside out: along the edge between vertices %u and "
                    "%u, at (%g, %g, %g), %d more triangle%s in one direction than in the other",
                    low, high, middle.x, middle.y, middle.z, abs(surplus),
                    abs(surplus) == 1 ? " runs" : "s run");
}

// The sides at one lower vertex must cancel out.
static sn_status check_vertex(const sni_solid *solid, uint32_t low, side *sides, uint32_t count,
                              sn_error *error) {
    sort_at_vertex(sides, count);
    for (uint32_t i = 0; i < count;) {
        uint32_t high = sides[i].high;
        int32_t surplus = 0;
        for (; i < count && sides[i].high == high; ++i) {
            surplus += sides[i].way;
        }
        if (surplus != 0) {
            return fail_open(solid, low, high, surplus, error);
        }
    }
    return SN_OK;
}

static void sort_sides(const sni_solid *solid, size_t *offsets, side *sides) {
    size_t corner_count = 3 * (size_t)solid->triangle_count;
    for (int fill = 0; fill < 2; ++fill) {
        for (size_t c = 0; c < corner_count; ++c) {
            uint32_t a = solid->vertices[c], b = solid->vertices[c % 3 == 2 ? c - 2 : c + 1];
            uint32_t low = a < b ? a : b;
            if (a == b) {
                continue;
            }
            if (fill) {
                sides[offsets[low]++] = (side){a < b ? b : a, a < b ? 1 : -1};
            } else {
                offsets[low + 1]++;
            }
        }
        for (uint32_t v = 0; !fill && v < solid->vertex_count; ++v) {
            offsets[v + 1] += offsets[v];
        }
    }
    // Each offset now stands at its vertex' end.
}

static sn_status check_closed(sn_context *context, const sni_solid *solid, sn_error *error) {
    sn_status status = SN_OK;
    size_t *ends = NULL;
    side *sides = NULL;
    SNI_NEW_ZERO(context, ends, (size_t)solid->vertex_count + 1);
    SNI_NEW(context, sides, 3 * (size_t)solid->triangle_count);
    sort_sides(solid, ends, sides);
    for (uint32_t v = 0; v < solid->vertex_count; ++v) {
        size_t begin = v > 0 ? ends[v - 1] : 0;
        SN_TRY(check_vertex(solid, v, sides + begin, (uint32_t)(ends[v] - begin), error));
    }
cleanup:
    sni_free(context, ends);
    sni_free(context, sides);
    return status;
}

static sn_status check_volume(sn_context *context, const sni_solid *solid, sn_error *error) {
    sn_mass mass;
    sn_status status = sn_mass_compute(context, solid->positions, solid->vertices,
                                       solid->triangle_count, &mass, error);
    if (status != SN_OK) {
        return status;
    }
    if (mass.volume == 0) {
        return sni_fail(error, SN_INVALID, "the mesh has no volume");
    }
    if (mass.volume < 0) {
        return sni_fail(error, SN_INVALID,
                        "the mesh is inside out (its volume is %g): its first triangle should run "
                        "along the edge between vertices %u and %u in the opposite direction",
                        mass.volume, solid->vertices[0], solid->vertices[1]);
    }
    return SN_OK;
}

static sn_status check_mesh(sn_context *context, const sni_solid *solid, sn_error *error) {
    size_t number_count = 3 * (size_t)solid->vertex_count;
    size_t bad = sni_find_not_finite(solid->positions, number_count);
    if (bad < number_count) {
        return sni_fail(error, SN_INVALID, "the position of vertex %zu is not finite", bad / 3);
    }
    for (size_t c = 0; c < 3 * (size_t)solid->triangle_count; ++c) {
        if (solid->vertices[c] >= solid->vertex_count) {
            return sni_fail(error, SN_INVALID, "triangle %zu names vertex %u of %u", c / 3,
                            solid->vertices[c], solid->vertex_count);
        }
    }
    if (solid->triangle_count == 0) {
        return sni_fail(error, SN_INVALID, "the mesh has no triangles");
    }
    sn_status status = check_closed(context, solid, error);
    return status == SN_OK ? check_volume(context, solid, error) : status;
}

static sn_status check_ellipsoid(const sni_solid *solid, sn_error *error) {
    const double *m = solid->ellipsoid.m;
    double size = 0;
    for (int i = 0; i < 16; ++i) {
        if (!isfinite(m[i])) {
            return sni_fail(error, SN_INVALID, "the ellipsoid's matrix has a number that is %g",
                            m[i]);
        }
        size = i < 12 ? fmax(size, fabs(m[i])) : size;
    }
    sn_vec3 x = {m[0], m[1], m[2]}, y = {m[4], m[5], m[6]}, z = {m[8], m[9], m[10]};
    if (!(fabs(sn_vec3_dot(x, sn_vec3_cross(y, z))) > flat_volume * size * size * size)) {
        return sni_fail(error, SN_INVALID, "the ellipsoid has no volume");
    }
    return SN_OK;
}

sn_status sni_solid_check(sn_context *context, const sni_solid *solid, sn_error *error) {
    if (!isfinite(solid->value)) {
        return sni_fail(error, SN_INVALID, "the value of its density is %g", solid->value);
    }
    return solid->positions == NULL ? check_ellipsoid(solid, error)
                                    : check_mesh(context, solid, error);
}

sn_status sni_solids_check(sn_context *context, const sni_solid *solids, uint32_t count,
                           sn_error *error) {
    SN_ASSERT(count == 0 || solids != NULL);
    for (uint32_t i = 0; i < count; ++i) {
        const sni_solid *solid = &solids[i];
        sn_status status = sni_solid_check(context, solid, error);
        if (status != SN_OK) {
            if (solid->name != NULL) {
                sni_error_place(error, 0, "%s", solid->name);
            } else {
                sni_error_place(error, 0, "solid %u", i);
            }
            return status;
        }
    }
    return SN_OK;
}
