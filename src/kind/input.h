// SPDX-License-Identifier: Apache-2.0
//
// Inputs: what a kind of deformer or muscle takes besides its mesh and its parameters, such as the
// muscles that a skin follows, or the surfaces that a cloth touches.
//
// An input is a `sni_input` in a file of its own (src/input/), which knows all about it:
//
//     fields    its keys in the object of a document that describes the deformer or muscle, and
//               what repeating and mirroring the object do to them
//     decode    once for a document: what the object says, names resolved: a plan
//     digest    once for a model: the digest of everything that is collected from the plan
//     needs     the surfaces and muscles that are evaluated before
//     collect   once, at rest: a block of spans of numbers, which `bind` sees
//     validate  whether `bind` may trust the block
//     pose      every frame: a block of spans of numbers, which `deform` or `pose` sees
//
// A kind lists the inputs that it takes, and finds their blocks in its jobs in that order. It knows
// nothing of documents and files, nor does it know where the numbers come from.
#ifndef SINEW_KIND_INPUT_H
#define SINEW_KIND_INPUT_H

#include "base/arena.h"
#include "base/digest.h"
#include "sinew/json.h"
#include "sinew/mesh.h"
#include "sinew/motion.h"

// Most inputs of a kind.
enum { SNI_INPUTS_MOST = 8 };

typedef struct sni_input sni_input;

// An input as a kind takes it.
typedef struct sni_input_use {
    const sni_input *input; // NULL behind the last
    bool needed;            // the kind cannot do without
} sni_input_use;

// What an input is decoded in, and for whom.
typedef struct sni_decoding {
    struct sni_blueprint *blueprint; // names, rig and surfaces are known
    const sn_value *object;          // of the deformer or muscle in the document
    const char *kind;                // its name, for messages
    uint32_t surface;                // that the deformer moves; SN_NONE for a muscle
} sni_decoding;

// What a surface or a muscle must be evaluated for, and the name that says so in the document.
typedef struct sni_need {
    uint32_t surface; // SN_NONE: a muscle
    uint32_t muscle;
    const sn_value *name; // NULL: it is not named
    bool first;           // a skin that is evaluated before this one
    bool touched;         // it is touched, which makes another message where skins form a circle
} sni_need;

typedef void (*sni_need_fn)(const sni_need *need, void *user);

// The body at rest, for whom something is collected.
typedef struct sni_collecting {
    struct sni_rest *rest;
    uint32_t surface; // that the deformer moves; SN_NONE for a muscle
    const char *name; // of the muscle, for messages; NULL for a deformer
    sni_arena *arena; // of the block
    const sn_progress *progress;
    struct sni_skin_search *searches; // of surfaces, while muscles are made; NULL for a deformer
} sni_collecting;

// A job that is to be checked.
typedef struct sni_checking {
    const char *kind;       // its name, for messages
    const sn_mesh *mesh;    // that a deformer moves; NULL for a muscle
    uint32_t segment_count; // 0: there is no skeleton
    const sn_mat4 *rest_worlds;
    bool needed; // the kind cannot do without the input that is checked
} sni_checking;

// The frame in which a block is filled in.
typedef struct sni_posing {
    const struct sn_frame *frame;
    const struct sni_pose *pose; // the frame's, or another that muscles between bones are tried in
    sni_arena *arena;            // of the block
} sni_posing;

struct sni_input {
    const char *name; // for messages: "muscles"
    // Those that are `required` must be there where the kind needs the input.
    const struct sni_schema_field *fields;
    uint32_t field_count;

    // The plan is the blueprint's; NULL where the object says nothing about it.
    sn_status (*decode)(const sni_decoding *decoding, void **plan, sn_error *error);

    // NULL: all of the plan is the blueprint's. Else it frees what is not.
    void (*release)(sn_context *context, void *plan);

    // NULL: it needs nothing. A muscle needs what it is made from.
    void (*needs)(const void *plan, sni_need_fn need, void *user);

    sn_status (*digest)(const sni_collecting *collecting, const void *plan, sni_digest *digest,
                        sn_error *error);

    // `kept`, NULL at first, is what `pose` needs of it besides; it is freed with the binding.
    sn_status (*collect)(const sni_collecting *collecting, const void *plan, const void **block,
                         void **kept, sn_error *error);

    // NULL: there is nothing to check. Fails with SN_INVALID and the element's name and value.
    sn_status (*validate)(const sni_checking *checking, const void *block, sn_error *error);

    // NULL: frames need nothing of it. Only memory can run out, which gives a block that is NULL.
    const void *(*pose)(const sni_posing *posing, const void *plan, const void *kept);
};

// The block of an input among those of a kind's job, or its plan among those of a plan: NULL where
// the kind does not take it, or where the document says nothing about it.
static inline const void *sni_input_find(const sni_input_use *uses, const void *const *blocks,
                                         const sni_input *input) {
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && uses[i].input != NULL; ++i) {
        if (uses[i].input == input) {
            return blocks[i];
        }
    }
    return NULL;
}

static inline bool sni_input_is_taken(const sni_input_use *uses, const sni_input *input) {
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && uses[i].input != NULL; ++i) {
        if (uses[i].input == input) {
            return true;
        }
    }
    return false;
}

// A block, copied into an arena; NULL when there is no memory left.
const void *sni_block_new(sni_arena *arena, const void *content, size_t size);

// The same for `collect`.
sn_status sni_block_collect(const sni_collecting *collecting, const void *content, size_t size,
                            const void **block, sn_error *error);

// Checks all blocks of a job, and that those which the kind needs are there.
sn_status sni_inputs_validate(const sni_input_use *uses, const sni_checking *checking,
                              const void *const *blocks, sn_error *error);

#endif
