// SPDX-License-Identifier: Apache-2.0
//
// JPEG into pixels through libjpeg. Its working memory, up to 6 bytes for each pixel of a
// progressive file, is its own.
#include "render/texture.h"

#ifdef SNI_WITH_JPEG

#include <stdio.h>

#include <jpeglib.h>
#include <setjmp.h>

// A progressive file can repeat scans of the whole image for ever; real ones have some ten.
static const int max_scans = 200;

typedef struct reader {
    struct jpeg_error_mgr manager; // first: libjpeg hands out a pointer to it
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    sn_context *context;
    sni_pixels *pixels;
    sn_error *error;
    sn_status status;
} reader;

static reader *reader_of(j_common_ptr jpeg) {
    return (reader *)jpeg->err;
}

static _Noreturn void leave(j_common_ptr jpeg) {
    reader *from = reader_of(jpeg);
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    if (from->status == SN_OK) {
        from->status = sni_fail(from->error, SN_SYNTAX, "it cannot be decoded: %s", message);
    }
    longjmp(from->back, 1);
}

static void ignore_message(j_common_ptr jpeg, int level) {
    (void)jpeg;
    (void)level;
}

static void count_scans(j_common_ptr jpeg) {
    reader *from = reader_of(jpeg);
    const struct jpeg_decompress_struct *decoder = (const struct jpeg_decompress_struct *)jpeg;
    if (decoder->input_scan_number > max_scans) {
        from->status = sni_fail(from->error, SN_LIMIT, "it has more than %d scans", max_scans);
        leave(jpeg);
    }
}

// Widens a row of red, green, blue in place.
static void add_alpha(uint8_t *row, uint32_t width) {
    for (uint32_t x = width; x-- > 0;) {
        uint8_t r = row[3 * (size_t)x], g = row[3 * (size_t)x + 1], b = row[3 * (size_t)x + 2];
        uint8_t *to = row + 4 * (size_t)x;
        to[0] = r;
        to[1] = g;
        to[2] = b;
        to[3] = 255;
    }
}

// Apart from the caller so that no variable lives across the jump.
static void read_image(struct jpeg_decompress_struct *jpeg, reader *from, const uint8_t *bytes,
                       size_t size) {
    if (setjmp(from->back) != 0) {
        return;
    }
    jpeg_create_decompress(jpeg);
    jpeg->progress = &from->progress;
    jpeg_mem_src(jpeg, bytes, (unsigned long)size);
    jpeg_read_header(jpeg, TRUE);
    from->status = sni_pixels_init(from->context, jpeg->image_width, jpeg->image_height,
                                   from->pixels, from->error);
    if (from->status != SN_OK) {
        return;
    }
    jpeg->out_color_space = JCS_RGB;
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        size_t offset = 4 * (size_t)jpeg->output_scanline * from->pixels->width;
        JSAMPROW row = from->pixels->bytes + offset;
        jpeg_read_scanlines(jpeg, &row, 1);
        add_alpha(row, from->pixels->width);
    }
}

sn_status sni_decode_jpeg(sn_context *context, const uint8_t *bytes, size_t size,
                          sni_pixels *pixels, sn_error *error) {
    struct jpeg_decompress_struct jpeg = {0};
    reader from = {.context = context,
                   .pixels = pixels,
                   .error = error,
                   .progress.progress_monitor = count_scans};
    *pixels = (sni_pixels){0};
    jpeg.err = jpeg_std_error(&from.manager);
    from.manager.error_exit = leave;
    from.manager.emit_message = ignore_message;
    read_image(&jpeg, &from, bytes, size);
    jpeg_destroy_decompress(&jpeg);
    if (from.status != SN_OK) {
        sni_free(context, pixels->bytes);
        *pixels = (sni_pixels){0};
    }
    return from.status;
}

#else

sn_status sni_decode_jpeg(sn_context *context, const uint8_t *bytes, size_t size,
                          sni_pixels *pixels, sn_error *error) {
    (void)context;
    (void)bytes;
    (void)size;
    *pixels = (sni_pixels){0};
    return sni_fail(error, SN_UNSUPPORTED,
                    "it is a JPEG, and this library was built without SINEW_JPEG");
}

#endif
