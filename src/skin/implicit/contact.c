// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/contact_internal.h"

#include "base/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rings over which what is moved is evened out: about one and a fifth radii of the body's parts,
// but no less than the first, for coarse skins, and no more than the second, for the time it takes.
static const double ring_radii = 1.2;
enum { LEAST_RINGS = 6, MOST_RINGS = 40 };

// Cosine of the angle between a triangle and the skin at its corner beyond which the skin has a
// sharp edge there.
static const double sharp_cosine = 0.8;

// ---------------------------------------------------------------------------------------------
// A frame

// What moved is added to the points, so that all others keep their bits, and those that stand in
// one place get the same.
static void store(const sni_contact_run *r, const uint8_t *marks, float *points) {
    const uint32_t *map = r->c->desc.edges->map;
    for (uint32_t v = 0; v < r->c->desc.mesh->vertex_count; ++v) {
        uint32_t i = map[v];
        if (marks[i]) {
            sn_vec3 by = sn_vec3_sub(r->positions[i], r->before[i]);
            sn_vec3 p = sn_vec3_load(points + 3 * (size_t)v);
            sn_vec3_store(sn_vec3_add(p, by), points + 3 * (size_t)v);
        }
    }
}

bool sni_skin_contact_run(const sni_skin_contact *c, sni_arena *arena, const sni_contact_pose *pose,
                          float *points) {
    uint32_t count = c->desc.mesh->vertex_count, parts = c->desc.parts->count;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    sni_contact_place *places = sni_arena_alloc(arena, parts, sizeof *places);
    uint8_t *marks = sni_arena_alloc(arena, count, sizeof *marks);
    sn_vec3 *before = sni_arena_alloc(arena, count, sizeof *before);
    sni_contact_run r = {.c = c,
                         .pose = pose,
                         .arena = arena,
                         .motions = pose->way + (size_t)(SNI_CONTACT_WAY - 1) * parts,
                         .places = places,
                         .points = points,
                         .before = before,
                         .positions = sni_arena_alloc(arena, count, sizeof *r.positions),
                         .next = sni_arena_alloc(arena, count, sizeof *r.next)};
    bool done =
        places != NULL && marks != NULL && before != NULL && r.positions != NULL && r.next != NULL;
    if (done) {
        sni_contact_find_places(c, r.motions, places);
        for (uint32_t v = 0; v < count; ++v) {
            before[v] = sn_vec3_load(points + 3 * (size_t)v);
            r.positions[v] = before[v];
        }
        done = sni_contact_find_pairs(&r) && sni_contact_solve(&r, marks);
    }
    if (done) {
        store(&r, marks, points);
    }
    sni_arena_release(arena, mark);
    return done;
}

// ---------------------------------------------------------------------------------------------
// Rest

static void find_balls(sni_skin_contact *c) {
    const sni_skin_parts *parts = c->desc.parts;
    const sn_vec3 *rest = c->desc.mesh->rest;
    for (uint32_t v = 0; v < parts->vertex_count; ++v) {
        uint32_t part = parts->vertex_parts[v];
        if (part != SN_NONE) {
            double share = 1.0 / parts->parts[part].vertex_count;
            c->centers[part] = sn_vec3_add_scaled(c->centers[part], share, rest[v]);
        }
    }
    for (uint32_t v = 0; v < parts->vertex_count; ++v) {
        uint32_t part = parts->vertex_parts[v];
        if (part != SN_NONE) {
            c->reaches[part] = fmax(c->reaches[part], sn_vec3_distance(c->centers[part], rest[v]));
        }
    }
    for (uint32_t i = 0; i < parts->count; ++i) {
        c->gaps[i] = c->desc.gap * c->desc.body->mean_radii[i];
    }
}

// Between nodes a field is negative only where one of them is.
static sni_field_box inside_of(const sni_field_part *part) {
    const sni_field_grid *grid = &part->grid;
    sni_field_box box = {part->low, part->high};
    if (grid->nodes == NULL) {
        return box;
    }
    const double step = grid->spacing * (1 + 1e-9);
    const sn_vec3 around = {step, step, step};
    const float *node = grid->nodes;
    box = (sni_field_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t k = 0; k < grid->counts[2]; ++k) {
        for (uint32_t j = 0; j < grid->counts[1]; ++j) {
            for (uint32_t i = 0; i < grid->counts[0]; ++i, node += 4) {
                if (!(*node >= 0)) {
                    sn_vec3 at =
                        sn_vec3_add_scaled(grid->low, grid->spacing, sn_vec3_make(i, j, k));
                    box.low = sn_vec3_min(box.low, sn_vec3_sub(at, around));
                    box.high = sn_vec3_max(box.high, sn_vec3_add(at, around));
                }
            }
        }
    }
    return box;
}

static void find_samples(sni_skin_contact *c) {
    static const double rounding = 1e-9;
    for (uint32_t i = 0; i < c->desc.parts->count; ++i) {
        const sni_hrbf_center *centers = c->desc.body->parts[i].hrbf.centers;
        uint32_t count = c->desc.body->sample_counts[i];
        sn_vec3 sum = {0, 0, 0};
        double reach = 0;
        for (uint32_t k = 0; k < count; ++k) {
            sum = sn_vec3_add(sum, centers[k].point);
        }
        sum = sn_vec3_scale(sum, 1.0 / (count > 0 ? count : 1));
        for (uint32_t k = 0; k < count; ++k) {
            reach = fmax(reach, sn_vec3_distance(sum, centers[k].point));
        }
        c->sample_balls[i] = (sni_contact_ball){.center = sum, .radius = reach * (1 + rounding)};
        c->insides[i] = inside_of(&c->desc.body->parts[i]);
    }
}

static sn_vec3 area_normal(const sni_skin_contact_desc *d, const uint32_t *corners) {
    const sn_vec3 *rest = d->mesh->rest;
    return sn_vec3_cross(sn_vec3_sub(rest[corners[1]], rest[corners[0]]),
                         sn_vec3_sub(rest[corners[2]], rest[corners[0]]));
}

// Normals of the skin at rest, by the areas of triangles.
static void find_outward(sni_skin_contact *c) {
    const sni_skin_contact_desc *d = &c->desc;
    for (uint32_t t = 0; t < d->triangle_count; ++t) {
        const uint32_t *v = d->triangles + 3 * (size_t)t;
        sn_vec3 normal = area_normal(d, v);
        for (int k = 0; k < 3; ++k) {
            c->outward[v[k]] = sn_vec3_add(c->outward[v[k]], normal);
        }
    }
    for (uint32_t v = 0; v < d->mesh->vertex_count; ++v) {
        c->outward[v] = sn_vec3_normalize_or(c->outward[v], sn_vec3_make(0, 0, 0));
    }
}

// The part of a corner of a triangle, if no corner before it is of the same; SN_NONE otherwise.
static uint32_t new_part(const sni_skin_contact *c, const uint32_t *triangle, int corner) {
    const uint32_t *parts = c->desc.parts->vertex_parts;
    for (int k = 0; k < corner; ++k) {
        if (parts[triangle[k]] == parts[triangle[corner]]) {
            return SN_NONE;
        }
    }
    return parts[triangle[corner]];
}

// Counts of rows, written one place on, become their starts.
static void add_up(uint32_t *starts, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        starts[i + 1] += starts[i];
    }
}

// Starts that have been moved on to the ends of their rows are moved back.
static void move_back(uint32_t *starts, uint32_t count) {
    memmove(starts + 1, starts, count * sizeof *starts);
    starts[0] = 0;
}

// Counts the triangles that meet a vertex at a sharp edge, or, where there is room, lists them.
static void add_sharp(sni_skin_contact *c) {
    const sni_skin_contact_desc *d = &c->desc;
    const sn_vec3 none = {0, 0, 0};
    for (uint32_t t = 0; t < 3 * d->triangle_count; ++t) {
        uint32_t v = d->triangles[t];
        sn_vec3 normal = sn_vec3_normalize_or(area_normal(d, d->triangles + t - t % 3), none);
        if (!(sn_vec3_dot(normal, c->outward[v]) < sharp_cosine)) {
            continue;
        }
        if (c->sharp == NULL) {
            ++c->sharp_starts[v + 1];
        } else {
            c->sharp[c->sharp_starts[v]++] = normal;
        }
    }
}

static sn_status list_sharp(sni_skin_contact *c, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = c->desc.mesh->vertex_count;
    SNI_NEW_ZERO(c->context, c->sharp_starts, (size_t)count + 1);
    add_sharp(c);
    add_up(c->sharp_starts, count);
    SNI_NEW(c->context, c->sharp, (size_t)c->sharp_starts[count] + 1);
    add_sharp(c);
    move_back(c->sharp_starts, count);
cleanup:
    return status;
}

static sn_status list_vertices(sni_skin_contact *c, sn_error *error) {
    const sni_skin_contact_desc *d = &c->desc;
    const uint32_t *parts = d->parts->vertex_parts;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(c->context, c->vertices.starts, (size_t)d->parts->count + 1);
    for (uint32_t v = 0; v < d->mesh->vertex_count; ++v) {
        if (parts[v] != SN_NONE && d->edges->map[v] == v) {
            ++c->vertices.starts[parts[v] + 1];
        }
    }
    for (uint32_t i = 1; i <= d->parts->count; ++i) {
        uint32_t count = c->vertices.starts[i];
        c->most_vertices = count > c->most_vertices ? count : c->most_vertices;
    }
    add_up(c->vertices.starts, d->parts->count);
    SNI_NEW(c->context, c->vertices.items, c->vertices.starts[d->parts->count]);
    for (uint32_t v = 0; v < d->mesh->vertex_count; ++v) {
        if (parts[v] != SN_NONE && d->edges->map[v] == v) {
            c->vertices.items[c->vertices.starts[parts[v]]++] = v;
        }
    }
    move_back(c->vertices.starts, d->parts->count);
cleanup:
    return status;
}

static sn_status list_triangles(sni_skin_contact *c, sn_error *error) {
    const sni_skin_contact_desc *d = &c->desc;
    sn_status status = SN_OK;
    uint32_t *starts = NULL;
    SNI_NEW_ZERO(c->context, c->triangles.starts, (size_t)d->parts->count + 1);
    starts = c->triangles.starts;
    for (uint32_t t = 0; t < 3 * d->triangle_count; ++t) {
        uint32_t part = new_part(c, d->triangles + t - t % 3, (int)(t % 3));
        if (part != SN_NONE) {
            starts[part + 1] += 3;
        }
    }
    add_up(starts, d->parts->count);
    SNI_NEW(c->context, c->triangles.items, starts[d->parts->count]);
    for (uint32_t t = 0; t < 3 * d->triangle_count; ++t) {
        const uint32_t *triangle = d->triangles + t - t % 3;
        uint32_t part = new_part(c, triangle, (int)(t % 3));
        if (part != SN_NONE) {
            memcpy(c->triangles.items + starts[part], triangle, 3 * sizeof *triangle);
            starts[part] += 3;
        }
    }
    move_back(starts, d->parts->count);
cleanup:
    return status;
}

static sn_status list_rims(sni_skin_contact *c, sn_error *error) {
    const sni_skin_contact_desc *d = &c->desc;
    sn_status status = SN_OK;
    uint32_t *seen = NULL, count = 0;
    SNI_NEW(c->context, c->rims.starts, (size_t)d->parts->count + 1);
    SNI_NEW(c->context, c->rims.items, c->triangles.starts[d->parts->count]);
    SNI_NEW(c->context, seen, d->mesh->vertex_count);
    memset(seen, 0xff, d->mesh->vertex_count * sizeof *seen);
    for (uint32_t part = 0; part < d->parts->count; ++part) {
        c->rims.starts[part] = count;
        for (uint32_t k = c->triangles.starts[part]; k < c->triangles.starts[part + 1]; ++k) {
            uint32_t v = c->triangles.items[k];
            if (d->parts->vertex_parts[v] != part && seen[v] != part) {
                seen[v] = part;
                c->rims.items[count++] = v;
            }
        }
    }
    c->rims.starts[d->parts->count] = count;
cleanup:
    sni_free(c->context, seen);
    return status;
}

static void find_rings(sni_skin_contact *c) {
    const sni_skin_contact_desc *d = &c->desc;
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t v = 0; v < d->mesh->vertex_count; ++v) {
        uint32_t part = d->parts->vertex_parts[v];
        uint32_t begin = d->edges->starts[v], end = d->edges->starts[v + 1];
        if (part == SN_NONE || begin == end) {
            continue;
        }
        double edges = 0;
        for (uint32_t n = begin; n < end; ++n) {
            edges += d->edges->items[n].rest;
        }
        sum += d->body->mean_radii[part] * (end - begin) / edges;
        ++count;
    }
    double rings = count > 0 ? ring_radii * sum / count : 0;
    c->rings = rings <= LEAST_RINGS  ? LEAST_RINGS
               : rings >= MOST_RINGS ? MOST_RINGS
                                     : (uint32_t)rings;
}

static int by_vertex(const void *left, const void *right) {
    const sni_contact_opposite *x = left, *y = right;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

// The part of the pair that a vertex is opposite to.
static uint32_t other_part(const sni_skin_parts *parts, const sni_contact_opposite *o) {
    uint32_t own = parts->vertex_parts[o->vertex];
    for (int k = 0; k < 3; ++k) {
        uint32_t part = parts->vertex_parts[o->corners[k]];
        if (part != own && part != SN_NONE &&
            (parts->parts[part].parent == own || parts->parts[own].parent == part)) {
            return part;
        }
    }
    return SN_NONE;
}

// Keeps what vertices have at rest that is less than the gap.
static sn_status keep_rest(sni_skin_contact *c, const sni_contact_opposites *found,
                           sn_error *error) {
    sn_status status = SN_OK;
    const sni_skin_parts *parts = c->desc.parts;
    uint32_t count = c->desc.mesh->vertex_count, next = 0, kept = 0;
    if (found->count > 0) {
        qsort(found->items, found->count, sizeof *found->items, by_vertex);
    }
    SNI_NEW(c->context, c->rest_starts, (size_t)count + 1);
    SNI_NEW(c->context, c->rest, found->count);
    for (uint32_t v = 0; v < count; ++v) {
        c->rest_starts[v] = kept;
        for (; next < found->count && found->items[next].vertex == v; ++next) {
            const sni_contact_opposite *o = &found->items[next];
            uint32_t other = other_part(parts, o);
            if (other != SN_NONE &&
                o->need < fmin(c->gaps[parts->vertex_parts[v]], c->gaps[other])) {
                c->rest[kept++] = (sni_contact_rest){other, (float)o->need};
            }
        }
    }
    c->rest_starts[count] = kept;
cleanup:
    return status;
}

// Looks at pairs of neighbours at rest.
static sn_status find_rest(sni_skin_contact *c, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t parts = c->desc.parts->count;
    sni_arena arena;
    sn_mat4 *still = NULL;
    sni_contact_place *places = NULL;
    sni_contact_opposites found = {0};
    sni_arena_init(&arena, c->context);
    SNI_NEW(c->context, still, parts);
    SNI_NEW(c->context, places, parts);
    for (uint32_t i = 0; i < parts; ++i) {
        still[i] = sn_mat4_identity();
    }
    sni_contact_find_places(c, still, places);
    sni_contact_run r = {.c = c,
                         .arena = &arena,
                         .motions = still,
                         .places = places,
                         .positions = (sn_vec3 *)c->desc.mesh->rest,
                         .at_rest = true};
    if (!sni_contact_find_pairs(&r)) {
        SN_TRY(sni_fail_memory(error));
    }
    for (uint32_t i = 0; i < r.pair_count; ++i) {
        c->joint_normals[r.pairs[i].parts[0]] = r.pairs[i].normal;
    }
    if (!sni_contact_find_opposites(&r, 0, &found, NULL)) {
        SN_TRY(sni_fail_memory(error));
    }
    SN_TRY(keep_rest(c, &found, error));
cleanup:
    sni_arena_deinit(&arena);
    sni_free(c->context, still);
    sni_free(c->context, places);
    return status;
}

sn_status sni_skin_contact_create(sn_context *context, const sni_skin_contact_desc *desc,
                                  sni_skin_contact *c, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t parts = desc->parts->count, vertices = desc->mesh->vertex_count;
    *c = (sni_skin_contact){.context = context, .desc = *desc};
    SNI_NEW_ZERO(context, c->centers, parts);
    SNI_NEW_ZERO(context, c->reaches, parts);
    SNI_NEW_ZERO(context, c->gaps, parts);
    SNI_NEW_ZERO(context, c->sample_balls, parts);
    SNI_NEW_ZERO(context, c->insides, parts);
    SNI_NEW_ZERO(context, c->joint_normals, parts);
    SNI_NEW_ZERO(context, c->outward, vertices);
    SNI_NEW_ZERO(context, c->radii, vertices);
    find_balls(c);
    find_samples(c);
    find_outward(c);
    find_rings(c);
    for (uint32_t v = 0; v < vertices; ++v) {
        uint32_t part = desc->parts->vertex_parts[v];
        if (part != SN_NONE) {
            c->radii[v] =
                (float)sni_skin_part_distance(&desc->parts->parts[part], desc->mesh->rest[v]);
        }
    }
    SN_TRY(list_sharp(c, error));
    SN_TRY(list_vertices(c, error));
    SN_TRY(list_triangles(c, error));
    SN_TRY(list_rims(c, error));
    SN_TRY(find_rest(c, error));
    c->desc.triangles = NULL;
cleanup:
    if (status != SN_OK) {
        sni_skin_contact_free(context, c);
    }
    return status;
}

static void free_rows(sn_context *context, sni_contact_rows *rows) {
    sni_free(context, rows->starts);
    sni_free(context, rows->items);
}

void sni_skin_contact_free(sn_context *context, sni_skin_contact *c) {
    sni_free(context, c->outward);
    sni_free(context, c->sharp_starts);
    sni_free(context, c->sharp);
    sni_free(context, c->radii);
    sni_free(context, c->centers);
    sni_free(context, c->reaches);
    sni_free(context, c->gaps);
    sni_free(context, c->sample_balls);
    sni_free(context, c->insides);
    sni_free(context, c->joint_normals);
    free_rows(context, &c->vertices);
    free_rows(context, &c->triangles);
    free_rows(context, &c->rims);
    sni_free(context, c->rest_starts);
    sni_free(context, c->rest);
    *c = (sni_skin_contact){0};
}

size_t sni_skin_contact_bytes(const sni_skin_contact *c) {
    size_t vertices = c->desc.mesh->vertex_count, parts = c->desc.parts->count;
    const sni_contact_rows *rows[3] = {&c->vertices, &c->triangles, &c->rims};
    size_t bytes =
        vertices * (sizeof *c->outward + sizeof *c->radii) +
        (vertices + 1) * sizeof *c->rest_starts + c->rest_starts[vertices] * sizeof *c->rest +
        (vertices + 1) * sizeof *c->sharp_starts + c->sharp_starts[vertices] * sizeof *c->sharp +
        parts * (sizeof *c->centers + sizeof *c->reaches + sizeof *c->gaps +
                 sizeof *c->joint_normals + sizeof *c->sample_balls + sizeof *c->insides);
    for (int k = 0; k < 3; ++k) {
        bytes += (parts + 1 + rows[k]->starts[parts]) * sizeof(uint32_t);
    }
    return bytes;
}
