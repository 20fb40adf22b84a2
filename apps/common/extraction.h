// SPDX-License-Identifier: Apache-2.0
//
// An extraction of a skin as a user asks for it, and the skin in the document
// (docs/extraction.md).
#ifndef SINEW_APPS_EXTRACTION_H
#define SINEW_APPS_EXTRACTION_H

#include "common/common.h"

// The numbers of an extraction, in the order of `app_extraction.numbers`, with their ranges.
enum { APP_EXTRACTION_NUMBERS = 6 };
typedef struct app_extraction_number {
    const char *key; // of the document: "dimension", "filter", ...
    double low, high;
    bool whole;
} app_extraction_number;
extern const app_extraction_number app_extraction_numbers[APP_EXTRACTION_NUMBERS];

typedef struct app_extraction {
    const char *name; // of the skin and its mesh
    double numbers[APP_EXTRACTION_NUMBERS];
    bool given[APP_EXTRACTION_NUMBERS]; // false: the standard value
    uint32_t part_count;                // 0: all that are closed
    const char *const *parts;           // names of bones, tissues, muscles
    uint32_t enlarge_count;
    const sn_segment_factor *enlarge;
} app_extraction;

// Takes an extraction over into `desc`; `surfaces` has room for all parts and stays as long as it.
// Fails for a part that the model has not. `source` is the document.
sn_status app_extraction_describe(const app_extraction *extraction, const sn_model *model,
                                  const char *source, sn_model_extract_desc *desc,
                                  uint32_t *surfaces, sn_error *error);

// Adds the skin with a `membrane` to the document, and hides those that were shown. `file` is the
// name of the mesh's file; NULL: the document has the numbers, and the skin is made whenever a
// model is. Fails where there is a skin or mesh of that name.
sn_status app_extraction_add_skin(const app_extraction *extraction, sn_json *json, const char *file,
                                  const char *source, sn_error *error);

#endif
