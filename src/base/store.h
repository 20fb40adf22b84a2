// SPDX-License-Identifier: Apache-2.0
//
// Things that are made from inputs and never change afterwards, kept by the digest of those inputs,
// so that a thing is made once and whoever needs it again finds it.
//
// A thing counts its holders and goes with the last of them. A store holds what is in it; so does
// whoever keeps a pointer for longer than the store lives. A store belongs to one thread while it
// is filled; later any number of threads may look things up in it.
#ifndef SINEW_BASE_STORE_H
#define SINEW_BASE_STORE_H

#include "base/digest.h"
#include "base/memory.h"

#include <stdatomic.h>

// What a thing begins with.
typedef struct sni_made sni_made;
struct sni_made {
    sni_digest digest;
    atomic_uint holders;
    void (*destroy)(sn_context *context, sni_made *made);
};

// A new thing has one holder: who made it.
void sni_made_init(sni_made *made, const sni_digest *digest,
                   void (*destroy)(sn_context *context, sni_made *made));
void sni_made_hold(sni_made *made);
void sni_made_release(sn_context *context, sni_made *made); // NULL is allowed

typedef struct sni_store {
    sn_context *context;
    const struct sni_store *before; // where things are looked for as well; NULL: nowhere
    uint32_t count;
    uint32_t capacity; // 0 or a power of two, larger than `count`
    sni_made **slots;  // by digest; NULL where a slot is free
} sni_store;

void sni_store_init(sni_store *store, sn_context *context, const sni_store *before);
void sni_store_deinit(sni_store *store);

// The thing of this digest, NULL where there is none. What is found in the store before is put into
// this one. Fails only with SN_OUT_OF_MEMORY. A store that is NULL has nothing.
sn_status sni_store_find(sni_store *store, const sni_digest *digest, sni_made **made,
                         sn_error *error);

// Puts a thing in; the store becomes a holder besides the caller. Nothing happens where the store
// is NULL.
sn_status sni_store_add(sni_store *store, sni_made *made, sn_error *error);

#endif
