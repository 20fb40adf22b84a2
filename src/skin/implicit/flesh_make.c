// SPDX-License-Identifier: Apache-2.0
//
// Rows of vertices in groups of eight that are near each other, and what they are near at rest.
#include "skin/implicit/flesh_lanes.h"

#include <stdlib.h>
#include <string.h>

// A row that is solved, and where it comes.
typedef struct placed_row {
    uint32_t part;
    uint64_t place; // along a curve that fills the part's box
    uint32_t row, vertex;
} placed_row;

static int by_place(const void *left, const void *right) {
    const placed_row *a = left, *b = right;
    if (a->part != b->part) {
        return a->part < b->part ? -1 : 1;
    }
    if (a->place != b->place) {
        return a->place < b->place ? -1 : 1;
    }
    return (a->row > b->row) - (a->row < b->row);
}

// Bits of three coordinates, 0 to 1, by turns (G. M. Morton 1966): places near each other in this
// order are near each other in space.
static uint64_t interleave(const double at[3]) {
    enum { BITS = 12 };
    uint64_t place = 0;
    for (int bit = BITS - 1; bit >= 0; --bit) {
        for (int k = 0; k < 3; ++k) {
            double u = at[k] < 0 ? 0 : at[k] > 1 ? 1 : at[k];
            uint32_t cell = (uint32_t)(u * ((1 << BITS) - 1));
            place = place << 1 | (cell >> bit & 1);
        }
    }
    return place;
}

static uint64_t place_of(const sni_field_part *part, sn_vec3 at) {
    sn_vec3 size = sn_vec3_sub(part->high, part->low), from = sn_vec3_sub(at, part->low);
    double longest = fmax(size.x, fmax(size.y, size.z));
    const double parts[3] = {from.x / longest, from.y / longest, from.z / longest};
    return interleave(parts);
}

// The rows with a weight, of vertices that stand for themselves. Returns how many.
static uint32_t list_rows(const sni_flesh_desc *desc, const sni_flesh *flesh, placed_row *rows) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
        for (uint32_t k = flesh->offsets[v]; k < flesh->offsets[v + 1]; ++k) {
            uint32_t part = flesh->rows[k].part;
            if (desc->map[v] == v && flesh->rows[k].weight > 0) {
                rows[count++] =
                    (placed_row){part, place_of(&flesh->body.parts[part], flesh->rest[v]), k, v};
            }
        }
    }
    qsort(rows, count, sizeof *rows, by_place);
    return count;
}

static void set_lane(const sni_flesh *flesh, const placed_row *placed, uint32_t lane,
                     sni_flesh_lanes *lanes) {
    const sni_flesh_row *row = &flesh->rows[placed->row];
    sn_vec3 at = sn_vec3_sub(flesh->rest[placed->vertex], flesh->origins[row->part]);
    const double from[3] = {at.x, at.y, at.z};
    const double in[3] = {row->inwards.x, row->inwards.y, row->inwards.z};
    const double gradient[3] = {row->limb.gradient.x, row->limb.gradient.y, row->limb.gradient.z};
    lanes->rows[lane] = placed->row;
    for (int k = 0; k < 3; ++k) {
        lanes->from[k * SNI_SOLID_LANES + lane] = (float)from[k];
        lanes->inwards[k * SNI_SOLID_LANES + lane] = (float)in[k];
        lanes->limb_gradients[k * SNI_SOLID_LANES + lane] = (float)gradient[k];
        lanes->box[k] = fminf(lanes->box[k], (float)from[k]);
        lanes->box[3 + k] = fmaxf(lanes->box[3 + k], (float)from[k]);
    }
    lanes->values[lane] = (float)row->value;
    lanes->depths[lane] = (float)row->depth;
    lanes->limbs[lane] = (float)row->limb.value;
}

// The rows of one part, from `rows` on, at most eight. Returns how many.
static uint32_t fill_lanes(const sni_flesh *flesh, const placed_row *rows, uint32_t count,
                           sni_flesh_lanes *lanes) {
    uint32_t used = 1;
    while (used < SNI_SOLID_LANES && used < count && rows[used].part == rows[0].part) {
        ++used;
    }
    *lanes =
        (sni_flesh_lanes){.part = rows[0].part,
                          .count = used,
                          .box = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t lane = 0; lane < SNI_SOLID_LANES; ++lane) {
        set_lane(flesh, &rows[lane < used ? lane : used - 1], lane, lanes);
    }
    return used;
}

// ---------------------------------------------------------------------------------------------
// What is near at rest

bool sni_flesh_see(const sni_flesh *flesh, uint32_t part, const sni_solid_view *view,
                   const sni_muscle_points *posed, sni_arena *arena, sni_flesh_fibre *fibres) {
    const sni_implicit_muscles *m = &flesh->muscles;
    for (uint32_t k = m->starts[part]; k < m->starts[part + 1]; ++k) {
        const sni_implicit_fibre *fibre = &m->fibres[m->lists[k]];
        const sni_muscle_solid *solid = posed != NULL ? &posed[fibre->muscle].solid : &fibre->solid;
        fibres[k] = (sni_flesh_fibre){solid, sni_arena_alloc(arena, 1, solid->seen_bytes)};
        if (fibres[k].seen == NULL) {
            return false;
        }
        solid->see(solid->bound, posed != NULL ? posed[fibre->muscle].contracted : NULL,
                   fibre->body, view, fibres[k].seen);
    }
    return true;
}

// Fibres whose support holds one of the lanes, with their distances. Returns how many; `nears` may
// be NULL.
static uint32_t list_nears(sn_context *context, const sni_flesh *flesh,
                           const sni_flesh_fibre *fibres, const sni_flesh_lanes *lanes,
                           sni_flesh_near *nears) {
    const sni_implicit_muscles *m = &flesh->muscles;
    float radius = (float)m->radii[lanes->part];
    uint32_t count = 0;
    for (uint32_t k = m->starts[lanes->part]; k < m->starts[lanes->part + 1]; ++k) {
        const sni_flesh_fibre *fibre = &fibres[k];
        if (!(fibre->solid->seen_at_least(context, fibre->seen, lanes->box) < radius)) {
            continue;
        }
        sni_solid_places places;
        sni_solid_distances found;
        memcpy(places.box, lanes->box, sizeof places.box);
        memcpy(places.x, lanes->from, sizeof places.x);
        memcpy(places.y, lanes->from + SNI_SOLID_LANES, sizeof places.y);
        memcpy(places.z, lanes->from + 2 * SNI_SOLID_LANES, sizeof places.z);
        fibre->solid->seen_distances(context, fibre->seen, &places, &found);
        bool is_near = false;
        for (int i = 0; i < SNI_SOLID_LANES; ++i) {
            is_near = is_near || found.distances[i] < radius;
            found.distances[i] = fminf(found.distances[i], radius);
        }
        if (is_near && nears != NULL) {
            nears[count].fibre = k;
            memcpy(nears[count].distances, found.distances, sizeof found.distances);
        }
        count += is_near;
    }
    return count;
}

static sn_status make_nears(sn_context *context, sni_arena *arena, sni_flesh *flesh,
                            sn_error *error) {
    sn_status status = SN_OK;
    sni_flesh_fibre *fibres =
        sni_arena_alloc(arena, flesh->muscles.starts[flesh->part_count], sizeof *fibres);
    bool done = fibres != NULL;
    for (uint32_t i = 0; i < flesh->part_count && done; ++i) {
        sni_solid_view view = {sn_mat4_identity(), 1};
        view.back.m[12] = -flesh->origins[i].x;
        view.back.m[13] = -flesh->origins[i].y;
        view.back.m[14] = -flesh->origins[i].z;
        done = sni_flesh_see(flesh, i, &view, NULL, arena, fibres);
    }
    SN_TRY(done ? SN_OK : sni_fail_memory(error));
    for (uint32_t i = 0; i < flesh->lanes_count; ++i) {
        sni_flesh_lanes *lanes = &flesh->lanes[i];
        lanes->first_near = flesh->near_count;
        lanes->near_count = list_nears(context, flesh, fibres, lanes, NULL);
        flesh->near_count += lanes->near_count;
    }
    SNI_NEW(context, flesh->nears, flesh->near_count);
    for (uint32_t i = 0; i < flesh->lanes_count; ++i) {
        list_nears(context, flesh, fibres, &flesh->lanes[i],
                   flesh->nears + flesh->lanes[i].first_near);
    }
cleanup:
    return status;
}

sn_status sni_flesh_make_lanes(sn_context *context, const sni_flesh_desc *desc, sni_arena *arena,
                               sni_flesh *flesh, sn_error *error) {
    sn_status status = SN_OK;
    placed_row *rows = NULL;
    SN_TRY(sni_blend_table_create(context, SNI_OPENING_MUSCLES.close, 1, &flesh->unite, error));
    SN_TRY(
        sni_blend_table_create(context, SNI_DETAIL_CLOSE, SNI_DETAIL_WIDTH, &flesh->detail, error));
    SNI_NEW(context, flesh->origins, flesh->part_count);
    for (uint32_t i = 0; i < flesh->part_count; ++i) {
        const sni_field_part *part = &flesh->body.parts[i];
        flesh->origins[i] = sn_vec3_lerp(part->low, part->high, 0.5);
    }
    SNI_NEW(context, rows, flesh->offsets[flesh->vertex_count]);
    uint32_t count = list_rows(desc, flesh, rows);
    SNI_NEW(context, flesh->lanes, count);
    for (uint32_t used = 0; used < count;) {
        used += fill_lanes(flesh, rows + used, count - used, &flesh->lanes[flesh->lanes_count++]);
    }
    SN_TRY(make_nears(context, arena, flesh, error));
cleanup:
    sni_free(context, rows);
    return status;
}
