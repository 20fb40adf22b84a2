// SPDX-License-Identifier: Apache-2.0
//
// Fitted fibres as muscles of the document: one muscle for each, on the segments of its bones.
#include "character/add_fibre.h"
#include "character/import/anatomy.h"
#include "muscle/fibre/profile.h"

#include <math.h>
#include <stdio.h>

// How far the two attachments of an end are from it, which show the wide direction, as a part of
// half the width.
static const double attachment_spread = 0.2;

static sn_layout_point point_on(const sni_anatomy_build *build, uint32_t segment, sn_vec3 at) {
    sn_mat4 back = sn_mat4_identity();
    sn_mat4_invert(&build->worlds[segment], &back);
    return (sn_layout_point){build->skeleton.segments[segment].name, sn_mat4_point(&back, at)};
}

static uint32_t most_exponent(uint32_t value) {
    return value < SNI_FIBRE_EXPONENT_MOST ? value : SNI_FIBRE_EXPONENT_MOST;
}

// The belly is 2 w Phi v wide and 2 w Phi u thick, u v = 1 (docs/fibre.md). When active, it swells
// towards its origin as the standard profile does, (3, 3) to (4, 7).
static bool add_fibre(const sni_anatomy_build *build, sn_json *json, sn_value *object,
                      const sn_fit_fibre *fit) {
    enum { THROUGH_MOST = 16 };
    sn_layout_point through[THROUGH_MOST];
    sni_beta beta = {fit->exponents[0], fit->exponents[1]};
    sni_fibre_profile profile = sni_fibre_profile_make(beta, beta);
    double u = sni_fibre_half_axis(fit->eccentricity);
    double belly = 2 * fit->width * sni_fibre_profile_most(&profile, 0);
    sn_layout_fibre fibre = {.end_count = 2,
                             .through = through,
                             .fibres = 1,
                             .width = belly / u,
                             .thickness = belly * u,
                             .rest = {beta.a, beta.b},
                             .active = {most_exponent(beta.a + 1), most_exponent(beta.b + 4)}};
    for (int i = 0; i < 2; ++i) {
        double aside = (i == 0 ? -1 : 1) * attachment_spread * fibre.width / 2;
        uint32_t origin = build->fit_bones[fit->origin.bone].segment;
        uint32_t insertion = build->fit_bones[fit->insertion.bone].segment;
        fibre.origins[i] =
            point_on(build, origin, sn_vec3_add_scaled(fit->origin.point, aside, fit->normals[0]));
        fibre.insertions[i] = point_on(
            build, insertion, sn_vec3_add_scaled(fit->insertion.point, aside, fit->normals[1]));
    }
    for (uint32_t i = 0; i < fit->through_count && i < THROUGH_MOST; ++i) {
        through[fibre.through_count++] =
            point_on(build, fit->through[i].segment, fit->through[i].point);
    }
    return sni_add_fibre(json, object, &fibre);
}

bool sni_anatomy_add_fibres(const sni_anatomy_build *build, sn_json *json, sn_value *muscles,
                            const char *name, const char *about, const sn_fibre_fit *fit) {
    bool done = true;
    for (uint32_t i = 0; i < fit->fibre_count && done; ++i) {
        char text[512];
        snprintf(text, sizeof text, fit->fibre_count > 1 ? "%s, fibre %u" : "%s", name, i + 1);
        for (uint32_t k = 2; sn_value_get(muscles, text) != NULL; ++k) {
            snprintf(text, sizeof text, "%s, fibre %u (%u)", name, i + 1, k);
        }
        sn_value *object = sn_json_add_object(json, muscles, text);
        done = (about == NULL || sn_json_add_string(json, object, "about", about) != NULL) &&
               add_fibre(build, json, object, &fit->fibres[i]);
    }
    return done;
}
