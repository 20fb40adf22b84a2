// SPDX-License-Identifier: Apache-2.0
//
// Lips that touch: points close to a muscle in space, but far from it along the skin.
//
// Distances along the skin are those of Dijkstra's algorithm, from the muscle's traces over edges
// and across faces, until all points in question are reached or the rest is too far. Vertices at
// one position count as one where their normals agree (the two sides of a texture seam), but not
// where these oppose each other (two lips).
#include "skin/falloff.h"

#include "base/rows.h"
#include "geometry/normals.h"

#include <math.h>
#include <string.h>

enum {
    SMALL_FACE = 8,   // corners up to which paths cross a face, not only follow its edges
    TWIN_SEARCH = 16, // vertices at one position that are looked at for a twin
};

// How the vertices of a skin hang together; it never changes.
typedef struct skin_graph {
    sni_made made;
    uint32_t *offsets; // #V + 1
    uint32_t *faces;   // faces at each vertex
    uint32_t *twins;   // #V x 2: vertices at the same position, or SN_NONE
} skin_graph;

struct sni_skin_ways {
    sn_context *context;
    const sn_mesh *mesh;
    skin_graph *graph;
    // Dijkstra: a heap of vertices, and where each stands in it. Between searches all distances are
    // infinite, places SN_NONE, and nothing is wanted.
    double *distances; // #V
    uint32_t *places;  // #V
    bool *wanted;      // #V: one of the points in question
    uint32_t *heap;    // #V
    uint32_t heap_count;
    uint32_t *reached; // #V: vertices to reset
    uint32_t reached_count;
};

static sn_vec3 position(const sn_mesh *mesh, uint32_t vertex) {
    return sn_vec3_load(mesh->positions + 3 * (size_t)vertex);
}

// ---------------------------------------------------------------------------------------------
// The mesh

static void list_faces(const sn_mesh *mesh, skin_graph *g) {
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        sni_rows_count(g->offsets, mesh->corners[c], 1);
    }
    sni_rows_begin(g->offsets, mesh->vertex_count);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        for (uint32_t c = mesh->face_offsets[f]; c < mesh->face_offsets[f + 1]; ++c) {
            g->faces[sni_rows_take(g->offsets, mesh->corners[c])] = f;
        }
    }
    sni_rows_end(g->offsets, mesh->vertex_count);
}

static sn_vec3 vertex_normal(const sn_mesh *mesh, const skin_graph *g, uint32_t vertex) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t k = g->offsets[vertex]; k < g->offsets[vertex + 1]; ++k) {
        uint32_t first = mesh->face_offsets[g->faces[k]];
        uint32_t count = mesh->face_offsets[g->faces[k] + 1] - first;
        sum = sn_vec3_add(sum, sni_face_vector(mesh->positions, mesh->corners + first, count));
    }
    return sum;
}

static size_t hash_position(const float *p) {
    uint64_t h = 0;
    for (int i = 0; i < 3; ++i) {
        float plain = p[i] + 0.0f; // -0 is 0
        uint32_t bits;
        memcpy(&bits, &plain, sizeof bits);
        h = (h ^ bits) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return (size_t)h;
}

static bool same_position(const float *a, const float *b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Links a vertex with an earlier one at its position, if their normals agree.
static void link_twin(const sn_mesh *mesh, skin_graph *g, const uint32_t *earlier, uint32_t from,
                      uint32_t vertex) {
    sn_vec3 normal = vertex_normal(mesh, g, vertex);
    for (int i = 0; i < TWIN_SEARCH && from != SN_NONE; ++i, from = earlier[from]) {
        if (g->twins[2 * (size_t)from] == SN_NONE &&
            sn_vec3_dot(vertex_normal(mesh, g, from), normal) > 0) {
            g->twins[2 * (size_t)from] = vertex;
            g->twins[2 * (size_t)vertex + 1] = from;
            return;
        }
    }
}

static sn_status link_twins(sn_context *context, const sn_mesh *mesh, skin_graph *g,
                            sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = mesh->vertex_count;
    uint32_t *table = NULL, *earlier = NULL; // latest vertex at a position; the one before each
    size_t size = 16;
    while (size < 2 * (size_t)count) {
        size *= 2;
    }
    SNI_NEW(context, table, size);
    SNI_NEW(context, earlier, count);
    memset(table, 0xff, size * sizeof *table);
    memset(g->twins, 0xff, 2 * (size_t)count * sizeof *g->twins);
    for (uint32_t i = 0; i < count; ++i) {
        const float *p = mesh->positions + 3 * (size_t)i;
        size_t slot = hash_position(p) & (size - 1);
        while (table[slot] != SN_NONE &&
               !same_position(p, mesh->positions + 3 * (size_t)table[slot])) {
            slot = (slot + 1) & (size - 1);
        }
        earlier[i] = table[slot];
        if (table[slot] != SN_NONE) {
            link_twin(mesh, g, earlier, table[slot], i);
        }
        table[slot] = i;
    }
cleanup:
    sni_free(context, table);
    sni_free(context, earlier);
    return status;
}

static void destroy_graph(sn_context *context, sni_made *made) {
    skin_graph *g = (skin_graph *)made;
    sni_free(context, g->offsets);
    sni_free(context, g->faces);
    sni_free(context, g->twins);
    sni_free(context, g);
}

static sn_status make_graph(sn_context *context, const sn_mesh *mesh, const sni_digest *digest,
                            skin_graph **graph, sn_error *error) {
    skin_graph *g = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, g, 1);
    sni_made_init(&g->made, digest, destroy_graph);
    SNI_NEW_ZERO(context, g->offsets, (size_t)mesh->vertex_count + 1);
    SNI_NEW(context, g->faces, mesh->corner_count);
    SNI_NEW(context, g->twins, 2 * (size_t)mesh->vertex_count);
    list_faces(mesh, g);
    SN_TRY(link_twins(context, mesh, g, error));
    *graph = g;
    g = NULL;
cleanup:
    if (g != NULL) {
        sni_made_release(context, &g->made);
    }
    return status;
}

// Found, or made; one holder more.
static sn_status hold_graph(sn_context *context, const sn_mesh *mesh, const sni_digest *of_mesh,
                            sni_store *store, skin_graph **graph, sn_error *error) {
    sni_digest digest = sni_digest_new();
    sni_made *found = NULL;
    sn_status status = SN_OK;
    sni_digest_add_text(&digest, "graph");
    sni_digest_add_digest(&digest, of_mesh);
    SN_TRY(sni_store_find(store, &digest, &found, error));
    *graph = (skin_graph *)found;
    if (found != NULL) {
        sni_made_hold(found);
        return SN_OK;
    }
    SN_TRY(make_graph(context, mesh, &digest, graph, error));
    SN_TRY(sni_store_add(store, &(*graph)->made, error));
cleanup:
    return status;
}

sn_status sni_skin_ways_create(sn_context *context, const sn_mesh *mesh, const sni_digest *digest,
                               sni_store *store, sni_skin_ways **ways, sn_error *error) {
    sn_status status = SN_OK;
    sni_skin_ways *w = NULL;
    uint32_t count = mesh->vertex_count;
    *ways = NULL;
    SNI_NEW_ZERO(context, w, 1);
    w->context = context;
    w->mesh = mesh;
    SN_TRY(hold_graph(context, mesh, digest, store, &w->graph, error));
    SNI_NEW(context, w->distances, count);
    SNI_NEW(context, w->places, count);
    SNI_NEW_ZERO(context, w->wanted, count);
    SNI_NEW(context, w->heap, count);
    SNI_NEW(context, w->reached, count);
    for (uint32_t i = 0; i < count; ++i) {
        w->distances[i] = INFINITY;
        w->places[i] = SN_NONE;
    }
    *ways = w;
    return SN_OK;
cleanup:
    sni_skin_ways_destroy(w);
    return status;
}

void sni_skin_ways_destroy(sni_skin_ways *ways) {
    if (ways != NULL) {
        sni_made_release(ways->context, (sni_made *)ways->graph);
        sni_free(ways->context, ways->distances);
        sni_free(ways->context, ways->places);
        sni_free(ways->context, ways->wanted);
        sni_free(ways->context, ways->heap);
        sni_free(ways->context, ways->reached);
        sni_free(ways->context, ways);
    }
}

// ---------------------------------------------------------------------------------------------
// Dijkstra

// The order of the heap: by distance, then by vertex, so that it does not depend on history.
static bool comes_before(const sni_skin_ways *w, uint32_t a, uint32_t b) {
    return w->distances[a] != w->distances[b] ? w->distances[a] < w->distances[b] : a < b;
}

static void put(sni_skin_ways *w, uint32_t place, uint32_t vertex) {
    w->heap[place] = vertex;
    w->places[vertex] = place;
}

static void rise(sni_skin_ways *w, uint32_t place, uint32_t vertex) {
    while (place > 0 && comes_before(w, vertex, w->heap[(place - 1) / 2])) {
        put(w, place, w->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(w, place, vertex);
}

static uint32_t pop(sni_skin_ways *w) {
    uint32_t top = w->heap[0], moved = w->heap[--w->heap_count], place = 0;
    while (2 * place + 1 < w->heap_count) {
        uint32_t child = 2 * place + 1;
        if (child + 1 < w->heap_count && comes_before(w, w->heap[child + 1], w->heap[child])) {
            ++child;
        }
        if (!comes_before(w, w->heap[child], moved)) {
            break;
        }
        put(w, place, w->heap[child]);
        place = child;
    }
    if (w->heap_count > 0) {
        put(w, place, moved);
    }
    return top;
}

static void reach(sni_skin_ways *w, uint32_t vertex, double distance) {
    if (distance < w->distances[vertex]) {
        if (w->places[vertex] == SN_NONE) {
            w->places[vertex] = w->heap_count++;
            w->reached[w->reached_count++] = vertex;
        }
        w->distances[vertex] = distance;
        rise(w, w->places[vertex], vertex);
    }
}

static void leave(sni_skin_ways *w, uint32_t from) {
    const sn_mesh *mesh = w->mesh;
    sn_vec3 here = position(mesh, from);
    double so_far = w->distances[from];
    for (uint32_t k = w->graph->offsets[from]; k < w->graph->offsets[from + 1]; ++k) {
        const uint32_t *corners = mesh->corners + mesh->face_offsets[w->graph->faces[k]];
        uint32_t count =
            mesh->face_offsets[w->graph->faces[k] + 1] - mesh->face_offsets[w->graph->faces[k]];
        for (uint32_t c = 0; c < count; ++c) {
            uint32_t before = corners[c > 0 ? c - 1 : count - 1];
            uint32_t behind = corners[c + 1 < count ? c + 1 : 0];
            if (count <= SMALL_FACE || before == from || behind == from) {
                reach(w, corners[c], so_far + sn_vec3_distance(here, position(mesh, corners[c])));
            }
        }
    }
    for (int k = 0; k < 2; ++k) {
        if (w->graph->twins[2 * (size_t)from + (size_t)k] != SN_NONE) {
            reach(w, w->graph->twins[2 * (size_t)from + (size_t)k], so_far);
        }
    }
}

// The distances of all wanted vertices from the muscle's traces, up to `cutoff`.
static void measure(sni_skin_ways *w, const sni_muscle_surface *muscle, uint32_t wanted,
                    double cutoff) {
    for (uint32_t i = 0; i < muscle->trace_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint32_t vertex = muscle->traces[i].vertices[k];
            reach(w, vertex, sn_vec3_distance(muscle->traces[i].point, position(w->mesh, vertex)));
        }
    }
    // A vertex that has left the heap is never reached again at a smaller distance.
    while (wanted > 0 && w->heap_count > 0 && w->distances[w->heap[0]] <= cutoff) {
        uint32_t vertex = pop(w);
        wanted -= w->wanted[vertex];
        leave(w, vertex);
    }
}

static void forget(sni_skin_ways *w) {
    for (uint32_t i = 0; i < w->reached_count; ++i) {
        w->distances[w->reached[i]] = INFINITY;
        w->places[w->reached[i]] = SN_NONE;
    }
    w->reached_count = w->heap_count = 0;
}

// ---------------------------------------------------------------------------------------------
// Points

// The mean edge of the faces at the points.
static double mean_edge(const sni_skin_ways *w, const sni_attachments *attachments) {
    const sn_mesh *mesh = w->mesh;
    double sum = 0, edges = 0;
    for (uint32_t i = 0; i < attachments->count; ++i) {
        uint32_t vertex = attachments->items[i].vertex;
        for (uint32_t k = w->graph->offsets[vertex]; k < w->graph->offsets[vertex + 1]; ++k) {
            uint32_t first = mesh->face_offsets[w->graph->faces[k]];
            uint32_t end = mesh->face_offsets[w->graph->faces[k] + 1];
            for (uint32_t c = first; c < end; ++c) {
                uint32_t next = c + 1 < end ? c + 1 : first;
                sum += sn_vec3_distance(position(mesh, mesh->corners[c]),
                                        position(mesh, mesh->corners[next]));
            }
            edges += end - first;
        }
    }
    return edges > 0 ? sum / edges : 0;
}

static bool is_loose(const sni_skin_ways *w, uint32_t vertex) {
    return w->graph->offsets[vertex] == w->graph->offsets[vertex + 1];
}

// Marks the points in question; returns how many there are and how far from the muscle at most.
static uint32_t want(sni_skin_ways *w, const sni_attachments *attachments, bool wanted,
                     double *furthest) {
    uint32_t count = 0;
    *furthest = 0;
    for (uint32_t i = 0; i < attachments->count; ++i) {
        uint32_t vertex = attachments->items[i].vertex;
        if (!is_loose(w, vertex)) {
            w->wanted[vertex] = wanted;
            *furthest = fmax(*furthest, attachments->items[i].distance);
            ++count;
        }
    }
    return count;
}

double sni_falloff_fade(double reach, double near, double edge, double way) {
    double limit = reach * near + edge;
    double band = fmax(reach - 1, 0) * near;
    if (way > limit - band) {
        double y = way < limit ? (limit - way) / band : 0;
        return y * y * (3 - 2 * y);
    }
    return 1;
}

void sni_falloff_separate(sni_skin_ways *w, const sni_muscle_surface *muscle, double factor,
                          sni_attachments *attachments) {
    SN_ASSERT(attachments->count == 0 || attachments->items != NULL);
    if (muscle->trace_count == 0) {
        return;
    }
    double furthest, edge = mean_edge(w, attachments);
    uint32_t wanted = want(w, attachments, true, &furthest), kept = 0;
    measure(w, muscle, wanted, factor * (furthest + muscle->trace_spacing) + edge);
    want(w, attachments, false, &furthest);
    for (uint32_t i = 0; i < attachments->count; ++i) {
        sni_attachment a = attachments->items[i];
        if (!is_loose(w, a.vertex)) {
            a.factor *= sni_falloff_fade(factor, a.distance + muscle->trace_spacing, edge,
                                         w->distances[a.vertex]);
        }
        if (a.factor > 0) {
            attachments->items[kept++] = a;
        }
    }
    attachments->separated = attachments->count - kept;
    attachments->count = kept;
    forget(w);
}
