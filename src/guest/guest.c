/* guest.c: this side of a guest: its files, its process, requests with a deadline. */
#define _XOPEN_SOURCE 700
#include "guest/guest_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SILENCE = 10000 }; /* ms without an answer */

struct dfl_guest {
    dfl_context *ctx;
    dfl_guest_description description;
    char folder[200];
    pid_t process;
    int socket;
    int alive; /* closed when this process ends, however it does */
};

static dfl_status unpack(dfl_guest *guest, dfl_text *library, const dfl_text *archive);
static dfl_status begin(dfl_guest *guest, const char *library);
static dfl_status receive(dfl_guest *guest, dfl_guest_answer *answer, double *value, int count);

dfl_status dfl_guest_create(dfl_guest **out, dfl_context *ctx, const char *path)
{
    dfl_text archive = {.ctx = ctx};
    *out = NULL;
    dfl_status status = dfl_archive_read(&archive, path);
    if (!status)
        status = dfl_guest_open(out, ctx, &archive);
    dfl_text_clear(&archive);
    return status;
}

dfl_status dfl_guest_inspect(dfl_guest_description *out, dfl_context *ctx, const dfl_text *archive)
{
    dfl_text xml = {.ctx = ctx};
    dfl_status status = dfl_archive_file(&xml, archive, "modelDescription.xml");
    if (!status)
        status = dfl_guest_read(out, ctx, &xml);
    dfl_text_clear(&xml);
    return status;
}

dfl_status dfl_guest_open(dfl_guest **out, dfl_context *ctx, const dfl_text *archive)
{
    dfl_text library = {.ctx = ctx};
    dfl_guest_answer answer;
    *out = NULL;
    dfl_guest *guest = dfl_alloc(ctx, 1, sizeof *guest);
    if (!guest)
        return DFL_NO_MEMORY;
    *guest = (dfl_guest){.ctx = ctx, .process = -1, .socket = -1, .alive = -1};
    dfl_status status = unpack(guest, &library, archive);
    if (!status)
        status = begin(guest, dfl_text_string(&library));
    if (!status)
        status = receive(guest, &answer, NULL, 0);
    dfl_text_clear(&library);
    if (status) {
        dfl_guest_free(guest);
        return status;
    }
    *out = guest;
    return DFL_OK;
}

const dfl_guest_description *dfl_guest_describe(const dfl_guest *guest)
{
    return &guest->description;
}

/* ------------------------------------------------------------------------------- files */

static dfl_status make_folder(dfl_guest *guest)
{
    const char *place = getenv("TMPDIR");
    const int length = snprintf(guest->folder, sizeof guest->folder, "%s/driftless-fmu-XXXXXX",
                                place && *place == '/' ? place : "/tmp");
    if (length > 0 && (size_t)length < sizeof guest->folder && mkdtemp(guest->folder))
        return DFL_OK;
    guest->folder[0] = 0;
    return dfl_fail(guest->ctx, DFL_IO, "cannot make a temporary folder: %s", strerror(errno));
}

static const char *platform(int version)
{
#if defined(__aarch64__)
    return version == 3 ? "aarch64-linux" : "linux-aarch64";
#else
    return version == 3 ? "x86_64-linux" : "linux64";
#endif
}

/* The description, and the library and resources in a folder of their own. */
static dfl_status unpack(dfl_guest *guest, dfl_text *library, const dfl_text *archive)
{
    dfl_context *ctx = guest->ctx;
    dfl_guest_description *d = &guest->description;
    dfl_text folder = {.ctx = ctx};
    dfl_status status = dfl_guest_inspect(d, ctx, archive);
    if (!status)
        status = make_folder(guest);
    if (!status) {
        dfl_text_add(&folder, "binaries/%s/", platform(d->version));
        dfl_text_add(library, "%s/%s%s.so", guest->folder, dfl_text_string(&folder), d->identifier);
        status = folder.status ? folder.status : library->status;
    }
    if (!status)
        status = dfl_archive_unpack(archive, folder.data, guest->folder);
    if (!status)
        status = dfl_archive_unpack(archive, "resources/", guest->folder);
    if (!status && access(library->data, R_OK))
        status = dfl_fail(ctx, DFL_INVALID,
                          "the FMU has no library for this machine (%s%s.so); export it here, or "
                          "build it from its sources",
                          folder.data, d->identifier);
    dfl_text_clear(&folder);
    return status;
}

/* ------------------------------------------------------------------------------- the process */

static dfl_status begin(dfl_guest *guest, const char *library)
{
    char resources[220];
    int pair[2], life[2];
    snprintf(resources, sizeof resources, "%s/resources", guest->folder);
    if (pipe(life))
        return dfl_fail(guest->ctx, DFL_IO, "cannot start a process: %s", strerror(errno));
    guest->alive = life[1];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
        close(life[0]);
        return dfl_fail(guest->ctx, DFL_IO, "cannot start a process: %s", strerror(errno));
    }
    const struct timeval silence = {.tv_sec = SILENCE / 1000}; /* for a request that is not read */
    setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof silence);
    fflush(NULL); /* once, and not in both processes */
    guest->process = fork();
    if (guest->process == 0) {
        close(pair[0]);
        close(life[1]);
        const dfl_guest_place place = {pair[1], life[0], guest->folder, library, resources};
        dfl_guest_serve(&place, &guest->description);
    }
    close(pair[1]);
    close(life[0]);
    guest->socket = pair[0];
    return guest->process > 0
               ? DFL_OK
               : dfl_fail(guest->ctx, DFL_IO, "cannot start a process: %s", strerror(errno));
}

void dfl_guest_free(dfl_guest *guest)
{
    if (!guest)
        return;
    if (guest->socket >= 0)
        close(guest->socket);
    if (guest->process > 0) {
        kill(guest->process, SIGKILL);
        waitpid(guest->process, NULL, 0);
    }
    if (guest->alive >= 0)
        close(guest->alive);
    if (guest->folder[0])
        dfl_guest_remove(guest->folder);
    dfl_guest_description_clear(&guest->description, guest->ctx);
    dfl_free(guest->ctx, guest);
}

/* The process has ended, or is ended here; why. */
static dfl_status gone(dfl_guest *guest, bool silent)
{
    int how = 0;
    if (silent)
        kill(guest->process, SIGKILL);
    waitpid(guest->process, &how, 0);
    guest->process = -1;
    if (silent)
        return dfl_fail(guest->ctx, DFL_CALLBACK, "the FMU '%s' does not answer for %d s",
                        guest->description.identifier, SILENCE / 1000);
    if (WIFSIGNALED(how))
        return dfl_fail(guest->ctx, DFL_CALLBACK, "the FMU '%s' crashed: %s",
                        guest->description.identifier, strsignal(WTERMSIG(how)));
    return dfl_fail(guest->ctx, DFL_CALLBACK, "the FMU '%s' ended its process",
                    guest->description.identifier);
}

/* All bytes, each part of them within the time. */
static dfl_status take(dfl_guest *guest, void *bytes, size_t count)
{
    unsigned char *at = bytes;
    while (count > 0) {
        struct pollfd wait = {.fd = guest->socket, .events = POLLIN};
        const int ready = poll(&wait, 1, SILENCE);
        if (ready == 0)
            return gone(guest, true);
        const ssize_t n = ready > 0 ? read(guest->socket, at, count) : -1;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return gone(guest, false);
        at += n;
        count -= (size_t)n;
    }
    return DFL_OK;
}

/* `count` values, or a message. The library may have written anything into the memory of its
   process, so that nothing of an answer is believed. */
static dfl_status receive(dfl_guest *guest, dfl_guest_answer *answer, double *value, int count)
{
    char words[1001] = "";
    dfl_status status = take(guest, answer, sizeof *answer);
    if (status)
        return status;
    if (answer->count < 0 || (!answer->failed && answer->count != count))
        return dfl_fail(guest->ctx, DFL_CALLBACK, "the FMU '%s' has damaged its own process",
                        guest->description.identifier);
    if (!answer->failed)
        return take(guest, value, (size_t)count * sizeof *value);
    status = take(guest, words, answer->count <= 1000 ? (size_t)answer->count : 1000);
    return status ? status
                  : dfl_fail(guest->ctx, DFL_CALLBACK, "the FMU '%s' failed: %s",
                             guest->description.identifier, words);
}

static dfl_status send_all(dfl_guest *guest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    while (count > 0) {
        const ssize_t n = send(guest->socket, at, count, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return gone(guest, errno == EAGAIN || errno == EWOULDBLOCK);
        at += n > 0 ? n : 0;
        count -= n > 0 ? (size_t)n : 0;
    }
    return DFL_OK;
}

static dfl_status ask(dfl_guest *guest, const dfl_guest_question *question,
                      const unsigned *reference, const double *given, dfl_guest_answer *answer,
                      double *value)
{
    const size_t count = (size_t)question->count;
    if (guest->process < 0)
        return dfl_fail(guest->ctx, DFL_CALLBACK, "the FMU '%s' has ended",
                        guest->description.identifier);
    dfl_status status = send_all(guest, question, sizeof *question);
    if (!status)
        status = send_all(guest, reference, count * sizeof *reference);
    if (!status && given)
        status = send_all(guest, given, count * sizeof *given);
    return status ? status : receive(guest, answer, value, value ? question->count : 0);
}

/* ------------------------------------------------------------------------------- requests */

dfl_status dfl_guest_set(dfl_guest *guest, const unsigned *reference, int count,
                         const double *value)
{
    dfl_guest_answer answer;
    return ask(guest, &(dfl_guest_question){.request = DFL_GUEST_SET, .count = count}, reference,
               value, &answer, NULL);
}

dfl_status dfl_guest_get(dfl_guest *guest, const unsigned *reference, int count, double *value)
{
    dfl_guest_answer answer;
    return ask(guest, &(dfl_guest_question){.request = DFL_GUEST_GET, .count = count}, reference,
               NULL, &answer, value);
}

dfl_status dfl_guest_start(dfl_guest *guest, double t, double stop, double tolerance)
{
    dfl_guest_answer answer;
    const dfl_guest_question question = {
        .request = DFL_GUEST_START, .t = t, .h = stop, .tolerance = tolerance};
    return ask(guest, &question, NULL, NULL, &answer, NULL);
}

dfl_status dfl_guest_step(dfl_guest *guest, double t, double h, double *reached, bool *ended)
{
    dfl_guest_answer answer = {0};
    const dfl_guest_question question = {.request = DFL_GUEST_STEP, .t = t, .h = h};
    const dfl_status status = ask(guest, &question, NULL, NULL, &answer, NULL);
    *reached = answer.t;
    *ended = answer.ended != 0;
    return status;
}
