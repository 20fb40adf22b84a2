// SPDX-License-Identifier: Apache-2.0
//
// Images, and sheets of several.
#include "render/image.h"

#include "render/font.h"

#include <math.h>
#include <string.h>

static const uint8_t sheet_paper[3] = {247, 246, 243};
static const uint8_t sheet_ink[3] = {44, 42, 40};

sn_status sni_image_create(sn_context *context, uint32_t width, uint32_t height, sn_image **image,
                           sn_error *error) {
    sn_status status = SN_OK;
    sn_image *made = NULL;
    *image = NULL;
    if (width == 0 || height == 0 || width > SNI_IMAGE_MAX_SIDE || height > SNI_IMAGE_MAX_SIDE) {
        return sni_fail(error, SN_INVALID, "a picture of %u x %u pixels, expected 1 to %u each",
                        width, height, SNI_IMAGE_MAX_SIDE);
    }
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->width = width;
    made->height = height;
    SNI_NEW(context, made->pixels, 3 * (size_t)width * height);
    *image = made;
    return SN_OK;
cleanup:
    sn_image_destroy(made);
    return status;
}

void sn_image_destroy(sn_image *image) {
    if (image == NULL) {
        return;
    }
    sn_context *context = image->context;
    sni_free(context, image->pixels);
    sni_free(context, image);
}

void sni_image_blend(sn_image *image, int64_t x, int64_t y, const uint8_t color[3], double alpha) {
    if (x < 0 || y < 0 || x >= image->width || y >= image->height) {
        return;
    }
    uint8_t *pixel = &image->pixels[3 * ((size_t)y * image->width + (size_t)x)];
    for (unsigned i = 0; i < 3; ++i) {
        pixel[i] = (uint8_t)(pixel[i] + alpha * (color[i] - pixel[i]) + 0.5);
    }
}

void sni_image_fill(sn_image *image, int64_t x, int64_t y, int64_t width, int64_t height,
                    const uint8_t color[3], double alpha) {
    int64_t left = x > 0 ? x : 0, top = y > 0 ? y : 0;
    int64_t right = x + width < image->width ? x + width : image->width;
    int64_t bottom = y + height < image->height ? y + height : image->height;
    for (int64_t row = top; row < bottom; ++row) {
        for (int64_t column = left; column < right; ++column) {
            sni_image_blend(image, column, row, color, alpha);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Sheets

typedef struct sheet_layout {
    uint32_t columns, rows;
    uint32_t gap;
    uint32_t head; // pixels above the first row
    uint64_t width, height;
} sheet_layout;

static sheet_layout lay_out(const sn_image *first, uint32_t image_count, uint32_t columns,
                            bool has_title) {
    SN_ASSERT(image_count > 0 && columns > 0);
    sheet_layout layout = {.columns = columns < image_count ? columns : image_count};
    layout.rows = image_count / layout.columns + (image_count % layout.columns != 0);
    layout.gap = first->width / 120 > 2 ? first->width / 120 : 2;
    uint64_t inside = (uint64_t)layout.columns * first->width + (layout.columns - 1) * layout.gap;
    layout.width = inside + 2 * (uint64_t)layout.gap;
    uint32_t line = (uint32_t)fmax(18, fmin(0.045 * (double)layout.width, 0.16 * first->height));
    layout.head = has_title ? line + layout.gap : layout.gap;
    layout.height = layout.head + (uint64_t)layout.rows * (first->height + layout.gap);
    return layout;
}

static sn_status check_images(const sn_image *const *images, uint32_t image_count, uint32_t columns,
                              sn_error *error) {
    if (image_count == 0 || columns == 0) {
        return sni_fail(error, SN_INVALID,
                        "a sheet needs images and columns, not %u images in %u columns",
                        image_count, columns);
    }
    for (uint32_t i = 1; i < image_count; ++i) {
        if (images[i]->width != images[0]->width || images[i]->height != images[0]->height) {
            return sni_fail(
                error, SN_INVALID, "image %u has %u x %u pixels, but the first has %u x %u", i,
                images[i]->width, images[i]->height, images[0]->width, images[0]->height);
        }
    }
    return SN_OK;
}

static void paste(sn_image *sheet, const sn_image *image, size_t x, size_t y) {
    for (uint32_t row = 0; row < image->height; ++row) {
        memcpy(&sheet->pixels[3 * ((y + row) * sheet->width + x)],
               &image->pixels[3 * (size_t)row * image->width], 3 * (size_t)image->width);
    }
}

static void draw_title(sn_image *sheet, const sheet_layout *layout, const char *title) {
    double room = (double)sheet->width - 4.0 * layout->gap;
    double size = sni_text_fit(title, 0.42 * layout->head, room);
    double baseline = floor((layout->head + size) / 2);
    sni_text_draw(sheet, 2.0 * layout->gap, baseline, size, title, sheet_ink, NULL);
}

sn_status sn_image_sheet(sn_context *context, const sn_image *const *images, uint32_t image_count,
                         uint32_t columns, const char *title, sn_image **sheet, sn_error *error) {
    sn_status status = SN_OK;
    sn_image *made = NULL;
    *sheet = NULL;
    SN_TRY(check_images(images, image_count, columns, error));
    sheet_layout layout = lay_out(images[0], image_count, columns, title != NULL);
    if (layout.width > SNI_IMAGE_MAX_SIDE || layout.height > SNI_IMAGE_MAX_SIDE) {
        return sni_fail(error, SN_LIMIT, "the sheet would have %llu x %llu pixels, at most %u each",
                        (unsigned long long)layout.width, (unsigned long long)layout.height,
                        SNI_IMAGE_MAX_SIDE);
    }
    SN_TRY(
        sni_image_create(context, (uint32_t)layout.width, (uint32_t)layout.height, &made, error));
    SN_ASSERT(made != NULL);
    sni_image_fill(made, 0, 0, made->width, made->height, sheet_paper, 1);
    for (uint32_t i = 0; i < image_count; ++i) {
        size_t x = layout.gap + (size_t)(i % layout.columns) * (images[0]->width + layout.gap);
        size_t y = layout.head + (size_t)(i / layout.columns) * (images[0]->height + layout.gap);
        paste(made, images[i], x, y);
    }
    if (title != NULL) {
        draw_title(made, &layout, title);
    }
    *sheet = made;
cleanup:
    return status;
}
