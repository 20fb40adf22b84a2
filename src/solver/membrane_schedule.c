// SPDX-License-Identifier: Apache-2.0
//
// Which tile makes which rounds of which slices, and which tiles may run at once
// (membrane_internal.h).
#include "solver/membrane_internal.h"

#include "base/rows.h"

#include <string.h>

// Rounds go one by one when threads would wait for each other for more than this: what they take
// together with waiting, over what they do.
static const double most_idle = 1.25;

// Slices of a block: some hundred microseconds.
enum { LABEL_GRAIN = 1024 };

// A schedule on its way.
typedef struct planning {
    const sni_membrane *membrane;
    uint32_t *labels; // SNI_MEMBRANE_DEPTH x slice_count: the tile that makes a round of a slice
    uint32_t *waves;  // tile_count: when a tile runs
    uint32_t round;   // whose labels are made
} planning;

static const uint32_t *labels_of(const planning *p, uint32_t round) {
    return p->labels + (size_t)round * p->membrane->slice_count;
}

// The last of the tiles that made a round of a slice and of all that it has springs to.
static uint32_t last_label_around(const planning *p, const uint32_t *labels, uint32_t slice) {
    const sni_membrane *m = p->membrane;
    uint32_t last = labels[slice];
    size_t end = SNI_WIDTH * (size_t)m->starts[slice + 1];
    for (size_t i = SNI_WIDTH * (size_t)m->starts[slice]; i < end; ++i) {
        uint32_t label = labels[m->neighbours[i] / (4 * SNI_WIDTH)];
        last = label > last ? label : last;
    }
    return last;
}

static void label_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const planning *p = user;
    uint32_t *next = p->labels + (size_t)p->round * p->membrane->slice_count;
    for (uint32_t s = begin; s < end; ++s) {
        next[s] = last_label_around(p, labels_of(p, p->round - 1), s);
    }
}

static void spread_labels(planning *p) {
    const sni_membrane *m = p->membrane;
    for (p->round = 1; p->round < SNI_MEMBRANE_DEPTH; ++p->round) {
        sn_parallel_for(m->context, m->slice_count, LABEL_GRAIN, label_block, p);
    }
}

// Whether a slice goes another way than the one before it.
static bool begins_way(const planning *p, uint32_t slice) {
    for (uint32_t round = 0; round < SNI_MEMBRANE_DEPTH; ++round) {
        const uint32_t *labels = labels_of(p, round);
        if (slice == 0 || labels[slice] != labels[slice - 1]) {
            return true;
        }
    }
    return false;
}

static void cut_runs(const planning *p, sni_membrane *m) {
    m->run_count = 0;
    for (uint32_t s = 0, begin = 0; s < m->slice_count; ++s) {
        if (begins_way(p, s) || s - begin == SNI_MEMBRANE_GRAIN) {
            m->runs[m->run_count++] = begin = s;
        }
    }
    m->runs[m->run_count] = m->slice_count;
}

// The runs of each round of each tile.
static void fill_lists(const planning *p, sni_membrane_schedule *schedule) {
    const sni_membrane *m = p->membrane;
    size_t list_count = (size_t)schedule->tile_count * SNI_MEMBRANE_DEPTH;
    memset(schedule->lists, 0, (list_count + 1) * sizeof *schedule->lists);
    for (uint32_t round = 0; round < SNI_MEMBRANE_DEPTH; ++round) {
        for (uint32_t run = 0; run < m->run_count; ++run) {
            size_t label = labels_of(p, round)[m->runs[run]];
            sni_rows_count(schedule->lists, label * SNI_MEMBRANE_DEPTH + round, 1);
        }
    }
    sni_rows_begin(schedule->lists, list_count);
    for (uint32_t round = 0; round < SNI_MEMBRANE_DEPTH; ++round) {
        for (uint32_t run = 0; run < m->run_count; ++run) {
            size_t label = labels_of(p, round)[m->runs[run]];
            size_t list = label * SNI_MEMBRANE_DEPTH + round;
            schedule->entries[sni_rows_take(schedule->lists, list)] = run;
        }
    }
    sni_rows_end(schedule->lists, list_count);
}

// The wave behind those of all tiles that made the round before of a slice and around it.
static uint32_t wave_behind(const planning *p, const uint32_t *labels, uint32_t slice,
                            uint32_t tile, uint32_t wave) {
    const sni_membrane *m = p->membrane;
    size_t end = SNI_WIDTH * (size_t)m->starts[slice + 1];
    uint32_t label = labels[slice];
    for (size_t i = SNI_WIDTH * (size_t)m->starts[slice];; ++i) {
        wave = label != tile && p->waves[label] >= wave ? p->waves[label] + 1 : wave;
        if (i == end) {
            return wave;
        }
        label = labels[m->neighbours[i] / (4 * SNI_WIDTH)];
    }
}

// Tiles wait for tiles of lower rank alone, whose waves are known when theirs are looked for.
static void find_waves(planning *p, sni_membrane_schedule *schedule) {
    const sni_membrane *m = p->membrane;
    for (uint32_t tile = 0; tile < schedule->tile_count; ++tile) {
        const uint32_t *lists = schedule->lists + (size_t)tile * SNI_MEMBRANE_DEPTH;
        uint32_t wave = 0;
        for (uint32_t round = 1; round < SNI_MEMBRANE_DEPTH; ++round) {
            for (uint32_t e = lists[round]; e < lists[round + 1]; ++e) {
                uint32_t run = schedule->entries[e];
                for (uint32_t s = m->runs[run]; s < m->runs[run + 1]; ++s) {
                    wave = wave_behind(p, labels_of(p, round - 1), s, tile, wave);
                }
            }
        }
        p->waves[tile] = wave;
        schedule->wave_count = wave >= schedule->wave_count ? wave + 1 : schedule->wave_count;
    }
}

// Slices of all rounds of a tile.
static uint32_t count_work(const sni_membrane *m, uint32_t tile) {
    const uint32_t *lists = m->schedule.lists + (size_t)tile * SNI_MEMBRANE_DEPTH;
    uint32_t work = 0;
    for (uint32_t e = lists[0]; e < lists[SNI_MEMBRANE_DEPTH]; ++e) {
        uint32_t run = m->schedule.entries[e];
        work += m->runs[run + 1] - m->runs[run];
    }
    return work;
}

static void fill_waves(const planning *p, sni_membrane_schedule *schedule) {
    uint32_t filled = 0;
    for (uint32_t i = 0; i < schedule->wave_count; ++i) {
        sni_membrane_wave wave = {.first = filled};
        for (uint32_t tile = 0; tile < schedule->tile_count; ++tile) {
            if (p->waves[tile] == i) {
                uint32_t work = count_work(p->membrane, tile);
                wave.work += work;
                wave.most = work > wave.most ? work : wave.most;
                schedule->tiles[filled++] = tile;
            }
        }
        wave.count = filled - wave.first;
        schedule->waves[i] = wave;
    }
}

sn_status sni_membrane_schedule_make(sni_membrane *m, const uint32_t *ranks, sn_error *error) {
    SN_ASSERT(m->slice_count == 0 || ranks != NULL);
    sni_membrane_schedule *schedule = &m->schedule;
    uint32_t tile_count = schedule->tile_count;
    planning p = {.membrane = m};
    sn_status status = SN_OK;
    SNI_NEW(m->context, p.labels, (size_t)SNI_MEMBRANE_DEPTH * m->slice_count);
    SNI_NEW(m->context, p.waves, tile_count);
    SNI_NEW(m->context, m->runs, (size_t)m->slice_count + 1);
    memcpy(p.labels, ranks, m->slice_count * sizeof *ranks);
    spread_labels(&p);
    cut_runs(&p, m);
    SNI_NEW(m->context, schedule->lists, (size_t)tile_count * SNI_MEMBRANE_DEPTH + 1);
    SNI_NEW(m->context, schedule->entries, (size_t)SNI_MEMBRANE_DEPTH * m->run_count);
    fill_lists(&p, schedule);
    find_waves(&p, schedule);
    SNI_NEW(m->context, schedule->tiles, tile_count);
    SNI_NEW(m->context, schedule->waves, schedule->wave_count);
    fill_waves(&p, schedule);
cleanup:
    sni_free(m->context, p.labels);
    sni_free(m->context, p.waves);
    return status;
}

void sni_membrane_schedule_free(sn_context *context, sni_membrane_schedule *schedule) {
    sni_free(context, schedule->waves);
    sni_free(context, schedule->tiles);
    sni_free(context, schedule->lists);
    sni_free(context, schedule->entries);
}

size_t sni_membrane_schedule_bytes(const sni_membrane *m) {
    const sni_membrane_schedule *schedule = &m->schedule;
    size_t lists = (size_t)schedule->tile_count * SNI_MEMBRANE_DEPTH + 1;
    return schedule->wave_count * sizeof *schedule->waves +
           schedule->tile_count * sizeof *schedule->tiles + lists * sizeof *schedule->lists +
           (size_t)SNI_MEMBRANE_DEPTH * m->run_count * sizeof *schedule->entries;
}

bool sni_membrane_schedule_pays(const sni_membrane_schedule *schedule, uint32_t threads) {
    double time = 0, work = 0; // of the fullest thread, of all
    for (uint32_t i = 0; i < schedule->wave_count; ++i) {
        const sni_membrane_wave *wave = &schedule->waves[i];
        double turns = (wave->count + threads - 1) / threads;
        double share = turns * (double)wave->work / wave->count;
        time += share > wave->most ? share : wave->most;
        work += (double)wave->work;
    }
    return schedule->tile_count > 1 && time * threads <= most_idle * work;
}
