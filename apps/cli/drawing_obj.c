// SPDX-License-Identifier: Apache-2.0
//
// Curves drawn as lines of an OBJ file. Programs write a line either as one polyline,
// `l 1 2 3 4`, or edge by edge in any order, `l 2 3`, `l 1 2`; both are taken as edges, and edges
// that meet are one curve.
#define _GNU_SOURCE
#include "drawing.h"

#include <stdlib.h>
#include <string.h>

typedef struct edge {
    uint32_t from, to; // as written
    uint32_t object;
    bool taken;
} edge;

typedef struct obj_lines {
    const char *path;
    uint32_t vertex_count, vertex_capacity;
    sn_vec3 *vertices;
    uint32_t edge_count, edge_capacity;
    edge *edges;
    uint32_t object_count; // the first one has no name
    char **objects;
} obj_lines;

// A curve: vertices in order.
typedef struct chain {
    uint32_t object;
    uint32_t count;
    uint32_t *vertices;
    bool closed;
} chain;

// Room for one more item; false for want of memory.
static bool grow(void *array, uint32_t *capacity, uint32_t count, size_t size) {
    void *items;
    if (count < *capacity) {
        return true;
    }
    uint32_t larger = *capacity > 0 ? 2 * *capacity : 256;
    memcpy(&items, array, sizeof items);
    items = larger > count ? realloc(items, larger * size) : NULL;
    if (items != NULL) {
        memcpy(array, &items, sizeof items);
        *capacity = larger;
    }
    return items != NULL;
}

// ---------------------------------------------------------------------------------------------
// Reading

// Whether nothing but blanks is left of the line.
static bool ends_line(const char *text) {
    text += strspn(text, " \t");
    return *text == 0 || *text == '\r' || *text == '\n';
}

static sn_status read_vertex(obj_lines *obj, const char *rest, uint32_t line, sn_error *error) {
    double p[3];
    char *end = (char *)rest;
    for (int k = 0; k < 3; ++k) {
        const char *start = end;
        p[k] = ends_line(start) ? NAN : strtod(start, &end);
        if (end == start || !isfinite(p[k])) {
            return cli_drawing_fail(error, obj->path, line, "expected three numbers after \"v\"");
        }
    }
    if (!grow(&obj->vertices, &obj->vertex_capacity, obj->vertex_count, sizeof *obj->vertices)) {
        return app_fail_memory(error);
    }
    obj->vertices[obj->vertex_count++] = sn_vec3_make(p[0], p[1], p[2]);
    return SN_OK;
}

static sn_status read_line(obj_lines *obj, const char *rest, uint32_t line, sn_error *error) {
    uint32_t last = SN_NONE;
    for (const char *c = rest; !ends_line(c);) {
        char *end;
        long number = strtol(c, &end, 10);
        if (end == c) {
            return cli_drawing_fail(error, obj->path, line, "expected vertices after \"l\"");
        }
        long index = number < 0 ? (long)obj->vertex_count + number : number - 1;
        if (number == 0 || index < 0 || index >= (long)obj->vertex_count) {
            return cli_drawing_fail(error, obj->path, line,
                                    "a line goes to vertex %ld, but there are %u", number,
                                    obj->vertex_count);
        }
        if (last != SN_NONE && last != (uint32_t)index) {
            if (!grow(&obj->edges, &obj->edge_capacity, obj->edge_count, sizeof *obj->edges)) {
                return app_fail_memory(error);
            }
            obj->edges[obj->edge_count++] =
                (edge){.from = last, .to = (uint32_t)index, .object = obj->object_count - 1};
        }
        last = (uint32_t)index;
        c = end + strcspn(end, " \t\r\n"); // texture coordinates
    }
    return SN_OK;
}

static sn_status begin_object(obj_lines *obj, const char *name, size_t length, sn_error *error) {
    char **more = realloc(obj->objects, (obj->object_count + (size_t)1) * sizeof *more);
    if (more == NULL) {
        return app_fail_memory(error);
    }
    obj->objects = more;
    obj->objects[obj->object_count] = strndup(name, length);
    return obj->objects[obj->object_count++] != NULL ? SN_OK : app_fail_memory(error);
}

static sn_status read_all(obj_lines *obj, const char *text, sn_error *error) {
    sn_status status = begin_object(obj, "", 0, error);
    uint32_t line = 1;
    for (const char *c = text; *c != 0 && status == SN_OK; ++line) {
        c += strspn(c, " \t");
        size_t length = strcspn(c, "\r\n");
        const char *rest = c + 1 + strspn(c + 1, " \t");
        bool alone = length > 1 && (c[1] == ' ' || c[1] == '\t');
        if (alone && *c == 'v') {
            status = read_vertex(obj, rest, line, error);
        } else if (alone && *c == 'l') {
            status = read_line(obj, rest, line, error);
        } else if (alone && (*c == 'o' || *c == 'g')) {
            status = begin_object(obj, rest, (size_t)(c + length - rest), error);
        }
        c += length;
        c += *c == '\r';
        c += *c == '\n';
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Joining edges

// The two edges at each vertex, or SN_NONE.
static sn_status find_neighbours(const obj_lines *obj, uint32_t *at, sn_error *error) {
    for (uint32_t i = 0; i < 2 * obj->vertex_count; ++i) {
        at[i] = SN_NONE;
    }
    for (uint32_t e = 0; e < obj->edge_count; ++e) {
        const uint32_t ends[2] = {obj->edges[e].from, obj->edges[e].to};
        for (int k = 0; k < 2; ++k) {
            uint32_t *slots = at + 2 * (size_t)ends[k];
            if (slots[0] != SN_NONE && slots[1] != SN_NONE) {
                return cli_drawing_fail(error, obj->path, 0,
                                        "more than two lines meet in vertex %u; curves do not "
                                        "branch",
                                        ends[k] + 1);
            }
            slots[slots[0] != SN_NONE] = e;
        }
    }
    return SN_OK;
}

// Follows the edges from a vertex on. `along` and `against` count how they were written.
static void walk(obj_lines *obj, const uint32_t *at, uint32_t start, chain *c, uint32_t *along,
                 uint32_t *against) {
    uint32_t vertex = start;
    c->count = 0;
    c->vertices[c->count++] = vertex;
    *along = *against = 0;
    for (;;) {
        const uint32_t *slots = at + 2 * (size_t)vertex;
        uint32_t e = slots[0] != SN_NONE && !obj->edges[slots[0]].taken ? slots[0] : slots[1];
        if (e == SN_NONE || obj->edges[e].taken) {
            return;
        }
        obj->edges[e].taken = true;
        c->object = obj->edges[e].object;
        bool forward = obj->edges[e].from == vertex;
        *along += forward;
        *against += !forward;
        vertex = forward ? obj->edges[e].to : obj->edges[e].from;
        if (vertex == start) {
            c->closed = true;
            return;
        }
        c->vertices[c->count++] = vertex;
    }
}

static void turn_around(chain *c) {
    // A ring keeps its first vertex.
    for (uint32_t i = c->closed, k = c->count - 1; i < k; ++i, --k) {
        uint32_t kept = c->vertices[i];
        c->vertices[i] = c->vertices[k];
        c->vertices[k] = kept;
    }
}

// A curve begins where its first line was begun; one of single edges at its lowest vertex.
static sn_status join_edges(obj_lines *obj, const uint32_t *at, chain *chains, uint32_t *count,
                            sn_error *error) {
    for (int rings = 0; rings < 2; ++rings) {
        for (uint32_t v = 0; v < obj->vertex_count; ++v) {
            const uint32_t *slots = at + 2 * (size_t)v;
            bool starts = slots[0] != SN_NONE && !obj->edges[slots[0]].taken &&
                          (rings == 1 || slots[1] == SN_NONE);
            if (!starts) {
                continue;
            }
            chain *c = &chains[(*count)++];
            uint32_t along, against;
            *c = (chain){.vertices = malloc((obj->edge_count + (size_t)1) * sizeof *c->vertices)};
            if (c->vertices == NULL) {
                return app_fail_memory(error);
            }
            walk(obj, at, v, c, &along, &against);
            uint32_t *fitting = realloc(c->vertices, c->count * sizeof *fitting);
            c->vertices = fitting != NULL ? fitting : c->vertices;
            if (against > 0 && along == 0) {
                turn_around(c);
            }
        }
    }
    return SN_OK;
}

static sn_status find_chains(obj_lines *obj, uint32_t *at, chain *chains, uint32_t *count,
                             sn_error *error) {
    sn_status status = find_neighbours(obj, at, error);
    return status == SN_OK ? join_edges(obj, at, chains, count, error) : status;
}

// ---------------------------------------------------------------------------------------------
// Pairs of curves

static sn_vec3 area_of(const obj_lines *obj, const chain *c) {
    sn_vec3 area = {0, 0, 0}, origin = obj->vertices[c->vertices[0]];
    for (uint32_t i = 0; i + 1 < c->count; ++i) {
        area = sn_vec3_add(area,
                           sn_vec3_cross(sn_vec3_sub(obj->vertices[c->vertices[i]], origin),
                                         sn_vec3_sub(obj->vertices[c->vertices[i + 1]], origin)));
    }
    return area;
}

static bool run_opposite(const obj_lines *obj, const chain *a, const chain *b) {
    if (a->closed) {
        return sn_vec3_dot(area_of(obj, a), area_of(obj, b)) < 0;
    }
    sn_vec3 a0 = obj->vertices[a->vertices[0]], a1 = obj->vertices[a->vertices[a->count - 1]];
    sn_vec3 b0 = obj->vertices[b->vertices[0]], b1 = obj->vertices[b->vertices[b->count - 1]];
    return sn_vec3_distance(a0, b1) + sn_vec3_distance(a1, b0) <
           sn_vec3_distance(a0, b0) + sn_vec3_distance(a1, b1);
}

static sn_status add_pair(const obj_lines *obj, const chain *first, chain *second, const char *name,
                          cli_drawing *drawing, sn_error *error) {
    const chain *pair[2] = {first, second};
    if (first->closed != second->closed) {
        return cli_drawing_fail(error, obj->path, 0, "one of the two curves%s%s is closed",
                                name != NULL ? " of " : "", name != NULL ? name : "");
    }
    if (run_opposite(obj, first, second)) {
        turn_around(second);
    }
    sn_value *keys = cli_drawing_add(drawing, name);
    bool done = !first->closed || sn_json_add_string(drawing->made, keys, "ends", "closed") != NULL;
    sn_value *curves = done ? sn_json_add_array(drawing->made, keys, "curves") : NULL;
    for (int k = 0; k < 2 && done; ++k) {
        sn_value *curve = sn_json_add_array(drawing->made, curves, NULL);
        for (uint32_t i = 0; i < pair[k]->count && done; ++i) {
            const sn_vec3 *p = &obj->vertices[pair[k]->vertices[i]];
            done = sn_json_add_numbers(drawing->made, curve, NULL, &p->x, 3) != NULL;
        }
    }
    return done && keys != NULL ? SN_OK : app_fail_memory(error);
}

// Two curves in all, or two for each object.
static sn_status pair_chains(const obj_lines *obj, chain *chains, uint32_t count,
                             cli_drawing *drawing, sn_error *error) {
    if (count == 2) {
        bool same = chains[0].object == chains[1].object;
        const char *name = obj->objects[chains[0].object];
        return add_pair(obj, &chains[0], &chains[1], same && name[0] != 0 ? name : NULL, drawing,
                        error);
    }
    if (count < 2) {
        return cli_drawing_fail(error, obj->path, 0, "expected two curves as lines, found %u",
                                count);
    }
    for (uint32_t object = 0; object < obj->object_count; ++object) {
        chain *pair[2] = {NULL, NULL};
        uint32_t found = 0;
        for (uint32_t i = 0; i < count; ++i) {
            if (chains[i].object == object) {
                pair[found < 2 ? found : 1] = &chains[i];
                ++found;
            }
        }
        if (found != 0 && found != 2) {
            return cli_drawing_fail(error, obj->path, 0,
                                    "the object \"%s\" has %u curves, but a muscle takes two",
                                    obj->objects[object], found);
        }
        sn_status status =
            found == 2 ? add_pair(obj, pair[0], pair[1], obj->objects[object], drawing, error)
                       : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

sn_status cli_drawing_read_obj(const char *path, const char *text, cli_drawing *drawing,
                               sn_error *error) {
    obj_lines obj = {.path = path};
    chain *chains = NULL;
    uint32_t chain_count = 0, *at = NULL;
    sn_status status = SN_OK;
    SN_TRY(read_all(&obj, text, error));
    at = malloc((2 * (size_t)obj.vertex_count + 1) * sizeof *at);
    chains = malloc((obj.edge_count + (size_t)1) * sizeof *chains);
    if (at == NULL || chains == NULL) {
        status = app_fail_memory(error);
        goto cleanup;
    }
    SN_TRY(find_chains(&obj, at, chains, &chain_count, error));
    SN_TRY(pair_chains(&obj, chains, chain_count, drawing, error));
cleanup:
    for (uint32_t i = 0; i < chain_count; ++i) {
        free(chains[i].vertices);
    }
    for (uint32_t i = 0; i < obj.object_count; ++i) {
        free(obj.objects[i]);
    }
    free(chains);
    free(at);
    free(obj.objects);
    free(obj.edges);
    free(obj.vertices);
    return status;
}
