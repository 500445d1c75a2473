/* report_stored.c: a report of a result that was stored as HDF5.

   Everything is read that the layout of hdf5.c has; what is missing (results of older versions, or of
   runs that were killed) is left out. Tables are read in blocks. */
#include "report/report_stored.h"

#include "report/hdf5_read.h"
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 512 };

typedef struct stored {
    dfl_context *ctx;
    hid_t file;
    dfl_status status; /* of memory, kept while everything is described */
    dfl_report report;
    char *title;
    char **names, **kinds, **units; /* n + m, nkinds, nunits */
    int n, m, nkinds, nunits;
    int scene; /* columns of /scene/values */
} stored;

static dfl_status open_stored(stored *s, const char *from);
static dfl_status read_columns(stored *s);
static dfl_status guess_kinds(stored *s);
static int width_of(stored *s, const char *path);
static void close_stored(stored *s);
static void describe(stored *s);
static void describe_texts(stored *s);
static void describe_options(stored *s);
static void describe_parameters(stored *s);
static void describe_events(stored *s);
static void describe_initial(stored *s);
static void describe_statistics(stored *s);
static dfl_status read_tables(stored *s, dfl_thin *into, const char *const *paths, int count);
static dfl_status read_rows(stored *s);
static dfl_status read_steps(stored *s);
static dfl_status read_events(stored *s);
static dfl_status read_scene(stored *s);
static dfl_status not_a_result(dfl_context *ctx, const char *from);
static dfl_status write_report(stored *s, const char *to, const char *columns);

dfl_status dfl_report_stored(dfl_context *ctx, const char *from, const char *to,
                             const char *columns)
{
    stored s = {.ctx = ctx, .file = -1};
    dfl_h5_quiet quiet;
    H5dont_atexit(); /* of a damaged file HDF5 cannot close everything, and would say so at the end */
    dfl_h5_silence(&quiet);
    dfl_status status = open_stored(&s, from);
    if (!status)
        status = read_columns(&s);
    if (status == DFL_INVALID)
        status = not_a_result(ctx, from);
    if (!status)
        s.scene = width_of(&s, "scene/values");
    if (!status)
        status = dfl_report_create(&s.report, ctx, s.title, s.n, s.m, s.scene);
    if (!status) {
        s.report.names = (const char *const *)s.names;
        s.report.kinds = (const char *const *)s.kinds;
        if (s.nunits == s.n + s.m)
            s.report.units = (const char *const *)s.units;
        describe(&s);
        status = s.status;
    }
    if (!status)
        status = read_rows(&s);
    if (!status)
        status = read_steps(&s);
    if (!status)
        status = read_events(&s);
    if (!status)
        status = read_scene(&s);
    if (!status)
        status = write_report(&s, to, columns);
    close_stored(&s);
    dfl_h5_speak(&quiet);
    return status;
}

static dfl_status open_stored(stored *s, const char *from)
{
    s->file = H5Fopen(from, H5F_ACC_RDONLY, H5P_DEFAULT);
    return s->file < 0 ? DFL_INVALID : DFL_OK;
}

static dfl_status not_a_result(dfl_context *ctx, const char *from)
{
    errno = 0;
    FILE *file = fopen(from, "rb");
    if (!file)
        return dfl_fail(ctx, DFL_INVALID, "'%s' cannot be read: %s", from, strerror(errno));
    fclose(file);
    return dfl_fail(ctx, DFL_INVALID,
                    "'%s' is not a result of driftless; make one with: driftless run MODEL.lua "
                    "--output FILE.h5",
                    from);
}

/* The names of states and outputs in one list, and the kinds of the states. */
static dfl_status read_columns(stored *s)
{
    char **outputs = dfl_h5_get_texts(&s->m, &s->status, s->ctx, s->file, "meta/names/outputs");
    s->names = dfl_h5_get_texts(&s->n, &s->status, s->ctx, s->file, "meta/names/state");
    s->kinds = dfl_h5_get_texts(&s->nkinds, &s->status, s->ctx, s->file, "meta/names/kinds");
    s->units = dfl_h5_get_texts(&s->nunits, &s->status, s->ctx, s->file, "meta/names/units");
    s->title = dfl_h5_get_text(&s->status, s->ctx, s->file, "meta/model");
    char **all = dfl_alloc(s->ctx, (size_t)(s->n + s->m) + 1, sizeof *all);
    if (!all)
        s->status = DFL_NO_MEMORY;
    if (s->status || !s->names || s->n == 0 || !s->title) {
        dfl_free(s->ctx, all);
        dfl_h5_free_texts(outputs, s->m, s->ctx);
        s->m = 0;
        return s->status ? s->status : DFL_INVALID;
    }
    memcpy(all, s->names, (size_t)s->n * sizeof *all);
    if (outputs)
        memcpy(all + s->n, outputs, (size_t)s->m * sizeof *all);
    dfl_free(s->ctx, s->names);
    dfl_free(s->ctx, outputs);
    s->names = all;
    return s->nkinds == s->n ? DFL_OK : guess_kinds(s);
}

/* For results that do not have them. */
static dfl_status guess_kinds(stored *s)
{
    dfl_h5_free_texts(s->kinds, s->nkinds, s->ctx);
    s->nkinds = s->n;
    s->kinds = dfl_alloc(s->ctx, (size_t)s->n, sizeof *s->kinds);
    for (int i = 0; s->kinds && i < s->n; i++) {
        const char *kind = !strncmp(s->names[i], "der(", 4) ? "velocity"
                           : strchr(s->names[i], '(')       ? "multiplier"
                                                            : "position";
        s->kinds[i] = dfl_copy_string(s->ctx, kind);
        if (!s->kinds[i])
            return DFL_NO_MEMORY;
    }
    return s->kinds ? DFL_OK : DFL_NO_MEMORY;
}

static int width_of(stored *s, const char *path)
{
    dfl_h5_table table = dfl_h5_open_table(s->file, path);
    const int columns = table.columns;
    dfl_h5_close_table(&table);
    return columns;
}

static void close_stored(stored *s)
{
    dfl_report_clear(&s->report);
    dfl_h5_free_texts(s->names, s->n + s->m, s->ctx);
    dfl_h5_free_texts(s->kinds, s->nkinds, s->ctx);
    dfl_h5_free_texts(s->units, s->nunits, s->ctx);
    dfl_free(s->ctx, s->title);
    if (s->file >= 0)
        H5Fclose(s->file);
}

static void describe(stored *s)
{
    describe_texts(s);
    describe_options(s);
    describe_parameters(s);
    describe_events(s);
    describe_initial(s);
    describe_statistics(s);
}

static void describe_texts(stored *s)
{
    static const char *const keys[] = {"model", "version", "text", "status", "message", "warnings"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char path[32];
        snprintf(path, sizeof path, "meta/%s", keys[i]);
        char *text = dfl_h5_get_text(&s->status, s->ctx, s->file, path);
        dfl_report_text(&s->report, keys[i], text ? text : "");
        dfl_free(s->ctx, text);
    }
}

/* Texts or numbers. */
static void describe_options(stored *s)
{
    int count;
    char **names = dfl_h5_get_names(&count, &s->status, s->ctx, s->file, "meta/options");
    dfl_report_open(&s->report, "options", '{');
    for (int i = 0; i < count; i++) {
        char path[300];
        snprintf(path, sizeof path, "meta/options/%s", names[i]);
        char *text = dfl_h5_get_text(&s->status, s->ctx, s->file, path);
        if (text)
            dfl_report_text(&s->report, names[i], text);
        else
            dfl_report_number(&s->report, names[i], dfl_h5_get_number(s->file, path));
        dfl_free(s->ctx, text);
    }
    dfl_report_close(&s->report, '}');
    dfl_h5_free_texts(names, count, s->ctx);
}

static void describe_parameters(stored *s)
{
    int count, units, values;
    char **name = dfl_h5_get_texts(&count, &s->status, s->ctx, s->file, "meta/parameters/names");
    char **unit = dfl_h5_get_texts(&units, &s->status, s->ctx, s->file, "meta/parameters/units");
    double *value =
        dfl_h5_get_numbers(&values, &s->status, s->ctx, s->file, "meta/parameters/values");
    dfl_report_open(&s->report, "parameters", '[');
    for (int i = 0; i < count && i < values; i++) {
        dfl_report_open(&s->report, NULL, '[');
        dfl_report_text(&s->report, NULL, name[i]);
        dfl_report_number(&s->report, NULL, value[i]);
        dfl_report_text(&s->report, NULL, i < units ? unit[i] : "");
        dfl_report_close(&s->report, ']');
    }
    dfl_report_close(&s->report, ']');
    dfl_free(s->ctx, value);
    dfl_h5_free_texts(unit, units, s->ctx);
    dfl_h5_free_texts(name, count, s->ctx);
}

static void describe_events(stored *s)
{
    int count;
    char **names = dfl_h5_get_texts(&count, &s->status, s->ctx, s->file, "meta/names/events");
    dfl_report_open(&s->report, "event_names", '[');
    for (int i = 0; i < count; i++)
        dfl_report_text(&s->report, NULL, names[i]);
    dfl_report_close(&s->report, ']');
    dfl_h5_free_texts(names, count, s->ctx);
}

static void describe_initial(stored *s)
{
    int n1, n2, n3;
    double *given = dfl_h5_get_numbers(&n1, &s->status, s->ctx, s->file, "initial/given");
    double *corrected = dfl_h5_get_numbers(&n2, &s->status, s->ctx, s->file, "initial/corrected");
    double *held = dfl_h5_get_numbers(&n3, &s->status, s->ctx, s->file, "initial/held");
    if (n1 == s->n && n2 == s->n && n3 == s->n) {
        dfl_report_open(&s->report, "initial", '[');
        for (int i = 0; i < s->n; i++) {
            dfl_report_open(&s->report, NULL, '[');
            dfl_report_number(&s->report, NULL, given[i]);
            dfl_report_number(&s->report, NULL, corrected[i]);
            dfl_report_number(&s->report, NULL, held[i]);
            dfl_report_close(&s->report, ']');
        }
        dfl_report_close(&s->report, ']');
    }
    dfl_free(s->ctx, held);
    dfl_free(s->ctx, corrected);
    dfl_free(s->ctx, given);
}

/* Counters are numbers, max_residual is a vector. */
static void describe_statistics(stored *s)
{
    int count, levels;
    char **names = dfl_h5_get_names(&count, &s->status, s->ctx, s->file, "meta/statistics");
    double *level =
        dfl_h5_get_numbers(&levels, &s->status, s->ctx, s->file, "meta/statistics/max_residual");
    dfl_report_open(&s->report, "statistics", '{');
    for (int i = 0; i < count; i++) {
        char path[300];
        snprintf(path, sizeof path, "meta/statistics/%s", names[i]);
        if (strcmp(names[i], "max_residual") != 0)
            dfl_report_number(&s->report, names[i], dfl_h5_get_number(s->file, path));
    }
    dfl_report_open(&s->report, "max_residual", '[');
    for (int i = 0; i < levels; i++)
        dfl_report_number(&s->report, NULL, level[i]);
    dfl_report_close(&s->report, ']');
    dfl_report_close(&s->report, '}');
    dfl_free(s->ctx, level);
    dfl_h5_free_texts(names, count, s->ctx);
}

/* Tables side by side, as far as all of them go, into a thinned one. */
static dfl_status read_tables(stored *s, dfl_thin *into, const char *const *paths, int count)
{
    enum { MOST_TABLES = 8 };
    dfl_h5_table table[MOST_TABLES];
    hsize_t rows = 0;
    int width = 0;
    for (int i = 0; i < count; i++) {
        table[i] = dfl_h5_open_table(s->file, paths[i]);
        rows = i == 0 || table[i].rows < rows ? table[i].rows : rows;
        width += table[i].columns;
    }
    double *block = dfl_alloc(s->ctx, (size_t)width * BLOCK, sizeof *block);
    double *row = dfl_alloc(s->ctx, (size_t)width + 1, sizeof *row);
    bool good = block && row && width == into->columns + 1;
    for (hsize_t first = 0; good && first < rows; first += BLOCK) {
        const hsize_t some = rows - first < BLOCK ? rows - first : BLOCK;
        size_t start = 0;
        for (int i = 0; good && i < count; i++) {
            good = dfl_h5_get_rows(block + start * BLOCK, &table[i], first, some);
            start += (size_t)table[i].columns;
        }
        for (hsize_t k = 0; good && k < some; k++) {
            start = 0;
            for (int i = 0; i < count; i++) {
                const size_t columns = (size_t)table[i].columns;
                memcpy(row + start, block + start * BLOCK + k * columns, columns * sizeof *row);
                start += columns;
            }
            dfl_thin_add(into, row[0], row + 1);
        }
    }
    for (int i = 0; i < count; i++)
        dfl_h5_close_table(&table[i]);
    const bool memory = block && row;
    dfl_free(s->ctx, row);
    dfl_free(s->ctx, block);
    return memory ? DFL_OK : DFL_NO_MEMORY;
}

static dfl_status read_rows(stored *s)
{
    static const char *const paths[] = {"time", "state", "outputs"};
    return read_tables(s, &s->report.rows, paths, 3);
}

static dfl_status read_steps(stored *s)
{
    static const char *const paths[] = {"steps/time",       "steps/size",   "steps/order",
                                        "steps/rejections", "steps/energy", "residuals"};
    return read_tables(s, &s->report.steps, paths, 6);
}

static dfl_status read_events(stored *s)
{
    int n1, n2, n3;
    double *time = dfl_h5_get_numbers(&n1, &s->status, s->ctx, s->file, "events/time");
    double *event = dfl_h5_get_numbers(&n2, &s->status, s->ctx, s->file, "events/event");
    double *direction = dfl_h5_get_numbers(&n3, &s->status, s->ctx, s->file, "events/direction");
    for (int i = 0; i < n1 && i < n2 && i < n3; i++)
        dfl_report_event(&s->report, &(dfl_event_record){.event = (int)event[i],
                                                         .direction = (int)direction[i],
                                                         .time = time[i]});
    dfl_free(s->ctx, direction);
    dfl_free(s->ctx, event);
    dfl_free(s->ctx, time);
    return s->status;
}

static dfl_status read_scene(stored *s)
{
    static const char *const paths[] = {"time", "scene/values"};
    char *shapes = dfl_h5_get_text(&s->status, s->ctx, s->file, "scene/shapes");
    if (!shapes)
        return s->status;
    dfl_text_add(&s->report.scene, "%s", shapes);
    dfl_free(s->ctx, shapes);
    return read_tables(s, &s->report.frames, paths, 2);
}

static dfl_status write_report(stored *s, const char *to, const char *columns)
{
    const char *ending = strrchr(to, '.');
    const bool page = ending && !strcmp(ending, ".html");
    if (!page && !(ending && !strcmp(ending, ".svg")))
        return dfl_fail(s->ctx, DFL_INVALID,
                        "'%s': give a page that ends in .html or a plot that ends in .svg", to);
    dfl_status status = page ? DFL_OK : dfl_plot_check(&s->report, columns);
    if (status)
        return status;
    errno = 0;
    FILE *file = fopen(to, "w");
    if (!file)
        return dfl_fail(s->ctx, DFL_INVALID, "'%s' cannot be written: %s", to, strerror(errno));
    status = page ? dfl_page_write(file, &s->report) : dfl_plot_write(file, &s->report, columns);
    const bool failed = ferror(file) != 0;
    if ((fclose(file) || failed) && !status)
        status = dfl_fail(s->ctx, DFL_CALLBACK, "'%s' cannot be written: %s", to,
                          errno ? strerror(errno) : "the disk may be full");
    return status;
}
