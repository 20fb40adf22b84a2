// SPDX-License-Identifier: Apache-2.0
#include "skin/lids/eyeball.h"

void sni_eye_measure(const sn_accel *accel, const sni_eye_frame *frame, sni_eye_heights *heights) {
    double sum = 0, weights = 0;
    for (uint32_t ring = 0; ring < SNI_EYE_RINGS; ++ring) {
        double polar = SN_PI * ring / (SNI_EYE_RINGS - 1), flat = sin(polar);
        for (uint32_t side = 0; side < SNI_EYE_SIDES; ++side) {
            double turn = 2 * SN_PI * side / SNI_EYE_SIDES;
            sn_vec3 local = {flat * cos(turn), flat * sin(turn), cos(polar)};
            sn_vec3 along = sn_vec3_sub(sni_eye_world(frame, local), frame->center);
            sn_hit hit;
            sn_accel_cast(accel, frame->center, along, 0, INFINITY, &hit);
            double height = hit.triangle != SN_NONE ? hit.distance : 0;
            heights->values[ring][side] = (float)height;
            sum += height > 0 ? flat * height : 0;
            weights += height > 0 ? flat : 0;
        }
    }
    heights->radius = weights > 0 ? sum / weights : 0;
    for (uint32_t i = 0; i < SNI_EYE_RINGS * SNI_EYE_SIDES; ++i) {
        float *value = &heights->values[i / SNI_EYE_SIDES][i % SNI_EYE_SIDES];
        *value = *value > 0 ? *value : (float)heights->radius;
    }
}

double sni_eye_height(const sni_eye_heights *heights, sn_vec3 d) {
    double ring = acos(fmin(fmax(d.z, -1), 1)) / SN_PI * (SNI_EYE_RINGS - 1);
    double side = atan2(d.y, d.x) / (2 * SN_PI) * SNI_EYE_SIDES;
    side = side < 0 ? side + SNI_EYE_SIDES : side;
    uint32_t r = (uint32_t)fmin(ring, SNI_EYE_RINGS - 2), s = (uint32_t)side % SNI_EYE_SIDES;
    uint32_t next = (s + 1) % SNI_EYE_SIDES;
    double u = ring - r, v = side - floor(side);
    const float *low = heights->values[r], *high = heights->values[r + 1];
    return (1 - u) * ((1 - v) * (double)low[s] + v * (double)low[next]) +
           u * ((1 - v) * (double)high[s] + v * (double)high[next]);
}
