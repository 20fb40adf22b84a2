// SPDX-License-Identifier: Apache-2.0
//
// Whether two skeletons are one body in different rest poses: the same names, hanging on each other
// in the same way, with bones that are equally long but for one factor. Rolls of the joints'
// frames, the order of the segments, the unit, and scales of segments above do not matter.
//
// What a rest pose is does not matter then, either: the alignment A of a segment (retarget_align.c)
// is the turn that takes the joints that hang on it in the target's rest to where they are in the
// source's. One joint fixes the direction and leaves the twist to the parent's alignment; a
// second one beside that line fixes the twist. A segment without joints takes its parent's.
#include "motion/retarget.h"

#include "motion/skeleton.h"

#include <math.h>

// Joints that differ by less, relative to the longest bone, are at the same place of a bone.
static const double same_place = 1e-3;
// A joint that is farther from the line of a bone than this part of the bone tells its twist.
static const double off_line = 1e-4;

// Segments of the target by name.
typedef struct matcher {
    sni_retarget *r;
    uint32_t *sources;     // the source segment of the same name, SN_NONE
    uint32_t *above;       // the nearest segment above that has a match as well, SN_NONE
    uint32_t *longest;     // per segment: the joint that hangs farthest from it
    uint32_t *beside;      // and the one farthest from the line to that
    uint8_t *is_target_of; // per source segment: whether it has a match
    double scale;
    double tolerance;
} matcher;

static sn_status match_names(matcher *m, sn_error *error) {
    const sn_skeleton *source = m->r->source.skeleton, *target = m->r->target.skeleton;
    sni_name_index names;
    sn_status status = sni_skeleton_index(m->r->context, source, &names, error);
    for (uint32_t i = 0; i < target->segment_count && status == SN_OK; ++i) {
        uint32_t segment = target->parents_first[i];
        uint32_t parent = target->segments[segment].parent;
        bool matched = parent != SN_NONE && m->sources[parent] != SN_NONE;
        m->sources[segment] = sni_name_index_find(&names, target->segments[segment].name);
        m->above[segment] = parent == SN_NONE || matched ? parent : m->above[parent];
        if (m->sources[segment] != SN_NONE) {
            m->is_target_of[m->sources[segment]] = 1;
        }
    }
    sni_name_index_deinit(m->r->context, &names);
    return status;
}

// Whether all segments have the same names, parents and rest frames.
static bool have_same_rests(const matcher *m) {
    const sn_skeleton *source = m->r->source.skeleton, *target = m->r->target.skeleton;
    bool same = source->segment_count == target->segment_count;
    for (uint32_t i = 0; i < target->segment_count && same; ++i) {
        uint32_t k = m->sources[i], parent = target->segments[i].parent;
        same = k != SN_NONE &&
               source->segments[k].parent == (parent != SN_NONE ? m->sources[parent] : SN_NONE) &&
               sni_rest_is_same(&m->r->source.locals[k], &m->r->target.locals[i]);
    }
    return same;
}

// The bone from the matched segment above to a matched segment's joint, in both stances.
static sn_vec3 target_bone(const matcher *m, uint32_t i) {
    return sn_vec3_sub(m->r->target.positions[i], m->r->target.positions[m->above[i]]);
}

static sn_vec3 source_bone(const matcher *m, uint32_t i) {
    const sn_vec3 *places = m->r->source.positions;
    sn_vec3 bone = sn_vec3_sub(places[m->sources[i]], places[m->sources[m->above[i]]]);
    return sn_vec3_scale(bone, m->scale);
}

static bool is_bone(const matcher *m, uint32_t i) {
    return m->sources[i] != SN_NONE && m->above[i] != SN_NONE && m->sources[m->above[i]] != SN_NONE;
}

static uint32_t matched_above(const matcher *m, uint32_t source) {
    const sn_segment *segments = m->r->source.skeleton->segments;
    uint32_t above = segments[source].parent;
    while (above != SN_NONE && !m->is_target_of[above]) {
        above = segments[above].parent;
    }
    return above;
}

// Whether most segments have a match, and bones hang on each other alike and have one ratio.
static bool have_same_bones(matcher *m) {
    const sn_skeleton *source = m->r->source.skeleton, *target = m->r->target.skeleton;
    uint32_t smaller = source->segment_count < target->segment_count ? source->segment_count
                                                                     : target->segment_count;
    uint32_t matched = 0, bones = 0;
    double here = 0, there = 0, longest = 0;
    m->scale = 1;
    for (uint32_t i = 0; i < target->segment_count; ++i) {
        matched += m->sources[i] != SN_NONE;
        if (!is_bone(m, i)) {
            continue;
        }
        if (matched_above(m, m->sources[i]) != m->sources[m->above[i]]) {
            return false;
        }
        double length = sn_vec3_length(target_bone(m, i));
        here += length;
        there += sn_vec3_length(source_bone(m, i));
        longest = fmax(longest, length);
        bones++;
    }
    m->scale = here / there;
    m->tolerance = same_place * longest;
    return 4 * matched >= 3 * smaller && bones >= 2 && here > 0 && there > 0;
}

// The part of v across a unit vector.
static double distance_from_line(sn_vec3 v, sn_vec3 axis) {
    return sn_vec3_length(sn_vec3_add_scaled(v, -sn_vec3_dot(v, axis), axis));
}

static void find_telling_joints(matcher *m) {
    uint32_t count = m->r->target.skeleton->segment_count;
    const sn_vec3 zero = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        m->longest[i] = m->beside[i] = SN_NONE;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t *longest = is_bone(m, i) ? &m->longest[m->above[i]] : NULL;
        if (longest != NULL &&
            (*longest == SN_NONE ||
             sn_vec3_length(target_bone(m, i)) > sn_vec3_length(target_bone(m, *longest)))) {
            *longest = i;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!is_bone(m, i)) {
            continue;
        }
        uint32_t *beside = &m->beside[m->above[i]];
        sn_vec3 line = target_bone(m, m->longest[m->above[i]]);
        sn_vec3 axis = sn_vec3_normalize_or(line, zero);
        double least = *beside != SN_NONE ? distance_from_line(target_bone(m, *beside), axis)
                                          : off_line * sn_vec3_length(line);
        if (distance_from_line(target_bone(m, i), axis) > least) {
            *beside = i;
        }
    }
}

static sn_quat align_bones(const matcher *m, uint32_t i, sn_quat parent) {
    uint32_t longest = m->longest[i], beside = m->beside[i];
    if (longest == SN_NONE || !(sn_vec3_length(target_bone(m, longest)) > 0)) {
        return parent;
    }
    sn_vec3 to = source_bone(m, longest);
    sn_vec3 axis = sn_vec3_normalize_or(to, to);
    sn_vec3 from = target_bone(m, longest);
    sn_quat align = sni_align_direction(parent, sn_vec3_normalize_or(from, from), axis);
    double angle;
    if (beside != SN_NONE && sni_angle_about(axis, sn_quat_rotate(align, target_bone(m, beside)),
                                             source_bone(m, beside), &angle)) {
        align = sn_quat_multiply(sn_quat_from_axis_angle(axis, angle), align);
    }
    return sn_quat_normalize(align);
}

static void align_all(const matcher *m, sn_quat start) {
    const sn_skeleton *target = m->r->target.skeleton;
    for (uint32_t i = 0; i < target->segment_count; ++i) {
        uint32_t segment = target->parents_first[i];
        uint32_t parent = target->segments[segment].parent;
        sn_quat above = parent != SN_NONE ? m->r->aligns[parent] : start;
        m->r->aligns[segment] = align_bones(m, segment, above);
    }
}

// Whether aligned bones end at the same places.
static bool bones_agree(const matcher *m) {
    for (uint32_t i = 0; i < m->r->target.skeleton->segment_count; ++i) {
        if (is_bone(m, i)) {
            sn_vec3 aligned = sn_quat_rotate(m->r->aligns[m->above[i]], target_bone(m, i));
            if (!(sn_vec3_distance(aligned, source_bone(m, i)) <= m->tolerance)) {
                return false;
            }
        }
    }
    return true;
}

// The topmost segment whose joints tell how it is turned, the pelvis of a body; SN_NONE: none does.
static uint32_t topmost_telling(const matcher *m) {
    const sn_skeleton *target = m->r->target.skeleton;
    for (uint32_t i = 0; i < target->segment_count; ++i) {
        if (m->beside[target->parents_first[i]] != SN_NONE) {
            return target->parents_first[i];
        }
    }
    return SN_NONE;
}

// How well the bones of both rest poses, of one segment or (SN_NONE) all, agree after a turn of the
// target's.
static double agreement(const matcher *m, uint32_t segment, sn_quat turn) {
    double sum = 0;
    for (uint32_t i = 0; i < m->r->target.skeleton->segment_count; ++i) {
        if (is_bone(m, i) && (segment == SN_NONE || m->above[i] == segment)) {
            sum += sn_vec3_dot(sn_quat_rotate(turn, target_bone(m, i)), source_bone(m, i));
        }
    }
    return sum;
}

// Of the 24 ways to name the axes of a world the one that suits the two rest poses best: rest poses
// are turned limb by limb, worlds by quarter turns.
static sn_quat best_quarter_turns(const matcher *m) {
    uint32_t top = topmost_telling(m);
    sn_quat best = sn_quat_identity();
    const double in_doubt = 1 + 1e-6; // an equally good one is not taken: rounding must not decide
    double most = agreement(m, top, best) * in_doubt;
    for (int x = 0; x < 6; ++x) {
        for (int y = 0; y < 6; ++y) {
            double a[3] = {0}, b[3] = {0};
            a[x / 2] = x % 2 == 0 ? 1 : -1;
            b[y / 2] = y % 2 == 0 ? 1 : -1;
            if (x / 2 == y / 2) {
                continue;
            }
            sn_quat turn =
                sni_quat_of_axes(sn_vec3_make(a[0], a[1], a[2]), sn_vec3_make(b[0], b[1], b[2]));
            double sum = agreement(m, top, turn);
            if (sum > most) {
                most = sum * in_doubt;
                best = turn;
            }
        }
    }
    return best;
}

static void compare(matcher *m) {
    sni_retarget *r = m->r;
    r->same_scale = 1;
    r->same_rest = have_same_rests(m);
    r->same_skeleton = r->same_rest;
    if (!r->same_rest && have_same_bones(m)) {
        find_telling_joints(m);
        sn_quat back = best_quarter_turns(m);
        align_all(m, back);
        r->same_skeleton = bones_agree(m);
        r->same_scale = m->scale;
        r->turn = r->same_skeleton ? sn_quat_conjugate(back) : r->turn;
    }
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        r->aligns[i] = r->same_rest ? sn_quat_identity() : sn_quat_multiply(r->turn, r->aligns[i]);
    }
}

sn_status sni_retarget_same(sni_retarget *r, sn_error *error) {
    sn_status status = SN_OK;
    matcher m = {.r = r};
    uint32_t count = r->target.skeleton->segment_count;
    r->turn = sn_quat_identity();
    SNI_NEW_ZERO(r->context, r->aligns, count);
    SNI_NEW(r->context, m.sources, count);
    SNI_NEW(r->context, m.above, count);
    SNI_NEW(r->context, m.longest, count);
    SNI_NEW(r->context, m.beside, count);
    SNI_NEW_ZERO(r->context, m.is_target_of, r->source.skeleton->segment_count);
    SN_TRY(match_names(&m, error));
    compare(&m);
cleanup:
    sni_free(r->context, m.sources);
    sni_free(r->context, m.above);
    sni_free(r->context, m.longest);
    sni_free(r->context, m.beside);
    sni_free(r->context, m.is_target_of);
    return status;
}
