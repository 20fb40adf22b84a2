// SPDX-License-Identifier: Apache-2.0
#include "common/portrait.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

bool app_portrait_quality(const char *name, sn_portrait_desc *desc) {
    static const struct {
        const char *name;
        uint32_t samples, occlusion_rays; // 0: as they are
    } qualities[] = {{"draft", 1, 4}, {"normal", 0, 0}, {"high", 4, 32}};
    for (size_t i = 0; i < COUNT_OF(qualities); ++i) {
        if (strcmp(qualities[i].name, name) == 0) {
            bool given = qualities[i].samples != 0;
            desc->samples = given ? qualities[i].samples : desc->samples;
            desc->occlusion_rays = given ? qualities[i].occlusion_rays : desc->occlusion_rays;
            return true;
        }
    }
    return false;
}

bool app_portrait_view(const char *name, sn_portrait_desc *desc) {
    static const struct {
        const char *name;
        double azimuth, elevation; // degrees
    } views[] = {
        {"front", 0, 5},   {"back", 180, 5}, {"left", 90, 5},
        {"right", -90, 5}, {"top", 0, 89},   {"three-quarter", 35, 12},
    };
    for (size_t i = 0; i < COUNT_OF(views); ++i) {
        if (strcmp(views[i].name, name) == 0) {
            desc->azimuth = views[i].azimuth * SN_PI / 180;
            desc->elevation = views[i].elevation * SN_PI / 180;
            return true;
        }
    }
    return false;
}

// A segment, or the number of a deformer.
static void take_weights(const char *of, sn_portrait_desc *desc) {
    char *end;
    unsigned long number = strtoul(of, &end, 10);
    bool is_number = of[0] >= '0' && of[0] <= '9' && *end == 0 && number < SN_NONE;
    desc->quantity = SN_QUANTITY_WEIGHTS;
    desc->deformer = is_number ? (uint32_t)number : SN_NONE;
    desc->segment = is_number ? NULL : of;
}

bool app_portrait_quantity(const char *name, sn_portrait_desc *desc) {
    static const char weights[] = "weights:";
    if (strncmp(name, weights, strlen(weights)) == 0) {
        take_weights(name + strlen(weights), desc);
        return true;
    }
    desc->quantity = sn_quantity_find(name);
    // Weights of what?
    return desc->quantity != SN_QUANTITY_NONE && desc->quantity != SN_QUANTITY_WEIGHTS;
}

bool app_portrait_layer(const char *name, size_t length, sn_portrait_desc *desc) {
    const struct {
        const char *name;
        bool *shown;
    } layers[] = {{"skin", &desc->skin},
                  {"muscles", &desc->muscles},
                  {"tissues", &desc->tissues},
                  {"bones", &desc->bones},
                  {"drivers", &desc->drivers}};
    for (size_t i = 0; i < COUNT_OF(layers); ++i) {
        if (strlen(layers[i].name) == length && strncmp(layers[i].name, name, length) == 0) {
            *layers[i].shown = true;
            return true;
        }
    }
    return false;
}

void app_portrait_hide_all(sn_portrait_desc *desc) {
    desc->skin = desc->muscles = desc->tissues = desc->bones = desc->drivers = false;
}

double app_portrait_opacity(const sn_portrait_desc *desc) {
    return desc->skin && (desc->muscles || desc->tissues || desc->bones || desc->drivers) ? 0.35
                                                                                          : 1;
}
