// SPDX-License-Identifier: Apache-2.0
//
// Who moves whom: the caller's map, then equal names, then parts of the body; and last the caller's
// edits of all that.
#include "motion/retarget.h"

#include "base/json_internal.h"

#include <math.h>
#include <string.h>

static void link_pair(sni_retarget *r, uint32_t source, uint32_t target, sn_paired_by by) {
    r->links[target] = (sni_link){.linked = true,
                                  .one_to_one = by == SN_PAIRED_BY_MAP || by == SN_PAIRED_BY_NAME,
                                  .by = by,
                                  .a = source,
                                  .b = source,
                                  .align = sn_quat_identity()};
}

static sn_status find_mapped(const sn_skeleton *skeleton, const sni_name_index *names,
                             const char *name, uint32_t entry, const char *whose, uint32_t *segment,
                             sn_error *error) {
    *segment = sni_name_index_find(names, name);
    if (*segment != SN_NONE) {
        return SN_OK;
    }
    sni_closest closest = sni_closest_to(name);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sni_closest_try(&closest, skeleton->segments[i].name);
    }
    char hint[SNI_HINT_BYTES];
    return sni_fail(error, SN_INVALID, "map entry %u: %s has no segment \"%s\"%s", entry, whose,
                    name, sni_closest_hint(&closest, hint));
}

static sn_status link_map(sni_retarget *r, const sni_name_index *sources,
                          const sni_name_index *targets, sn_error *error) {
    for (uint32_t i = 0; i < r->desc->map_count; ++i) {
        const sn_name_pair *pair = &r->desc->map[i];
        uint32_t source, target;
        sn_status status =
            find_mapped(r->source.skeleton, sources, pair->source, i, "the clip", &source, error);
        if (status == SN_OK) {
            status = find_mapped(r->target.skeleton, targets, pair->target, i, "the skeleton",
                                 &target, error);
        }
        if (status != SN_OK) {
            return status;
        }
        if (r->links[target].linked) {
            return sni_fail(error, SN_INVALID, "map entry %u: \"%s\" is moved by another entry", i,
                            pair->target);
        }
        link_pair(r, source, target, SN_PAIRED_BY_MAP);
    }
    return SN_OK;
}

static bool same_role(sni_body_role a, sni_body_role b) {
    return a.part == b.part && a.side == b.side;
}

// Chains of spine and neck are paired as a whole, since "Spine" may be the first of three here and
// the second of four there.
static bool is_chain(sni_body_part part) {
    return part == SNI_BODY_SPINE || part == SNI_BODY_NECK;
}

static void link_equal_names(sni_retarget *r, const sni_name_index *sources) {
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        uint32_t source = sni_name_index_find(sources, r->target.skeleton->segments[i].name);
        if (r->links[i].linked || source == SN_NONE) {
            continue;
        }
        sni_body_role role = r->target.body.roles[i];
        bool alike = same_role(role, r->source.body.roles[source]) && !is_chain(role.part);
        if (alike || r->same_skeleton) {
            link_pair(r, source, i, SN_PAIRED_BY_NAME);
        }
    }
}

// Which of the two ways of telling a part of the body was needed.
static sn_paired_by part_or_shape(const sni_retarget *r, uint32_t source, uint32_t target) {
    return r->source.body.by_shape[source] || r->target.body.by_shape[target] ? SN_PAIRED_BY_SHAPE
                                                                              : SN_PAIRED_BY_PART;
}

static bool any_linked(const sni_retarget *r, sni_body_part part, sni_body_side side) {
    const sni_body *body = &r->target.body;
    for (uint32_t i = 0; i < body->count[part][side]; ++i) {
        if (r->links[body->members[body->first[part][side] + i]].linked) {
            return true;
        }
    }
    return false;
}

// The first segment of a part carries its turn, the others follow; of several that stand beside
// each other (toes) each does.
static void link_part(sni_retarget *r, sni_body_part part, sni_body_side side) {
    const sni_body *body = &r->target.body;
    uint32_t source = sni_body_last(&r->source.body, part, side);
    if (source == SN_NONE || any_linked(r, part, side)) {
        return;
    }
    for (uint32_t i = 0; i < body->count[part][side]; ++i) {
        uint32_t target = body->members[body->first[part][side] + i];
        uint32_t parent = r->target.skeleton->segments[target].parent;
        if (parent == SN_NONE || !same_role(body->roles[parent], body->roles[target])) {
            link_pair(r, source, target, part_or_shape(r, source, target));
        }
    }
}

// A chain of n segments onto one of m: segment j of the target stands at (j + 1) / m of the chain,
// segment i of the source at (i + 1) / n, and `base`, the segment below the chain, at 0; turns in
// between are blended.
static void link_chain(sni_retarget *r, sni_body_part part, uint32_t base) {
    const sni_body *from = &r->source.body, *to = &r->target.body;
    uint32_t n = from->count[part][SNI_SIDE_NONE], m = to->count[part][SNI_SIDE_NONE];
    const uint32_t *sources = from->members + from->first[part][SNI_SIDE_NONE];
    const uint32_t *targets = to->members + to->first[part][SNI_SIDE_NONE];
    if (n == 0 || any_linked(r, part, SNI_SIDE_NONE)) {
        return;
    }
    for (uint32_t j = 0; j < m; ++j) {
        uint64_t place = (uint64_t)(j + 1) * n; // in m-ths of a source segment
        uint32_t below = (uint32_t)(place / m);
        uint32_t rest = (uint32_t)(place % m);
        sni_link *link = &r->links[targets[j]];
        uint32_t a = below > 0 ? sources[below - 1] : base;
        link_pair(r, a, targets[j], part_or_shape(r, sources[0], targets[j]));
        if (rest > 0) {
            link->b = sources[below];
            link->blend = (double)rest / m;
        }
    }
}

static uint32_t or_else(uint32_t segment, uint32_t otherwise) {
    return segment != SN_NONE ? segment : otherwise;
}

// Clips often have a thumb and one finger that stands for all: moving a single finger by it looks
// worse than moving none.
bool sni_retarget_has_fingers(const sni_body *body, sni_body_side side) {
    int count = 0;
    for (int part = SNI_BODY_THUMB; part <= SNI_BODY_LITTLE; ++part) {
        count += body->count[part][side] > 0;
    }
    return count >= 3;
}

static void link_body(sni_retarget *r) {
    const sni_body *source = &r->source.body;
    uint32_t hips = sni_body_last(source, SNI_BODY_HIPS, SNI_SIDE_NONE);
    uint32_t chest = or_else(sni_body_last(source, SNI_BODY_SPINE, SNI_SIDE_NONE), hips);
    link_part(r, SNI_BODY_HIPS, SNI_SIDE_NONE);
    link_chain(r, SNI_BODY_SPINE, hips);
    link_chain(r, SNI_BODY_NECK, chest);
    link_part(r, SNI_BODY_HEAD, SNI_SIDE_NONE);
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        for (int part = SNI_BODY_CLAVICLE; part <= SNI_BODY_TOES; ++part) {
            link_part(r, (sni_body_part)part, (sni_body_side)side);
        }
        if (sni_retarget_has_fingers(source, (sni_body_side)side)) {
            for (int part = SNI_BODY_THUMB; part <= SNI_BODY_LITTLE; ++part) {
                link_part(r, (sni_body_part)part, (sni_body_side)side);
            }
        }
    }
}

// The pair that carries the body's place: the hips, else the topmost pair.
static void find_root(sni_retarget *r) {
    r->root_target = sni_body_first(&r->target.body, SNI_BODY_HIPS, SNI_SIDE_NONE);
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        bool found = r->root_target != SN_NONE && r->links[r->root_target].linked;
        if (!found) {
            r->root_target = r->target.skeleton->parents_first[i];
        }
    }
    r->root_source = or_else(r->links[r->root_target].a, r->links[r->root_target].b);
}

// ---------------------------------------------------------------------------------------------
// Edits

typedef struct edited_pair {
    uint32_t target, a, b; // SN_NONE: nothing, no turn
} edited_pair;

static sn_status fail_edit(const sn_pair_edit *edit, sn_status status, sn_error *error) {
    if (edit->file != NULL) {
        sni_error_source(error, edit->file);
    }
    return edit->at != NULL ? sni_at_value(status, edit->at, error) : status;
}

static sn_status find_edited(const sn_skeleton *skeleton, const sni_name_index *names,
                             const char *name, const char *whose, const sn_pair_edit *edit,
                             uint32_t *segment, sn_error *error) {
    *segment = name != NULL ? sni_name_index_find(names, name) : SN_NONE;
    if (name == NULL || *segment != SN_NONE) {
        return SN_OK;
    }
    sni_closest closest = sni_closest_to(name);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sni_closest_try(&closest, skeleton->segments[i].name);
    }
    char hint[SNI_HINT_BYTES];
    return fail_edit(
        edit,
        sni_fail(error, SN_INVALID, "%s \"%s\"%s", whose, name, sni_closest_hint(&closest, hint)),
        error);
}

static sn_status find_edit(const sni_retarget *r, const sni_name_index *sources,
                           const sni_name_index *targets, const sn_pair_edit *edit,
                           edited_pair *pair, sn_error *error) {
    static const char no_segment[] = "the character has no segment";
    static const char no_joint[] = "the clip has no joint";
    sn_status status = SN_OK;
    if (edit->target == NULL) {
        return fail_edit(edit, sni_fail(error, SN_INVALID, "an edit names no segment"), error);
    }
    if (edit->second != NULL && !(edit->share > 0 && edit->share <= 1)) {
        return fail_edit(edit,
                         sni_fail(error, SN_INVALID,
                                  "the share of \"%s\" is %g, but must be above 0 and at most 1",
                                  edit->second, edit->share),
                         error);
    }
    SN_TRY(find_edited(r->target.skeleton, targets, edit->target, no_segment, edit, &pair->target,
                       error));
    SN_TRY(find_edited(r->source.skeleton, sources, edit->source, no_joint, edit, &pair->a, error));
    SN_TRY(find_edited(r->source.skeleton, sources, edit->second, no_joint, edit, &pair->b, error));
cleanup:
    return status;
}

static bool is_found_anyway(const sni_link *link, const edited_pair *pair, double share) {
    const double rounding = 1e-9; // of shares that were written as text
    bool blends = pair->b != SN_NONE;
    return link->linked && link->a == pair->a &&
           (blends ? link->b == pair->b && fabs(link->blend - share) < rounding : link->blend == 0);
}

// A joint that stands for a part of the body is that part, whatever its name: rest poses are
// aligned and legs are measured by parts.
static void share_role(sni_retarget *r, uint32_t source, uint32_t target) {
    sni_body *from = &r->source.body, *to = &r->target.body;
    sni_body_role here = from->roles[source], there = to->roles[target];
    if (here.part == SNI_BODY_NONE && there.part != SNI_BODY_NONE &&
        from->count[there.part][there.side] == 0) {
        sni_body_give(from, r->source.skeleton, source, there);
    } else if (there.part == SNI_BODY_NONE && here.part != SNI_BODY_NONE &&
               to->count[here.part][here.side] == 0) {
        sni_body_give(to, r->target.skeleton, target, here);
    }
}

static void apply_edit(sni_retarget *r, const edited_pair *pair, double share) {
    sni_link *link = &r->links[pair->target];
    if (pair->a == SN_NONE && pair->b == SN_NONE) {
        *link = (sni_link){.left_out = true, .edited = true, .align = sn_quat_identity()};
        return;
    }
    link_pair(r, pair->a, pair->target, SN_PAIRED_BY_MAP);
    link->edited = true;
    if (pair->b != SN_NONE) {
        link->one_to_one = false;
        link->b = pair->b;
        link->blend = share;
        r->same_skeleton = false;
        return;
    }
    share_role(r, pair->a, pair->target);
    // What is exact for one body in two rest poses holds for equal names alone.
    r->same_skeleton =
        r->same_skeleton && strcmp(r->source.skeleton->segments[pair->a].name,
                                   r->target.skeleton->segments[pair->target].name) == 0;
}

static bool hangs_alike(const sni_retarget *r, uint32_t segment, uint32_t parent) {
    uint32_t source = r->source.skeleton->segments[r->links[segment].a].parent;
    return r->links[parent].linked && source != SN_NONE && r->links[parent].a == source;
}

// Files often have translations for every joint, which mean the bone between it and the joint
// above. Where an edit has parted these two, only the turn is taken, or bones would be torn off. On
// one body in two rest poses, places are those of the world, also below such a joint.
static void keep_bones_together(sni_retarget *r) {
    const sn_skeleton *skeleton = r->target.skeleton;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i], parent = skeleton->segments[segment].parent;
        sni_link *link = &r->links[segment];
        if (parent == SN_NONE || !link->one_to_one) {
            continue;
        }
        const sni_link *above = &r->links[parent];
        bool parted = (link->edited || above->edited) && !hangs_alike(r, segment, parent);
        if (parted || (r->same_skeleton && above->edited)) {
            link->one_to_one = false;
            link->edited = true;
        }
    }
}

static sn_status link_edits(sni_retarget *r, const sni_name_index *sources,
                            const sni_name_index *targets, sn_error *error) {
    bool edited = false;
    for (uint32_t i = 0; i < r->desc->edit_count; ++i) {
        const sn_pair_edit *edit = &r->desc->edits[i];
        edited_pair pair;
        sn_status status = find_edit(r, sources, targets, edit, &pair, error);
        if (status != SN_OK) {
            return status;
        }
        const sni_link *link = &r->links[pair.target];
        if (is_found_anyway(link, &pair, edit->share)) {
            continue;
        }
        if (link->by == SN_PAIRED_BY_MAP || link->left_out) {
            return fail_edit(
                edit, sni_fail(error, SN_INVALID, "\"%s\" is moved by another entry", edit->target),
                error);
        }
        apply_edit(r, &pair, edit->share);
        edited = true;
    }
    if (edited) {
        keep_bones_together(r);
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------

sn_status sni_retarget_pair(sni_retarget *r, sn_error *error) {
    sn_status status = SN_OK;
    sni_name_index sources = {0}, targets = {0};
    r->linked_count = 0;
    SN_TRY(sni_skeleton_index(r->context, r->source.skeleton, &sources, error));
    SN_TRY(sni_skeleton_index(r->context, r->target.skeleton, &targets, error));
    SN_TRY(link_map(r, &sources, &targets, error));
    link_equal_names(r, &sources);
    link_body(r);
    SN_TRY(link_edits(r, &sources, &targets, error));
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        r->linked_count += r->links[i].linked;
    }
    if (r->linked_count > 0) {
        find_root(r);
    }
cleanup:
    sni_name_index_deinit(r->context, &sources);
    sni_name_index_deinit(r->context, &targets);
    return status;
}

sn_status sni_retarget_check_pairs(const sni_retarget *r, sn_error *error) {
    return r->linked_count > 0
               ? SN_OK
               : sni_fail(
                     error, SN_INVALID,
                     "the clip \"%s\" cannot be retargeted: no segment of it (\"%s\", ...) has "
                     "a counterpart in the skeleton",
                     r->clip->name, r->source.skeleton->segments[0].name);
}
