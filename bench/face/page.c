// SPDX-License-Identifier: Apache-2.0
//
// The page of docs/: what is measured, and a row for each expression. It has no date and no times,
// so that the same files give the same page.
#include "bench/face/face.h"

#include <math.h>
#include <string.h>

static void write_introduction(const snb_face_fit *fit, FILE *out) {
    fprintf(
        out,
        "# Scanned expressions, made by muscles\n\n"
        "The shipped [head](head.md) in the neutral head of ICT-FaceKit (MIT, © 2020 USC Institute "
        "for Creative Technologies) by [transfer](transfer.md), landmarks all proposed, its "
        "skin in [layers](layers.md) tied to all facial muscles, and the scanned expressions of "
        "that "
        "head [matched](match.md). Made by\n\n"
        "    build/sinew bench face --data DIR -o docs/face-fit.md\n\n"
        "where `DIR` has the neutral head and its expressions.\n\n"
        "## How it is measured\n\n"
        "Each expression may use the muscles of its action units and those that help them, each "
        "side by itself, and no others (`bench/face/expressions.c`). Left and right shapes of an "
        "expression are added. All is measured on the narrow face, vertices 0 to %u. The jaw "
        "is posed by controls, with the motion of the lower teeth of these scans. Muscles lie "
        "where textbooks have them: nothing was fitted to a scan.\n\n",
        fit->face_vertices - 1);
    fprintf(
        out,
        "| column | meaning |\n| --- | --- |\n"
        "| moves | root mean square of what the scanned skin moves by, mm |\n"
        "| cosine | mean cosine between the ways that vertices should go and went, over those that "
        "should go by more than a tenth of the farthest |\n"
        "| residual | \\|scan − skin\\| / \\|scan − rest\\|: 0 is perfect, 1 as good as no motion "
        "|\n"
        "| floor | cosine and residual that a linear model of this head reaches with muscles "
        "chosen "
        "likewise and placed while looking at these expressions |\n"
        "| others | means of cosine and residual on three other heads, id_b, id_d and "
        "id_f, with the same displacements |\n"
        "| largest left | largest distance that is left, mm |\n"
        "| muscles | those used by more than 0.05 of their range, larger side; bold: "
        "by "
        "all of it |\n\n");
}

static double larger_side(const snb_face_row *row, uint32_t i, bool *both) {
    const char *name = row->names[i];
    size_t length = strlen(name);
    *both = length > 2 && strcmp(name + length - 2, ".L") == 0;
    return *both ? fmax(row->values[i], row->values[i + 1]) : row->values[i];
}

static void write_muscles(const snb_face_row *row, FILE *out) {
    const char *before = "";
    bool both;
    for (uint32_t i = 0; i < row->control_count; i += both ? 2 : 1) {
        double value = larger_side(row, i, &both);
        const char *bold = fabs(value) > 0.995 ? "**" : "";
        if (fabs(value) > 0.05) {
            fprintf(out, "%s%.*s %s%.2f%s", before, (int)(strlen(row->names[i]) - (both ? 2 : 0)),
                    row->names[i], bold, value, bold);
            before = ", ";
        }
    }
}

static void write_floor(const snb_expression *e, FILE *out) {
    if (e->floor_cosine > 0) {
        fprintf(out, "%.2f/", e->floor_cosine);
    }
    fprintf(out, e->floor_residual > 0 ? "%.2f | " : "– | ", e->floor_residual);
}

static bool meets(const snb_face_row *row) {
    const snb_expression *e = row->expression;
    return row->match.cosine >= e->floor_cosine &&
           (e->floor_residual == 0 || row->match.residual <= e->floor_residual);
}

// Other heads are left out where only some expressions are wanted.
static void write_others(const snb_face_fit *fit, double cosine, double residual, FILE *out) {
    if (fit->only == NULL) {
        fprintf(out, "%.2f/%.2f | ", cosine, residual);
    } else {
        fprintf(out, "– | ");
    }
}

static void write_row(const snb_face_fit *fit, const snb_face_row *row, FILE *out) {
    const sn_match_report *m = &row->match;
    fprintf(out, "| %s | %.2f | %.2f | %.2f | ", row->expression->name, 1e3 * m->before, m->cosine,
            m->residual);
    write_floor(row->expression, out);
    fprintf(out, "%s | ",
            row->expression->floor_residual > 0 ? (meets(row) ? "met" : "missed") : "");
    write_others(fit, row->other_cosine, row->other_residual, out);
    fprintf(out, "%.1f | ", 1e3 * m->largest);
    write_muscles(row, out);
    fprintf(out, " |\n");
}

void snb_face_write(const snb_face_fit *fit, FILE *out) {
    double cosine = 0, residual = 0, other_cosine = 0, other_residual = 0;
    uint32_t floors = 0, met = 0;
    write_introduction(fit, out);
    fprintf(
        out,
        "## Expressions\n\n"
        "| expression | moves | cosine | residual | floor | | others | largest left | muscles |\n"
        "| --- | ---: | ---: | ---: | --- | --- | --- | ---: | --- |\n");
    for (uint32_t i = 0; i < fit->row_count; ++i) {
        const snb_face_row *row = &fit->rows[i];
        write_row(fit, row, out);
        cosine += row->match.cosine / fit->row_count;
        residual += row->match.residual / fit->row_count;
        other_cosine += row->other_cosine / fit->row_count;
        other_residual += row->other_residual / fit->row_count;
        floors += row->expression->floor_residual > 0;
        met += row->expression->floor_residual > 0 && meets(row);
    }
    fprintf(out, "| **mean** | | %.2f | %.2f | 0.86/0.38 | %u of %u | ", cosine, residual, met,
            floors);
    write_others(fit, other_cosine, other_residual, out);
    fprintf(out, "| |\n");
}
