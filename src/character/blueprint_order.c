// SPDX-License-Identifier: Apache-2.0
//
// The order in which surfaces are evaluated: a skin that drives another, or that another touches,
// comes before it.
//
// A walk in depth from each surface along its drivers and colliders, with a stack of its own, since
// a chain may be as long as the document. A surface that is met while it is on the stack closes a
// circle.
#include "character/blueprint.h"
#include "character/schema.h"

#include <stdio.h>
#include <string.h>

typedef enum mark {
    MARK_UNTOUCHED,
    MARK_ON_STACK,
    MARK_PLACED,
} mark;

typedef struct step {
    uint32_t surface;
    uint32_t deformer; // to look at
    uint32_t next;     // of it: 0 for its driver, then its colliders
} step;

typedef struct walk {
    sni_blueprint *blueprint;
    uint8_t *marks; // surface_count
    step *stack;    // surface_count
    uint32_t depth;
    uint32_t placed;
} walk;

// The stack from `first` up is the circle, each surface driven by the next, or touching it.
static sn_status fail_circle(const walk *w, uint32_t first, const sn_value *name, bool touches,
                             sn_error *error) {
    const sni_surface_plan *surfaces = w->blueprint->surfaces;
    const char *start = surfaces[w->stack[first].surface].name;
    if (first + 1 == w->depth) {
        return sni_fail_value(error, name, SN_INVALID, "the skin \"%s\" cannot %s itself", start,
                              touches ? "be a collider of" : "drive");
    }
    char chain[256] = "";
    size_t used = 0;
    for (uint32_t i = w->depth; i-- > first && used < sizeof chain;) {
        used += (size_t)snprintf(chain + used, sizeof chain - used, " -> \"%s\"",
                                 surfaces[w->stack[i].surface].name);
    }
    if (used >= sizeof chain) {
        snprintf(chain + sizeof chain - 8, 8, " -> ...");
    }
    return sni_fail_value(error, name, SN_INVALID,
                          "the skins drive each other in a circle: \"%s\"%s", start, chain);
}

static void push(walk *w, uint32_t surface) {
    w->marks[surface] = MARK_ON_STACK;
    w->stack[w->depth++] = (step){.surface = surface};
}

// The next surface that a deformer needs, and the name that says so; SN_NONE when it needs no more.
static uint32_t take_need(step *top, const sni_deformer_plan *deformer, const sn_value **name) {
    if (top->next == 0) {
        top->next = 1;
        *name = sn_value_get(deformer->value, "driver_mesh");
        if (deformer->driver != SN_NONE) {
            return deformer->driver;
        }
    }
    uint32_t collider = top->next - 1;
    if (collider == deformer->collider_count) {
        top->next = 0;
        top->deformer++;
        return SN_NONE;
    }
    top->next++;
    *name = sn_value_at(sn_value_get(deformer->value, "colliders"), collider);
    return deformer->colliders[collider];
}

// Looks at the next driver or collider of the surface on top, or places it.
static sn_status take_step(walk *w, sn_error *error) {
    step *top = &w->stack[w->depth - 1];
    const sni_surface_plan *surface = &w->blueprint->surfaces[top->surface];
    if (top->deformer == surface->deformer_count) {
        w->marks[top->surface] = MARK_PLACED;
        w->blueprint->drivers_first[w->placed++] = top->surface;
        w->depth--;
        return SN_OK;
    }
    const sn_value *name = NULL;
    uint32_t needed = take_need(top, &surface->deformers[top->deformer], &name);
    if (needed == SN_NONE || w->marks[needed] == MARK_PLACED) {
        return SN_OK;
    }
    if (w->marks[needed] == MARK_ON_STACK) {
        uint32_t first = w->depth;
        while (w->stack[--first].surface != needed) {
        }
        return fail_circle(w, first, name, top->next != 1, error);
    }
    push(w, needed);
    return SN_OK;
}

sn_status sni_order_surfaces(sni_blueprint *blueprint, sn_error *error) {
    walk w = {.blueprint = blueprint};
    SNI_PLAN_NEW(blueprint, blueprint->drivers_first, blueprint->surface_count);
    SNI_PLAN_NEW(blueprint, w.marks, blueprint->surface_count);
    SNI_PLAN_NEW(blueprint, w.stack, blueprint->surface_count);
    memset(w.marks, MARK_UNTOUCHED, blueprint->surface_count);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->surface_count && status == SN_OK; ++i) {
        if (w.marks[i] == MARK_UNTOUCHED) {
            push(&w, i);
        }
        while (w.depth > 0 && status == SN_OK) {
            status = take_step(&w, error);
        }
    }
    return status;
}
