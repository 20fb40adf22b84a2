// SPDX-License-Identifier: Apache-2.0
//
// What the writers of USD text share (write_usda.c).
#ifndef SINEW_IO_USDA_H
#define SINEW_IO_USDA_H

#include "io/text_output.h"
#include "sinew/mesh.h"

// A number with at most so many decimals, zeros at the end left out; its size is below 1e9.
void sni_usda_put_rounded(sni_text_output *out, double number, int decimals);

// Faces and texture coordinates, lines of a Mesh prim at a depth of two.
void sni_usda_put_topology(sni_text_output *out, const sn_mesh *mesh);

// A prim's name: letters, digits and underscores, not beginning with a digit. Free with sni_free;
// NULL without memory.
char *sni_usda_identifier(sn_context *context, const char *name);

// The head of a stage up to the brace behind "Root".
void sni_usda_put_stage(sni_text_output *out, double rate, uint32_t first, uint32_t last);

#endif
