// SPDX-License-Identifier: Apache-2.0
//
// Anatomical words in the names of bones. A name is cut into words (at separators, at capitals and
// between letters and digits), numbers and ordinals are read, and the word that ranks first in the
// table decides:
//
//     "middle phalanx of left ring finger" -> phalanx, left, hand, digit 4, level 2
//     "Os_metacarpale_II_L"                -> metacarpal 2, left
//     "L_5", "T12", "Ca_3"                 -> lumbar 5, thoracic 12, caudal 3
#include "fit/body/words.h"

#include "base/letters.h"

#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 32
#define MOST_WORDS 16

typedef struct words {
    int count;
    char texts[MOST_WORDS][WORD_BYTES]; // small letters
    bool capital[MOST_WORDS];           // written in capitals throughout
    int numbers[MOST_WORDS];            // digits, ordinals and Roman numerals; 0: none
} words;

typedef struct entry {
    const char *word; // the beginning of a word; with '=' in front the whole word, '*' any part
    sni_bone_kind kind;
} entry;

// By rank: "Tibial_tarsal" is a tarsal, "rib" counts before the vertebra it hangs on, and a tooth
// before the jaw that it stands in.
static const entry table[] = {
    {"tooth", SNI_BONE_TOOTH},
    {"teeth", SNI_BONE_TOOTH},
    {"incisor", SNI_BONE_TOOTH},
    {"canine", SNI_BONE_TOOTH},
    {"premolar", SNI_BONE_TOOTH},
    {"molar", SNI_BONE_TOOTH},
    {"phalan", SNI_BONE_PHALANX},
    {"metacarp", SNI_BONE_METACARPAL},
    {"metatars", SNI_BONE_METATARSAL},
    {"tarsal", SNI_BONE_TARSAL},
    {"tarsus", SNI_BONE_TARSAL},
    {"tarsi", SNI_BONE_TARSAL},
    {"calcan", SNI_BONE_TARSAL},
    {"talus", SNI_BONE_TARSAL},
    {"astragal", SNI_BONE_TARSAL},
    {"navicular", SNI_BONE_TARSAL},
    {"cuboid", SNI_BONE_TARSAL},
    {"cuneiform", SNI_BONE_TARSAL},
    {"carpal", SNI_BONE_CARPAL},
    {"carpus", SNI_BONE_CARPAL},
    {"carpi", SNI_BONE_CARPAL},
    {"scaphoid", SNI_BONE_CARPAL},
    {"lunate", SNI_BONE_CARPAL},
    {"triquetr", SNI_BONE_CARPAL},
    {"pisiform", SNI_BONE_CARPAL},
    {"trapezium", SNI_BONE_CARPAL},
    {"trapezoid", SNI_BONE_CARPAL},
    {"capitate", SNI_BONE_CARPAL},
    {"hamate", SNI_BONE_CARPAL},
    {"costal", SNI_BONE_RIB},
    {"=rib", SNI_BONE_RIB},
    {"=ribs", SNI_BONE_RIB},
    {"costa", SNI_BONE_RIB},
    {"stern", SNI_BONE_STERNUM},
    {"manubrium", SNI_BONE_STERNUM},
    {"xiphoid", SNI_BONE_STERNUM},
    {"breastbone", SNI_BONE_STERNUM},
    {"sacrum", SNI_BONE_SACRUM},
    {"sacral", SNI_BONE_SACRUM},
    {"coccyx", SNI_BONE_SACRUM},
    {"lumbar", SNI_BONE_LUMBAR},
    {"thoracic", SNI_BONE_THORACIC},
    {"dorsal", SNI_BONE_THORACIC},
    {"cervical", SNI_BONE_CERVICAL},
    {"=atlas", SNI_BONE_CERVICAL},
    {"=axis", SNI_BONE_CERVICAL},
    {"caudal", SNI_BONE_CAUDAL},
    {"coccyg", SNI_BONE_CAUDAL},
    {"tail", SNI_BONE_CAUDAL},
    {"*hyoid", SNI_BONE_HYOID},
    {"lingual", SNI_BONE_HYOID},
    {"thyroid", SNI_BONE_HYOID},
    {"cricoid", SNI_BONE_HYOID},
    {"arytenoid", SNI_BONE_HYOID},
    {"laryn", SNI_BONE_HYOID},
    {"epiglott", SNI_BONE_HYOID},
    {"mandib", SNI_BONE_MANDIBLE},
    {"=jaw", SNI_BONE_MANDIBLE},
    {"jawbone", SNI_BONE_MANDIBLE},
    {"temporal", SNI_BONE_TEMPORAL},
    {"occipit", SNI_BONE_OCCIPITAL},
    {"cranium", SNI_BONE_CRANIUM},
    {"cranial", SNI_BONE_CRANIUM},
    {"*skull", SNI_BONE_CRANIUM},
    {"calvari", SNI_BONE_CRANIUM},
    {"frontal", SNI_BONE_CRANIUM},
    {"parietal", SNI_BONE_CRANIUM},
    {"*sphenoid", SNI_BONE_CRANIUM},
    {"ethmoid", SNI_BONE_CRANIUM},
    {"vomer", SNI_BONE_CRANIUM},
    {"lacrimal", SNI_BONE_CRANIUM},
    {"zygoma", SNI_BONE_CRANIUM},
    {"cheekbone", SNI_BONE_CRANIUM},
    {"*maxill", SNI_BONE_CRANIUM},
    {"palat", SNI_BONE_CRANIUM},
    {"nasal", SNI_BONE_CRANIUM},
    {"concha", SNI_BONE_CRANIUM},
    {"turbinat", SNI_BONE_CRANIUM},
    {"incisive", SNI_BONE_CRANIUM},
    {"pterygoid", SNI_BONE_CRANIUM},
    {"malleus", SNI_BONE_CRANIUM},
    {"incus", SNI_BONE_CRANIUM},
    {"stapes", SNI_BONE_CRANIUM},
    {"auric", SNI_BONE_CRANIUM},
    {"=eye", SNI_BONE_CRANIUM},
    {"eyeball", SNI_BONE_CRANIUM},
    {"=ear", SNI_BONE_CRANIUM},
    {"=nose", SNI_BONE_CRANIUM},
    {"clavic", SNI_BONE_CLAVICLE},
    {"collarbone", SNI_BONE_CLAVICLE},
    {"scapul", SNI_BONE_SCAPULA},
    {"patell", SNI_BONE_PATELLA},
    {"kneecap", SNI_BONE_PATELLA},
    {"fabell", SNI_BONE_FEMUR},
    {"femur", SNI_BONE_FEMUR},
    {"femor", SNI_BONE_FEMUR},
    {"thighbone", SNI_BONE_FEMUR},
    {"=tibia", SNI_BONE_TIBIA},
    {"shinbone", SNI_BONE_TIBIA},
    {"=fibula", SNI_BONE_FIBULA},
    {"humer", SNI_BONE_HUMERUS},
    {"=radius", SNI_BONE_RADIUS},
    {"=ulna", SNI_BONE_ULNA},
    {"olecranon", SNI_BONE_ULNA},
    {"=hip", SNI_BONE_HIP},
    {"coxa", SNI_BONE_HIP},
    {"innominate", SNI_BONE_HIP},
    {"ilium", SNI_BONE_HIP},
    {"ischium", SNI_BONE_HIP},
    {"pubis", SNI_BONE_HIP},
    {"pelvi", SNI_BONE_HIP},
    {"=foot", SNI_BONE_TARSAL},
    {"=hand", SNI_BONE_CARPAL},
};

// ---------------------------------------------------------------------------------------------
// Words

static int number_of(const char *word, bool capital) {
    static const char *const ordinals[] = {"first",    "second",  "third",     "fourth", "fifth",
                                           "sixth",    "seventh", "eighth",    "ninth",  "tenth",
                                           "eleventh", "twelfth", "thirteenth"};
    static const char *const roman[] = {"i",    "ii", "iii", "iv", "v",   "vi",  "vii",
                                        "viii", "ix", "x",   "xi", "xii", "xiii"};
    if (sni_is_digit(word[0])) {
        return strlen(word) < 4 ? atoi(word) : 0;
    }
    for (int i = 0; i < 13; ++i) {
        if (strcmp(word, ordinals[i]) == 0 || (capital && strcmp(word, roman[i]) == 0)) {
            return i + 1;
        }
    }
    return 0;
}

static words split(const char *name) {
    words w = {0};
    for (const char *c = name; *c != 0 && w.count < MOST_WORDS;) {
        if (!sni_is_upper(*c) && !sni_is_lower(*c) && !sni_is_digit(*c)) {
            ++c;
            continue;
        }
        size_t length = sni_word_length(c);
        bool capital = true;
        for (size_t i = 0; i < length && i + 1 < WORD_BYTES; ++i) {
            w.texts[w.count][i] = sni_is_upper(c[i]) ? (char)(c[i] - 'A' + 'a') : c[i];
            capital &= !sni_is_lower(c[i]);
        }
        w.capital[w.count] = capital;
        w.numbers[w.count] = number_of(w.texts[w.count], capital);
        w.count++;
        c += length;
    }
    return w;
}

static bool has_word(const words *w, const char *word) {
    for (int i = 0; i < w->count; ++i) {
        if (strcmp(w->texts[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static bool has_beginning(const words *w, const char *beginning) {
    for (int i = 0; i < w->count; ++i) {
        if (begins(w->texts[i], beginning)) {
            return true;
        }
    }
    return false;
}

static bool matches(const words *w, const char *pattern) {
    if (pattern[0] == '=') {
        return has_word(w, pattern + 1);
    }
    if (pattern[0] != '*') {
        return has_beginning(w, pattern);
    }
    for (int i = 0; i < w->count; ++i) {
        if (strstr(w->texts[i], pattern + 1) != NULL) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// What they say

static int first_number(const words *w) {
    for (int i = 0; i < w->count; ++i) {
        if (w->numbers[i] > 0) {
            return w->numbers[i];
        }
    }
    return 0;
}

// "L_5", "T12", "C7", "Ca_3" and nothing else: letters of a region and a number.
static bool read_vertebra_code(const words *w, sni_bone_name *found) {
    static const struct {
        const char *letters;
        sni_bone_kind kind;
    } codes[] = {{"l", SNI_BONE_LUMBAR},   {"t", SNI_BONE_THORACIC}, {"th", SNI_BONE_THORACIC},
                 {"c", SNI_BONE_CERVICAL}, {"ca", SNI_BONE_CAUDAL},  {"cd", SNI_BONE_CAUDAL},
                 {"cy", SNI_BONE_CAUDAL},  {"s", SNI_BONE_SACRUM},   {"co", SNI_BONE_SACRUM}};
    int first = w->count > 2 && (strcmp(w->texts[0], "vertebra") == 0) ? 1 : 0;
    if (w->count != first + 2 || !sni_is_digit(w->texts[first + 1][0])) {
        return false;
    }
    for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i) {
        if (strcmp(w->texts[first], codes[i].letters) == 0) {
            found->kind = codes[i].kind;
            found->number = w->numbers[first + 1];
            return true;
        }
    }
    return false;
}

static void read_side(const words *w, sni_bone_name *found) {
    for (int i = 0; i < w->count; ++i) {
        bool letter = w->texts[i][1] == 0;
        if (strcmp(w->texts[i], "left") == 0 || (letter && w->texts[i][0] == 'l')) {
            found->side = SNI_BONE_LEFT;
        } else if (strcmp(w->texts[i], "right") == 0 || (letter && w->texts[i][0] == 'r')) {
            found->side = SNI_BONE_RIGHT;
        }
    }
}

static bool is_finger_word(const char *word) {
    return begins(word, "finger") || begins(word, "toe") || begins(word, "digit");
}

// The digit that a word names by itself, or together with the one behind it.
static int digit_of(const words *w, int i) {
    static const struct {
        const char *beginning;
        int digit;
    } names[] = {{"thumb", 1}, {"poll", 1},  {"hallu", 1}, {"big", 1},
                 {"great", 1}, {"index", 2}, {"ring", 4},  {"little", 5},
                 {"pinky", 5}, {"minim", 5}, {"small", 5}};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        if (begins(w->texts[i], names[k].beginning)) {
            return names[k].digit;
        }
    }
    bool before_digit = i + 1 < w->count && is_finger_word(w->texts[i + 1]);
    bool after_digit = i > 0 && begins(w->texts[i - 1], "digit");
    if (before_digit && strcmp(w->texts[i], "middle") == 0) {
        return 3;
    }
    return before_digit || after_digit ? w->numbers[i] : 0;
}

static int level_of(const words *w, int i) {
    bool before_phalanx = i + 1 < w->count && begins(w->texts[i + 1], "phalan");
    if (begins(w->texts[i], "proximal")) {
        return 1;
    }
    if (begins(w->texts[i], "distal")) {
        return 3;
    }
    if (begins(w->texts[i], "media") || begins(w->texts[i], "intermed") ||
        (before_phalanx && strcmp(w->texts[i], "middle") == 0)) {
        return 2;
    }
    return before_phalanx && w->numbers[i] <= 3 ? w->numbers[i] : 0;
}

static void read_phalanx(const words *w, sni_bone_name *found) {
    static const char *const hand[] = {"finger", "thumb", "poll", "manus", "hand"};
    static const char *const foot[] = {"toe", "hallu", "pedis", "foot"};
    for (size_t i = 0; i < sizeof hand / sizeof *hand; ++i) {
        found->limb = has_beginning(w, hand[i]) ? SNI_LIMB_HAND : found->limb;
    }
    for (size_t i = 0; i < sizeof foot / sizeof *foot; ++i) {
        found->limb = has_beginning(w, foot[i]) ? SNI_LIMB_FOOT : found->limb;
    }
    found->number = 0;
    for (int i = 0; i < w->count; ++i) {
        int digit = digit_of(w, i), level = level_of(w, i);
        found->number = digit > 0 && found->number == 0 ? digit : found->number;
        found->level = level > 0 && found->level == 0 ? level : found->level;
    }
}

static void read_tooth(const words *w, sni_bone_name *found) {
    static const char *const upper[] = {"upper", "maxill", "top", "superior"};
    static const char *const lower[] = {"lower", "mandib", "bottom", "inferior"};
    for (int i = 0; i < 4; ++i) {
        found->jaw = has_beginning(w, upper[i]) ? 1 : has_beginning(w, lower[i]) ? -1 : found->jaw;
    }
}

static void read_details(const words *w, sni_bone_name *found) {
    found->number = first_number(w);
    if (found->kind == SNI_BONE_PHALANX) {
        read_phalanx(w, found);
    } else if (found->kind == SNI_BONE_TOOTH) {
        read_tooth(w, found);
    } else if (found->kind == SNI_BONE_CERVICAL && has_word(w, "atlas")) {
        found->number = 1;
    } else if (found->kind == SNI_BONE_CERVICAL && has_word(w, "axis")) {
        found->number = 2;
    } else if (found->kind == SNI_BONE_TARSAL && has_beginning(w, "navicular") &&
               (has_word(w, "hand") || has_word(w, "wrist"))) {
        found->kind = SNI_BONE_CARPAL; // the scaphoid's old name
    } else if (found->kind == SNI_BONE_MANDIBLE && has_word(w, "upper")) {
        found->kind = SNI_BONE_CRANIUM;
    }
}

sni_bone_name sni_bone_name_read(const char *name) {
    sni_bone_name found = {.kind = SNI_BONE_UNKNOWN};
    words w = split(name);
    if (read_vertebra_code(&w, &found)) {
        return found;
    }
    read_side(&w, &found);
    for (size_t i = 0; i < sizeof table / sizeof *table && found.kind == SNI_BONE_UNKNOWN; ++i) {
        if (matches(&w, table[i].word)) {
            found.kind = table[i].kind;
        }
    }
    if (found.kind != SNI_BONE_UNKNOWN) {
        read_details(&w, &found);
    }
    return found;
}
