// SPDX-License-Identifier: Apache-2.0
//
// Points and their parents. A muscle is one graph, or several where its document says so: a forest
// whose roots are what it contracts towards. The points of a sphincter may also form one circle.
#include "muscle/graph/graph.h"

// Follows parents from a point; false where that leads in a circle.
static bool ends_at_root(const sni_graph_tree *tree, uint32_t point) {
    uint32_t steps = 0;
    while (tree->parents[point] != SN_NONE && steps <= tree->count) {
        point = tree->parents[point];
        ++steps;
    }
    return steps <= tree->count;
}

// Whether all points form one circle.
static bool is_ring(const sni_graph_tree *tree) {
    uint32_t point = 0;
    for (uint32_t steps = 0; steps < tree->count; ++steps) {
        point = tree->parents[point];
        if (point == SN_NONE || (point == 0) != (steps + 1 == tree->count)) {
            return false;
        }
    }
    return true;
}

static sn_status check_point(const char *name, uint32_t count, const sni_graph_point *points,
                             uint32_t i, sn_error *error) {
    uint32_t parent = points[i].parent;
    if (!sn_vec3_is_finite(points[i].point)) {
        return sni_fail(error, SN_INVALID, "%s: point %u is at (%g, %g, %g)", name, i,
                        points[i].point.x, points[i].point.y, points[i].point.z);
    }
    if (parent != SN_NONE && (parent >= count || parent == i)) {
        return sni_fail(error, SN_INVALID,
                        parent == i ? "%s: point %u is its own parent"
                                    : "%s: point %u has the parent %u, but there are %u points",
                        name, i, parent, count);
    }
    if (parent != SN_NONE && points[i].root) {
        return sni_fail(error, SN_INVALID, "%s: point %u is a root, but has the parent %u", name, i,
                        parent);
    }
    if (parent != SN_NONE && !(sn_vec3_distance(points[i].point, points[parent].point) > 0)) {
        return sni_fail(error, SN_INVALID,
                        "%s: points %u and %u, its parent, are at the same place", name, i, parent);
    }
    return SN_OK;
}

// Several points without a parent are a mistake unless each of them says that it is a root.
static sn_status check_roots(const char *name, uint32_t count, const sni_graph_point *points,
                             sn_error *error) {
    uint32_t first = SN_NONE;
    for (uint32_t i = 0; i < count; ++i) {
        if (points[i].parent != SN_NONE) {
            continue;
        }
        if (first != SN_NONE && !(points[first].root && points[i].root)) {
            return sni_fail(error, SN_INVALID,
                            "%s: points %u and %u both have no parent; where it has several "
                            "roots, each says \"root\": true",
                            name, first, i);
        }
        first = first == SN_NONE ? i : first;
    }
    return SN_OK;
}

// A root that no point leads to has no path.
static sn_status check_paths(const sni_graph_tree *tree, const char *name, sn_error *error) {
    for (uint32_t i = 0; i < tree->count; ++i) {
        bool leads = tree->parents[i] != SN_NONE;
        for (uint32_t k = 0; k < tree->count && !leads; ++k) {
            leads = tree->parents[k] == i;
        }
        if (!leads) {
            return sni_fail(error, SN_INVALID,
                            "%s: point %u has no parent and is the parent of none", name, i);
        }
    }
    return SN_OK;
}

static sn_status check(const sni_graph_tree *tree, const char *name, const sni_graph_point *points,
                       bool sphincter, sn_error *error) {
    for (uint32_t i = 0; i < tree->count; ++i) {
        if (ends_at_root(tree, i) || (sphincter && is_ring(tree))) {
            continue;
        }
        return sni_fail(error, SN_INVALID,
                        sphincter ? "%s: the parents of point %u lead in a circle that is not all "
                                    "of its points"
                                  : "%s: the parents of point %u lead in a circle",
                        name, i);
    }
    sn_status status = check_paths(tree, name, error);
    return status == SN_OK ? check_roots(name, tree->count, points, error) : status;
}

static void find_children(sni_graph_tree *tree) {
    uint32_t count = tree->count, *starts = tree->child_starts;
    for (uint32_t i = 0; i <= count; ++i) {
        starts[i] = 0;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (tree->parents[i] != SN_NONE) {
            starts[tree->parents[i] + 1]++;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        starts[i + 1] += starts[i];
    }
    for (uint32_t i = 0, k = 0; i < count; ++i) {
        for (uint32_t c = 0; c < count; ++c) {
            if (tree->parents[c] == i) {
                tree->children[k++] = c;
            }
        }
    }
}

// Parents before children, graph by graph; a ring begins at its first point.
static void find_order(sni_graph_tree *tree) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < tree->count; ++i) {
        if (tree->parents[i] != SN_NONE && !(tree->ring && i == 0)) {
            continue;
        }
        uint32_t next = done;
        tree->order[done++] = i;
        for (; next < done && done < tree->count; ++next) {
            uint32_t point = tree->order[next];
            tree->graphs[point] = tree->graph_count;
            for (uint32_t k = tree->child_starts[point]; k < tree->child_starts[point + 1]; ++k) {
                if (!(tree->ring && tree->children[k] == i)) {
                    tree->order[done++] = tree->children[k];
                }
            }
        }
        for (; next < done; ++next) {
            tree->graphs[tree->order[next]] = tree->graph_count;
        }
        ++tree->graph_count;
        if (tree->ring) {
            break;
        }
    }
}

sn_status sni_graph_tree_init(sni_graph_tree *tree, sn_context *context, const char *name,
                              uint32_t count, const sni_graph_point *points, bool sphincter,
                              sn_error *error) {
    sn_status status = SN_OK;
    *tree = (sni_graph_tree){.context = context, .count = count};
    SN_ASSERT(count >= 2 && points != NULL);
    SNI_NEW(context, tree->parents, count);
    SNI_NEW_ZERO(context, tree->order, count);
    SNI_NEW_ZERO(context, tree->child_starts, (size_t)count + 1);
    SNI_NEW_ZERO(context, tree->children, count);
    SNI_NEW_ZERO(context, tree->graphs, count);
    SNI_NEW_ZERO(context, tree->tendons, count);
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(check_point(name, count, points, i, error));
        tree->parents[i] = points[i].parent;
    }
    SN_TRY(check(tree, name, points, sphincter, error));
    tree->ring = sphincter && is_ring(tree);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t parent = tree->parents[i];
        tree->tendons[i] = parent != SN_NONE && points[i].tendon && points[parent].tendon;
    }
    find_children(tree);
    find_order(tree);
cleanup:
    return status;
}

void sni_graph_tree_deinit(sni_graph_tree *tree) {
    sni_free(tree->context, tree->parents);
    sni_free(tree->context, tree->order);
    sni_free(tree->context, tree->child_starts);
    sni_free(tree->context, tree->children);
    sni_free(tree->context, tree->graphs);
    sni_free(tree->context, tree->tendons);
    *tree = (sni_graph_tree){0};
}

// In a tree there is one way between two points: a child's are its parent's, and one step more.
// Around a ring there are two, of which the shorter counts.
void sni_graph_tree_ways(const sni_graph_tree *tree, const double *lengths, double *ways) {
    uint32_t n = tree->count;
    double around = 0;
    for (size_t i = 0; i < (size_t)n * n; ++i) {
        ways[i] = i / n == i % n ? 0 : INFINITY;
    }
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t i = tree->order[k], parent = tree->parents[i];
        around += tree->ring ? lengths[i] : 0;
        for (uint32_t m = 0; m < k && parent != SN_NONE; ++m) {
            uint32_t other = tree->order[m];
            double way = ways[(size_t)parent * n + other] + lengths[i];
            ways[(size_t)i * n + other] = ways[(size_t)other * n + i] = way;
        }
    }
    for (size_t i = 0; tree->ring && i < (size_t)n * n; ++i) {
        ways[i] = fmin(ways[i], around - ways[i]);
    }
}
