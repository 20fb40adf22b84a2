// SPDX-License-Identifier: Apache-2.0
//
// How far eight rows go from where they are at rest, along straight lines, in or out, until the
// field, with the muscles as they are now, has the value that it has there, or turns: beyond, it
// would go away from that value again. Newton's steps in the place of the support (tracker.c), kept
// between bounds. So a way ends at the first place that it can end at, which moves as muscles do,
// without jumps. Everything is in the place of the part at rest. Lanes that have arrived wait for
// the others.
#include "skin/implicit/flesh_lanes.h"

#include "field/lanes.h"

#include <math.h>

// Metres: changes below this are none, and bounds of a way that are nearer to each other are one;
// floats hold places not much better.
static const float least_change = 1e-6F, least_bounds = 1e-5F;

// Eight rows while they are solved.
typedef struct solving {
    sn_context *context;
    const sni_flesh_frame *frame;
    const sni_flesh_lanes *lanes;
    const sni_field_part *part;
    sn_vec3 origin;
    float radius; // of the support of muscles
    sni_flesh_felt *felt;
    uint32_t felt_count;
    sni_f32xw3 from, inwards;
    sni_f32xw goes_out; // sign bit: it goes outwards
} solving;

// A fibre at places that are at most `gone` away from where rows begin.
static inline sni_field_lanes fibre_at(const solving *s, sni_flesh_felt *felt, float gone,
                                       const sni_solid_places *places) {
    const sni_flesh_fibre *fibre = &s->frame->fibres[felt->fibre];
    sni_solid_distances d;
    fibre->solid->seen_distances(s->context, fibre->seen, places, &d);
    felt->bound = fmaxf(felt->bound, d.bound - gone);
    return (sni_field_lanes){sni_f32xw_load(d.distances),
                             {sni_f32xw_load(d.x), sni_f32xw_load(d.y), sni_f32xw_load(d.z)}};
}

// Places at most `gone` away from where rows begin.
static inline sni_solid_places places_of(const solving *s, sni_f32xw3 at, float gone) {
    sni_solid_places places;
    sni_f32xw_store(places.x, at.x);
    sni_f32xw_store(places.y, at.y);
    sni_f32xw_store(places.z, at.z);
    for (int k = 0; k < 3; ++k) {
        places.box[k] = s->lanes->box[k] - gone;
        places.box[3 + k] = s->lanes->box[3 + k] + gone;
    }
    return places;
}

// The box of places: less of a muscle may be felt in it than around where rows begin.
static inline void box_of(sni_f32xw3 at, float box[6]) {
    const sni_f32xw axes[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; ++k) {
        box[k] = sni_f32xw_least(axes[k]);
        box[3 + k] = sni_f32xw_most(axes[k]);
    }
}

// The fibres of the part that may be felt at the rows and beside them, and their field where these
// are at rest. `change` becomes how much the distance of a fibre has changed there, at most: the
// surface has not moved much further. Beyond its support a muscle is not felt.
static inline sni_field_lanes find_felt(solving *s, sni_f32xw *change) {
    const sni_flesh *flesh = s->frame->flesh;
    const sni_flesh_near *near = flesh->nears + s->lanes->first_near;
    const sni_flesh_near *end = near + s->lanes->near_count;
    const sni_f32xw zero = sni_f32xw_set1(0), radius = sni_f32xw_set1(s->radius);
    const uint32_t *starts = flesh->muscles.starts + s->lanes->part;
    sni_field_lanes all = {zero, {zero, zero, zero}};
    sni_solid_places places = places_of(s, s->from, 0);
    *change = zero;
    s->felt_count = 0;
    for (uint32_t k = starts[0]; k < starts[1]; ++k) {
        bool was_near = near < end && near->fibre == k;
        const sni_flesh_fibre *fibre = &s->frame->fibres[k];
        sni_flesh_felt one = {k,
                              fibre->solid->seen_at_least(s->context, fibre->seen, s->lanes->box)};
        if (!was_near && !(one.bound < 2 * s->radius)) {
            continue;
        }
        sni_f32xw before = was_near ? sni_f32xw_load(near->distances) : radius, after = radius;
        near += was_near;
        if (one.bound < s->radius) {
            sni_field_lanes distance = fibre_at(s, &one, 0, &places);
            all = sni_lanes_unite_muscles(&flesh->unite, all,
                                          sni_lanes_support_field(distance, s->radius));
            after = sni_f32xw_min(distance.value, radius);
        }
        if (one.bound < 2 * s->radius) {
            s->felt[s->felt_count++] = one;
        }
        *change = sni_f32xw_max(*change, sni_lanes_abs(sni_f32xw_sub(after, before)));
    }
    return all;
}

// The part's field without muscles, for parts that are not baked: one by one.
static sni_field_lanes exact_limb_at(const solving *s, sni_f32xw3 at) {
    float places[3][SNI_WIDTH], values[4][SNI_WIDTH];
    sni_f32xw_store(places[0], at.x);
    sni_f32xw_store(places[1], at.y);
    sni_f32xw_store(places[2], at.z);
    for (int i = 0; i < SNI_WIDTH; ++i) {
        sn_vec3 place = {places[0][i], places[1][i], places[2][i]};
        sni_field_value value = sni_field_part_at_rest(s->part, sn_vec3_add(s->origin, place));
        values[0][i] = (float)value.value;
        values[1][i] = (float)value.gradient.x;
        values[2][i] = (float)value.gradient.y;
        values[3][i] = (float)value.gradient.z;
    }
    return (sni_field_lanes){
        sni_f32xw_load(values[0]),
        {sni_f32xw_load(values[1]), sni_f32xw_load(values[2]), sni_f32xw_load(values[3])}};
}

// Sign bits of lanes within a box.
static inline sni_f32xw within(sn_vec3 low, sn_vec3 high, sn_vec3 origin, sni_f32xw3 at) {
    sn_vec3 a = sn_vec3_sub(low, origin), b = sn_vec3_sub(high, origin);
    sni_f32xw x = sni_f32xw_both(sni_f32xw_less(sni_f32xw_set1((float)a.x), at.x),
                                 sni_f32xw_less(at.x, sni_f32xw_set1((float)b.x)));
    sni_f32xw y = sni_f32xw_both(sni_f32xw_less(sni_f32xw_set1((float)a.y), at.y),
                                 sni_f32xw_less(at.y, sni_f32xw_set1((float)b.y)));
    sni_f32xw z = sni_f32xw_both(sni_f32xw_less(sni_f32xw_set1((float)a.z), at.z),
                                 sni_f32xw_less(at.z, sni_f32xw_set1((float)b.z)));
    return sni_f32xw_both(x, sni_f32xw_both(y, z));
}

static inline sni_field_lanes limb_at(const solving *s, sni_f32xw3 at) {
    if (s->part->grid.nodes == NULL) {
        return exact_limb_at(s, at);
    }
    const sni_f32xw zero = sni_f32xw_set1(0);
    const sni_f32xw3 flat = {zero, zero, zero};
    sni_field_lanes limb = sni_lanes_support_field(sni_lanes_grid_at(&s->part->grid, s->origin, at),
                                                   (float)s->part->radius);
    sni_f32xw inside = within(s->part->low, s->part->high, s->origin, at);
    return (sni_field_lanes){sni_f32xw_choose(inside, zero, limb.value),
                             sni_f32xw3_choose(inside, flat, limb.gradient)};
}

// The field of the part with the fibres that are felt, so far along the lines.
static inline sni_field_lanes felt_at(const solving *s, sni_f32xw way) {
    const sni_flesh *flesh = s->frame->flesh;
    const sni_f32xw zero = sni_f32xw_set1(0);
    sni_f32xw3 at = sni_f32xw3_add_scaled(s->from, way, s->inwards);
    sni_field_lanes all = {zero, {zero, zero, zero}};
    float gone = sni_f32xw_most(sni_lanes_abs(way));
    sni_solid_places places = places_of(s, at, gone);
    float box[6];
    box_of(at, box);
    for (uint32_t k = 0; k < s->felt_count; ++k) {
        const sni_flesh_fibre *fibre = &s->frame->fibres[s->felt[k].fibre];
        if (s->felt[k].bound - gone < s->radius &&
            fibre->solid->seen_at_least(s->context, fibre->seen, box) < s->radius) {
            sni_field_lanes distance = fibre_at(s, &s->felt[k], gone, &places);
            all = sni_lanes_unite_muscles(&flesh->unite, all,
                                          sni_lanes_support_field(distance, s->radius));
        }
    }
    return sni_lanes_with_muscles(&flesh->detail, limb_at(s, at), all);
}

// ---------------------------------------------------------------------------------------------
// Ways

// How much of a way is gone that begins at this angle to the gradient.
static inline sni_f32xw share_of(sni_f32xw turn) {
    const float low = (float)(SNI_FLESH_ASLANT - SNI_FLESH_TURNED);
    const float scale = (float)(1 / (SNI_FLESH_STRAIGHT - SNI_FLESH_ASLANT));
    sni_f32xw u = sni_f32xw_mul(sni_f32xw_sub(turn, sni_f32xw_set1(low)), sni_f32xw_set1(scale));
    u = sni_lanes_within(u, 0, 1);
    return sni_f32xw_mul(sni_f32xw_mul(u, u),
                         sni_f32xw_sub(sni_f32xw_set1(3), sni_f32xw_add(u, u)));
}

// The field where lanes are, as it matters for their ways: how far the place of the support still
// is from where it should be, negative beyond it; how much that falls with the way; and the cosine
// of line and gradient above that at which the field counts as turned.
typedef struct outlook {
    sni_f32xw left, steep, turn;
    sni_f32xw turns; // sign bit: it does not fall any more
} outlook;

static inline outlook look(const solving *s, sni_field_lanes here) {
    const sni_f32xw zero = sni_f32xw_set1(0), one = sni_f32xw_set1(1);
    sni_f32xw x = sni_lanes_support_inverse(here.value);
    sni_f32xw left = sni_f32xw_sub(x, sni_f32xw_load(s->lanes->depths));
    sni_f32xw rise = sni_f32xw3_dot(here.gradient, s->inwards);
    sni_f32xw slope = sni_f32xw_sub(zero, sni_lanes_support_slope(x));
    sni_f32xw length = sni_f32xw3_length(here.gradient);
    outlook out = {.left = sni_f32xw_choose(s->goes_out, left, sni_f32xw_sub(zero, left)),
                   .steep = sni_f32xw_div_positive(rise, slope)};
    sni_f32xw cosine = sni_f32xw_mul(rise, sni_f32xw_div_positive(one, length));
    out.turn = sni_f32xw_sub(cosine, sni_f32xw_set1((float)SNI_FLESH_TURNED));
    sni_f32xw falls =
        sni_f32xw_both(sni_f32xw_less(zero, out.turn), sni_f32xw_less(zero, out.steep));
    out.turns = sni_f32xw_but_not(sni_f32xw_less(zero, one), falls);
    return out;
}

// Between what bounds the ends of ways are.
typedef struct bounds {
    sni_f32xw low, high;
    outlook at_low, at_high; // `high` was looked at where one of the two sign bits is set:
    sni_f32xw crossed, turned;
} bounds;

static inline outlook choose_outlook(sni_f32xw sign, const outlook *a, const outlook *b) {
    return (outlook){.left = sni_f32xw_choose(sign, a->left, b->left),
                     .steep = sni_f32xw_choose(sign, a->steep, b->steep),
                     .turn = sni_f32xw_choose(sign, a->turn, b->turn)};
}

// Takes up what lanes have seen. Returns sign bits of those that are not at the end of their way.
static inline sni_f32xw narrow(bounds *b, const outlook *now, sni_f32xw way, sni_f32xw active) {
    sni_f32xw crossed = sni_f32xw_both(active, sni_f32xw_less(now->left, sni_f32xw_set1(0)));
    sni_f32xw turned = sni_f32xw_but_not(sni_f32xw_both(active, now->turns), crossed);
    sni_f32xw beyond = sni_f32xw_either(crossed, turned);
    sni_f32xw before = sni_f32xw_but_not(active, beyond);
    sni_f32xw at_end = sni_f32xw_but_not(before, sni_f32xw_less(way, b->high));
    b->low = sni_f32xw_choose(before, b->low, way);
    b->at_low = choose_outlook(before, &b->at_low, now);
    b->high = sni_f32xw_choose(beyond, b->high, way);
    b->at_high = choose_outlook(beyond, &b->at_high, now);
    b->crossed = sni_f32xw_choose(beyond, b->crossed, crossed);
    b->turned = sni_f32xw_choose(beyond, b->turned, turned);
    return sni_f32xw_but_not(active, at_end);
}

// Where to look next, and sign bits of lanes for which that is near enough.
//
// Newton's step, if it stays between the bounds. Else, where the field has passed its value at the
// upper bound, the place at which the line through both bounds has it, and where it has turned
// there, the place at which the line through both cosines has turned.
static inline sni_f32xw next_way(const bounds *b, const outlook *now, sni_f32xw way,
                                 sni_f32xw longest, sni_f32xw *near) {
    const sni_f32xw zero = sni_f32xw_set1(0), flat = sni_f32xw_set1(0.05F);
    sni_f32xw from = sni_f32xw_choose(now->turns, way, b->low);
    outlook there = choose_outlook(now->turns, now, &b->at_low);
    sni_f32xw step = sni_f32xw_div_positive(there.left, there.steep);
    sni_f32xw newton = sni_f32xw_add(from, sni_f32xw_min(step, longest));
    sni_f32xw inside =
        sni_f32xw_both(sni_f32xw_less(b->low, newton), sni_f32xw_less(newton, b->high));
    sni_f32xw size = sni_f32xw_sub(b->high, b->low);
    sni_f32xw by_value =
        sni_f32xw_div_positive(b->at_low.left, sni_f32xw_sub(b->at_low.left, b->at_high.left));
    sni_f32xw by_turn =
        sni_f32xw_div_positive(b->at_low.turn, sni_f32xw_sub(b->at_low.turn, b->at_high.turn));
    sni_f32xw part = sni_lanes_within(sni_f32xw_choose(b->turned, by_value, by_turn), 0.1F, 0.9F);
    sni_f32xw known = sni_f32xw_either(b->crossed, b->turned);
    sni_f32xw other = sni_f32xw_choose(known, b->high, sni_f32xw_plus(b->low, part, size));
    sni_f32xw depth = sni_f32xw_min(b->at_low.turn, sni_f32xw_sub(zero, b->at_high.turn));
    *near = sni_f32xw_but_not(sni_f32xw_both(b->turned, sni_f32xw_less(depth, flat)), inside);
    *near = sni_f32xw_either(*near, sni_f32xw_less(size, sni_f32xw_set1(least_bounds)));
    return sni_f32xw_choose(inside, other, newton);
}

// How far lanes go, at most `most`, where the field is `here` at first. `active` has the sign bit
// set for those that go at all. Their share of the way is 0 where the line begins aslant to the
// gradient.
static inline sni_f32xw ways_in(solving *s, sni_field_lanes here, sni_f32xw most,
                                sni_f32xw active) {
    const sni_f32xw zero = sni_f32xw_set1(0), one = sni_f32xw_set1(1);
    const sni_f32xw arrived = sni_f32xw_set1((float)SNI_FLESH_ARRIVED * s->radius);
    const sni_f32xw longest = sni_f32xw_mul(sni_f32xw_set1(0.5F), most);
    s->goes_out = sni_f32xw_less(sni_f32xw_load(s->lanes->values), here.value);
    bounds b = {.low = zero, .high = most, .crossed = one, .turned = one};
    b.at_low = b.at_high = (outlook){zero, zero, zero, one};
    sni_f32xw way = zero, share = one, near;
    for (int k = 0; k < SNI_FLESH_LOOKS && sni_f32xw_signs(active) != 0; ++k) {
        if (k > 0) {
            here = felt_at(s, sni_f32xw_choose(s->goes_out, way, sni_f32xw_sub(zero, way)));
        }
        outlook now = look(s, here);
        if (k == 0) {
            share = share_of(now.turn);
        }
        sni_f32xw step = sni_f32xw_div_positive(now.left, now.steep);
        sni_f32xw arrives = sni_f32xw_but_not(active, now.turns);
        arrives = sni_f32xw_both(arrives, sni_f32xw_less(sni_lanes_abs(step), arrived));
        sni_f32xw last = sni_f32xw_max(sni_f32xw_min(sni_f32xw_add(way, step), b.high), b.low);
        way = sni_f32xw_choose(arrives, way, last);
        active = narrow(&b, &now, way, sni_f32xw_but_not(active, arrives));
        sni_f32xw next = next_way(&b, &now, way, longest, &near);
        way = sni_f32xw_choose(active, way, next);
        active = sni_f32xw_but_not(active, near);
    }
    way = sni_f32xw_mul(share, way);
    return sni_f32xw_choose(s->goes_out, way, sni_f32xw_sub(zero, way));
}

static inline sni_f32xw solve(solving *s) {
    sni_f32xw change;
    sni_field_lanes muscles = find_felt(s, &change);
    sni_f32xw active = sni_f32xw_less(sni_f32xw_set1(least_change), change);
    if (sni_f32xw_signs(active) == 0) {
        return sni_f32xw_set1(0);
    }
    sni_field_lanes limb = {sni_f32xw_load(s->lanes->limbs),
                            sni_f32xw3_load(s->lanes->limb_gradients)};
    sni_field_lanes here = sni_lanes_with_muscles(&s->frame->flesh->detail, limb, muscles);
    return ways_in(s, here, sni_f32xw_mul(sni_f32xw_set1((float)SNI_FLESH_FARTHEST), change),
                   active);
}

void sni_flesh_solve(sn_context *context, const sni_flesh_frame *frame, uint32_t begin,
                     uint32_t end, sni_flesh_felt *felt) {
    const sni_flesh *flesh = frame->flesh;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_flesh_lanes *lanes = &flesh->lanes[i];
        float ways[SNI_WIDTH] = {0};
        if (!frame->still[lanes->part]) {
            solving s = {.context = context,
                         .frame = frame,
                         .lanes = lanes,
                         .part = &flesh->body.parts[lanes->part],
                         .origin = flesh->origins[lanes->part],
                         .radius = (float)flesh->muscles.radii[lanes->part],
                         .felt = felt,
                         .from = sni_f32xw3_load(lanes->from),
                         .inwards = sni_f32xw3_load(lanes->inwards)};
            sni_f32xw_store(ways, solve(&s));
        }
        for (uint32_t k = 0; k < lanes->count; ++k) {
            frame->ways[lanes->rows[k]] = ways[k];
        }
    }
}
