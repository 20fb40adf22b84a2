// SPDX-License-Identifier: Apache-2.0
//
// The token, the code that leads to it once, and the key that the page's files are asked for with.
// Token and key are kept (FOLDER/token-PORT, FOLDER/cookie-PORT) and are those of the next studio
// on the same port, too: pages that are open go on when the studio is started again.
#define _GNU_SOURCE
#include "net/net_internal.h"

#include "common/common.h"
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static sn_status make_token(char token[NET_TOKEN_DIGITS + 1], sn_error *error) {
    uint8_t bytes[NET_TOKEN_BYTES];
    size_t have = 0;
    while (have < sizeof bytes) {
        ssize_t got = getrandom(bytes + have, sizeof bytes - have, 0);
        if (got < 0 && errno != EINTR) {
            return app_fail(error, SN_IO, NULL, "no random numbers: %s", strerror(errno));
        }
        have += got > 0 ? (size_t)got : 0;
    }
    for (size_t i = 0; i < sizeof bytes; ++i) {
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    }
    return SN_OK;
}

static bool name_file(const char *folder, const char *name, uint16_t port,
                      char path[APP_PATH_BYTES]) {
    return folder != NULL &&
           snprintf(path, APP_PATH_BYTES, "%s/%s-%u", folder, name, port) < APP_PATH_BYTES;
}

// Whether a file holds a token that nobody else could have read or put there.
static bool read_token(const char *path, char token[NET_TOKEN_DIGITS + 1]) {
    struct stat info;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool right = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                 info.st_uid == geteuid() && (info.st_mode & 0077) == 0 &&
                 info.st_size == NET_TOKEN_DIGITS &&
                 read(file, token, NET_TOKEN_DIGITS) == NET_TOKEN_DIGITS;
    token[NET_TOKEN_DIGITS] = 0;
    if (file >= 0) {
        close(file);
    }
    return right && strspn(token, "0123456789abcdef") == NET_TOKEN_DIGITS;
}

// A token that cannot be kept is one for this time: the studio works all the same.
static void keep_token(const char *path, const char *token) {
    char scratch[APP_PATH_BYTES + 32];
    snprintf(scratch, sizeof scratch, "%s.%ld", path, (long)getpid());
    int file = open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool written = file >= 0 && app_write_all(file, token, NET_TOKEN_DIGITS);
    if (file >= 0) {
        close(file);
    }
    if (!written || rename(scratch, path) != 0) {
        unlink(scratch);
    }
}

// The one that is kept, or a new one.
static sn_status find_token(const char *folder, const char *name, uint16_t port,
                            char token[NET_TOKEN_DIGITS + 1], sn_error *error) {
    char path[APP_PATH_BYTES];
    bool kept = name_file(folder, name, port, path);
    if (kept && read_token(path, token)) {
        return SN_OK;
    }
    sn_status status = make_token(token, error);
    if (status == SN_OK && kept) {
        keep_token(path, token);
    }
    return status;
}

sn_status net_make_tokens(net_server *net, const char *folder, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(find_token(folder, "token", net->port, net->token, error));
    SN_TRY(find_token(folder, "cookie", net->port, net->key, error));
    SN_TRY(make_token(net->code, error));
cleanup:
    return status;
}

void net_forget_token(const char *folder, uint16_t port) {
    static const char *const names[] = {"token", "cookie"};
    char path[APP_PATH_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (name_file(folder, names[i], port, path)) {
            unlink(path);
        }
    }
}
