// SPDX-License-Identifier: Apache-2.0
//
// The order in which surfaces are evaluated: a skin that drives another, or that another touches,
// comes before it.
//
// A walk in depth from each surface along its drivers and colliders, with a stack of its own, since
// a chain may be as long as the document. A surface that is met while it is on the stack closes a
// circle.
#include "character/blueprint/blueprint.h"
#include "character/schema/schema.h"

#include <stdio.h>
#include <string.h>

typedef enum mark {
    MARK_UNTOUCHED,
    MARK_ON_STACK,
    MARK_PLACED,
} mark;

// A skin that must be evaluated before another, and the name that says so.
typedef struct need {
    uint32_t surface;
    const sn_value *name;
    bool touched;
} need;

typedef struct step {
    uint32_t surface;
    uint32_t next; // need to look at
} step;

typedef struct walk {
    sni_blueprint *blueprint;
    uint32_t *need_offsets; // surface_count + 1
    need *needs;            // of all surfaces; NULL while they are counted
    uint32_t need_count;
    uint8_t *marks; // surface_count
    step *stack;    // surface_count
    uint32_t depth;
    uint32_t placed;
} walk;

static void note_need(const sni_need *found, void *user) {
    walk *w = user;
    if (!found->first) {
        return;
    }
    if (w->needs != NULL) {
        w->needs[w->need_count] = (need){found->surface, found->name, found->touched};
    }
    w->need_count++;
}

// Goes through the needs of all surfaces, in the order of their deformers.
static void visit_needs(walk *w) {
    const sni_blueprint *blueprint = w->blueprint;
    w->need_count = 0;
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        const sni_surface_plan *surface = &blueprint->surfaces[i];
        w->need_offsets[i] = w->need_count;
        for (uint32_t k = 0; k < surface->deformer_count; ++k) {
            const sni_deformer_plan *plan = &surface->deformers[k];
            sni_inputs_needs(plan->ops->inputs, plan->inputs, note_need, w);
        }
    }
    w->need_offsets[blueprint->surface_count] = w->need_count;
}

static sn_status list_needs(walk *w, sn_error *error) {
    SNI_PLAN_NEW(w->blueprint, w->need_offsets, (size_t)w->blueprint->surface_count + 1);
    visit_needs(w);
    need *needs;
    SNI_PLAN_NEW(w->blueprint, needs, w->need_count);
    w->needs = needs;
    visit_needs(w);
    return SN_OK;
}

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

// Looks at the next driver or collider of the surface on top, or places it.
static sn_status take_step(walk *w, sn_error *error) {
    step *top = &w->stack[w->depth - 1];
    uint32_t number = w->need_offsets[top->surface] + top->next++;
    if (number == w->need_offsets[top->surface + 1]) {
        w->marks[top->surface] = MARK_PLACED;
        w->blueprint->drivers_first[w->placed++] = top->surface;
        w->depth--;
        return SN_OK;
    }
    const need *next = &w->needs[number];
    if (w->marks[next->surface] == MARK_PLACED) {
        return SN_OK;
    }
    if (w->marks[next->surface] == MARK_ON_STACK) {
        uint32_t first = w->depth;
        while (w->stack[--first].surface != next->surface) {
        }
        return fail_circle(w, first, next->name, next->touched, error);
    }
    push(w, next->surface);
    return SN_OK;
}

sn_status sni_order_surfaces(sni_blueprint *blueprint, sn_error *error) {
    walk w = {.blueprint = blueprint};
    sn_status listed = list_needs(&w, error);
    if (listed != SN_OK) {
        return listed;
    }
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
