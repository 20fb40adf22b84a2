// SPDX-License-Identifier: Apache-2.0
//
// Building: ranges of triangles are split in two by the surface area heuristic (Wald, "On fast
// Construction of SAH-based Bounding Volume Hierarchies", 2007; bins along the widest axis of the
// centroids), the largest box first, until a node has eight ranges. Those of more than one triangle
// become nodes in turn.
//
// The top of the tree is made by the calling thread until ranges are small against the whole; then
// every range is a part of its own that one thread builds. Which ranges these are depends on the
// triangles alone.
#include "geometry/tree.h"

#include "geometry/triangle.h"
#include "geometry/validate.h"

#include <math.h>
#include <string.h>

enum { BINS = 16 };

// Ranges of at most 1/64 of all triangles, or of this many, are built by one thread.
static const uint32_t small_part = 2048;

// Deeper nodes are split in halves without looking: 8^11 > 2^32, so that the depth stays bounded
// whatever the triangles are like.
static const uint32_t blind_depth = SNI_TREE_DEPTH - 12;

// A choice goes to the later of two only when it is better by more than rounding: meshes with
// symmetries, as grids, then have the same tree in every unit of length.
static const double surely = 1 + 1e-4;

// With a fourth coordinate that is always 0, so that four can be taken at a time.
typedef struct box {
    float low[4], high[4];
} box;

// A triangle while the tree is built.
typedef struct item {
    box box;
    uint32_t triangle;
} item;

typedef struct range {
    uint32_t first, count;
} range;

// A range that is built on its own, and where its root hangs in the top of the tree.
typedef struct part {
    range range;
    uint32_t depth;
    uint32_t parent, lane; // SN_NONE for the root of the whole tree
    uint32_t first_node;   // in the scratch nodes
    uint32_t node_count;
} part;

typedef struct builder {
    sn_context *context;
    const float *positions;
    const uint32_t *vertices;
    item *items;
    sni_tree_node *nodes; // scratch: each part has room for the most nodes it can need
    sni_tree_node *tops;
    uint32_t top_count, top_capacity;
    part *parts;
    uint32_t part_count, part_capacity;
} builder;

// ---------------------------------------------------------------------------------------------
// Boxes

static box empty_box(void) {
    return (box){{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};
}

static inline void include(box *a, const box *b) {
    for (int i = 0; i < 4; ++i) {
        a->low[i] = b->low[i] < a->low[i] ? b->low[i] : a->low[i];
        a->high[i] = b->high[i] > a->high[i] ? b->high[i] : a->high[i];
    }
}

static box box_of_triangle(const float *positions, const uint32_t *vertices) {
    box made = empty_box();
    for (int k = 0; k < 3; ++k) {
        const float *p = positions + 3 * (size_t)vertices[k];
        box point = {{p[0], p[1], p[2], 0}, {p[0], p[1], p[2], 0}};
        include(&made, &point);
    }
    return made;
}

// Half the surface; 0 for an empty box.
static double area(const box *a) {
    if (!(a->low[0] <= a->high[0])) {
        return 0;
    }
    double x = (double)a->high[0] - a->low[0], y = (double)a->high[1] - a->low[1];
    double z = (double)a->high[2] - a->low[2];
    return x * y + y * z + z * x;
}

// Twice the centre of a box along an axis, in double so that it cannot overflow.
static double middle(const box *a, int axis) {
    return (double)a->low[axis] + a->high[axis];
}

static box box_of_range(const item *items, range r) {
    box made = empty_box();
    for (uint32_t i = r.first; i < r.first + r.count; ++i) {
        include(&made, &items[i].box);
    }
    return made;
}

// ---------------------------------------------------------------------------------------------
// Splitting

typedef struct binning {
    int axis;
    double origin, scale; // bin = (middle - origin) * scale
} binning;

// Lays bins over the widest axis of the centroids; false when these are all at one place.
static bool lay_bins(const item *items, range r, binning *bins) {
    double low[4] = {INFINITY, INFINITY, INFINITY, 0};
    double high[4] = {-INFINITY, -INFINITY, -INFINITY, 0};
    for (uint32_t i = r.first; i < r.first + r.count; ++i) {
        for (int k = 0; k < 4; ++k) {
            double m = middle(&items[i].box, k);
            low[k] = m < low[k] ? m : low[k];
            high[k] = m > high[k] ? m : high[k];
        }
    }
    int axis = high[1] - low[1] > (high[0] - low[0]) * surely ? 1 : 0;
    axis = high[2] - low[2] > (high[axis] - low[axis]) * surely ? 2 : axis;
    // Slightly less than BINS, so that the highest falls into the last bin.
    *bins = (binning){axis, low[axis], (BINS - 1e-6) / (high[axis] - low[axis])};
    return high[axis] > low[axis];
}

static uint32_t bin_of(const binning *bins, const item *i) {
    return (uint32_t)((middle(&i->box, bins->axis) - bins->origin) * bins->scale);
}

// The first bin of the right half that makes the sum of area times count least, and the boxes of
// both halves.
static uint32_t best_bin(const item *items, range r, const binning *bins, box halves[2]) {
    box boxes[BINS];
    uint32_t counts[BINS] = {0};
    for (int i = 0; i < BINS; ++i) {
        boxes[i] = empty_box();
    }
    for (uint32_t i = r.first; i < r.first + r.count; ++i) {
        uint32_t bin = bin_of(bins, &items[i]);
        include(&boxes[bin], &items[i].box);
        counts[bin]++;
    }
    double costs[BINS]; // of everything from the bin on
    box behind[BINS], sum = empty_box();
    uint32_t count = 0;
    for (int i = BINS - 1; i > 0; --i) {
        include(&sum, &boxes[i]);
        behind[i] = sum;
        count += counts[i];
        costs[i] = area(&sum) * count;
    }
    uint32_t best = 1;
    double best_cost = INFINITY;
    sum = empty_box();
    count = 0;
    for (uint32_t i = 1; i < BINS; ++i) {
        include(&sum, &boxes[i - 1]);
        count += counts[i - 1];
        double cost = area(&sum) * count + costs[i];
        if (count > 0 && count < r.count && cost * surely < best_cost) {
            best_cost = cost;
            best = i;
            halves[0] = sum;
            halves[1] = behind[i];
        }
    }
    return best;
}

// Moves the items of bins before `bin` to the front; returns how many there are.
static uint32_t partition(item *items, range r, const binning *bins, uint32_t bin) {
    uint32_t left = r.first, right = r.first + r.count;
    while (left < right) {
        if (bin_of(bins, &items[left]) < bin) {
            ++left;
        } else {
            item moved = items[left];
            items[left] = items[--right];
            items[right] = moved;
        }
    }
    return left - r.first;
}

// Splits a range of two or more in two, and finds their boxes.
static void split(item *items, range r, bool blindly, range halves[2], box boxes[2]) {
    binning bins;
    uint32_t count = 0;
    if (!blindly && lay_bins(items, r, &bins)) {
        count = partition(items, r, &bins, best_bin(items, r, &bins, boxes));
    }
    bool found = count > 0 && count < r.count;
    count = found ? count : r.count / 2;
    halves[0] = (range){r.first, count};
    halves[1] = (range){r.first + count, r.count - count};
    for (int i = 0; i < 2 && !found; ++i) {
        boxes[i] = box_of_range(items, halves[i]);
    }
}

// The range to split next: of those that fill more than a node the one with the largest box, then
// of the others; blindly, the one with the most triangles. SN_NONE when all are single triangles.
static uint32_t choose_range(const range *ranges, const box *boxes, uint32_t count, bool blindly) {
    uint32_t best = SN_NONE;
    double best_size = -1;
    bool best_is_large = false;
    for (uint32_t i = 0; i < count; ++i) {
        double size = blindly ? ranges[i].count : area(&boxes[i]);
        bool is_large = ranges[i].count > SNI_TREE_WIDTH;
        bool is_better = is_large == best_is_large ? size > best_size * surely : is_large;
        if (ranges[i].count > 1 && is_better) {
            best = i;
            best_size = size;
            best_is_large = is_large;
        }
    }
    return best;
}

// Splits until there are eight ranges, or one for each triangle.
static uint32_t split_wide(item *items, range r, uint32_t depth, range ranges[SNI_TREE_WIDTH],
                           box boxes[SNI_TREE_WIDTH]) {
    if (r.count <= SNI_TREE_WIDTH) {
        for (uint32_t i = 0; i < r.count; ++i) {
            ranges[i] = (range){r.first + i, 1};
            boxes[i] = items[r.first + i].box;
        }
        return r.count;
    }
    bool blindly = depth >= blind_depth;
    uint32_t count = 1;
    ranges[0] = r;
    boxes[0] = box_of_range(items, r);
    while (count < SNI_TREE_WIDTH) {
        uint32_t chosen = choose_range(ranges, boxes, count, blindly);
        if (chosen == SN_NONE) {
            break;
        }
        range halves[2];
        box sides[2];
        split(items, ranges[chosen], blindly, halves, sides);
        ranges[chosen] = halves[0];
        boxes[chosen] = sides[0];
        ranges[count] = halves[1];
        boxes[count++] = sides[1];
    }
    return count;
}

static void set_lane(sni_tree_node *node, uint32_t lane, const box *bounds) {
    for (int axis = 0; axis < 3; ++axis) {
        node->sides[SNI_LOW_X + axis][lane] = bounds->low[axis];
        node->sides[SNI_HIGH_X + axis][lane] = bounds->high[axis];
    }
}

static box get_lane(const sni_tree_node *node, uint32_t lane) {
    box bounds = {{0}, {0}};
    for (int axis = 0; axis < 3; ++axis) {
        bounds.low[axis] = node->sides[SNI_LOW_X + axis][lane];
        bounds.high[axis] = node->sides[SNI_HIGH_X + axis][lane];
    }
    return bounds;
}

// Fills a node with the boxes of up to eight ranges; leaves are complete.
static void make_node(item *items, range r, uint32_t depth, sni_tree_node *node,
                      range ranges[SNI_TREE_WIDTH]) {
    box boxes[SNI_TREE_WIDTH];
    memset(node, 0, sizeof *node);
    node->child_count = split_wide(items, r, depth, ranges, boxes);
    for (uint32_t lane = 0; lane < node->child_count; ++lane) {
        set_lane(node, lane, &boxes[lane]);
        node->is_leaf[lane] = ranges[lane].count == 1;
        node->children[lane] = node->is_leaf[lane] ? ranges[lane].first : SN_NONE;
    }
}

// ---------------------------------------------------------------------------------------------
// Parts

// A node whose children are not all leaves has eight of them, the others have at least two leaves:
// `count` triangles need at most count / 2 nodes of the second kind, and a seventh of that of the
// first.
static uint32_t most_nodes(uint32_t count) {
    return (uint32_t)((uint64_t)count * 4 / 7) + 1;
}

static void build_below(builder *b, part *p, range r, uint32_t depth) {
    SN_ASSERT(p->node_count < most_nodes(p->range.count) && depth < SNI_TREE_DEPTH);
    uint32_t index = p->node_count++;
    range ranges[SNI_TREE_WIDTH];
    sni_tree_node *node = &b->nodes[p->first_node + index];
    make_node(b->items, r, depth, node, ranges);
    for (uint32_t lane = 0; lane < node->child_count; ++lane) {
        if (!node->is_leaf[lane]) {
            node->children[lane] = p->node_count; // within the part
            build_below(b, p, ranges[lane], depth + 1);
        }
    }
}

static void build_parts(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    builder *b = user;
    for (uint32_t i = begin; i < end; ++i) {
        build_below(b, &b->parts[i], b->parts[i].range, b->parts[i].depth);
    }
}

static sn_status add_part(builder *b, range r, uint32_t depth, uint32_t parent, uint32_t lane,
                          sn_error *error) {
    if (!sni_grow(b->context, &b->parts, &b->part_capacity, b->part_count + 1, sizeof *b->parts)) {
        return sni_fail_memory(error);
    }
    b->parts[b->part_count++] = (part){.range = r, .depth = depth, .parent = parent, .lane = lane};
    return SN_OK;
}

// Makes the top of the tree, down to ranges of at most `limit` triangles. Recursion is as deep as
// the tree.
static sn_status build_top(builder *b, range r, uint32_t depth, uint32_t parent, uint32_t lane,
                           uint32_t limit, sn_error *error) {
    if (r.count <= limit) {
        return add_part(b, r, depth, parent, lane, error);
    }
    if (!sni_grow(b->context, &b->tops, &b->top_capacity, b->top_count + 1, sizeof *b->tops)) {
        return sni_fail_memory(error);
    }
    uint32_t index = b->top_count++;
    range ranges[SNI_TREE_WIDTH];
    make_node(b->items, r, depth, &b->tops[index], ranges);
    if (parent != SN_NONE) {
        b->tops[parent].children[lane] = index;
    }
    uint32_t child_count = b->tops[index].child_count;
    for (uint32_t i = 0; i < child_count; ++i) {
        if (b->tops[index].is_leaf[i]) {
            continue;
        }
        sn_status status = build_top(b, ranges[i], depth + 1, index, i, limit, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// The whole

static void make_items(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    builder *b = user;
    for (uint32_t t = begin; t < end; ++t) {
        b->items[t] = (item){box_of_triangle(b->positions, b->vertices + 3 * (size_t)t), t};
    }
}

// Joins the top and the parts into one array without gaps.
static sn_status join_parts(builder *b, sni_tree *tree, sn_error *error) {
    sn_status status = SN_OK;
    tree->part_count = b->part_count + 1;
    SNI_NEW(b->context, tree->starts, (size_t)tree->part_count + 1);
    tree->starts[0] = 0;
    tree->starts[1] = b->top_count;
    for (uint32_t i = 0; i < b->part_count; ++i) {
        tree->starts[i + 2] = tree->starts[i + 1] + b->parts[i].node_count;
    }
    tree->node_count = tree->starts[tree->part_count];
    SNI_NEW(b->context, tree->nodes, tree->node_count);
    if (b->top_count > 0) {
        memcpy(tree->nodes, b->tops, b->top_count * sizeof *tree->nodes);
    }
    for (uint32_t i = 0; i < b->part_count; ++i) {
        const part *p = &b->parts[i];
        uint32_t start = tree->starts[i + 1];
        memcpy(tree->nodes + start, b->nodes + p->first_node, p->node_count * sizeof *tree->nodes);
        for (uint32_t n = start; n < start + p->node_count; ++n) {
            for (uint32_t lane = 0; lane < tree->nodes[n].child_count; ++lane) {
                tree->nodes[n].children[lane] += tree->nodes[n].is_leaf[lane] ? 0 : start;
            }
        }
        if (p->parent != SN_NONE) {
            tree->nodes[p->parent].children[p->lane] = start;
        }
    }
cleanup:
    return status;
}

static sn_status make_slots(const builder *b, sni_tree *tree, uint32_t count, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(b->context, tree->slots, count);
    tree->slot_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t triangle = b->items[i].triangle;
        tree->slots[i].triangle = triangle;
        sni_triangle_sort(b->positions, b->vertices + 3 * (size_t)triangle, tree->slots[i].vertices,
                          NULL);
    }
cleanup:
    return status;
}

sn_status sni_tree_init(sni_tree *tree, sn_context *context, const float *positions,
                        const uint32_t *vertices, uint32_t count, sn_error *error) {
    SN_ASSERT(count == 0 || (positions != NULL && vertices != NULL));
    sn_status status = SN_OK;
    builder b = {.context = context, .positions = positions, .vertices = vertices};
    uint32_t limit = count / 64 > small_part ? count / 64 : small_part;
    size_t scratch_count = 0;
    *tree = (sni_tree){.context = context};
    if (count == 0) {
        return SN_OK;
    }
    SNI_NEW(context, b.items, count);
    sn_parallel_for(context, count, 16384, make_items, &b);
    SN_TRY(build_top(&b, (range){0, count}, 0, SN_NONE, 0, limit, error));
    for (uint32_t i = 0; i < b.part_count; ++i) {
        b.parts[i].first_node = (uint32_t)scratch_count;
        scratch_count += most_nodes(b.parts[i].range.count);
    }
    SNI_NEW(context, b.nodes, scratch_count);
    sn_parallel_for(context, b.part_count, 1, build_parts, &b);
    SN_TRY(join_parts(&b, tree, error));
    SN_TRY(make_slots(&b, tree, count, error));
    SN_VALIDATE(sni_tree_is_valid(tree, positions));
cleanup:
    sni_free(context, b.items);
    sni_free(context, b.nodes);
    sni_free(context, b.tops);
    sni_free(context, b.parts);
    if (status != SN_OK) {
        sni_tree_deinit(tree);
    }
    return status;
}

void sni_tree_deinit(sni_tree *tree) {
    sni_free(tree->context, tree->nodes);
    sni_free(tree->context, tree->slots);
    sni_free(tree->context, tree->starts);
    *tree = (sni_tree){.context = tree->context};
}

// ---------------------------------------------------------------------------------------------
// Refitting

typedef struct refit_job {
    sni_tree *tree;
    const float *positions;
    const uint32_t *vertices;
} refit_job;

static void refit_lane(const refit_job *job, sni_tree_node *node, uint32_t lane) {
    const sni_tree *tree = job->tree;
    box bounds = empty_box();
    uint32_t child = node->children[lane];
    if (node->is_leaf[lane]) {
        sni_tree_slot *slot = &tree->slots[child];
        sni_triangle_sort(job->positions, job->vertices + 3 * (size_t)slot->triangle,
                          slot->vertices, NULL);
        bounds = box_of_triangle(job->positions, slot->vertices);
    } else {
        for (uint32_t i = 0; i < tree->nodes[child].child_count; ++i) {
            box one = get_lane(&tree->nodes[child], i);
            include(&bounds, &one);
        }
    }
    set_lane(node, lane, &bounds);
}

// Children before parents, which stand before them.
static void refit_part(const refit_job *job, uint32_t part_index) {
    const sni_tree *tree = job->tree;
    for (uint32_t n = tree->starts[part_index + 1]; n > tree->starts[part_index]; --n) {
        for (uint32_t lane = 0; lane < tree->nodes[n - 1].child_count; ++lane) {
            refit_lane(job, &tree->nodes[n - 1], lane);
        }
    }
}

static void refit_parts(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        refit_part(user, i + 1);
    }
}

void sni_tree_refit(sni_tree *tree, const float *positions, const uint32_t *vertices) {
    SN_ASSERT(tree->node_count == 0 || (positions != NULL && vertices != NULL));
    SN_ASSERT(tree->node_count == 0 || tree->starts[tree->part_count] == tree->node_count);
    if (tree->node_count == 0) {
        return;
    }
    refit_job job = {tree, positions, vertices};
    sn_parallel_for(tree->context, tree->part_count - 1, 1, refit_parts, &job);
    refit_part(&job, 0);
    SN_VALIDATE(sni_tree_is_valid(tree, positions));
}
