// SPDX-License-Identifier: Apache-2.0
#include "solver/color.h"

#include "base/rows.h"

#include <string.h>

// The lowest colour that is free at all particles of a constraint; SNI_COLOR_MOST for none.
static uint8_t take_color(uint64_t *used, const sni_constraint *constraint) {
    uint64_t taken = 0;
    for (uint32_t k = 0; k < constraint->count; ++k) {
        taken |= used[constraint->particles[k]];
    }
    if (taken == UINT64_MAX) {
        return SNI_COLOR_MOST;
    }
    uint8_t color = (uint8_t)__builtin_ctzll(~taken);
    for (uint32_t k = 0; k < constraint->count; ++k) {
        used[constraint->particles[k]] |= (uint64_t)1 << color;
    }
    return color;
}

sn_status sni_color_constraints(sn_context *context, uint32_t particle_count,
                                const sni_constraint *constraints, uint32_t count,
                                sni_constraint *sorted, sni_colors *colors, sn_error *error) {
    SN_ASSERT(count == 0 || (constraints != NULL && sorted != NULL));
    sn_status status = SN_OK;
    uint64_t *used = NULL; // by particle: a bit for each colour
    uint8_t *chosen = NULL;
    SNI_NEW_ZERO(context, used, particle_count);
    SNI_NEW(context, chosen, count);
    memset(colors->starts, 0, sizeof colors->starts);
    for (uint32_t i = 0; i < count; ++i) {
        chosen[i] = take_color(used, &constraints[i]);
        sni_rows_count(colors->starts, chosen[i], 1);
    }
    sni_rows_begin(colors->starts, SNI_COLOR_MOST + 1);
    for (uint32_t i = 0; i < count; ++i) {
        sorted[sni_rows_take(colors->starts, chosen[i])] = constraints[i];
    }
    sni_rows_end(colors->starts, SNI_COLOR_MOST + 1);
    SN_VALIDATE(sni_colors_are_valid(context, particle_count, sorted, count, colors));
cleanup:
    sni_free(context, used);
    sni_free(context, chosen);
    return status;
}

bool sni_colors_are_valid(sn_context *context, uint32_t particle_count,
                          const sni_constraint *sorted, uint32_t count, const sni_colors *colors) {
    bool valid = sni_rows_are_valid(colors->starts, SNI_COLOR_MOST + 1, count);
    uint32_t *seen = sni_alloc_zero(context, particle_count, sizeof *seen); // last colour + 1
    for (uint32_t color = 0; valid && seen != NULL && color < SNI_COLOR_MOST; ++color) {
        for (uint32_t i = colors->starts[color]; i < colors->starts[color + 1]; ++i) {
            for (uint32_t k = 0; k < sorted[i].count; ++k) {
                uint32_t *last = &seen[sorted[i].particles[k]];
                valid = valid && *last != color + 1;
                *last = color + 1;
            }
        }
    }
    sni_free(context, seen);
    return valid;
}
