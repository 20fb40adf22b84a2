// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_IO_WRITE_USD_SKEL_H
#define SINEW_IO_WRITE_USD_SKEL_H

#include "sinew/io.h"

// Writes what sn_export_skinned is given as UsdSkel. The desc is checked.
sn_status sni_write_usd_skel(sn_context *context, const char *path,
                             const sn_export_skinned_desc *desc, sn_error *error);

#endif
