// SPDX-License-Identifier: Apache-2.0
//
// What `sinew new FOLDER` prints: counts, what was guessed, what is odd, how well muscles fit.
#include "new_folder.h"

#include <math.h>
#include <stdlib.h>

// Lines of a list; the report has all.
enum { LIST_LINES = 10 };

typedef struct printer {
    const sn_anatomy *anatomy;
    const sn_anatomy_report *report;
    const char *report_path;
} printer;

static const char *part_name(const printer *p, uint32_t part) {
    return p->anatomy->parts[part].name;
}

static void print_rest(const printer *p, uint32_t count) {
    if (count <= LIST_LINES) {
        return;
    }
    if (p->report_path != NULL) {
        printf("  and %u more, all in %s\n", count - LIST_LINES, p->report_path);
    } else {
        printf("  and %u more; --report FILE writes all\n", count - LIST_LINES);
    }
}

// Prints the parts that `prints` tells: its heading, then a line each.
typedef bool is_listed_fn(const printer *p, uint32_t index);
typedef void print_item_fn(const printer *p, uint32_t index);

static void print_list(const printer *p, const char *heading, uint32_t item_count,
                       is_listed_fn *is_listed, print_item_fn *print_item) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < item_count; ++i) {
        count += is_listed(p, i);
    }
    if (count == 0) {
        return;
    }
    printf("%s: %u\n", heading, count);
    for (uint32_t i = 0, printed = 0; i < item_count && printed < LIST_LINES; ++i) {
        if (is_listed(p, i)) {
            print_item(p, i);
            printed++;
        }
    }
    print_rest(p, count);
}

// ---------------------------------------------------------------------------------------------
// Counts

static uint32_t count_uses(const printer *p, sn_part_use use) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->report->part_count; ++i) {
        count += p->report->results[i].use == use;
    }
    return count;
}

static uint32_t count_strips(const printer *p) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->report->muscle_count; ++i) {
        count += p->report->muscles[i].strip_count;
    }
    return count;
}

static void print_counts(const printer *p, const char *path) {
    static const char *const skins[] = {"an extracted skin", "the folder's skin", "the rig's skin"};
    uint32_t segments = p->report->segment_count, bones = count_uses(p, SN_PART_AS_BONE);
    uint32_t tissues = count_uses(p, SN_PART_AS_TISSUE), muscles = p->report->muscle_count;
    uint32_t strips = count_strips(p);
    printf("%s: %u segment%s, %u bone%s, %u tissue%s, %u muscle%s of %u strip%s, %s\n", path,
           segments, cli_s(segments), bones, cli_s(bones), tissues, cli_s(tissues), muscles,
           cli_s(muscles), strips, cli_s(strips), skins[p->report->skin]);
}

// ---------------------------------------------------------------------------------------------
// Lists

static bool is_proposed(const printer *p, uint32_t index) {
    return p->report->segments[index].reason[0] != 0;
}

static void print_proposed(const printer *p, uint32_t index) {
    const sn_anatomy_segment *segment = &p->report->segments[index];
    if (segment->parent == SN_NONE) {
        printf("  %s: %s\n", segment->name, segment->reason);
    } else {
        printf("  %s on %s: %s\n", segment->name, p->report->segments[segment->parent].name,
               segment->reason);
    }
}

static bool is_guessed(const printer *p, uint32_t index) {
    return p->report->results[index].guessed;
}

static void print_guessed(const printer *p, uint32_t index) {
    const sn_anatomy_result *result = &p->report->results[index];
    printf("  %s on %s", part_name(p, index), p->report->segments[result->segment].name);
    if (result->nearest != SN_NONE) {
        printf(", nearest to %s (%.1f mm)", part_name(p, result->nearest), result->distance * 1000);
    }
    printf("\n");
}

static bool has_guessed_end(const printer *p, uint32_t index) {
    const sn_anatomy_muscle *muscle = &p->report->muscles[index];
    return muscle->guessed_origin || muscle->guessed_insertion;
}

static void print_guessed_ends(const printer *p, uint32_t index) {
    const sn_anatomy_muscle *muscle = &p->report->muscles[index];
    printf("  %s:", part_name(p, muscle->part));
    if (muscle->guessed_origin) {
        printf(" origin on %s (%.1f mm)%s", part_name(p, muscle->origin), muscle->origin_gap * 1000,
               muscle->guessed_insertion ? "," : "");
    }
    if (muscle->guessed_insertion) {
        printf(" insertion on %s (%.1f mm)", part_name(p, muscle->insertion),
               muscle->insertion_gap * 1000);
    }
    printf("\n");
}

static bool has_far_places(const printer *p, uint32_t index) {
    return p->report->muscles[index].far_places > 0;
}

static void print_far_places(const printer *p, uint32_t index) {
    const sn_anatomy_muscle *muscle = &p->report->muscles[index];
    printf("  %s: %u of %u left out\n", part_name(p, muscle->part), muscle->far_places,
           muscle->place_count);
}

// Bones have holes for nerves, and skulls of several parts are common: that is not odd.
static bool is_odd(const printer *p, uint32_t index) {
    const sn_anatomy_result *result = &p->report->results[index];
    bool shaped = result->pieces > 1 || result->handles > 0;
    return (shaped && result->use != SN_PART_AS_BONE) || result->holed_edges > 0 ||
           result->odd_edges > 0;
}

static void print_odd(const printer *p, uint32_t index) {
    const sn_anatomy_result *result = &p->report->results[index];
    const char *comma = "";
    printf("  %s:", part_name(p, index));
    if (result->pieces > 1) {
        printf(" %u pieces", result->pieces);
        comma = ",";
    }
    if (result->handles > 0) {
        printf("%s %u handle%s", comma, result->handles, cli_s(result->handles));
        comma = ",";
    }
    if (result->holed_edges > 0) {
        printf("%s open along %u edge%s", comma, result->holed_edges, cli_s(result->holed_edges));
        comma = ",";
    }
    if (result->odd_edges > 0) {
        printf("%s %u flipped edge%s", comma, result->odd_edges, cli_s(result->odd_edges));
    }
    printf("\n");
}

static bool is_used_otherwise(const printer *p, uint32_t index) {
    const sn_anatomy_result *result = &p->report->results[index];
    return result->use != SN_PART_LEFT_OUT && result->note[0] != 0;
}

static bool is_left_out(const printer *p, uint32_t index) {
    return p->report->results[index].use == SN_PART_LEFT_OUT;
}

static void print_note(const printer *p, uint32_t index) {
    printf("  %s: %s\n", part_name(p, index), p->report->results[index].note);
}

// ---------------------------------------------------------------------------------------------
// Fit

static int compare_fits(const void *a, const void *b) {
    const sn_anatomy_muscle *x = *(const sn_anatomy_muscle *const *)a;
    const sn_anatomy_muscle *y = *(const sn_anatomy_muscle *const *)b;
    if (x->mean_distance != y->mean_distance) {
        return x->mean_distance < y->mean_distance ? 1 : -1;
    }
    return x->part < y->part ? -1 : x->part > y->part;
}

static void print_worst(const printer *p) {
    uint32_t count = p->report->muscle_count;
    const sn_anatomy_muscle **sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        sorted[i] = &p->report->muscles[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_fits);
    printf("the worst fits:\n");
    for (uint32_t i = 0; i < count && i < LIST_LINES; ++i) {
        printf("  %s: %.2f mm, at most %.2f mm", part_name(p, sorted[i]->part),
               sorted[i]->mean_distance * 1000, sorted[i]->largest_distance * 1000);
        if (sorted[i]->volume > 0) {
            printf(", volume %+.1f %%", (sorted[i]->fitted_volume / sorted[i]->volume - 1) * 100);
        }
        printf("\n");
    }
    free(sorted);
}

static void print_fibres(const printer *p) {
    const sn_anatomy_report *report = p->report;
    uint32_t count = 0;
    double least = 1e9, most = 0;
    for (uint32_t i = 0; i < report->muscle_count; ++i) {
        const sn_anatomy_muscle *muscle = &report->muscles[i];
        count += muscle->fibre_count;
        least = muscle->volume_ratio < least ? muscle->volume_ratio : least;
        most = muscle->volume_ratio > most ? muscle->volume_ratio : most;
    }
    if (count > 0) {
        printf("%u fibres: volumes are %.3f to %.3f of the meshes'; half of the muscles overlap "
               "their mesh by %.2f or more, nine in ten by %.2f or more\n",
               count, least, most, report->median_overlap, report->ninth_overlap);
    }
}

static void print_fit(const printer *p) {
    const sn_anatomy_report *report = p->report;
    if (report->muscle_count == 0) {
        return;
    }
    printf("fit: half of the muscles have a mean distance up to %.2f mm, nine in ten up to %.2f "
           "mm; their volumes are within %.1f %% and %.1f %%\n",
           report->median_distance * 1000, report->ninth_distance * 1000,
           report->median_volume * 100, report->ninth_volume * 100);
    print_worst(p);
}

void cli_print_anatomy(const sn_anatomy *anatomy, const sn_anatomy_report *report, const char *path,
                       const char *report_path) {
    printer p = {anatomy, report, report_path};
    print_counts(&p, path);
    print_list(&p, "proposed segments", report->segment_count, is_proposed, print_proposed);
    print_list(&p, "guessed segments", report->part_count, is_guessed, print_guessed);
    print_list(&p, "guessed ends of muscles", report->muscle_count, has_guessed_end,
               print_guessed_ends);
    print_list(&p, "attachments far from bones", report->muscle_count, has_far_places,
               print_far_places);
    print_list(&p, "surfaces with defects", report->part_count, is_odd, print_odd);
    print_list(&p, "used in another role", report->part_count, is_used_otherwise, print_note);
    print_list(&p, "left out", report->part_count, is_left_out, print_note);
    print_fit(&p);
    print_fibres(&p);
}
