// SPDX-License-Identifier: Apache-2.0
//
// Warnings that a context keeps, so that reports can repeat them.
#include "base/context.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct kept_warning {
    char *topic, *text;
} kept_warning;

struct sni_kept {
    pthread_mutex_t lock; // guards what follows
    uint32_t limit, count;
    kept_warning *warnings; // `count` of them
};

sni_kept *sni_kept_create(uint32_t limit) {
    sni_kept *kept = calloc(1, sizeof *kept);
    if (kept != NULL) {
        kept->limit = limit;
        pthread_mutex_init(&kept->lock, NULL);
    }
    return kept;
}

void sni_kept_destroy(sni_kept *kept) {
    if (kept == NULL) {
        return;
    }
    for (uint32_t i = 0; i < kept->count; ++i) {
        free(kept->warnings[i].topic);
        free(kept->warnings[i].text);
    }
    free(kept->warnings);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}

static bool has(const sni_kept *kept, const char *text) {
    for (uint32_t i = 0; i < kept->count; ++i) {
        if (strcmp(kept->warnings[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

static char *copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

// Without memory a warning is lost; that is no reason to fail what it warns of.
static void append(sni_kept *kept, const char *topic, const char *text) {
    size_t size = (kept->count + (size_t)1) * sizeof *kept->warnings;
    kept_warning *grown = realloc(kept->warnings, size);
    if (grown == NULL) {
        return;
    }
    kept->warnings = grown;
    kept_warning made = {.topic = copy_text(topic), .text = copy_text(text)};
    if (made.topic == NULL || made.text == NULL) {
        free(made.topic);
        free(made.text);
        return;
    }
    kept->warnings[kept->count++] = made;
}

bool sni_kept_add(sni_kept *kept, const char *topic, const char *text) {
    pthread_mutex_lock(&kept->lock);
    bool is_new = !has(kept, text);
    if (is_new && kept->count < kept->limit) {
        append(kept, topic, text);
    }
    pthread_mutex_unlock(&kept->lock);
    return is_new;
}

uint32_t sn_context_warning_count(const sn_context *context) {
    return context->kept != NULL ? context->kept->count : 0;
}

const char *sn_context_warning(const sn_context *context, uint32_t index, const char **topic) {
    SN_ASSERT(index < sn_context_warning_count(context));
    const kept_warning *warning = &context->kept->warnings[index];
    if (topic != NULL) {
        *topic = warning->topic;
    }
    return warning->text;
}
