// SPDX-License-Identifier: Apache-2.0
#include "solver/flesh_coarse.h"

#include "base/groups.h"
#include "base/rows.h"
#include "geometry/surface_graph.h"
#include "sinew/vector.h"
#include "solver/blocks.h"

#include <math.h>
#include <string.h>

// Shares of a column, and the pairs of clusters that it is between, itself included.
enum { SHARES = 4, LINKS = SHARES * (SHARES + 1) / 2 };

// More clusters take longer than the rounds that they save.
enum { MOST_CLUSTERS = 1024 };

// Of the volume's stiffness, which resists one direction of three.
static const double volume_share = 1.0 / 3;

// Clusters, links and columns of a block.
enum { CLUSTER_GRAIN = 8, LINK_GRAIN = 64 };

// How stiff the points of one cluster are bound to those of another: first to second.
typedef struct link_stiffness {
    double xx, xy, yx, yy;
} link_stiffness;

struct sni_flesh_coarse {
    const sni_columns *columns;
    uint32_t cluster_count;
    uint32_t *labels; // column_count x SHARES: clusters, SN_NONE behind the last
    float *shares;    // column_count x SHARES, 0 behind the last
    // Columns of each cluster.
    uint32_t *starts; // cluster_count + 1
    uint32_t *members;
    float *member_shares;
    // Links: first one for each cluster with itself, then pairs.
    uint32_t pair_count;
    uint32_t *pairs;       // pair_count x 2, the lower first
    uint32_t *link_starts; // cluster_count + pair_count + 1
    uint32_t *link_columns;
    float *link_shares;    // products of both shares
    link_stiffness *fixed; // of links: fat and fascia
    double *skin;          // of links: membrane, with a slope of 1; not above 0 for pairs
    float *skin_slopes;    // column_count: the membrane's stiffness at a column with a slope of 1
    // Rows: x of all clusters, then y. Pairs of rows: x and y of each cluster, then four for each
    // pair of clusters: x x, x y, y x, y y.
    sni_blocks *blocks;
};

// ---------------------------------------------------------------------------------------------
// Clusters

// One vertex for each piece of the surface that is large enough for a cluster of its own.
static sn_status find_pieces(const sni_surface_graph *graph, uint32_t least, uint32_t most,
                             uint32_t *seeds, uint32_t *seed_count, sn_error *error) {
    sn_context *context = graph->context;
    uint32_t *parents = NULL, *sizes = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, parents, graph->vertex_count);
    SNI_NEW_ZERO(context, sizes, graph->vertex_count);
    for (uint32_t v = 0; v < graph->vertex_count; ++v) {
        parents[v] = v;
    }
    for (uint32_t v = 0; v < graph->vertex_count; ++v) {
        for (uint32_t k = graph->starts[v]; k < graph->starts[v + 1]; ++k) {
            sni_group_join(parents, v, graph->neighbours[k]);
        }
    }
    for (uint32_t v = 0; v < graph->vertex_count; ++v) {
        sizes[sni_group_root(parents, v)]++;
    }
    *seed_count = 0;
    for (uint32_t v = 0; v < graph->vertex_count && *seed_count < most; ++v) {
        if (sizes[v] >= least) {
            seeds[(*seed_count)++] = v;
        }
    }
cleanup:
    sni_free(context, parents);
    sni_free(context, sizes);
    return status;
}

// Shares fall to 0 at the distance of the first cluster that has none.
static void find_shares(sni_flesh_coarse *c, uint32_t column, const uint32_t *labels,
                        const float *distances) {
    uint32_t *own = c->labels + SHARES * (size_t)column;
    float *shares = c->shares + SHARES * (size_t)column;
    double reach = (double)distances[SHARES], sum = 0;
    for (int k = 0; k < SHARES && !isfinite(reach); ++k) {
        if (isfinite(distances[k])) {
            reach = fmax(1.5 * (double)distances[k], 1e-9);
        }
    }
    for (int k = 0; k < SHARES; ++k) {
        double part = (double)distances[k] / reach, falloff = 1 - part * part;
        bool counts = labels[k] != SN_NONE && falloff > 0 && c->columns->freedom[column] > 0;
        own[k] = counts ? labels[k] : SN_NONE;
        shares[k] = counts ? (float)(falloff * falloff) : 0;
        sum += (double)shares[k];
    }
    for (int k = 0; k < SHARES && sum > 0; ++k) {
        shares[k] = (float)((double)shares[k] / sum);
    }
}

static sn_status make_clusters(sni_flesh_coarse *c, const sni_columns_desc *desc, sn_error *error) {
    sn_context *context = c->columns->context;
    sni_surface_graph graph = {0};
    uint32_t count = desc->column_count, *seeds = NULL, *labels = NULL, found = 0;
    uint32_t wanted = (count + desc->cluster - 1) / desc->cluster;
    float *distances = NULL;
    sn_status status = SN_OK;
    wanted = wanted < MOST_CLUSTERS ? wanted : MOST_CLUSTERS;
    SNI_NEW(context, seeds, wanted);
    SNI_NEW(context, labels, (SHARES + 1) * (size_t)count);
    SNI_NEW(context, distances, (SHARES + 1) * (size_t)count);
    SNI_NEW(context, c->labels, SHARES * (size_t)count);
    SNI_NEW(context, c->shares, SHARES * (size_t)count);
    SN_TRY(sni_surface_graph_init(context, count, desc->skin, desc->triangle_count, desc->triangles,
                                  &graph, error));
    SN_TRY(find_pieces(&graph, desc->cluster / 2 + 1, wanted, seeds, &found, error));
    if (found > 0) {
        SN_TRY(sni_surface_graph_spread(&graph, found, wanted, seeds, &c->cluster_count, error));
    }
    SN_TRY(sni_surface_graph_nearest(&graph, c->cluster_count, seeds, SHARES + 1, labels, distances,
                                     error));
    for (uint32_t i = 0; i < count; ++i) {
        find_shares(c, i, labels + (SHARES + 1) * (size_t)i, distances + (SHARES + 1) * (size_t)i);
    }
cleanup:
    sni_surface_graph_deinit(&graph);
    sni_free(context, seeds);
    sni_free(context, labels);
    sni_free(context, distances);
    return status;
}

static sn_status list_members(sni_flesh_coarse *c, sn_error *error) {
    sn_context *context = c->columns->context;
    size_t most = SHARES * (size_t)c->columns->column_count;
    sn_status status = SN_OK;
    SNI_NEW(context, c->starts, (size_t)c->cluster_count + 1);
    SNI_NEW(context, c->members, most);
    SNI_NEW(context, c->member_shares, most);
    sni_rows_from_keys(c->labels, (uint32_t)most, 1, c->cluster_count, c->starts, c->members);
    for (uint32_t k = 0; k < c->starts[c->cluster_count]; ++k) {
        c->member_shares[k] = c->shares[c->members[k]];
        c->members[k] /= SHARES;
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Links

// A table of links by their two clusters: SN_NONE, or their number.
typedef struct link_table {
    uint32_t cluster_count;
    uint32_t *numbers; // cluster_count x cluster_count
} link_table;

static uint32_t *link_at(const link_table *table, uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return table->numbers + (size_t)low * table->cluster_count + high;
}

// Marks the links between the clusters of two columns.
static void mark_links(const sni_flesh_coarse *c, link_table *table, uint32_t a, uint32_t b) {
    for (int i = 0; i < SHARES; ++i) {
        for (int k = 0; k < SHARES; ++k) {
            uint32_t first = c->labels[SHARES * (size_t)a + i];
            uint32_t second = c->labels[SHARES * (size_t)b + k];
            if (first != SN_NONE && second != SN_NONE) {
                *link_at(table, first, second) = 0;
            }
        }
    }
}

// Numbers the links, those of clusters with themselves first.
static sn_status number_links(sni_flesh_coarse *c, link_table *table, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t n = c->cluster_count;
    for (uint32_t t = 0; t < c->columns->triangle_count; ++t) {
        for (uint32_t k = 0; k < 9; ++k) {
            mark_links(c, table, sni_flesh_corner(c->columns, t, k / 3),
                       sni_flesh_corner(c->columns, t, k % 3));
        }
    }
    for (uint32_t a = 0; a < n; ++a) {
        for (uint32_t b = a + 1; b < n; ++b) {
            c->pair_count += *link_at(table, a, b) == 0;
        }
    }
    SNI_NEW(c->columns->context, c->pairs, 2 * (size_t)c->pair_count);
    uint32_t pair = 0;
    for (uint32_t a = 0; a < n; ++a) {
        *link_at(table, a, a) = a;
        for (uint32_t b = a + 1; b < n; ++b) {
            if (*link_at(table, a, b) == 0) {
                c->pairs[2 * (size_t)pair] = a;
                c->pairs[2 * (size_t)pair + 1] = b;
                *link_at(table, a, b) = n + pair++;
            }
        }
    }
cleanup:
    return status;
}

// Which links a column is in, with the products of its shares; returns how many.
static uint32_t column_links(const sni_flesh_coarse *c, const link_table *table, uint32_t column,
                             uint32_t links[LINKS], float products[LINKS]) {
    const uint32_t *labels = c->labels + SHARES * (size_t)column;
    const float *shares = c->shares + SHARES * (size_t)column;
    uint32_t count = 0;
    for (int i = 0; i < SHARES; ++i) {
        for (int k = i; k < SHARES; ++k) {
            if (labels[i] != SN_NONE && labels[k] != SN_NONE) {
                links[count] = *link_at(table, labels[i], labels[k]);
                products[count++] = shares[i] * shares[k];
            }
        }
    }
    return count;
}

static sn_status list_links(sni_flesh_coarse *c, const link_table *table, sn_error *error) {
    sn_context *context = c->columns->context;
    uint32_t link_count = c->cluster_count + c->pair_count, links[LINKS];
    float products[LINKS];
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, c->link_starts, (size_t)link_count + 1);
    for (uint32_t i = 0; i < c->columns->column_count; ++i) {
        uint32_t count = column_links(c, table, i, links, products);
        for (uint32_t k = 0; k < count; ++k) {
            sni_rows_count(c->link_starts, links[k], 1);
        }
    }
    uint32_t total = sni_rows_begin(c->link_starts, link_count);
    SNI_NEW(context, c->link_columns, total);
    SNI_NEW(context, c->link_shares, total);
    for (uint32_t i = 0; i < c->columns->column_count; ++i) {
        uint32_t count = column_links(c, table, i, links, products);
        for (uint32_t k = 0; k < count; ++k) {
            uint32_t at = sni_rows_take(c->link_starts, links[k]);
            c->link_columns[at] = i;
            c->link_shares[at] = products[k];
        }
    }
    sni_rows_end(c->link_starts, link_count);
cleanup:
    return status;
}

// The stiffness between the corners of a triangle, for x (0 to 2) and y (3 to 5).
typedef double corner_matrix[6][6];

// Adds what a triangle does between clusters, and what its skin does with a slope of 1.
static void add_corners(sni_flesh_coarse *c, const link_table *table, uint32_t t,
                        corner_matrix fixed, corner_matrix skin) {
    for (uint32_t i = 0; i < 9 * SHARES * SHARES; ++i) {
        uint32_t ca = i / (3 * SHARES * SHARES), cb = i / (SHARES * SHARES) % 3;
        size_t a = SHARES * (size_t)sni_flesh_corner(c->columns, t, ca) + i / SHARES % SHARES;
        size_t b = SHARES * (size_t)sni_flesh_corner(c->columns, t, cb) + i % SHARES;
        uint32_t first = c->labels[a], second = c->labels[b];
        // Each pair is met in both orders.
        if (first == SN_NONE || second == SN_NONE || first > second) {
            continue;
        }
        uint32_t link = *link_at(table, first, second);
        double share = (double)c->shares[a] * (double)c->shares[b];
        link_stiffness *k = &c->fixed[link];
        k->xx += share * fixed[ca][cb];
        k->xy += share * fixed[ca][3 + cb];
        k->yx += share * fixed[3 + ca][cb];
        k->yy += share * fixed[3 + ca][3 + cb];
        c->skin[link] += share * skin[ca][cb];
    }
}

// Adds k (G G') for the gradients of functions that are 1 at one corner.
static void add_gradients(double k, uint32_t first, uint32_t count, int size, const double g[6][3],
                          corner_matrix m) {
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = 0; j < count; ++j) {
            for (int d = 0; d < size; ++d) {
                m[first + i][first + j] += k * g[i][d] * g[j][d];
            }
        }
    }
}

// Gradients of the plane's linear functions from the inverse of its edges, at `row`.
static void plane_gradients(const sni_columns *c, uint32_t t, uint32_t row, double g[6][3]) {
    double b0 = (double)sni_flesh_constant(c, t, row);
    double b1 = (double)sni_flesh_constant(c, t, row + 1);
    double b2 = (double)sni_flesh_constant(c, t, row + 2);
    const double gradients[3][2] = {{-b0, -b1 - b2}, {b0, b1}, {0, b2}};
    for (int i = 0; i < 3; ++i) {
        g[i][0] = gradients[i][0];
        g[i][1] = gradients[i][1];
    }
}

// Those of the prism's six functions in its middle.
static void prism_gradients(const sni_columns *c, uint32_t t, double g[6][3]) {
    for (uint32_t d = 0; d < 3; ++d) {
        double g1 = (double)sni_flesh_constant(c, t, SNI_FLESH_PRISM_G + d);
        double g2 = (double)sni_flesh_constant(c, t, SNI_FLESH_PRISM_G + 3 + d);
        double across = (double)sni_flesh_constant(c, t, SNI_FLESH_PRISM_G + 6 + d) / 3;
        const double along[3] = {-(g1 + g2) / 2, g1 / 2, g2 / 2};
        for (int i = 0; i < 3; ++i) {
            g[i][d] = along[i] + across;
            g[3 + i][d] = along[i] - across;
        }
    }
}

// Bending: b_j is half of what rods differ, which all six points have a part in.
static void add_bending(const sni_columns *c, uint32_t t, corner_matrix m) {
    static const double parts[2][6] = {{-0.5, 0.5, 0, 0.5, -0.5, 0}, {-0.5, 0, 0.5, 0.5, 0, -0.5}};
    double k[2][2];
    k[0][0] = (double)sni_flesh_constant(c, t, SNI_FLESH_BEND_K);
    k[0][1] = k[1][0] = (double)sni_flesh_constant(c, t, SNI_FLESH_BEND_K + 1);
    k[1][1] = (double)sni_flesh_constant(c, t, SNI_FLESH_BEND_K + 2);
    for (int i = 0; i < 36; ++i) {
        for (int j = 0; j < 4; ++j) {
            m[i / 6][i % 6] += k[j / 2][j % 2] * parts[j / 2][i / 6] * parts[j % 2][i % 6];
        }
    }
}

static void add_triangle(sni_flesh_coarse *c, const link_table *table, uint32_t t) {
    const sni_columns *columns = c->columns;
    corner_matrix fixed = {{0}}, skin = {{0}};
    double g[6][3] = {{0}}, k = (double)sni_flesh_constant(columns, t, SNI_FLESH_SKIN_K);
    plane_gradients(columns, t, SNI_FLESH_SKIN_B, g);
    add_gradients(k, 0, 3, 2, (const double(*)[3])g, skin);
    for (uint32_t corner = 0; corner < 3; ++corner) {
        c->skin_slopes[sni_flesh_corner(columns, t, corner)] += (float)skin[corner][corner];
    }
    plane_gradients(columns, t, SNI_FLESH_FASCIA_B, g);
    k = (double)sni_flesh_constant(columns, t, SNI_FLESH_FASCIA_K);
    add_gradients(k, 3, 3, 2, (const double(*)[3])g, fixed);
    prism_gradients(columns, t, g);
    k = (double)sni_flesh_constant(columns, t, SNI_FLESH_PRISM_K) +
        volume_share * (double)sni_flesh_constant(columns, t, SNI_FLESH_VOLUME_K);
    add_gradients(k, 0, 6, 3, (const double(*)[3])g, fixed);
    add_bending(columns, t, fixed);
    add_corners(c, table, t, fixed, skin);
}

// Pairs of rows, in the order of sni_flesh_coarse.
static sn_status make_blocks(sni_flesh_coarse *c, sn_error *error) {
    sn_context *context = c->columns->context;
    uint32_t n = c->cluster_count, *pairs = NULL;
    uint32_t count = n + 4 * c->pair_count;
    sn_status status = SN_OK;
    SNI_NEW(context, pairs, 2 * (size_t)count);
    for (uint32_t i = 0; i < n; ++i) {
        pairs[2 * (size_t)i] = i;
        pairs[2 * (size_t)i + 1] = n + i;
    }
    for (uint32_t i = 0; i < 4 * c->pair_count; ++i) {
        const uint32_t *pair = c->pairs + 2 * (size_t)(i / 4);
        pairs[2 * (size_t)(n + i)] = pair[0] + (i % 4 >= 2 ? n : 0);
        pairs[2 * (size_t)(n + i) + 1] = pair[1] + (i % 2 == 1 ? n : 0);
    }
    SN_TRY(sni_blocks_create(context, 2 * n, count, pairs, &c->blocks, error));
cleanup:
    sni_free(context, pairs);
    return status;
}

static sn_status make_links(sni_flesh_coarse *c, sn_error *error) {
    sn_context *context = c->columns->context;
    link_table table = {.cluster_count = c->cluster_count};
    size_t cells = (size_t)c->cluster_count * c->cluster_count;
    sn_status status = SN_OK;
    SNI_NEW(context, table.numbers, cells);
    memset(table.numbers, 0xff, cells * sizeof *table.numbers);
    SN_TRY(number_links(c, &table, error));
    SN_TRY(list_links(c, &table, error));
    SNI_NEW_ZERO(context, c->fixed, c->cluster_count + c->pair_count);
    SNI_NEW_ZERO(context, c->skin, c->cluster_count + c->pair_count);
    SNI_NEW_ZERO(context, c->skin_slopes, c->columns->column_count);
    for (uint32_t t = 0; t < c->columns->triangle_count; ++t) {
        add_triangle(c, &table, t);
    }
    SN_TRY(make_blocks(c, error));
cleanup:
    sni_free(context, table.numbers);
    return status;
}

sn_status sni_flesh_coarse_create(const sni_columns *columns, const sni_columns_desc *desc,
                                  sni_flesh_coarse **coarse, sn_error *error) {
    sn_status status = SN_OK;
    sni_flesh_coarse *c = NULL;
    *coarse = NULL;
    SNI_NEW_ZERO(columns->context, c, 1);
    c->columns = columns;
    SN_TRY(make_clusters(c, desc, error));
    SN_TRY(list_members(c, error));
    SN_TRY(make_links(c, error));
    *coarse = c;
    c = NULL;
cleanup:
    sni_flesh_coarse_destroy(c);
    return status;
}

void sni_flesh_coarse_destroy(sni_flesh_coarse *c) {
    if (c == NULL) {
        return;
    }
    sn_context *context = c->columns->context;
    sni_free(context, c->labels);
    sni_free(context, c->shares);
    sni_free(context, c->starts);
    sni_free(context, c->members);
    sni_free(context, c->member_shares);
    sni_free(context, c->pairs);
    sni_free(context, c->link_starts);
    sni_free(context, c->link_columns);
    sni_free(context, c->link_shares);
    sni_free(context, c->fixed);
    sni_free(context, c->skin);
    sni_free(context, c->skin_slopes);
    sni_blocks_destroy(c->blocks);
    sni_free(context, c);
}

size_t sni_flesh_coarse_bytes(const sni_flesh_coarse *c) {
    if (c == NULL) {
        return 0;
    }
    size_t links = (size_t)c->cluster_count + c->pair_count, columns = c->columns->column_count;
    return sizeof *c + columns * (2 * SHARES + 1) * sizeof(float) +
           ((size_t)c->cluster_count + 1) * sizeof(uint32_t) +
           c->starts[c->cluster_count] * 2 * sizeof(float) +
           2 * (size_t)c->pair_count * sizeof(uint32_t) + (links + 1) * sizeof(uint32_t) +
           c->link_starts[links] * 2 * sizeof(float) +
           links * (sizeof *c->fixed + sizeof *c->skin) + sni_blocks_bytes(c->blocks);
}

// ---------------------------------------------------------------------------------------------
// A solve

struct sni_flesh_correction {
    const sni_flesh_coarse *coarse;
    float *on_skin, *on_fascia; // column_count x 6: what holds points: xx yy zz xy xz yz
    double *slopes;             // of clusters: the membrane's, 0.15 to 1
    double *diagonal, *values;  // blocks, x 9
    double *factor;
    double *right, *scratch; // rows x 3
    const sni_columns_hold *hold;
    const float *column_slopes;
    // Of a round.
    const float *forces[2]; // of skin and fascia
    float *steps[2];
};

sni_flesh_correction *sni_flesh_correction_create(const sni_flesh_coarse *c, sni_arena *arena) {
    size_t rows = 2 * (size_t)c->cluster_count, padded = c->columns->padded_count;
    sni_flesh_correction *r = sni_arena_alloc(arena, 1, sizeof *r);
    if (r == NULL) {
        return NULL;
    }
    *r = (sni_flesh_correction){.coarse = c};
    r->on_skin = sni_arena_alloc(arena, 6 * padded, sizeof(float));
    r->on_fascia = sni_arena_alloc(arena, 6 * padded, sizeof(float));
    r->slopes = sni_arena_alloc(arena, rows, sizeof(double));
    r->diagonal = sni_arena_alloc(arena, 9 * rows, sizeof(double));
    r->values = sni_arena_alloc(arena, 9 * (size_t)c->blocks->pair_count, sizeof(double));
    r->factor = sni_arena_alloc(arena, 9 * (size_t)c->blocks->block_count, sizeof(double));
    r->right = sni_arena_alloc(arena, 3 * rows, sizeof(double));
    r->scratch = sni_arena_alloc(arena, 3 * rows, sizeof(double));
    bool made = r->on_skin != NULL && r->on_fascia != NULL && r->slopes != NULL &&
                r->diagonal != NULL && r->values != NULL && r->factor != NULL && r->right != NULL &&
                r->scratch != NULL;
    return made ? r : NULL;
}

static void add_rank_one(const float *row, double k, float m[6]) {
    double x = (double)row[0], y = (double)row[1], z = (double)row[2];
    m[0] += (float)(k * x * x);
    m[1] += (float)(k * y * y);
    m[2] += (float)(k * z * z);
    m[3] += (float)(k * x * y);
    m[4] += (float)(k * x * z);
    m[5] += (float)(k * y * z);
}

static void set_all(double k, float m[6]) {
    m[0] = m[1] = m[2] = (float)k;
    m[3] = m[4] = m[5] = 0;
}

// What holds each column: anchor, normal, planes, inertia.
static void hold_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_flesh_correction *r = user;
    const sni_columns *c = r->coarse->columns;
    const sni_columns_hold *hold = r->hold;
    bool moves = hold->skin_inertia != NULL;
    for (size_t i = begin; i < end; ++i) {
        double area = (double)c->numbers[SNI_COLUMN_NUMBERS * i + SNI_COLUMN_AREA];
        double contact = area * c->stiffness.contact;
        float *x = r->on_skin + 6 * i, *y = r->on_fascia + 6 * i;
        set_all(moves ? area * (double)hold->skin_inertia[4 * i + 3] : 0, x);
        set_all(area * ((double)hold->anchors[4 * i + 3] +
                        (moves ? (double)hold->fascia_inertia[4 * i + 3] : 0)),
                y);
        add_rank_one(hold->normals + 4 * i, area * (double)hold->normals[4 * i + 3], y);
        if (hold->skin_planes != NULL) {
            add_rank_one(hold->skin_planes + 4 * i, contact, x);
        }
        if (hold->fascia_planes != NULL) {
            add_rank_one(hold->fascia_planes + 4 * i, contact, y);
        }
    }
}

// The mean slope of the membrane over a cluster.
static void slope_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_flesh_correction *r = user;
    const sni_flesh_coarse *c = r->coarse;
    for (uint32_t i = begin; i < end; ++i) {
        double now = 0, unit = 0;
        for (uint32_t k = c->starts[i]; k < c->starts[i + 1]; ++k) {
            double share = (double)c->member_shares[k];
            now += share * (double)r->column_slopes[4 * (size_t)c->members[k] + 3];
            unit += share * (double)c->skin_slopes[c->members[k]];
        }
        r->slopes[i] = unit > 0 ? now / unit : 1;
    }
}

// A block of six numbers and a multiple of the identity.
static void fill_block(const double sum[6], double all, double block[9]) {
    const double filled[9] = {sum[0] + all, sum[3], sum[4], sum[3],      sum[1] + all,
                              sum[5],       sum[4], sum[5], sum[2] + all};
    memcpy(block, filled, sizeof filled);
}

static void sum_link(const sni_flesh_coarse *c, uint32_t link, const float *matrices,
                     double sum[6]) {
    memset(sum, 0, 6 * sizeof *sum);
    for (uint32_t k = c->link_starts[link]; k < c->link_starts[link + 1]; ++k) {
        const float *m = matrices + 6 * (size_t)c->link_columns[k];
        for (int d = 0; d < 6; ++d) {
            sum[d] += (double)c->link_shares[k] * (double)m[d];
        }
    }
}

static void link_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    static const double none[6] = {0, 0, 0, 0, 0, 0};
    const sni_flesh_correction *r = user;
    const sni_flesh_coarse *c = r->coarse;
    uint32_t n = c->cluster_count;
    bool skin_held = r->hold->skin_inertia != NULL || r->hold->skin_planes != NULL;
    for (uint32_t i = begin; i < end; ++i) {
        const link_stiffness *k = &c->fixed[i];
        double on_skin[6] = {0, 0, 0, 0, 0, 0}, on_fascia[6];
        sum_link(c, i, r->on_fascia, on_fascia);
        if (skin_held) {
            sum_link(c, i, r->on_skin, on_skin);
        }
        if (i < n) {
            fill_block(on_skin, k->xx, r->diagonal + 9 * (size_t)i);
            fill_block(on_fascia, k->yy, r->diagonal + 9 * (size_t)(n + i));
            fill_block(none, k->xy, r->values + 9 * (size_t)i);
        } else {
            const uint32_t *pair = c->pairs + 2 * (size_t)(i - n);
            double *values = r->values + 9 * ((size_t)n + 4 * (size_t)(i - n));
            double slope = (r->slopes[pair[0]] + r->slopes[pair[1]]) / 2;
            fill_block(on_skin, k->xx + fmin(c->skin[i], 0) * slope, values);
            fill_block(none, k->xy, values + 9);
            fill_block(none, k->yx, values + 18);
            fill_block(on_fascia, k->yy, values + 27);
        }
    }
}

// The diagonal of the membrane: what its pairs take, and what holds it beside clusters.
static void add_skin_diagonal(const sni_flesh_correction *r) {
    const sni_flesh_coarse *c = r->coarse;
    uint32_t n = c->cluster_count;
    double *own = r->scratch; // of clusters: what no pair takes
    for (uint32_t i = 0; i < n; ++i) {
        own[i] = c->skin[i];
    }
    for (uint32_t i = 0; i < c->pair_count; ++i) {
        const uint32_t *pair = c->pairs + 2 * (size_t)i;
        double taken = fmin(c->skin[n + i], 0);
        double slope = (r->slopes[pair[0]] + r->slopes[pair[1]]) / 2;
        for (int k = 0; k < 2; ++k) {
            own[pair[k]] += taken;
            for (int d = 0; d < 9; d += 4) {
                r->diagonal[9 * (size_t)pair[k] + d] -= taken * slope;
            }
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        for (int d = 0; d < 9; d += 4) {
            r->diagonal[9 * (size_t)i + d] += fmax(own[i], 0) * r->slopes[i];
        }
    }
}

void sni_flesh_correction_begin(sni_flesh_correction *r, const sni_columns_hold *hold,
                                const float *slopes) {
    const sni_flesh_coarse *c = r->coarse;
    sn_context *context = c->columns->context;
    r->hold = hold;
    r->column_slopes = slopes;
    sn_parallel_for(context, c->columns->column_count, SNI_FLESH_COLUMN_GRAIN, hold_block, r);
    sn_parallel_for(context, c->cluster_count, CLUSTER_GRAIN, slope_block, r);
    sn_parallel_for(context, c->cluster_count + c->pair_count, LINK_GRAIN, link_block, r);
    add_skin_diagonal(r);
    sni_blocks_factor(c->blocks, r->diagonal, r->values, r->factor);
}

// Rows of skin, then of fascia.
static void restrict_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_flesh_correction *r = user;
    const sni_flesh_coarse *c = r->coarse;
    for (uint32_t i = begin; i < end; ++i) {
        const float *forces = r->forces[i / c->cluster_count];
        uint32_t cluster = i % c->cluster_count;
        double sum[3] = {0, 0, 0};
        for (uint32_t k = c->starts[cluster]; k < c->starts[cluster + 1]; ++k) {
            const float *force = forces + 4 * (size_t)c->members[k];
            for (int d = 0; d < 3; ++d) {
                sum[d] += (double)c->member_shares[k] * (double)force[d];
            }
        }
        memcpy(r->right + 3 * (size_t)i, sum, sizeof sum);
    }
}

static void spread_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_flesh_correction *r = user;
    const sni_flesh_coarse *c = r->coarse;
    for (uint32_t i = begin; i < end; ++i) {
        double sum[2][3] = {{0, 0, 0}, {0, 0, 0}};
        for (uint32_t k = 0; k < SHARES; ++k) {
            uint32_t cluster = c->labels[SHARES * (size_t)i + k];
            if (cluster == SN_NONE) {
                break;
            }
            double share = (double)c->shares[SHARES * (size_t)i + k];
            for (int d = 0; d < 3; ++d) {
                sum[0][d] += share * r->right[3 * (size_t)cluster + d];
                sum[1][d] += share * r->right[3 * ((size_t)c->cluster_count + cluster) + d];
            }
        }
        for (int d = 0; d < 3; ++d) {
            r->steps[0][4 * (size_t)i + d] += (float)sum[0][d];
            r->steps[1][4 * (size_t)i + d] += (float)sum[1][d];
        }
    }
}

void sni_flesh_correct(sni_flesh_correction *r, const float *skin_forces,
                       const float *fascia_forces, float *skin_step, float *fascia_step) {
    const sni_flesh_coarse *c = r->coarse;
    sn_context *context = c->columns->context;
    r->forces[0] = skin_forces;
    r->forces[1] = fascia_forces;
    r->steps[0] = skin_step;
    r->steps[1] = fascia_step;
    sn_parallel_for(context, 2 * c->cluster_count, CLUSTER_GRAIN, restrict_block, r);
    sni_blocks_solve(c->blocks, r->factor, r->right, r->scratch);
    sn_parallel_for(context, c->columns->column_count, SNI_FLESH_COLUMN_GRAIN, spread_block, r);
}
