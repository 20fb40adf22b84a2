// SPDX-License-Identifier: Apache-2.0
//
// The materials of a surface as a page draws them: its triangles in the order of their materials,
// texture coordinates, a text about the materials, and their images as files. Pages have one point
// per vertex; where a vertex has several texture coordinates, it is drawn several times.
#ifndef SINEW_STUDIO_COAT_H
#define SINEW_STUDIO_COAT_H

#include "sinew/eval.h"
#include "sinew/geometry.h"

// Images of more bytes are left out, and so are those with which a surface would have more.
#define COAT_IMAGE_BYTES ((size_t)32 << 20)
#define COAT_ALL_BYTES ((size_t)128 << 20)

typedef struct coat_image {
    uint8_t *bytes;
    size_t size;
} coat_image;

typedef struct stage_coat {
    uint32_t *triangles; // x 3, by material; vertices from #V on are copies
    uint32_t copy_count;
    uint32_t *copies; // the vertex that each is a copy of
    float *uvs;       // (#V + copies) x 2, where the image lies; NULL: no image
    char *text;       // JSON, docs/studio-protocol.md
    size_t text_size;
    uint32_t image_count;
    coat_image *images;
} stage_coat;

// Whether the surface shows materials: skins and features, as in pictures.
bool stage_coat_exists(const sn_surface *surface);

// `triangles` are those of the surface's mesh. NULL where no face has a material with a colour.
sn_status stage_coat_create(const sn_surface *surface, const sn_triangles *triangles,
                            stage_coat **result, sn_error *error);
void stage_coat_destroy(stage_coat *coat); // NULL is allowed

// Continues a hash by everything that a coat depends on, given how bytes are added.
typedef uint64_t stage_hash(uint64_t hash, const void *bytes, size_t size);
uint64_t stage_coat_hash(const sn_surface *surface, uint64_t hash, stage_hash *add);

#endif
