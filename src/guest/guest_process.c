/* guest_process.c: the process that calls an FMU: answers requests until the socket is closed. If
   the other process ends, also while the FMU does not answer, its files are removed here. */
#define _XOPEN_SOURCE 700
#include "guest/guest_internal.h"

#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool take(int socket, void *bytes, size_t count)
{
    unsigned char *at = bytes;
    while (count > 0) {
        const ssize_t n = read(socket, at, count);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? n : 0;
        count -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool give(int socket, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    while (count > 0) {
        const ssize_t n = write(socket, at, count);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        count -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool answer(int socket, int failed, const dfl_guest_answer *good, const double *value)
{
    const char *words = dfl_fmi_message();
    const dfl_guest_answer bad = {.failed = 1, .count = (int)strlen(words)};
    const dfl_guest_answer *it = failed ? &bad : good;
    return give(socket, it, sizeof *it) && give(socket, failed ? (const void *)words : value,
                                                (size_t)it->count * (failed ? 1 : sizeof *value));
}

/* One request; false: the other side has gone. */
static bool serve_one(int socket, dfl_fmi *fmi)
{
    dfl_guest_question q;
    dfl_guest_answer a = {0};
    int failed = 0;
    if (!take(socket, &q, sizeof q))
        return false;
    unsigned *reference = calloc((size_t)q.count + 1, sizeof *reference);
    double *value = calloc((size_t)q.count + 1, sizeof *value);
    bool there =
        reference && value && take(socket, reference, (size_t)q.count * sizeof *reference) &&
        (q.request != DFL_GUEST_SET || take(socket, value, (size_t)q.count * sizeof *value));
    if (there && q.request == DFL_GUEST_SET) {
        failed = dfl_fmi_set(fmi, reference, q.count, value);
    } else if (there && q.request == DFL_GUEST_GET) {
        failed = dfl_fmi_get(fmi, reference, q.count, value);
        a.count = q.count;
    } else if (there && q.request == DFL_GUEST_START) {
        failed = dfl_fmi_start(fmi, q.t, q.h, q.tolerance);
    } else if (there) {
        failed = dfl_fmi_step(fmi, q.t, q.h, &a.t, &a.ended);
    }
    there = there && answer(socket, failed, &a, value);
    free(reference);
    free(value);
    return there;
}

static int remove_one(const char *path, const struct stat *what, int kind, struct FTW *place)
{
    (void)what, (void)kind, (void)place;
    return remove(path);
}

void dfl_guest_remove(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A thread: waits for the end of the other process. */
static void *watch(void *user)
{
    const dfl_guest_place *place = user;
    char byte;
    while (read(place->alive, &byte, 1) < 0 && errno == EINTR)
        ;
    dfl_guest_remove(place->folder);
    _exit(0);
}

/* Signals to all processes of a terminal are the other one's to answer. */
static void guard(const dfl_guest_place *place)
{
    const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    pthread_t thread;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    pthread_create(&thread, NULL, watch, (void *)place);
}

void dfl_guest_serve(const dfl_guest_place *place, const dfl_guest_description *description)
{
    guard(place);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* results go to standard output, what it prints must not */
    setvbuf(stdout, NULL, _IOLBF, 0);
    dfl_fmi *fmi = dfl_fmi_load(description, place->library, place->resources);
    if (answer(place->socket, fmi == NULL, &(dfl_guest_answer){0}, NULL) && fmi)
        while (serve_one(place->socket, fmi))
            ;
    for (;;) /* the thread ends the process */
        pause();
}
