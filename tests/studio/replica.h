// SPDX-License-Identifier: Apache-2.0
//
// A small document, and what a page makes of the events of its slot.
#ifndef SNT_STUDIO_REPLICA_H
#define SNT_STUDIO_REPLICA_H

#include "page.h"

#include "edits/patch.h"

// Written by hand, with spaces and numbers that sinew would write differently.
static const char small_document[] =
    "{\n"
    "    \"sinew\": 1,   \"name\": \"stick\",\n"
    "    \"skeleton\": {\n"
    "        \"root\": {\"translation\": [0.0, 1.0, 0.0]},\n"
    "        \"upper\": {\"parent\": \"root\", \"translation\": [0, 0.50, 0]},\n"
    "        \"lower\": {\"parent\": \"upper\", \"translation\": [0, 0.5, 0],\n"
    "                  \"limits_deg\": {\"rx\": [-10, 1.5e2]}}\n"
    "    },\n"
    "    \"controls\": {\"curl\": {\"low\": 0, \"high\": 1}, \"turn\": {}},\n"
    "    \"synergies\": [{\"control\": \"curl\", \"spread\": {\"lower.rx_deg\": 90}}],\n"
    "    \"clips\": {\"bend\": {\"rate\": 24, \"tracks\": {\"curl\": {\"keys\": [[0, 0], [1, "
    "1]]}}}}\n"
    "}\n";

static inline void open_small(snt_page *p, const char *name) {
    put_text(in_folder(p, name), small_document);
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, name));
}

// ---------------------------------------------------------------------------------------------
// What a page makes of the events

typedef struct replica {
    sn_json *document;
    double revision;
    bool dirty;
    uint32_t undo, redo;
    char undo_label[64];
} replica;

static inline void follow_event(replica *r, snt_page *p, const sn_value *event) {
    const sn_value *entries = sn_value_get(event, "patch");
    if (sn_value_number(sn_value_get(event, "slot"), -1) != 0) {
        return;
    }
    if (!r->document) {
        snt_ok(sn_json_create(p->context, &r->document, error));
    }
    snt_ok(patch_apply(r->document, entries, error));
    double revision = sn_value_number(sn_value_get(event, "revision"), -1);
    assert_true(revision >= r->revision);
    r->revision = revision;
    r->dirty = sn_value_bool(sn_value_get(event, "dirty"), false);
    const sn_value *undo = sn_value_get(event, "undo"), *redo = sn_value_get(event, "redo");
    r->undo = (uint32_t)sn_value_number(sn_value_get(undo, "count"), 0);
    r->redo = (uint32_t)sn_value_number(sn_value_get(redo, "count"), 0);
    snprintf(r->undo_label, sizeof r->undo_label, "%s",
             sn_value_string(sn_value_get(undo, "label"), ""));
}

// Takes in all document events that came; null documents are left out.
static inline void follow(replica *r, snt_page *p) {
    page_take(p);
    for (uint32_t i = 0; i < p->count; ++i) {
        const sn_value *event = sn_json_root(p->messages[i]);
        const sn_value *first = sn_value_at(sn_value_get(event, "patch"), 0);
        const sn_value *value = sn_value_get(first, "value");
        bool empty = value && value->type == SN_JSON_NULL &&
                     strcmp(sn_value_string(sn_value_get(first, "path"), "-"), "") == 0;
        if (matches_event(event, "document") && !empty) {
            follow_event(r, p, event);
        }
    }
    page_forget(p);
}

#endif
