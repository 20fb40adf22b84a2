// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_EVAL_DOCUMENT_CLIP_H
#define SINEW_EVAL_DOCUMENT_CLIP_H

#include "base/memory.h"
#include "sinew/motion.h"

// Whether a file of motions is a sinew document, by its extension.
bool sni_is_document(const char *path);

// The clip `name` of the document at `path`, NULL: its first one. Its tracks are expanded
// (`mirror`, `delay`) and it knows the skeleton of its document; nothing else of the document is
// read.
sn_status sni_document_clip(sn_context *context, const char *path, const char *name, sn_clip **clip,
                            sn_error *error);

#endif
