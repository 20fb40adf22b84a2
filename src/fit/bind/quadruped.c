// SPDX-License-Identifier: Apache-2.0
//
// A skeleton for a body on four legs (docs/bind.md). It stands on y. Which of its four upright
// sides are flanks is told by how well it mirrors itself; its legs are branches that go up from the
// ground (legs.c); and the front is the end to which feet point, from which hocks point away, and
// that rises higher. Joints of legs lie in their middle: the hock where the back of the leg is
// farthest back, the others at parts of the height at which legs leave the trunk. Nose and tail are
// what is farthest from the chest at both ends, and sections of the body at equal ways from them
// tell where neck and tail lie and where the tail begins.
//
// Parts are the mean of two animals, of which one is drawn and one was measured (a fox, and the dog
// of dm_control with its bones). Where the head ends is 0.37 of the back's height from the nose:
// 0.37 and 0.35 in these two, about 0.4 in horses, cattle and cats.
#include "fit/bind/legs.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Parts of the height at which a leg leaves the trunk.
static const double elbow_part = 0.79, wrist_part = 0.22, knee_part = 0.84, hock_part = 0.42;
static const double ball_part = 0.07, tip_part = 0.03;

// Of the way from there to the back.
static const double shoulder_part = 0.36, hip_part = 0.44;

// Parts of the height of the back: the head's length, and where scapula and hips lie.
static const double head_part = 0.37, scapula_behind = 0.12, hip_before = 0.1;

// The spine's place between belly and back.
static const double spine_part = 0.65;

// The neck begins at this part of the way from nose to chest.
static const double neck_part = 0.78;

// Sections of the tail are smaller than this part of the trunk's, and a tail is at least this long,
// as a part of the height of the back.
static const double tail_section = 0.4, least_tail = 0.15;

// A segment of the tail is about this long, as a part of the same.
static const double tail_step = 0.2;

enum { FRONT_LEFT, FRONT_RIGHT, HIND_LEFT, HIND_RIGHT, FEET };
enum { TAIL_LEAST = 2, TAIL_MOST = 8 };

// A leg's joints: shoulder, elbow, wrist, knuckles and tip, or hip, knee, hock, ball and tip.
enum { LEG_JOINTS = 5 };

typedef struct beast {
    sni_figure body;
    sni_legs legs;
    sn_front front;
    uint32_t feet[FEET]; // numbers of the legs
    double middle;       // own x of the plane between both sides
    double floor, back;  // y
    sn_vec3 joints[FEET][LEG_JOINTS], scapulas[2];
    sn_vec3 hips, spine[3]; // spine 1, spine 2, chest
    sn_vec3 neck[2], head, nose;
    sn_vec3 tail[TAIL_MOST];
    uint32_t tail_count;
    double feet_vote, hock_vote, rise_vote; // positive: for the front as it is
} beast;

// ---------------------------------------------------------------------------------------------
// The body's own frame: x to its left, y up, z to its front

static sn_vec3 to_own(const beast *b, sn_vec3 p) {
    switch (b->front) {
    case SN_FRONT_MINUS_Z: return sn_vec3_make(-p.x, p.y, -p.z);
    case SN_FRONT_PLUS_X: return sn_vec3_make(-p.z, p.y, p.x);
    case SN_FRONT_MINUS_X: return sn_vec3_make(p.z, p.y, -p.x);
    default: return p;
    }
}

static sn_vec3 from_own(const beast *b, sn_vec3 p) {
    switch (b->front) {
    case SN_FRONT_MINUS_Z: return sn_vec3_make(-p.x, p.y, -p.z);
    case SN_FRONT_PLUS_X: return sn_vec3_make(p.z, p.y, -p.x);
    case SN_FRONT_MINUS_X: return sn_vec3_make(-p.z, p.y, p.x);
    default: return p;
    }
}

static sn_vec3 node_at(const beast *b, uint32_t node) {
    return to_own(b, b->body.volume.points[node]);
}

// A leg at some height over the floor, in the own frame.
static sni_leg_layer leg_at(const beast *b, uint32_t foot, double height) {
    sni_leg_layer layer = *sni_legs_at(&b->legs, b->feet[foot], b->floor + height);
    sn_vec3 a = to_own(b, layer.low), c = to_own(b, layer.high);
    layer.centre = to_own(b, layer.centre);
    layer.low = sn_vec3_min(a, c);
    layer.high = sn_vec3_max(a, c);
    return layer;
}

// The height over the floor at which a leg leaves the trunk.
static double top_of(const beast *b, uint32_t foot) {
    return sni_legs_height(&b->legs, b->legs.legs[b->feet[foot]].end) - b->floor;
}

// ---------------------------------------------------------------------------------------------
// Sides and legs

// The part of the nodes whose mirror image in the middle of the grid along an axis is inside, too.
static double mirrored_part(const sni_volume *v, int axis) {
    const uint32_t *counts = v->counts;
    double same = 0;
    for (uint32_t place = 0; place < v->place_count; ++place) {
        uint32_t at[3] = {place % counts[0], place / counts[0] % counts[1],
                          place / counts[0] / counts[1]};
        at[axis] = counts[axis] - 1 - at[axis];
        uint32_t other = at[0] + counts[0] * (at[1] + counts[1] * at[2]);
        same += v->nodes[place] != SN_NONE && v->nodes[other] != SN_NONE;
    }
    return same / v->inner_count;
}

static void find_axis(beast *b, sn_front front) {
    const sni_volume *v = &b->body.volume;
    b->front = front != SN_FRONT_GUESSED                    ? front
               : mirrored_part(v, 0) >= mirrored_part(v, 2) ? SN_FRONT_PLUS_Z
                                                            : SN_FRONT_PLUS_X;
    double sum = 0;
    for (uint32_t i = 0; i < v->inner_count; ++i) {
        sum += node_at(b, i).x;
    }
    b->middle = sum / v->inner_count;
    b->floor = b->body.low.y - 0.5 * v->spacing;
}

static sn_vec3 foot_of(const beast *b, uint32_t leg) {
    return to_own(b, sni_legs_at(&b->legs, leg, b->floor)->centre);
}

// The two legs of a side, the front one first. What hangs to the ground in the middle is a tail.
static uint32_t take_side(const beast *b, double side, double least, uint32_t feet[2]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->legs.count; ++i) {
        if (side * (foot_of(b, i).x - b->middle) > least) {
            if (count < 2) {
                feet[count] = i;
            }
            ++count;
        }
    }
    if (count == 2 && foot_of(b, feet[0]).z < foot_of(b, feet[1]).z) {
        uint32_t first = feet[0];
        feet[0] = feet[1];
        feet[1] = first;
    }
    return count;
}

static sn_status find_feet(beast *b, sn_error *error) {
    double widest = 0;
    uint32_t left[2] = {0}, right[2] = {0};
    for (uint32_t i = 0; i < b->legs.count; ++i) {
        widest = fmax(widest, fabs(foot_of(b, i).x - b->middle));
    }
    uint32_t left_count = take_side(b, 1, 0.25 * widest, left);
    uint32_t right_count = take_side(b, -1, 0.25 * widest, right);
    if (left_count != 2 || right_count != 2) {
        return sni_fail(error, SN_INVALID,
                        "%u and %u legs were found on the two sides, but a quadruped has two on "
                        "each: it should stand on y (--up), its legs apart",
                        left_count, right_count);
    }
    b->feet[FRONT_LEFT] = left[0];
    b->feet[HIND_LEFT] = left[1];
    b->feet[FRONT_RIGHT] = right[0];
    b->feet[HIND_RIGHT] = right[1];
    b->middle = 0.25 * (foot_of(b, left[0]).x + foot_of(b, left[1]).x + foot_of(b, right[0]).x +
                        foot_of(b, right[1]).x);
    return SN_OK;
}

static double feet_z(const beast *b, uint32_t foot) {
    return 0.5 * (foot_of(b, b->feet[foot]).z + foot_of(b, b->feet[foot + 1]).z);
}

// ---------------------------------------------------------------------------------------------
// Columns of the trunk in the middle

typedef struct column {
    double low, high; // y; low > high where there is none
} column;

static column column_at(const beast *b, double z) {
    double spacing = b->body.volume.spacing;
    column c = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < b->body.volume.inner_count; ++i) {
        sn_vec3 p = node_at(b, i);
        if (b->legs.owners[i] == 0 && fabs(p.z - z) < 0.6 * spacing &&
            fabs(p.x - b->middle) < 1.1 * spacing) {
            c.low = fmin(c.low, p.y);
            c.high = fmax(c.high, p.y);
        }
    }
    return c;
}

static int compare_numbers(const void *a, const void *b) {
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// The back's height: the median over the middle half of the trunk.
static sn_status find_back(beast *b, sn_error *error) {
    enum { PLACES = 9 };
    double tops[PLACES], front = feet_z(b, FRONT_LEFT), hind = feet_z(b, HIND_LEFT);
    for (int i = 0; i < PLACES; ++i) {
        tops[i] = column_at(b, hind + (0.25 + 0.5 * i / (PLACES - 1)) * (front - hind)).high;
    }
    qsort(tops, PLACES, sizeof *tops, compare_numbers);
    b->back = tops[PLACES / 2] - b->floor;
    for (uint32_t foot = 0; foot < FEET; ++foot) {
        if (!(b->back > top_of(b, foot))) {
            return sni_fail(error, SN_INVALID, "no trunk was found between the four legs");
        }
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// The front

// How far feet reach to the front beyond the legs above them, as a part of the back's height.
static double vote_of_feet(const beast *b) {
    double sum = 0;
    for (uint32_t foot = 0; foot < FEET; ++foot) {
        double top = top_of(b, foot), above = leg_at(b, foot, 0.25 * top).centre.z;
        sni_leg_layer sole = leg_at(b, foot, 0.05 * top);
        sum += 0.25 * (sole.high.z + sole.low.z - 2 * above) / b->back;
    }
    return sum;
}

// How far the hocks lie behind the line from foot to thigh, as a part of the legs' height.
static double vote_of_hocks(const beast *b) {
    double sum = 0;
    for (uint32_t foot = 0; foot < FEET; ++foot) {
        double top = top_of(b, foot), low = leg_at(b, foot, 0.1 * top).centre.z;
        double high = leg_at(b, foot, 0.9 * top).centre.z;
        double line = low + (hock_part - 0.1) / 0.8 * (high - low);
        sum += 0.5 * (line - leg_at(b, foot, hock_part * top).centre.z) / top;
    }
    return sum;
}

// How much higher the body rises before the front legs than behind the hind legs.
static double vote_of_ends(const beast *b) {
    double front = feet_z(b, FRONT_LEFT), hind = feet_z(b, HIND_LEFT), before = 0, behind = 0;
    for (uint32_t i = 0; i < b->body.volume.inner_count; ++i) {
        sn_vec3 p = node_at(b, i);
        before = p.z > front ? fmax(before, p.y - b->floor) : before;
        behind = p.z < hind ? fmax(behind, p.y - b->floor) : behind;
    }
    return (before - behind) / b->back;
}

static double vote_sum(const beast *b) {
    return 2 * b->feet_vote + 2 * b->hock_vote + 0.5 * b->rise_vote;
}

static void turn_around(beast *b) {
    static const sn_front others[] = {SN_FRONT_GUESSED, SN_FRONT_MINUS_Z, SN_FRONT_PLUS_Z,
                                      SN_FRONT_MINUS_X, SN_FRONT_PLUS_X};
    uint32_t left = b->feet[FRONT_LEFT], right = b->feet[FRONT_RIGHT];
    b->front = others[b->front];
    b->middle = -b->middle;
    b->feet[FRONT_LEFT] = b->feet[HIND_RIGHT];
    b->feet[FRONT_RIGHT] = b->feet[HIND_LEFT];
    b->feet[HIND_LEFT] = right;
    b->feet[HIND_RIGHT] = left;
    b->feet_vote = -b->feet_vote;
    b->hock_vote = -b->hock_vote;
    b->rise_vote = -b->rise_vote;
}

static void find_front(beast *b, sn_front front) {
    b->feet_vote = vote_of_feet(b);
    b->hock_vote = vote_of_hocks(b);
    b->rise_vote = vote_of_ends(b);
    if (front == SN_FRONT_GUESSED && vote_sum(b) < 0) {
        turn_around(b);
    }
}

// ---------------------------------------------------------------------------------------------
// Legs

static sn_vec3 leg_centre(const beast *b, uint32_t foot, double height) {
    sn_vec3 centre = leg_at(b, foot, height).centre;
    return sn_vec3_make(centre.x, b->floor + height, centre.z);
}

// The knuckles, in the middle of the foot, and the tip of the longest toe.
static void place_paw(beast *b, uint32_t foot) {
    double top = top_of(b, foot);
    sni_leg_layer sole = leg_at(b, foot, tip_part * top);
    b->joints[foot][3] = leg_centre(b, foot, ball_part * top);
    b->joints[foot][4] = sn_vec3_make(sole.centre.x, b->floor + tip_part * top,
                                      sole.high.z - 0.2 * (sole.high.z - sole.low.z));
}

// A joint above a leg, towards the middle.
static sn_vec3 above_leg(const beast *b, uint32_t foot, double part, double z) {
    double top = top_of(b, foot), x = leg_at(b, foot, top).centre.x - b->middle;
    return sn_vec3_make(b->middle + 0.9 * x, b->floor + top + part * (b->back - top), z);
}

static void place_front_leg(beast *b, uint32_t foot) {
    double top = top_of(b, foot);
    sn_vec3 *joints = b->joints[foot];
    joints[1] = leg_centre(b, foot, elbow_part * top);
    joints[2] = leg_centre(b, foot, wrist_part * top);
    // The shoulder lies before the elbow, by 0.2 and 0.16 of the height in the animals above.
    joints[0] = above_leg(b, foot, shoulder_part, joints[1].z + 0.18 * top);
    place_paw(b, foot);
}

// The heel is the highest place at which the back of the leg is farthest back; the joint lies
// somewhat lower. A leg that is straight behind has it where others have.
static double hock_height(const beast *b, uint32_t foot) {
    double top = top_of(b, foot), spacing = b->body.volume.spacing;
    double least = INFINITY, most = -INFINITY, heel = 0;
    for (double y = 0.2 * top; y < 0.65 * top; y += spacing) {
        double z = leg_at(b, foot, y).low.z;
        if (z <= least + 0.5 * spacing) {
            heel = y;
        }
        least = fmin(least, z);
        most = fmax(most, z);
    }
    bool straight = most - least < fmax(0.04 * top, 1.5 * spacing);
    return straight ? hock_part * top : heel - 0.06 * top;
}

static void place_hind_leg(beast *b, uint32_t foot) {
    double top = top_of(b, foot);
    sn_vec3 *joints = b->joints[foot];
    sni_leg_layer knee = leg_at(b, foot, knee_part * top);
    joints[1] = sn_vec3_make(knee.centre.x, b->floor + knee_part * top,
                             knee.high.z - 0.25 * (knee.high.z - knee.low.z));
    joints[2] = leg_centre(b, foot, hock_height(b, foot));
    joints[0] = above_leg(b, foot, hip_part, leg_at(b, foot, top).low.z + hip_before * b->back);
    place_paw(b, foot);
}

// ---------------------------------------------------------------------------------------------
// Trunk

static sn_vec3 spine_at(const beast *b, double z, double part) {
    column c = column_at(b, z);
    double low = c.low <= c.high ? c.low : b->floor + top_of(b, FRONT_LEFT);
    double high = c.low <= c.high ? fmin(c.high, b->floor + 1.1 * b->back) : b->floor + b->back;
    return sn_vec3_make(b->middle, low + part * (high - low), z);
}

static void place_trunk(beast *b) {
    double hip = 0.5 * (b->joints[HIND_LEFT][0].z + b->joints[HIND_RIGHT][0].z);
    double shoulder = 0.5 * (b->joints[FRONT_LEFT][0].z + b->joints[FRONT_RIGHT][0].z);
    static const double parts[3] = {0.3, 0.55, 0.8};
    b->hips = spine_at(b, hip, 0.55);
    for (int i = 0; i < 3; ++i) {
        b->spine[i] = spine_at(b, hip + parts[i] * (shoulder - hip), spine_part);
    }
    for (int side = 0; side < 2; ++side) {
        sn_vec3 joint = b->joints[FRONT_LEFT + side][0];
        sn_vec3 high = spine_at(b, joint.z - scapula_behind * b->back, 0.85);
        high.x += 0.35 * (joint.x - b->middle);
        b->scapulas[side] = high;
    }
}

// ---------------------------------------------------------------------------------------------
// Neck and tail

// The node of the trunk nearest to a point of the world.
static uint32_t nearest_node(const beast *b, sn_vec3 point) {
    const sni_volume *v = &b->body.volume;
    uint32_t nearest = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < v->inner_count; ++i) {
        double distance = sn_vec3_distance(v->points[i], point);
        if (b->legs.owners[i] == 0 && distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

// Whether a node lies before the front legs, or behind the hind legs. Ears may be farther from the
// chest than the nose, but not in the middle.
static bool is_in_end(const beast *b, uint32_t node, bool front) {
    sn_vec3 p = node_at(b, node);
    if (b->legs.owners[node] != 0) {
        return false;
    }
    return front ? p.z > feet_z(b, FRONT_LEFT) && fabs(p.x - b->middle) < 0.15 * b->back
                 : p.z < feet_z(b, HIND_LEFT);
}

typedef struct end_tip {
    sn_vec3 place; // in the world
    double way;    // from there to the chest
    double beyond; // how much farther from the chest the farthest node is
} end_tip;

// What is farthest from the chest at an end of the body: the middle of all that is within two nodes
// of the farthest, so that a blunt nose is met in its middle.
static sn_status find_tip(const beast *b, const sni_routes *ways, bool front, end_tip *tip,
                          sn_error *error) {
    const sni_volume *v = &b->body.volume;
    double count = 0, most = 0;
    sn_vec3 sum = {0};
    for (uint32_t i = 0; i < v->inner_count; ++i) {
        if (ways->distances[i] < INFINITY && ways->distances[i] > most && is_in_end(b, i, front)) {
            most = ways->distances[i];
        }
    }
    for (uint32_t i = 0; i < v->inner_count; ++i) {
        if (ways->distances[i] < INFINITY && ways->distances[i] > most - 2 * v->spacing &&
            is_in_end(b, i, front)) {
            sum = sn_vec3_add(sum, v->points[i]);
            count += 1;
        }
    }
    if (count == 0) {
        return sni_fail(error, SN_INVALID, "nothing of the body lies %s its %s legs",
                        front ? "before" : "behind", front ? "front" : "hind");
    }
    uint32_t node = nearest_node(b, sn_vec3_scale(sum, 1 / count));
    *tip = (end_tip){v->points[node], ways->distances[node], most - ways->distances[node]};
    return SN_OK;
}

// The middle of a section, or the node nearest to it where that is outside: in an open mouth,
// inside the bend of a tail.
static sn_vec3 own_centre(const beast *b, const sni_sections *sections, double way) {
    const sni_volume *v = &b->body.volume;
    sn_vec3 centre = sni_sections_centre(sections, way);
    sn_vec3 nearest = v->points[nearest_node(b, centre)];
    return to_own(b, sn_vec3_distance(nearest, centre) > v->spacing ? nearest : centre);
}

static sn_status place_neck(beast *b, const sni_routes *ways, sn_error *error) {
    sn_status status = SN_OK;
    sni_sections *sections = NULL;
    end_tip tip = {.way = 0};
    SNI_NEW_ZERO(b->body.context, sections, 1);
    SN_TRY(find_tip(b, ways, true, &tip, error));
    SN_TRY(sni_sections_measure(&b->body, tip.place, b->legs.owners, sections, error));
    double way = tip.way + tip.beyond, head = fmin(head_part * b->back, 0.55 * way) - tip.beyond;
    double neck = neck_part * way - tip.beyond;
    b->nose = own_centre(b, sections, 0.2 * head);
    b->head = own_centre(b, sections, head);
    b->neck[1] = own_centre(b, sections, 0.5 * (head + neck));
    b->neck[0] = own_centre(b, sections, neck);
cleanup:
    sni_free(b->body.context, sections);
    return status;
}

// The way from the tip of the tail to where it leaves the trunk, going back from the trunk to the
// first section that is much smaller; 0: there is no tail.
static double tail_length(const beast *b, const sni_sections *s, double way) {
    double trunk = feet_z(b, FRONT_LEFT) - feet_z(b, HIND_LEFT), sorted[SNI_SECTIONS];
    uint32_t end = (uint32_t)fmin(way / s->spacing, SNI_SECTIONS - 1);
    uint32_t first = (uint32_t)fmax((way - 0.8 * trunk) / s->spacing, 0);
    if (first >= end) {
        return 0;
    }
    memcpy(sorted, s->counts + first, (end - first) * sizeof *sorted);
    qsort(sorted, end - first, sizeof *sorted, compare_numbers);
    double usual = sorted[(end - first) / 2];
    uint32_t section = first;
    while (section > 0 && s->counts[section] >= tail_section * usual) {
        --section;
    }
    double length = (section + 1) * s->spacing, h = b->body.volume.spacing, nodes = 0;
    for (uint32_t i = 0; i <= section; ++i) {
        nodes += s->counts[i];
    }
    // The corner of a rump, too, has small sections, but is about as wide as long.
    double width = sqrt(nodes * h * h * h / length);
    return length > fmax(least_tail * b->back, 2.5 * width) ? length : 0;
}

static sn_status place_tail(beast *b, const sni_routes *ways, sn_error *error) {
    sn_status status = SN_OK;
    sni_sections *sections = NULL;
    end_tip tip = {.way = 0};
    SNI_NEW_ZERO(b->body.context, sections, 1);
    SN_TRY(find_tip(b, ways, false, &tip, error));
    SN_TRY(sni_sections_measure(&b->body, tip.place, b->legs.owners, sections, error));
    double length = tail_length(b, sections, tip.way);
    double count = fmin(fmax(round(length / (tail_step * b->back)), TAIL_LEAST), TAIL_MOST);
    b->tail_count = length > 0 ? (uint32_t)count : 0;
    // The last segment goes on for half the length of the one before it.
    for (uint32_t i = 0; i < b->tail_count; ++i) {
        double left = length * (1 - i / (b->tail_count - 0.5));
        b->tail[i] = own_centre(b, sections, left);
    }
cleanup:
    sni_free(b->body.context, sections);
    return status;
}

static sn_status place_ends(beast *b, sn_error *error) {
    sn_status status = SN_OK;
    sni_routes ways = {0};
    sn_vec3 chest = spine_at(b, feet_z(b, FRONT_LEFT), 0.25);
    SN_TRY(sni_figure_ways(&b->body, from_own(b, chest), &ways, error));
    SN_TRY(place_neck(b, &ways, error));
    SN_TRY(place_tail(b, &ways, error));
cleanup:
    sni_routes_deinit(&ways);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The skeleton

enum { JOINTS_MOST = 8 + TAIL_MOST + 2 * (2 * LEG_JOINTS + 1) };

typedef struct joint_list {
    const beast *beast;
    uint32_t count;
    sni_fitted_joint joints[JOINTS_MOST];
} joint_list;

static uint32_t add(joint_list *list, const char *name, const char *side, uint32_t parent,
                    sn_vec3 place) {
    sni_fitted_joint *joint = &list->joints[list->count];
    joint->parent = parent;
    joint->place = from_own(list->beast, place);
    snprintf(joint->name, sizeof joint->name, "%s%s", name, side);
    return list->count++;
}

static void add_leg(joint_list *list, uint32_t foot, uint32_t parent) {
    static const char *const names[2][LEG_JOINTS] = {
        {"upper arm", "forearm", "hand", "fingers 1", "fingers 2"},
        {"thigh", "shin", "foot", "toes 1", "toes 2"},
    };
    for (int i = 0; i < LEG_JOINTS; ++i) {
        parent = add(list, names[foot / 2][i], foot % 2 == 0 ? ".L" : ".R", parent,
                     list->beast->joints[foot][i]);
    }
}

static void list_joints(joint_list *list) {
    const beast *b = list->beast;
    uint32_t hips = add(list, "hips", "", SN_NONE, b->hips);
    uint32_t spine = add(list, "spine 1", "", hips, b->spine[0]);
    spine = add(list, "spine 2", "", spine, b->spine[1]);
    uint32_t chest = add(list, "chest", "", spine, b->spine[2]);
    uint32_t neck = add(list, "neck 1", "", chest, b->neck[0]);
    neck = add(list, "neck 2", "", neck, b->neck[1]);
    add(list, "nose", "", add(list, "head", "", neck, b->head), b->nose);
    for (uint32_t side = 0; side < 2; ++side) {
        uint32_t scapula = add(list, "scapula", side == 0 ? ".L" : ".R", chest, b->scapulas[side]);
        add_leg(list, FRONT_LEFT + side, scapula);
        add_leg(list, HIND_LEFT + side, hips);
    }
    for (uint32_t i = 0, parent = hips; i < b->tail_count; ++i) {
        char name[SNI_FITTED_NAME];
        snprintf(name, sizeof name, "tail %u", i + 1);
        parent = add(list, name, "", parent, b->tail[i]);
    }
}

// "where feet point, which end is higher".
static void list_signs(const beast *b, char *text, size_t size) {
    static const char *const signs[] = {"where feet point", "where hocks bend",
                                        "which end is higher"};
    const double votes[] = {b->feet_vote, b->hock_vote, b->rise_vote};
    text[0] = 0;
    for (int i = 0; i < 3; ++i) {
        size_t length = strlen(text);
        if (votes[i] > 0) {
            snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "", signs[i]);
        }
    }
}

static void write_notes(const beast *b, bool guessed, char *notes, size_t size) {
    // The two animals above have 0.6 and 0.8.
    static const double unsure = 0.15;
    char tail[64], signs[96], front[128] = "";
    snprintf(tail, sizeof tail, b->tail_count > 0 ? "a tail of %u segments" : "no tail was found",
             b->tail_count);
    list_signs(b, signs, sizeof signs);
    if (guessed) {
        snprintf(front, sizeof front, "front guessed from %s%s; ", signs,
                 vote_sum(b) < unsure ? ", which is not sure" : "");
    }
    snprintf(notes, size, "%s%s; jaw and ears have no segments", front, tail);
}

static sn_status make(const beast *b, bool guessed, sn_fitted_skeleton **fitted, sn_error *error) {
    joint_list list = {.beast = b};
    list_joints(&list);
    sn_status status = sni_fitted_create(b->body.context, list.count, list.joints, fitted, error);
    if (status == SN_OK) {
        (*fitted)->height = b->body.high.y - b->body.low.y;
        (*fitted)->front = b->front;
        (*fitted)->front_guessed = guessed;
        write_notes(b, guessed, (*fitted)->notes, sizeof(*fitted)->notes);
    }
    return status;
}

sn_status sni_fit_quadruped(sn_context *context, const sn_fit_skeleton_desc *desc,
                            uint32_t mesh_count, sn_mesh *const *meshes,
                            const sn_progress *progress, sn_fitted_skeleton **fitted,
                            sn_error *error) {
    sn_status status = SN_OK;
    beast b = {.front = desc->front};
    SN_TRY(sni_figure_init(context, mesh_count, meshes, progress, &b.body, error));
    SN_TRY(sni_legs_init(&b.body, &b.legs, error));
    find_axis(&b, desc->front);
    SN_TRY(find_feet(&b, error));
    SN_TRY(find_back(&b, error));
    find_front(&b, desc->front);
    for (uint32_t side = 0; side < 2; ++side) {
        place_front_leg(&b, FRONT_LEFT + side);
        place_hind_leg(&b, HIND_LEFT + side);
    }
    place_trunk(&b);
    SN_TRY(place_ends(&b, error));
    SN_TRY(make(&b, desc->front == SN_FRONT_GUESSED, fitted, error));
cleanup:
    sni_legs_deinit(&b.legs);
    sni_figure_deinit(&b.body);
    return status;
}
