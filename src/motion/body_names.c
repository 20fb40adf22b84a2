// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of bone names. A name is brought into one form first: characters that exporters
// escape are restored, namespaces are cut off, words (parted by separators or capitals) are written
// small, words that say nothing are left out, words for the side and for twist are taken out, and
// so are numbers. What remains, joined, is looked up.
//
//     mixamorig:LeftUpLeg -> left  "upleg"      DEF-upper_arm.L.001 -> left "upperarm"
//     lowerleg02.R        -> right "lowerleg"   Bip01 L Calf        -> left "calf"
//     thighFBXASC046L     -> left  "thigh"      lForearmTwist       -> left "forearm", twists
#include "motion/body_names.h"

#include "base/letters.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Longer names, and names of more words, are not well known.
#define NAME_BYTES 128
#define WORDS_MOST 12

// Names of a part, parted by spaces.
typedef struct part_names {
    sni_body_part part;
    const char *names;
} part_names;

static const part_names centre_names[] = {
    {SNI_BODY_HIPS, "hips hip pelvis spinebase midhip lowertorso lowerbody"},
    {SNI_BODY_SPINE,
     "spine lowerback upperback chest upperchest lowerchest chestlower chestupper "
     "torso uppertorso abdomen abdomenlower abdomenupper lowerabdomen upperabdomen "
     "ab waist thorax lowerspine upperspine midspine spinelower spineupper spinemid "
     "spineshoulder upperbody"},
    {SNI_BODY_NECK, "neck necklower neckupper lowerneck upperneck"},
    {SNI_BODY_HEAD, "head"},
};

static const part_names side_names[] = {
    {SNI_BODY_CLAVICLE, "clavicle clav collar collarbone shoulder shldr scapula sternoclavicular"},
    {SNI_BODY_UPPER_ARM, "arm upperarm uparm uarm armupper humerus"},
    {SNI_BODY_FOREARM, "forearm lowerarm lowarm loarm farm armlower elbow"},
    {SNI_BODY_HAND, "hand wrist"},
    {SNI_BODY_THIGH, "thigh upleg upperleg uleg legupper hip femur"},
    {SNI_BODY_SHIN, "leg shin calf lowerleg lowleg loleg leglower shank knee tibia"},
    {SNI_BODY_FOOT, "foot ankle"},
    {SNI_BODY_TOES, "toe toes toebase ball"},
};

static const part_names finger_names[] = {
    {SNI_BODY_THUMB, "thumb"},
    {SNI_BODY_INDEX, "index"},
    {SNI_BODY_MIDDLE, "middle mid"},
    {SNI_BODY_RING, "ring"},
    {SNI_BODY_LITTLE, "pinky pinkie little"},
};

// Words that say nothing: at the beginning of a name, and anywhere.
static const char leading_words[] = "mixamorig def j bip biped valve cc base skeleton character";
static const char empty_words[] = "c m jnt bn bnd bind bone bend stretch";

// Words for segments that share the turn of a limb along its axis.
static const char twist_words[] = "twist roll part";

// What may stand before and behind the name of a finger.
static const char finger_heads[] = "hand finger f";
static const char finger_tails[] = "finger proximal intermediate distal";

typedef struct name_word {
    const char *text;
    size_t length;
} name_word;

typedef struct parsed_name {
    char words[NAME_BYTES]; // joined, small, without side and numbers
    sni_body_side side;
    bool deforms;       // marked "DEF-"
    bool is_biped;      // "Bip01": fingers are counted from 0
    bool twists;        // has a word for twist
    const char *number; // the first one, NULL: none
    size_t digits;
} parsed_name;

// ---------------------------------------------------------------------------------------------
// Words

static bool is_letter(char c) {
    return sni_is_upper(c) || sni_is_lower(c);
}

static char to_small(char c) {
    return sni_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

// The entry of a list parted by spaces that is at the beginning of `text`; the first one that fits.
// Returns its length, 0 where there is none. `whole`: the text must be nothing else.
static size_t match_list(const char *list, const char *text, size_t length, bool whole) {
    for (const char *entry = list; *entry != 0;) {
        size_t size = strcspn(entry, " ");
        if ((whole ? size == length : size <= length) && strncasecmp(entry, text, size) == 0) {
            return size;
        }
        entry += size + (entry[size] == ' ');
    }
    return 0;
}

static sni_body_part find_part(const part_names *table, size_t count, const char *name) {
    for (size_t i = 0; i < count; ++i) {
        if (match_list(table[i].names, name, strlen(name), true) > 0) {
            return table[i].part;
        }
    }
    return SNI_BODY_NONE;
}

#define FIND_PART(table, name) find_part(table, sizeof table / sizeof *(table), name)

// "FBXASC046" stands for the character 46, ".".
static bool is_escape(const char *c) {
    return strncmp(c, "FBXASC", 6) == 0 && sni_is_digit(c[6]) && sni_is_digit(c[7]) &&
           sni_is_digit(c[8]);
}

// The name without namespaces and escapes; empty where it is too long.
static void clean_name(const char *name, char clean[NAME_BYTES]) {
    size_t used = 0;
    for (const char *c = name; *c != 0; ++c) {
        char plain = *c;
        if (is_escape(c)) {
            plain = (char)((c[6] - '0') * 100 + (c[7] - '0') * 10 + (c[8] - '0'));
            c += 8;
        }
        if (plain == ':' || plain == '|') {
            used = 0;
        } else if (used < NAME_BYTES) {
            clean[used++] = plain;
        }
    }
    clean[used < NAME_BYTES ? used : 0] = 0;
}

// 0 where there are too many words.
static size_t split_words(const char *name, name_word words[WORDS_MOST]) {
    size_t count = 0;
    for (const char *c = name; *c != 0;) {
        if (!is_letter(*c) && !sni_is_digit(*c)) {
            ++c;
            continue;
        }
        if (count == WORDS_MOST) {
            return 0;
        }
        words[count] = (name_word){c, sni_word_length(c)};
        c += words[count++].length;
    }
    return count;
}

static bool is_word_of(const char *list, name_word w) {
    return match_list(list, w.text, w.length, true) > 0;
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

// How many words at the beginning say nothing: those of exporters, and those that the skeleton's
// names have in common.
static size_t skip_leading(const name_word *words, size_t count, const sni_name_affixes *affixes,
                           parsed_name *parsed) {
    size_t i = 0;
    if (count > 2 && is_word_of("avg", words[1])) { // "m_avg_L_Hip" of SMPL
        i = 2;
    }
    for (; i < count; ++i) {
        bool number = i > 0 && sni_is_digit(*words[i].text);
        bool common = affixes != NULL && is_word_of(affixes->first, words[i]);
        if (!number && !common && !is_word_of(leading_words, words[i])) {
            break;
        }
        parsed->deforms |= is_word_of("def", words[i]);
        parsed->is_biped |= is_word_of("bip", words[i]);
    }
    return i;
}

static void take_word(parsed_name *parsed, name_word w) {
    sni_body_side side = side_of_word(w.text, w.length);
    if (sni_is_digit(*w.text)) {
        parsed->digits = parsed->number == NULL ? w.length : parsed->digits;
        parsed->number = parsed->number == NULL ? w.text : parsed->number;
    } else if (side != SNI_SIDE_NONE && parsed->side == SNI_SIDE_NONE) {
        parsed->side = side;
    } else if (is_word_of(twist_words, w)) {
        parsed->twists = true;
    } else if (!is_word_of(empty_words, w)) {
        size_t used = strlen(parsed->words);
        for (size_t i = 0; i < w.length; ++i) {
            parsed->words[used + i] = to_small(w.text[i]);
        }
    }
}

static void cut_from(char *words, size_t from, size_t length) {
    memmove(words + from, words + from + length, strlen(words + from + length) + 1);
}

// Small letters throughout: "leftarm", "upperarmtwist", and "lfoot" where "foot" is a part.
static void part_joined_words(parsed_name *parsed) {
    static const struct {
        const char *word;
        sni_body_side side;
    } sides[] = {{"left", SNI_SIDE_LEFT},
                 {"right", SNI_SIDE_RIGHT},
                 {"l", SNI_SIDE_LEFT},
                 {"r", SNI_SIDE_RIGHT}};
    char *words = parsed->words;
    for (size_t i = 0; i < 4 && parsed->side == SNI_SIDE_NONE; ++i) {
        size_t length = strlen(sides[i].word), all = strlen(words);
        bool before = strncmp(words, sides[i].word, length) == 0;
        bool behind = all > length && strcmp(words + all - length, sides[i].word) == 0;
        if (i >= 2) {
            before = before && FIND_PART(side_names, words + length) != SNI_BODY_NONE;
            behind = false;
        }
        if (before || behind) {
            parsed->side = sides[i].side;
            cut_from(words, before ? 0 : all - length, length);
        }
    }
    size_t all = strlen(words);
    if (all > 5 && strcmp(words + all - 5, "twist") == 0) {
        parsed->twists = true;
        words[all - 5] = 0;
    }
}

static parsed_name parse_name(const char *clean, const sni_name_affixes *affixes) {
    parsed_name parsed = {0};
    name_word words[WORDS_MOST];
    size_t count = split_words(clean, words);
    size_t begin = skip_leading(words, count, affixes, &parsed);
    while (count > begin && affixes != NULL && is_word_of(affixes->last, words[count - 1])) {
        --count;
    }
    for (size_t i = begin; i < count; ++i) {
        take_word(&parsed, words[i]);
    }
    part_joined_words(&parsed);
    return parsed;
}

// ---------------------------------------------------------------------------------------------
// Roles

static sni_body_part find_finger(const parsed_name *parsed) {
    const char *name = parsed->words;
    if (strcmp(name, "finger") == 0 && parsed->number != NULL) {
        int number =
            parsed->is_biped ? *parsed->number - '0' + 1 : parsed->number[parsed->digits - 1] - '0';
        return number >= 1 && number <= 5 ? (sni_body_part)(SNI_BODY_THUMB + number - 1)
                                          : SNI_BODY_NONE;
    }
    for (int heads = 0; heads < 3; ++heads) {
        for (size_t i = 0; i < sizeof finger_names / sizeof *finger_names; ++i) {
            sni_body_part part = finger_names[i].part;
            size_t length = match_list(finger_names[i].names, name, strlen(name), false);
            const char *rest = name + length;
            const char *tails = part == SNI_BODY_THUMB ? "metacarpal" : "";
            if (length > 0 && (*rest == 0 || match_list(finger_tails, rest, strlen(rest), true) ||
                               match_list(tails, rest, strlen(rest), true))) {
                return part;
            }
        }
        name += match_list(finger_heads, name, strlen(name), false);
    }
    return SNI_BODY_NONE;
}

static sni_named_role role_at_side(const parsed_name *parsed) {
    sni_named_role found = {{SNI_BODY_NONE, parsed->side}, SNI_HINT_PLAIN, false, false};
    found.role.part = FIND_PART(side_names, parsed->words);
    if (found.role.part == SNI_BODY_NONE) {
        found.role.part = find_finger(parsed);
    }
    if (strcmp(parsed->words, "armjoint") == 0) {
        found.hint = SNI_HINT_ARM_CHAIN;
    } else if (strcmp(parsed->words, "legjoint") == 0) {
        found.hint = SNI_HINT_LEG_CHAIN;
    }
    return found;
}

static sni_named_role role_at_centre(const parsed_name *parsed) {
    sni_named_role found = {{SNI_BODY_NONE, SNI_SIDE_NONE}, SNI_HINT_PLAIN, false, false};
    found.role.part = FIND_PART(centre_names, parsed->words);
    if (match_list("root cog", parsed->words, strlen(parsed->words), true) > 0) {
        found.hint = SNI_HINT_WEAK_HIPS;
    } else if (strcmp(parsed->words, "torsojoint") == 0) {
        found.hint = SNI_HINT_TORSO_CHAIN;
    } else if (strcmp(parsed->words, "neckjoint") == 0) {
        found.hint = SNI_HINT_NECK_CHAIN;
    }
    return found;
}

// "L5" and "T12": a lumbar or a thoracic vertebra.
static bool is_vertebra(const char *name) {
    return (*name == 'L' || *name == 'T') && sni_is_digit(name[1]) &&
           name[strspn(name + 1, "0123456789") + 1] == 0;
}

sni_named_role sni_body_role_of_name(const char *name, const sni_name_affixes *affixes) {
    char clean[NAME_BYTES];
    clean_name(name, clean);
    if (is_vertebra(clean)) {
        return (sni_named_role){{SNI_BODY_SPINE, SNI_SIDE_NONE}, SNI_HINT_PLAIN, false, false};
    }
    parsed_name parsed = parse_name(clean, affixes);
    sni_named_role found =
        parsed.side != SNI_SIDE_NONE ? role_at_side(&parsed) : role_at_centre(&parsed);
    found.hint = parsed.twists ? SNI_HINT_PLAIN : found.hint;
    found.twists = parsed.twists;
    found.deforms = parsed.deforms;
    return found;
}

// ---------------------------------------------------------------------------------------------
// What the names of a skeleton have in common

// Whether a word can be the mark of a character rather than the name of a part.
static bool can_be_common(name_word w) {
    parsed_name parsed = {0};
    take_word(&parsed, w);
    return is_letter(*w.text) && parsed.words[0] != 0 &&
           role_at_centre(&parsed).role.part == SNI_BODY_NONE &&
           FIND_PART(side_names, parsed.words) == SNI_BODY_NONE;
}

// The first word that is no common one yet, or the last that is no number.
static name_word vote_of(const char *clean, bool last, const sni_name_affixes *affixes) {
    name_word words[WORDS_MOST], none = {"", 0};
    parsed_name ignored = {0};
    size_t count = split_words(clean, words);
    size_t begin = skip_leading(words, count, affixes, &ignored);
    while (last && count > begin + 1 && sni_is_digit(*words[count - 1].text)) {
        --count;
    }
    if (begin + 1 >= count) { // a name of one word has none to spare
        return none;
    }
    name_word vote = words[last ? count - 1 : begin];
    return vote.length < SNI_AFFIX_WORD_BYTES && can_be_common(vote) ? vote : none;
}

// Adds the word for which more than half of the names vote (Boyer and Moore's majority).
static bool add_common(const sn_skeleton *skeleton, bool last, sni_name_affixes *affixes) {
    char clean[NAME_BYTES], leader[SNI_AFFIX_WORD_BYTES] = "";
    uint32_t lead = 0, votes = 0, count = skeleton->segment_count;
    for (uint32_t i = 0; i < 2 * count; ++i) { // the second time around the leader is counted
        const char *name = skeleton->segments[i % count].name;
        clean_name(name != NULL ? name : "", clean);
        name_word vote = vote_of(clean, last, affixes);
        bool same = vote.length > 0 && strlen(leader) == vote.length &&
                    strncasecmp(vote.text, leader, vote.length) == 0;
        if (i >= count) {
            votes += same;
        } else if (same) {
            ++lead;
        } else if (lead > 0) {
            --lead;
        } else if (vote.length > 0) {
            memcpy(leader, vote.text, vote.length);
            leader[vote.length] = 0;
            lead = 1;
        }
    }
    char *list = last ? affixes->last : affixes->first;
    if (2 * (uint64_t)votes <= count || strlen(list) + strlen(leader) + 2 > SNI_AFFIX_BYTES) {
        return false;
    }
    strcat(list, *list != 0 ? " " : "");
    strcat(list, leader);
    return true;
}

sni_name_affixes sni_name_affixes_find(const sn_skeleton *skeleton) {
    sni_name_affixes affixes = {"", ""};
    for (int i = 0; i < 3 && add_common(skeleton, false, &affixes); ++i) {
    }
    add_common(skeleton, true, &affixes);
    return affixes;
}

// ---------------------------------------------------------------------------------------------
// Sides

static const char *skip_namespaces(const char *name) {
    const char *end = name + strlen(name);
    while (end > name && end[-1] != ':' && end[-1] != '|') {
        --end;
    }
    return end;
}

// The first word of a name that tells its side, NULL when none does.
static const char *find_first_side(const char *name, size_t *length, sni_body_side *side) {
    for (const char *c = skip_namespaces(name); *c != 0; c += *length) {
        *length = 1;
        if (is_letter(*c)) {
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
