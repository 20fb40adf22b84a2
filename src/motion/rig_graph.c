// SPDX-License-Identifier: Apache-2.0
//
// The order in which drivers and synergies are evaluated.
//
// The nodes are the controls and the sums (what synergies add to joint parameters and controls); an
// edge leads from what is read to what is computed:
//
//     control ──synergy──► sum ──driver on that parameter, or on a distance that it changes──►
//     control control ──driver──► control      control ──synergy──► sum ──► control
//
// A. B. Kahn: Topological sorting of large networks, 1962. Nodes without open sources are taken by
// rising number, so that the order is the same every time.
#include "base/rows.h"
#include "motion/parameter.h"
#include "motion/rig_internal.h"

#include <stdio.h>
#include <string.h>

typedef struct edge {
    uint32_t from, to;
} edge;

typedef struct graph {
    uint32_t node_count;
    uint32_t edge_count;
    edge *edges;
    uint32_t *first_out;    // node_count + 1: its edges in `out`
    uint32_t *out;          // edge_count: nodes that edges lead to, grouped by their source
    uint32_t *open_sources; // node_count
    uint32_t *ready;        // node_count: in the order in which they are complete
} graph;

static uint32_t sum_node(const sni_rig *rig, uint32_t sum) {
    return rig->control_count + sum;
}

// The first sum at or behind parameter 0 of a segment.
static uint32_t first_sum_of(const sni_rig *rig, uint32_t segment) {
    uint32_t low = 0, high = rig->sum_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rig->sums[middle].segment < segment) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The sum of a joint parameter, SN_NONE when no synergy adds to it.
static uint32_t find_sum(const sni_rig *rig, uint32_t segment, sn_joint_parameter parameter) {
    uint32_t sum = first_sum_of(rig, segment);
    for (; sum < rig->sum_count && rig->sums[sum].segment == segment; ++sum) {
        if (rig->sums[sum].parameter == parameter) {
            return sum;
        }
    }
    return SN_NONE;
}

static sn_status add_edge(const sni_rig *rig, graph *g, uint32_t from, uint32_t to,
                          sn_error *error) {
    if (!sni_grow_by_one(rig->context, &g->edges, g->edge_count, sizeof *g->edges)) {
        return sni_fail_memory(error);
    }
    g->edges[g->edge_count++] = (edge){from, to};
    return SN_OK;
}

// A distance changes with every parameter between a point and the common ancestor.
static sn_status add_distance_edges(const sni_rig *rig, graph *g, const sni_driver *driver,
                                    sn_error *error) {
    for (int i = 0; i < 2; ++i) {
        uint32_t segment = driver->points[i].segment;
        while (segment != driver->common_ancestor) {
            uint32_t sum = first_sum_of(rig, segment);
            for (; sum < rig->sum_count && rig->sums[sum].segment == segment; ++sum) {
                sn_status status = add_edge(rig, g, sum_node(rig, sum), driver->control, error);
                if (status != SN_OK) {
                    return status;
                }
            }
            segment = rig->skeleton.segments[segment].parent;
        }
    }
    return SN_OK;
}

static sn_status add_driver_edges(const sni_rig *rig, graph *g, const sni_driver *driver,
                                  sn_error *error) {
    if (driver->is_distance) {
        return add_distance_edges(rig, g, driver, error);
    }
    if (driver->source.control != SN_NONE) {
        return add_edge(rig, g, driver->source.control, driver->control, error);
    }
    uint32_t sum = find_sum(rig, driver->source.segment, driver->source.joint_parameter);
    return sum != SN_NONE ? add_edge(rig, g, sum_node(rig, sum), driver->control, error) : SN_OK;
}

static sn_status collect_edges(const sni_rig *rig, graph *g, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < rig->driver_count && status == SN_OK; ++i) {
        status = add_driver_edges(rig, g, &rig->drivers[i], error);
    }
    for (uint32_t i = 0; i < rig->sum_count; ++i) {
        const sni_sum *sum = &rig->sums[i];
        for (uint32_t k = 0; k < sum->term_count && status == SN_OK; ++k) {
            uint32_t control = rig->terms[sum->first_term + k].control;
            status = add_edge(rig, g, control, sum_node(rig, i), error);
        }
        if (sum->control != SN_NONE && status == SN_OK) {
            status = add_edge(rig, g, sum_node(rig, i), sum->control, error);
        }
    }
    return status;
}

static sn_status group_edges(const sni_rig *rig, graph *g, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(rig->context, g->first_out, (size_t)g->node_count + 1);
    SNI_NEW_ZERO(rig->context, g->open_sources, g->node_count);
    SNI_NEW(rig->context, g->ready, g->node_count);
    SNI_NEW(rig->context, g->out, g->edge_count);
    for (uint32_t i = 0; i < g->edge_count; ++i) {
        sni_rows_count(g->first_out, g->edges[i].from, 1);
        g->open_sources[g->edges[i].to]++;
    }
    sni_rows_begin(g->first_out, g->node_count);
    for (uint32_t i = 0; i < g->edge_count; ++i) {
        g->out[sni_rows_take(g->first_out, g->edges[i].from)] = g->edges[i].to;
    }
    sni_rows_end(g->first_out, g->node_count);
cleanup:
    return status;
}

static uint32_t sort_nodes(graph *g) {
    uint32_t ready_count = 0;
    for (uint32_t i = 0; i < g->node_count; ++i) {
        if (g->open_sources[i] == 0) {
            g->ready[ready_count++] = i;
        }
    }
    for (uint32_t i = 0; i < ready_count; ++i) {
        uint32_t node = g->ready[i];
        for (uint32_t k = g->first_out[node]; k < g->first_out[node + 1]; ++k) {
            if (--g->open_sources[g->out[k]] == 0) {
                g->ready[ready_count++] = g->out[k];
            }
        }
    }
    return ready_count;
}

static void append_node(const sni_rig *rig, uint32_t node, char *text, size_t size) {
    size_t used = strlen(text);
    const char *arrow = used > 0 ? " -> " : "";
    if (node < rig->control_count) {
        snprintf(text + used, size - used, "%scontrol %s", arrow, rig->controls[node].name);
    } else {
        const sni_sum *sum = &rig->sums[node - rig->control_count];
        if (sum->control != SN_NONE) {
            return; // its control stands behind it
        }
        snprintf(text + used, size - used, "%s%s.%s", arrow,
                 rig->skeleton.segments[sum->segment].name, sni_parameter_suffix(sum->parameter));
    }
}

// Every node that was left has a source that was left: walking from source to source meets a node
// again, and from there round is a cycle. `source` and `seen` reuse arrays of the graph.
static sn_status fail_cycle(const sni_rig *rig, graph *g, sn_error *error) {
    uint32_t *source = g->ready, *target = g->out;
    for (uint32_t i = g->edge_count; i-- > 0;) {
        edge e = g->edges[i];
        if (g->open_sources[e.from] > 0 && g->open_sources[e.to] > 0) {
            source[e.to] = e.from;
        }
    }
    uint32_t node = 0;
    while (g->open_sources[node] == 0) {
        ++node;
    }
    for (uint32_t i = 0; i < g->node_count; ++i) {
        node = source[node]; // after so many steps it is on a cycle
    }
    uint32_t length = 0; // the walk runs against the arrows: turn it round
    uint32_t start = node;
    do {
        target[length++] = node;
        start = node < start ? node : start;
        node = source[node];
    } while (node != target[0]);
    uint32_t first = 0;
    while (target[first] != start) {
        ++first;
    }
    char chain[400] = "";
    for (uint32_t i = 0; i <= length; ++i) {
        append_node(rig, target[(first + length - i % length) % length], chain, sizeof chain);
    }
    return sni_fail(error, SN_INVALID, "drivers and synergies form a cycle: %s", chain);
}

static sn_status store_steps(sni_rig *rig, const graph *g, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(rig->context, rig->steps, (size_t)rig->driver_count + rig->sum_count);
    for (uint32_t i = 0; i < g->node_count; ++i) {
        uint32_t node = g->ready[i];
        bool is_sum = node >= rig->control_count;
        uint32_t index = is_sum ? node - rig->control_count : rig->controls[node].driver;
        if (index != SN_NONE) {
            rig->steps[rig->step_count++] = (sni_step){is_sum, index};
        }
    }
cleanup:
    return status;
}

sn_status sni_rig_order(sni_rig *rig, sn_error *error) {
    sn_status status = SN_OK;
    graph g = {.node_count = rig->control_count + rig->sum_count};
    SN_TRY(collect_edges(rig, &g, error));
    SN_TRY(group_edges(rig, &g, error));
    if (sort_nodes(&g) == g.node_count) {
        SN_TRY(store_steps(rig, &g, error));
    } else {
        status = fail_cycle(rig, &g, error);
    }
cleanup:
    sni_free(rig->context, g.edges);
    sni_free(rig->context, g.first_out);
    sni_free(rig->context, g.out);
    sni_free(rig->context, g.open_sources);
    sni_free(rig->context, g.ready);
    return status;
}
