// SPDX-License-Identifier: Apache-2.0
//
// The table of well-known names. A name is brought into one form first: prefixes of exporters are
// cut off, words (parted by separators or capitals) are written small without separators, the words
// "l", "left", "r", "right" are taken out as the side, numbers are taken out.
//
//     mixamorig:LeftUpLeg -> left  "upleg"      DEF-upper_arm.L.001 -> left "upperarm"
//     lowerleg02.R        -> right "lowerleg"   Bip01 L Calf        -> left "calf"
#include "motion/body_names.h"

#include "base/letters.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

// Longer names are not well known.
#define NAME_BYTES 64

static const char *const prefixes[] = {"mixamorig", "def-",     "org-",     "bip01",
                                       "bip001",    "cc_base_", "skeleton_"};

static const struct {
    const char *name;
    sni_body_part part;
} centre_names[] = {
    {"hips", SNI_BODY_HIPS},        {"hip", SNI_BODY_HIPS},         {"pelvis", SNI_BODY_HIPS},
    {"spine", SNI_BODY_SPINE},      {"lowerback", SNI_BODY_SPINE},  {"upperback", SNI_BODY_SPINE},
    {"chest", SNI_BODY_SPINE},      {"upperchest", SNI_BODY_SPINE}, {"torso", SNI_BODY_SPINE},
    {"abdomen", SNI_BODY_SPINE},    {"waist", SNI_BODY_SPINE},      {"thorax", SNI_BODY_SPINE},
    {"lowerspine", SNI_BODY_SPINE}, {"upperspine", SNI_BODY_SPINE}, {"neck", SNI_BODY_NECK},
    {"head", SNI_BODY_HEAD},
};

static const struct {
    const char *name;
    sni_body_part part;
} side_names[] = {
    {"clavicle", SNI_BODY_CLAVICLE},
    {"collar", SNI_BODY_CLAVICLE},
    {"collarbone", SNI_BODY_CLAVICLE},
    {"shoulder", SNI_BODY_CLAVICLE},
    {"arm", SNI_BODY_UPPER_ARM},
    {"upperarm", SNI_BODY_UPPER_ARM},
    {"uparm", SNI_BODY_UPPER_ARM},
    {"humerus", SNI_BODY_UPPER_ARM},
    {"forearm", SNI_BODY_FOREARM},
    {"lowerarm", SNI_BODY_FOREARM},
    {"lowarm", SNI_BODY_FOREARM},
    {"elbow", SNI_BODY_FOREARM},
    {"hand", SNI_BODY_HAND},
    {"wrist", SNI_BODY_HAND},
    {"thigh", SNI_BODY_THIGH},
    {"upleg", SNI_BODY_THIGH},
    {"upperleg", SNI_BODY_THIGH},
    {"hip", SNI_BODY_THIGH},
    {"femur", SNI_BODY_THIGH},
    {"leg", SNI_BODY_SHIN},
    {"shin", SNI_BODY_SHIN},
    {"calf", SNI_BODY_SHIN},
    {"lowerleg", SNI_BODY_SHIN},
    {"lowleg", SNI_BODY_SHIN},
    {"knee", SNI_BODY_SHIN},
    {"tibia", SNI_BODY_SHIN},
    {"foot", SNI_BODY_FOOT},
    {"ankle", SNI_BODY_FOOT},
    {"toe", SNI_BODY_TOES},
    {"toes", SNI_BODY_TOES},
    {"toebase", SNI_BODY_TOES},
    {"ball", SNI_BODY_TOES},
    {"thumb", SNI_BODY_THUMB},
    {"handthumb", SNI_BODY_THUMB},
    {"index", SNI_BODY_INDEX},
    {"handindex", SNI_BODY_INDEX},
    {"findex", SNI_BODY_INDEX},
    {"middle", SNI_BODY_MIDDLE},
    {"handmiddle", SNI_BODY_MIDDLE},
    {"fmiddle", SNI_BODY_MIDDLE},
    {"mid", SNI_BODY_MIDDLE},
    {"ring", SNI_BODY_RING},
    {"handring", SNI_BODY_RING},
    {"fring", SNI_BODY_RING},
    {"pinky", SNI_BODY_LITTLE},
    {"handpinky", SNI_BODY_LITTLE},
    {"fpinky", SNI_BODY_LITTLE},
    {"little", SNI_BODY_LITTLE},
    {"handlittle", SNI_BODY_LITTLE},
};

typedef struct parsed_name {
    char words[NAME_BYTES]; // joined, small, without side and numbers
    sni_body_side side;
    int first_number; // -1: none
} parsed_name;

static const char *skip_prefixes(const char *name) {
    const char *space = strpbrk(name, ":|");
    while (space != NULL) {
        name = space + 1;
        space = strpbrk(name, ":|");
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i) {
        size_t length = strlen(prefixes[i]);
        if (strncasecmp(name, prefixes[i], length) == 0) {
            return name + length;
        }
    }
    return name;
}

static sni_body_side side_of_word(const char *word, size_t length) {
    if ((length == 1 && (*word == 'l' || *word == 'L')) ||
        (length == 4 && strncasecmp(word, "left", 4) == 0)) {
        return SNI_SIDE_LEFT;
    }
    if ((length == 1 && (*word == 'r' || *word == 'R')) ||
        (length == 5 && strncasecmp(word, "right", 5) == 0)) {
        return SNI_SIDE_RIGHT;
    }
    return SNI_SIDE_NONE;
}

static void take_word(parsed_name *parsed, const char *word, size_t length) {
    sni_body_side side = side_of_word(word, length);
    if (sni_is_digit(*word)) {
        if (parsed->first_number < 0) {
            parsed->first_number = word[length - 1] - '0';
        }
    } else if (side != SNI_SIDE_NONE && parsed->side == SNI_SIDE_NONE) {
        parsed->side = side;
    } else {
        size_t used = strlen(parsed->words);
        for (size_t i = 0; i < length; ++i) {
            char c = word[i];
            parsed->words[used + i] = sni_is_upper(c) ? (char)(c - 'A' + 'a') : c;
        }
    }
}

static parsed_name parse_name(const char *name) {
    parsed_name parsed = {.first_number = -1};
    const char *c = skip_prefixes(name);
    if (strlen(c) >= NAME_BYTES) {
        return parsed;
    }
    while (*c != 0) {
        if (!sni_is_upper(*c) && !sni_is_lower(*c) && !sni_is_digit(*c)) {
            ++c;
            continue;
        }
        size_t length = sni_word_length(c);
        take_word(&parsed, c, length);
        c += length;
    }
    // Small letters throughout: "leftarm".
    for (int i = 0; i < 2 && parsed.side == SNI_SIDE_NONE; ++i) {
        const char *word = i == 0 ? "left" : "right";
        size_t length = strlen(word);
        if (strncmp(parsed.words, word, length) == 0) {
            parsed.side = i == 0 ? SNI_SIDE_LEFT : SNI_SIDE_RIGHT;
            memmove(parsed.words, parsed.words + length, strlen(parsed.words + length) + 1);
        }
    }
    return parsed;
}

static sni_named_role role_at_side(const parsed_name *parsed) {
    sni_named_role found = {{SNI_BODY_NONE, parsed->side}, SNI_HINT_PLAIN};
    for (size_t i = 0; i < sizeof side_names / sizeof *side_names; ++i) {
        if (strcmp(parsed->words, side_names[i].name) == 0) {
            found.role.part = side_names[i].part;
        }
    }
    if (strcmp(parsed->words, "finger") == 0 && parsed->first_number >= 1 &&
        parsed->first_number <= 5) {
        found.role.part = (sni_body_part)(SNI_BODY_THUMB + parsed->first_number - 1);
    }
    if (strcmp(parsed->words, "armjoint") == 0) {
        found.hint = SNI_HINT_ARM_CHAIN;
    } else if (strcmp(parsed->words, "legjoint") == 0) {
        found.hint = SNI_HINT_LEG_CHAIN;
    }
    return found;
}

sni_named_role sni_body_role_of_name(const char *name) {
    parsed_name parsed = parse_name(name);
    if (parsed.side != SNI_SIDE_NONE) {
        return role_at_side(&parsed);
    }
    sni_named_role found = {{SNI_BODY_NONE, SNI_SIDE_NONE}, SNI_HINT_PLAIN};
    for (size_t i = 0; i < sizeof centre_names / sizeof *centre_names; ++i) {
        if (strcmp(parsed.words, centre_names[i].name) == 0) {
            found.role.part = centre_names[i].part;
        }
    }
    if (strcmp(parsed.words, "root") == 0) {
        found.hint = SNI_HINT_WEAK_HIPS;
    } else if (strcmp(parsed.words, "torsojoint") == 0) {
        found.hint = SNI_HINT_TORSO_CHAIN;
    } else if (strcmp(parsed.words, "neckjoint") == 0) {
        found.hint = SNI_HINT_NECK_CHAIN;
    }
    return found;
}

// The first word of a name that tells its side, NULL when none does.
static const char *find_first_side(const char *name, size_t *length, sni_body_side *side) {
    for (const char *c = skip_prefixes(name); *c != 0; c += *length) {
        *length = 1;
        if (sni_is_upper(*c) || sni_is_lower(*c)) {
            *length = sni_word_length(c);
            *side = side_of_word(c, *length);
            for (int i = 0; i < 2 && *side == SNI_SIDE_NONE; ++i) { // "leftarm"
                size_t letters = i == 0 ? 4 : 5;
                if (strncmp(c, i == 0 ? "left" : "right", letters) == 0) {
                    *side = i == 0 ? SNI_SIDE_LEFT : SNI_SIDE_RIGHT;
                    *length = letters;
                }
            }
            if (*side != SNI_SIDE_NONE) {
                return c;
            }
        }
    }
    return NULL;
}

// The same, but in "L4 rib.R" the last letter: one with a digit behind it may be a vertebra's.
static const char *find_side(const char *name, size_t *length, sni_body_side *side) {
    const char *first = find_first_side(name, length, side);
    const char *last = name + strlen(name) - (name[0] != 0);
    bool doubtful = first != NULL && *length == 1 && sni_is_digit(first[1]);
    if (doubtful && (last[-1] == '.' || last[-1] == '_') &&
        side_of_word(last, 1) != SNI_SIDE_NONE) {
        *side = side_of_word(last, 1);
        return last;
    }
    return first;
}

bool sni_body_has_side(const char *name) {
    size_t length;
    sni_body_side side;
    return find_side(name, &length, &side) != NULL;
}

sn_status sni_body_swap_side(sn_context *context, const char *name, char **swapped,
                             sn_error *error) {
    size_t length = 0;
    sni_body_side side = SNI_SIDE_NONE;
    const char *word = find_side(name, &length, &side);
    *swapped = NULL;
    if (word == NULL) {
        return SN_OK;
    }
    const char *other = length == 1             ? (side == SNI_SIDE_LEFT ? "r" : "l")
                        : side == SNI_SIDE_LEFT ? "right"
                                                : "left";
    size_t before = (size_t)(word - name), other_length = strlen(other);
    char *made = sni_alloc(context, strlen(name) + 2, 1);
    if (made == NULL) {
        return sni_fail_memory(error);
    }
    memcpy(made, name, before);
    for (size_t i = 0; i < other_length; ++i) {
        bool capital = sni_is_upper(word[i < length ? i : length - 1]);
        made[before + i] = capital ? (char)(other[i] - 'a' + 'A') : other[i];
    }
    strcpy(made + before + other_length, word + length);
    *swapped = made;
    return SN_OK;
}
