// SPDX-License-Identifier: Apache-2.0
//
// PNG into pixels through libpng, with the context's memory.
#include "render/libpng.h"
#include "render/texture.h"

#include <setjmp.h>
#include <string.h>

typedef struct reader {
    sn_context *context;
    const uint8_t *bytes;
    size_t size, at;
    sni_pixels *pixels;
    sn_error *error;
    sn_status status;
} reader;

static _Noreturn void leave(png_structp png, png_const_charp message) {
    reader *from = png_get_error_ptr(png);
    if (from->status == SN_OK) {
        from->status = sni_fail(from->error, SN_SYNTAX, "it cannot be decoded: %s", message);
    }
    png_longjmp(png, 1);
}

static void read_bytes(png_structp png, png_bytep bytes, png_size_t size) {
    reader *from = png_get_io_ptr(png);
    if (size > from->size - from->at) {
        png_error(png, "the file ends too early");
    }
    memcpy(bytes, from->bytes + from->at, size);
    from->at += size;
}

// All kinds of PNG become 8 bits of red, green, blue and alpha.
static void ask_for_rgba(png_structp png) {
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
}

// Apart from the caller so that no variable lives across the jump.
static void read_image(png_structp png, png_infop info, reader *from) {
    if (setjmp(png_jmpbuf(png)) != 0) {
        return;
    }
    // Sizes are checked below, where the message names them.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png, info);
    from->status = sni_pixels_init(from->context, png_get_image_width(png, info),
                                   png_get_image_height(png, info), from->pixels, from->error);
    if (from->status != SN_OK) {
        return;
    }
    ask_for_rgba(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    size_t row_bytes = 4 * (size_t)from->pixels->width;
    if (png_get_rowbytes(png, info) != row_bytes) {
        png_error(png, "unexpected size of rows");
    }
    for (int pass = 0; pass < passes; ++pass) {
        for (uint32_t row = 0; row < from->pixels->height; ++row) {
            png_read_row(png, from->pixels->bytes + row * row_bytes, NULL);
        }
    }
}

sn_status sni_decode_png(sn_context *context, const uint8_t *bytes, size_t size, sni_pixels *pixels,
                         sn_error *error) {
    reader from = {
        .context = context, .bytes = bytes, .size = size, .pixels = pixels, .error = error};
    *pixels = (sni_pixels){0};
    png_structp png =
        png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &from, leave, sni_png_ignore_warning,
                                 context, sni_png_allocate, sni_png_release);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info != NULL) {
        png_set_read_fn(png, &from, read_bytes);
        read_image(png, info, &from);
    } else {
        from.status = sni_fail_memory(error);
    }
    png_destroy_read_struct(&png, &info, NULL);
    if (from.status != SN_OK) {
        sni_free(context, pixels->bytes);
        *pixels = (sni_pixels){0};
    }
    return from.status;
}
