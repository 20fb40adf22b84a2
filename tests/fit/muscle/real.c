// SPDX-License-Identifier: Apache-2.0
//
// Muscles of real bodies: the dog's with their attachment points, the human ones without. Every so
// many of them; scenes/dog_limits and scenes/human_anatomy hold whole bodies to the same limits.
#include "test.h"

#include "sinew/fit.h"
#include "sinew/io.h"

#include <math.h>
#include <stdlib.h>

enum { parts_most = 1024, line_most = 1024, cells_most = 24 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { every = 16 };
#else
enum { every = 4 };
#endif

typedef struct part {
    char file[128], stem[96], kind[16], joint[32];
    sn_import *import;
} part;

typedef struct body {
    sn_context *context;
    uint32_t bone_count, muscle_count, segment_count;
    uint32_t listed; // muscles of the index
    part *bones, *muscles;
    sn_fit_bone *fit_bones;
    uint32_t *parents;
    sn_import *rig;
    uint32_t *place_counts; // of each muscle
    sn_fit_place (*places)[64];
    sn_muscle_fit **fits;
    uint32_t fibre_step; // every so many muscles are fitted with fibres
    sn_fibre_fit **fibres;
} body;

// Splits a line of a CSV file at its commas; no cell of these files has quotes that matter here.
static int split(char *line, char **cells) {
    int count = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *cell = line; cell != NULL && count < cells_most; ++count) {
        char *comma = strchr(cell, ',');
        if (cell[0] == '"') {
            ++cell;
            char *quote = strchr(cell, '"');
            comma = quote != NULL ? strchr(quote, ',') : NULL;
            if (quote != NULL) {
                *quote = 0;
            }
        }
        if (comma != NULL) {
            *comma = 0;
        }
        cells[count] = cell;
        cell = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

static int column(char **cells, int count, const char *name) {
    for (int i = 0; i < count; ++i) {
        if (strcmp(cells[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static void copy_text(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from);
}

static void read_part(body *b, const char *folder, char **cells, int file, int kind, int joint) {
    bool is_bone = strcmp(cells[kind], "bone") == 0;
    if (!is_bone && strcmp(cells[kind], "muscle") != 0) {
        return;
    }
    if (!is_bone && b->listed++ % every != 0) {
        return;
    }
    part *p = is_bone ? &b->bones[b->bone_count++] : &b->muscles[b->muscle_count++];
    copy_text(p->file, sizeof p->file, cells[file]);
    const char *slash = strrchr(cells[file], '/');
    copy_text(p->stem, sizeof p->stem, slash != NULL ? slash + 1 : cells[file]);
    p->stem[strcspn(p->stem, ".")] = 0;
    copy_text(p->joint, sizeof p->joint, joint >= 0 ? cells[joint] : "");
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, cells[file]);
    snt_ok(sn_import_file(b->context, snt_data(path), &p->import, error));
}

static void read_index(body *b, const char *folder) {
    char path[256], line[line_most];
    char *cells[cells_most];
    snprintf(path, sizeof path, "%s/index.csv", folder);
    FILE *file = fopen(snt_data(path), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    int count = split(line, cells);
    int file_column = column(cells, count, "file"), kind = column(cells, count, "kind");
    int joint = column(cells, count, "rig_joint");
    while (fgets(line, sizeof line, file) != NULL) {
        split(line, cells);
        read_part(b, folder, cells, file_column, kind, joint);
    }
    fclose(file);
}

static void read_attachments(body *b, const char *name) {
    char line[line_most];
    char *cells[cells_most];
    FILE *file = fopen(snt_data(name), "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        split(line, cells);
        for (uint32_t m = 0; m < b->muscle_count; ++m) {
            if (strcmp(cells[2], b->muscles[m].stem) != 0 || b->place_counts[m] == 64) {
                continue;
            }
            sn_fit_place *place = &b->places[m][b->place_counts[m]++];
            place->bone = SN_NONE;
            place->point = sn_vec3_make(atof(cells[4]), atof(cells[5]), atof(cells[6]));
            for (uint32_t i = 0; i < b->bone_count; ++i) {
                if (strcmp(cells[3], b->bones[i].stem) == 0) {
                    place->bone = i;
                }
            }
        }
    }
    fclose(file);
}

static void begin_body(body *b, const char *folder) {
    *b = (body){.context = snt_context(2)};
    b->bones = calloc(parts_most, sizeof *b->bones);
    b->muscles = calloc(parts_most, sizeof *b->muscles);
    read_index(b, folder);
    b->fit_bones = calloc(b->bone_count, sizeof *b->fit_bones);
    b->place_counts = calloc(b->muscle_count, sizeof *b->place_counts);
    b->places = calloc(b->muscle_count, sizeof *b->places);
    b->fits = calloc(b->muscle_count, sizeof *b->fits);
    b->fibres = calloc(b->muscle_count, sizeof *b->fibres);
}

static void end_body(body *b) {
    for (uint32_t i = 0; i < b->bone_count; ++i) {
        sn_import_destroy(b->bones[i].import);
    }
    for (uint32_t i = 0; i < b->muscle_count; ++i) {
        sn_import_destroy(b->muscles[i].import);
        sn_muscle_fit_destroy(b->fits[i]);
        sn_fibre_fit_destroy(b->fibres[i]);
    }
    sn_import_destroy(b->rig);
    free(b->bones);
    free(b->muscles);
    free(b->fit_bones);
    free(b->place_counts);
    free(b->places);
    free(b->fits);
    free(b->fibres);
    free(b->parents);
    snt_context_end(b->context);
}

static sn_muscle_fit_desc desc_of(const body *b, uint32_t muscle) {
    sn_muscle_fit_desc desc = sn_muscle_fit_desc_default();
    desc.name = b->muscles[muscle].stem;
    desc.mesh = b->muscles[muscle].import->meshes[0];
    desc.bone_count = b->bone_count;
    desc.bones = b->fit_bones;
    desc.segment_count = b->segment_count;
    desc.segment_parents = b->parents;
    desc.place_count = b->place_counts[muscle];
    desc.places = b->places[muscle];
    return desc;
}

static void print_failure(const sn_error *error) {
    char text[1024];
    sn_error_format(error, text, sizeof text);
    print_error("%s\n", text);
}

static void fit_some(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    body *b = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_muscle_fit_desc desc = desc_of(b, i);
        sn_error error = {0};
        if (sn_fit_muscle(b->context, &desc, &b->fits[i], &error) != SN_OK) {
            print_failure(&error);
        }
    }
}

static void fit_fibres(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    body *b = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_muscle_fit_desc desc = desc_of(b, i);
        sn_error error = {0};
        if (i % b->fibre_step == 0 &&
            sn_fit_fibres(b->context, &desc, &b->fibres[i], &error) != SN_OK) {
            print_failure(&error);
        }
    }
}

static const char *segment_name(const body *b, uint32_t segment) {
    return b->rig != NULL ? b->rig->skeleton.segments[segment].name : b->bones[segment].stem;
}

// Where strips are attached and what carries them, as text.
static void write_ends(const body *b, FILE *file, const sn_muscle_fit *fit) {
    for (uint32_t k = 0; k < fit->strip_count; ++k) {
        const sn_fit_strip *strip = &fit->strips[k];
        fprintf(file, "# strip %u: %s, %s (gap %.1f mm%s)", k,
                b->bones[strip->origins[0].bone].stem, b->bones[strip->origins[1].bone].stem,
                1e3 * fit->origin_gap, fit->guessed_origin ? ", guessed" : "");
        for (uint32_t i = 0; i < strip->pivot_count; ++i) {
            fprintf(file, " -> %u %s", strip->pivots[i].slice,
                    segment_name(b, strip->pivots[i].segment));
        }
        fprintf(file, " -> %s, %s (gap %.1f mm%s)\n", b->bones[strip->insertions[0].bone].stem,
                b->bones[strip->insertions[1].bone].stem, 1e3 * fit->insertion_gap,
                fit->guessed_insertion ? ", guessed" : "");
    }
}

// Strips as a mesh in a file of the folder $SNT_FIT_OUT, to be looked at beside the given mesh.
static void write_fit(const body *b, const char *folder, const char *stem,
                      const sn_muscle_fit *fit) {
    enum { around = 16 };
    char path[512];
    snprintf(path, sizeof path, "%s/%s.obj", folder, stem);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    uint32_t first = 1;
    write_ends(b, file, fit);
    for (uint32_t k = 0; k < fit->strip_count; ++k) {
        const sn_fit_strip *strip = &fit->strips[k];
        fprintf(file, "g strip_%u\n", k);
        for (uint32_t i = 0; i < strip->slice_count; ++i) {
            for (int j = 0; j < around; ++j) {
                const sn_fit_section *s = &strip->sections[i];
                double angle = 2 * SN_PI * j / around;
                sn_vec3 p = sn_vec3_add_scaled(sn_vec3_add_scaled(s->center, sin(angle), s->wide),
                                               cos(angle), s->thick);
                fprintf(file, "v %.6f %.6f %.6f\n", p.x, p.y, p.z);
            }
        }
        for (uint32_t i = 0; i + 1 < strip->slice_count; ++i) {
            for (uint32_t j = 0; j < around; ++j) {
                uint32_t p = first + i * around + j, q = first + i * around + (j + 1) % around;
                fprintf(file, "f %u %u %u %u\n", p, q, q + around, p + around);
            }
        }
        fprintf(file, "f");
        for (uint32_t j = around; j > 0; --j) {
            fprintf(file, " %u", first + j - 1);
        }
        fprintf(file, "\nf");
        for (uint32_t j = 0; j < around; ++j) {
            fprintf(file, " %u", first + (strip->slice_count - 1) * around + j);
        }
        fprintf(file, "\n");
        first += strip->slice_count * around;
    }
    fclose(file);
}

static const body *sorted_body;

static int by_distance(const void *a, const void *b) {
    double x = sorted_body->fits[*(const uint32_t *)a]->mean_distance;
    double y = sorted_body->fits[*(const uint32_t *)b]->mean_distance;
    return x < y ? 1 : x > y ? -1 : 0;
}

// Whether segment a is b or above it.
static bool is_above(const body *b, uint32_t upper, uint32_t lower) {
    while (lower != SN_NONE && lower != upper) {
        lower = b->parents[lower];
    }
    return lower == upper;
}

static void check_places(const body *b, const sn_fit_strip *strip) {
    const sn_fit_place *origins = strip->origins, *insertions = strip->insertions;
    assert_true(sn_vec3_distance(origins[0].point, origins[1].point) > 1e-5);
    assert_true(sn_vec3_distance(insertions[0].point, insertions[1].point) > 1e-5);
    for (int i = 0; i < 2; ++i) {
        uint32_t origin = b->fit_bones[origins[i].bone].segment;
        for (int j = 0; j < 2; ++j) {
            uint32_t insertion = b->fit_bones[insertions[j].bone].segment;
            assert_true(origin == insertion || !is_above(b, insertion, origin));
        }
    }
    uint32_t first = b->fit_bones[origins[0].bone].segment;
    uint32_t second = b->fit_bones[origins[1].bone].segment;
    assert_true(first == second || !is_above(b, second, first));
    for (uint32_t i = 0; i < strip->pivot_count; ++i) {
        assert_in_range(strip->pivots[i].slice, 1, strip->slice_count - 2);
        assert_true(i == 0 || strip->pivots[i].slice > strip->pivots[i - 1].slice);
        assert_true(strip->pivots[i].segment < b->segment_count);
    }
}

static void check_sections(const sn_fit_strip *strip) {
    for (uint32_t i = 0; i < strip->slice_count; ++i) {
        const sn_fit_section *s = &strip->sections[i];
        double wide = sn_vec3_length(s->wide), thick = sn_vec3_length(s->thick);
        assert_true(sn_vec3_is_finite(s->center) && wide > 0 && thick > 0);
        snt_near(sn_vec3_dot(s->wide, s->thick), 0, 1e-9 * wide * thick);
        if (i > 0) {
            assert_true(sn_vec3_dot(s->wide, strip->sections[i - 1].wide) > 0);
        }
    }
}

static double fit_body(body *b, const char *title) {
    sn_parallel_for(b->context, b->muscle_count, 1, fit_some, b);
    const char *folder = getenv("SNT_FIT_OUT");
    uint32_t *order = calloc(b->muscle_count, sizeof *order);
    double volume = 0, error_sum = 0;
    uint32_t strips = 0, pivots = 0, guessed = 0, bad_volume = 0, histogram[9] = {0};
    for (uint32_t i = 0; i < b->muscle_count; ++i) {
        const sn_muscle_fit *fit = b->fits[i];
        assert_non_null(fit);
        order[i] = i;
        assert_in_range(fit->strip_count, 1, 8);
        ++histogram[fit->strip_count];
        for (uint32_t k = 0; k < fit->strip_count; ++k) {
            check_places(b, &fit->strips[k]);
            check_sections(&fit->strips[k]);
            pivots += fit->strips[k].pivot_count;
        }
        strips += fit->strip_count;
        guessed += fit->guessed_origin + fit->guessed_insertion;
        volume += fit->volume;
        error_sum += fabs(fit->fitted_volume - fit->volume);
        bad_volume += fabs(fit->fitted_volume - fit->volume) > 0.05 * fit->volume;
        if (folder != NULL) {
            write_fit(b, folder, b->muscles[i].stem, fit);
        }
    }
    sorted_body = b;
    qsort(order, b->muscle_count, sizeof *order, by_distance);
    double median = b->fits[order[b->muscle_count / 2]]->mean_distance;
    print_message("%s: %u muscles, %u strips, %u pivots, %u ends guessed\n", title, b->muscle_count,
                  strips, pivots, guessed);
    print_message("mean distance: median %.2f mm, 90th percentile %.2f mm; volume %.1f %% off, "
                  "%u muscles more than 5 %%\n",
                  1e3 * median, 1e3 * b->fits[order[b->muscle_count / 10]]->mean_distance,
                  100 * error_sum / volume, bad_volume);
    for (int i = 1; i < 9; ++i) {
        print_message("%d strips: %u  ", i, histogram[i]);
    }
    print_message("\n");
    for (uint32_t i = 0; i < 10; ++i) {
        const sn_muscle_fit *fit = b->fits[order[i]];
        print_message("%6.2f mm (largest %5.1f), %u strips, %u pieces, %u handles, volume %+.0f %% "
                      "%s\n",
                      1e3 * fit->mean_distance, 1e3 * fit->largest_distance, fit->strip_count,
                      fit->pieces, fit->handles, 100 * (fit->fitted_volume / fit->volume - 1),
                      b->muscles[order[i]].stem);
    }
    free(order);
    return median;
}

static int by_overlap(const void *a, const void *b) {
    double x = sorted_body->fibres[*(const uint32_t *)a]->overlap;
    double y = sorted_body->fibres[*(const uint32_t *)b]->overlap;
    return x < y ? -1 : x > y ? 1 : 0;
}

// Fibres have the volume of the mesh to 3 %, whatever its shape.
static void fit_body_with_fibres(body *b, const char *title) {
    bool prints = snt_thorough();
    b->fibre_step = prints ? 1 : 6;
    sn_parallel_for(b->context, b->muscle_count, 1, fit_fibres, b);
    uint32_t *order = calloc(b->muscle_count, sizeof *order), count = 0, fibres = 0, through = 0;
    double largest = 0;
    for (uint32_t i = 0; i < b->muscle_count; i += b->fibre_step) {
        const sn_fibre_fit *fit = b->fibres[i];
        assert_non_null(fit);
        order[count++] = i;
        fibres += fit->fibre_count;
        for (uint32_t k = 0; k < fit->fibre_count; ++k) {
            const sn_fit_fibre *f = &fit->fibres[k];
            assert_true(f->width > 0 && f->length > 0 && f->volume > 0);
            assert_in_range(f->exponents[0], 2, 9);
            assert_in_range(f->exponents[1], 2, 9);
            assert_true(f->eccentricity >= 0 && f->eccentricity < 0.9951);
            through += f->through_count;
        }
        largest = fmax(largest, fabs(fit->volume_ratio - 1));
        if (prints) {
            print_message("%s: %u fibres, volume %.3f, overlap %.3f\n", b->muscles[i].stem,
                          fit->fibre_count, fit->volume_ratio, fit->overlap);
        }
    }
    sorted_body = b;
    qsort(order, count, sizeof *order, by_overlap);
    print_message("%s: %u muscles as %u fibres through %u points: volume %.1f %% off at most; "
                  "overlap: median %.3f, 10th percentile %.3f, least %.3f (%s)\n",
                  title, count, fibres, through, 100 * largest,
                  b->fibres[order[count / 2]]->overlap, b->fibres[order[count / 10]]->overlap,
                  b->fibres[order[0]]->overlap, b->muscles[order[0]].stem);
    assert_true(largest < 0.03);
    assert_true(b->fibres[order[count / 2]]->overlap > 0.6);
    free(order);
}

static void dog_muscles_are_fitted(void **state) {
    (void)state;
    body b;
    snt_data("animal/dog/index.csv");
    begin_body(&b, "animal/dog");
    snt_ok(sn_import_file(b.context, snt_data("animal/dog/dog.glb"), &b.rig, error));
    b.segment_count = b.rig->skeleton.segment_count;
    b.parents = calloc(b.segment_count, sizeof *b.parents);
    for (uint32_t i = 0; i < b.segment_count; ++i) {
        b.parents[i] = b.rig->skeleton.segments[i].parent;
    }
    for (uint32_t i = 0; i < b.bone_count; ++i) {
        uint32_t segment = 0;
        while (segment < b.segment_count &&
               strcmp(b.rig->skeleton.segments[segment].name, b.bones[i].joint) != 0) {
            ++segment;
        }
        assert_true(segment < b.segment_count);
        b.fit_bones[i] = (sn_fit_bone){b.bones[i].stem, b.bones[i].import->meshes[0], segment};
    }
    read_attachments(&b, "animal/dog/attachments.csv");
    assert_int_equal(b.listed, 251);
    double median = fit_body(&b, "dog");
    assert_true(median < 0.001);
    fit_body_with_fibres(&b, "dog");
    end_body(&b);
}

static void human_muscles_are_fitted(void **state) {
    (void)state;
    body b;
    snt_data("anatomy/index.csv");
    begin_body(&b, "anatomy");
    b.segment_count = b.bone_count;
    b.parents = calloc(b.segment_count, sizeof *b.parents);
    for (uint32_t i = 0; i < b.bone_count; ++i) {
        b.parents[i] = SN_NONE;
        b.fit_bones[i] = (sn_fit_bone){b.bones[i].stem, b.bones[i].import->meshes[0], i};
    }
    assert_int_equal(b.listed, 275);
    double median = fit_body(&b, "human");
    assert_true(median < 0.001);
    fit_body_with_fibres(&b, "human");
    end_body(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dog_muscles_are_fitted),
        cmocka_unit_test(human_muscles_are_fitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
