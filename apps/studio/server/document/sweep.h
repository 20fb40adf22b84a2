// SPDX-License-Identifier: Apache-2.0
//
// Files that the studio kept for a document (carry.h), and that nothing needs any more.
#ifndef SINEW_STUDIO_SWEEP_H
#define SINEW_STUDIO_SWEEP_H

enum { SWEEP_DAYS = 30 };

// Removes what came into the folder `kept` more than SWEEP_DAYS ago and is named by no journal in
// the folder `journals`: no document at work can need it, and those that were saved have copies.
void sweep_kept(const char *kept, const char *journals);

#endif
