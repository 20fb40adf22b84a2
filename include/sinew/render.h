// SPDX-License-Identifier: Apache-2.0
//
// Pictures without a GPU: ray-traced with Embree, smooth, with ambient occlusion, a soft shadow on
// the ground, see-through layers, wireframes, colour maps with a legend, and contact sheets.
//
// All calls of this header are in libraries that are built with SINEW_RENDER only.
#ifndef SINEW_RENDER_H
#define SINEW_RENDER_H

#include "sinew/eval.h"
#include "sinew/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// The materials of meshes, ready to be drawn: base colours, images (PNG, and JPEG with SINEW_JPEG),
// alpha, and colours of vertices. Several meshes share what they have in common.
typedef struct sn_appearance sn_appearance;   // of one mesh
typedef struct sn_appearances sn_appearances; // of all

// A surface in a picture. All arrays are borrowed for the call. Points, lines and faces without
// area have no surface and are not drawn. Faces seen from behind are tinted blue, so that a mesh
// turned inside out is noticed, unless the surface is two-sided.
typedef struct sn_drawable {
    const sn_mesh *mesh;
    const float *positions;        // #V x 3; NULL: the mesh's own
    const sn_triangles *triangles; // of the mesh; NULL: made for the call
    sn_look look;
    const float *base_color;    // 3 numbers, linear; NULL: the look's own
    double opacity;             // 1 solid, 0 invisible; between them rims are more opaque
    bool two_sided;             // an open sheet: its back is drawn like its front
    bool wireframe;             // draws the polygons' edges on top (not the triangles')
    const float *values;        // #V: drawn by colour map (NaN: grey); NULL: none
    const sn_attribute *colors; // of the mesh, one value per vertex, linear, 3 or 4 wide (alpha is
                                // not used); NULL: none. `values` take precedence over them, and
                                // they over `base_color`
    const sn_appearance *appearance; // of the mesh, drawn where no colour above is given; what has
                                     // neither a material with a colour nor colours of vertices has
                                     // the look; NULL: none
} sn_drawable;

typedef struct sn_camera {
    sn_vec3 eye, target, up;
    double field_of_view; // vertical, radians
    bool parallel;        // orthographic: everything has the size that it has at the target;
                          // what lies behind the eye is not seen
} sn_camera;

typedef struct sn_picture_desc {
    uint32_t check;
    uint32_t width, height;  // pixels, 1 to 65535
    uint32_t samples;        // rays per pixel along each side (2: 4 rays; 1 to 32); edges get
                             // twice as many
    uint32_t occlusion_rays; // ambient occlusion rays per sample; 0: no occlusion
    sn_camera camera;
    bool ground;          // a floor that receives a soft shadow
    double ground_height; // y of the floor; it is not seen from below
    float background[3];  // linear, in the middle; a little darker towards the corners
    sn_color_map color_map;
    double map_low, map_high; // range of drawables' values, low < high; values outside take the
                              // end's colour
    const char *map_title;    // legend: title and unit; NULL: no legend
    const char *label;        // drawn in the lower left corner; NULL: none. Texts are ASCII; other
                              // characters show as boxes
} sn_picture_desc;

// 8-bit sRGB pixels, row by row from the top, 3 bytes each.
typedef struct sn_image {
    sn_context *context;
    uint32_t width, height;
    uint8_t *pixels;
} sn_image;

// Prepares the materials of meshes, which must outlive the result. Images of the same bytes are
// decoded once; they take 5.4 bytes for each pixel, at most 2^26 pixels each. An image that cannot
// be decoded, is larger, or has no texture coordinates on its mesh is left out with a warning that
// names mesh and material; the base colour is then drawn without it.
SN_EXPERIMENTAL sn_status sn_appearances_create(sn_context *context, const sn_mesh *const *meshes,
                                                uint32_t mesh_count, sn_appearances **appearances,
                                                sn_error *error);
SN_EXPERIMENTAL void sn_appearances_destroy(sn_appearances *appearances);

// That of the mesh of this number.
SN_EXPERIMENTAL const sn_appearance *sn_appearances_of(const sn_appearances *appearances,
                                                       uint32_t mesh);

// 900 x 700 pixels, 2 x 2 samples, 16 occlusion rays, a floor at y = 0, light grey background.
SN_API sn_picture_desc sn_picture_desc_default(void);

// A camera that looks at the box [low, high] from `azimuth` (radians about +Y, 0: from +Z, the
// front) and `elevation`, so that the box fills a picture of the given aspect (width / height)
// except for a margin of 8 % on each side. For a box of a single point the picture shows a metre
// around it. Numbers that are not finite, or an aspect that is not positive, give a camera that
// sn_picture_draw refuses.
SN_API sn_camera sn_camera_frame(sn_vec3 low, sn_vec3 high, double azimuth, double elevation,
                                 double aspect);

// Draws the picture. The same input gives the same pixels for any number of threads. Fails with
// SN_INVALID for a camera without a direction (eye at its target, up along the view, numbers that
// are not finite) and for descriptions or drawables out of range. Besides the picture it takes 24
// bytes per vertex, 28 per triangle if a drawable has no `triangles`, and about 100 per triangle
// for the search tree, which Embree allocates by itself.
SN_API sn_status sn_picture_draw(sn_context *context, const sn_picture_desc *desc,
                                 const sn_drawable *drawables, uint32_t drawable_count,
                                 const sn_progress *progress, sn_image **image, sn_error *error);

// The linear colour of a map at t, from 0 to 1 (outside of that, the colour of the end; NaN: grey).
SN_EXPERIMENTAL void sn_color_map_at(sn_color_map map, double t, float color[3]);

// The linear colour of a component, by its surface (SN_QUANTITY_COMPONENT).
SN_EXPERIMENTAL void sn_component_color(uint32_t surface, float color[3]);

SN_API void sn_image_destroy(sn_image *image);

// Puts images of one size beside each other, `columns` in a row, a thin gap between them, with a
// title line above when `title` is not NULL.
SN_API sn_status sn_image_sheet(sn_context *context, const sn_image *const *images,
                                uint32_t image_count, uint32_t columns, const char *title,
                                sn_image **sheet, sn_error *error);

// Writes under a temporary name and renames, so that a failure leaves an older file as it was.
SN_API sn_status sn_image_write_png(const sn_image *image, const char *path, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Portraits: pictures of a character

typedef struct sn_portrait_desc {
    uint32_t check;
    uint32_t width, height;             // pixels
    uint32_t samples;                   // see sn_picture_desc
    uint32_t occlusion_rays;            // see sn_picture_desc
    bool skin, muscles, tissues, bones; // layers to show; features are shown with the skin
    bool drivers;                       // skins that only move others, `"show": false`
    double skin_opacity;                // 1: solid; below 1 the inside is seen through it
    double muscle_opacity, tissue_opacity, bone_opacity, driver_opacity;
    bool materials;            // draws skins and features with the colours and images of their
                               // materials, where they have some, and not in the look of the layer
    bool wireframe;            // the skin's polygon edges on top
    bool wireframe_all;        // and those of everything else that is shown
    sn_quantity quantity;      // on skin or muscles (eval.h), with a legend
    const char *segment;       // for SN_QUANTITY_WEIGHTS: see sn_values_desc; the text must
    uint32_t deformer;         // live as long as the portrait
    double azimuth, elevation; // radians: direction of the camera, 0 and 0 in front
    const char *focus;         // the camera frames this part alone and goes along with it: a
                               // segment, muscle, bone, tissue or skin by its name, whose text must
                               // live until the portrait is made; NULL: all that is shown
    double zoom;               // enlarges the middle of the picture by this factor, 0.01 to 1000
    bool follow;               // the camera moves with a character that travels
    bool orthographic;         // without perspective
    bool aimed;                // the camera looks at `target` from `distance`, both in metres,
    sn_vec3 target;            // and does not frame the character by itself
    double distance;
    bool sliced;          // the character is cut open along `slice`: what lies before it is not
    sn_field_slice slice; // drawn, and the fields of all shown skins (sn_frame_field) are seen on
                          // it in colours, with iso-lines at each tenth, a broad one at the surface
    bool grounded;        // the floor is at the height `ground`, metres; else it is below
    double ground;        // everything in all included frames
} sn_portrait_desc;

typedef struct sn_portrait sn_portrait;

SN_API sn_portrait_desc sn_portrait_desc_default(void);

// Prepares pictures of a model, which must outlive the portrait. Fails with SN_INVALID if no shown
// surface has the quantity: SN_QUANTITY_COMPONENT if no skin has a `membrane`, quantities of
// muscles if there are no muscles, SN_QUANTITY_ACTIVATION if no muscle has an activation,
// SN_QUANTITY_VOLUME if no muscle is closed, SN_QUANTITY_WEIGHTS if no skin has weights. Also for a
// `focus` that is no name of the character, or to which nothing belongs, and for a slice without a
// direction, of a segment that does not exist, or through no skin that has a field.
SN_API sn_status sn_portrait_create(const sn_model *model, const sn_portrait_desc *desc,
                                    sn_portrait **portrait, sn_error *error);
SN_API void sn_portrait_destroy(sn_portrait *portrait);

// Extends what the camera frames by the shown surfaces of a frame. Call it for all frames that
// shall be drawn at the same scale.
SN_API void sn_portrait_include(sn_portrait *portrait, const sn_frame *frame);

// Draws a frame; `label` may be NULL.
SN_API sn_status sn_portrait_draw(sn_portrait *portrait, const sn_frame *frame, const char *label,
                                  const sn_progress *progress, sn_image **image, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Films

// A film: frames are piped to the program ffmpeg, which must be installed (SN_UNSUPPORTED when it
// is not). The extension chooses the format: .mp4, .mov, .mkv (H.264), .webm (VP9), .gif. In all
// but the last, an odd width or height grows by one pixel. The file appears under its name when
// sn_film_end succeeds. sn_film_end frees the film in any case; so does sn_film_cancel (NULL is
// allowed), which leaves no file. A film without frames is SN_INVALID; `rate` is in frames per
// second.
typedef struct sn_film sn_film;
SN_API sn_status sn_film_begin(sn_context *context, const char *path, uint32_t width,
                               uint32_t height, double rate, sn_film **film, sn_error *error);
SN_API sn_status sn_film_add(sn_film *film, const sn_image *image, sn_error *error);
SN_API sn_status sn_film_end(sn_film *film, sn_error *error);
SN_API void sn_film_cancel(sn_film *film);

#ifdef __cplusplus
}
#endif

#endif
