// SPDX-License-Identifier: Apache-2.0
#include "build.h"

#include "base/file.h"
#include "sinew/io.h"
#include "sinew/json.h"

// A clip's skeleton: a body of well-known names with a hand of one finger and a tail.
static const snt_bone clip_bones[] = {{"Hips", -1, {0, 1, 0}},
                                      {"Spine", 0, {0, 0.2, 0}},
                                      {"Neck", 1, {0, 0.4, 0}},
                                      {"Head", 2, {0, 0.1, 0}},
                                      {"LeftArm", 1, {0.2, 0.3, 0}},
                                      {"LeftForeArm", 4, {0.3, 0, 0}},
                                      {"LeftHand", 5, {0.25, 0, 0}},
                                      {"LeftHandIndex1", 6, {0.1, 0, 0}},
                                      {"odd1", 1, {-0.2, 0.3, 0}},
                                      {"odd2", 8, {-0.3, 0, 0}},
                                      {"odd3", 9, {-0.25, 0, 0}},
                                      {"LeftUpLeg", 0, {0.1, -0.05, 0}},
                                      {"LeftLeg", 11, {0, -0.4, 0}},
                                      {"LeftFoot", 12, {0, -0.4, 0}},
                                      {"RightUpLeg", 0, {-0.1, -0.05, 0}},
                                      {"RightLeg", 14, {0, -0.4, 0}},
                                      {"RightFoot", 15, {0, -0.4, 0}},
                                      {"tail", 0, {0, 0, -0.2}}};
enum { CLIP_COUNT = sizeof clip_bones / sizeof *clip_bones };

// The body that shall move: other names, two segments for the spine and for the left upper arm.
static const snt_bone own_bones[] = {{"world", -1, {0, 0, 0}},
                                     {"rig:pelvis", 0, {0, 1, 0}},
                                     {"rig:spine01", 1, {0, 0.2, 0}},
                                     {"rig:spine02", 2, {0, 0.2, 0}},
                                     {"rig:Head", 3, {0, 0.3, 0}},
                                     {"rig:upperarm01.L", 3, {0.2, 0.1, 0}},
                                     {"rig:upperarm02.L", 5, {0.15, 0, 0}},
                                     {"rig:forearm.L", 6, {0.15, 0, 0}},
                                     {"rig:hand.L", 7, {0.25, 0, 0}},
                                     {"rig:index.L", 8, {0.1, 0, 0}},
                                     {"rig:thumb.L", 8, {0.1, 0, 0.1}},
                                     {"rig:upperarm.R", 3, {-0.2, 0.1, 0}},
                                     {"rig:forearm.R", 11, {-0.3, 0, 0}},
                                     {"rig:hand.R", 12, {-0.25, 0, 0}},
                                     {"rig:thigh.L", 1, {0.1, -0.05, 0}},
                                     {"rig:shin.L", 14, {0, -0.4, 0}},
                                     {"rig:foot.L", 15, {0, -0.4, 0}},
                                     {"rig:thigh.R", 1, {-0.1, -0.05, 0}},
                                     {"rig:shin.R", 17, {0, -0.4, 0}},
                                     {"rig:foot.R", 18, {0, -0.4, 0}},
                                     {"hat", 4, {0, 0.2, 0}}};
enum { OWN_COUNT = sizeof own_bones / sizeof *own_bones };

typedef struct fixture {
    sn_context *context;
    sn_clip *clip;
    sn_skeleton own;
    sn_retarget_desc desc;
} fixture;

static void setup(fixture *f) {
    snt_random random = {5};
    *f = (fixture){.context = snt_context(1), .desc = sn_retarget_desc_default()};
    snt_ok(sn_clip_create(f->context, "walk", 25, 3, &f->clip, error));
    f->clip->skeleton = snt_skeleton(f->context, clip_bones, CLIP_COUNT);
    f->own = snt_skeleton(f->context, own_bones, OWN_COUNT);
    for (int i = 0; i < CLIP_COUNT; ++i) {
        sn_track *track;
        snt_ok(sn_clip_add_track(f->clip, SN_TRACK_ROTATION, clip_bones[i].name,
                                 SN_INTERPOLATION_LINEAR, 3, &track, error));
        for (uint32_t k = 0; k < 3; ++k) {
            sn_quat q = snt_random_quat(&random);
            track->times[k] = k / 25.0;
            memcpy(track->values + 4 * k, (double[]){q.x, q.y, q.z, q.w}, 4 * sizeof(double));
        }
    }
}

static void teardown(fixture *f) {
    sn_clip_destroy(f->clip);
    sni_skeleton_deinit(f->context, &f->own);
    snt_context_end(f->context);
}

static const sn_pair *row(const sn_pairing *pairing, const char *target) {
    for (uint32_t i = 0; i < pairing->pair_count; ++i) {
        if (strcmp(pairing->pairs[i].target, target) == 0) {
            return &pairing->pairs[i];
        }
    }
    fail_msg("no row of %s", target);
    return NULL;
}

static void expect_moved(const sn_pairing *pairing, const char *target, const char *source,
                         sn_paired_by by, const char *part) {
    const sn_pair *pair = row(pairing, target);
    assert_non_null(pair->source);
    assert_string_equal(pair->source, source);
    assert_int_equal(pair->by, by);
    assert_string_equal(pair->part, part);
    assert_string_equal(pair->why, "");
}

static void expect_still(const sn_pairing *pairing, const char *target, sn_unpaired reason,
                         const char *why) {
    const sn_pair *pair = row(pairing, target);
    assert_null(pair->source);
    assert_int_equal(pair->by, SN_PAIRED_BY_NOTHING);
    assert_int_equal(pair->unpaired, reason);
    assert_string_equal(pair->why, why);
}

static void says_what_is_paired(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    sn_pairing *p = NULL;
    snt_ok(sn_clip_pair(f.clip, &f.own, &f.desc, &p, error));
    assert_int_equal(p->pair_count, OWN_COUNT);
    assert_int_equal(p->joint_count, CLIP_COUNT);
    expect_moved(p, "rig:pelvis", "Hips", SN_PAIRED_BY_PART, "hips");
    expect_moved(p, "rig:forearm.L", "LeftForeArm", SN_PAIRED_BY_PART, "left forearm");
    expect_moved(p, "rig:spine02", "Spine", SN_PAIRED_BY_PART, "spine");
    const sn_pair *half = row(p, "rig:spine01"); // half of the spine's turn, from the hips'
    assert_string_equal(half->source, "Hips");
    assert_string_equal(half->second, "Spine");
    snt_near(half->share, 0.5, 0);
    expect_still(p, "world", SN_UNPAIRED_BODY, "goes where the body goes");
    expect_still(p, "rig:upperarm02.L", SN_UNPAIRED_FOLLOWS, "follows rig:upperarm01.L");
    expect_still(p, "rig:index.L", SN_UNPAIRED_FINGERS,
                 "the clip has fewer than three fingers of that hand");
    expect_still(p, "rig:thumb.L", SN_UNPAIRED_LACKING, "the clip has no left thumb");
    expect_still(p, "rig:hand.R", SN_UNPAIRED_LACKING, "the clip has no right hand");
    expect_still(p, "hat", SN_UNPAIRED_UNKNOWN, "no known part of a body");
    assert_int_equal(p->moved_count, 13);
    assert_int_equal(p->by_count[SN_PAIRED_BY_PART], 13);
    assert_int_equal(p->by_count[SN_PAIRED_BY_NOTHING], OWN_COUNT - 13);
    // All of the clip's joints but a finger, the neck, the odd arm and the tail.
    assert_int_equal(p->used_count, CLIP_COUNT - 6);
    assert_string_equal(p->joints[2].name, "Neck");
    assert_false(p->joints[2].used);
    assert_string_equal(p->joints[2].why, "the character has no neck");
    assert_string_equal(p->joints[CLIP_COUNT - 1].why, "no known part of a body");
    assert_int_equal(p->warning_count, 1);
    assert_string_equal(
        p->warnings[0],
        "nothing in the clip moves the right arm (rig:upperarm.R, rig:forearm.R, rig:hand.R)");
    sn_pairing_destroy(p);
    teardown(&f);
}

// Of two bodies in the character the first moves, as it does alone, and a warning tells.
static void warns_of_other_bodies(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    static char names[OWN_COUNT][40];
    snt_bone both[2 * OWN_COUNT];
    memcpy(both, own_bones, sizeof own_bones);
    for (int i = 0; i < OWN_COUNT; ++i) {
        snprintf(names[i], sizeof names[i], "%s.2", own_bones[i].name);
        both[OWN_COUNT + i] = own_bones[i];
        both[OWN_COUNT + i].name = names[i];
        both[OWN_COUNT + i].parent += own_bones[i].parent >= 0 ? OWN_COUNT : 0;
    }
    sn_pairing *p = NULL;
    sn_skeleton two = snt_skeleton(f.context, both, 2 * OWN_COUNT);
    snt_ok(sn_clip_pair(f.clip, &two, &f.desc, &p, error));
    assert_int_equal(p->moved_count, 13);
    assert_null(row(p, "rig:Head.2")->source);
    assert_string_equal(p->warnings[0],
                        "there are 2 bodies: that of rig:pelvis moves, the other one rests");
    sn_pairing_destroy(p);
    sni_skeleton_deinit(f.context, &two);
    teardown(&f);
}

// Both skeletons have the same names, and limbs that only one of them has.
static void warns_of_lost_limbs(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    sn_pairing *p = NULL;
    sn_skeleton part = snt_skeleton(f.context, clip_bones, 4); // hips, spine, neck, head
    snt_ok(sn_clip_pair(f.clip, &part, &f.desc, &p, error));
    expect_moved(p, "Hips", "Hips", SN_PAIRED_BY_NAME, "hips");
    assert_int_equal(p->warning_count, 2);
    assert_string_equal(p->warnings[0],
                        "the left arm of the clip (LeftArm, LeftForeArm, LeftHand) moves nothing: "
                        "no such part is known here");
    assert_string_equal(p->warnings[1],
                        "both legs of the clip (LeftUpLeg, LeftLeg, LeftFoot, RightUpLeg, RightLeg "
                        "and 1 more) move nothing: no such part is known here");
    sn_pairing_destroy(p);
    // Nothing in common: no pair, and no failure.
    static const snt_bone rock[] = {{"rock", -1, {0}}};
    sn_skeleton stone = snt_skeleton(f.context, rock, 1);
    snt_ok(sn_clip_pair(f.clip, &stone, &f.desc, &p, error));
    assert_int_equal(p->moved_count + p->used_count + p->warning_count, 0);
    expect_still(p, "rock", SN_UNPAIRED_UNKNOWN, "no known part of a body");
    sn_pairing_destroy(p);
    sni_skeleton_deinit(f.context, &stone);
    sni_skeleton_deinit(f.context, &part);
    teardown(&f);
}

// Retargets with edits.
static sn_clip *play(fixture *f, const sn_pair_edit *edits, uint32_t count) {
    sn_clip *result = NULL;
    f->desc.edits = edits;
    f->desc.edit_count = count;
    snt_ok(sn_clip_retarget(f->clip, &f->own, &f->desc, &result, NULL, error));
    return result;
}

static const sn_track *find_track(const sn_clip *clip, const char *target) {
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        if (clip->tracks[i].kind == SN_TRACK_ROTATION &&
            strcmp(clip->tracks[i].target, target) == 0) {
            return &clip->tracks[i];
        }
    }
    return NULL;
}

static bool same_clips(const sn_clip *a, const sn_clip *b) {
    bool same = a->track_count == b->track_count;
    for (uint32_t i = 0; i < a->track_count && same; ++i) {
        const sn_track *x = &a->tracks[i], *y = &b->tracks[i];
        same =
            strcmp(x->target, y->target) == 0 && x->kind == y->kind &&
            memcmp(x->values, y->values, x->key_count * sn_track_width(x) * sizeof *x->values) == 0;
    }
    return same;
}

static void edits_change_what_they_name(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    sn_clip *plain = play(&f, NULL, 0);
    // What is found anyway.
    const sn_pair_edit found[] = {
        {.target = "rig:hand.L", .source = "LeftHand"},
        {.target = "rig:spine01", .source = "Hips", .second = "Spine", .share = 0.5}};
    sn_clip *same = play(&f, found, 2);
    assert_true(same_clips(plain, same));
    // The arm whose names say nothing: its parts are known from those that it moves, so that its
    // bones are aligned as all others are.
    const sn_pair_edit arm[] = {{.target = "rig:upperarm.R", .source = "odd1"},
                                {.target = "rig:forearm.R", .source = "odd2"},
                                {.target = "rig:hand.R", .source = "odd3"},
                                {.target = "rig:Head"},
                                {.target = "hat", .second = "Spine", .share = 0.25}};
    sn_clip *edited = play(&f, arm, 5);
    assert_null(find_track(plain, "rig:forearm.R"));
    assert_non_null(find_track(edited, "rig:forearm.R"));
    assert_non_null(find_track(edited, "hat"));
    assert_null(find_track(edited, "rig:Head"));
    const sn_track *a = find_track(plain, "rig:shin.L"), *b = find_track(edited, "rig:shin.L");
    assert_memory_equal(a->values, b->values, 12 * sizeof(double));
    sn_pairing *p = NULL;
    snt_ok(sn_clip_pair(f.clip, &f.own, &f.desc, &p, error));
    expect_moved(p, "rig:forearm.R", "odd2", SN_PAIRED_BY_MAP, "right forearm");
    expect_still(p, "rig:Head", SN_UNPAIRED_MAP, "left out by hand");
    assert_int_equal(p->by_count[SN_PAIRED_BY_MAP], 4);
    assert_int_equal(p->warning_count, 0);
    sn_pairing_destroy(p);
    sn_clip_destroy(plain);
    sn_clip_destroy(same);
    sn_clip_destroy(edited);
    teardown(&f);
}

static bool has_translation(const sn_clip *clip, const char *target) {
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        if (clip->tracks[i].kind == SN_TRACK_TRANSLATION &&
            strcmp(clip->tracks[i].target, target) == 0) {
            return true;
        }
    }
    return false;
}

// A clip with translations for all joints, on the same body in another size: below an edited pair
// they would tear bones off.
static void bones_stay_together(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    sni_skeleton_deinit(f.context, &f.own);
    f.own = snt_skeleton(f.context, clip_bones, CLIP_COUNT);
    for (int i = 0; i < CLIP_COUNT; ++i) {
        sn_segment *segment = &f.own.segments[i];
        segment->rest.translation = sn_vec3_scale(segment->rest.translation, 1.5);
        snt_constant(f.clip, SN_TRACK_TRANSLATION, clip_bones[i].name, clip_bones[i].offset);
    }
    sn_clip *plain = play(&f, NULL, 0);
    assert_true(has_translation(plain, "LeftHand"));
    const sn_pair_edit none[] = {{.target = "LeftArm"}};
    sn_clip *left_out = play(&f, none, 1);
    assert_false(has_translation(left_out, "LeftForeArm"));
    assert_false(has_translation(left_out, "LeftHand"));
    assert_true(has_translation(left_out, "LeftFoot"));
    const sn_pair_edit crossed[] = {{.target = "LeftLeg", .source = "RightLeg"}};
    sn_clip *other = play(&f, crossed, 1);
    assert_false(has_translation(other, "LeftLeg"));
    assert_false(has_translation(other, "LeftFoot"));
    assert_true(has_translation(other, "LeftHand"));
    sn_clip_destroy(plain);
    sn_clip_destroy(left_out);
    sn_clip_destroy(other);
    teardown(&f);
}

// A whole body can be paired by hand, also the wrong way round.
static void edits_may_be_anything(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    snt_random random = {77};
    for (int round = 0; round < 200; ++round) {
        sn_pair_edit edits[OWN_COUNT];
        for (int i = 0; i < OWN_COUNT; ++i) {
            uint32_t a = snt_random_u32(&random) % (CLIP_COUNT + 2);
            uint32_t b = snt_random_u32(&random) % (4 * CLIP_COUNT);
            edits[i] = (sn_pair_edit){.target = own_bones[i].name,
                                      .source = a < CLIP_COUNT ? clip_bones[a].name : NULL,
                                      .second = b < CLIP_COUNT ? clip_bones[b].name : NULL,
                                      .share = 0.5};
        }
        sn_clip *clip = NULL;
        f.desc.edits = edits;
        f.desc.edit_count = OWN_COUNT;
        snt_ok(sn_clip_retarget(f.clip, &f.own, &f.desc, &clip, NULL, error));
        snt_ok(sn_clip_validate(clip, error));
        sn_clip_destroy(clip);
    }
    teardown(&f);
}

static void refuses_wrong_edits(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    sn_pairing *p = NULL;
    sn_pair_edit edits[2] = {{.target = "rig:haed", .source = "Head"}};
    f.desc.edits = edits;
    f.desc.edit_count = 1;
    snt_fails(SN_INVALID, "the character has no segment \"rig:haed\"; did you mean \"rig:Head\"?",
              sn_clip_pair(f.clip, &f.own, &f.desc, &p, error));
    edits[0] = (sn_pair_edit){.target = "rig:Head", .source = "Haed"};
    snt_fails(SN_INVALID, "the clip has no joint \"Haed\"; did you mean \"Head\"?",
              sn_clip_pair(f.clip, &f.own, &f.desc, &p, error));
    edits[0] = (sn_pair_edit){.target = "rig:Head", .source = "Neck", .second = "Head"};
    snt_fails(SN_INVALID, "the share of \"Head\" is 0",
              sn_clip_pair(f.clip, &f.own, &f.desc, &p, error));
    edits[0] = (sn_pair_edit){.source = "Neck"};
    snt_fails(SN_INVALID, "names no segment", sn_clip_pair(f.clip, &f.own, &f.desc, &p, error));
    edits[0] = (sn_pair_edit){.target = "rig:Head", .source = "Neck"};
    edits[1] = (sn_pair_edit){.target = "rig:Head", .source = "Hips"};
    f.desc.edit_count = 2;
    snt_fails(SN_INVALID, "\"rig:Head\" is moved by another entry",
              sn_clip_pair(f.clip, &f.own, &f.desc, &p, error));
    assert_null(p);
    teardown(&f);
}

static void write_text(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void reads_what_it_wrote(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sn_pair_edit odd[] = {{.target = "rig:upperarm.R", .source = "odd1"},
                                {.target = "rig:Head"},
                                {.target = "hat", .second = "Spine", .share = 0.3}};
    sn_clip *first = play(&f, odd, 3);
    sn_pairing *p = NULL;
    snt_ok(sn_clip_pair(f.clip, &f.own, &f.desc, &p, error));
    const char *path = snt_scratch("pairing.json");
    snt_ok(sn_pairing_write(p, "walk.bvh", "body.glb", path, error));
    sn_pair_edits *edits = NULL;
    snt_ok(sn_pair_edits_read(f.context, path, &edits, error));
    assert_int_equal(edits->count, OWN_COUNT);
    sn_clip *second = play(&f, edits->edits, edits->count);
    assert_true(same_clips(first, second));
    sn_pair_edits_destroy(edits);
    // The short form, as documents have it.
    sn_json *json = NULL;
    char *text;
    size_t size;
    snt_ok(sn_json_create(f.context, &json, error));
    snt_ok(sn_pairing_add(p, json, sn_json_root(json), error));
    assert_null(sn_value_get(sn_json_root(json), "world"));
    assert_int_equal(sn_value_get(sn_json_root(json), "rig:Head")->type, SN_JSON_NULL);
    snt_ok(sn_json_write(json, &text, &size, error));
    write_text(path, text, size);
    snt_ok(sn_pair_edits_read(f.context, path, &edits, error));
    sn_clip *third = play(&f, edits->edits, edits->count);
    assert_true(same_clips(first, third));
    sn_pair_edits_destroy(edits);
    // Cut anywhere it is refused; no byte of it can be damaged so that reading goes wrong.
    for (size_t i = 0; i < size - 2; ++i) {
        write_text(path, text, i);
        assert_int_not_equal(sn_pair_edits_read(f.context, path, &edits, NULL), SN_OK);
        assert_null(edits);
    }
    sn_json_free_text(f.context, text);
    sn_json_destroy(json);
    sn_pairing_destroy(p);
    sn_clip_destroy(first);
    sn_clip_destroy(second);
    sn_clip_destroy(third);
    teardown(&f);
}

static void refuses_wrong_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "1"},
        {"[]", "map.json:1: /: a map is an object of segments"},
        {"{\"a\": 3}", "map.json:1: /a: what moves a segment is the name of a joint, null or"},
        {"{\n\"a\": [\"b\"]}", "map.json:2: /a: what moves"},
        {"{\"a\": true}", "/a: what moves"},
        {"{\"a\": {}}", "/a: shares are of one joint or of two, not of 0"},
        {"{\"a\": {\"b\": 0.1, \"c\": 0.2, \"d\": 0.7}}", "not of 3"},
        {"{\"a\": {\"b\": 0.1, \"c\": 0.2}}", "/a: the shares add up to 0.3, not to 1"},
        {"{\"a\": {\"b\": -1, \"c\": 2}}", "/a/b: a share is a number above 0 and at most 1"},
        {"{\"a\": {\"b\": \"c\"}}", "/a/b: a share is a number"},
        {"{\"a\": {\"source\": \"c\", \"form\": 1}}", "/a/form: unknown key \"form\""},
        {"{\"a\": {\"source\": 1e9}}", "/a/source: a share is a number above 0"},
        {"{\"pairing\": {\"a\": 3}}", "/pairing/a: what moves"},
        {"{\"pairing\": {}, \"cilp\": \"\"}", "unknown key \"cilp\"; did you mean \"clip\"?"},
        {"{\"a\": null, \"a\": null}", "\"a\""},
    };
    sn_context *context = snt_context(1);
    const char *path = snt_scratch("map.json");
    sn_pair_edits *edits = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_error error = {0};
        char text[1200];
        write_text(path, cases[i].text, strlen(cases[i].text));
        assert_int_not_equal(sn_pair_edits_read(context, path, &edits, &error), SN_OK);
        sn_error_format(&error, text, sizeof text);
        if (strstr(text, cases[i].error) == NULL) {
            fail_msg("expected \"%s\", found \"%s\"", cases[i].error, text);
        }
        assert_null(edits);
    }
    snt_fails(SN_IO, "none.json", sn_pair_edits_read(context, "none.json", &edits, error));
    // An empty map and one of whole shares are maps.
    write_text(path, "{\"a\": {\"b\": 1}}", 15);
    snt_ok(sn_pair_edits_read(context, path, &edits, error));
    assert_string_equal(edits->edits[0].source, "b");
    assert_null(edits->edits[0].second);
    sn_pair_edits_destroy(edits);
    snt_context_end(context);
}

// The place in the file stands in errors about names, which are looked up later.
static void names_the_place(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const char *path = snt_scratch("map.json"), *text = "{\"hat\": null,\n\"rig:Head\": \"Haed\"}";
    sn_pair_edits *edits = NULL;
    sn_pairing *p = NULL;
    write_text(path, text, strlen(text));
    snt_ok(sn_pair_edits_read(f.context, path, &edits, error));
    f.desc.edits = edits->edits;
    f.desc.edit_count = edits->count;
    snt_fails(SN_INVALID, "map.json:2: /rig:Head: the clip has no joint \"Haed\"; did you mean",
              sn_clip_pair(f.clip, &f.own, &f.desc, &p, error));
    sn_pair_edits_destroy(edits);
    teardown(&f);
}

static sn_status try_skeleton(sn_context *context, const snt_bone *bones, uint32_t count,
                              sn_skeleton *skeleton, sn_error *error) {
    sn_status status = sni_skeleton_init(context, count, skeleton, error);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        sn_segment *segment = &skeleton->segments[i];
        segment->name = sni_string_copy(context, bones[i].name);
        segment->parent = bones[i].parent < 0 ? SN_NONE : (uint32_t)bones[i].parent;
        status = segment->name != NULL ? SN_OK : sni_fail_memory(error);
    }
    return status == SN_OK ? sni_skeleton_sort(context, skeleton, error) : status;
}

static sn_status try_pairing(sn_context *context, void *user, sn_error *error) {
    const char *path = user;
    sn_retarget_desc desc = sn_retarget_desc_default();
    sn_clip *clip = NULL;
    sn_skeleton own = {0};
    sn_pairing *pairing = NULL;
    sn_pair_edits *edits = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_clip_create(context, "walk", 25, 1, &clip, error));
    SN_TRY(try_skeleton(context, clip_bones, CLIP_COUNT, &clip->skeleton, error));
    SN_TRY(try_skeleton(context, own_bones, OWN_COUNT, &own, error));
    SN_TRY(sn_pair_edits_read(context, path, &edits, error));
    desc.edits = edits->edits;
    desc.edit_count = edits->count;
    SN_TRY(sn_clip_pair(clip, &own, &desc, &pairing, error));
    SN_TRY(sn_pairing_write(pairing, "walk", NULL, snt_scratch("out.json"), error));
cleanup:
    sn_pairing_destroy(pairing);
    sn_pair_edits_destroy(edits);
    sni_skeleton_deinit(context, &own);
    sn_clip_destroy(clip);
    return status;
}

static void survives_little_memory(void **state) {
    (void)state;
    char path[4096];
    const char *text = "{\"rig:Head\": null, \"rig:upperarm.R\": \"odd1\"}";
    snprintf(path, sizeof path, "%s", snt_scratch("map.json"));
    write_text(path, text, strlen(text));
    snt_fail_allocations(try_pairing, path);
}

// Bodies and clips of many tools: no limb is stiff, and what is moved is moved by its own part.
static void real_bodies_have_no_stiff_limbs(void **state) {
    (void)state;
    static const char *const bodies[] = {"rigs/Xbot.glb",       "rigs/Soldier.glb",
                                         "rigs/riggedMesh.glb", "rigs/RobotExpressive.glb",
                                         "human/human.glb",     "gltf/CesiumMan.glb"};
    static const char *const clips[] = {"mocap/cmu_02_01_walk.bvh", "rigs/names_daz.bvh",
                                        "rigs/names_vroid.bvh", "rigs/rokoko_dance.bvh"};
    sn_context *context = snt_context(2);
    sn_retarget_desc desc = sn_retarget_desc_default();
    for (size_t c = 0; c < sizeof clips / sizeof *clips; ++c) {
        sn_import *clip = NULL;
        snt_ok(sn_import_file(context, snt_data(clips[c]), &clip, error));
        for (size_t b = 0; b < sizeof bodies / sizeof *bodies; ++b) {
            sn_import *body = NULL;
            sn_pairing *p = NULL;
            snt_ok(sn_import_file(context, snt_data(bodies[b]), &body, error));
            snt_ok(sn_clip_pair(clip->clips[0], &body->skeleton, &desc, &p, error));
            if (p->warning_count > 0 || p->moved_count < 19) {
                fail_msg("%s on %s moves %u segments: %s", clips[c], bodies[b], p->moved_count,
                         p->warning_count > 0 ? p->warnings[0] : "");
            }
            sn_pairing_destroy(p);
            sn_import_destroy(body);
        }
        sn_import_destroy(clip);
    }
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------

static void expect_match(sn_context *context, const sn_skeleton *skeleton, const char *name,
                         const char *expected, sn_name_match how) {
    uint32_t segment;
    sn_name_match match;
    snt_ok(sn_skeleton_match(context, skeleton, name, &segment, &match, error));
    assert_string_equal(skeleton->segments[segment].name, expected);
    assert_int_equal(match, how);
}

static void finds_segments_as_people_call_them(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    uint32_t segment;
    sn_name_match match;
    expect_match(f.context, &f.own, "rig:Head", "rig:Head", SN_NAME_EXACT);
    expect_match(f.context, &f.own, "head", "rig:Head", SN_NAME_SHORT);
    expect_match(f.context, &f.own, "RIG:HEAD", "rig:Head", SN_NAME_SHORT);
    expect_match(f.context, &f.own, "HAT", "hat", SN_NAME_SHORT);
    expect_match(f.context, &f.own, "hips", "rig:pelvis", SN_NAME_PART);
    expect_match(f.context, &f.own, "LeftForeArm", "rig:forearm.L", SN_NAME_PART);
    expect_match(f.context, &f.own, "right upper leg", "rig:thigh.R", SN_NAME_PART);
    snt_fails(SN_INVALID, "\"spine\" may mean 2 segments: rig:spine01, rig:spine02",
              sn_skeleton_match(f.context, &f.own, "spine", &segment, &match, error));
    snt_fails(SN_INVALID, "there is no segment \"haed\"; did you mean \"Head\"?",
              sn_skeleton_match(f.context, &f.own, "haed", &segment, &match, error));
    snt_fails(SN_INVALID, "there is no segment \"other:tail\"",
              sn_skeleton_match(f.context, &f.own, "other:tail", &segment, &match, error));
    snt_fails(SN_INVALID, "there is no segment \"\"",
              sn_skeleton_match(f.context, &f.own, "", &segment, &match, error));
    // Two that differ in capitals alone: an exact name wins, another is not guessed.
    static const snt_bone twins[] = {{"Tail", -1, {0}}, {"TAIL", 0, {0, 1, 0}}};
    sn_skeleton two = snt_skeleton(f.context, twins, 2);
    expect_match(f.context, &two, "Tail", "Tail", SN_NAME_EXACT);
    snt_fails(SN_INVALID, "\"tail\" may mean 2 segments: Tail, TAIL",
              sn_skeleton_match(f.context, &two, "tail", &segment, &match, error));
    sni_skeleton_deinit(f.context, &two);
    teardown(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_paired),
        cmocka_unit_test(warns_of_other_bodies),
        cmocka_unit_test(warns_of_lost_limbs),
        cmocka_unit_test(edits_change_what_they_name),
        cmocka_unit_test(bones_stay_together),
        cmocka_unit_test(edits_may_be_anything),
        cmocka_unit_test(refuses_wrong_edits),
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(refuses_wrong_files),
        cmocka_unit_test(names_the_place),
        cmocka_unit_test(survives_little_memory),
        cmocka_unit_test(real_bodies_have_no_stiff_limbs),
        cmocka_unit_test(finds_segments_as_people_call_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
