// SPDX-License-Identifier: Apache-2.0
//
// A small folder of anatomy: a leg of boxes with one muscle. The thigh reaches from y = 0.5 to 1,
// the shin from 0 to 0.48; the knee cap stands before the knee.
#ifndef SNT_LEG_FOLDER_H
#define SNT_LEG_FOLDER_H

#include "test.h"

#include "sinew/io.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

static inline FILE *snt_leg_open(const char *folder, const char *name) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

static inline void snt_leg_text(const char *folder, const char *name, const char *text) {
    FILE *file = snt_leg_open(folder, name);
    fputs(text, file);
    fclose(file);
}

// A closed box; without its last face where it is `open`.
static inline void snt_leg_box(const char *folder, const char *name, sn_vec3 low, sn_vec3 high,
                               bool open) {
    FILE *file = snt_leg_open(folder, name);
    for (int i = 0; i < 8; ++i) {
        fprintf(file, "v %.9g %.9g %.9g\n", i & 1 ? high.x : low.x, i & 2 ? high.y : low.y,
                i & 4 ? high.z : low.z);
    }
    fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\n", file);
    fputs(open ? "" : "f 2 4 8 6\n", file);
    fclose(file);
}

// A spindle along y around (x, z) with round sections, from y0 down to y1.
static inline void snt_leg_spindle(const char *folder, const char *name, double x, double z,
                                   double y0, double y1, double radius) {
    enum { RINGS = 16, AROUND = 12 };
    FILE *file = snt_leg_open(folder, name);
    for (int i = 0; i <= RINGS; ++i) {
        double t = (double)i / RINGS, r = radius * (0.25 + 0.75 * sin(SN_PI * t));
        for (int k = 0; k < AROUND; ++k) {
            double angle = 2 * SN_PI * k / AROUND;
            fprintf(file, "v %.9g %.9g %.9g\n", x + r * cos(angle), y0 + t * (y1 - y0),
                    z + r * sin(angle));
        }
    }
    for (int i = 0; i < RINGS; ++i) {
        for (int k = 0; k < AROUND; ++k) {
            int a = 1 + i * AROUND + k, b = 1 + i * AROUND + (k + 1) % AROUND;
            fprintf(file, "f %d %d %d %d\n", a, b, b + AROUND, a + AROUND);
        }
    }
    for (int end = 0; end < 2; ++end) {
        fputs("f", file);
        for (int k = 0; k < AROUND; ++k) {
            fprintf(file, " %d", end == 0 ? AROUND - k : 1 + RINGS * AROUND + k);
        }
        fputs("\n", file);
    }
    fclose(file);
}

// Joints "thigh" and "shin" with a box of a skin around the leg, its vertices hung on them by
// height.
static inline void snt_leg_rig(sn_context *context, const char *folder, const char *name) {
    char path[4200];
    snt_leg_box(folder, "skin.tmp.obj", sn_vec3_make(-0.1, -0.05, -0.1),
                sn_vec3_make(0.1, 1.05, 0.15), false);
    snprintf(path, sizeof path, "%s/skin.tmp.obj", folder);
    sn_import *import = NULL;
    snt_ok(sn_import_file(context, path, &import, error));
    remove(path);
    sn_mesh *mesh = import->meshes[0];
    snt_ok(sn_mesh_set_weights(mesh, 2, 8, false, error));
    snt_ok(sn_mesh_name_bone(mesh, 0, "thigh", error));
    snt_ok(sn_mesh_name_bone(mesh, 1, "shin", error));
    for (uint32_t v = 0; v < 8; ++v) {
        mesh->weights->offsets[v + 1] = v + 1;
        mesh->weights->bones[v] = mesh->positions[3 * v + 1] < 0.5f;
        mesh->weights->values[v] = 1;
    }
    mesh->weights->offsets[0] = 0;
    sn_segment segments[2] = {0};
    uint32_t order[2] = {0, 1}, none[1] = {SN_NONE};
    for (int i = 0; i < 2; ++i) {
        segments[i].name = i == 0 ? "thigh" : "shin";
        segments[i].parent = i == 0 ? SN_NONE : 0;
        segments[i].rest = (sn_transform){{0, i == 0 ? 1 : -0.5, 0}, {0, 0, 0, 1}, {1, 1, 1}};
        for (int k = 0; k < SN_JOINT_PARAMETER_COUNT; ++k) {
            segments[i].rest_parameters[k] = k >= SN_JOINT_SX;
            segments[i].limits[k] = (sn_limit){-INFINITY, INFINITY};
        }
    }
    sn_skeleton skeleton = {2, segments, order};
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    const sn_mesh *meshes[1] = {mesh};
    desc.mesh_count = 1;
    desc.meshes = meshes;
    desc.mesh_segments = none;
    desc.skeleton = &skeleton;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snt_ok(sn_export_skinned(context, path, &desc, error));
    sn_import_destroy(import);
}

static const char snt_leg_index[] = "file,kind,name,rig_joint\n"
                                    "femur.obj,bone,femur,thigh\n"
                                    "tibia.obj,bone,tibia,shin\n"
                                    "patella.obj,bone,,\n"
                                    "vastus.obj,muscle,vastus,\n"
                                    "pad.obj,soft,fat pad,\n"
                                    "band.obj,ligament,knee band,\n"
                                    "eye_L.obj,soft,,\n"
                                    "leg.obj,bone_union,,\n";

static const char snt_leg_attachments[] = "muscle,bone,x,y,z\n"
                                          "vastus,femur,-0.01,0.9,0.02\n"
                                          "vastus,femur,0.01,0.9,0.02\n"
                                          "vastus,tibia,-0.01,0.44,0.02\n"
                                          "vastus,tibia,0.01,0.44,0.02\n";

// Writes the folder; with a rig where `context` is not NULL. The name is kept until the next call.
static inline const char *snt_leg_folder(sn_context *context, const char *name) {
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s", snt_scratch(name));
    mkdir(folder, 0777);
    snt_leg_box(folder, "femur.obj", sn_vec3_make(-0.02, 0.5, -0.02), sn_vec3_make(0.02, 1, 0.02),
                false);
    snt_leg_box(folder, "tibia.obj", sn_vec3_make(-0.02, 0, -0.02), sn_vec3_make(0.02, 0.48, 0.02),
                false);
    snt_leg_box(folder, "patella.obj", sn_vec3_make(-0.015, 0.5, 0.025),
                sn_vec3_make(0.015, 0.54, 0.035), false);
    snt_leg_box(folder, "pad.obj", sn_vec3_make(-0.01, 0.2, -0.03), sn_vec3_make(0.01, 0.3, -0.02),
                false);
    snt_leg_box(folder, "band.obj", sn_vec3_make(0.02, 0.4, -0.005),
                sn_vec3_make(0.024, 0.6, 0.005), false);
    snt_leg_box(folder, "eye_L.obj", sn_vec3_make(-0.01, 0.9, -0.04),
                sn_vec3_make(0.01, 0.92, -0.03), false);
    snt_leg_spindle(folder, "vastus.obj", 0, 0.045, 0.9, 0.44, 0.025);
    snt_leg_text(folder, "index.csv", snt_leg_index);
    snt_leg_text(folder, "attachments.csv", snt_leg_attachments);
    if (context != NULL) {
        snt_leg_rig(context, folder, "leg.glb");
    }
    return folder;
}

#endif
