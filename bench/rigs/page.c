// SPDX-License-Identifier: Apache-2.0
//
// The page of docs/: what is measured, a line for each body, and a table for each body with every
// clip. It has no date and no times, so that the same files give the same page.
#include "bench/rigs/rigs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whose the shown models are, by the beginnings of their names.
static const struct {
    const char *name, *credit;
} credits[] = {
    {"human/", "human*: MakeHuman team, Data Collection AB, J. Palmius, J. Hauquier, CC0"},
    {"gltf/CesiumMan", "CesiumMan: © Cesium, CC BY 4.0, Cesium trademark terms"},
    {"gltf/RiggedFigure", "RiggedFigure: © Cesium, CC BY 4.0"},
    {"rigs/RobotExpressive", "RobotExpressive: Tomás Laulhé, CC0"},
    {"rigs/SambaDancing", "SambaDancing, Soldier, Xbot: Mixamo characters by Adobe"},
    {"rigs/riggedMesh", "riggedMesh: Babylon.js assets, CC BY 4.0"},
    {"mocap/", "cmu_*: \"The data used in this project was obtained from mocap.cs.cmu.edu. The "
               "database was created with funding from NSF EIA-0196217.\""},
    {"rigs/rokoko", "rokoko_dance: AnimatedDrawings, MIT, © Meta Platforms"},
};

static bool has_file(const snb_rigs *rigs, const char *prefix) {
    size_t length = strlen(prefix);
    for (uint32_t i = 0; i < rigs->body_count; ++i) {
        if (strncmp(rigs->bodies[i].name, prefix, length) == 0) {
            return true;
        }
    }
    for (uint32_t i = 0; i < rigs->clip_count; ++i) {
        if (strncmp(rigs->clips[i].name, prefix, length) == 0) {
            return true;
        }
    }
    return false;
}

static void write_credits(const snb_rigs *rigs, FILE *out) {
    const char *before = "";
    for (size_t i = 0; i < sizeof credits / sizeof *credits; ++i) {
        if (has_file(rigs, credits[i].name)) {
            fprintf(out, "%s%s", before, credits[i].credit);
            before = ";\n";
        }
    }
    fprintf(out, "%s", before[0] != 0 ? ".\n\n" : "");
}

static void write_picture(const snb_rigs *rigs, const char *picture, FILE *out) {
    snb_rig_shot *shots = calloc((size_t)rigs->clip_count + 64, sizeof *shots);
    if (picture == NULL || shots == NULL) {
        free(shots);
        return;
    }
    uint32_t count = snb_rigs_choose(rigs, shots);
    fprintf(out,
            "![Every body, a row each, in the middle of some clips](%s)\n\nFrom left to right: ",
            picture);
    for (uint32_t i = 0; i < count; ++i) {
        fprintf(out, "%s%s", i > 0 ? ", " : "", snb_short_name(rigs->clips[shots[i].clip].name));
    }
    fprintf(
        out,
        ".\nFrom top to bottom the bodies of the table below, copies in another format left out. ");
    write_credits(rigs, out);
    free(shots);
}

// ---------------------------------------------------------------------------------------------
// What is measured

static void write_introduction(const snb_rigs *rigs, uint32_t frames, FILE *out) {
    fprintf(
        out,
        "# Every body with every clip\n\n"
        "%u bodies and %u clips, none of them made for sinew, each body with each clip "
        "([retargeting](motion.md#retargeting)). Made by\n\n"
        "    build/sinew bench rigs --data DIR -o docs/rigs.md --picture "
        "docs/pictures/rigs.png\n\n"
        "which searches a folder for models and motions. `tests/scenes/rigs` holds all pairs to "
        "the limits.\n\n",
        rigs->body_count, rigs->clip_count);
    fprintf(out,
            "## How it is measured\n\n"
            "Joints are looked at 30 times a second, the skin in %u frames of each clip, evenly "
            "spaced. A T-pose that a clip begins with does not count.\n\n",
            frames);
    fprintf(
        out,
        "| column | meaning |\n| --- | --- |\n"
        "| pairs | segments of the body that move, and segments of the clip that move them |\n"
        "| tilt | largest difference between the tilts of the trunks, hips to head, of body and "
        "clip; "
        "upright is up to %g° |\n"
        "| limbs | largest angle between an upper arm, forearm, thigh or shin of the body and of "
        "the "
        "clip, each seen from its own trunk. Rigs put the joints of hips and head differently, "
        "which is most of it |\n"
        "| lowest | lowest point of a foot over the ground in all frames, mm. The ground is the "
        "lowest point of the feet at rest |\n"
        "| drift | from the lowest to the highest that the lowest point of a standing foot gets, "
        "mm. "
        "A foot stands where that of the clip is slower than a quarter of a leg per second and "
        "within 3.5 %% "
        "of a leg of the ground. On the ground is within %g %% of the body's height; where "
        "no "
        "foot stands (walks in place), the lowest point has to be |\n"
        "| slides | the farthest that a standing foot gets from where it began to stand, mm; in "
        "brackets that of the clip, at the body's size |\n"
        "| bones | largest change of a bone's length, %% of the height: above 0.1, joints are "
        "torn, unless the body's own file does so |\n"
        "| edges | least and largest length of an edge of the skin over its length at rest; whole "
        "is "
        "%g to %g |\n"
        "| weights | the same by the model's weights alone (`--no-relax`) |\n"
        "| beyond | edges outside the limits by weights alone in any frame; of all edges, %%; of "
        "these, how many the "
        "*model* folds itself: beyond in a clip of its own, or where one joint is bent |\n"
        "| longest | the most that an edge gets longer, %% of the height |\n\n",
        snb_most_tilt, 100 * snb_most_height, snb_least_edge, snb_most_edge);
    fprintf(out,
            "The last column names what does not hold. *own*: the clip comes with the body. `run` "
            "and `render` play it by the weights of its maker alone (column *weights*); it is "
            "measured with `--relax`, which clips of others have by default "
            "([relax](relax.md)). Such a clip moves the body joint for joint as its file says: "
            "where its feet are off the ground, its maker has put them there (*as made*), and they "
            "stay there.\n\n");
}

// ---------------------------------------------------------------------------------------------
// Bodies

typedef struct sums {
    uint32_t rows, upright, on_ground, jointed, whole;
    double all, models; // edges beyond the limits in clips of others, summed over these
    snb_stretch others, own, by_weights; // edges of clips of others, of its own, and of all
    double beyond, slide;
} sums;

static void widen(snb_stretch *all, const snb_stretch *one) {
    all->least = fmin(all->least, one->least);
    all->most = fmax(all->most, one->most);
}

static sums sum_body(const snb_rigs *rigs, uint32_t body) {
    sums s = {.others = snb_no_stretch, .own = snb_no_stretch, .by_weights = snb_no_stretch};
    for (uint32_t i = 0; i < rigs->clip_count; ++i) {
        const snb_rig_row *row = &rigs->rows[(size_t)body * rigs->clip_count + i];
        s.rows++;
        s.upright += snb_row_upright(row);
        s.on_ground += snb_row_on_ground(row);
        s.jointed += snb_row_jointed(row);
        s.whole += snb_row_whole(row);
        if (row->failed) {
            continue;
        }
        widen(row->own ? &s.own : &s.others, &row->relaxed);
        widen(&s.by_weights, &row->weights);
        s.beyond = fmax(s.beyond, row->beyond);
        s.all += row->own ? 0 : row->beyond;
        s.models += row->own ? 0 : row->models;
        s.slide = fmax(s.slide, row->slide);
    }
    return s;
}

static void write_range(double least, double most, FILE *out) {
    if (least <= most && most > 0) {
        fprintf(out, "%.2f–%.2f |", least, most);
    } else {
        fprintf(out, "– |");
    }
}

static void write_bodies(const snb_rigs *rigs, FILE *out) {
    fprintf(
        out,
        "## Bodies\n\n| body | height (m) | vertices | upright | on the ground | bones whole | "
        "edges within limits | slides at most (mm) | edges | edges in its own clips | by weights "
        "alone | one joint bent | most edges "
        "beyond | folded by the model |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | "
        "--- | --- | --- | --- | --- |\n");
    for (uint32_t b = 0; b < rigs->body_count; ++b) {
        const snb_rig_body *body = &rigs->bodies[b];
        sums s = sum_body(rigs, b);
        fprintf(out, "| %s | %.2f | %u | %u/%u | %u/%u | %u/%u | %u/%u | %.0f | ", body->name,
                body->height, body->vertex_count, s.upright, s.rows, s.on_ground, s.rows, s.jointed,
                s.rows, s.whole, s.rows, 1e3 * s.slide);
        write_range(s.others.least, s.others.most, out);
        fprintf(out, " ");
        write_range(s.own.least, s.own.most, out);
        fprintf(out, " ");
        write_range(s.by_weights.least, s.by_weights.most, out);
        fprintf(out, " ");
        write_range(body->bent_least, body->bent_most, out);
        fprintf(out, " %.2g %% | %.0f %% |\n",
                body->edge_count > 0 ? 100 * s.beyond / body->edge_count : 0.0,
                s.all > 0 ? 100 * s.models / s.all : 0.0);
    }
    fprintf(out, "\n");
}

// ---------------------------------------------------------------------------------------------
// Rows

static void write_verdict(const snb_rig_row *row, FILE *out) {
    const char *const words[] = {
        snb_row_upright(row) ? "" : "tilt", snb_row_grounded(row) ? "" : "ground",
        snb_row_jointed(row) ? "" : "bones", snb_row_whole(row) ? "" : "edges"};
    const char *before = row->own ? "*own* " : "";
    for (int i = 0; i < 4; ++i) {
        if (words[i][0] != 0) {
            fprintf(out, "%s%s", before, words[i]);
            before = ", ";
        }
    }
    bool sunk = snb_row_grounded(row) && !snb_row_on_ground(row);
    fprintf(out, "%s%s |\n", before[0] == '*' ? "*own*" : "",
            sunk ? ", off the ground as made" : "");
}

static void write_row(const snb_rig_row *row, FILE *out) {
    const snb_rig_body *body = row->body;
    fprintf(out, "| %s | ", row->clip->name);
    if (row->failed) {
        fprintf(out, "– | | | | | | | | | | | %s |\n", row->reason);
        return;
    }
    fprintf(out, "%u/%u, %u/%u | %.0f° | %.0f° | %.0f | ", row->moved, row->segments, row->used,
            row->recorded, row->tilt, row->limb, 1e3 * row->lowest);
    if (row->standing > 0) {
        fprintf(out, "%.0f to %.0f | %.0f (%.0f) | ", 1e3 * row->low, 1e3 * row->high,
                1e3 * row->slide, 1e3 * row->own_slide);
    } else {
        fprintf(out, "– | – | ");
    }
    fprintf(out, "%.2f | ", 100 * row->bone);
    write_range(row->relaxed.least, row->relaxed.most, out);
    fprintf(out, " ");
    write_range(row->weights.least, row->weights.most, out);
    fprintf(out, " %u, %.2f %%, %u | %.1f | ", row->beyond,
            body->edge_count > 0 ? 100.0 * row->beyond / body->edge_count : 0.0, row->models,
            100 * row->relaxed.longer / body->height);
    write_verdict(row, out);
}

static void write_tables(const snb_rigs *rigs, FILE *out) {
    for (uint32_t i = 0; i < rigs->row_count; ++i) {
        const snb_rig_row *row = &rigs->rows[i];
        if (i % rigs->clip_count == 0) {
            fprintf(
                out,
                "## %s\n\n%u edges are measured.\n\n"
                "| clip | pairs | tilt | limbs | lowest | drift | slides | bones | edges | weights "
                "| beyond, share, model | longest | |\n"
                "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
                "|\n",
                row->body->name, row->body->edge_count);
        }
        write_row(row, out);
        if ((i + 1) % rigs->clip_count == 0) {
            fprintf(out, "\n");
        }
    }
}

// ---------------------------------------------------------------------------------------------
// What does not hold

typedef struct totals {
    uint32_t rows, own, tilted, off_ground, as_made, torn, stretched;
    uint32_t by_weights, own_by_weights;      // pairs with edges beyond the limits by weights alone
    double edges, beyond, models, ends, tiny; // of clips that are not the body's own
} totals;

static totals count_rows(const snb_rigs *rigs) {
    totals t = {.rows = rigs->row_count};
    for (uint32_t i = 0; i < rigs->row_count; ++i) {
        const snb_rig_row *row = &rigs->rows[i];
        t.own += row->own;
        t.tilted += !snb_row_upright(row);
        t.off_ground += !snb_row_on_ground(row);
        t.as_made += snb_row_grounded(row) && !snb_row_on_ground(row);
        t.torn += !snb_row_jointed(row);
        t.stretched += !snb_row_whole(row);
        t.by_weights += row->beyond > 0;
        t.own_by_weights += row->own && row->beyond > 0;
        t.edges += row->own ? 0 : row->body->edge_count;
        t.beyond += row->own ? 0 : row->beyond;
        t.models += row->own ? 0 : row->models;
        t.ends += row->own ? 0 : row->ends;
        t.tiny += row->own ? 0 : row->tiny;
    }
    return t;
}

static void write_edges(const totals *t, FILE *out) {
    double all = t->beyond > 0 ? t->beyond : 1;
    fprintf(out,
            "- **Edges.** By weights alone, %u pairs have an edge beyond the limits, which "
            "[relax](relax.md) evens out. The verdict is that of the single worst edge; %.2g %% of "
            "all edges are "
            "beyond the limits, in all clips of others together. %u of the %u pairs of a body with "
            "its own clip have such edges, where nothing is retargeted. So have most models of "
            "which a single joint is bent up to what people do (*one joint bent*): hips "
            "by 120°, 20° back and 45° out; knees and elbows by 140°; ankles by 20° and "
            "40°; shoulders by 90° up, 60° down, 110° forward and 30° back; the lowest joint of "
            "the spine by 45° forward, 30° to a side and 30° about itself.\n",
            t->by_weights, t->edges > 0 ? 100 * t->beyond / t->edges : 0.0, t->own_by_weights,
            t->own);
    fprintf(
        out,
        "- **Whose they are.** Of the edges beyond the limits, %.0f %% are those that the model "
        "folds or stretches itself in one of these ways, %.0f %% are others of hands and feet, "
        "and %.0f %% are left. Bones keep "
        "their lengths, limbs point where those of the clip do, and [twist is "
        "spread](motion.md#twist) where limbs have several segments; the rest is linear "
        "blending of the model's weights. Tiny edges are not the cause: %.1f %% of those "
        "beyond the limits are shorter than %g %% of the height.\n",
        100 * t->models / all, 100 * t->ends / all, 100 * (t->beyond - t->models - t->ends) / all,
        100 * t->tiny / all, 100 * snb_tiny_edge);
}

static void write_shortcomings(const snb_rigs *rigs, FILE *out) {
    totals t = count_rows(rigs);
    fprintf(
        out,
        "## What does not hold\n\n"
        "Of %u pairs, %u are not upright, %u have a standing foot (or the lowest point) off the "
        "ground, %u of these as the file of the body itself has it, %u have bones of another "
        "length, and %u have an edge beyond the limits.\n\n",
        t.rows, t.tilted, t.off_ground, t.as_made, t.torn, t.stretched);
    write_edges(&t, out);
    fprintf(
        out,
        "- **Ground.** Feet without toes are tilted no farther than they are out of the ground, "
        "and legs raise what of a foot is below it, as the skin tells "
        "([feet on the ground](motion.md#feet-on-the-ground)); a few millimetres are left, since "
        "lifting begins softly. In %u pairs of a body with a clip of its own the feet are off the "
        "ground as its maker has them. Walks on the spot have no foot that rests, and are not "
        "held.\n"
        "- **Slides** are measured at the toes, which an ankle that is held may turn about.\n\n",
        t.as_made);
}

static void write_left_out(const snb_rigs *rigs, FILE *out) {
    if (rigs->left_out_count > 0) {
        fprintf(out, "## Left out\n\n");
        for (uint32_t i = 0; i < rigs->left_out_count; ++i) {
            fprintf(out, "- %s\n", rigs->left_out[i]);
        }
    }
}

void snb_rigs_write(const snb_rigs *rigs, uint32_t frames, const char *picture, FILE *out) {
    write_introduction(rigs, frames, out);
    write_picture(rigs, picture, out);
    write_bodies(rigs, out);
    write_shortcomings(rigs, out);
    write_tables(rigs, out);
    write_left_out(rigs, out);
}
