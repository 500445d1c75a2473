/* stored.c: a report of a result that was stored as HDF5.

   The layout is that of result/hdf5.c. Data that is missing (results of older versions, or of runs
   that were killed) is left out. Tables are read in blocks. */
#define _POSIX_C_SOURCE 200809L
#include "report/hdf5_read_internal.h"
#include "report/report_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Lists of texts, texts and arrays of the file. */
enum {
    NAMES,
    KINDS,
    UNITS,
    PARAMETERS,
    PARAMETER_UNITS,
    EVENTS,
    SWITCHES,
    IMPULSES,
    OPTIONS,
    CHOICES,
    STATISTICS,
    LISTS
};
enum { MODEL, VERSION, SCRIPT, ENERGY, STATUS, MESSAGE, WARNINGS, SCENE, TEXTS };
enum { VALUES, GIVEN, CORRECTED, LEVELS, ARRAYS };

typedef struct list {
    char **text;
    int count;
} list;

typedef struct stored {
    dfl_context *ctx;
    dfl_h5_file file;      /* its status is kept while everything is read */
    dfl_description about; /* points to the members below */
    list lists[LISTS];
    char *texts[TEXTS];
    double *arrays[ARRAYS];
    unsigned char *held;
    dfl_fact *options, *statistics;
    const char **units; /* of the parameters */
    dfl_report report;
} stored;

static dfl_status not_a_result(dfl_context *ctx, const char *from);
static void close_stored(stored *s);
static dfl_status read_columns(stored *s);
static dfl_status guess_kinds(stored *s);
static void read_description(stored *s);
static void read_texts(stored *s);
static void read_options(stored *s);
static void read_parameters(stored *s);
static void read_scene(stored *s);
static void read_start(stored *s);
static void read_statistics(stored *s);
static double *read_numbers(stored *s, int array, const char *path, int *count);
static const list *read_list(stored *s, int which, const char *path);
static dfl_status reserve_tables(stored *s);
static dfl_status read_contents(stored *s);
static dfl_status read_events(stored *s);
static int whole(double number);
static dfl_status write_report(stored *s, const char *to, const char *columns);

dfl_status dfl_report_stored(dfl_context *ctx, const char *from, const char *to,
                             const char *columns)
{
    stored s = {.ctx = ctx};
    dfl_h5_quiet quiet;
    dfl_status status = dfl_hdf5_start(ctx);
    if (status)
        return status;
    dfl_h5_silence(&quiet);
    status = dfl_h5_open_file(&s.file, ctx, from) ? read_columns(&s) : DFL_INVALID;
    if (status == DFL_INVALID && !s.file.status && !quiet.no_memory)
        status = not_a_result(ctx, from);
    if (!status) {
        read_description(&s);
        status = reserve_tables(&s);
    }
    if (!status)
        status = dfl_report_create(&s.report, ctx, &s.about, true);
    if (!status)
        status = read_contents(&s);
    if (quiet.no_memory) /* what could not be read must not look as if it were missing */
        status = dfl_fail(ctx, DFL_NO_MEMORY, "no memory to read '%s'", from);
    if (!status)
        status = write_report(&s, to, columns);
    close_stored(&s);
    dfl_h5_speak(&quiet);
    return status;
}

static dfl_status not_a_result(dfl_context *ctx, const char *from)
{
    if (access(from, R_OK))
        return dfl_fail(ctx, DFL_INVALID, "'%s' cannot be read: %s", from, strerror(errno));
    return dfl_fail(ctx, DFL_INVALID,
                    "'%s' is not a result of driftless; make one with: driftless run MODEL.lua "
                    "--output FILE.h5",
                    from);
}

static void close_stored(stored *s)
{
    dfl_report_clear(&s->report);
    for (int i = 0; i < LISTS; i++)
        dfl_h5_free_texts(s->lists[i].text, s->lists[i].count, s->ctx);
    for (int i = 0; i < TEXTS; i++)
        dfl_free(s->ctx, s->texts[i]);
    for (int i = 0; i < ARRAYS; i++)
        dfl_free(s->ctx, s->arrays[i]);
    dfl_free(s->ctx, s->held);
    dfl_free(s->ctx, s->options);
    dfl_free(s->ctx, s->statistics);
    dfl_free(s->ctx, s->units);
    dfl_h5_close_file(&s->file);
}

/* ------------------------------------------------------------------------------- description */

/* The names of states and outputs in one list, and the kinds of the states. DFL_INVALID: the file
   has no names. */
static dfl_status read_columns(stored *s)
{
    list outputs = {0}, *names = &s->lists[NAMES];
    outputs.text = dfl_h5_get_texts(&outputs.count, &s->file, "meta/names/outputs");
    read_list(s, NAMES, "meta/names/state");
    s->texts[MODEL] = dfl_h5_get_text(&s->file, "meta/model");
    const int n = names->count, m = outputs.count;
    char **all = dfl_alloc(s->ctx, (size_t)(n + m) + 1, sizeof *all);
    if (!all)
        s->file.status = DFL_NO_MEMORY;
    if (s->file.status || n == 0 || !s->texts[MODEL]) {
        dfl_free(s->ctx, all);
        dfl_h5_free_texts(outputs.text, m, s->ctx);
        return s->file.status ? s->file.status : DFL_INVALID;
    }
    memcpy(all, names->text, (size_t)n * sizeof *all);
    if (m > 0)
        memcpy(all + n, outputs.text, (size_t)m * sizeof *all);
    dfl_free(s->ctx, names->text);
    dfl_free(s->ctx, outputs.text);
    *names = (list){all, n + m};
    s->about.n = n;
    s->about.m = m;
    s->about.names = (const char *const *)all;
    return read_list(s, KINDS, "meta/names/kinds")->count == n ? s->file.status : guess_kinds(s);
}

/* For results without kinds. */
static dfl_status guess_kinds(stored *s)
{
    list *kinds = &s->lists[KINDS];
    dfl_h5_free_texts(kinds->text, kinds->count, s->ctx);
    *kinds = (list){dfl_alloc(s->ctx, (size_t)s->about.n, sizeof *kinds->text), 0};
    for (int i = 0; kinds->text && i < s->about.n; i++) {
        const char *name = s->about.names[i];
        const char *kind = !strncmp(name, "der(", 4) ? "velocity"
                           : strchr(name, '(')       ? "multiplier"
                                                     : "position";
        kinds->text[i] = dfl_copy_string(s->ctx, kind);
        if (!kinds->text[i])
            return DFL_NO_MEMORY;
        kinds->count = i + 1;
    }
    return kinds->text ? s->file.status : DFL_NO_MEMORY;
}

static void read_description(stored *s)
{
    dfl_description *about = &s->about;
    about->kinds = (const char *const *)s->lists[KINDS].text;
    const list *units = read_list(s, UNITS, "meta/names/units");
    if (units->count == about->n + about->m)
        about->units = (const char *const *)units->text;
    const list *events = read_list(s, EVENTS, "meta/names/events");
    about->nevents = events->count;
    about->events = (const char *const *)events->text;
    const list *switches = read_list(s, SWITCHES, "meta/names/switches");
    about->nswitches = switches->count;
    about->switches = (const char *const *)switches->text;
    const list *impulses = read_list(s, IMPULSES, "meta/names/impulses");
    about->nimpulses = impulses->count;
    about->impulses = (const char *const *)impulses->text;
    read_texts(s);
    read_options(s);
    read_parameters(s);
    read_scene(s);
    read_start(s);
    read_statistics(s);
}

static void read_texts(stored *s)
{
    dfl_description *about = &s->about;
    const struct {
        const char *path, **place;
    } places[] = {[MODEL] = {"meta/model", &about->model},
                  [VERSION] = {"meta/version", &about->version},
                  [SCRIPT] = {"meta/text", &about->text},
                  [ENERGY] = {"meta/energy", &about->energy},
                  [STATUS] = {"meta/status", &about->status},
                  [MESSAGE] = {"meta/message", &about->message},
                  [WARNINGS] = {"meta/warnings", &about->warnings}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!s->texts[i])
            s->texts[i] = dfl_h5_get_text(&s->file, places[i].path);
        *places[i].place = s->texts[i];
    }
}

/* Texts or numbers. */
static void read_options(stored *s)
{
    list *names = &s->lists[OPTIONS], *choices = &s->lists[CHOICES];
    names->text = dfl_h5_get_names(&names->count, &s->file, "meta/options");
    choices->text = dfl_alloc(s->ctx, (size_t)names->count, sizeof *choices->text);
    s->options = dfl_alloc(s->ctx, (size_t)names->count, sizeof *s->options);
    if (!choices->text || !s->options) {
        s->file.status = DFL_NO_MEMORY;
        return;
    }
    choices->count = names->count;
    for (int i = 0; i < names->count; i++) {
        char path[300];
        snprintf(path, sizeof path, "meta/options/%s", names->text[i]);
        choices->text[i] = dfl_h5_get_text(&s->file, path);
        s->options[i] =
            (dfl_fact){names->text[i], choices->text[i], dfl_h5_get_number(&s->file, path)};
    }
    s->about.noptions = names->count;
    s->about.options = s->options;
}

/* Units may be missing. */
static void read_parameters(stored *s)
{
    int count;
    const list *names = read_list(s, PARAMETERS, "meta/parameters/names");
    const list *units = read_list(s, PARAMETER_UNITS, "meta/parameters/units");
    s->about.values = read_numbers(s, VALUES, "meta/parameters/values", &count);
    count = names->count < count ? names->count : count;
    s->units = dfl_alloc(s->ctx, (size_t)count, sizeof *s->units);
    if (!s->units) {
        s->file.status = DFL_NO_MEMORY;
        return;
    }
    for (int i = 0; i < count; i++)
        s->units[i] = i < units->count ? units->text[i] : "";
    s->about.nparameters = count;
    s->about.parameters = (const char *const *)names->text;
    s->about.parameter_units = s->units;
}

static void read_scene(stored *s)
{
    dfl_h5_table table = dfl_h5_open_table(&s->file, "scene/values");
    s->about.nscene = table.columns;
    dfl_h5_close_table(&table);
    s->about.scene = s->texts[SCENE] = dfl_h5_get_text(&s->file, "scene/shapes");
}

static void read_start(stored *s)
{
    const int n = s->about.n;
    int n1, n2, n3;
    const double *given = read_numbers(s, GIVEN, "initial/given", &n1);
    const double *corrected = read_numbers(s, CORRECTED, "initial/corrected", &n2);
    double *held = dfl_h5_get_numbers(&n3, &s->file, "initial/held");
    s->held = dfl_alloc(s->ctx, (size_t)n, 1);
    if (!s->held)
        s->file.status = DFL_NO_MEMORY;
    if (s->held && n1 == n && n2 == n && n3 == n) {
        for (int i = 0; i < n; i++)
            s->held[i] = held[i] != 0;
        s->about.given = given;
        s->about.corrected = corrected;
        s->about.held = s->held;
    }
    dfl_free(s->ctx, held);
}

/* Counters are numbers, max_residual is a vector. */
static void read_statistics(stored *s)
{
    list *names = &s->lists[STATISTICS];
    names->text = dfl_h5_get_names(&names->count, &s->file, "meta/statistics");
    s->about.levels = read_numbers(s, LEVELS, "meta/statistics/max_residual", &s->about.nlevels);
    s->statistics = dfl_alloc(s->ctx, (size_t)names->count, sizeof *s->statistics);
    if (!s->statistics) {
        s->file.status = DFL_NO_MEMORY;
        return;
    }
    for (int i = 0; i < names->count; i++) {
        char path[300];
        snprintf(path, sizeof path, "meta/statistics/%s", names->text[i]);
        if (strcmp(names->text[i], "max_residual") != 0)
            s->statistics[s->about.nstatistics++] =
                (dfl_fact){names->text[i], NULL, dfl_h5_get_number(&s->file, path)};
    }
    s->about.statistics = s->statistics;
}

static double *read_numbers(stored *s, int array, const char *path, int *count)
{
    s->arrays[array] = dfl_h5_get_numbers(count, &s->file, path);
    return s->arrays[array];
}

static const list *read_list(stored *s, int which, const char *path)
{
    list *out = &s->lists[which];
    out->text = dfl_h5_get_texts(&out->count, &s->file, path);
    return out;
}

/* ------------------------------------------------------------------------------- contents */

/* The memory of the tables of the report, which have at least so many rows. */
static dfl_status reserve_tables(stored *s)
{
    const double columns = (double)s->about.n + s->about.m + s->about.nscene;
    dfl_h5_reserve(&s->file, DFL_THIN_FEWEST * columns * (2 * sizeof(double) + 1));
    return s->file.status;
}

static dfl_status read_contents(stored *s)
{
    static const char *const rows[] = {"time", "state", "outputs"};
    static const char *const steps[] = {"steps/time",       "steps/size",   "steps/order",
                                        "steps/rejections", "steps/energy", "residuals"};
    static const char *const frames[] = {"time", "scene/values"};
    dfl_status status = dfl_h5_get_tables(&s->report.rows, &s->file, rows, 3);
    if (!status)
        status = dfl_h5_get_tables(&s->report.steps, &s->file, steps, 6);
    if (!status)
        status = read_events(s);
    if (!status)
        status = dfl_report_read_switches(&s->report, &s->file);
    if (!status && s->about.scene)
        status = dfl_h5_get_tables(&s->report.frames, &s->file, frames, 2);
    return status;
}

static dfl_status read_events(stored *s)
{
    int n1, n2, n3;
    double *time = dfl_h5_get_numbers(&n1, &s->file, "events/time");
    double *event = dfl_h5_get_numbers(&n2, &s->file, "events/event");
    double *direction = dfl_h5_get_numbers(&n3, &s->file, "events/direction");
    for (int i = 0; i < n1 && i < n2 && i < n3; i++)
        dfl_report_event(&s->report, &(dfl_event_record){.event = whole(event[i]),
                                                         .direction = whole(direction[i]),
                                                         .time = time[i]});
    dfl_free(s->ctx, direction);
    dfl_free(s->ctx, event);
    dfl_free(s->ctx, time);
    return s->file.status;
}

/* -1 for what is no index. */
static int whole(double number)
{
    return number >= -1 && number < 1e9 ? (int)number : -1;
}

static dfl_status write_report(stored *s, const char *to, const char *columns)
{
    const bool page = dfl_ends_with(to, ".html");
    if (!dfl_is_report(to))
        return dfl_fail(s->ctx, DFL_INVALID,
                        "'%s': give a page that ends in .html or a plot that ends in .svg", to);
    dfl_new_file out;
    dfl_status status = page ? DFL_OK : dfl_plot_check(&s->report, columns);
    if (status)
        return status;
    status = dfl_new_file_open(&out, s->ctx, to, true);
    if (!status)
        status = dfl_report_write(&out, &s->report, columns);
    if (!status)
        return dfl_new_file_keep(&out, NULL);
    dfl_new_file_discard(&out);
    return status;
}
