// SPDX-License-Identifier: Apache-2.0
//
// A character driven live, as a game does it: every tick the program says where the body is and how
// its joints stand, and gets the vertices to draw. No clip is played.
//
//     cc live.c $(pkg-config --cflags --libs sinew) -lm -o live &&
//         ./live arm.sinew.json skin forearm.rx_deg
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A vertex as the graphics card wants it.
typedef struct vertex {
    float place[3], normal[3], uv[2];
} vertex;

typedef struct game {
    sn_frame *frame;
    uint32_t skin; // surface that is drawn
    uint32_t vertex_count;
    vertex *vertices;
    sn_pose_parameter joint; // that is moved
} game;

static const double step = 1 / 60.0; // seconds

// Finds by name, once, what every tick needs.
static sn_status begin(game *g, const sn_model *model, const char *skin, const char *joint,
                       sn_error *error) {
    g->skin = sn_model_find_surface(model, skin);
    if (g->skin == SN_NONE) {
        fprintf(stderr, "there is no surface \"%s\"\n", skin);
        return SN_INVALID;
    }
    g->vertex_count = sn_model_surface(model, g->skin)->mesh->vertex_count;
    g->vertices = (vertex *)calloc(g->vertex_count, sizeof *g->vertices);
    sn_status status = sn_model_find_parameter(model, joint, &g->joint, error);
    if (status == SN_OK) {
        status = sn_frame_create(model, &g->frame, error);
    }
    if (status == SN_OK) { // nothing else is computed but what the skin needs
        status = sn_frame_select(g->frame, &g->skin, 1, error);
    }
    return status;
}

// One tick: the body walks along x, and its joint swings through its range.
static sn_status tick(game *g, int number, sn_error *error) {
    double time = number * step;
    double low = fmax(g->joint.low, -90), high = fmin(g->joint.high, 90);
    double swing = low + (high - low) * (0.5 - 0.5 * cos(3 * time));
    sn_transform root = sn_transform_identity();
    root.translation.x = 1.4 * time;
    sn_pose_desc pose = sn_pose_desc_default(); // here also: transforms of all segments, controls
    pose.root = &root;
    sn_status status = sn_frame_set_pose(g->frame, &pose, error);
    if (status == SN_OK) {
        status = sn_frame_hold(g->frame, &g->joint, swing, error);
    }
    if (status == SN_OK) {
        status = sn_frame_step(g->frame, step, error);
    }
    if (status == SN_OK) { // into the vertices, beside their texture coordinates
        status = sn_frame_copy_points(g->frame, g->skin, g->vertices->place, sizeof(vertex), error);
    }
    if (status == SN_OK) {
        status =
            sn_frame_copy_normals(g->frame, g->skin, g->vertices->normal, sizeof(vertex), error);
    }
    return status;
}

static sn_status play(game *g, int first, int end, sn_error *error) {
    sn_status status = SN_OK;
    for (int i = first; i < end && status == SN_OK; ++i) {
        status = tick(g, i, error);
        if (status == SN_OK && i % 20 == 0) {
            const float *place = g->vertices[g->vertex_count - 1].place;
            printf("at %.2f s the last vertex is at %.3f %.3f %.3f\n", sn_frame_time(g->frame),
                   (double)place[0], (double)place[1], (double)place[2]);
        }
    }
    return status;
}

// Two seconds; then the second one again from the state in the middle, as a game does that hears
// late from another player. It is the same to the last bit.
static sn_status play_twice(game *g, sn_error *error) {
    size_t state_size = sn_frame_state_bytes(g->frame), size = g->vertex_count * sizeof(vertex);
    void *middle = malloc(state_size), *last = malloc(size);
    sn_status status = play(g, 0, 60, error);
    sn_frame_save(g->frame, middle);
    if (status == SN_OK) {
        status = play(g, 60, 120, error);
    }
    memcpy(last, g->vertices, size);
    if (status == SN_OK) {
        status = sn_frame_restore(g->frame, NULL, middle, state_size, error);
    }
    if (status == SN_OK) {
        status = play(g, 60, 120, error);
    }
    printf("the second again: %s\n", memcmp(last, g->vertices, size) == 0 ? "same" : "other");
    free(middle);
    free(last);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: %s CHARACTER.sinew.json SKIN PARAMETER\n", argv[0]);
        return 2;
    }
    sn_error error;
    memset(&error, 0, sizeof error);
    game g;
    memset(&g, 0, sizeof g);
    sn_context_desc desc = sn_context_desc_default();
    sn_context *context = NULL;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_status status = sn_context_create(&desc, &context, &error);
    if (status == SN_OK) {
        status = sn_character_load(context, argv[1], &character, &error);
    }
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &model, &error);
    }
    if (status == SN_OK) {
        status = begin(&g, model, argv[2], argv[3], &error);
    }
    if (status == SN_OK) {
        status = play_twice(&g, &error);
    }
    if (status != SN_OK) {
        char text[2048];
        sn_error_format(&error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    sn_frame_destroy(g.frame);
    free(g.vertices);
    sn_model_destroy(model);
    sn_character_destroy(character);
    sn_context_destroy(context);
    return status == SN_OK ? 0 : 1;
}
