// SPDX-License-Identifier: Apache-2.0
//
// From a material to constraints.
//
//     stretch   every edge, stiffness = (1 / stretch) A / L^2, A the sum of a / (n - 2) over its
//               faces of area a with n corners (Van Gelder 1998): a strip of any width and any
//               number of rows has the modulus 1 / stretch.
//     shear     the diagonals across one corner of faces with n > 3 corners, stiffness
//               (1 / shear) 2 A / L^2: for a rectangle the modulus of shear is 1 / shear.
//     bend      every inner edge of the triangulated mesh: the energy of a hinge is
//               3 bend / (2 (A0 + A1)) |K x|^2 with the four factors K of Bergou et al., "A
//               Quadratic Bending Model for Inextensible Surfaces", 2006, equation 7. A sheet that
//               is not flat at rest keeps |K x| as it is there.
#include "solver/sheet.h"

#include "geometry/edge.h"
#include "geometry/normals.h"

#include <string.h>

// Triangles of less area, relative to their longest side squared, have no angles to speak of.
static const double flat_triangle = 1e-6;
// No vertex is lighter than this part of the mean, so that no pair is too uneven to converge.
static const double least_mass = 0.05;

void sni_sheet_destroy(sni_sheet *sheet) {
    if (sheet == NULL) {
        return;
    }
    sni_free(sheet->context, sheet->masses);
    sni_free(sheet->context, sheet->constraints);
    sni_free(sheet->context, sheet->samples);
    sni_free(sheet->context, sheet);
}

// What is looked up while a sheet is made.
typedef struct making {
    const sn_mesh *mesh;
    const sni_sheet_material *material;
    sn_topology *topology;
    sn_triangles *triangles;
    sn_mesh *triangle_mesh; // the same vertices, a face per triangle
    sn_topology *triangle_topology;
    double *areas; // of the faces
    sni_sheet *sheet;
} making;

static uint32_t corner_count(const sn_mesh *mesh, uint32_t face) {
    return mesh->face_offsets[face + 1] - mesh->face_offsets[face];
}

static const uint32_t *face_corners(const sn_mesh *mesh, uint32_t face) {
    return mesh->corners + mesh->face_offsets[face];
}

static double face_area(const sn_mesh *mesh, uint32_t face) {
    sn_vec3 vector =
        sni_face_vector(mesh->positions, face_corners(mesh, face), corner_count(mesh, face));
    return sn_vec3_length(vector) / 2;
}

// A mesh of the triangles, for its topology.
static sn_status make_triangle_mesh(making *m, sn_error *error) {
    const sn_triangles *triangles = m->triangles;
    sn_status status = sn_mesh_create(m->mesh->context, "", m->mesh->vertex_count, triangles->count,
                                      3 * triangles->count, &m->triangle_mesh, error);
    if (status != SN_OK) {
        return status;
    }
    memcpy(m->triangle_mesh->positions, m->mesh->positions,
           3 * (size_t)m->mesh->vertex_count * sizeof *m->mesh->positions);
    memcpy(m->triangle_mesh->corners, triangles->vertices,
           3 * (size_t)triangles->count * sizeof *triangles->vertices);
    for (uint32_t i = 0; i < triangles->count; ++i) {
        m->triangle_mesh->face_offsets[i] = 3 * i;
    }
    return sn_topology_create(m->triangle_mesh, &m->triangle_topology, error);
}

static sn_status weigh(making *m, sn_error *error) {
    sni_sheet *sheet = m->sheet;
    uint32_t count = m->mesh->vertex_count;
    double total = 0;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(sheet->context, sheet->masses, count);
    for (uint32_t f = 0; f < m->mesh->face_count; ++f) {
        uint32_t n = corner_count(m->mesh, f);
        for (uint32_t k = 0; k < n; ++k) {
            sheet->masses[face_corners(m->mesh, f)[k]] += m->material->density * m->areas[f] / n;
        }
        total += m->material->density * m->areas[f];
    }
    // A mesh without area, such as a chain of lines, weighs one square metre altogether.
    double mean = (total > 0 ? total : m->material->density) / (count > 0 ? count : 1);
    for (uint32_t v = 0; v < count; ++v) {
        double least = sheet->masses[v] > 0 ? least_mass * mean : mean;
        sheet->masses[v] = sheet->masses[v] > least ? sheet->masses[v] : least;
    }
cleanup:
    return status;
}

static void add_distance(making *m, uint32_t a, uint32_t b, double compliance) {
    sni_constraint *c = &m->sheet->constraints[m->sheet->constraint_count++];
    const uint32_t ends[2] = {a, b};
    *c = (sni_constraint){.count = 2,
                          .particles = {a, b},
                          .factors = {1, -1},
                          .rest = sni_edge_length(m->mesh->positions, ends),
                          .compliance = compliance};
}

static void add_stretch(making *m) {
    const sn_topology *t = m->topology;
    for (uint32_t e = 0; e < t->edge_count; ++e) {
        const uint32_t *ends = t->edges + 2 * (size_t)e;
        double area = 0, length = sni_edge_length(m->mesh->positions, ends);
        for (uint32_t i = t->edge_face_offsets[e]; i < t->edge_face_offsets[e + 1]; ++i) {
            uint32_t face = t->edge_faces[i], n = corner_count(m->mesh, face);
            area += m->areas[face] / (n > 3 ? n - 2 : 1);
        }
        // A line, or an edge of faces without area, is a strip as wide as it is long.
        double share = area > 0 ? length * length / area : 1;
        if (ends[0] != ends[1]) {
            add_distance(m, ends[0], ends[1], m->material->stretch * share);
        }
    }
    m->sheet->stretch_count = m->sheet->constraint_count;
}

// Diagonals from corner k to k + 2; a quad has two of them, each met twice.
static uint32_t diagonal_count(uint32_t n) {
    return n == 4 ? 2 : n > 4 ? n : 0;
}

static void add_shear(making *m) {
    for (uint32_t f = 0; f < m->mesh->face_count; ++f) {
        const uint32_t *corners = face_corners(m->mesh, f);
        uint32_t n = corner_count(m->mesh, f), count = diagonal_count(n);
        for (uint32_t k = 0; k < count && m->areas[f] > 0; ++k) {
            const uint32_t ends[2] = {corners[k], corners[(k + 2) % n]};
            double length = sni_edge_length(m->mesh->positions, ends);
            double stiffness = 2 * m->areas[f] * 2 / (n - 2);
            if (ends[0] != ends[1]) {
                add_distance(m, ends[0], ends[1], m->material->shear * length * length / stiffness);
            }
        }
    }
    m->sheet->shear_count = m->sheet->constraint_count - m->sheet->stretch_count;
}

// The corner of a triangle that is neither end of an edge; SN_NONE when it has none.
static uint32_t apex_of(const making *m, uint32_t triangle, const uint32_t *edge) {
    const uint32_t *v = m->triangles->vertices + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) {
        if (v[k] != edge[0] && v[k] != edge[1]) {
            return v[k];
        }
    }
    return SN_NONE;
}

// Cotangents of the angles at both ends of an edge in the triangle with this apex, and its area;
// false for one too flat.
static bool measure_triangle(const float *positions, const uint32_t *edge, uint32_t apex,
                             double cotangents[2], double *area) {
    sn_vec3 a = sn_vec3_load(positions + 3 * (size_t)edge[0]);
    sn_vec3 b = sn_vec3_load(positions + 3 * (size_t)edge[1]);
    sn_vec3 c = sn_vec3_load(positions + 3 * (size_t)apex);
    sn_vec3 ab = sn_vec3_sub(b, a), ac = sn_vec3_sub(c, a), bc = sn_vec3_sub(c, b);
    double twice = sn_vec3_length(sn_vec3_cross(ab, ac));
    double longest = fmax(sn_vec3_dot(ab, ab), fmax(sn_vec3_dot(ac, ac), sn_vec3_dot(bc, bc)));
    if (!(twice > flat_triangle * longest)) {
        return false;
    }
    cotangents[0] = sn_vec3_dot(ab, ac) / twice;
    cotangents[1] = -sn_vec3_dot(ab, bc) / twice;
    *area = twice / 2;
    return true;
}

static void add_hinge(making *m, const uint32_t *edge, const uint32_t apexes[2]) {
    const float *positions = m->mesh->positions;
    double first[2], second[2], areas[2];
    if (apexes[0] == SN_NONE || apexes[1] == SN_NONE || apexes[0] == apexes[1] ||
        !measure_triangle(positions, edge, apexes[0], first, &areas[0]) ||
        !measure_triangle(positions, edge, apexes[1], second, &areas[1])) {
        return;
    }
    sni_constraint *c = &m->sheet->constraints[m->sheet->constraint_count++];
    *c = (sni_constraint){.count = 4,
                          .particles = {edge[0], edge[1], apexes[0], apexes[1]},
                          .factors = {first[1] + second[1], first[0] + second[0],
                                      -first[0] - first[1], -second[0] - second[1]},
                          .compliance = (areas[0] + areas[1]) / m->material->bend};
    sn_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        sum = sn_vec3_add_scaled(sum, c->factors[k],
                                 sn_vec3_load(positions + 3 * (size_t)c->particles[k]));
    }
    c->rest = sn_vec3_length(sum);
}

static void add_bend(making *m) {
    const sn_topology *t = m->triangle_topology;
    for (uint32_t e = 0; e < t->edge_count && m->material->bend > 0; ++e) {
        const uint32_t *edge = t->edges + 2 * (size_t)e;
        for (uint32_t i = t->edge_face_offsets[e]; i + 1 < t->edge_face_offsets[e + 1]; ++i) {
            const uint32_t apexes[2] = {apex_of(m, t->edge_faces[i], edge),
                                        apex_of(m, t->edge_faces[i + 1], edge)};
            add_hinge(m, edge, apexes);
        }
    }
}

static sn_status add_constraints(making *m, sn_error *error) {
    const sn_topology *bends = m->triangle_topology;
    uint32_t hinges = bends->edge_face_offsets[bends->edge_count];
    size_t most = (size_t)m->topology->edge_count + m->mesh->corner_count + hinges;
    sn_status status = SN_OK;
    SNI_NEW(m->sheet->context, m->sheet->constraints, most);
    add_stretch(m);
    add_shear(m);
    add_bend(m);
cleanup:
    return status;
}

static void add_sample(making *m, const uint32_t *particles, uint32_t count) {
    sni_contact_sample *sample = &m->sheet->samples[m->sheet->sample_count++];
    *sample = (sni_contact_sample){.count = count};
    for (uint32_t k = 0; k < count; ++k) {
        sample->particles[k] = particles[k];
        sample->weights[k] = 1.0 / count;
    }
}

static bool all_different(const uint32_t *corners, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < i; ++k) {
            if (corners[i] == corners[k]) {
                return false;
            }
        }
    }
    return true;
}

// Middles of faces and edges, then the vertices, which are solved last.
static sn_status add_samples(making *m, sn_error *error) {
    const sn_mesh *mesh = m->mesh;
    const sn_topology *t = m->topology;
    size_t most = (size_t)mesh->face_count + t->edge_count + mesh->vertex_count;
    sn_status status = SN_OK;
    SNI_NEW(m->sheet->context, m->sheet->samples, most);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t n = corner_count(mesh, f);
        if (n >= 3 && n <= SNI_CONSTRAINT_MOST && all_different(face_corners(mesh, f), n)) {
            add_sample(m, face_corners(mesh, f), n);
        }
    }
    for (uint32_t e = 0; e < t->edge_count; ++e) {
        const uint32_t *ends = t->edges + 2 * (size_t)e;
        if (ends[0] != ends[1]) {
            add_sample(m, ends, 2);
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        add_sample(m, &v, 1);
    }
cleanup:
    return status;
}

sn_status sni_sheet_create(const sn_mesh *mesh, const sni_sheet_material *material,
                           sni_sheet **sheet, sn_error *error) {
    SN_ASSERT(material->density > 0);
    sn_status status = SN_OK;
    making m = {.mesh = mesh, .material = material};
    *sheet = NULL;
    SNI_NEW_ZERO(mesh->context, m.sheet, 1);
    m.sheet->context = mesh->context;
    m.sheet->particle_count = mesh->vertex_count;
    SN_TRY(sn_topology_create(mesh, &m.topology, error));
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &m.triangles, error));
    SN_TRY(make_triangle_mesh(&m, error));
    SNI_NEW(mesh->context, m.areas, mesh->face_count);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        m.areas[f] = face_area(mesh, f);
    }
    SN_TRY(weigh(&m, error));
    SN_TRY(add_constraints(&m, error));
    SN_TRY(add_samples(&m, error));
    *sheet = m.sheet;
    m.sheet = NULL;
cleanup:
    sni_sheet_destroy(m.sheet);
    sn_topology_destroy(m.topology);
    sn_topology_destroy(m.triangle_topology);
    sn_mesh_destroy(m.triangle_mesh);
    sn_triangles_destroy(m.triangles);
    sni_free(mesh->context, m.areas);
    return status;
}
