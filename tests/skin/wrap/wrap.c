// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

#include "base/file.h"
#include "skin/skin.h"
#include "skin/wrap/file.h"

#include <stdlib.h>

typedef struct fixture {
    sn_context *context;
    sn_mesh *driver, *points;
    sn_wrap_desc desc;
    sn_wrap *wrap;
    float *posed, *out;
} fixture;

static fixture make(sn_context *context, sn_mesh *driver, sn_mesh *points) {
    fixture f = {
        .context = context, .driver = driver, .points = points, .desc = sn_wrap_desc_default()};
    f.posed = sni_copy(context, driver->positions, 3 * (size_t)driver->vertex_count, sizeof(float));
    f.out = sni_alloc_zero(context, 3 * (size_t)points->vertex_count, sizeof(float));
    return f;
}

static void bind(fixture *f) {
    sn_wrap_destroy(f->wrap);
    snt_ok(sn_wrap_bind(f->points, f->driver, &f->desc, NULL, &f->wrap, error));
}

static void deform(fixture *f) {
    snt_ok(sn_wrap_deform(f->wrap, f->posed, NULL, f->points->positions, f->out, error));
}

static void free_fixture(fixture *f) {
    sn_wrap_destroy(f->wrap);
    sn_mesh_destroy(f->driver);
    sn_mesh_destroy(f->points);
    sni_free(f->context, f->posed);
    sni_free(f->context, f->out);
}

static void nothing_moves_at_bind(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    fixture f = make(context, snt_sheet(context, 9, 0), snt_cloud(context, 2001, -0.5, 0.5, 1));
    for (int extended = 0; extended < 2; ++extended) {
        f.desc.extended = extended;
        bind(&f);
        deform(&f);
        assert_memory_equal(f.out, f.points->positions, 12 * 2001);
    }
    free_fixture(&f);
    snt_context_end(context);
}

static void rotations_and_translations_carry_over(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    fixture f = make(context, snt_sheet(context, 12, 0), snt_cloud(context, 1000, -0.2, 0.2, 2));
    sn_mat4 rigid = snt_rigid();
    snt_move(&rigid, f.driver->positions, f.driver->vertex_count, f.posed);
    for (int extended = 0; extended < 2; ++extended) {
        f.desc.extended = extended;
        bind(&f);
        deform(&f);
        assert_true(snt_largest_error(&rigid, f.points->positions, f.out, 1000) < 2e-6);
    }
    free_fixture(&f);
    snt_context_end(context);
}

// The basic algorithm scales points in the plane of a flat driver and keeps their heights; the
// extended one scales those too.
static void uniform_scale(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *driver = snt_sheet(context, 6, 0);
    for (uint32_t i = 0; i < driver->vertex_count; ++i) {
        driver->positions[3 * i + 2] = 0;
    }
    fixture f = make(context, driver, snt_cloud(context, 200, 0, 0.2, 2));
    for (uint32_t i = 0; i < 3 * driver->vertex_count; ++i) {
        f.posed[i] *= 2;
    }
    bind(&f);
    deform(&f);
    for (uint32_t i = 0; i < 200; ++i) {
        snt_near(f.out[3 * i], 2 * f.points->positions[3 * i], 2e-6);
        snt_near(f.out[3 * i + 2], f.points->positions[3 * i + 2], 2e-6);
    }
    f.desc.extended = true;
    bind(&f);
    deform(&f);
    for (uint32_t i = 0; i < 600; ++i) {
        snt_near(f.out[i], 2 * f.points->positions[i], 4e-6);
    }
    free_fixture(&f);
    snt_context_end(context);
}

static void extended_reproduces_affine_maps(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const sn_mat4 affine = {{1.2, 0.5, -0.3, 0, 0.3, 0.8, 0.7, 0, 0, 0.4, 1.5, 0, 1, 2, 3, 1}};
    fixture f = make(context, snt_sheet(context, 10, 0), snt_cloud(context, 500, -0.3, 0.3, 2));
    uint32_t n = f.driver->vertex_count;
    f.desc.extended = true;
    bind(&f);
    float *arms = sni_alloc(context, 9 * (size_t)n, sizeof *arms);
    sn_wrap_frame_points(f.wrap, arms);
    snt_move(&affine, arms, 3 * n, arms);
    snt_move(&affine, f.driver->positions, n, f.posed);
    snt_ok(sn_wrap_deform(f.wrap, f.posed, arms, f.points->positions, f.out, error));
    assert_true(snt_largest_error(&affine, f.points->positions, f.out, 500) < 1e-5);
    f.desc.extended = false;
    bind(&f);
    snt_fails(SN_INVALID, "not bound as extended",
              sn_wrap_deform(f.wrap, f.posed, arms, f.points->positions, f.out, error));
    sni_free(context, arms);
    free_fixture(&f);
    snt_context_end(context);
}

static void bend(const float *from, uint32_t count, double scale, float *to) {
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 p = sn_vec3_scale(sn_vec3_load(from + 3 * (size_t)i), 1 / scale);
        p = sn_vec3_make(p.x + 0.1 * p.y, p.y, p.z + 0.3 * sin(3 * p.x));
        sn_vec3_store(sn_vec3_scale(p, scale), to + 3 * (size_t)i);
    }
}

// Kilometres give the same as millimetres. Powers of two give the same bits.
static void the_result_does_not_depend_on_the_unit_of_length(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    fixture f = make(context, snt_sheet(context, 10, 0), snt_cloud(context, 800, -0.1, 0.1, 6));
    float *first = malloc(12 * 800);
    for (int k = 0; k < 4; ++k) {
        fixture g = make(context, snt_sheet(context, 10, 0), snt_cloud(context, 800, -0.1, 0.1, 6));
        double scale = (double[]){1, 1024, 1.0 / 4096, 1000}[k];
        for (uint32_t i = 0; i < 3 * g.driver->vertex_count; ++i) {
            g.driver->positions[i] = (float)(g.driver->positions[i] * scale);
        }
        for (uint32_t i = 0; i < 2400; ++i) {
            g.points->positions[i] = (float)(g.points->positions[i] * scale);
        }
        bend(g.driver->positions, g.driver->vertex_count, scale, g.posed);
        bind(&g);
        deform(&g);
        if (k == 0) {
            memcpy(first, g.out, 12 * 800);
        }
        for (uint32_t i = 0; i < 2400; ++i) {
            snt_near(g.out[i] / scale, first[i], k == 3 ? 1e-4 : 0);
        }
        free_fixture(&g);
    }
    free(first);
    free_fixture(&f);
    snt_context_end(context);
}

// Mesh, driver and pose turned and moved together: the result is turned and moved alike.
static void rigid_motion_of_everything_carries_over(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const sn_mat4 rigid = snt_rigid();
    for (int extended = 0; extended < 2; ++extended) {
        fixture f = make(context, snt_sheet(context, 9, 0), snt_cloud(context, 500, -0.1, 0.1, 4));
        fixture g = make(context, snt_sheet(context, 9, 0), snt_cloud(context, 500, -0.1, 0.1, 4));
        f.desc.extended = g.desc.extended = extended;
        bend(f.driver->positions, f.driver->vertex_count, 1, f.posed);
        snt_move(&rigid, f.posed, f.driver->vertex_count, g.posed);
        snt_move(&rigid, f.driver->positions, f.driver->vertex_count, g.driver->positions);
        snt_move(&rigid, f.points->positions, 500, g.points->positions);
        bind(&f);
        bind(&g);
        deform(&f);
        deform(&g);
        // Rounding of coordinates may move the cut by an element of small weight.
        assert_true(snt_largest_error(&rigid, f.out, g.out, 500) < 1e-3);
        double mean = 0;
        for (uint32_t i = 0; i < 500; ++i) {
            sn_vec3 expected = sn_mat4_point(&rigid, sn_vec3_load(f.out + 3 * (size_t)i));
            mean += sn_vec3_distance(expected, sn_vec3_load(g.out + 3 * (size_t)i)) / 500;
        }
        assert_true(mean < 1e-4);
        free_fixture(&f);
        free_fixture(&g);
    }
    snt_context_end(context);
}

// A cube-like driver whose faces Blender's Surface Deform refuses: concave, doubled, three at an
// edge, without area; with a loose vertex and a T-junction.
static sn_mesh *refused_driver(sn_context *context) {
    static const float points[] = {0, 0,    0, 1, 0, 0, 1, 1, 0, 0.5f, 0.3f, 0, 0,
                                   1, 0,    2, 0, 0, 2, 1, 0, 1, 0,    1,    1, 1,
                                   1, 0.5f, 0, 0, 3, 3, 3, 2, 0, 0,    0.5f, 0, 0.5f};
    static const uint32_t faces[][6] = {
        {5, 0, 1, 2, 3, 4}, // concave: the notch at 3
        {4, 1, 5, 6, 2},    // shares an edge with
        {4, 1, 7, 8, 2},    // this third face
        {4, 1, 5, 6, 2},    // doubled
        {4, 2, 6, 5, 1},    // doubled the other way round
        {3, 0, 9, 1},       // no area: 9 lies on the edge from 0 to 1
        {3, 5, 11, 5},      // no area: a point
        {3, 0, 9, 12},      // T-junction
    };
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "refused", 13, 8, 30, &mesh, error));
    memcpy(mesh->positions, points, sizeof points);
    uint32_t corner = 0;
    for (uint32_t f = 0; f < 8; ++f) {
        mesh->face_offsets[f] = corner;
        memcpy(mesh->corners + corner, faces[f] + 1, 4 * faces[f][0]);
        corner += faces[f][0];
    }
    assert_int_equal(corner, 30);
    snt_ok(sn_mesh_validate(mesh, error));
    return mesh;
}

static void drivers_of_any_kind_bind_and_deform(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    fixture f = make(context, refused_driver(context), snt_cloud(context, 300, -0.2, 0.4, 3));
    sn_mat4 rigid = snt_rigid();
    for (int extended = 0; extended < 2; ++extended) {
        f.desc.extended = extended;
        bind(&f);
        memcpy(f.posed, f.driver->positions, 12 * f.driver->vertex_count);
        deform(&f);
        assert_memory_equal(f.out, f.points->positions, 12 * 300);
        snt_move(&rigid, f.driver->positions, f.driver->vertex_count, f.posed);
        deform(&f);
        assert_true(snt_largest_error(&rigid, f.points->positions, f.out, 300) < 3e-6);
        // Moved points stay near the driver: within its motion.
        memcpy(f.posed, f.driver->positions, 12 * f.driver->vertex_count);
        f.posed[3 * 2 + 2] += 0.1f;
        deform(&f);
        for (uint32_t i = 0; i < 300; ++i) {
            sn_vec3 before = sn_vec3_load(f.points->positions + 3 * i);
            assert_true(sn_vec3_distance(before, sn_vec3_load(f.out + 3 * i)) < 0.3);
        }
    }
    free_fixture(&f);
    snt_context_end(context);
}

static void any_number_of_threads_gives_the_same_bytes(void **state) {
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8, 32}, count = 6000;
    for (int extended = 0; extended < 2; ++extended) {
        float *first = malloc(12 * count);
        for (int i = 0; i < 5; ++i) {
            sn_context *context = snt_context(threads[i]);
            fixture f =
                make(context, snt_sheet(context, 14, 0), snt_cloud(context, count, -0.1, 0.3, 8));
            f.desc.extended = extended;
            bend(f.driver->positions, f.driver->vertex_count, 1, f.posed);
            bind(&f);
            deform(&f);
            if (i == 0) {
                memcpy(first, f.out, 12 * count);
            }
            assert_memory_equal(f.out, first, 12 * count);
            free_fixture(&f);
            snt_context_end(context);
        }
        free(first);
    }
}

static void a_file_gives_the_same_bytes(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    for (int extended = 0; extended < 2; ++extended) {
        fixture f = make(context, snt_sheet(context, 8, 0), snt_cloud(context, 501, -0.1, 0.1, 8));
        f.desc.extended = extended;
        f.desc.local = 4.5;
        bend(f.driver->positions, f.driver->vertex_count, 1, f.posed);
        bind(&f);
        deform(&f);
        const char *path = snt_scratch("bind.wrap");
        snt_ok(sn_wrap_save(f.wrap, path, error));
        sn_wrap *loaded = NULL;
        snt_ok(sn_wrap_load(f.points, f.driver, path, &loaded, error));
        float *out = malloc(12 * 501);
        snt_ok(sn_wrap_deform(loaded, f.posed, NULL, f.points->positions, out, error));
        assert_memory_equal(out, f.out, 12 * 501);
        sn_wrap_summary a, b;
        sn_wrap_summarize(f.wrap, &a);
        sn_wrap_summarize(loaded, &b);
        assert_true(a.local == b.local && a.unit == b.unit && a.extended == b.extended &&
                    a.mean_elements == b.mean_elements && a.largest_loss == b.largest_loss &&
                    a.bytes == b.bytes);
        sn_wrap_destroy(loaded);
        free(out);
        free_fixture(&f);
    }
    snt_context_end(context);
}

static void write_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void files_of_other_meshes_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    fixture f = make(context, snt_sheet(context, 5, 0), snt_cloud(context, 60, -0.1, 0.1, 8));
    bind(&f);
    const char *path = snt_scratch("bind.wrap");
    snt_ok(sn_wrap_save(f.wrap, path, error));
    sn_wrap *loaded = NULL;
    sn_mesh *other = snt_cloud(context, 61, -0.1, 0.1, 8);
    snt_fails(SN_INVALID, "binds 60 vertices, but \"cloud\" has 61",
              sn_wrap_load(other, f.driver, path, &loaded, error));
    sn_mesh *finer = snt_sheet(context, 6, 0);
    snt_fails(SN_INVALID, "binds to 50 triangles, but the driver \"sheet\" has 72",
              sn_wrap_load(f.points, finer, path, &loaded, error));
    float kept = f.points->positions[17];
    f.points->positions[17] += 1;
    snt_fails(SN_INVALID, "other rest points than those of \"cloud\"",
              sn_wrap_load(f.points, f.driver, path, &loaded, error));
    f.points->positions[17] = kept;
    f.driver->positions[5] += 1; // stays: no file is right for it any more
    snt_fails(SN_INVALID, "another driver, or rest pose, than \"sheet\"",
              sn_wrap_load(f.points, f.driver, path, &loaded, error));
    snt_fails(SN_IO, "nowhere.wrap",
              sn_wrap_load(f.points, f.driver, snt_scratch("nowhere.wrap"), &loaded, error));
    assert_null(loaded);
    sn_mesh_destroy(other);
    sn_mesh_destroy(finer);
    free_fixture(&f);
    snt_context_end(context);
}

// Every byte that is changed, and every length that is cut, is noticed.
static void damaged_files_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    fixture f = make(context, snt_sheet(context, 2, 0), snt_cloud(context, 9, -0.1, 0.1, 8));
    bind(&f);
    char path[4096], *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s", snt_scratch("bind.wrap"));
    snt_ok(sn_wrap_save(f.wrap, path, error));
    snt_ok(sni_file_read(context, path, &bytes, &size, error));
    sn_wrap *loaded = NULL;
    for (size_t length = 0; length < size; length += length < 140 ? 1 : 37) {
        write_bytes(path, bytes, length);
        assert_true(sn_wrap_load(f.points, f.driver, path, &loaded, NULL) != SN_OK);
    }
    // Fields that only describe (what was lost, how many were kept) may hold anything.
    for (size_t i = 0; i < size; i += i < sizeof(sni_wrap_header) ? 1 : 7) {
        bytes[i] ^= 0x55;
        write_bytes(path, bytes, size);
        if (sn_wrap_load(f.points, f.driver, path, &loaded, NULL) == SN_OK) {
            assert_in_range(i, 56, sizeof(sni_wrap_header) - 1);
            deform(&f);
            sn_wrap_destroy(loaded);
        }
        bytes[i] ^= 0x55;
    }
    sni_free(context, bytes);
    free_fixture(&f);
    snt_context_end(context);
}

static void single_vertices_are_bound_anew(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    fixture f = make(context, snt_sheet(context, 8, 0), snt_cloud(context, 700, -0.1, 0.1, 8));
    bend(f.driver->positions, f.driver->vertex_count, 1, f.posed);
    bind(&f);
    float *old = malloc(12 * 700), *full = malloc(12 * 700);
    const uint32_t moved[] = {699, 3, 255, 3};
    for (int i = 0; i < 4; ++i) {
        memcpy(f.points->positions + 3 * moved[i],
               (float[3]){0.5f, 0.25f + (float)moved[i] / 1e3f, 0}, 12);
    }
    deform(&f);
    memcpy(old, f.out, 12 * 700);
    snt_fails(SN_INVALID, "there is no vertex 700, \"cloud\" has 700",
              sn_wrap_rebind(f.wrap, (uint32_t[]){1, 700}, 2, error));
    deform(&f);
    assert_memory_equal(old, f.out, 12 * 700);
    snt_ok(sn_wrap_rebind(f.wrap, moved, 4, error));
    deform(&f);
    memcpy(full, f.out, 12 * 700);
    for (uint32_t i = 0; i < 700; ++i) {
        bool is_moved = i == 3 || i == 255 || i == 699;
        assert_true(is_moved != (memcmp(full + 3 * i, old + 3 * i, 12) == 0));
    }
    // As if all had been bound where they are now.
    bind(&f);
    deform(&f);
    assert_memory_equal(full, f.out, 12 * 700);
    free(old);
    free(full);
    free_fixture(&f);
    snt_context_end(context);
}

typedef struct watch {
    uint32_t calls, stop_at;
    const char *step;
    double last; // of this step
} watch;

static bool count_calls(const char *step, double fraction, void *user) {
    watch *w = user;
    bool goes_on = w->step != NULL && strcmp(step, w->step) == 0;
    assert_true(fraction >= (goes_on ? w->last : 0) && fraction <= 1);
    w->step = step;
    w->last = fraction;
    return ++w->calls != w->stop_at;
}

static void binding_tells_progress_and_can_be_cancelled(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    fixture f = make(context, snt_sheet(context, 4, 0), snt_cloud(context, 200000, 0, 0.01, 1));
    watch w = {0};
    sn_progress progress = {count_calls, &w};
    snt_ok(sn_wrap_bind(f.points, f.driver, &f.desc, &progress, &f.wrap, error));
    assert_true(w.calls >= 10 && w.last == 1);
    uint32_t calls = w.calls;
    for (uint32_t stop = 1; stop <= calls; stop += calls / 4) {
        sn_wrap *wrap = NULL;
        w = (watch){.stop_at = stop};
        snt_fails(SN_CANCELLED, "",
                  sn_wrap_bind(f.points, f.driver, &f.desc, &progress, &wrap, error));
        assert_null(wrap);
    }
    // What the weights take is told, and bounded where `elements` is: 6 bytes for each of them.
    sn_wrap_summary summary;
    sn_wrap_summarize(f.wrap, &summary);
    assert_true(summary.bytes > 200000 * 6 && summary.bytes < 200000 * (32 * 6 + 1) + 100000);
    free_fixture(&f);
    snt_context_end(context);
}

static void wrong_descs_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    fixture f = make(context, snt_sheet(context, 2, 0), snt_cloud(context, 5, 0, 0, 1));
    sn_wrap_desc desc = {0};
    snt_fails(SN_INVALID, "default", sn_wrap_bind(f.points, f.driver, &desc, NULL, &f.wrap, error));
    desc = sn_wrap_desc_default();
    desc.local = -1;
    snt_fails(SN_INVALID, "local is -1, but must be from 0 to 32",
              sn_wrap_bind(f.points, f.driver, &desc, NULL, &f.wrap, error));
    desc = sn_wrap_desc_default();
    desc.cut = NAN;
    snt_fails(SN_INVALID, "cut is nan",
              sn_wrap_bind(f.points, f.driver, &desc, NULL, &f.wrap, error));
    bind(&f);
    f.posed[4] = INFINITY;
    snt_fails(SN_INVALID, "vertex 1 of the driver is at inf",
              sn_wrap_deform(f.wrap, f.posed, NULL, f.points->positions, f.out, error));
    free_fixture(&f);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// As a deformer of a character

static void the_deformer_follows_its_control(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    fixture f = make(context, snt_sheet(context, 4, 0), snt_cloud(context, 50, 0, 0.1, 1));
    double parameters[8], controls[2] = {0, 0.25};
    sni_parameters_defaults(&sni_deformer_wrap.parameters, parameters);
    const sni_driver_input driver = {.mesh = f.driver, .control = 1};
    const sni_driver_pose posed = {f.posed};
    sni_bind_job job = {
        .context = context, .mesh = f.points, .parameters = parameters, .inputs = {&driver}};
    void *bound = NULL;
    snt_ok(sni_deformer_wrap.bind(&job, &bound, error));
    sni_arena arena;
    sni_arena_init(&arena, context);
    for (uint32_t i = 0; i < f.driver->vertex_count; ++i) {
        f.posed[3 * i] += 4;
    }
    sni_deform_job deform_it = {.context = context,
                                .arena = &arena,
                                .vertex_count = 50,
                                .points_in = f.points->positions,
                                .points_out = f.out,
                                .controls = controls,
                                .inputs = {&posed}};
    snt_ok(sni_deformer_wrap.deform(bound, &deform_it, error));
    for (uint32_t i = 0; i < 50; ++i) {
        snt_near(f.out[3 * i], f.points->positions[3 * i] + 1, 1e-6);
    }
    assert_true(sni_deformer_wrap.bytes(bound) > 50 * 6);
    sni_deformer_wrap.unbind(context, bound);
    job.inputs[0] = NULL;
    snt_fails(SN_INVALID, "wrap: needs a driver mesh", sni_deformer_wrap.bind(&job, &bound, error));
    job.inputs[0] = &driver;
    parameters[5] = 2.5;
    snt_fails(SN_INVALID, "elements is 2.5", sni_deformer_wrap.bind(&job, &bound, error));
    sni_arena_deinit(&arena);
    free_fixture(&f);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const bool *extended = user;
    sn_status status = SN_OK;
    sn_mesh *driver = NULL, *points = NULL;
    sn_wrap *wrap = NULL;
    float out[12];
    sn_wrap_desc desc = sn_wrap_desc_default();
    desc.extended = *extended;
    SN_TRY(sn_mesh_create(context, "driver", 4, 2, 6, &driver, error));
    SN_TRY(sn_mesh_create(context, "points", 4, 0, 0, &points, error));
    memcpy(driver->positions, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, 48);
    memcpy(points->positions, driver->positions, 48);
    memcpy(driver->corners, (uint32_t[]){0, 1, 2, 2, 1, 3}, 24);
    driver->face_offsets[1] = 3;
    SN_TRY(sn_wrap_bind(points, driver, &desc, NULL, &wrap, error));
    SN_TRY(sn_wrap_deform(wrap, driver->positions, NULL, points->positions, out, error));
    SN_TRY(sn_wrap_rebind(wrap, (uint32_t[]){2}, 1, error));
    SN_TRY(sn_wrap_save(wrap, snt_scratch("small.wrap"), error));
    sn_wrap_destroy(wrap);
    wrap = NULL;
    SN_TRY(sn_wrap_load(points, driver, snt_scratch("small.wrap"), &wrap, error));
cleanup:
    sn_wrap_destroy(wrap);
    sn_mesh_destroy(driver);
    sn_mesh_destroy(points);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    bool extended = false;
    snt_fail_allocations(attempt, &extended);
    extended = true;
    snt_fail_allocations(attempt, &extended);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_moves_at_bind),
        cmocka_unit_test(rotations_and_translations_carry_over),
        cmocka_unit_test(uniform_scale),
        cmocka_unit_test(extended_reproduces_affine_maps),
        cmocka_unit_test(the_result_does_not_depend_on_the_unit_of_length),
        cmocka_unit_test(rigid_motion_of_everything_carries_over),
        cmocka_unit_test(drivers_of_any_kind_bind_and_deform),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(a_file_gives_the_same_bytes),
        cmocka_unit_test(files_of_other_meshes_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(single_vertices_are_bound_anew),
        cmocka_unit_test(binding_tells_progress_and_can_be_cancelled),
        cmocka_unit_test(wrong_descs_are_refused),
        cmocka_unit_test(the_deformer_follows_its_control),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("skin/wrap", tests, NULL, NULL);
}
