// SPDX-License-Identifier: Apache-2.0
//
// PNG through libpng, with the context's memory.
#include "base/file.h"
#include "render/image.h"
#include "render/libpng.h"

#include <setjmp.h>

typedef struct writer {
    sni_output *output;
    sn_error *error;
    sn_status status;
} writer;

// libpng leaves by longjmp; the cause is in `status`, or it is memory.
static _Noreturn void leave(png_structp png, png_const_charp message) {
    writer *to = png_get_error_ptr(png);
    if (to->status == SN_OK) {
        to->status = sni_fail(to->error, SN_OUT_OF_MEMORY, "out of memory (libpng: %s)", message);
    }
    png_longjmp(png, 1);
}

static void write_bytes(png_structp png, png_bytep bytes, png_size_t size) {
    writer *to = png_get_io_ptr(png);
    to->status = sni_output_write(to->output, bytes, size, to->error);
    if (to->status != SN_OK) {
        png_error(png, "write");
    }
}

static void flush_nothing(png_structp png) {
    (void)png;
}

// Apart from the caller so that no variable lives across the jump.
static void write_image(png_structp png, png_infop info, const sn_image *image) {
    if (setjmp(png_jmpbuf(png)) != 0) {
        return;
    }
    png_set_IHDR(png, info, image->width, image->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (uint32_t row = 0; row < image->height; ++row) {
        png_write_row(png, &image->pixels[3 * (size_t)row * image->width]);
    }
    png_write_end(png, info);
}

sn_status sn_image_write_png(const sn_image *image, const char *path, sn_error *error) {
    sn_status status = SN_OK;
    sni_output output = {0};
    png_structp png = NULL;
    png_infop info = NULL;
    writer to = {.output = &output, .error = error};
    SN_TRY(sni_output_open(NULL, path, &output, error));
    png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &to, leave, sni_png_ignore_warning,
                                    image->context, sni_png_allocate, sni_png_release);
    info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    png_set_write_fn(png, &to, write_bytes, flush_nothing);
    write_image(png, info, image);
    SN_TRY(to.status);
    SN_TRY(sni_output_commit(&output, error));
cleanup:
    png_destroy_write_struct(&png, &info);
    sni_output_close(&output);
    return status;
}
