// SPDX-License-Identifier: Apache-2.0
//
// The join tree of height (Carr, Snoeyink and Axen, Computing Contour Trees in All Dimensions,
// 2003): nodes are added from the lowest to the highest, and pieces that nodes join become one. A
// piece that began at the ground and has grown high before it is joined with another such piece, or
// with what was joined before, is a leg. Toes are joined with their foot before they are high, and
// a belly, a chin or a hanging tail begins above the ground.
#include "fit/bind/legs.h"

#include "base/context.h"

#include <math.h>

// A leg is at least this high, and begins at most that high over the ground, as parts of the
// body's height. Feet may be lifted in a step.
static const double least_height = 0.1, most_ground = 0.15;

typedef struct piece {
    uint32_t parent; // union-find over nodes
    uint32_t next;   // list of the nodes of a piece
    uint32_t last;   // of the list, for a root
    uint32_t birth;  // lowest layer, for a root
    bool joined;     // of several legs, for a root
    bool added;
} piece;

typedef struct tree {
    sni_legs *legs;
    const sni_volume *volume;
    uint32_t *order; // inner_count: nodes by layer
    piece *pieces;   // inner_count
} tree;

uint32_t sni_legs_layer(const sni_legs *legs, double y) {
    double layer = round((y - legs->figure->volume.origin.y) / legs->figure->volume.spacing);
    return (uint32_t)fmin(fmax(layer, 0), legs->layer_count - 1.0);
}

double sni_legs_height(const sni_legs *legs, uint32_t layer) {
    return legs->figure->volume.origin.y + legs->figure->volume.spacing * layer;
}

static uint32_t layer_of(const tree *t, uint32_t node) {
    return sni_legs_layer(t->legs, t->volume->points[node].y);
}

static uint32_t root_of(const tree *t, uint32_t node) {
    while (t->pieces[node].parent != node) {
        uint32_t parent = t->pieces[node].parent;
        t->pieces[node].parent = t->pieces[parent].parent;
        node = parent;
    }
    return node;
}

// ---------------------------------------------------------------------------------------------
// Branches

static bool is_leg(const tree *t, uint32_t root, uint32_t layer) {
    const sni_figure *f = t->legs->figure;
    const piece *p = &t->pieces[root];
    double height = f->high.y - f->low.y, birth = sni_legs_height(t->legs, p->birth);
    return !p->joined && birth - f->low.y < most_ground * height &&
           sni_legs_height(t->legs, layer) - birth > least_height * height;
}

static void add_leg(tree *t, uint32_t root, uint32_t layer) {
    sni_legs *legs = t->legs;
    t->pieces[root].joined = true;
    if (legs->count == SNI_LEGS_MOST) {
        return;
    }
    sni_leg *leg = &legs->legs[legs->count++];
    *leg = (sni_leg){.first = t->pieces[root].birth, .end = layer};
    double count = 0;
    for (uint32_t i = root; i != SN_NONE; i = t->pieces[i].next) {
        legs->owners[i] = (uint8_t)legs->count;
        leg->centre = sn_vec3_add(leg->centre, t->volume->points[i]);
        count += 1;
    }
    leg->centre = sn_vec3_scale(leg->centre, 1 / count);
}

// Joins the pieces of two nodes in a layer. Where both are legs, or one is and the other is made of
// legs already, legs end here. What is neither, a toe or a belly, becomes part of the other.
static void join(tree *t, uint32_t a, uint32_t b, uint32_t layer) {
    a = root_of(t, a);
    b = root_of(t, b);
    if (a == b) {
        return;
    }
    bool leg_a = is_leg(t, a, layer), leg_b = is_leg(t, b, layer);
    bool end = (leg_a || t->pieces[a].joined) && (leg_b || t->pieces[b].joined);
    if (end && leg_a) {
        add_leg(t, a, layer);
    }
    if (end && leg_b) {
        add_leg(t, b, layer);
    }
    // The list of b follows that of a.
    piece *first = &t->pieces[a], *second = &t->pieces[b];
    t->pieces[first->last].next = b;
    first->last = second->last;
    first->birth = first->birth < second->birth ? first->birth : second->birth;
    first->joined = first->joined || second->joined;
    second->parent = a;
}

static void sort_nodes(tree *t, uint32_t *starts) {
    for (uint32_t i = 0; i < t->volume->inner_count; ++i) {
        starts[layer_of(t, i) + 1]++;
    }
    for (uint32_t layer = 0; layer < t->legs->layer_count; ++layer) {
        starts[layer + 1] += starts[layer];
    }
    for (uint32_t i = 0; i < t->volume->inner_count; ++i) {
        t->order[starts[layer_of(t, i)]++] = i;
    }
}

static void grow(tree *t) {
    const sni_volume *v = t->volume;
    for (uint32_t k = 0; k < v->inner_count; ++k) {
        uint32_t node = t->order[k], layer = layer_of(t, node);
        t->pieces[node] = (piece){.parent = node,
                                  .next = SN_NONE,
                                  .last = node,
                                  .birth = layer,
                                  .joined = false,
                                  .added = true};
        for (uint32_t i = v->offsets[node]; i < v->offsets[node + 1]; ++i) {
            uint32_t other = v->others[i];
            if (other < v->inner_count && t->pieces[other].added) {
                join(t, other, node, layer);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Layers

static void widen(sni_leg_layer *layer, sn_vec3 point) {
    layer->low = layer->count > 0 ? sn_vec3_min(layer->low, point) : point;
    layer->high = layer->count > 0 ? sn_vec3_max(layer->high, point) : point;
    layer->centre = sn_vec3_add(layer->centre, point);
    layer->count += 1;
}

// Whether a node of a leg belongs to its column: from layer to layer a leg becomes wider by two
// nodes on each side at most. A belly that hangs lower than the legs meet is not part of them.
static bool is_in_column(const sni_leg_layer *below, sn_vec3 p, double spacing) {
    double slack = 2.5 * spacing;
    return below->count == 0 || (p.x > below->low.x - slack && p.x < below->high.x + slack &&
                                 p.z > below->low.z - slack && p.z < below->high.z + slack);
}

static void fill_layers(tree *t) {
    sni_legs *legs = t->legs;
    const sni_leg_layer none = {0};
    // Nodes lie in `order` by layers, so that the layer below is complete. The lowest tenth of a
    // leg, its foot, is taken whole: toes begin one by one.
    for (uint32_t k = 0; k < t->volume->inner_count; ++k) {
        uint32_t node = t->order[k], layer = layer_of(t, node);
        if (legs->owners[node] == 0) {
            continue;
        }
        uint32_t number = legs->owners[node] - 1u;
        const sni_leg *leg = &legs->legs[number];
        sni_leg_layer *row = legs->layers + (size_t)number * legs->layer_count;
        bool foot = layer < leg->first + 1 + (leg->end - leg->first) / 5;
        const sni_leg_layer *below = foot || layer == 0 ? &none : &row[layer - 1];
        if (is_in_column(below, t->volume->points[node], t->volume->spacing)) {
            widen(&row[layer], t->volume->points[node]);
        }
    }
    for (uint32_t i = 0; i < legs->count * legs->layer_count; ++i) {
        sni_leg_layer *layer = &legs->layers[i];
        layer->centre = sn_vec3_scale(layer->centre, layer->count > 0 ? 1 / layer->count : 0);
    }
}

const sni_leg_layer *sni_legs_at(const sni_legs *legs, uint32_t leg, double y) {
    uint32_t layer = sni_legs_layer(legs, y);
    const sni_leg *l = &legs->legs[leg];
    const sni_leg_layer *row = legs->layers + (size_t)leg * legs->layer_count;
    layer = layer < l->first ? l->first : layer >= l->end ? l->end - 1 : layer;
    while (row[layer].count == 0 && layer > l->first) {
        --layer;
    }
    return &row[layer];
}

sn_status sni_legs_init(const sni_figure *figure, sni_legs *legs, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = figure->context;
    tree t = {.legs = legs, .volume = &figure->volume};
    uint32_t *starts = NULL;
    *legs =
        (sni_legs){.context = context, .figure = figure, .layer_count = figure->volume.counts[1]};
    SNI_NEW_ZERO(context, legs->owners, t.volume->inner_count);
    SNI_NEW_ZERO(context, legs->layers, (size_t)SNI_LEGS_MOST * legs->layer_count);
    SNI_NEW_ZERO(context, t.pieces, t.volume->inner_count);
    SNI_NEW(context, t.order, t.volume->inner_count);
    SNI_NEW_ZERO(context, starts, (size_t)legs->layer_count + 1);
    sort_nodes(&t, starts);
    grow(&t);
    fill_layers(&t);
cleanup:
    sni_free(context, t.pieces);
    sni_free(context, t.order);
    sni_free(context, starts);
    return status;
}

void sni_legs_deinit(sni_legs *legs) {
    sni_free(legs->context, legs->owners);
    sni_free(legs->context, legs->layers);
}
