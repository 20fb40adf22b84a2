// SPDX-License-Identifier: Apache-2.0
//
// Names of files that stand in files from strangers. A model that names its buffers, images or
// meshes may reach what lies in its own folder and below, and nothing else: otherwise opening a
// downloaded model and sharing the result would give away any file that its user can read.
#define _GNU_SOURCE
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

// Whether the parts of a name, read one after another, ever stand above the folder they began in.
static bool climbs_out(const char *name) {
    long depth = 0;
    for (const char *c = name; *c != 0;) {
        size_t length = strcspn(c, "/");
        if (length == 2 && c[0] == '.' && c[1] == '.') {
            depth--;
        } else if (length > 0 && !(length == 1 && c[0] == '.')) {
            depth++;
        }
        if (depth < 0) {
            return true;
        }
        c += length + (c[length] == '/');
    }
    return false;
}

// Whether a file, links followed, lies elsewhere than in the folder of `base` or below. A file that
// is not there lies nowhere: opening it will tell so.
static bool leads_out(sn_context *context, const char *base, const char *path, bool *lost) {
    char *folder = sni_path_beside(context, base, ".");
    *lost = folder == NULL;
    char *inside = folder != NULL ? realpath(folder, NULL) : NULL;
    char *real = realpath(path, NULL);
    bool leads = false;
    if (inside != NULL && real != NULL) {
        size_t length = strlen(inside);
        length -= length > 0 && inside[length - 1] == '/'; // the root ends in its slash
        leads = strncmp(real, inside, length) != 0 || real[length] != '/';
    }
    sni_free(context, folder);
    free(inside);
    free(real);
    return leads;
}

sn_status sni_path_inside(sn_context *context, const char *base, const char *name, char **path,
                          sn_error *error) {
    SN_ASSERT(base != NULL && name != NULL && path != NULL);
    *path = NULL;
    if (name[0] == '/' || climbs_out(name)) {
        return sni_fail(error, SN_IO, "\"%.200s\" is not read: it is outside of the file's folder",
                        name);
    }
    bool lost;
    char *made = sni_path_beside(context, base, name);
    if (made == NULL) {
        return sni_fail_memory(error);
    }
    bool leads = leads_out(context, base, made, &lost);
    if (lost || leads) {
        sni_free(context, made);
        return lost ? sni_fail_memory(error)
                    : sni_fail(error, SN_IO,
                               "\"%.200s\" is not read: it is a link out of the file's folder",
                               name);
    }
    *path = made;
    return SN_OK;
}
