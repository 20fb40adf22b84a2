// SPDX-License-Identifier: Apache-2.0
//
// Reading takes the exact path of Clinger 1990 where digits and power of ten are both exactly
// representable, which covers nearly all numbers in real files, and strtod elsewhere. The library
// may not touch the process locale, so strtod's decimal point is found from what printf writes.
#include "base/number.h"

#include "base/error.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 10^22 is the largest power of ten that a double holds exactly.
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define EXACT_POWER_MAX 22
#define EXACT_DIGITS_MAX ((uint64_t)1 << 53)

// Exponents beyond this give zero or infinity whatever the digits are; capping keeps sums in range.
#define EXPONENT_CAP 100000

// Longer numbers are read from their first 19 significant digits: 767 digits decide every tie, and
// nothing but an attack writes more.
#define TEXT_MAX 1100

typedef struct scanned {
    bool negative;
    uint64_t digits; // the first 19 significant ones
    int digit_count; // significant digits seen
    int exponent;    // value = digits * 10^exponent while digit_count <= 19
    const char *end;
} scanned;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *scan_digits(const char *c, const char *end, scanned *number, bool fraction) {
    for (; c < end && is_digit(*c); ++c) {
        if (number->digit_count > 0 || *c != '0') {
            number->digit_count++;
        }
        if (number->digit_count <= 19) {
            number->digits = number->digits * 10 + (uint64_t)(*c - '0');
            number->exponent -= fraction;
        } else {
            number->exponent += !fraction;
        }
    }
    return c;
}

static const char *scan_exponent(const char *c, const char *end, int *exponent) {
    const char *start = c;
    if (c == end || (*c != 'e' && *c != 'E')) {
        return start;
    }
    ++c;
    bool negative = c < end && *c == '-';
    c += c < end && (*c == '-' || *c == '+');
    if (c == end || !is_digit(*c)) {
        return start;
    }
    int value = 0;
    for (; c < end && is_digit(*c); ++c) {
        value = value < EXPONENT_CAP ? value * 10 + (*c - '0') : EXPONENT_CAP;
    }
    *exponent += negative ? -value : value;
    return c;
}

static bool scan(const char *text, const char *end, scanned *number) {
    *number = (scanned){0};
    const char *c = text;
    if (c < end && (*c == '-' || *c == '+')) {
        number->negative = *c == '-';
        ++c;
    }
    const char *whole = c;
    c = scan_digits(c, end, number, false);
    bool has_digits = c > whole;
    if (c < end && *c == '.') {
        const char *fraction = c + 1;
        c = scan_digits(fraction, end, number, true);
        has_digits = has_digits || c > fraction;
    }
    if (!has_digits) {
        return false;
    }
    number->end = scan_exponent(c, end, &number->exponent);
    return true;
}

static double read_by_strtod(const char *text, const scanned *number) {
    char copy[TEXT_MAX + 1];
    size_t length = (size_t)(number->end - text);
    if (length <= TEXT_MAX) {
        memcpy(copy, text, length);
        copy[length] = 0;
    } else {
        snprintf(copy, sizeof copy, "%s%" PRIu64 "e%d", number->negative ? "-" : "", number->digits,
                 number->exponent);
    }
    char half[8];
    snprintf(half, sizeof half, "%.1f", 0.5);
    char *point = strchr(copy, '.');
    if (point != NULL) {
        *point = half[1];
    }
    return strtod(copy, NULL);
}

const char *sni_number_read(const char *text, const char *end, double *number) {
    SN_ASSERT(text <= end);
    scanned s;
    if (!scan(text, end, &s)) {
        return NULL;
    }
    if (s.digits == 0 && s.digit_count == 0) {
        *number = s.negative ? -0.0 : 0.0;
    } else if (s.digit_count <= 19 && s.digits <= EXACT_DIGITS_MAX &&
               abs(s.exponent) <= EXACT_POWER_MAX) {
        double value = (double)s.digits;
        value =
            s.exponent < 0 ? value / exact_powers[-s.exponent] : value * exact_powers[s.exponent];
        *number = s.negative ? -value : value;
    } else {
        *number = read_by_strtod(text, &s);
    }
    return s.end;
}

const char *sni_number_read_uint(const char *text, const char *end, uint32_t *number) {
    SN_ASSERT(text <= end);
    uint64_t value = 0;
    const char *c = text;
    for (; c < end && is_digit(*c); ++c) {
        value = value * 10 + (uint64_t)(*c - '0');
        if (value > UINT32_MAX) {
            return NULL;
        }
    }
    *number = (uint32_t)value;
    return c > text ? c : NULL;
}

// printf writes the locale's decimal point, and exponents as "e+07"; files want a dot and "e7".
static int print_digits(double number, int digits, char *text) {
    snprintf(text, SNI_NUMBER_BYTES, "%.*g", digits, number);
    char *to = text;
    for (const char *from = text; *from != 0; ++from) {
        bool in_exponent = to > text && (to[-1] == 'e' || (to[-1] == '-' && to > text + 1));
        if (in_exponent && (*from == '+' || *from == '0')) {
            continue;
        }
        *to++ = is_digit(*from) || *from == '-' || *from == 'e' ? *from : '.';
    }
    *to = 0;
    return (int)(to - text);
}

// A decimal of up to 15 digits survives the way through a normal double, so where 15 digits read
// back equal, %g has already printed the shortest form. Denormals have fewer digits than that.
int sni_number_write(double number, char text[SNI_NUMBER_BYTES]) {
    int first = fabs(number) < DBL_MIN ? 1 : 15;
    int length = 0;
    for (int digits = first; digits <= 17; ++digits) {
        length = print_digits(number, digits, text);
        double again;
        if (sni_number_read(text, text + length, &again) != NULL && again == number) {
            break;
        }
    }
    return length;
}

static char *put_digits(char *text, uint64_t number, int width) {
    for (int i = width; i-- > 0; number /= 10) {
        text[i] = (char)('0' + number % 10);
    }
    return text + width;
}

// Writes digits / 10^decimals without zeros at the end.
static int print_plain(bool negative, uint64_t digits, int decimals, char *text) {
    while (decimals > 0 && digits % 10 == 0) {
        digits /= 10;
        --decimals;
    }
    uint64_t unit = (uint64_t)exact_powers[decimals];
    uint64_t whole = digits / unit;
    int width = 1;
    for (uint64_t rest = whole / 10; rest > 0; rest /= 10) {
        ++width;
    }
    char *end = text;
    if (negative) {
        *end++ = '-';
    }
    end = put_digits(end, whole, width);
    if (decimals > 0) {
        *end++ = '.';
        end = put_digits(end, digits % unit, decimals);
    }
    *end = 0;
    return (int)(end - text);
}

// What the loop below would print, without printf, for the numbers that %g writes without exponent
// whatever their digits: 24 bits of a float times 10^12 (28 bits and a power of two) are exact, and
// so is the division that reads them back. 0 for other numbers.
static int write_plain_float(float number, char *text) {
    double size = fabs((double)number);
    if (!(size >= 1e-4 && size < 1e6)) {
        return 0;
    }
    int decimals = 9; // so that six digits stand before and behind the point together
    for (double bound = 1e-3; size >= bound && bound < 1e6; bound *= 10) {
        --decimals;
    }
    for (int more = 0; more <= 3; ++more) {
        double digits = rint(size * exact_powers[decimals + more]);
        if ((float)(digits / exact_powers[decimals + more]) == (float)size) {
            return print_plain(signbit(number), (uint64_t)digits, decimals + more, text);
        }
    }
    return 0;
}

int sni_number_write_float(float number, char text[SNI_NUMBER_BYTES]) {
    int plain = write_plain_float(number, text);
    if (plain > 0) {
        return plain;
    }
    int first = fabsf(number) < FLT_MIN ? 1 : 6;
    int length = 0;
    for (int digits = first; digits <= 9; ++digits) {
        length = print_digits((double)number, digits, text);
        double again;
        if (sni_number_read(text, text + length, &again) != NULL && (float)again == number) {
            break;
        }
    }
    return length;
}
