/* case_file.c: cases go to their places in a file that is complete from the beginning. */
#define _POSIX_C_SOURCE 200809L
#include "result/case_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const dfl_case_state_names[DFL_CASE_STATES] = {"missing", "completed", "stopped",
                                                           "failed"};

static dfl_status put_into_place(dfl_case_file *file, const char *path, dfl_case_values_fn values,
                                 void *user);
static bool write_parameters(dfl_case_file *file, dfl_case_values_fn values, void *user);
static dfl_status open_descriptor(dfl_case_file *file, const char *path, bool write);
static bool lock(const dfl_case_file *file);
static bool is_at(const char *path, int file);
static bool put(const dfl_case_file *file, case_table table, long number, const void *data,
                size_t bytes);
static bool get(const dfl_case_file *file, case_table table, long number, void *data);
static uint64_t checksum(uint64_t sum, const void *data, size_t bytes);
static uint64_t check_of(const dfl_case_file *file, long number, dfl_case_state state,
                         const double *numbers, const char *message);

/* ------------------------------------------------------------------------------- layout */

size_t dfl_case_events_at(const dfl_case_layout *layout)
{
    return (size_t)layout->list[DFL_CASE_RESULTS].count;
}

size_t dfl_case_series_at(const dfl_case_layout *layout)
{
    const bool events = layout->list[DFL_CASE_EVENT_NAMES].count > 0;
    return dfl_case_events_at(layout) + (events ? DFL_CASE_EVENTS * DFL_CASE_EVENT : 0);
}

size_t dfl_case_numbers(const dfl_case_layout *layout)
{
    return dfl_case_series_at(layout) +
           (size_t)layout->rows * (size_t)layout->list[DFL_CASE_SERIES].count;
}

void dfl_case_measure(dfl_case_file *file)
{
    const dfl_case_layout *layout = &file->layout;
    const size_t events = dfl_case_events_at(layout), series = dfl_case_series_at(layout);
    const size_t counts[CASE_TABLES] = {[TABLE_PARAMETERS] =
                                            (size_t)layout->list[DFL_CASE_PARAMETERS].count,
                                        [TABLE_RESULTS] = events,
                                        [TABLE_EVENTS] = series - events,
                                        [TABLE_SERIES] = dfl_case_numbers(layout) - series};
    for (case_table table = 0; table < CASE_TABLES; table++)
        file->bytes[table] = counts[table] * sizeof(double);
    file->bytes[TABLE_STATES] = 1;
    file->bytes[TABLE_CHECKS] = sizeof(uint64_t);
    file->bytes[TABLE_MESSAGES] = DFL_CASE_MESSAGE;
}

const dfl_case_layout *dfl_case_file_layout(const dfl_case_file *file)
{
    return &file->layout;
}

/* ------------------------------------------------------------------------------- the file */

dfl_status dfl_case_file_claim(dfl_new_file *out, dfl_context *ctx, const char *path)
{
    struct stat there;
    *out = (dfl_new_file){.ctx = ctx, .file = -1, .leftover = -1};
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return dfl_fail(ctx, DFL_INVALID, "'%s' is not a regular file; a study needs one", path);
    return dfl_new_file_open(out, ctx, path, true);
}

dfl_status dfl_case_file_create(dfl_case_file **out, dfl_context *ctx, const char *path,
                                const dfl_case_layout *layout, dfl_case_values_fn values,
                                void *user)
{
    *out = NULL;
    if (dfl_hdf5_start(ctx))
        return DFL_NO_MEMORY;
    dfl_case_file *file = dfl_alloc(ctx, 1, sizeof *file);
    if (!file)
        return DFL_NO_MEMORY;
    *file = (dfl_case_file){.ctx = ctx, .layout = *layout, .fresh = true, .file = -1};
    dfl_case_measure(file);
    const dfl_status status = put_into_place(file, path, values, user);
    if (status)
        dfl_case_file_close(file);
    else
        *out = file;
    return status;
}

/* FILE.tables becomes FILE once it has all tables. */
static dfl_status put_into_place(dfl_case_file *file, const char *path, dfl_case_values_fn values,
                                 void *user)
{
    dfl_context *ctx = file->ctx;
    dfl_text part = {.ctx = ctx};
    char reason[DFL_H5_REASON] = "";
    dfl_text_add(&part, "%s.tables", path);
    dfl_status status = part.status;
    const int leftover = status ? -1 : dfl_leftover_path(ctx, dfl_text_string(&part));
    if (!status && !dfl_case_tables_create(file, dfl_text_string(&part), reason))
        status = dfl_fail(ctx, DFL_INVALID, "'%s' cannot be written: %s", path,
                          reason[0] ? reason : "no memory");
    if (!status)
        status = open_descriptor(file, dfl_text_string(&part), true);
    if (!status && !write_parameters(file, values, user))
        status = dfl_fail(ctx, DFL_IO, "'%s' cannot be written: %s", path, strerror(errno));
    if (!status && rename(dfl_text_string(&part), path))
        status = dfl_fail(ctx, DFL_INVALID, "'%s' cannot be written: %s", path, strerror(errno));
    if (status)
        unlink(dfl_text_string(&part));
    dfl_leftover_drop(ctx, leftover);
    dfl_text_clear(&part);
    return status;
}

static bool write_parameters(dfl_case_file *file, dfl_case_values_fn values, void *user)
{
    enum { BLOCK = 1024 };
    const size_t bytes = file->bytes[TABLE_PARAMETERS], columns = bytes / sizeof(double);
    double *block = dfl_alloc(file->ctx, BLOCK * columns, sizeof *block);
    bool done = block != NULL;
    for (long first = 0; done && first < file->layout.cases; first += BLOCK) {
        const long left = file->layout.cases - first, count = left < BLOCK ? left : BLOCK;
        for (long i = 0; i < count; i++)
            values(block + (size_t)i * columns, first + i, user);
        done = put(file, TABLE_PARAMETERS, first, block, (size_t)count * bytes);
    }
    dfl_free(file->ctx, block);
    return done;
}

dfl_status dfl_case_file_open(dfl_case_file **out, dfl_context *ctx, const char *path, bool write)
{
    char reason[DFL_H5_REASON] = "";
    *out = NULL;
    if (access(path, R_OK))
        return dfl_fail(ctx, DFL_INVALID, "'%s' cannot be read: %s", path, strerror(errno));
    if (dfl_hdf5_start(ctx))
        return DFL_NO_MEMORY;
    dfl_case_file *file = dfl_alloc(ctx, 1, sizeof *file);
    if (!file)
        return DFL_NO_MEMORY;
    *file = (dfl_case_file){.ctx = ctx, .file = -1};
    dfl_status status = DFL_OK;
    if (!dfl_case_tables_open(file, path, reason))
        status = dfl_fail(ctx, DFL_INVALID,
                          "'%s' is not the file of a study; make one with: driftless sweep "
                          "MODEL.lua --over NAME=FIRST:LAST:COUNT --output FILE.h5",
                          path);
    if (!status)
        status = open_descriptor(file, path, write);
    if (status)
        dfl_case_file_close(file);
    else
        *out = file;
    return status;
}

bool dfl_is_case_file(dfl_context *ctx, const char *path)
{
    char reason[DFL_H5_REASON] = "";
    dfl_case_file file = {.ctx = ctx, .file = -1};
    if (access(path, R_OK) || dfl_hdf5_start(ctx))
        return false;
    const bool is = dfl_case_tables_open(&file, path, reason);
    for (int i = 0; i < DFL_CASE_LISTS; i++)
        dfl_free(ctx, file.owned[i]);
    for (int i = 0; i < DFL_CASE_TEXTS; i++)
        dfl_free(ctx, file.owned_text[i]);
    return is;
}

/* Who writes has a lock, on a file that is still in its place. */
static dfl_status open_descriptor(dfl_case_file *file, const char *path, bool write)
{
    file->file = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (file->file < 0)
        return dfl_fail(file->ctx, DFL_INVALID, "'%s' cannot be %s: %s", path,
                        write ? "written" : "read", strerror(errno));
    if (write && (!lock(file) || !is_at(path, file->file)))
        return dfl_fail(file->ctx, DFL_INVALID, "'%s' is being written by another process", path);
    return DFL_OK;
}

/* Far behind the end, where readers do not meet it. False only if someone else holds it: some file
   systems have no locks. */
static bool lock(const dfl_case_file *file)
{
    struct flock place = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 60, .l_len = 1};
    return fcntl(file->file, F_SETLK, &place) == 0 || (errno != EACCES && errno != EAGAIN);
}

/* Whether a path still names an open file. */
static bool is_at(const char *path, int file)
{
    struct stat here, there;
    return stat(path, &here) == 0 && fstat(file, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

void dfl_case_file_close(dfl_case_file *file)
{
    if (!file)
        return;
    if (file->file >= 0)
        close(file->file);
    for (int i = 0; i < DFL_CASE_LISTS; i++)
        dfl_free(file->ctx, file->owned[i]);
    for (int i = 0; i < DFL_CASE_TEXTS; i++)
        dfl_free(file->ctx, file->owned_text[i]);
    dfl_free(file->ctx, file);
}

void dfl_case_file_sync(dfl_case_file *file)
{
    fdatasync(file->file);
}

/* ------------------------------------------------------------------------------- cases */

/* One that was left by a case that was not written completely. */
static bool has_message(const dfl_case_file *file, long number)
{
    char text[DFL_CASE_MESSAGE] = "";
    return !file->fresh && get(file, TABLE_MESSAGES, number, text) && text[0];
}

bool dfl_case_file_put(dfl_case_file *file, long number, dfl_case_state state,
                       const double *numbers, const char *message)
{
    const dfl_case_layout *layout = &file->layout;
    char padded[DFL_CASE_MESSAGE] = "";
    snprintf(padded, sizeof padded, "%s", message);
    const unsigned char byte = (unsigned char)state;
    const uint64_t check = check_of(file, number, state, numbers, padded);
    return put(file, TABLE_RESULTS, number, numbers, file->bytes[TABLE_RESULTS]) &&
           put(file, TABLE_EVENTS, number, numbers + dfl_case_events_at(layout),
               file->bytes[TABLE_EVENTS]) &&
           put(file, TABLE_SERIES, number, numbers + dfl_case_series_at(layout),
               file->bytes[TABLE_SERIES]) &&
           ((!padded[0] && !has_message(file, number)) ||
            put(file, TABLE_MESSAGES, number, padded, sizeof padded)) &&
           put(file, TABLE_CHECKS, number, &check, sizeof check) &&
           put(file, TABLE_STATES, number, &byte, 1); /* the last one: the case is there */
}

dfl_case_state dfl_case_file_get(const dfl_case_file *file, long number, double *numbers,
                                 char *message)
{
    const dfl_case_layout *layout = &file->layout;
    unsigned char state = 0;
    uint64_t check = 0;
    char text[DFL_CASE_MESSAGE] = "";
    if (!get(file, TABLE_STATES, number, &state) || state >= DFL_CASE_STATES)
        return DFL_CASE_MISSING;
    if ((numbers || message) && state != DFL_CASE_MISSING &&
        !get(file, TABLE_MESSAGES, number, text))
        return DFL_CASE_MISSING;
    text[DFL_CASE_MESSAGE - 1] = 0;
    if (message)
        memcpy(message, text, sizeof text);
    if (!numbers || state == DFL_CASE_MISSING)
        return state;
    const bool read = get(file, TABLE_RESULTS, number, numbers) &&
                      get(file, TABLE_EVENTS, number, numbers + dfl_case_events_at(layout)) &&
                      get(file, TABLE_SERIES, number, numbers + dfl_case_series_at(layout)) &&
                      get(file, TABLE_CHECKS, number, &check);
    return read && check == check_of(file, number, state, numbers, text) ? state : DFL_CASE_MISSING;
}

bool dfl_case_file_parameters(double *values, const dfl_case_file *file, long number)
{
    return get(file, TABLE_PARAMETERS, number, values);
}

bool dfl_case_file_results(double *values, const dfl_case_file *file, long number)
{
    return get(file, TABLE_RESULTS, number, values);
}

static bool put(const dfl_case_file *file, case_table table, long number, const void *data,
                size_t bytes)
{
    const char *from = data;
    off_t place = file->begin[table] + (off_t)number * (off_t)file->bytes[table];
    while (bytes > 0) {
        const ssize_t written = pwrite(file->file, from, bytes, place);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        place += written;
        bytes -= (size_t)written;
    }
    return true;
}

static bool get(const dfl_case_file *file, case_table table, long number, void *data)
{
    size_t bytes = file->bytes[table];
    char *to = data;
    off_t place = file->begin[table] + (off_t)number * (off_t)bytes;
    while (bytes > 0) {
        const ssize_t count = pread(file->file, to, bytes, place);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        to += count;
        place += count;
        bytes -= (size_t)count;
    }
    return true;
}

/* FNV-1a, eight bytes at a time where there are as many. */
static uint64_t checksum(uint64_t sum, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    for (; bytes >= 8; bytes -= 8, from += 8) {
        uint64_t word;
        memcpy(&word, from, 8);
        sum = (sum ^ word) * 0x100000001b3ULL;
        sum ^= sum >> 32;
    }
    for (; bytes > 0; bytes--)
        sum = (sum ^ *from++) * 0x100000001b3ULL;
    return sum;
}

static uint64_t check_of(const dfl_case_file *file, long number, dfl_case_state state,
                         const double *numbers, const char *message)
{
    const uint64_t about[2] = {(uint64_t)number, (uint64_t)state};
    uint64_t sum = checksum(0xcbf29ce484222325ULL, about, sizeof about);
    sum = checksum(sum, numbers, dfl_case_numbers(&file->layout) * sizeof *numbers);
    return checksum(sum, message, strlen(message));
}
