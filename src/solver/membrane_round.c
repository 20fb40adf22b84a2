// SPDX-License-Identifier: Apache-2.0
//
// One round of relaxation: eight vertices at a time, each lane the sum of its own springs.
#include "solver/membrane_internal.h"

#include "sinew/base.h"

typedef struct wide_point {
    sni_f32xw x, y, z;
} wide_point;

// What all springs share.
typedef struct spring_law {
    sni_f32xw zero, one, push;
    sni_f32xw slope, base; // m = base + slope l/r between `push` and 1
    sni_f32xw transition;
    sni_f32xw energy_slope; // (1 - push) / (3 transition)
    sni_f32xw energy_rest;  // transition^2 (1 - push) / 6
    sni_f32xw half, half_push;
} spring_law;

static spring_law make_law(const sni_membrane *m) {
    double slope = (1 - m->push) / m->transition;
    return (spring_law){
        .zero = sni_f32xw_set1(0),
        .one = sni_f32xw_set1(1),
        .push = sni_f32xw_set1((float)m->push),
        .slope = sni_f32xw_set1((float)slope),
        .base = sni_f32xw_set1((float)(1 - slope)),
        .transition = sni_f32xw_set1((float)m->transition),
        .energy_slope = sni_f32xw_set1((float)(slope / 3)),
        .energy_rest = sni_f32xw_set1((float)(m->transition * m->transition * (1 - m->push) / 6)),
        .half = sni_f32xw_set1(0.5f),
        .half_push = sni_f32xw_set1((float)(m->push / 2)),
    };
}

SNI_INLINE wide_point subtract(wide_point a, wide_point b) {
    return (wide_point){sni_f32xw_sub(a.x, b.x), sni_f32xw_sub(a.y, b.y), sni_f32xw_sub(a.z, b.z)};
}

SNI_INLINE wide_point add_scaled(wide_point a, sni_f32xw s, wide_point b) {
    return (wide_point){sni_f32xw_add_product(a.x, s, b.x), sni_f32xw_add_product(a.y, s, b.y),
                        sni_f32xw_add_product(a.z, s, b.z)};
}

SNI_INLINE sni_f32xw square(wide_point a) {
    return sni_f32xw_add_product(sni_f32xw_add_product(sni_f32xw_mul(a.x, a.x), a.y, a.y), a.z,
                                 a.z);
}

SNI_INLINE wide_point point_of(sni_f32xw4 rows) {
    return (wide_point){rows.x, rows.y, rows.z};
}

// Eight rows of four that follow each other.
SNI_INLINE sni_f32xw4 load_rows(const float *rows) {
    return sni_f32xw_transpose4(
        (sni_rows){rows, rows + 4, rows + 8, rows + 12, rows + 16, rows + 20, rows + 24, rows + 28},
        0);
}

SNI_INLINE wide_point load_neighbours(const float *points, const uint32_t *offsets) {
    sni_rows rows = {points + offsets[0], points + offsets[1], points + offsets[2],
                     points + offsets[3], points + offsets[4], points + offsets[5],
                     points + offsets[6], points + offsets[7]};
    return point_of(sni_f32xw_transpose4(rows, 0));
}

// Twice an edge's energy over k l^2: with a = l/r, b = a - 1 and p = push, t = transition,
//     b >= -t:  (1 - 1/a)^2 (1/2 + (1 - p)/(3 t) min(b, 0))
//     else      (1 - 1/a)^2 p/2 + t^2 (1 - p)/6 / a^2
SNI_INLINE sni_f32xw energy_share(const spring_law *law, sni_f32xw stretch, sni_f32xw inverse,
                                  sni_f32xw excess) {
    sni_f32xw b = sni_f32xw_sub(stretch, law->one), e2 = sni_f32xw_mul(excess, excess);
    sni_f32xw factor =
        sni_f32xw_add_product(law->half, law->energy_slope, sni_f32xw_min(b, law->zero));
    sni_f32xw deep = sni_f32xw_add_product(sni_f32xw_mul(e2, law->half_push), law->energy_rest,
                                           sni_f32xw_mul(inverse, inverse));
    return sni_f32xw_choose(sni_f32xw_add(b, law->transition), sni_f32xw_mul(e2, factor), deep);
}

// Sums over the springs of a slice.
typedef struct slice_sums {
    wide_point force;
    sni_f32xw stiffness; // modified ones
    sni_f32xw energy;    // twice that of the edges
} slice_sums;

SNI_INLINE slice_sums sum_springs(const sni_membrane *m, const spring_law *law, const float *points,
                                  uint32_t slice, wide_point own, bool paper, bool energy) {
    slice_sums sums = {{law->zero, law->zero, law->zero}, law->zero, law->zero};
    for (size_t row = m->starts[slice]; row < m->starts[slice + 1]; ++row) {
        wide_point w = subtract(load_neighbours(points, m->neighbours + SNI_WIDTH * row), own);
        sni_f32xw k = sni_f32xw_load(m->stiffness + SNI_WIDTH * row);
        sni_f32xw length2 = square(w);
        sni_f32xw stretch = sni_f32xw_mul(sni_f32xw_sqrt(length2),
                                          sni_f32xw_load(m->inverse_rest + SNI_WIDTH * row));
        sni_f32xw inverse = sni_f32xw_div_positive(law->one, stretch);
        sni_f32xw excess = sni_f32xw_sub(law->one, inverse); // e / l
        sni_f32xw factor = sni_f32xw_add_product(law->base, law->slope, stretch);
        factor = sni_f32xw_min(sni_f32xw_max(factor, law->push), law->one);
        sni_f32xw modified = sni_f32xw_mul(k, factor);
        sums.force = add_scaled(sums.force, sni_f32xw_mul(modified, excess), w);
        if (paper) {
            sums.stiffness = sni_f32xw_add(sums.stiffness, modified);
        }
        if (energy) {
            sums.energy = sni_f32xw_add_product(sums.energy, sni_f32xw_mul(k, length2),
                                                energy_share(law, stretch, inverse, excess));
        }
    }
    return sums;
}

// Puts points that are inside their spheres onto them. One at the centre stays.
SNI_INLINE wide_point keep_outside(const float *spheres, wide_point p) {
    sni_f32xw4 rows = load_rows(spheres);
    wide_point away = subtract(p, point_of(rows));
    sni_f32xw length2 = square(away);
    sni_f32xw distance = sni_f32xw_sqrt(length2);
    sni_f32xw scale = sni_f32xw_div_positive(rows.w, distance);
    wide_point out = add_scaled(point_of(rows), scale, away);
    sni_f32xw inside = sni_f32xw_sub(distance, rows.w);
    return (wide_point){sni_f32xw_choose(inside, p.x, out.x), sni_f32xw_choose(inside, p.y, out.y),
                        sni_f32xw_choose(inside, p.z, out.z)};
}

static double largest_lane(sni_f32xw a) {
    float values[SNI_WIDTH];
    sni_f32xw_store(values, a);
    double largest = 0;
    for (int i = 0; i < SNI_WIDTH; ++i) {
        largest = (double)values[i] > largest ? (double)values[i] : largest;
    }
    return largest;
}

static double sum_lanes(sni_f32xw a) {
    float values[SNI_WIDTH];
    sni_f32xw_store(values, a);
    double sum = 0;
    for (int i = 0; i < SNI_WIDTH; ++i) {
        sum += (double)values[i];
    }
    return sum;
}

SNI_INLINE void relax_run(const sni_membrane_round *r, const spring_law *shared, uint32_t run,
                          bool paper, bool energy, bool accelerated) {
    const sni_membrane *m = r->membrane;
    const spring_law law = *shared;
    sni_f32xw largest = law.zero, residual = law.zero, energies = law.zero;
    for (uint32_t slice = m->runs[run]; slice < m->runs[run + 1]; ++slice) {
        size_t place = SNI_WIDTH * (size_t)slice;
        wide_point own = point_of(load_rows(r->now + 4 * place));
        sni_f32xw4 anchor = load_rows(r->anchors + 4 * place);
        slice_sums sums = sum_springs(m, &law, r->now, slice, own, paper, energy);
        wide_point to_anchor = subtract(point_of(anchor), own);
        wide_point force = add_scaled(sums.force, anchor.w, to_anchor);
        sni_f32xw inverse = sni_f32xw_load(m->inverse_total + place);
        if (paper) {
            inverse = sni_f32xw_div_positive(law.one, sni_f32xw_add(sums.stiffness, anchor.w));
        }
        wide_point moved = add_scaled(own, inverse, force);
        if (r->spheres != NULL) {
            moved = keep_outside(r->spheres + 4 * place, moved);
        }
        sni_f32xw step2 = square(subtract(moved, own));
        largest = sni_f32xw_max(largest, step2);
        // D |d|^2; vertices without springs do not move.
        residual = sni_f32xw_add(
            residual, sni_f32xw_div_positive(step2, sni_f32xw_load(m->inverse_total + place)));
        if (energy) {
            energies = sni_f32xw_add_product(sni_f32xw_add(energies, sums.energy), anchor.w,
                                             square(to_anchor));
        }
        if (accelerated) {
            wide_point before = point_of(load_rows(r->before + 4 * place));
            moved = add_scaled(own, sni_f32xw_set1(r->length), subtract(moved, own));
            moved = add_scaled(before, sni_f32xw_set1(r->omega), subtract(moved, before));
            if (r->spheres != NULL) {
                moved = keep_outside(r->spheres + 4 * place, moved);
            }
        }
        sni_f32xw_store_rows4(r->next + 4 * place,
                              (sni_f32xw4){moved.x, moved.y, moved.z, law.zero});
    }
    r->largest[run] = largest_lane(largest);
    r->residuals[run] = sum_lanes(residual);
    r->energies[run] = sum_lanes(energies) / 2;
}

// Runs number `first` to `end` - 1 of a list, NULL: of all.
SNI_INLINE void relax_runs(const sni_membrane_round *r, const uint32_t *list, uint32_t first,
                           uint32_t end, bool paper, bool energy, bool accelerated) {
    const spring_law law = make_law(r->membrane);
    for (uint32_t i = first; i < end; ++i) {
        relax_run(r, &law, list != NULL ? list[i] : i, paper, energy, accelerated);
    }
}

static void relax_list(const sni_membrane_round *r, const uint32_t *list, uint32_t first,
                       uint32_t end) {
    if (r->paper_steps) {
        relax_runs(r, list, first, end, true, false, false);
    } else if (!r->measures_energy) {
        relax_runs(r, list, first, end, false, false, false);
    } else if (r->before == NULL) {
        relax_runs(r, list, first, end, false, true, false);
    } else {
        relax_runs(r, list, first, end, false, true, true);
    }
}

typedef struct group_run {
    const sni_membrane_round *rounds;
    uint32_t round_count;
    const uint32_t *tiles; // of the wave
} group_run;

static void run_tiles(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const group_run *run = user;
    const sni_membrane_schedule *schedule = &run->rounds->membrane->schedule;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *lists = schedule->lists + (size_t)run->tiles[i] * SNI_MEMBRANE_DEPTH;
        for (uint32_t round = 0; round < run->round_count; ++round) {
            relax_list(&run->rounds[round], schedule->entries, lists[round], lists[round + 1]);
        }
    }
}

static void run_part(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const group_run *run = user;
    relax_list(run->rounds, NULL, begin, end);
}

void sni_membrane_rounds_run(const sni_membrane_round *rounds, uint32_t count) {
    SN_ASSERT(count > 0 && count <= SNI_MEMBRANE_DEPTH);
    const sni_membrane *m = rounds->membrane;
    const sni_membrane_schedule *schedule = &m->schedule;
    uint32_t threads = sn_context_thread_count(m->context);
    if (count == 1 || !sni_membrane_schedule_pays(schedule, threads)) {
        for (uint32_t i = 0; i < count; ++i) {
            group_run run = {.rounds = &rounds[i]};
            sn_parallel_for(m->context, m->run_count, 1, run_part, &run);
        }
        return;
    }
    for (uint32_t i = 0; i < schedule->wave_count; ++i) {
        const sni_membrane_wave *wave = &schedule->waves[i];
        group_run run = {rounds, count, schedule->tiles + wave->first};
        sn_parallel_for(m->context, wave->count, 1, run_tiles, &run);
    }
}
