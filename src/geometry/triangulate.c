// SPDX-License-Identifier: Apache-2.0
//
// Triangles of polygons. A face is projected to its mean plane (normal to Newell's vector) and
//
//     3 corners          taken as they are
//     4 corners          split along the better of the two diagonals
//     convex             a fan from the first corner, O(n)
//     anything else      ear clipping (Meisters 1975), O(n^2) at worst
//
// Of a face of up to 64 corners the ear with the shortest diagonal goes first, of those equal the
// one with the shortest sides. Lengths do not change in a mirror, so that a concave face and its
// mirror image get the same triangles, whichever corner they begin with. Larger faces are clipped
// in order.
//
// An ear is a corner that turns left and whose triangle holds no other corner, borders included:
// corners on a straight edge then never end up in a triangle without area while another choice is
// left. Only corners that do not turn left ("hard" ones) can lie in the triangle of a simple
// polygon, so only those are tested. Corners at the same place as one of the ear's own do not
// block it, which lets polygons through that reach their holes along a seam.
//
// Doubled points and spikes go first. A simple polygon then always has an ear; when none is left
// the face is flat or crosses itself, and corners without area, or else the smallest triangle, are
// clipped until the rest has ears again.
#include "sinew/geometry.h"

#include "base/memory.h"
#include "geometry/normals.h"
#include "geometry/validate.h"

// Faces up to this size are cut in parallel with scratch on the stack; larger ones are rare.
enum { SMALL_FACE = 64 };

// Faces per block.
static const uint32_t grain = 1024;

// Error of a projected coordinate, relative to the size of the face: a few roundings of a double.
static const double coordinate_error = 1e-15;

// How often all corners of a face that ran out of ears are looked at again. Bounds the time for
// hopeless faces; one such round is enough for a face with any number of spikes.
enum { MAX_ROUNDS = 32 };

// A corner of the face that is being cut, in a ring of those not clipped yet.
typedef struct corner {
    double x, y; // in the mean plane
    uint32_t previous, next;
    bool is_hard;   // does not turn left
    bool is_listed; // stands in the list of hard corners
    bool is_queued; // waits in the queue of possible ears
    bool is_clipped;
} corner;

typedef struct polygon {
    uint32_t count;           // corners of the face
    uint32_t left;            // corners in the ring
    double error;             // coordinate_error times the size of the face
    const float *positions;   // of all vertices
    const uint32_t *vertices; // count: of the corners
    corner *corners;          // count
    uint32_t *hard;           // hard corners, some of which may have become convex since
    uint32_t hard_count;      // at most `count`
    uint32_t *queue;          // ring buffer of possible ears
    uint32_t queue_first, queue_count;
    uint32_t *out; // 3 corner numbers per triangle
} polygon;

// Twice the area of the triangle a, b, c, positive when it turns left; 0 when it could be rounding.
static double turn(const polygon *face, const corner *a, const corner *b, const corner *c) {
    double ux = b->x - a->x, uy = b->y - a->y;
    double vx = c->x - a->x, vy = c->y - a->y;
    double area = ux * vy - uy * vx;
    double error = 2 * face->error * (fabs(ux) + fabs(uy) + fabs(vx) + fabs(vy));
    return fabs(area) <= error ? 0 : area;
}

static double turn_at(const polygon *face, uint32_t i) {
    const corner *c = &face->corners[i];
    return turn(face, &face->corners[c->previous], c, &face->corners[c->next]);
}

// Projects the corners to the plane at right angles to the face's vector. False when it has none:
// the face is a line, or crosses itself so that its areas cancel.
static bool project(polygon *face, const float *positions, const uint32_t *vertices) {
    sn_vec3 vector = sni_face_vector(positions, vertices, face->count);
    sn_vec3 normal = sn_vec3_normalize_or(vector, sn_vec3_make(0, 0, 0));
    if (sn_vec3_dot(normal, normal) == 0) {
        return false;
    }
    sn_vec3 u = sn_vec3_perpendicular(normal);
    sn_vec3 v = sn_vec3_cross(normal, u);
    sn_vec3 origin = sn_vec3_load(positions + 3 * (size_t)vertices[0]);
    double size = 0;
    for (uint32_t i = 0; i < face->count; ++i) {
        sn_vec3 p = sn_vec3_sub(sn_vec3_load(positions + 3 * (size_t)vertices[i]), origin);
        face->corners[i].x = sn_vec3_dot(u, p);
        face->corners[i].y = sn_vec3_dot(v, p);
        size = fmax(size, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    face->error = coordinate_error * size;
    return true;
}

static void emit(polygon *face, uint32_t a, uint32_t b, uint32_t c) {
    *face->out++ = a;
    *face->out++ = b;
    *face->out++ = c;
}

static void emit_fan(polygon *face) {
    for (uint32_t i = 2; i < face->count; ++i) {
        emit(face, 0, i - 1, i);
    }
}

static double distance2(const float *a, const float *b) {
    sn_vec3 d = sn_vec3_sub(sn_vec3_load(a), sn_vec3_load(b));
    return sn_vec3_dot(d, d);
}

static void cut_quad(polygon *face, const float *positions, const uint32_t *vertices) {
    const corner *c = face->corners;
    bool fits_02 = turn(face, &c[0], &c[1], &c[2]) > 0 && turn(face, &c[0], &c[2], &c[3]) > 0;
    bool fits_13 = turn(face, &c[0], &c[1], &c[3]) > 0 && turn(face, &c[1], &c[2], &c[3]) > 0;
    const float *p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = positions + 3 * (size_t)vertices[i];
    }
    bool use_13 = fits_02 == fits_13 ? distance2(p[1], p[3]) < distance2(p[0], p[2]) : fits_13;
    if (use_13) {
        emit(face, 0, 1, 3);
        emit(face, 1, 2, 3);
    } else {
        emit_fan(face);
    }
}

static bool points_up(const corner *from, const corner *to) {
    return to->y > from->y || (to->y == from->y && to->x > from->x);
}

// Left turns only, and once around: the edges change from down to up a single time.
static bool is_convex(const polygon *face) {
    uint32_t rises = 0;
    bool was_up = points_up(&face->corners[face->count - 1], &face->corners[0]);
    for (uint32_t i = 0; i < face->count; ++i) {
        if (turn_at(face, i) <= 0) {
            return false;
        }
        bool is_up = points_up(&face->corners[i], &face->corners[face->corners[i].next]);
        rises += is_up && !was_up;
        was_up = is_up;
    }
    return rises == 1;
}

static void enqueue(polygon *face, uint32_t i) {
    if (face->corners[i].is_queued) {
        return;
    }
    face->corners[i].is_queued = true;
    uint32_t slot = face->queue_first + face->queue_count++;
    face->queue[slot < face->count ? slot : slot - face->count] = i;
}

static uint32_t dequeue(polygon *face) {
    uint32_t i = face->queue[face->queue_first];
    face->queue_first = face->queue_first + 1 < face->count ? face->queue_first + 1 : 0;
    face->queue_count--;
    face->corners[i].is_queued = false;
    return i;
}

static void look_at(polygon *face, uint32_t i) {
    corner *c = &face->corners[i];
    c->is_hard = !(turn_at(face, i) > 0);
    if (c->is_hard && !c->is_listed) {
        c->is_listed = true;
        face->hard[face->hard_count++] = i;
    }
}

static bool same_place(const corner *a, const corner *b) {
    return a->x == b->x && a->y == b->y;
}

static bool is_inside(const polygon *face, const corner *a, const corner *b, const corner *c,
                      const corner *p) {
    return turn(face, a, b, p) >= 0 && turn(face, b, c, p) >= 0 && turn(face, c, a, p) >= 0 &&
           !same_place(a, p) && !same_place(b, p) && !same_place(c, p);
}

// Tests a corner, and tidies the list of hard corners on the way.
static bool is_ear(polygon *face, uint32_t i) {
    const corner *b = &face->corners[i];
    if (b->is_hard) {
        return false;
    }
    const corner *a = &face->corners[b->previous], *c = &face->corners[b->next];
    for (uint32_t k = 0; k < face->hard_count;) {
        corner *p = &face->corners[face->hard[k]];
        if (p->is_clipped || !p->is_hard) {
            p->is_listed = false;
            face->hard[k] = face->hard[--face->hard_count];
            continue;
        }
        if (is_inside(face, a, b, c, p)) {
            return false;
        }
        ++k;
    }
    return true;
}

// Cuts the triangle at a corner off and looks at its two neighbours again.
static void clip(polygon *face, uint32_t i) {
    corner *c = &face->corners[i];
    uint32_t previous = c->previous, next = c->next;
    emit(face, previous, i, next);
    c->is_clipped = true;
    face->corners[previous].next = next;
    face->corners[next].previous = previous;
    face->left--;
    look_at(face, previous);
    look_at(face, next);
    enqueue(face, previous);
    enqueue(face, next);
}

static uint32_t first_in_ring(const polygon *face) {
    uint32_t i = 0;
    while (face->corners[i].is_clipped) {
        ++i;
    }
    return i;
}

// A doubled point, or the tip of a spike that the outline runs out and back: nothing lies within,
// and left for later it would look like part of the border.
static bool is_spike(const polygon *face, uint32_t i) {
    const corner *b = &face->corners[i];
    const corner *a = &face->corners[b->previous], *c = &face->corners[b->next];
    double along = (b->x - a->x) * (c->x - b->x) + (b->y - a->y) * (c->y - b->y);
    return along <= 0 && turn_at(face, i) == 0;
}

// Empties the queue, clipping spikes and, unless they come first, ears.
static void clip_queued(polygon *face, bool ears) {
    while (face->queue_count > 0 && face->left > 3) {
        uint32_t i = dequeue(face);
        if (!face->corners[i].is_clipped && (is_spike(face, i) || (ears && is_ear(face, i)))) {
            clip(face, i);
        }
    }
}

static double distance_between(const polygon *face, uint32_t i, uint32_t k) {
    return sqrt(distance2(face->positions + 3 * (size_t)face->vertices[i],
                          face->positions + 3 * (size_t)face->vertices[k]));
}

// How long the diagonal that cuts a corner off is, and the two sides that it cuts off.
typedef struct ear_lengths {
    double diagonal, sides;
} ear_lengths;

static ear_lengths lengths_of(const polygon *face, uint32_t i) {
    const corner *c = &face->corners[i];
    return (ear_lengths){distance_between(face, c->previous, c->next),
                         distance_between(face, c->previous, i) +
                             distance_between(face, i, c->next)};
}

// The ear to clip first; SN_NONE where no corner is one.
static uint32_t shortest_ear(polygon *face) {
    uint32_t best = SN_NONE, i = first_in_ring(face);
    ear_lengths least = {INFINITY, INFINITY};
    for (uint32_t visits = face->left; visits > 0; --visits, i = face->corners[i].next) {
        ear_lengths l = lengths_of(face, i);
        bool shorter =
            l.diagonal != least.diagonal ? l.diagonal < least.diagonal : l.sides < least.sides;
        if (shorter && is_ear(face, i)) {
            best = i;
            least = l;
        }
    }
    return best;
}

static void clip_shortest_ears(polygon *face) {
    uint32_t i;
    while (face->left > 3 && (i = shortest_ear(face)) != SN_NONE) {
        clip(face, i);
    }
}

// Clips what is left without area: straight runs of a flat face.
static bool clip_flat(polygon *face) {
    bool any = false;
    uint32_t i = first_in_ring(face);
    for (uint32_t visits = face->left; visits > 0 && face->left > 3; --visits) {
        uint32_t next = face->corners[i].next;
        if (turn_at(face, i) == 0) {
            clip(face, i);
            any = true;
        }
        i = next;
    }
    return any;
}

// The smallest triangle on the right side; any when there is none.
static void clip_smallest(polygon *face) {
    uint32_t smallest = first_in_ring(face);
    double smallest_area = INFINITY;
    uint32_t i = smallest;
    for (uint32_t visits = face->left; visits > 0; --visits) {
        double area = turn_at(face, i);
        if (area > 0 && area < smallest_area) {
            smallest_area = area;
            smallest = i;
        }
        i = face->corners[i].next;
    }
    clip(face, smallest);
}

static void enqueue_all(polygon *face) {
    uint32_t i = first_in_ring(face);
    for (uint32_t visits = face->left; visits > 0; --visits) {
        enqueue(face, i);
        i = face->corners[i].next;
    }
}

static void cut_ears(polygon *face) {
    face->hard_count = face->queue_first = face->queue_count = 0;
    face->left = face->count;
    for (uint32_t i = 0; i < face->count; ++i) {
        look_at(face, i);
    }
    enqueue_all(face);
    clip_queued(face, false);
    if (face->count <= SMALL_FACE) {
        clip_shortest_ears(face);
    }
    enqueue_all(face);
    clip_queued(face, true);
    for (uint32_t rounds = 0; face->left > 3; ++rounds) {
        if (!clip_flat(face)) {
            clip_smallest(face);
        }
        if (rounds < MAX_ROUNDS) {
            enqueue_all(face);
        }
        clip_queued(face, true);
    }
    uint32_t i = first_in_ring(face);
    emit(face, i, face->corners[i].next, face->corners[face->corners[i].next].next);
}

static void link_ring(polygon *face) {
    for (uint32_t i = 0; i < face->count; ++i) {
        face->corners[i].previous = i > 0 ? i - 1 : face->count - 1;
        face->corners[i].next = i + 1 < face->count ? i + 1 : 0;
        face->corners[i].is_listed = face->corners[i].is_queued = false;
        face->corners[i].is_clipped = false;
    }
}

// Writes 3 (n - 2) corner numbers, counted from the face's first.
static void cut_face(polygon *face, const float *positions, const uint32_t *vertices) {
    if (face->count < 3) {
        return;
    }
    if (face->count == 3 || !project(face, positions, vertices)) {
        emit_fan(face);
        return;
    }
    if (face->count == 4) {
        cut_quad(face, positions, vertices);
        return;
    }
    link_ring(face);
    if (is_convex(face)) {
        emit_fan(face);
    } else {
        cut_ears(face);
    }
}

typedef struct cut_job {
    const sn_mesh *mesh;
    const float *positions;
    sn_triangles *triangles;
    uint32_t *firsts; // #F: the first triangle of each face
} cut_job;

// Cuts face `f` into `scratch` for its size and stores vertices, corners and the face.
static void cut_and_store(const cut_job *job, uint32_t f, corner *corners, uint32_t *hard,
                          uint32_t *queue) {
    uint32_t first_corner = job->mesh->face_offsets[f];
    uint32_t first = job->firsts[f];
    polygon face = {.count = job->mesh->face_offsets[f + 1] - first_corner,
                    .positions = job->positions,
                    .vertices = job->mesh->corners + first_corner,
                    .corners = corners,
                    .hard = hard,
                    .queue = queue,
                    .out = job->triangles->corners + 3 * (size_t)first};
    const uint32_t *vertices = face.vertices;
    cut_face(&face, job->positions, vertices);
    uint32_t count = face.count < 3 ? 0 : face.count - 2;
    for (size_t i = 3 * (size_t)first; i < 3 * ((size_t)first + count); ++i) {
        job->triangles->vertices[i] = vertices[job->triangles->corners[i]];
        job->triangles->corners[i] += first_corner;
    }
    for (uint32_t i = first; i < first + count; ++i) {
        job->triangles->faces[i] = f;
    }
}

static void cut_small_faces(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const cut_job *job = user;
    corner corners[SMALL_FACE];
    uint32_t hard[SMALL_FACE], queue[SMALL_FACE];
    for (uint32_t f = begin; f < end; ++f) {
        if (job->mesh->face_offsets[f + 1] - job->mesh->face_offsets[f] <= SMALL_FACE) {
            cut_and_store(job, f, corners, hard, queue);
        }
    }
}

static sn_status cut_large_faces(const cut_job *job, uint32_t largest, sn_error *error) {
    sn_status status = SN_OK;
    const sn_mesh *mesh = job->mesh;
    corner *corners = NULL;
    uint32_t *hard = NULL, *queue = NULL;
    SNI_NEW(mesh->context, corners, largest);
    SNI_NEW(mesh->context, hard, largest);
    SNI_NEW(mesh->context, queue, largest);
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        if (mesh->face_offsets[f + 1] - mesh->face_offsets[f] > SMALL_FACE) {
            cut_and_store(job, f, corners, hard, queue);
        }
    }
cleanup:
    sni_free(mesh->context, corners);
    sni_free(mesh->context, hard);
    sni_free(mesh->context, queue);
    return status;
}

// Counts triangles and finds the first of each face. Returns the size of the largest face.
static uint32_t count_triangles(const sn_mesh *mesh, uint32_t *firsts, uint32_t *count) {
    uint32_t largest = 0;
    *count = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t corner_count = mesh->face_offsets[f + 1] - mesh->face_offsets[f];
        firsts[f] = *count;
        *count += corner_count < 3 ? 0 : corner_count - 2;
        largest = corner_count > largest ? corner_count : largest;
    }
    return largest;
}

sn_status sn_triangles_create(const sn_mesh *mesh, const float *positions, sn_triangles **triangles,
                              sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = mesh->context;
    sn_triangles *made = NULL;
    cut_job job = {.mesh = mesh, .positions = positions};
    *triangles = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    SNI_NEW(context, job.firsts, mesh->face_count);
    uint32_t largest = count_triangles(mesh, job.firsts, &made->count);
    SNI_NEW(context, made->vertices, (size_t)made->count * 3);
    SNI_NEW(context, made->corners, (size_t)made->count * 3);
    SNI_NEW(context, made->faces, made->count);
    job.triangles = made;
    sn_parallel_for(context, mesh->face_count, grain, cut_small_faces, &job);
    if (largest > SMALL_FACE) {
        SN_TRY(cut_large_faces(&job, largest, error));
    }
    SN_VALIDATE(sni_triangles_are_valid(mesh, made));
    *triangles = made;
    made = NULL;
cleanup:
    sni_free(context, job.firsts);
    sn_triangles_destroy(made);
    return status;
}

void sn_triangles_destroy(sn_triangles *triangles) {
    if (triangles == NULL) {
        return;
    }
    sni_free(triangles->context, triangles->vertices);
    sni_free(triangles->context, triangles->corners);
    sni_free(triangles->context, triangles->faces);
    sni_free(triangles->context, triangles);
}
