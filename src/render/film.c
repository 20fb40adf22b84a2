// SPDX-License-Identifier: Apache-2.0
//
// Films through the program ffmpeg, started without a shell.
//
//     sn_film_add ──► socket ──► ffmpeg's input ──► temporary file ──► (sn_film_end) PATH
//
// Frames travel over a socket rather than a pipe: send() can be told not to raise SIGPIPE when
// ffmpeg dies, so the host needs no signal handler. What ffmpeg complains about goes to an unnamed
// temporary file and from there into the error.
#define _GNU_SOURCE
#include "base/file.h"
#include "base/number.h"
#include "render/image.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct sn_film {
    sn_context *context;
    uint32_t width, height;
    uint32_t frame_count;
    bool broken;       // ffmpeg has gone away
    sni_output output; // ffmpeg writes over its temporary file
    FILE *complaints;
    int input;    // our end of the socket, -1 when closed
    pid_t ffmpeg; // 0 when it has ended
};

// What ffmpeg is told for an extension.
typedef struct container {
    const char *extension;
    const char *format;
    const char *codec;
    const char *filter;
} container;

// Players want even sides and 4:2:0; the colours are sRGB, whose matrix is BT.709.
#define VIDEO_FILTER                                                                               \
    "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
static const container containers[] = {
    {".mp4", "mp4", "libx264", VIDEO_FILTER},
    {".mov", "mov", "libx264", VIDEO_FILTER},
    {".mkv", "matroska", "libx264", VIDEO_FILTER},
    {".webm", "webm", "libvpx-vp9", VIDEO_FILTER},
    {".gif", "gif", "gif", "split[a][b];[a]palettegen[p];[b][p]paletteuse"},
};

static const container *container_of(const char *path) {
    for (size_t i = 0; i < sizeof containers / sizeof *containers; ++i) {
        if (sni_path_has_extension(path, containers[i].extension)) {
            return &containers[i];
        }
    }
    return NULL;
}

static sn_status fail_film(const sn_film *film, const char *doing, int number, sn_error *error) {
    sni_fail(error, SN_IO, "cannot %s: %s", doing, strerror(number));
    sni_error_source(error, film->output.path);
    return SN_IO;
}

// Fails with the first line that ffmpeg wrote.
static sn_status fail_ffmpeg(sn_film *film, sn_error *error) {
    char line[256] = "no reason given";
    rewind(film->complaints);
    if (fgets(line, sizeof line, film->complaints) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
    }
    sni_fail(error, SN_IO, "ffmpeg failed: %s", line);
    sni_error_source(error, film->output.path);
    return SN_IO;
}

// Starts ffmpeg in a process group of its own, so that an interrupt typed at the host does not end
// the film by itself; it ends when our side of the socket closes.
static int start(sn_film *film, char *const arguments[], int its_input) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, its_input, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(film->complaints), 2);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int number = posix_spawnp(&film->ffmpeg, "ffmpeg", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (number != 0) {
        film->ffmpeg = 0;
    }
    return number;
}

static sn_status spawn(sn_film *film, const container *kind, double rate, sn_error *error) {
    sn_status status = SN_OK;
    char size[32], rate_text[SNI_NUMBER_BYTES];
    char *target = NULL;
    int ends[2] = {-1, -1};
    SNI_NEW(film->context, target, strlen(film->output.temporary) + 6);
    snprintf(target, strlen(film->output.temporary) + 6, "file:%s", film->output.temporary);
    snprintf(size, sizeof size, "%ux%u", film->width, film->height);
    sni_number_write(rate, rate_text);
    const char *arguments[] = {
        "ffmpeg",      "-hide_banner", "-loglevel",  "error",         "-nostats",
        "-y",          "-f",           "rawvideo",   "-pixel_format", "rgb24",
        "-video_size", size,           "-framerate", rate_text,       "-i",
        "pipe:0",      "-an",          "-vf",        kind->filter,    "-c:v",
        kind->codec,   "-f",           kind->format, target,          NULL,
    };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        status = fail_film(film, "open a socket", errno, error);
        goto cleanup;
    }
    // posix_spawn takes strings that are not const but does not write them.
    int number = start(film, (char *const *)arguments, ends[1]);
    if (number == ENOENT) {
        status = sni_fail(error, SN_UNSUPPORTED,
                          "films need the program ffmpeg, which is not "
                          "installed");
        goto cleanup;
    }
    if (number != 0) {
        status = fail_film(film, "start ffmpeg", number, error);
        goto cleanup;
    }
    film->input = ends[0];
    ends[0] = -1;
cleanup:
    for (unsigned i = 0; i < 2; ++i) {
        if (ends[i] >= 0) {
            close(ends[i]);
        }
    }
    sni_free(film->context, target);
    return status;
}

static sn_status check_film(const char *path, uint32_t width, uint32_t height, double rate,
                            sn_error *error) {
    if (width == 0 || height == 0 || width > SNI_IMAGE_MAX_SIDE || height > SNI_IMAGE_MAX_SIDE) {
        return sni_fail(error, SN_INVALID, "a film of %u x %u pixels, expected 1 to %u each", width,
                        height, SNI_IMAGE_MAX_SIDE);
    }
    if (!(rate > 0 && rate <= 1000)) {
        return sni_fail(error, SN_INVALID, "a film of %g frames per second, expected up to 1000",
                        rate);
    }
    if (container_of(path) == NULL) {
        sni_fail(error, SN_UNSUPPORTED,
                 "the extension \"%s\" is none of .mp4, .mov, .mkv, .webm, .gif",
                 sni_path_extension(path));
        sni_error_source(error, path);
        return SN_UNSUPPORTED;
    }
    return SN_OK;
}

sn_status sn_film_begin(sn_context *context, const char *path, uint32_t width, uint32_t height,
                        double rate, sn_film **film, sn_error *error) {
    sn_status status = SN_OK;
    sn_film *made = NULL;
    *film = NULL;
    SN_TRY(check_film(path, width, height, rate, error));
    SNI_NEW_ZERO(context, made, 1);
    *made = (sn_film){.context = context, .width = width, .height = height, .input = -1};
    SN_TRY(sni_output_open(NULL, path, &made->output, error));
    if (made->output.temporary[0] == 0) {
        sni_fail(error, SN_IO, "cannot write: a film needs a file, not a pipe or a device");
        sni_error_source(error, path);
        status = SN_IO;
        goto cleanup;
    }
    made->complaints = tmpfile();
    if (made->complaints == NULL || fcntl(fileno(made->complaints), F_SETFD, FD_CLOEXEC) != 0) {
        status = fail_film(made, "open a temporary file", errno, error);
        goto cleanup;
    }
    SN_TRY(spawn(made, container_of(path), rate, error));
    *film = made;
    return SN_OK;
cleanup:
    sn_film_cancel(made);
    return status;
}

sn_status sn_film_add(sn_film *film, const sn_image *image, sn_error *error) {
    if (image->width != film->width || image->height != film->height) {
        return sni_fail(error, SN_INVALID, "frame %u has %u x %u pixels, but the film %u x %u",
                        film->frame_count, image->width, image->height, film->width, film->height);
    }
    const uint8_t *bytes = image->pixels;
    size_t left = 3 * (size_t)image->width * image->height;
    while (left > 0) {
        ssize_t sent = send(film->input, bytes, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            film->broken = true;
            return fail_ffmpeg(film, error);
        }
        bytes += sent;
        left -= (size_t)sent;
    }
    film->frame_count++;
    return SN_OK;
}

// Closes ffmpeg's input and waits for it. True when it says that all went well.
static bool finish(sn_film *film) {
    int result = -1;
    if (film->input >= 0) {
        close(film->input);
        film->input = -1;
    }
    pid_t ended = 0;
    while (film->ffmpeg > 0 && (ended = waitpid(film->ffmpeg, &result, 0)) < 0 && errno == EINTR) {
    }
    film->ffmpeg = 0;
    return ended > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

sn_status sn_film_end(sn_film *film, sn_error *error) {
    sn_status status = SN_OK;
    if (film->frame_count == 0 && !film->broken) {
        status = sni_fail(error, SN_INVALID, "the film has no frames");
        goto cleanup;
    }
    if (!finish(film) || film->broken) {
        status = fail_ffmpeg(film, error);
        goto cleanup;
    }
    SN_TRY(sni_output_commit(&film->output, error));
cleanup:
    sn_film_cancel(film);
    return status;
}

void sn_film_cancel(sn_film *film) {
    if (film == NULL) {
        return;
    }
    sn_context *context = film->context;
    if (film->ffmpeg > 0) {
        kill(film->ffmpeg, SIGKILL);
    }
    finish(film);
    if (film->complaints != NULL) {
        fclose(film->complaints);
    }
    sni_output_close(&film->output);
    sni_free(context, film);
}
