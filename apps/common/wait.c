// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "common/wait.h"

#include <errno.h>
#include <time.h>

void app_condition_init(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool app_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, double due) {
    struct timespec at = {.tv_sec = (time_t)due};
    at.tv_nsec = (long)((due - (double)at.tv_sec) * 1e9);
    return pthread_cond_timedwait(condition, lock, &at) != ETIMEDOUT;
}
