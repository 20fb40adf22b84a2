// SPDX-License-Identifier: Apache-2.0
//
// Groups of numbers that are joined two by two: a union-find forest in an array of parents, in
// which every number begins as its own. A group's root is its lowest member, so that the outcome
// does not depend on the order of joining, and parents never stand behind their children.
#ifndef SINEW_BASE_GROUPS_H
#define SINEW_BASE_GROUPS_H

#include <stdint.h>

// The root of a number's group; the way to it is halved.
static inline uint32_t sni_group_root(uint32_t *parents, uint32_t i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static inline void sni_group_join(uint32_t *parents, uint32_t a, uint32_t b) {
    a = sni_group_root(parents, a);
    b = sni_group_root(parents, b);
    parents[a < b ? b : a] = a < b ? a : b;
}

#endif
