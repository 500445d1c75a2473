/* hdf5.c: a result as an HDF5 file.

       /time          N
       /state         N x n    attributes `names`, `units` (empty where unknown)
       /outputs       N x m    attributes `names`, `units`
       /steps         time, size, order, rejections, energy of every accepted step
       /rows          energy, residuals (rows x 8) of every row of /time
       /residuals     steps x 8, attribute `names`: NAN where there is no such level
       /events        time, event (its number in /meta/names/events), direction
       /switches      time, kind, name (numbers in /meta/names), state, energy_change
       /impulses      switch (its row in /switches), name (a number in /meta/names/impulses), value
       /initial       given, corrected, held
       /scene         shapes (JSON), values (N x columns that change), if the model draws any
       /meta          what was run, and how it ended

   A run may be killed at any time and its file must open. So the structure of the growing tables
   (metadata) reaches the disk only in H5Fflush, about once a second, and before a flush the file
   gets its full length, so that the flush itself cannot run out of space.

   After a failure the file stays as the last flush left it: closing it through HDF5 would write a
   structure that refers to missing data. The format is HDF5 1.8, which has no "open for writing"
   mark that would keep readers out after a kill. */
#define _POSIX_C_SOURCE 200809L
#include "result/hdf5_internal.h"
#include "result/result_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { TIME, STATE, OUTPUTS, RESIDUALS, ROW_RESIDUALS, ROW_ENERGY, SCENE, STEPS, STEP_VECTORS = 5 };
enum { EVENTS = STEPS + STEP_VECTORS };
enum { EVENT_VECTORS = 3, SWITCHES = EVENTS + EVENT_VECTORS };
enum { SWITCH_VECTORS = 5, IMPULSES = SWITCHES + SWITCH_VECTORS };
enum { IMPULSE_VECTORS = 3, ALL_SERIES = IMPULSES + IMPULSE_VECTORS };

typedef struct hdf5_file {
    hid_t file, meta;
    dfl_series series[ALL_SERIES];
    long nswitches;             /* rows of /switches */
    haddr_t reserved;           /* the file has this length */
    char reason[DFL_H5_REASON]; /* the first error, or "" */
    H5E_auto2_t print;          /* HDF5's own error printer while ours is in place */
    void *print_user;
} hdf5_file;

static dfl_status open_hdf5(dfl_writer *writer);
static dfl_status write_start(dfl_writer *writer);
static dfl_status write_row(dfl_writer *writer);
static dfl_status write_step(dfl_writer *writer, const dfl_step_record *step);
static dfl_status write_event(dfl_writer *writer, const dfl_event_record *event);
static dfl_status write_switch(dfl_writer *writer, const dfl_switch_record *happened);
static dfl_status close_hdf5(dfl_writer *writer, bool finished);
static hdf5_file *enter(dfl_writer *writer);
static dfl_status leave(dfl_writer *writer, bool done);
static hid_t create_file(const dfl_new_file *out);
static bool create_tables(dfl_writer *writer);
static bool create_rows(dfl_writer *writer);
static bool create_scene(dfl_writer *writer);
static bool create_vectors(dfl_series *vectors, dfl_writer *writer, const char *group,
                           const char *const *names, int count, unsigned integers);
static bool add_numbers(dfl_series *vectors, const double *numbers, int count);
static bool flush_if_due(dfl_writer *writer);
static bool flush(hdf5_file *h5);
static bool reserve(hdf5_file *h5);
static bool close_file(dfl_writer *writer);

const dfl_file_kind dfl_hdf5_kind = {.open = open_hdf5,
                                     .start = write_start,
                                     .row = write_row,
                                     .step = write_step,
                                     .event = write_event,
                                     .happened = write_switch,
                                     .close = close_hdf5,
                                     .scene = true};

dfl_status dfl_hdf5_start(dfl_context *ctx)
{
    H5dont_atexit();
    return H5open() < 0 ? dfl_fail(ctx, DFL_NO_MEMORY,
                                   "the HDF5 library cannot be started; there may be no memory")
                        : DFL_OK;
}

static dfl_status open_hdf5(dfl_writer *writer)
{
    struct stat there;
    if (stat(writer->path, &there) == 0 && !S_ISREG(there.st_mode))
        return dfl_fail(writer->ctx, DFL_INVALID,
                        "'%s' is no regular file: HDF5 cannot be written there; pipes take CSV",
                        writer->path);
    if (dfl_hdf5_start(writer->ctx))
        return DFL_NO_MEMORY;
    const dfl_status begun = dfl_writer_begin(writer, false);
    if (begun)
        return begun;
    writer->file = dfl_alloc(writer->ctx, 1, sizeof(hdf5_file));
    if (!writer->file)
        return DFL_NO_MEMORY;
    hdf5_file *h5 = enter(writer);
    h5->file = create_file(&writer->out);
    const bool done = h5->file >= 0 && create_tables(writer) &&
                      dfl_h5_describe_run(writer, h5->meta) && flush(h5);
    if (!done)
        close_file(writer);
    const dfl_status status = leave(writer, done);
    const bool created = h5->file >= 0;
    if (status)
        dfl_free(writer->ctx, h5);
    return status == DFL_IO && !created ? DFL_INVALID : status;
}

static dfl_status write_start(dfl_writer *writer)
{
    hdf5_file *h5 = enter(writer);
    const dfl_description *about = writer->about;
    const hid_t group = H5Gopen2(h5->file, "initial", H5P_DEFAULT);
    const bool done = group >= 0 && dfl_h5_numbers(group, "given", about->given, about->n) &&
                      dfl_h5_numbers(group, "corrected", about->corrected, about->n) &&
                      dfl_h5_flags(group, "held", about->held, about->n) &&
                      dfl_h5_describe_switches(writer, h5->meta) && flush(h5);
    H5Gclose(group);
    return leave(writer, done);
}

static dfl_status write_row(dfl_writer *writer)
{
    hdf5_file *h5 = enter(writer);
    const double *row = writer->row;
    return leave(writer,
                 dfl_series_add(&h5->series[TIME], row) &&
                     dfl_series_add(&h5->series[STATE], row + 1) &&
                     dfl_series_add(&h5->series[OUTPUTS], row + 1 + writer->about->n) &&
                     dfl_series_add(&h5->series[ROW_ENERGY], writer->check) &&
                     dfl_series_add(&h5->series[ROW_RESIDUALS], writer->check + 1) &&
                     (!writer->about->scene || dfl_series_add(&h5->series[SCENE], writer->frame)) &&
                     flush_if_due(writer));
}

static dfl_status write_step(dfl_writer *writer, const dfl_step_record *step)
{
    hdf5_file *h5 = enter(writer);
    const double numbers[STEP_VECTORS] = {step->time, step->size, step->order,
                                          (double)step->rejections, step->energy};
    return leave(writer, add_numbers(&h5->series[STEPS], numbers, STEP_VECTORS) &&
                             dfl_series_add(&h5->series[RESIDUALS], step->residual) &&
                             flush_if_due(writer));
}

static dfl_status write_event(dfl_writer *writer, const dfl_event_record *event)
{
    hdf5_file *h5 = enter(writer);
    const double numbers[EVENT_VECTORS] = {event->time, event->event, event->direction};
    return leave(writer,
                 add_numbers(&h5->series[EVENTS], numbers, EVENT_VECTORS) && flush_if_due(writer));
}

static dfl_status write_switch(dfl_writer *writer, const dfl_switch_record *happened)
{
    hdf5_file *h5 = writer->file;
    const double numbers[SWITCH_VECTORS] = {happened->time, happened->kind, happened->name,
                                            happened->state, happened->energy_change};
    enter(writer);
    bool done = add_numbers(&h5->series[SWITCHES], numbers, SWITCH_VECTORS);
    for (int i = 0; done && i < happened->nimpulses; i++) {
        const double impulse[IMPULSE_VECTORS] = {(double)h5->nswitches, happened->impulses[i].name,
                                                 happened->impulses[i].value};
        done = add_numbers(&h5->series[IMPULSES], impulse, IMPULSE_VECTORS);
    }
    h5->nswitches++;
    return leave(writer, done && flush_if_due(writer));
}

static dfl_status close_hdf5(dfl_writer *writer, bool finished)
{
    hdf5_file *h5 = enter(writer);
    bool done =
        !writer->status && (!finished || dfl_h5_describe_end(writer, h5->meta)) && flush(h5);
    done = close_file(writer) && done;
    const dfl_status status = leave(writer, done);
    dfl_free(writer->ctx, h5);
    return status;
}

/* From here to `leave`, HDF5's errors are recorded and not printed. */
static hdf5_file *enter(dfl_writer *writer)
{
    hdf5_file *h5 = writer->file;
    H5Eget_auto2(H5E_DEFAULT, &h5->print, &h5->print_user);
    H5Eset_auto2(H5E_DEFAULT, dfl_h5_record, h5->reason);
    return h5;
}

/* Without a recorded reason, memory ran out and the context has the message. */
static dfl_status leave(dfl_writer *writer, bool done)
{
    const hdf5_file *h5 = writer->file;
    H5Eset_auto2(H5E_DEFAULT, h5->print, h5->print_user);
    if (done)
        return DFL_OK;
    return h5->reason[0] ? dfl_fail(writer->ctx, DFL_IO, "'%s' cannot be written: %s", writer->path,
                                    h5->reason)
                         : DFL_NO_MEMORY;
}

/* The file is there and locked, so that HDF5 need not lock it; it would find our lock in its way.
   Where it cannot be told so, or is told to lock by the user, it gets the lock. */
static hid_t create_file(const dfl_new_file *out)
{
    const char *locking = getenv("HDF5_USE_FILE_LOCKING");
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true);
    const bool locks = locking && (*locking == 'T' || *locking == '1' || *locking == 'B');
#else
    const bool locks = !locking || *locking != 'F';
#endif
    if (locks)
        flock(out->file, LOCK_UN);
    const hid_t file = H5Fcreate(out->written, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

static bool create_tables(dfl_writer *writer)
{
    static const char *const step_names[] = {"time", "size", "order", "rejections", "energy"};
    static const char *const event_names[] = {"time", "event", "direction"};
    static const char *const switch_names[] = {"time", "kind", "name", "state", "energy_change"};
    static const char *const impulse_names[] = {"switch", "name", "value"};
    hdf5_file *h5 = writer->file;
    dfl_series *series = h5->series;
    dfl_context *ctx = writer->ctx;
    const dfl_description *about = writer->about;
    const hid_t initial = dfl_h5_group(h5->file, "initial");
    h5->meta = dfl_h5_group(h5->file, "meta");
    H5Gclose(initial);
    return create_scene(writer) && initial >= 0 && h5->meta >= 0 &&
           dfl_series_vector(&series[TIME], ctx, h5->file, "time", false) &&
           dfl_series_matrix(&series[STATE], ctx, h5->file, "state", about->names, about->n) &&
           dfl_series_matrix(&series[OUTPUTS], ctx, h5->file, "outputs", about->names + about->n,
                             about->m) &&
           dfl_h5_names(series[STATE].data, "units", about->units, about->n) &&
           dfl_h5_names(series[OUTPUTS].data, "units", about->units + about->n, about->m) &&
           dfl_series_matrix(&series[RESIDUALS], ctx, h5->file, "residuals", dfl_level_names,
                             DFL_LEVELS) &&
           create_rows(writer) &&
           create_vectors(&series[STEPS], writer, "steps", step_names, STEP_VECTORS,
                          1U << 2 | 1U << 3) &&
           create_vectors(&series[EVENTS], writer, "events", event_names, EVENT_VECTORS,
                          1U << 1 | 1U << 2) &&
           create_vectors(&series[SWITCHES], writer, "switches", switch_names, SWITCH_VECTORS,
                          1U << 1 | 1U << 2 | 1U << 3) &&
           create_vectors(&series[IMPULSES], writer, "impulses", impulse_names, IMPULSE_VECTORS,
                          1U << 0 | 1U << 1);
}

/* The energy and the residuals of every row. */
static bool create_rows(dfl_writer *writer)
{
    hdf5_file *h5 = writer->file;
    const hid_t id = dfl_h5_group(h5->file, "rows");
    const bool done =
        id >= 0 && dfl_series_vector(&h5->series[ROW_ENERGY], writer->ctx, id, "energy", false) &&
        dfl_series_matrix(&h5->series[ROW_RESIDUALS], writer->ctx, id, "residuals", dfl_level_names,
                          DFL_LEVELS);
    H5Gclose(id);
    return done;
}

/* A group of vectors; bits of `integers` mark vectors of integers. */
static bool create_vectors(dfl_series *vectors, dfl_writer *writer, const char *group,
                           const char *const *names, int count, unsigned integers)
{
    const hdf5_file *h5 = writer->file;
    const hid_t id = dfl_h5_group(h5->file, group);
    bool done = id >= 0;
    for (int i = 0; done && i < count; i++)
        done = dfl_series_vector(&vectors[i], writer->ctx, id, names[i], integers >> i & 1);
    H5Gclose(id);
    return done;
}

/* The shapes as text, and a table of their numbers; `names` has the shape of every column. */
static bool create_scene(dfl_writer *writer)
{
    hdf5_file *h5 = writer->file;
    const dfl_description *about = writer->about;
    const hid_t group = dfl_h5_group(h5->file, "scene");
    bool done = group >= 0;
    if (done && about->scene)
        done = dfl_h5_text(group, "shapes", about->scene) &&
               dfl_series_matrix(&h5->series[SCENE], writer->ctx, group, "values",
                                 about->scene_names, about->nscene);
    H5Gclose(group);
    return done;
}

/* Adds one number to each vector. */
static bool add_numbers(dfl_series *vectors, const double *numbers, int count)
{
    bool done = true;
    for (int i = 0; done && i < count; i++)
        done = dfl_series_add(&vectors[i], &numbers[i]);
    return done;
}

static bool flush_if_due(dfl_writer *writer)
{
    return !dfl_writer_due(writer) || flush(writer->file);
}

/* Writes everything to the disk, so that the file is complete up to here. */
static bool flush(hdf5_file *h5)
{
    bool done = true;
    for (int i = 0; done && i < ALL_SERIES; i++)
        done = dfl_series_write(&h5->series[i]);
    done = done && reserve(h5);
    if (!done || H5Fflush(h5->file, H5F_SCOPE_GLOBAL) >= 0)
        return done;
    reserve(h5); /* what was flushed may refer to room that the flush itself has taken */
    return false;
}

/* Gives the file the length that its structure will refer to, on the disk. */
static bool reserve(hdf5_file *h5)
{
    haddr_t end;
    void *handle;
    if (H5Fget_eoa(h5->file, &end) < 0 || H5Fget_vfd_handle(h5->file, H5P_DEFAULT, &handle) < 0)
        return false;
    const int error = end > h5->reserved ? posix_fallocate(*(int *)handle, (off_t)h5->reserved,
                                                           (off_t)(end - h5->reserved))
                                         : 0;
    if (error)
        snprintf(h5->reason, sizeof h5->reason, "%s", strerror(error));
    else if (end > h5->reserved)
        h5->reserved = end;
    return !error;
}

/* Closes the file and frees the rest; after an error the file is given up: see the top. */
static bool close_file(dfl_writer *writer)
{
    hdf5_file *h5 = writer->file;
    const bool sound = !h5->reason[0];
    for (int i = 0; i < ALL_SERIES; i++)
        dfl_series_clear(&h5->series[i], writer->ctx, sound);
    if (sound && h5->meta > 0)
        H5Gclose(h5->meta);
    return sound && H5Fclose(h5->file) >= 0;
}
