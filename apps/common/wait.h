// SPDX-License-Identifier: Apache-2.0
//
// Waiting until app_clock() shows a time.
#ifndef SINEW_APPS_WAIT_H
#define SINEW_APPS_WAIT_H

#include <pthread.h>
#include <stdbool.h>

void app_condition_init(pthread_cond_t *condition);

// Waits with the lock held. Returns false once it is `due`, and true when it was woken before; as
// with pthread_cond_wait, that can also happen without anyone waking it.
bool app_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, double due);

#endif
