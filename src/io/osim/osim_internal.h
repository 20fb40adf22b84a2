// SPDX-License-Identifier: Apache-2.0
//
// What the files of the OpenSim reader share:
//
//     xml.c       numbers and names in elements
//     function.c  functions of coordinates
//     frame.c     bodies, frames on them, geometry, wrap objects
//     joint.c     joints and coordinates, couplers
//     muscle.c    muscles and their paths
//     osim.c      all together; the tree of joints
#ifndef SINEW_IO_OSIM_INTERNAL_H
#define SINEW_IO_OSIM_INTERNAL_H

#include "io/osim/osim.h"
#include "io/xml.h"

// A frame that is fixed to a body.
typedef struct sni_osim_frame {
    const char *name;
    const char *owner; // the joint or body that it is written in
    const sni_xml_element *element;
    uint32_t body;   // SN_NONE until it is resolved
    bool visited;    // being resolved: a frame that hangs on itself comes back here
    sn_transform at; // in the body
} sni_osim_frame;

typedef struct sni_osim_parser {
    sni_osim *model;
    const sni_xml_element *root; // Model
    uint32_t frame_count;
    sni_osim_frame *frames;
} sni_osim_parser;

// Memory of the model, or leaves by `cleanup`.
#define SNI_OSIM_NEW(parser, pointer, count)                                                       \
    do {                                                                                           \
        (pointer) =                                                                                \
            sni_arena_alloc_small(&(parser)->model->arena, (count) + 1, sizeof *(pointer));        \
        if ((pointer) == NULL) {                                                                   \
            status = sni_fail_memory(error);                                                       \
            goto cleanup;                                                                          \
        }                                                                                          \
        memset((pointer), 0, ((count) + 1) * sizeof *(pointer));                                   \
    } while (0)

// --- xml.c

// Elements of a set: those in SET/objects.
const sni_xml_element *sni_osim_objects(const sni_xml_element *parent, const char *set);
uint32_t sni_osim_count(const sni_xml_element *element);

// A copy in the model's memory.
sn_status sni_osim_copy(sni_osim_parser *p, const char *text, size_t length, const char **copy,
                        sn_error *error);
// The attribute `name`; one that is missing is "".
sn_status sni_osim_name(sni_osim_parser *p, const sni_xml_element *element, const char **name,
                        sn_error *error);
// A child's text, which must not be empty.
sn_status sni_osim_child_text(sni_osim_parser *p, const sni_xml_element *element, const char *child,
                              const char **text, sn_error *error);

// Exactly `count` finite numbers in a child; `optional`: where there is no such child, or nothing
// in it, the numbers stay as they are.
sn_status sni_osim_numbers(const sni_xml_element *element, const char *child, uint32_t count,
                           double *numbers, bool optional, sn_error *error);
sn_status sni_osim_vector(const sni_xml_element *element, const char *child, sn_vec3 *vector,
                          bool optional, sn_error *error);
// As many numbers as there are.
sn_status sni_osim_list(sni_osim_parser *p, const sni_xml_element *element, const char *child,
                        uint32_t *count, double **numbers, sn_error *error);
bool sni_osim_flag(const sni_xml_element *element, const char *child, bool otherwise);
// The last component of a path: "/bodyset/femur_r" -> "femur_r".
sni_word sni_osim_leaf(sni_word path);
bool sni_osim_same(sni_word word, const char *name);
// How many elements of a name there are below one.
uint32_t sni_osim_count_all(const sni_xml_element *element, const char *name);
// Remembers what is left out of the document.
sn_status sni_osim_add_other(sni_osim_parser *p, const sni_xml_element *element, sn_error *error);

// --- function.c

// The function in an element: that which stands there itself, or in <function>. NULL: none there.
const sni_xml_element *sni_osim_find_function(const sni_xml_element *element);
sn_status sni_osim_function_read(sni_osim_parser *p, const sni_xml_element *element,
                                 sni_osim_function *function, sn_error *error);
void sni_osim_function_scale(sni_osim_function *function, double scale);

// --- frame.c

sn_status sni_osim_read_bodies(sni_osim_parser *p, sn_error *error);
sn_status sni_osim_read_frames(sni_osim_parser *p, sn_error *error);
sn_status sni_osim_read_geometry(sni_osim_parser *p, sn_error *error);
sn_status sni_osim_read_wraps(sni_osim_parser *p, sn_error *error);

// The frame that a socket names, as seen from a joint or body (`owner`): its body, and its place
// there. `what` is said in the error: "the path point \"x\" is on".
sn_status sni_osim_find_frame(sni_osim_parser *p, const sni_xml_element *socket, const char *owner,
                              const char *what, uint32_t *body, sn_transform *at, sn_error *error);

// --- joint.c

sn_status sni_osim_read_joints(sni_osim_parser *p, sn_error *error);
sn_status sni_osim_read_couplers(sni_osim_parser *p, sn_error *error);
sn_status sni_osim_find_coordinate(const sni_osim_parser *p, const sni_xml_element *at,
                                   sni_word path, uint32_t *coordinate, sn_error *error);

// --- muscle.c

sn_status sni_osim_read_muscles(sni_osim_parser *p, sn_error *error);

#endif
