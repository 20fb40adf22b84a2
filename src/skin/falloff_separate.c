// SPDX-License-Identifier: Apache-2.0
//
// Lips that touch: points close to a muscle in space, but far from it along the skin.
//
// Distances along the skin are those of Dijkstra's algorithm, from the muscle's traces over edges
// and across faces, in the part of the mesh around the muscle only. Vertices at one position count
// as one where their normals agree (the two sides of a texture seam), but not where these oppose
// each other (two lips).
#include "skin/falloff.h"

#include "geometry/normals.h"

#include <math.h>
#include <stdlib.h>

enum {
    SMALL_FACE = 8,   // corners up to which paths cross a face, not only follow its edges
    TWIN_SEARCH = 16, // vertices at one position that are looked at for a twin
};

typedef struct region {
    const sn_mesh *mesh;
    uint32_t count;     // vertices of the region
    uint32_t *locals;   // #V: number in the region, SN_NONE outside
    uint32_t *vertices; // count
    uint32_t *offsets;  // count + 1
    uint32_t *faces;    // faces at each vertex
    uint32_t *twins;    // count x 2: vertices at the same position, or SN_NONE
    double mean_edge;
    // Dijkstra: a heap of vertices, and where each stands in it.
    double *distances; // count
    uint32_t *heap, *places;
    uint32_t heap_count;
} region;

static void free_region(sn_context *context, region *r) {
    sni_free(context, r->locals);
    sni_free(context, r->vertices);
    sni_free(context, r->offsets);
    sni_free(context, r->faces);
    sni_free(context, r->twins);
    sni_free(context, r->distances);
    sni_free(context, r->heap);
    sni_free(context, r->places);
}

static sn_vec3 position(const sn_mesh *mesh, uint32_t vertex) {
    return sn_vec3_load(mesh->positions + 3 * (size_t)vertex);
}

// ---------------------------------------------------------------------------------------------
// The part of the mesh around the muscle

static void region_box(const sni_bind_job *job, const sni_muscle_surface *muscle,
                       const sni_attachments *attachments, double margin, sn_vec3 box[2]) {
    box[0] = box[1] = muscle->traces[0].point;
    for (uint32_t i = 0; i < muscle->trace_count; ++i) {
        box[0] = sn_vec3_min(box[0], muscle->traces[i].point);
        box[1] = sn_vec3_max(box[1], muscle->traces[i].point);
        for (int k = 0; k < 3; ++k) {
            sn_vec3 p = position(job->mesh, muscle->traces[i].vertices[k]);
            box[0] = sn_vec3_min(box[0], p);
            box[1] = sn_vec3_max(box[1], p);
        }
    }
    sn_vec3 border = {margin, margin, margin};
    box[0] = sn_vec3_sub(box[0], border);
    box[1] = sn_vec3_add(box[1], border);
    for (uint32_t i = 0; i < attachments->count; ++i) {
        sn_vec3 p = position(job->mesh, attachments->items[i].vertex);
        box[0] = sn_vec3_min(box[0], p);
        box[1] = sn_vec3_max(box[1], p);
    }
}

static bool in_box(const float *p, const sn_vec3 box[2]) {
    return p[0] >= box[0].x && p[0] <= box[1].x && p[1] >= box[0].y && p[1] <= box[1].y &&
           p[2] >= box[0].z && p[2] <= box[1].z;
}

static bool face_in_box(const sn_mesh *mesh, uint32_t face, const sn_vec3 box[2]) {
    for (uint32_t c = mesh->face_offsets[face]; c < mesh->face_offsets[face + 1]; ++c) {
        if (in_box(mesh->positions + 3 * (size_t)mesh->corners[c], box)) {
            return true;
        }
    }
    return false;
}

// Numbers the vertices of all faces that reach into the box, in the order of the mesh.
static sn_status number_vertices(sn_context *context, region *r, const sn_vec3 box[2],
                                 sn_error *error) {
    sn_status status = SN_OK;
    const sn_mesh *mesh = r->mesh;
    double sum = 0, edges = 0;
    SNI_NEW(context, r->locals, mesh->vertex_count);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        r->locals[i] = SN_NONE;
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        if (!face_in_box(mesh, f, box)) {
            continue;
        }
        for (uint32_t c = first; c < end; ++c) {
            uint32_t next = c + 1 < end ? c + 1 : first;
            sum += sn_vec3_distance(position(mesh, mesh->corners[c]),
                                    position(mesh, mesh->corners[next]));
            edges += 1;
            r->locals[mesh->corners[c]] = 0;
        }
    }
    r->mean_edge = edges > 0 ? sum / edges : 0;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        r->locals[i] = r->locals[i] == 0 ? r->count++ : SN_NONE;
    }
    SNI_NEW(context, r->vertices, r->count);
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        if (r->locals[i] != SN_NONE) {
            r->vertices[r->locals[i]] = i;
        }
    }
cleanup:
    return status;
}

// The faces at each vertex of the region, of those that reach into the box.
static sn_status list_faces(sn_context *context, region *r, const sn_vec3 box[2], sn_error *error) {
    sn_status status = SN_OK;
    const sn_mesh *mesh = r->mesh;
    SNI_NEW_ZERO(context, r->offsets, (size_t)r->count + 1);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t f = 0; f < mesh->face_count; ++f) {
            if (!face_in_box(mesh, f, box)) {
                continue;
            }
            for (uint32_t c = mesh->face_offsets[f]; c < mesh->face_offsets[f + 1]; ++c) {
                uint32_t local = r->locals[mesh->corners[c]];
                if (pass == 0) {
                    ++r->offsets[local + 1];
                } else {
                    r->faces[r->offsets[local]++] = f;
                }
            }
        }
        if (pass == 0) {
            for (uint32_t i = 0; i < r->count; ++i) {
                r->offsets[i + 1] += r->offsets[i];
            }
            SNI_NEW(context, r->faces, r->offsets[r->count]);
        }
    }
    for (uint32_t i = r->count; i > 0; --i) { // the second pass moved every start to its end
        r->offsets[i] = r->offsets[i - 1];
    }
    r->offsets[0] = 0;
cleanup:
    return status;
}

typedef struct spot {
    float p[3];
    uint32_t local;
} spot;

static int compare_positions(const spot *a, const spot *b) {
    for (int i = 0; i < 3; ++i) {
        if (a->p[i] != b->p[i]) {
            return a->p[i] < b->p[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_spots(const void *a, const void *b) {
    const spot *x = a, *y = b;
    int order = compare_positions(x, y);
    return order != 0 ? order : (x->local > y->local) - (x->local < y->local);
}

static sn_vec3 vertex_normal(const region *r, uint32_t local) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t k = r->offsets[local]; k < r->offsets[local + 1]; ++k) {
        uint32_t first = r->mesh->face_offsets[r->faces[k]];
        uint32_t count = r->mesh->face_offsets[r->faces[k] + 1] - first;
        sum =
            sn_vec3_add(sum, sni_face_vector(r->mesh->positions, r->mesh->corners + first, count));
    }
    return sum;
}

// Links each vertex with the next one at its position whose normal agrees.
static sn_status link_twins(sn_context *context, region *r, sn_error *error) {
    sn_status status = SN_OK;
    spot *spots = NULL;
    SNI_NEW(context, r->twins, 2 * (size_t)r->count);
    SNI_NEW(context, spots, r->count);
    for (uint32_t i = 0; i < r->count; ++i) {
        const float *p = r->mesh->positions + 3 * (size_t)r->vertices[i];
        spots[i] = (spot){{p[0], p[1], p[2]}, i};
        r->twins[2 * i] = r->twins[2 * i + 1] = SN_NONE;
    }
    qsort(spots, r->count, sizeof *spots, compare_spots);
    for (uint32_t i = 0; i < r->count; ++i) {
        for (uint32_t j = i + 1;
             j < r->count && j <= i + TWIN_SEARCH && compare_positions(&spots[i], &spots[j]) == 0;
             ++j) {
            uint32_t a = spots[i].local, b = spots[j].local;
            if (r->twins[2 * b + 1] == SN_NONE &&
                sn_vec3_dot(vertex_normal(r, a), vertex_normal(r, b)) > 0) {
                r->twins[2 * a] = b;
                r->twins[2 * b + 1] = a;
                break;
            }
        }
    }
cleanup:
    sni_free(context, spots);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Dijkstra

// The order of the heap: by distance, then by vertex, so that it does not depend on history.
static bool comes_before(const region *r, uint32_t a, uint32_t b) {
    return r->distances[a] != r->distances[b] ? r->distances[a] < r->distances[b] : a < b;
}

static void put(region *r, uint32_t place, uint32_t local) {
    r->heap[place] = local;
    r->places[local] = place;
}

static void rise(region *r, uint32_t place, uint32_t local) {
    while (place > 0 && comes_before(r, local, r->heap[(place - 1) / 2])) {
        put(r, place, r->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(r, place, local);
}

static uint32_t pop(region *r) {
    uint32_t top = r->heap[0], moved = r->heap[--r->heap_count], place = 0;
    while (2 * place + 1 < r->heap_count) {
        uint32_t child = 2 * place + 1;
        if (child + 1 < r->heap_count && comes_before(r, r->heap[child + 1], r->heap[child])) {
            ++child;
        }
        if (!comes_before(r, r->heap[child], moved)) {
            break;
        }
        put(r, place, r->heap[child]);
        place = child;
    }
    if (r->heap_count > 0) {
        put(r, place, moved);
    }
    return top;
}

static void reach(region *r, uint32_t local, double distance) {
    if (distance < r->distances[local]) {
        if (r->places[local] == SN_NONE) {
            r->places[local] = r->heap_count++;
        }
        r->distances[local] = distance;
        rise(r, r->places[local], local);
    }
}

static void leave(region *r, uint32_t local) {
    const sn_mesh *mesh = r->mesh;
    sn_vec3 here = position(mesh, r->vertices[local]);
    double so_far = r->distances[local];
    for (uint32_t k = r->offsets[local]; k < r->offsets[local + 1]; ++k) {
        uint32_t first = mesh->face_offsets[r->faces[k]];
        uint32_t count = mesh->face_offsets[r->faces[k] + 1] - first;
        for (uint32_t c = 0; c < count; ++c) {
            uint32_t vertex = mesh->corners[first + c];
            uint32_t before = mesh->corners[first + (c + count - 1) % count];
            uint32_t behind = mesh->corners[first + (c + 1) % count];
            if (count <= SMALL_FACE || before == r->vertices[local] ||
                behind == r->vertices[local]) {
                double step = sn_vec3_distance(here, position(mesh, vertex));
                reach(r, r->locals[vertex], so_far + step);
            }
        }
    }
    for (int k = 0; k < 2; ++k) {
        if (r->twins[2 * local + (uint32_t)k] != SN_NONE) {
            reach(r, r->twins[2 * local + (uint32_t)k], so_far);
        }
    }
}

static sn_status measure(sn_context *context, region *r, const sni_muscle_surface *muscle,
                         double cutoff, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(context, r->distances, r->count);
    SNI_NEW(context, r->heap, r->count);
    SNI_NEW(context, r->places, r->count);
    for (uint32_t i = 0; i < r->count; ++i) {
        r->distances[i] = INFINITY;
        r->places[i] = SN_NONE;
    }
    for (uint32_t i = 0; i < muscle->trace_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint32_t vertex = muscle->traces[i].vertices[k];
            if (r->locals[vertex] != SN_NONE) {
                reach(r, r->locals[vertex],
                      sn_vec3_distance(muscle->traces[i].point, position(r->mesh, vertex)));
            }
        }
    }
    // A vertex that has left the heap is never reached again at a smaller distance.
    while (r->heap_count > 0 && r->distances[r->heap[0]] <= cutoff) {
        leave(r, pop(r));
    }
cleanup:
    return status;
}

static void filter(const region *r, const sni_muscle_surface *muscle, double factor,
                   sni_attachments *attachments) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < attachments->count; ++i) {
        const sni_attachment *a = &attachments->items[i];
        uint32_t local = r->locals[a->vertex];
        double limit = factor * (a->distance + muscle->trace_spacing) + r->mean_edge;
        if (local == SN_NONE || r->distances[local] <= limit) {
            attachments->items[kept++] = *a;
        }
    }
    attachments->separated = attachments->count - kept;
    attachments->count = kept;
}

sn_status sni_falloff_separate(const sni_bind_job *job, const sni_muscle_surface *muscle,
                               double factor, sni_attachments *attachments, sn_error *error) {
    sn_status status = SN_OK;
    region r = {.mesh = job->mesh};
    if (muscle->trace_count == 0 || job->mesh->face_count == 0 || attachments->count == 0) {
        return SN_OK;
    }
    double furthest = 0;
    for (uint32_t i = 0; i < attachments->count; ++i) {
        furthest = fmax(furthest, attachments->items[i].distance);
    }
    double cutoff = factor * (furthest + muscle->trace_spacing);
    sn_vec3 box[2];
    region_box(job, muscle, attachments, cutoff, box);
    SN_TRY(number_vertices(job->context, &r, box, error));
    SN_TRY(list_faces(job->context, &r, box, error));
    SN_TRY(link_twins(job->context, &r, error));
    SN_TRY(measure(job->context, &r, muscle, cutoff + r.mean_edge, error));
    filter(&r, muscle, factor, attachments);
cleanup:
    free_region(job->context, &r);
    return status;
}
