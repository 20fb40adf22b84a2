// SPDX-License-Identifier: Apache-2.0
//
// The kernels of this room, by the processor.
#include "base/kernel.h"
#include "geometry/accel.h"
#include "geometry/carry.h"

SNI_FORMS(sni_accel_find_within);
SNI_FORMS(sni_accel_find_closest);
SNI_FORMS(sni_accel_group_find_closest);
SNI_FORMS(sni_accel_distance);
SNI_FORMS(sni_accel_cast);
SNI_FORMS(sni_tree_init);
SNI_FORMS(sni_tree_refit);
SNI_FORMS(sni_carry_points);

void sni_accel_find_within(const sn_accel *accel, sn_vec3 point, double radius,
                           sn_closest *closest) {
    SNI_CHOSEN(accel->context, sni_accel_find_within)(accel, point, radius, closest);
}

void sni_accel_find_closest(const sn_accel *accel, sn_vec3 point, uint32_t *near,
                            sn_closest *closest) {
    SNI_CHOSEN(accel->context, sni_accel_find_closest)(accel, point, near, closest);
}

void sni_accel_group_find_closest(const sni_accel_group *group, sn_vec3 point,
                                  sni_accel_place *near, sn_closest *closest) {
    SNI_CHOSEN(group->context, sni_accel_group_find_closest)(group, point, near, closest);
}

double sni_accel_distance(const sn_accel *accel, sn_vec3 point, uint32_t *near) {
    return SNI_CHOSEN(accel->context, sni_accel_distance)(accel, point, near);
}

void sni_accel_cast(const sn_accel *accel, sn_vec3 origin, sn_vec3 direction, double nearest,
                    double farthest, sn_hit *hit) {
    SNI_CHOSEN(accel->context, sni_accel_cast)(accel, origin, direction, nearest, farthest, hit);
}

sn_status sni_tree_init(sni_tree *tree, sn_context *context, const float *positions,
                        const uint32_t *vertices, uint32_t count, sn_error *error) {
    return SNI_CHOSEN(context, sni_tree_init)(tree, context, positions, vertices, count, error);
}

void sni_tree_refit(sni_tree *tree, const float *positions, const uint32_t *vertices) {
    SNI_CHOSEN(tree->context, sni_tree_refit)(tree, positions, vertices);
}

void sni_carry_points(sn_context *context, const sn_mat4 *now, const sn_mat4 *rest,
                      const float *points, uint32_t count, float *out) {
    SNI_CHOSEN(context, sni_carry_points)(context, now, rest, points, count, out);
}
