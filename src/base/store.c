// SPDX-License-Identifier: Apache-2.0
//
// A hash table with linear probing: digests are as good as random numbers.
#include "base/store.h"

void sni_made_init(sni_made *made, const sni_digest *digest,
                   void (*destroy)(sn_context *context, sni_made *made)) {
    made->digest = *digest;
    made->destroy = destroy;
    atomic_init(&made->holders, 1);
}

void sni_made_hold(sni_made *made) {
    atomic_fetch_add(&made->holders, 1);
}

void sni_made_release(sn_context *context, sni_made *made) {
    if (made != NULL && atomic_fetch_sub(&made->holders, 1) == 1) {
        made->destroy(context, made);
    }
}

void sni_store_init(sni_store *store, sn_context *context, const sni_store *before) {
    *store = (sni_store){.context = context, .before = before};
}

void sni_store_deinit(sni_store *store) {
    for (uint32_t i = 0; i < store->capacity; ++i) {
        sni_made_release(store->context, store->slots[i]);
    }
    sni_free(store->context, store->slots);
    *store = (sni_store){.context = store->context};
}

// The slot of a digest: where the thing is, or where it would go.
static sni_made **find_slot(sni_made **slots, uint32_t capacity, const sni_digest *digest) {
    uint32_t at = (uint32_t)digest->words[0] & (capacity - 1);
    while (slots[at] != NULL && !sni_digest_equal(&slots[at]->digest, digest)) {
        at = (at + 1) & (capacity - 1);
    }
    return &slots[at];
}

static sni_made *look_up(const sni_store *store, const sni_digest *digest) {
    return store->capacity > 0 ? *find_slot(store->slots, store->capacity, digest) : NULL;
}

// Keeps a quarter of the slots free, so that probes stay short.
static sn_status make_room(sni_store *store, sn_error *error) {
    if (store->capacity > 0 && 4 * ((uint64_t)store->count + 1) <= 3 * (uint64_t)store->capacity) {
        return SN_OK;
    }
    uint32_t capacity = store->capacity > 0 ? 2 * store->capacity : 64;
    sni_made **slots = sni_alloc_zero(store->context, capacity, sizeof(sni_made *));
    if (slots == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < store->capacity; ++i) {
        if (store->slots[i] != NULL) {
            *find_slot(slots, capacity, &store->slots[i]->digest) = store->slots[i];
        }
    }
    sni_free(store->context, store->slots);
    store->slots = slots;
    store->capacity = capacity;
    return SN_OK;
}

sn_status sni_store_add(sni_store *store, sni_made *made, sn_error *error) {
    if (store == NULL || look_up(store, &made->digest) != NULL) {
        return SN_OK;
    }
    sn_status status = make_room(store, error);
    if (status == SN_OK) {
        *find_slot(store->slots, store->capacity, &made->digest) = made;
        store->count++;
        sni_made_hold(made);
    }
    return status;
}

sn_status sni_store_find(sni_store *store, const sni_digest *digest, sni_made **made,
                         sn_error *error) {
    *made = NULL;
    if (store == NULL) {
        return SN_OK;
    }
    *made = look_up(store, digest);
    if (*made != NULL || store->before == NULL) {
        return SN_OK;
    }
    *made = look_up(store->before, digest);
    return *made != NULL ? sni_store_add(store, *made, error) : SN_OK;
}
