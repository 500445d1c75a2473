/* new_file.c: files that replace others only when they are whole.

   Whoever writes a file holds an exclusive lock (flock) on it, from before its first byte until it
   is in its place. A file in place is locked itself; one that replaces another is PATH.part, whose
   lock keeps other replacements out, and a shared lock on PATH, taken for a moment, shows whether
   someone writes there in place. Readers that lock (HDF5) take shared locks and do not disturb. */
#define _DEFAULT_SOURCE /* flock */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700 /* realpath */
#include "context/context.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE = 500 }; /* ms until we ask whether we should still wait for a reader */

static dfl_status open_standard(dfl_new_file *out);
static dfl_status resolve(dfl_new_file *out, const char *path, struct stat *older);
static dfl_status open_special(dfl_new_file *out);
static dfl_status open_in_place(dfl_new_file *out);
static dfl_status check_older(dfl_new_file *out);
static dfl_status open_part(dfl_new_file *out, mode_t mode);
static bool is_at(const char *path, int file);
static bool lock(int file, int how);
static dfl_status busy(const dfl_new_file *file);
static dfl_status fail(const dfl_new_file *file, dfl_status status);
static void release(dfl_new_file *file);

dfl_status dfl_new_file_open(dfl_new_file *out, dfl_context *ctx, const char *path, bool whole)
{
    struct stat older = {.st_mode = 0666};
    *out = (dfl_new_file){.ctx = ctx, .file = -1, .leftover = -1};
    if (!path)
        return open_standard(out);
    dfl_status status = resolve(out, path, &older);
    if (status)
        return status;
    if (out->replaces && !S_ISREG(older.st_mode))
        return open_special(out);
    if (out->replaces)
        status = check_older(out);
    if (!status && !out->replaces && !whole)
        return open_in_place(out);
    return status ? status : open_part(out, older.st_mode);
}

static dfl_status open_standard(dfl_new_file *out)
{
    out->file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return out->file < 0 ? fail(out, DFL_INVALID) : DFL_OK;
}

/* What is there, and its path: that of a link leads to it. */
static dfl_status resolve(dfl_new_file *out, const char *path, struct stat *older)
{
    struct stat link;
    out->replaces = stat(path, older) == 0;
    const bool leads = out->replaces && S_ISREG(older->st_mode) && lstat(path, &link) == 0 &&
                       S_ISLNK(link.st_mode);
    char *real = leads ? realpath(path, NULL) : NULL;
    out->path = dfl_copy_string(out->ctx, real ? real : path);
    out->written = dfl_alloc(out->ctx, strlen(real ? real : path) + sizeof ".part", 1);
    free(real);
    if (!out->path || !out->written)
        return DFL_NO_MEMORY;
    strcpy(out->written, out->path);
    return DFL_OK;
}

static dfl_status open_special(dfl_new_file *out)
{
    out->replaces = false;
    do /* a pipe waits for its reader */
        out->file = open(out->path, O_WRONLY | O_CLOEXEC);
    while (out->file < 0 && errno == EINTR && !dfl_interrupted(out->ctx));
    return out->file < 0 ? fail(out, DFL_INVALID) : DFL_OK;
}

static dfl_status open_in_place(dfl_new_file *out)
{
    out->file = open(out->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (out->file < 0)
        return fail(out, DFL_INVALID);
    if (lock(out->file, LOCK_EX))
        return DFL_OK;
    close(out->file); /* someone else was faster, it is theirs */
    out->file = -1;
    return busy(out);
}

/* The older file may be written, and nobody writes it now. */
static dfl_status check_older(dfl_new_file *out)
{
    const int older = open(out->path, O_RDONLY | O_CLOEXEC);
    const bool mine = older < 0 || lock(older, LOCK_SH);
    if (older >= 0)
        close(older);
    if (!mine)
        return busy(out);
    return access(out->path, W_OK) ? fail(out, DFL_INVALID) : DFL_OK;
}

/* A part that a killed run has left is used again; that of another run is locked. */
static dfl_status open_part(dfl_new_file *out, mode_t mode)
{
    struct stat info;
    strcat(out->written, ".part");
    out->file = open(out->written, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode & 0777);
    if (out->file < 0)
        return fail(out, DFL_INVALID);
    if (!lock(out->file, LOCK_EX) || !is_at(out->written, out->file)) {
        close(out->file);
        out->file = -1;
        return busy(out);
    }
    out->part = true;
    out->leftover = dfl_leftover_path(out->ctx, out->written);
    const bool foreign =
        fstat(out->file, &info) || !S_ISREG(info.st_mode) || info.st_uid != geteuid();
    if (foreign)
        errno = EPERM;
    if (foreign || ftruncate(out->file, 0) || (out->replaces && fchmod(out->file, mode & 0777)))
        return fail(out, DFL_INVALID);
    return DFL_OK;
}

/* Whether a path still names an open file. */
static bool is_at(const char *path, int file)
{
    struct stat here, there;
    return lstat(path, &here) == 0 && fstat(file, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* False only if someone else holds the lock: some file systems have none. */
static bool lock(int file, int how)
{
    return flock(file, how | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static dfl_status busy(const dfl_new_file *file)
{
    return dfl_fail(file->ctx, DFL_INVALID,
                    "'%s' is being written already, by another run or under another name; wait for "
                    "its end or choose another file",
                    file->path);
}

static dfl_status fail(const dfl_new_file *file, dfl_status status)
{
    const char *quote = file->path ? "'" : "";
    return dfl_fail(file->ctx, status, "%s%s%s cannot be written: %s", quote,
                    file->path ? file->path : "standard output", quote,
                    errno ? strerror(errno) : "the disk may be full");
}

/* The reader of a pipe may make us wait; what a pipe takes at once is not cut off by a signal. */
dfl_status dfl_new_file_write(dfl_new_file *file, const char *bytes, size_t count)
{
    struct stat info;
    const bool regular = fstat(file->file, &info) == 0 && S_ISREG(info.st_mode);
    while (count > 0) {
        struct pollfd ready = {.fd = file->file, .events = POLLOUT};
        const bool waits = !regular && poll(&ready, 1, PATIENCE) <= 0;
        if (waits && dfl_interrupted(file->ctx))
            return dfl_fail(file->ctx, DFL_STOPPED, "interrupted while writing");
        if (waits)
            continue;
        errno = 0;
        const size_t piece = !regular && count > PIPE_BUF ? PIPE_BUF : count;
        const ssize_t written = write(file->file, bytes, piece);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (errno == EPIPE) {
            return dfl_fail(file->ctx, DFL_STOPPED, "the reader of the results has gone");
        } else if (errno != EINTR && errno != EAGAIN) {
            return fail(file, DFL_IO);
        }
    }
    return DFL_OK;
}

/* What replaces another file is on the disk before. */
dfl_status dfl_new_file_keep(dfl_new_file *file, const char *path)
{
    dfl_status status = DFL_OK;
    errno = 0;
    const char *place = path ? path : file->path;
    if ((file->replaces && fsync(file->file)) ||
        (file->path && strcmp(place, file->written) != 0 && rename(file->written, place)))
        status = fail(file, DFL_IO);
    if (status) {
        dfl_new_file_discard(file);
        return status;
    }
    dfl_leftover_drop(file->ctx, file->leftover);
    if (file->file >= 0 && close(file->file) && errno != EINTR)
        status = fail(file, DFL_IO);
    file->file = -1;
    release(file);
    return status;
}

void dfl_new_file_discard(dfl_new_file *file)
{
    struct stat info;
    if (file->path && file->file >= 0 && fstat(file->file, &info) == 0 && S_ISREG(info.st_mode))
        unlink(file->written);
    dfl_new_file_leave(file);
}

void dfl_new_file_leave(dfl_new_file *file)
{
    dfl_leftover_drop(file->ctx, file->leftover);
    if (file->file >= 0)
        close(file->file);
    file->file = -1;
    release(file);
}

static void release(dfl_new_file *file)
{
    dfl_free(file->ctx, file->written);
    dfl_free(file->ctx, file->path);
    *file = (dfl_new_file){.ctx = file->ctx, .file = -1, .leftover = -1};
}

dfl_status dfl_write_file(dfl_context *ctx, const char *path, const char *bytes, size_t count)
{
    dfl_new_file file;
    dfl_status status = dfl_new_file_open(&file, ctx, path, true);
    if (!status)
        status = dfl_new_file_write(&file, bytes, count);
    if (!status)
        return dfl_new_file_keep(&file, NULL);
    dfl_new_file_discard(&file);
    return status;
}
