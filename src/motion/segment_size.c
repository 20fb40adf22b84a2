// SPDX-License-Identifier: Apache-2.0
#include "motion/segment_size.h"

#include "motion/skeleton.h"

// A box that holds the origin.
typedef struct box {
    sn_vec3 low, high;
} box;

static void widen_parents(const sn_skeleton *skeleton, box *boxes) {
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t parent = skeleton->segments[i].parent;
        if (parent == SN_NONE) {
            continue;
        }
        sn_vec3 place = sni_segment_rest_local(&skeleton->segments[i]).translation;
        boxes[parent].low = sn_vec3_min(boxes[parent].low, place);
        boxes[parent].high = sn_vec3_max(boxes[parent].high, place);
    }
}

static double factor_of(const double *proportions, uint32_t segment) {
    return proportions != NULL ? proportions[segment] : 0;
}

sn_status sni_segment_sizes(sn_context *context, const sn_skeleton *skeleton,
                            const double *proportions, double *sizes, sn_error *error) {
    SN_ASSERT(skeleton->segment_count == 0 || sizes != NULL);
    uint32_t count = skeleton->segment_count;
    sn_status status = SN_OK;
    box *boxes = NULL;
    double *plain = NULL; // sizes without proportions
    SNI_NEW_ZERO(context, boxes, count);
    SNI_NEW(context, plain, count);
    widen_parents(skeleton, boxes);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        double factor = factor_of(proportions, segment);
        double diagonal = sn_vec3_distance(boxes[segment].low, boxes[segment].high);
        bool own = diagonal > 0, alone = parent == SN_NONE;
        plain[segment] = own ? diagonal : alone ? SNI_SEGMENT_SIZE_ALONE : plain[parent];
        sizes[segment] = factor > 0     ? factor * plain[segment]
                         : own || alone ? plain[segment]
                                        : sizes[parent];
    }
cleanup:
    sni_free(context, boxes);
    sni_free(context, plain);
    return status;
}

void sni_skeleton_scale(sn_skeleton *skeleton, const double *proportions) {
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sn_segment *segment = &skeleton->segments[i];
        double factor = segment->parent != SN_NONE ? proportions[segment->parent] : 0;
        if (factor == 0) {
            continue;
        }
        segment->rest.translation = sn_vec3_scale(segment->rest.translation, factor);
        for (int k = SN_JOINT_TX; k <= SN_JOINT_TZ; ++k) {
            segment->rest_parameters[k] *= factor;
            segment->limits[k].low *= factor;
            segment->limits[k].high *= factor;
        }
    }
}
