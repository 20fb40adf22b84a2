// SPDX-License-Identifier: Apache-2.0
//
// What reading and writing by libpng share: memory of a context, which is the memory pointer of the
// png_struct, and silence.
#ifndef SINEW_RENDER_LIBPNG_H
#define SINEW_RENDER_LIBPNG_H

#include "base/memory.h"

#include <png.h>

static inline png_voidp sni_png_allocate(png_structp png, png_alloc_size_t size) {
    return sni_alloc(png_get_mem_ptr(png), size, 1);
}

static inline void sni_png_release(png_structp png, png_voidp memory) {
    sni_free(png_get_mem_ptr(png), memory);
}

static inline void sni_png_ignore_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

#endif
