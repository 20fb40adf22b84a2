// SPDX-License-Identifier: Apache-2.0
//
// The deformer on whole bodies. With files as arguments it prints what is measured on each:
//
//     test_skin_implicit_bodies human.glb ... [-p POSE]
#include "judge.h"

typedef struct contest {
    judged_deformer linear, dual, implicit;
} contest;

static void begin(const judged_body *b, contest *c) {
    *c = (contest){.linear = {.parameters = {SNI_BLEND_LINEAR}},
                   .dual = {.parameters = {SNI_BLEND_DUAL_QUATERNION}}};
    sni_parameters_defaults(&sni_deformer_implicit.parameters, c->implicit.parameters);
    judge_bind(b, "linear", &sni_deformer_blend, &c->linear);
    judge_bind(b, "dual quaternion", &sni_deformer_blend, &c->dual);
    judge_bind(b, "implicit", &sni_deformer_implicit, &c->implicit);
}

static void end(const judged_body *b, contest *c) {
    judge_unbind(b, &c->linear);
    judge_unbind(b, &c->dual);
    judge_unbind(b, &c->implicit);
}

static void print_row(const judged_body *b, judged_deformer *d, const judged_pose *pose,
                      uint32_t frames) {
    judgement j = judge_pose(b, d, pose, frames);
    printf("  %-18s %-16s edges %5.2f %5.2f beyond %4u  overlap %7.1f union %+8.1f cm3  crossings "
           "%4u  step %5.2f\n",
           pose->name, d->name, j.least, j.most, j.beyond, 1e6 * j.overlap,
           1e6 * (j.fill - b->rest_union), j.crossings, j.step);
    fflush(stdout);
}

static void print_body(const char *path, int only) {
    judged_body b;
    contest c;
    judge_open(path, 2, &b);
    printf("%s: %u vertices, %u triangles, height %.2f m\n", path, b.mesh->vertex_count,
           b.triangles->count, b.height);
    begin(&b, &c);
    for (int which = 0; which < JUDGE_COUNT; ++which) {
        judged_pose pose;
        if ((only < 0 || only == which) && judge_pose_of(&b, which, &pose)) {
            print_row(&b, &c.linear, &pose, 20);
            print_row(&b, &c.dual, &pose, 20);
            print_row(&b, &c.implicit, &pose, 20);
        }
    }
    end(&b, &c);
    judge_close(&b);
}

int main(int count, char **arguments) {
    int only = -1;
    for (int i = 1; i < count; ++i) {
        if (strcmp(arguments[i], "-p") == 0 && i + 1 < count) {
            only = atoi(arguments[++i]);
        } else {
            print_body(arguments[i], only);
        }
    }
    return 0;
}
