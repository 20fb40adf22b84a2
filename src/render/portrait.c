// SPDX-License-Identifier: Apache-2.0
//
// Pictures of a character: its surfaces as drawables with the looks of their layers.
#include "base/memory.h"
#include "render/cut.h"
#include "render/focus.h"
#include "render/quantity.h"

#include <math.h>
#include <string.h>

static const uint32_t desc_check = 0x736e7072;

typedef struct shown_surface {
    uint32_t surface;
    sn_triangles *triangles;
    sni_paint paint;
} shown_surface;

// A box in the camera's axes.
typedef struct view_box {
    sn_vec3 low, high;
} view_box;

struct sn_portrait {
    sn_context *context;
    const sn_model *model;
    sn_portrait_desc desc;
    sn_values_desc values; // what is painted
    uint32_t count;
    shown_surface *shown;
    sn_drawable *drawables;      // count
    sn_appearances *appearances; // of all shown meshes, by their number; NULL: not wanted
    sn_quat view; // turns the camera's axes (x right, y up, z towards it) into the world's
    bool has_box;
    sni_focus focus; // the points that are framed; none: all that are shown
    view_box all;    // of all frames that were included
    view_box here;   // the same, each frame moved so that its middle stands over the origin
    double nearest;  // how far towards the camera anything comes, of all that is shown
    double ground;   // the lowest point of all
};

sn_portrait_desc sn_portrait_desc_default(void) {
    sn_picture_desc picture = sn_picture_desc_default();
    return (sn_portrait_desc){
        .check = desc_check,
        .width = 900,
        .height = 900,
        .samples = picture.samples,
        .occlusion_rays = picture.occlusion_rays,
        .skin = true,
        .materials = true,
        .skin_opacity = 1,
        .muscle_opacity = 1,
        .tissue_opacity = 1,
        .bone_opacity = 1,
        .driver_opacity = 1,
        .azimuth = 35 * SN_PI / 180,
        .elevation = 12 * SN_PI / 180,
        .zoom = 1,
        .follow = true,
        .deformer = SN_NONE,
        .slice = {.segment = SN_NONE, .normal = {0, 0, 1}},
    };
}

// A skin that only moves others.
static bool is_driver(const sn_surface *surface) {
    return surface->layer == SN_LAYER_SKIN && !surface->shown;
}

static bool is_shown(const sn_portrait_desc *desc, const sn_surface *surface) {
    if (is_driver(surface)) {
        return desc->drivers;
    }
    bool wanted = surface->layer == SN_LAYER_BONE     ? desc->bones
                  : surface->layer == SN_LAYER_MUSCLE ? desc->muscles
                  : surface->layer == SN_LAYER_TISSUE && !surface->feature
                      ? desc->tissues
                      : desc->skin || (surface->feature && desc->tissues);
    return wanted && surface->shown;
}

static sn_status prepare(sn_portrait *portrait, uint32_t index, shown_surface *shown, bool *paints,
                         sn_error *error) {
    const sn_surface *surface = sn_model_surface(portrait->model, index);
    sn_status status = SN_OK;
    shown->surface = index;
    SN_TRY(sn_triangles_create(surface->mesh, surface->mesh->positions, &shown->triangles, error));
    SN_TRY(sni_paint_init(portrait->model, index, &portrait->values, &shown->paint, paints, error));
cleanup:
    return status;
}

// Fails where a quantity is asked for that nothing that is shown has.
static sn_status check_unpainted(const sn_portrait *portrait, sn_error *error) {
    static const char *const reasons[SN_QUANTITY_COUNT] = {
        [SN_QUANTITY_COMPONENT] = "no shown skin has components: none has a `membrane`",
        [SN_QUANTITY_SHORTENING] = "no muscle is shown, so there is no shortening",
        [SN_QUANTITY_ACTIVATION] = "no shown muscle has an activation",
        [SN_QUANTITY_VOLUME] = "no shown muscle has a volume: none is closed",
        [SN_QUANTITY_WEIGHTS] =
            "no shown skin has such weights: none has a `blend` with that segment, or that "
            "deformer",
        [SN_QUANTITY_DEPTH] =
            "no shown skin has a depth: there is no bone, tissue or muscle below it",
        [SN_QUANTITY_CONTACT] = "no shown skin has contact: none has an `implicit`",
    };
    const char *reason = reasons[portrait->desc.quantity];
    bool of_parts = portrait->desc.quantity == SN_QUANTITY_COMPONENT && !portrait->desc.skin;
    return reason == NULL || of_parts ? SN_OK : sni_fail(error, SN_INVALID, "%s", reason);
}

static sn_status find_focus(sn_portrait *portrait, sn_error *error) {
    uint32_t *shown = NULL;
    sn_status status = SN_OK;
    SNI_NEW(portrait->context, shown, portrait->count);
    for (uint32_t i = 0; i < portrait->count; ++i) {
        shown[i] = portrait->shown[i].surface;
    }
    SN_TRY(sni_focus_init(portrait->model, portrait->desc.focus, shown, portrait->count,
                          &portrait->focus, error));
cleanup:
    sni_free(portrait->context, shown);
    return status;
}

static sn_status make_appearances(sn_portrait *portrait, sn_error *error) {
    const sn_mesh **meshes = NULL;
    sn_status status = SN_OK;
    SNI_NEW(portrait->context, meshes, portrait->count);
    for (uint32_t i = 0; i < portrait->count; ++i) {
        meshes[i] = sn_model_surface(portrait->model, portrait->shown[i].surface)->mesh;
    }
    SN_TRY(sn_appearances_create(portrait->context, meshes, portrait->count, &portrait->appearances,
                                 error));
cleanup:
    sni_free(portrait->context, meshes);
    return status;
}

static sn_status check_slice(const sn_model *model, const sn_field_slice *slice, sn_error *error) {
    uint32_t segments = sn_model_skeleton(model)->segment_count;
    bool any = false;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        any = any || (sn_model_has_field(model, i) && sn_model_surface(model, i)->shown);
    }
    if (!any) {
        return sni_fail(error, SN_INVALID,
                        "no shown skin has a field to slice: none has an `implicit`");
    }
    if (slice->segment != SN_NONE && slice->segment >= segments) {
        return sni_fail(error, SN_INVALID, "the slice goes with segment %u of %u", slice->segment,
                        segments);
    }
    return sn_vec3_is_finite(slice->point) && sn_vec3_is_finite(slice->normal) &&
                   sn_vec3_length(slice->normal) > 0
               ? SN_OK
               : sni_fail(error, SN_INVALID, "the slice has no direction, or is nowhere");
}

sn_status sn_portrait_create(const sn_model *model, const sn_portrait_desc *desc,
                             sn_portrait **portrait, sn_error *error) {
    *portrait = NULL;
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_portrait_desc_default");
    }
    if (desc->aimed && !(desc->distance > 0)) {
        return sni_fail(error, SN_INVALID,
                        "the camera is %g m away from its target, but must be more than 0",
                        desc->distance);
    }
    if (!(desc->zoom >= 0.01 && desc->zoom <= 1000)) {
        return sni_fail(error, SN_INVALID, "the zoom is %g, expected 0.01 to 1000", desc->zoom);
    }
    sn_context *context = sn_model_context(model);
    sn_status status = SN_OK;
    sn_portrait *made = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->model = model;
    made->desc = *desc;
    made->values = sn_values_desc_default();
    made->values.quantity = desc->quantity;
    made->values.segment = desc->segment;
    made->values.deformer = desc->deformer;
    // First down by the elevation, then around by the azimuth.
    made->view = sn_quat_multiply(sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), desc->azimuth),
                                  sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), -desc->elevation));
    SNI_NEW_ZERO(context, made->shown, sn_model_surface_count(model));
    SNI_NEW_ZERO(context, made->drawables, sn_model_surface_count(model));
    bool painted = false;
    for (uint32_t i = 0; i < sn_model_surface_count(model); ++i) {
        if (is_shown(desc, sn_model_surface(model, i))) {
            bool paints = false;
            SN_TRY(prepare(made, i, &made->shown[made->count++], &paints, error));
            painted = painted || paints;
        }
    }
    SN_TRY(painted ? SN_OK : check_unpainted(made, error));
    SN_TRY(desc->materials ? make_appearances(made, error) : SN_OK);
    SN_TRY(desc->focus != NULL ? find_focus(made, error) : SN_OK);
    SN_TRY(desc->sliced ? check_slice(model, &desc->slice, error) : SN_OK);
    *portrait = made;
    return SN_OK;
cleanup:
    sn_portrait_destroy(made);
    return status;
}

void sn_portrait_destroy(sn_portrait *portrait) {
    if (portrait == NULL) {
        return;
    }
    for (uint32_t i = 0; i < portrait->count; ++i) {
        sn_triangles_destroy(portrait->shown[i].triangles);
        sni_paint_deinit(portrait->context, &portrait->shown[i].paint);
    }
    sn_appearances_destroy(portrait->appearances);
    sni_focus_deinit(portrait->context, &portrait->focus);
    sni_free(portrait->context, portrait->shown);
    sni_free(portrait->context, portrait->drawables);
    sni_free(portrait->context, portrait);
}

// A character that gets further than this, in units of its own size, is followed.
static const double travel_ratio = 1.4;

static void widen(view_box *box, bool first, sn_vec3 low, sn_vec3 high) {
    box->low = first ? low : sn_vec3_min(box->low, low);
    box->high = first ? high : sn_vec3_max(box->high, high);
}

// The box of what is shown of a frame, turned by `turn`; false when that is nothing.
static bool find_shown_box(const sn_portrait *portrait, const sn_frame *frame, sn_quat turn,
                           view_box *box) {
    bool any = false;
    for (uint32_t i = 0; i < portrait->count; ++i) {
        uint32_t surface = portrait->shown[i].surface;
        const float *points = sn_frame_points(frame, surface);
        uint32_t count = sn_model_surface(portrait->model, surface)->mesh->vertex_count;
        for (uint32_t v = 0; v < count; ++v) {
            sn_vec3 p = sn_quat_rotate(turn, sn_vec3_load(points + 3 * (size_t)v));
            widen(box, !any, p, p);
            any = true;
        }
    }
    return any;
}

// The same of what the camera frames.
static bool find_framed_box(const sn_portrait *portrait, const sn_frame *frame, sn_quat turn,
                            view_box *box) {
    const sni_focus *focus = &portrait->focus;
    for (uint32_t i = 0; i < focus->count; ++i) {
        const float *points = sn_frame_points(frame, focus->surfaces[i]);
        sn_vec3 p = sn_quat_rotate(turn, sn_vec3_load(points + 3 * (size_t)focus->vertices[i]));
        widen(box, i == 0, p, p);
    }
    return focus->count > 0 || find_shown_box(portrait, frame, turn, box);
}

static const sn_quat unturned = {0, 0, 0, 1};

// The place on the ground over which the character stands; the middle of a part.
static sn_vec3 place_of(const sn_portrait *portrait, const view_box *world) {
    sn_vec3 middle = sn_vec3_lerp(world->low, world->high, 0.5);
    return portrait->focus.count > 0 ? middle
                                     : sn_vec3_make((world->low.x + world->high.x) / 2, 0,
                                                    (world->low.z + world->high.z) / 2);
}

void sn_portrait_include(sn_portrait *portrait, const sn_frame *frame) {
    view_box shown, world, framed;
    sn_quat turn = sn_quat_conjugate(portrait->view);
    if (!find_shown_box(portrait, frame, unturned, &shown)) {
        return;
    }
    bool first = !portrait->has_box;
    portrait->ground = first ? shown.low.y : fmin(portrait->ground, shown.low.y);
    find_shown_box(portrait, frame, turn, &shown);
    portrait->nearest = first ? shown.high.z : fmax(portrait->nearest, shown.high.z);
    find_framed_box(portrait, frame, unturned, &world);
    find_framed_box(portrait, frame, turn, &framed);
    sn_vec3 place = sn_quat_rotate(turn, place_of(portrait, &world));
    widen(&portrait->all, first, framed.low, framed.high);
    widen(&portrait->here, first, sn_vec3_sub(framed.low, place), sn_vec3_sub(framed.high, place));
    portrait->has_box = true;
}

static bool travels(const sn_portrait *portrait) {
    sn_vec3 all = sn_vec3_sub(portrait->all.high, portrait->all.low);
    sn_vec3 here = sn_vec3_sub(portrait->here.high, portrait->here.low);
    return sn_vec3_length(all) > travel_ratio * sn_vec3_length(here);
}

static const double field_of_view = 24 * SN_PI / 180; // a portrait lens: little distortion

// Looks at a place from a distance. Without perspective the eye can stand anywhere before what is
// to be seen, as long as the field of view keeps the scale.
static sn_camera aim_camera(const sn_portrait *portrait, sn_vec3 target, double distance) {
    sn_vec3 back = sn_quat_rotate(portrait->view, sn_vec3_make(0, 0, 1));
    sn_vec3 local = sn_quat_rotate(sn_quat_conjugate(portrait->view), target);
    double before = fmax(distance, 2 * (portrait->nearest - local.z));
    double away = portrait->desc.orthographic ? before : distance;
    return (sn_camera){.eye = sn_vec3_add_scaled(target, away, back),
                       .target = target,
                       .up = sn_quat_rotate(portrait->view, sn_vec3_make(0, 1, 0)),
                       .field_of_view =
                           2 * atan(tan(field_of_view / 2) * distance / away / portrait->desc.zoom),
                       .parallel = portrait->desc.orthographic};
}

// The field of view that the zoom leaves.
static double enlarged(const sn_portrait *portrait, double field) {
    return 2 * atan(tan(field / 2) / portrait->desc.zoom);
}

// Stands so far away that the box fits with some room around it:
//     distance = depth/2 + max(height/2 / tan(fov/2), width/2 / (aspect tan(fov/2)))
// A part is looked at from before all else that is shown, through a longer lens.
static sn_camera frame_box(const sn_portrait *portrait, const view_box *box, sn_vec3 place) {
    bool part = portrait->focus.count > 0;
    double room = part ? 1.4 : 1.12;
    sn_vec3 size = sn_vec3_sub(box->high, box->low);
    sn_vec3 centre = sn_vec3_lerp(box->low, box->high, 0.5);
    double aspect = (double)portrait->desc.width / portrait->desc.height;
    double half = fmax(size.y, size.x / aspect) / 2 * room;
    double distance = size.z / 2 + fmax(half / tan(field_of_view / 2), 1e-6);
    double field = field_of_view;
    sn_vec3 local_place = sn_quat_rotate(sn_quat_conjugate(portrait->view), place);
    double before = 1.1 * (portrait->nearest - local_place.z - centre.z);
    if (part && before > distance) {
        field = 2 * atan(half / (before - size.z / 2));
        distance = before;
    }
    sn_vec3 eye = sn_vec3_add(centre, sn_vec3_make(0, 0, distance));
    return (sn_camera){.eye = sn_vec3_add(place, sn_quat_rotate(portrait->view, eye)),
                       .target = sn_vec3_add(place, sn_quat_rotate(portrait->view, centre)),
                       .up = sn_quat_rotate(portrait->view, sn_vec3_make(0, 1, 0)),
                       .field_of_view = enlarged(portrait, field),
                       .parallel = portrait->desc.orthographic};
}

static sn_camera place_camera(const sn_portrait *portrait, const sn_frame *frame) {
    if (portrait->desc.aimed) {
        return aim_camera(portrait, portrait->desc.target, portrait->desc.distance);
    }
    view_box world;
    sn_vec3 nowhere = {0, 0, 0};
    bool follows = portrait->desc.follow && travels(portrait) &&
                   find_framed_box(portrait, frame, unturned, &world);
    return follows ? frame_box(portrait, &portrait->here, place_of(portrait, &world))
                   : frame_box(portrait, &portrait->all, nowhere);
}

// Skins and features are drawn with their materials; muscles, bones and tissues show what they are.
static const sn_appearance *appearance_of(const sn_portrait *portrait, const shown_surface *shown) {
    const sn_surface *surface = sn_model_surface(portrait->model, shown->surface);
    bool drawn = (surface->layer == SN_LAYER_SKIN && !is_driver(surface)) || surface->feature;
    return portrait->appearances != NULL && drawn
               ? sn_appearances_of(portrait->appearances, (uint32_t)(shown - portrait->shown))
               : NULL;
}

static double opacity_of(const sn_portrait_desc *desc, const sn_surface *surface) {
    switch (surface->layer) {
    case SN_LAYER_SKIN: return is_driver(surface) ? desc->driver_opacity : desc->skin_opacity;
    case SN_LAYER_MUSCLE: return desc->muscle_opacity;
    case SN_LAYER_BONE: return desc->bone_opacity;
    case SN_LAYER_TISSUE: return surface->feature ? 1 : desc->tissue_opacity;
    }
    return 1;
}

static sn_drawable make_drawable(const sn_portrait *portrait, const sn_frame *frame,
                                 const shown_surface *shown) {
    const sn_surface *surface = sn_model_surface(portrait->model, shown->surface);
    bool is_skin = surface->layer == SN_LAYER_SKIN;
    const sn_portrait_desc *desc = &portrait->desc;
    const sni_paint *paint = &shown->paint;
    return (sn_drawable){
        .mesh = surface->mesh,
        .positions = sn_frame_points(frame, shown->surface),
        .triangles = shown->triangles,
        .look = surface->look,
        .two_sided = surface->look == SN_LOOK_MUSCLE || surface->look == SN_LOOK_CLOTH,
        .opacity = opacity_of(desc, surface),
        .wireframe = desc->wireframe && (is_skin || desc->wireframe_all),
        .values = paint->colors.values == NULL ? paint->values : NULL,
        .base_color = paint->has_base ? paint->base : NULL,
        .colors = paint->colors.values != NULL ? &paint->colors : NULL,
        .appearance = appearance_of(portrait, shown),
    };
}

// A picture of a character that is cut open. The legend is that of the field, unless colours of
// surfaces have one.
static sn_status draw_sliced(const sn_portrait *portrait, const sn_frame *frame,
                             sn_picture_desc *picture, const sn_progress *progress,
                             sn_image **image, sn_error *error) {
    sn_context *context = portrait->context;
    sn_status status = SN_OK;
    sni_view view;
    sni_cut cut = {0};
    *image = NULL;
    if (picture->map_title == NULL) {
        picture->color_map = SN_COLOR_MAP_COOL_WARM;
        picture->map_low = 0;
        picture->map_high = 1;
        picture->map_title = "field (0.5: the surface)";
    }
    SN_TRY(sni_view_init(&picture->camera, picture->width, picture->height, &view, error));
    SN_TRY(sni_cut_make(context, frame, &portrait->desc.slice, &view, &cut, error));
    SN_TRY(sni_picture_draw_cut(context, picture, &cut, portrait->drawables, portrait->count,
                                progress, image, error));
cleanup:
    sni_cut_free(context, &cut);
    return status;
}

sn_status sn_portrait_draw(sn_portrait *portrait, const sn_frame *frame, const char *label,
                           const sn_progress *progress, sn_image **image, sn_error *error) {
    if (!portrait->has_box) {
        sn_portrait_include(portrait, frame);
    }
    if (!portrait->has_box) {
        return sni_fail(error, SN_INVALID, "there is nothing to show");
    }
    for (uint32_t i = 0; i < portrait->count; ++i) {
        shown_surface *shown = &portrait->shown[i];
        sn_status status =
            sni_paint_update(frame, shown->surface, &portrait->values, &shown->paint, error);
        if (status != SN_OK) {
            return status;
        }
        portrait->drawables[i] = make_drawable(portrait, frame, &portrait->shown[i]);
    }
    const sn_portrait_desc *desc = &portrait->desc;
    sn_picture_desc picture = sn_picture_desc_default();
    picture.width = desc->width;
    picture.height = desc->height;
    picture.samples = desc->samples;
    picture.occlusion_rays = desc->occlusion_rays;
    picture.camera = place_camera(portrait, frame);
    picture.ground = true;
    picture.ground_height = desc->grounded ? desc->ground : portrait->ground;
    picture.label = label;
    sni_quantity_legend(portrait->model, desc->quantity, &picture);
    if (desc->sliced) {
        return draw_sliced(portrait, frame, &picture, progress, image, error);
    }
    return sn_picture_draw(portrait->context, &picture, portrait->drawables, portrait->count,
                           progress, image, error);
}
