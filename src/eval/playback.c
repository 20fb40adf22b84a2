// SPDX-License-Identifier: Apache-2.0
//
// Motions: clips made to fit a model.
#include "eval/model.h"

#include "base/file.h"
#include "base/text.h"
#include "character/character.h"
#include "character/schema/schema.h"
#include "eval/document_clip.h"
#include "motion/clip.h"
#include "motion/skeleton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t desc_check = 0x736e6d6f;

static sn_status choose_clip(const sn_import *import, const char *name, const sn_clip **clip,
                             sn_error *error) {
    if (import->clip_count == 0) {
        return sni_fail(error, SN_INVALID, "the file has no motion");
    }
    for (uint32_t i = 0; i < import->clip_count; ++i) {
        if (name == NULL || strcmp(import->clips[i]->name, name) == 0) {
            *clip = import->clips[i];
            return SN_OK;
        }
    }
    return sni_fail(error, SN_INVALID, "the file has no clip \"%s\"; its first is \"%s\"", name,
                    import->clips[0]->name);
}

// Takes over `clip`, also when it fails. A file may hold tracks for things that the model does not
// have (`lenient`); a document may not.
static sn_status make_motion(const sn_model *model, sn_clip *clip, bool lenient, sn_motion **motion,
                             sn_error *error) {
    sn_status status = SN_OK;
    sn_motion *made = NULL;
    uint32_t ignored = 0;
    SNI_NEW_ZERO(model->context, made, 1);
    made->model = model;
    made->id = atomic_fetch_add(&model->context->next_id, 1) + 1;
    made->clip = clip;
    clip = NULL;
    SN_TRY(
        sni_player_create(model->rig, made->clip, lenient ? &ignored : NULL, &made->player, error));
    if (ignored > 0) {
        sni_log(model->context, SN_LOG_WARNING, "motion",
                "%s: %u tracks move nothing that the character has", made->clip->name, ignored);
    }
    *motion = made;
    return SN_OK;
cleanup:
    sn_clip_destroy(clip);
    sn_motion_destroy(made);
    return status;
}

// What a document says about playing a file's clip; all NULL or 0 when it says nothing.
typedef struct play_options {
    const char *name;
    uint32_t map_count;
    const sn_name_pair *map;
    double scale;
    double rate;
    uint32_t edit_count;
    const sn_pair_edit *edits;
    uint32_t ignored_count;
    const sn_value *const *ignored; // names of tracks to leave out
    bool ignore_unknown;            // no warning for columns that the model does not have
    uint32_t rest_frame;            // SN_NONE: chosen
    bool plant_feet;
    bool by_names; // a document's clip: it is for every body whose segments have these names
} play_options;

static sn_status fail_nothing_ignored(const sn_clip *clip, const sn_value *name, sn_error *error) {
    sni_closest closest = sni_closest_to(name->as.string);
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        sni_closest_try(&closest, clip->tracks[i].target);
    }
    char hint[SNI_HINT_BYTES];
    return sni_fail_value(error, name, SN_INVALID, "the file has no track \"%s\"%s",
                          name->as.string, sni_closest_hint(&closest, hint));
}

static sn_status drop_ignored(sn_clip *clip, const sn_value *const *names, uint32_t count,
                              sn_error *error) {
    for (uint32_t n = 0; n < count; ++n) {
        const sn_value *name = names[n];
        uint32_t before = clip->track_count;
        for (uint32_t i = clip->track_count; i-- > 0;) {
            if (sni_name_fits(name->as.string, clip->tracks[i].target)) {
                sni_clip_remove_track(clip, i);
            }
        }
        if (clip->track_count == before) {
            return fail_nothing_ignored(clip, name, error);
        }
    }
    return SN_OK;
}

// Leaves out tracks of nothing, and of controls that drivers compute; a table of which nothing is
// left is of another model.
static sn_status drop_unknown(const sn_model *model, sn_clip *clip, bool quietly, sn_error *error) {
    sni_name_list dropped = {0};
    char names[SNI_NAME_LIST_BYTES];
    for (uint32_t i = 0; i < clip->track_count;) {
        sni_parameter_ref ref;
        if (sni_rig_find(model->rig, clip->tracks[i].target, &ref, NULL) != SN_OK ||
            (ref.control != SN_NONE && model->blueprint->driven[ref.control])) {
            sni_name_list_add(&dropped, clip->tracks[i].target);
            sni_clip_remove_track(clip, i);
        } else {
            ++i;
        }
    }
    if (dropped.count > 0 && clip->track_count == 0) {
        return sni_fail(error, SN_INVALID, "the character has none of its columns: %s",
                        sni_name_list_text(&dropped, names));
    }
    if (dropped.count > 0 && !quietly) {
        sni_log(model->context, SN_LOG_WARNING, "motion",
                "%s: %u column%s that the character lacks or computes %s left out: %s", clip->name,
                dropped.count, dropped.count == 1 ? "" : "s", dropped.count == 1 ? "is" : "are",
                sni_name_list_text(&dropped, names));
    }
    return SN_OK;
}

// Whether a clip was recorded with the segment where the model has it, not where it would be
// without proportions.
static bool knows_proportions(const sn_clip *clip, const sn_segment *segment, double factor) {
    uint32_t recorded = sni_skeleton_find(&clip->skeleton, segment->name);
    if (recorded == SN_NONE) {
        return false;
    }
    sn_vec3 scaled = segment->rest.translation, plain = sn_vec3_scale(scaled, 1 / factor);
    sn_vec3 place = clip->skeleton.segments[recorded].rest.translation;
    return sn_vec3_distance(place, scaled) < sn_vec3_distance(place, plain);
}

// Tracks of translations replace the places that the skeleton gives, so that those of a clip which
// was recorded on the body without proportions are multiplied alike.
static void take_proportions(const sn_model *model, sn_clip *clip) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    const sni_name_index *names = &model->blueprint->names[SNI_SECTION_SKELETON];
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        sn_track *track = &clip->tracks[i];
        uint32_t index = track->kind == SN_TRACK_TRANSLATION
                             ? sni_name_index_find(names, track->target)
                             : SN_NONE;
        uint32_t parent = index != SN_NONE ? skeleton->segments[index].parent : SN_NONE;
        double factor = parent != SN_NONE ? model->blueprint->proportions[parent] : 0;
        if (factor == 0 || knows_proportions(clip, &skeleton->segments[index], factor)) {
            continue;
        }
        size_t width = track->interpolation == SN_INTERPOLATION_CUBIC ? 9 : 3;
        for (size_t k = 0; k < track->key_count * width; ++k) {
            track->values[k] *= factor;
        }
    }
}

static bool has_same_rest(const sn_model *model, const sn_clip *clip, uint32_t recorded,
                          uint32_t index) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    const sn_segment *segment = &skeleton->segments[index];
    double factor = segment->parent != SN_NONE ? model->blueprint->proportions[segment->parent] : 0;
    sn_transform there = sni_segment_rest_local(&clip->skeleton.segments[recorded]);
    sn_transform here = sni_segment_rest_local(segment);
    if (factor != 0 && !knows_proportions(clip, segment, factor)) {
        here.translation = sn_vec3_scale(here.translation, 1 / factor);
    }
    return sni_rest_is_same(&there, &here);
}

// Whether a segment that the clip moves, and all above it, hang and rest in the model as in the
// skeleton that the clip was recorded on: only then its local transforms mean the same.
static bool rests_agree(const sn_model *model, const sn_clip *clip, uint32_t recorded) {
    const sni_name_index *names = &model->blueprint->names[SNI_SECTION_SKELETON];
    const sn_segment *there = clip->skeleton.segments, *here = sn_model_skeleton(model)->segments;
    uint32_t index = sni_name_index_find(names, there[recorded].name);
    while (recorded != SN_NONE && index != SN_NONE) {
        if (strcmp(there[recorded].name, here[index].name) != 0 ||
            !has_same_rest(model, clip, recorded, index)) {
            return false;
        }
        recorded = there[recorded].parent;
        index = here[index].parent;
    }
    return recorded == SN_NONE && index == SN_NONE;
}

static bool plays_as_it_is(const sn_model *model, const sn_clip *clip,
                           const play_options *options) {
    if (options->map_count > 0 || options->scale != 0 || options->edit_count > 0) {
        return false;
    }
    if (clip->is_table) {
        return true;
    }
    bool fits = sn_clip_fits(clip, sn_model_skeleton(model));
    if (options->by_names || clip->skeleton.segment_count == 0) {
        return fits;
    }
    for (uint32_t i = 0; i < clip->track_count && fits; ++i) {
        uint32_t moved = sni_clip_moved_segment(clip, &clip->tracks[i]);
        fits = moved == SN_NONE || rests_agree(model, clip, moved);
    }
    return fits;
}

// A rest pose that nobody gave is said, since what the clip looks like depends on it; and how the
// clip was fitted.
static void tell_fit(const sn_model *model, const sn_clip *clip, const sn_retarget_report *report,
                     bool rest_is_given) {
    if (report->zero_is_no_pose && !rest_is_given) {
        sni_log(model->context, SN_LOG_WARNING, "motion",
                "the zero pose of %s is no pose of a body; frame %u is used as its rest",
                clip->name, report->rest_frame);
    }
    sni_log(model->context, SN_LOG_INFO, "motion",
            "%s: %u segments move, %u of the clip move nothing, lengths times %.6g", clip->name,
            report->matched, report->unmatched_source, report->scale);
    if (report->plant_count > 0) {
        sni_log(model->context, SN_LOG_INFO, "motion",
                "%s: planted feet are held %u times; they slid by up to %.1f mm", clip->name,
                report->plant_count, 1000 * report->slide);
    }
}

static sn_retarget_desc retarget_desc(const play_options *options) {
    sn_retarget_desc desc = sn_retarget_desc_default();
    desc.map = options->map;
    desc.map_count = options->map_count;
    desc.edits = options->edits;
    desc.edit_count = options->edit_count;
    desc.scale = options->scale;
    desc.rest_frame = options->rest_frame;
    desc.plant_feet = options->plant_feet;
    return desc;
}

static sn_status check_pairable(const sn_clip *clip, const play_options *options, sn_error *error) {
    return clip->is_table && options->edit_count > 0
               ? sni_fail(error, SN_INVALID,
                          "%s is a table of parameters: it has no joints that could be paired",
                          clip->name)
               : SN_OK;
}

// `pairing` stays NULL where the clip plays as it is.
static sn_status fit_clip(const sn_model *model, const sn_clip *clip, const play_options *options,
                          sn_clip **fitted, sn_pairing **pairing, sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    sn_status status = check_pairable(clip, options, error);
    if (status != SN_OK) {
        return status;
    }
    if (plays_as_it_is(model, clip, options)) {
        status = sni_clip_copy(model->context, clip, fitted, error);
        if (status == SN_OK) {
            take_proportions(model, *fitted);
        }
        if (status == SN_OK && options->rest_frame != SN_NONE) {
            sni_log(model->context, SN_LOG_WARNING, "motion",
                    "%s: the clip is of this skeleton, so that its rest frame does not count",
                    clip->name);
        }
        return status;
    }
    sn_retarget_desc desc = retarget_desc(options);
    sn_retarget_report report;
    sn_skin_point *skin = NULL;
    SNI_NEW(model->context, skin, (size_t)skeleton->segment_count * SN_SKIN_POINTS);
    SN_TRY(sn_model_skin_points(model, skin, &desc.skin_count, error));
    desc.skin = skin;
    SN_TRY(sn_clip_retarget(clip, skeleton, &desc, fitted, &report, error));
    SN_TRY(sn_clip_pair(clip, skeleton, &desc, pairing, error));
    tell_fit(model, clip, &report, options->rest_frame != SN_NONE);
cleanup:
    sni_free(model->context, skin);
    return status;
}

// Frames of the same length in seconds at another rate. The last key counts if it lies within a
// frame behind the last one: the old rate has left out what is behind its last whole frame. Keys
// farther behind were left out on purpose, by `frames`.
static sn_status set_rate(sn_clip *clip, double rate, sn_error *error) {
    double last = (clip->frame_count - 1) / clip->rate, length = last;
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        const sn_track *track = &clip->tracks[i];
        double key = track->times[track->key_count - 1];
        length = key < last + 1 / clip->rate ? fmax(length, key) : length;
    }
    // A millionth of a frame: lengths are sums of rounded times.
    double frames = floor(length * rate + 1e-6) + 1;
    if (!(frames <= 1e9)) {
        return sni_fail(error, SN_INVALID,
                        "the clip is %.9g s long, at %.9g frames per second more than 1e9 frames",
                        length, rate);
    }
    clip->rate = rate;
    clip->frame_count = (uint32_t)frames;
    return SN_OK;
}

static sn_status play(const sn_model *model, const sn_clip *clip, const play_options *options,
                      sn_motion **motion, sn_error *error) {
    sn_status status = SN_OK;
    sn_clip *fitted = NULL;
    sn_pairing *pairing = NULL;
    SN_TRY(fit_clip(model, clip, options, &fitted, &pairing, error));
    if (options->rate > 0) {
        SN_TRY(set_rate(fitted, options->rate, error));
    }
    SN_TRY(drop_ignored(fitted, options->ignored, options->ignored_count, error));
    if (clip->is_table) {
        SN_TRY(drop_unknown(model, fitted, options->ignore_unknown, error));
    }
    status = make_motion(model, fitted, !clip->is_table, motion, error);
    fitted = NULL;
    if (status == SN_OK) {
        (*motion)->pairing = pairing;
        pairing = NULL;
    }
cleanup:
    sn_clip_destroy(fitted);
    sn_pairing_destroy(pairing);
    return status;
}

// The clip of another document; the error stands at "file" and quotes what is wrong there.
static sn_status read_document_clip(const sn_model *model, const sni_clip_plan *plan,
                                    sn_clip **clip, sn_error *error) {
    const char *name = sn_value_string(plan->clip, NULL);
    char *path = sni_path_beside(model->context, model->base, plan->file);
    if (path == NULL) {
        return sni_fail_memory(error);
    }
    sn_error inner = {0};
    sn_status status = sni_document_clip(model->context, path, name, clip, &inner);
    sni_free(model->context, path);
    if (status != SN_OK) {
        char text[sizeof inner.message];
        sn_error_format(&inner, text, sizeof text);
        sni_fail_value(error, plan->file_name, status, "%s", text);
    }
    return status;
}

// What a caller says comes before what the document says.
static void choose_feet(const sn_motion_desc *desc, uint32_t rest_frame, bool plant_feet,
                        play_options *options) {
    options->rest_frame = desc->rest_frame != SN_NONE ? desc->rest_frame : rest_frame;
    options->plant_feet = desc->plant_feet == SN_PLANT_FEET_AS_DOCUMENT
                              ? plant_feet
                              : desc->plant_feet == SN_PLANT_FEET_YES;
}

// Whether the caller edits the pair of this segment as well: then the document's edit gives way.
static bool is_edited(const sn_motion_desc *desc, const char *target) {
    for (uint32_t i = 0; i < desc->edit_count; ++i) {
        if (strcmp(desc->edits[i].target, target) == 0) {
            return true;
        }
    }
    return false;
}

// The edits of the document's clip and then the caller's. Free with sni_free.
static sn_status join_edits(const sn_model *model, const sni_clip_plan *plan,
                            const sn_motion_desc *desc, sn_pair_edit **edits, uint32_t *count,
                            sn_error *error) {
    sn_status status = SN_OK;
    *count = 0;
    SNI_NEW(model->context, *edits, (size_t)plan->edit_count + desc->edit_count);
    for (uint32_t i = 0; i < plan->edit_count; ++i) {
        if (!is_edited(desc, plan->edits[i].target)) {
            (*edits)[(*count)++] = plan->edits[i];
        }
    }
    for (uint32_t i = 0; i < desc->edit_count; ++i) {
        (*edits)[(*count)++] = desc->edits[i];
    }
cleanup:
    return status;
}

static sn_status open_file_clip(const sn_model *model, const sni_clip_plan *plan,
                                const sn_motion_desc *desc, sn_motion **motion, sn_error *error) {
    const sn_import *import;
    const sn_clip *clip;
    sn_clip *owned = NULL;
    sn_pair_edit *edits = NULL;
    play_options options = {.map_count = plan->map_count,
                            .map = plan->map,
                            .scale = plan->scale,
                            .rate = desc->rate > 0 ? desc->rate : plan->rate,
                            .ignored_count = plan->ignored_count,
                            .ignored = plan->ignored,
                            .ignore_unknown = desc->ignore_unknown};
    sn_status status = SN_OK;
    choose_feet(desc, plan->rest_frame, plan->plant_feet, &options);
    SN_TRY(join_edits(model, plan, desc, &edits, &options.edit_count, error));
    options.edits = edits;
    options.by_names = sni_is_document(plan->file);
    if (options.by_names) {
        SN_TRY(read_document_clip(model, plan, &owned, error));
        clip = owned;
    } else {
        SN_TRY(
            sni_character_import(model->character, model->base, plan->file_name, &import, error));
        SN_TRY(choose_clip(import, sn_value_string(plan->clip, NULL), &clip, error));
    }
    SN_TRY(play(model, clip, &options, motion, error));
cleanup:
    sn_clip_destroy(owned);
    sni_free(model->context, edits);
    return sni_at_value(status, plan->clip != NULL ? plan->clip : plan->value, error);
}

// A clip of keys that the document holds itself.
static sn_status open_key_clip(const sn_model *model, const sni_clip_plan *plan,
                               const sn_motion_desc *desc, sn_motion **motion, sn_error *error) {
    sn_clip *clip = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_blueprint_clip(model->blueprint, plan, &clip, error));
    if (desc->rate > 0) {
        SN_TRY(set_rate(clip, desc->rate, error));
    }
    return make_motion(model, clip, false, motion, error);
cleanup:
    sn_clip_destroy(clip);
    return status;
}

static sn_status open_document_clip(const sn_model *model, const sni_clip_plan *plan,
                                    const sn_motion_desc *desc, sn_motion **motion,
                                    sn_error *error) {
    sn_status status;
    if (plan->file != NULL) {
        status = open_file_clip(model, plan, desc, motion, error);
    } else if (desc->edit_count > 0) {
        status = sni_fail_value(error, plan->value, SN_INVALID,
                                "the clip has tracks for this document: there is nothing to pair");
    } else {
        status = open_key_clip(model, plan, desc, motion, error);
    }
    if (status != SN_OK) {
        sni_error_source(error, sn_character_path(model->character));
    }
    return status;
}

// FILE or FILE#CLIP. A file's name may have a '#' too, but then no extension before it.
static const char *find_hash(const char *path) {
    const char *hash = strrchr(path, '#');
    const char *dot = strchr(sni_path_name(path), '.');
    return hash != NULL && dot != NULL && dot < hash ? hash : NULL;
}

// The clip `name` of a file outside of the document, NULL: its first one. It belongs to the caller.
static sn_status read_clip(const sn_model *model, const char *file, const char *name,
                           sn_clip **clip, sn_error *error) {
    if (sni_is_document(file)) {
        return sni_document_clip(model->context, file, name, clip, error);
    }
    sn_import *import = NULL;
    const sn_clip *chosen;
    sn_status status = SN_OK;
    SN_TRY(sn_import_file(model->context, file, &import, error));
    SN_TRY(choose_clip(import, name, &chosen, error));
    SN_TRY(sni_clip_copy(model->context, chosen, clip, error));
cleanup:
    sn_import_destroy(import);
    return status;
}

// FILE or FILE#CLIP: the clip belongs to the caller, and so does the file's name.
static sn_status read_path(const sn_model *model, const char *path, char **file, sn_clip **clip,
                           sn_error *error) {
    const char *hash = find_hash(path);
    size_t length = hash != NULL ? (size_t)(hash - path) : strlen(path);
    *clip = NULL;
    *file = sni_string_copy_n(model->context, path, length);
    if (*file == NULL) {
        return sni_fail_memory(error);
    }
    return read_clip(model, *file, hash != NULL ? hash + 1 : NULL, clip, error);
}

static sn_status open_path(const sn_model *model, const char *path, const sn_motion_desc *desc,
                           sn_motion **motion, sn_error *error) {
    sn_clip *clip = NULL;
    char *file = NULL;
    play_options options = {.ignore_unknown = desc->ignore_unknown,
                            .rate = desc->rate,
                            .edits = desc->edits,
                            .edit_count = desc->edit_count};
    choose_feet(desc, SN_NONE, true, &options);
    sn_status status = read_path(model, path, &file, &clip, error);
    if (status == SN_OK) {
        options.by_names = sni_is_document(file);
        status = play(model, clip, &options, motion, error);
    }
    if (status != SN_OK && file != NULL) {
        sni_error_source(error, file);
    }
    sn_clip_destroy(clip);
    sni_free(model->context, file);
    return status;
}

static sn_status check_desc(const sn_motion_desc *desc, sn_error *error) {
    return desc->check == desc_check
               ? SN_OK
               : sni_fail(error, SN_INVALID, "the desc was not made by sn_motion_desc_default");
}

sn_status sn_model_pair(const sn_model *model, const char *path, const sn_motion_desc *desc,
                        sn_pairing **pairing, sn_error *error) {
    sn_clip *clip = NULL;
    char *file = NULL;
    play_options options = {
        .edits = desc->edits, .edit_count = desc->edit_count, .rest_frame = desc->rest_frame};
    sn_retarget_desc retarget = retarget_desc(&options);
    sn_status status = SN_OK;
    *pairing = NULL;
    SN_TRY(check_desc(desc, error));
    SN_TRY(read_path(model, path, &file, &clip, error));
    SN_TRY(check_pairable(clip, &options, error));
    SN_TRY(sn_clip_pair(clip, sn_model_skeleton(model), &retarget, pairing, error));
cleanup:
    if (status != SN_OK && file != NULL) {
        sni_error_source(error, file);
    }
    sn_clip_destroy(clip);
    sni_free(model->context, file);
    return status;
}

static sn_status fail_no_clip(const sn_model *model, const char *name, sn_error *error) {
    char known[256] = "";
    for (uint32_t i = 0; i < model->blueprint->clip_count; ++i) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                 model->blueprint->clips[i].name);
    }
    return sni_fail(error, SN_INVALID,
                    "there is no clip \"%s\" (the document has %s), nor is it a motion file", name,
                    known[0] != 0 ? known : "none");
}

sn_motion_desc sn_motion_desc_default(void) {
    return (sn_motion_desc){.check = desc_check, .rest_frame = SN_NONE};
}

sn_status sn_motion_open_with(const sn_model *model, const char *name_or_path,
                              const sn_motion_desc *desc, sn_motion **motion, sn_error *error) {
    *motion = NULL;
    sn_status status = check_desc(desc, error);
    if (status != SN_OK) {
        return status;
    }
    if (!(desc->rate >= 0 && isfinite(desc->rate))) {
        return sni_fail(error, SN_INVALID, "%g frames per second asked for", desc->rate);
    }
    for (uint32_t i = 0; i < model->blueprint->clip_count; ++i) {
        if (strcmp(model->blueprint->clips[i].name, name_or_path) == 0) {
            return open_document_clip(model, &model->blueprint->clips[i], desc, motion, error);
        }
    }
    bool looks_like_file = strchr(name_or_path, '.') != NULL || strchr(name_or_path, '/') != NULL;
    return looks_like_file ? open_path(model, name_or_path, desc, motion, error)
                           : fail_no_clip(model, name_or_path, error);
}

sn_status sn_motion_open(const sn_model *model, const char *name_or_path, sn_motion **motion,
                         sn_error *error) {
    sn_motion_desc desc = sn_motion_desc_default();
    return sn_motion_open_with(model, name_or_path, &desc, motion, error);
}

sn_status sn_motion_create(const sn_model *model, const sn_clip *clip, sn_motion **motion,
                           sn_error *error) {
    *motion = NULL;
    play_options options = {.rest_frame = SN_NONE, .plant_feet = true};
    return play(model, clip, &options, motion, error);
}

void sn_motion_destroy(sn_motion *motion) {
    if (motion == NULL) {
        return;
    }
    sni_player_destroy(motion->player);
    sn_pairing_destroy(motion->pairing);
    sn_clip_destroy(motion->clip);
    sni_free(motion->model->context, motion);
}

uint32_t sn_model_clip_count(const sn_model *model) {
    return model->blueprint->clip_count;
}

const char *sn_model_clip_name(const sn_model *model, uint32_t clip) {
    return model->blueprint->clips[clip].name;
}

const sn_pairing *sn_motion_pairing(const sn_motion *motion) {
    return motion->pairing;
}

const char *sn_motion_name(const sn_motion *motion) {
    return motion->clip->name;
}

double sn_motion_rate(const sn_motion *motion) {
    return motion->clip->rate;
}

uint32_t sn_motion_frame_count(const sn_motion *motion) {
    return motion->clip->frame_count;
}
