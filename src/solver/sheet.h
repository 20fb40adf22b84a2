// SPDX-License-Identifier: Apache-2.0
//
// A mesh as a sheet of cloth: the particles, constraints and contact samples that it is made of.
// The material is that of the sheet, so that meshes of any fineness behave alike.
#ifndef SINEW_SOLVER_SHEET_H
#define SINEW_SOLVER_SHEET_H

#include "solver/xpbd.h"

typedef struct sni_sheet_material {
    double density; // kg/m^2, greater than 0
    double stretch; // m/N: strain under 1 N per metre of width; 0: none
    double shear;   // m/N: angle under 1 N per metre, for faces of four and more corners
    double bend;    // N m: stiffness against bending
} sni_sheet_material;

typedef struct sni_sheet {
    sn_context *context;
    uint32_t particle_count; // vertices of the mesh
    double *masses;          // particle_count, kg, greater than 0
    uint32_t constraint_count;
    sni_constraint *constraints; // stretch, shear, bend
    uint32_t stretch_count;      // the first ones
    uint32_t shear_count;        // those behind them
    uint32_t sample_count;
    sni_contact_sample *samples; // faces, edges, vertices
} sni_sheet;

// Makes a sheet from a validated mesh of any kind. Edges without length keep their ends together,
// triangles without area do not bend, edges of more than two triangles bend between each two that
// follow each other, and vertices without area weigh as much as the others do in the mean. Fails
// only when memory runs out.
sn_status sni_sheet_create(const sn_mesh *mesh, const sni_sheet_material *material,
                           sni_sheet **sheet, sn_error *error);
void sni_sheet_destroy(sni_sheet *sheet);

#endif
