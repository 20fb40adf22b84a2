// SPDX-License-Identifier: Apache-2.0
//
// A font of strokes, drawn for sinew, so that letters are sharp at any size.
//
// A glyph is a list of strokes separated by spaces; a point is two characters, x and y, each a
// digit in base 36. The baseline is y = 6, small letters reach 18, capitals 24, descenders 0. A
// stroke is a polyline; one that begins with '~' is a curve, one with '@' a closed curve: quadratic
// B-splines (each point but the ends pulls the curve, which touches the middle of every leg), so
// that four corners of a box make a round letter. A single point is a dot. Strokes have round ends
// and are covered by distance, one pixel soft.
#include "render/font.h"

#include <math.h>

static const char *const glyphs[95] = {
    /*   */ "",
    /* ! */ "0o0d 06",
    /* " */ "0o0i 5o5i",
    /* # */ "4o26 ao86 0ici 0ccc",
    /* $ */ "~bkbo0o0fbfb6060a 6q64",
    /* % */ "@0o6o6h0h @9dfdf696 do26",
    /* & */ "~d64h3o9o9h0f0696bd",
    /* ' */ "0o0i",
    /* ( */ "~4q0k0943",
    /* ) */ "~0q4k4903",
    /* * */ "5o5e 1l9h 1h9l",
    /* + */ "5k5a 0faf",
    /* , */ "1702",
    /* - */ "0e7e",
    /* . */ "06",
    /* / */ "8q03",
    /* 0 */ "@0obob606",
    /* 1 */ "3k7o76",
    /* 2 */ "~0j0obobg06 06b6",
    /* 3 */ "~0k0oaoag4g ~4gbgb6060a",
    /* 4 */ "868o0bbb",
    /* 5 */ "ao1o0g ~0g3ibib6060a",
    /* 6 */ "~al9o0o0c @0hbhb606",
    /* 7 */ "0obo36",
    /* 8 */ "@1oaoag1g @0gbgb606",
    /* 9 */ "~1926b6bi @0obobd0d",
    /* : */ "07 0g",
    /* ; */ "1702 1g",
    /* < */ "9l0f99",
    /* = */ "0iai 0cac",
    /* > */ "0l9f09",
    /* ? */ "~0k0oaoai5h5c 56",
    /* @ */ "@5jbjbb5b ~bjbbgcgo0o04c4",
    /* A */ "067oe6 2cbc",
    /* B */ "060o ~0o5oaoag5g0g ~0g6gbgb66606",
    /* C */ "~clbo0o06b6c9",
    /* D */ "060o ~0o5ococ65606",
    /* E */ "ao0o06a6 0f8f",
    /* F */ "ao0o06 0f8f",
    /* G */ "~clbo0o06c6ce ce7e",
    /* H */ "060o c6co 0fcf",
    /* I */ "0o06",
    /* J */ "~8o8a86060b",
    /* K */ "060o bo0d 4hc6",
    /* L */ "0o06a6",
    /* M */ "060o7ceoe6",
    /* N */ "060oc6co",
    /* O */ "@0odod606",
    /* P */ "060o ~0o6obobe6e0e",
    /* Q */ "@0odod606 8ad5",
    /* R */ "060o ~0o6obobe6e0e 6ec6",
    /* S */ "~bkbo0o0fbfb6060a",
    /* T */ "0oco 6o66",
    /* U */ "~0o0c06c6ccco",
    /* V */ "0o66co",
    /* W */ "0o469oe6io",
    /* X */ "0oc6 co06",
    /* Y */ "0o6fco 6f66",
    /* Z */ "0oco06c6",
    /* [ */ "4q0q0343",
    /* \ */ "0q83",
    /* ] */ "0q4q4303",
    /* ^ */ "0i5oai",
    /* _ */ "04b4",
    /* ` */ "0p3l",
    /* a */ "@0iaia606 aia6",
    /* b */ "0o06 @0iaia606",
    /* c */ "~9g8i0i068698",
    /* d */ "aoa6 @0iaia606",
    /* e */ "0cac ~acai0i0696a9",
    /* f */ "~7o3o3i36 0i6i",
    /* g */ "@0iaia606 ~aia5a00003",
    /* h */ "0o06 ~0c0iaiaca6",
    /* i */ "0i06 0n",
    /* j */ "~3i343000 3n",
    /* k */ "0o06 9i0a 3da6",
    /* l */ "~0o0a0636",
    /* m */ "0i06 ~0c0i7i7c76 ~7c7ieiece6",
    /* n */ "0i06 ~0c0iaiaca6",
    /* o */ "@0ibib606",
    /* p */ "0i00 @0iaia606",
    /* q */ "aia0 @0iaia606",
    /* r */ "0i06 ~0b0i6i",
    /* s */ "~8g8i0i0c9c960608",
    /* t */ "~3n3a3676 0i7i",
    /* u */ "~0i0c06a6ac aia6",
    /* v */ "0i56ai",
    /* w */ "0i468ic6gi",
    /* x */ "0ia6 ai06",
    /* y */ "0i56 ai30",
    /* z */ "0iai06a6",
    /* { */ "~6q3q3j3f0f ~0f3f3a3363",
    /* | */ "0q03",
    /* } */ "~0q3q3j3f6f ~6f3f3a3303",
    /* ~ */ "~0d3i7cah",
};
static const char other_glyph[] = "0o8o86060o";

// In units of the grid above.
static const double capital_height = 18, baseline_height = 6;
static const double gap = 5.5, space_width = 8;
static const double digit_width = 11; // all alike, so that numbers line up
static const double stroke_radius = 1.15;
// Strokes stay visible at small sizes (pixels).
static const double least_radius = 0.52;
static const double halo_width = 1.6;

#define CURVE_STEPS 6
// The longest stroke has 8 points, of which each makes a curve.
#define MAX_POINTS 8
#define MAX_SEGMENTS (4 * MAX_POINTS * CURVE_STEPS)

typedef struct point {
    double x, y;
} point;

// A glyph as straight pieces, in units of the grid.
typedef struct outline {
    uint32_t count;
    point from[MAX_SEGMENTS], to[MAX_SEGMENTS];
} outline;

static int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c - 'a' + 10;
}

// Moves past one character of UTF-8 and gives its glyph.
static const char *next_glyph(const char **text, bool *is_digit, bool *is_space) {
    unsigned char c = (unsigned char)*(*text)++;
    *is_digit = c >= '0' && c <= '9';
    *is_space = c == ' ';
    while (((unsigned char)**text & 0xc0) == 0x80) {
        ++*text;
    }
    return c >= ' ' && c <= '~' ? glyphs[c - ' '] : other_glyph;
}

static double glyph_width(const char *glyph) {
    int width = 0;
    while (*glyph != 0) {
        if (*glyph == ' ' || *glyph == '~' || *glyph == '@') {
            ++glyph;
            continue;
        }
        int x = digit_of(glyph[0]);
        width = x > width ? x : width;
        glyph += 2;
    }
    return width;
}

static double glyph_advance(const char *glyph, bool is_digit, bool is_space) {
    return is_space ? space_width : (is_digit ? digit_width : glyph_width(glyph)) + gap;
}

double sni_text_width(const char *text, double size) {
    double width = 0;
    bool is_digit, is_space;
    while (*text != 0) {
        const char *glyph = next_glyph(&text, &is_digit, &is_space);
        width += glyph_advance(glyph, is_digit, is_space);
    }
    return width > gap ? (width - gap) * size / capital_height : 0;
}

double sni_text_fit(const char *text, double size, double room) {
    double width = sni_text_width(text, size);
    return width > room ? size * fmax(0, room) / width : size;
}

static void add_segment(outline *shape, point a, point b) {
    if (shape->count < MAX_SEGMENTS) {
        shape->from[shape->count] = a;
        shape->to[shape->count] = b;
        shape->count++;
    }
}

static point middle(point a, point b) {
    return (point){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

static void add_bezier(outline *shape, point a, point control, point b) {
    point last = a;
    for (int i = 1; i <= CURVE_STEPS; ++i) {
        double t = i / (double)CURVE_STEPS, s = 1 - t;
        point next = {s * s * a.x + 2 * s * t * control.x + t * t * b.x,
                      s * s * a.y + 2 * s * t * control.y + t * t * b.y};
        add_segment(shape, last, next);
        last = next;
    }
}

static void add_stroke(outline *shape, const point *points, uint32_t count, char kind) {
    if (kind == '@') {
        for (uint32_t i = 0; i < count; ++i) {
            point before = points[(i + count - 1) % count], after = points[(i + 1) % count];
            add_bezier(shape, middle(before, points[i]), points[i], middle(points[i], after));
        }
    } else if (kind == '~' && count > 2) {
        for (uint32_t i = 1; i + 1 < count; ++i) {
            point from = i == 1 ? points[0] : middle(points[i - 1], points[i]);
            point to = i + 2 == count ? points[i + 1] : middle(points[i], points[i + 1]);
            add_bezier(shape, from, points[i], to);
        }
    } else if (count == 1) {
        add_segment(shape, points[0], points[0]);
    } else {
        for (uint32_t i = 0; i + 1 < count; ++i) {
            add_segment(shape, points[i], points[i + 1]);
        }
    }
}

static void read_glyph(const char *glyph, outline *shape) {
    shape->count = 0;
    while (*glyph != 0) {
        char kind = *glyph == '~' || *glyph == '@' ? *glyph++ : 0;
        point points[MAX_POINTS] = {{0, 0}};
        uint32_t count = 0;
        for (; *glyph != 0 && *glyph != ' '; glyph += 2) {
            if (count < MAX_POINTS) {
                points[count++] = (point){digit_of(glyph[0]), digit_of(glyph[1])};
            }
        }
        add_stroke(shape, points, count, kind);
        glyph += *glyph == ' ';
    }
}

static double segment_distance(point a, point b, point p) {
    double dx = b.x - a.x, dy = b.y - a.y;
    double square = dx * dx + dy * dy;
    double t = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// Distance of a point (grid units) from the glyph's strokes.
static double outline_distance(const outline *shape, point p) {
    double distance = INFINITY;
    for (uint32_t i = 0; i < shape->count; ++i) {
        distance = fmin(distance, segment_distance(shape->from[i], shape->to[i], p));
    }
    return distance;
}

// Covers the glyph whose origin (grid x = 0 on the baseline) is at (x, baseline), with strokes of
// `radius` pixels.
static void draw_glyph(sn_image *image, const outline *shape, double x, double baseline,
                       double scale, double width, double radius, const uint8_t color[3],
                       double strength) {
    double border = radius + 1;
    int64_t left = (int64_t)floor(x - border), right = (int64_t)ceil(x + width * scale + border);
    int64_t top = (int64_t)floor(baseline - 20 * scale - border);
    int64_t bottom = (int64_t)ceil(baseline + baseline_height * scale + border);
    for (int64_t row = top; row < bottom; ++row) {
        for (int64_t column = left; column < right; ++column) {
            point p = {((double)column + 0.5 - x) / scale,
                       (baseline - (double)row - 0.5) / scale + baseline_height};
            double coverage = radius + 0.5 - outline_distance(shape, p) * scale;
            if (coverage > 0) {
                sni_image_blend(image, column, row, color, strength * fmin(1, coverage));
            }
        }
    }
}

static void draw_pass(sn_image *image, double x, double baseline, double scale, const char *text,
                      double radius, const uint8_t color[3], double strength) {
    outline shape;
    bool is_digit, is_space;
    while (*text != 0) {
        const char *glyph = next_glyph(&text, &is_digit, &is_space);
        double advance = glyph_advance(glyph, is_digit, is_space);
        read_glyph(glyph, &shape);
        if (shape.count > 0) {
            draw_glyph(image, &shape, x, baseline, scale, glyph_width(glyph), radius, color,
                       strength);
        }
        x += advance * scale;
    }
}

void sni_text_draw(sn_image *image, double x, double baseline, double size, const char *text,
                   const uint8_t ink[3], const uint8_t *halo) {
    if (!(size > 0)) {
        return;
    }
    double scale = size / capital_height;
    double radius = fmax(least_radius, stroke_radius * scale);
    if (halo != NULL) {
        draw_pass(image, x, baseline, scale, text, radius + halo_width, halo, 0.75);
    }
    draw_pass(image, x, baseline, scale, text, radius, ink, 1);
}
