// SPDX-License-Identifier: Apache-2.0
//
// Biovision BVH motion: a hierarchy of joints with offsets, and frames of channel values (Meredith
// and Maddock, "Motion Capture File Formats Explained", 2001).
//
// Rotation channels are applied in their order: "Zrotation Yrotation Xrotation" is Rz * Ry * Rx.
// Position channels of a root are its translation. Those of other joints come in two kinds: most
// programs write the joint's whole translation, in place of its OFFSET; MakeHuman writes the
// movement away from it. The file tells which: see are_positions_relative. End Sites end a branch
// and are not kept. BVH has no unit: lengths stay as they are.
#include "base/context.h"
#include "io/import.h"
#include "io/text.h"
#include "motion/skeleton.h"

#include <math.h>
#include <string.h>

enum { POSITION_X, POSITION_Y, POSITION_Z, ROTATION_X, ROTATION_Y, ROTATION_Z, CHANNEL_KIND_COUNT };

static const char *const channel_names[] = {"Xposition", "Yposition", "Zposition",
                                            "Xrotation", "Yrotation", "Zrotation"};

typedef struct bvh_joint {
    char *name;
    uint32_t parent;
    double offset[3];
    uint32_t first_channel; // in a frame
    uint32_t channel_count;
    uint8_t channels[CHANNEL_KIND_COUNT]; // kinds, in order
    bool has_offset, has_channels;
} bvh_joint;

typedef struct bvh_reader {
    sn_context *context;
    const char *path;
    sni_text text;
    uint32_t joint_count, joint_capacity;
    bvh_joint *joints;
    uint32_t channel_count; // per frame
    uint32_t frame_count;
    double frame_time;
    double *frames; // frame_count x channel_count
} bvh_reader;

// The next word, over line breaks.
static sni_word next_word(bvh_reader *bvh) {
    sni_text_skip_space(&bvh->text);
    return sni_text_word(&bvh->text);
}

static sn_status expect(bvh_reader *bvh, const char *expected, sn_error *error) {
    sni_text_skip_space(&bvh->text);
    sni_text before = bvh->text;
    if (!sni_word_is(sni_text_word(&bvh->text), expected)) {
        return sni_text_fail(&before, error, SN_SYNTAX, "expected %s, found %s", expected,
                             sni_text_found(&before).text);
    }
    return SN_OK;
}

static sn_status read_double(bvh_reader *bvh, const char *what, double *number, sn_error *error) {
    sni_text_skip_space(&bvh->text);
    return sni_text_double(&bvh->text, what, number, error);
}

static sn_status read_offset(bvh_reader *bvh, double offset[3], sn_error *error) {
    sn_status status = SN_OK;
    for (int i = 0; i < 3 && status == SN_OK; ++i) {
        status = read_double(bvh, "a number of OFFSET", &offset[i], error);
    }
    return status;
}

static int find_channel(sni_word word) {
    for (int i = 0; i < CHANNEL_KIND_COUNT; ++i) {
        if (sni_word_is(word, channel_names[i])) {
            return i;
        }
    }
    return -1;
}

static sn_status read_channels(bvh_reader *bvh, bvh_joint *joint, sn_error *error) {
    uint32_t count;
    sn_status status = sni_text_uint(&bvh->text, "the number of channels", &count, error);
    if (status != SN_OK) {
        return status;
    }
    if (joint->has_channels) {
        return sni_text_fail(&bvh->text, error, SN_INVALID, "joint \"%s\" has CHANNELS twice",
                             joint->name);
    }
    if (count > CHANNEL_KIND_COUNT) {
        return sni_text_fail(&bvh->text, error, SN_INVALID,
                             "joint \"%s\" has %u channels, but there are only six kinds",
                             joint->name, count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        sni_word word = next_word(bvh);
        int channel = find_channel(word);
        if (channel < 0) {
            return sni_text_fail(&bvh->text, error, SN_INVALID,
                                 "joint \"%s\" has the unknown channel %s", joint->name,
                                 sni_word_found(word).text);
        }
        if (memchr(joint->channels, channel, i) != NULL) {
            return sni_text_fail(&bvh->text, error, SN_INVALID, "joint \"%s\" has %s twice",
                                 joint->name, channel_names[channel]);
        }
        joint->channels[i] = (uint8_t)channel;
    }
    joint->has_channels = true;
    joint->channel_count = count;
    joint->first_channel = bvh->channel_count;
    bvh->channel_count += count;
    return SN_OK;
}

// A name reaches to the end of the line or to the brace, and may hold blanks.
static sni_word read_name(bvh_reader *bvh) {
    sni_text_skip_blanks(&bvh->text);
    const char *start = bvh->text.at;
    const char *last = start;
    while (!sni_text_line_ended(&bvh->text) && *bvh->text.at != '{') {
        last = ++bvh->text.at;
    }
    return (sni_word){start, (size_t)(last - start)};
}

static sn_status begin_joint(bvh_reader *bvh, uint32_t parent, sn_error *error) {
    sni_word name = read_name(bvh);
    if (name.length == 0) {
        return sni_text_fail(&bvh->text, error, SN_SYNTAX, "a joint has no name");
    }
    // Six channels each: their number must fit, too.
    if (bvh->joint_count == UINT32_MAX / CHANNEL_KIND_COUNT) {
        return sni_text_fail(&bvh->text, error, SN_LIMIT, "more than %u joints", bvh->joint_count);
    }
    if (!sni_grow(bvh->context, &bvh->joints, &bvh->joint_capacity, bvh->joint_count + 1,
                  sizeof *bvh->joints)) {
        return sni_fail_memory(error);
    }
    bvh_joint joint = {.parent = parent, .name = sni_word_copy(bvh->context, name)};
    if (joint.name == NULL) {
        return sni_fail_memory(error);
    }
    bvh->joints[bvh->joint_count++] = joint;
    return expect(bvh, "{", error);
}

static sn_status read_end_site(bvh_reader *bvh, sn_error *error) {
    sn_status status = SN_OK;
    double offset[3];
    SN_TRY(expect(bvh, "Site", error));
    SN_TRY(expect(bvh, "{", error));
    SN_TRY(expect(bvh, "OFFSET", error));
    SN_TRY(read_offset(bvh, offset, error));
    SN_TRY(expect(bvh, "}", error));
cleanup:
    return status;
}

// One statement of a joint's block; `current` moves down and up the tree.
static sn_status read_joint_statement(bvh_reader *bvh, uint32_t *current, sn_error *error) {
    sni_text_skip_space(&bvh->text);
    sni_text before = bvh->text;
    sni_word word = sni_text_word(&bvh->text);
    bvh_joint *joint = &bvh->joints[*current];
    if (sni_word_is(word, "OFFSET")) {
        joint->has_offset = true;
        return read_offset(bvh, joint->offset, error);
    }
    if (sni_word_is(word, "CHANNELS")) {
        return read_channels(bvh, joint, error);
    }
    if (sni_word_is(word, "JOINT")) {
        sn_status status = begin_joint(bvh, *current, error);
        *current = bvh->joint_count - 1;
        return status;
    }
    if (sni_word_is(word, "End")) {
        return read_end_site(bvh, error);
    }
    if (!sni_word_is(word, "}")) {
        return sni_text_fail(&before, error, SN_SYNTAX,
                             "expected OFFSET, CHANNELS, JOINT, End Site or } in joint \"%s\", "
                             "found %s",
                             joint->name, sni_text_found(&before).text);
    }
    if (!joint->has_offset) {
        return sni_text_fail(&before, error, SN_INVALID, "joint \"%s\" has no OFFSET", joint->name);
    }
    *current = joint->parent;
    return SN_OK;
}

static sn_status read_hierarchy(bvh_reader *bvh, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(expect(bvh, "HIERARCHY", error));
    for (;;) {
        sni_text_skip_space(&bvh->text);
        sni_text before = bvh->text;
        sni_word word = sni_text_word(&bvh->text);
        if (sni_word_is(word, "MOTION") && bvh->joint_count > 0) {
            return SN_OK;
        }
        if (!sni_word_is(word, "ROOT")) {
            return sni_text_fail(&before, error, SN_SYNTAX, "expected %s, found %s",
                                 bvh->joint_count > 0 ? "ROOT or MOTION" : "ROOT",
                                 sni_text_found(&before).text);
        }
        uint32_t current = bvh->joint_count;
        SN_TRY(begin_joint(bvh, SN_NONE, error));
        while (current != SN_NONE) {
            SN_TRY(read_joint_statement(bvh, &current, error));
        }
    }
cleanup:
    return status;
}

// "Frames: 12" and "Frame Time: 0.033".
static sn_status read_motion_header(bvh_reader *bvh, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(expect(bvh, "Frames:", error));
    sni_text_skip_space(&bvh->text);
    SN_TRY(sni_text_uint(&bvh->text, "the number of frames", &bvh->frame_count, error));
    SN_TRY(expect(bvh, "Frame", error));
    SN_TRY(expect(bvh, "Time:", error));
    SN_TRY(read_double(bvh, "the frame time", &bvh->frame_time, error));
    if (!(bvh->frame_time > 0) || !isfinite(1 / bvh->frame_time)) {
        return sni_text_fail(&bvh->text, error, SN_INVALID, "the frame time is %g seconds",
                             bvh->frame_time);
    }
cleanup:
    return status;
}

// What follows the last frame. Further lines are frames that the header does not count. Numbers on
// the last frame's own line mean that a line before has one too many: all frames from there on are
// out of step. `joined` is the line of the first frame that begins behind another one.
static sn_status end_frames(bvh_reader *bvh, uint32_t joined, sn_error *error) {
    uint32_t last = bvh->text.line;
    sni_text_skip_space(&bvh->text);
    if (bvh->text.at == bvh->text.end) {
        return SN_OK;
    }
    if (bvh->text.line == last) {
        bvh->text.line = joined != 0 ? joined : last;
        return sni_text_fail(&bvh->text, error, SN_INVALID,
                             "this line has more than the %u numbers of a frame",
                             bvh->channel_count);
    }
    sni_log(bvh->context, SN_LOG_WARNING, "io", "%s:%u: ignored what follows frame %u", bvh->path,
            bvh->text.line, bvh->frame_count);
    return SN_OK;
}

static sn_status read_frames(bvh_reader *bvh, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t joined = 0;
    size_t count;
    // A number takes a digit and a blank: what the file has no room for needs no memory.
    size_t room = ((size_t)(bvh->text.end - bvh->text.at) + 1) / 2;
    if (!sni_size_multiply(bvh->frame_count, bvh->channel_count, &count) || count > room) {
        return sni_text_fail(&bvh->text, error, SN_INVALID,
                             "%u frames of %u channels do not fit into the rest of the file",
                             bvh->frame_count, bvh->channel_count);
    }
    SNI_NEW(bvh->context, bvh->frames, count);
    for (size_t i = 0; i < count; ++i) {
        uint32_t before = bvh->text.line;
        sni_text_skip_space(&bvh->text);
        if (i > 0 && i % bvh->channel_count == 0 && bvh->text.line == before && joined == 0) {
            joined = before;
        }
        if (bvh->text.at == bvh->text.end) {
            return sni_text_fail(&bvh->text, error, SN_SYNTAX,
                                 "the file ends in frame %zu of %u, after %zu of %u numbers",
                                 i / bvh->channel_count + 1, bvh->frame_count,
                                 i % bvh->channel_count, bvh->channel_count);
        }
        SN_TRY(sni_text_double(&bvh->text, "a channel value", &bvh->frames[i], error));
    }
    SN_TRY(end_frames(bvh, joined, error));
cleanup:
    return status;
}

static bool has_positions(const bvh_joint *joint) {
    for (uint32_t i = 0; i < joint->channel_count; ++i) {
        if (joint->channels[i] <= POSITION_Z) {
            return true;
        }
    }
    return false;
}

static bool has_rotations(const bvh_joint *joint) {
    for (uint32_t i = 0; i < joint->channel_count; ++i) {
        if (joint->channels[i] >= ROTATION_X) {
            return true;
        }
    }
    return false;
}

// Whether position channels below the roots hold movements away from OFFSET, as opposed to whole
// translations: bones hardly change their length, so the values of the first frame are nearer to
// zero in the one case and nearer to the offsets in the other.
static bool are_positions_relative(const bvh_reader *bvh) {
    double to_zero = 0, to_offset = 0;
    for (uint32_t j = 0; j < bvh->joint_count && bvh->frame_count > 0; ++j) {
        const bvh_joint *joint = &bvh->joints[j];
        for (uint32_t i = 0; i < joint->channel_count && joint->parent != SN_NONE; ++i) {
            if (joint->channels[i] <= POSITION_Z) {
                double value = bvh->frames[joint->first_channel + i];
                to_zero += fabs(value);
                to_offset += fabs(value - joint->offset[joint->channels[i]]);
            }
        }
    }
    return to_zero < to_offset;
}

static void fill_translations(const bvh_reader *bvh, const bvh_joint *joint, bool relative,
                              sn_track *track) {
    const double zero[3] = {0};
    const double *base = relative && joint->parent != SN_NONE ? joint->offset : zero;
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        const double *frame = bvh->frames + (size_t)f * bvh->channel_count + joint->first_channel;
        double *value = track->values + 3 * (size_t)f;
        memcpy(value, joint->offset, sizeof joint->offset);
        for (uint32_t i = 0; i < joint->channel_count; ++i) {
            uint8_t kind = joint->channels[i];
            if (kind <= POSITION_Z) {
                value[kind] = base[kind] + frame[i];
            }
        }
    }
}

static sn_quat rotation_of_frame(const bvh_joint *joint, const double *frame) {
    static const sn_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_quat rotation = sn_quat_identity();
    for (uint32_t i = 0; i < joint->channel_count; ++i) {
        if (joint->channels[i] >= ROTATION_X) {
            sn_quat turn = sn_quat_from_axis_angle(axes[joint->channels[i] - ROTATION_X],
                                                   frame[i] * (SN_PI / 180));
            rotation = sn_quat_multiply(rotation, turn);
        }
    }
    return rotation;
}

// q and -q are one rotation; neighbours keep to one half of the sphere.
static void fill_rotations(const bvh_reader *bvh, const bvh_joint *joint, sn_track *track) {
    sn_quat before = sn_quat_identity();
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        const double *frame = bvh->frames + (size_t)f * bvh->channel_count + joint->first_channel;
        sn_quat q = rotation_of_frame(joint, frame);
        q = sn_quat_dot(q, before) < 0 ? sn_quat_scale(q, -1) : q;
        memcpy(track->values + 4 * (size_t)f, (double[]){q.x, q.y, q.z, q.w}, 4 * sizeof(double));
        before = q;
    }
}

static sn_status add_track(const bvh_reader *bvh, sn_clip *clip, sn_track_kind kind,
                           const char *name, sn_track **track, sn_error *error) {
    sn_status status = sn_clip_add_track(clip, kind, name, SN_INTERPOLATION_LINEAR,
                                         bvh->frame_count, track, error);
    for (uint32_t f = 0; f < bvh->frame_count && status == SN_OK; ++f) {
        (*track)->times[f] = f / clip->rate;
    }
    return status;
}

static sn_status make_clip(const bvh_reader *bvh, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    sn_clip *clip = NULL;
    bool relative = are_positions_relative(bvh);
    char *name = sni_name_of_file(bvh->context, bvh->path);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(sn_clip_create(bvh->context, name, 1 / bvh->frame_time, bvh->frame_count, &clip, error));
    SN_TRY(sni_skeleton_copy(bvh->context, &import->skeleton, &clip->skeleton, error));
    for (uint32_t j = 0; j < bvh->joint_count; ++j) {
        const bvh_joint *joint = &bvh->joints[j];
        sn_track *track;
        if (has_positions(joint)) {
            SN_TRY(add_track(bvh, clip, SN_TRACK_TRANSLATION, joint->name, &track, error));
            fill_translations(bvh, joint, relative, track);
        }
        if (has_rotations(joint)) {
            SN_TRY(add_track(bvh, clip, SN_TRACK_ROTATION, joint->name, &track, error));
            fill_rotations(bvh, joint, track);
        }
    }
    if (relative) {
        sni_log(bvh->context, SN_LOG_INFO, "io",
                "%s: position channels are read as movements away from OFFSET", bvh->path);
    }
    status = sni_import_add_clip(import, clip, error);
    clip = NULL;
cleanup:
    sni_free(bvh->context, name);
    sn_clip_destroy(clip);
    return status;
}

// The rotation order of the channels; axes without a channel come last.
static sn_rotation_order find_order(const bvh_joint *joint) {
    static const sn_rotation_order orders[3][3] = {
        {SN_ROTATION_XYZ, SN_ROTATION_XYZ, SN_ROTATION_XZY},
        {SN_ROTATION_YXZ, SN_ROTATION_YXZ, SN_ROTATION_YZX},
        {SN_ROTATION_ZXY, SN_ROTATION_ZYX, SN_ROTATION_ZXY},
    };
    int axes[2] = {-1, -1};
    int found = 0;
    for (uint32_t i = 0; i < joint->channel_count && found < 2; ++i) {
        if (joint->channels[i] >= ROTATION_X) {
            axes[found++] = joint->channels[i] - ROTATION_X;
        }
    }
    int first = found > 0 ? axes[0] : 0;
    int second = found > 1 ? axes[1] : (first == 0 ? 1 : 0);
    return orders[first][second];
}

static sn_status make_skeleton(const bvh_reader *bvh, sn_import *import, sn_error *error) {
    sn_status status = sni_skeleton_init(bvh->context, bvh->joint_count, &import->skeleton, error);
    for (uint32_t j = 0; j < bvh->joint_count && status == SN_OK; ++j) {
        const bvh_joint *joint = &bvh->joints[j];
        sn_segment *segment = &import->skeleton.segments[j];
        segment->parent = joint->parent;
        segment->order = find_order(joint);
        segment->rest.translation =
            sn_vec3_make(joint->offset[0], joint->offset[1], joint->offset[2]);
        segment->name = sni_string_copy(bvh->context, joint->name);
        if (segment->name == NULL) {
            status = sni_fail_memory(error);
        }
    }
    return status == SN_OK ? sni_skeleton_sort(bvh->context, &import->skeleton, error) : status;
}

static sn_status make_names_unique(bvh_reader *bvh, sn_error *error) {
    sn_status status = SN_OK;
    char ***slots = NULL;
    uint32_t changed;
    SNI_NEW(bvh->context, slots, bvh->joint_count);
    for (uint32_t j = 0; j < bvh->joint_count; ++j) {
        slots[j] = &bvh->joints[j].name;
    }
    SN_TRY(sni_make_names_unique(bvh->context, slots, bvh->joint_count, "joint", &changed, error));
    if (changed > 0) {
        sni_log(bvh->context, SN_LOG_WARNING, "io",
                "%s: %u joints without a name of their own got a number", bvh->path, changed);
    }
cleanup:
    sni_free(bvh->context, slots);
    return status;
}

sn_status sni_read_bvh(const sni_source *source, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    bvh_reader bvh = {.context = source->context,
                      .path = source->name,
                      .text = sni_text_begin(source->bytes, source->size)};
    SN_TRY(read_hierarchy(&bvh, error));
    SN_TRY(read_motion_header(&bvh, error));
    SN_TRY(read_frames(&bvh, error));
    SN_TRY(make_names_unique(&bvh, error));
    SN_TRY(make_skeleton(&bvh, import, error));
    if (bvh.frame_count > 0) {
        SN_TRY(make_clip(&bvh, import, error));
    }
cleanup:
    for (uint32_t j = 0; j < bvh.joint_count; ++j) {
        sni_free(bvh.context, bvh.joints[j].name);
    }
    sni_free(bvh.context, bvh.joints);
    sni_free(bvh.context, bvh.frames);
    return status;
}
