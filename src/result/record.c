/* record.c: one run: its description, and what all its files get. */
#include "result/result_internal.h"

#include "declare/declare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WARNINGS = 100000 }; /* bytes */

static dfl_status describe(dfl_record *record);
static dfl_status describe_parameters(dfl_record *record);
static dfl_status describe_files(dfl_record *record);
static dfl_status describe_events(dfl_record *record);
static dfl_status describe_scene(dfl_record *record);
static dfl_status widen(dfl_record *record, const char *const *more, int nmore, int moves);
static dfl_status make_room(dfl_record *record);

dfl_status dfl_record_create(dfl_record **out, const dfl_equations *eq, const dfl_fact *options,
                             int noptions)
{
    return dfl_record_create_wide(out, eq, options, noptions, NULL, 0, 0);
}

dfl_status dfl_record_create_wide(dfl_record **out, const dfl_equations *eq,
                                  const dfl_fact *options, int noptions, const char *const *more,
                                  int nmore, int moves)
{
    dfl_context *ctx = eq->model->ctx;
    *out = NULL;
    dfl_record *record = dfl_alloc(ctx, 1, sizeof *record);
    if (!record)
        return DFL_NO_MEMORY;
    dfl_record_check(record, NAN, NULL);
    record->ctx = record->scene.ctx = record->warnings.ctx = record->notes.ctx = ctx;
    record->eq = eq;
    record->about.options = options;
    record->about.noptions = noptions;
    dfl_status status = dfl_columns_create(&record->columns, eq);
    if (!status)
        status = describe(record);
    if (!status && nmore > 0)
        status = widen(record, more, nmore, moves);
    if (!status)
        status = make_room(record);
    if (status) {
        dfl_record_free(record);
        return status;
    }
    *out = record;
    return DFL_OK;
}

void dfl_record_free(dfl_record *record)
{
    if (!record)
        return;
    dfl_context *ctx = record->ctx;
    for (int i = 0; i < record->nwriters; i++)
        dfl_writer_close(record->writers[i], record, DFL_FATE_CLOSED);
    dfl_free(ctx, record->writers);
    for (int i = 0; i < record->nblocks; i++)
        dfl_free(ctx, record->blocks[i]);
    dfl_columns_clear(&record->columns, ctx);
    dfl_text_clear(&record->scene);
    dfl_text_clear(&record->warnings);
    dfl_text_clear(&record->notes);
    dfl_free(ctx, record);
}

const dfl_description *dfl_record_about(const dfl_record *record)
{
    return &record->about;
}

dfl_context *dfl_record_context(const dfl_record *record)
{
    return record->ctx;
}

void *dfl_record_alloc(dfl_record *record, size_t count, size_t size)
{
    void *block = dfl_alloc(record->ctx, count, size);
    if (block)
        record->blocks[record->nblocks++] = block;
    return block;
}

void dfl_record_name_switches(dfl_record *record, const char *const *switches, int nswitches,
                              const char *const *impulses, int nimpulses)
{
    record->about.switches = switches;
    record->about.nswitches = nswitches;
    record->about.impulses = impulses;
    record->about.nimpulses = nimpulses;
}

void dfl_record_warn(dfl_record *record, const char *text)
{
    if (record->warnings.length < MOST_WARNINGS)
        dfl_text_add(&record->warnings, "%s\n", text);
}

/* ------------------------------------------------------------------------------- description */

static dfl_status describe(dfl_record *record)
{
    const dfl_model *model = record->eq->model;
    const dfl_columns *columns = &record->columns;
    dfl_description *about = &record->about;
    about->model = model->name;
    about->text = model->text ? model->text : "";
    about->version = DFL_VERSION;
    about->energy = dfl_energy_words(record->eq);
    about->n = columns->n;
    about->m = columns->m;
    about->names = columns->names;
    about->kinds = columns->kinds;
    about->units = (const char *const *)columns->units;
    dfl_status status = describe_parameters(record);
    if (!status)
        status = describe_files(record);
    if (!status)
        status = describe_events(record);
    return status ? status : describe_scene(record);
}

/* Parameters, inputs and settings, with the values of this run. */
static dfl_status describe_parameters(dfl_record *record)
{
    const dfl_model *model = record->eq->model;
    const unsigned wanted = 1U << DFL_A_PARAM | 1U << DFL_AN_INPUT | 1U << DFL_A_SETTING;
    const size_t most = (size_t)model->declarations.count;
    const char **names = dfl_record_alloc(record, most, sizeof *names);
    const char **units = dfl_record_alloc(record, most, sizeof *units);
    double *values = dfl_record_alloc(record, most, sizeof *values);
    int count = 0;
    if (!names || !units || !values)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (wanted >> decl->kind & 1) {
            names[count] = decl->name;
            units[count] = decl->unit ? decl->unit : "";
            values[count++] = decl->value;
        }
    }
    record->about.nparameters = count;
    record->about.parameters = names;
    record->about.parameter_units = units;
    record->about.values = values;
    return DFL_OK;
}

static dfl_status describe_files(dfl_record *record)
{
    const dfl_model *model = record->eq->model;
    const int count = model->files.count;
    const char **names = dfl_record_alloc(record, (size_t)count, sizeof *names);
    const char **texts = dfl_record_alloc(record, (size_t)count, sizeof *texts);
    if (!names || !texts)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++) {
        names[i] = model->files.item[i].name;
        texts[i] = model->files.item[i].text;
    }
    snprintf(record->hash, sizeof record->hash, "%016" PRIx64, dfl_model_hash(model));
    record->about.hash = record->hash;
    record->about.nfiles = count;
    record->about.files = names;
    record->about.file_texts = texts;
    return DFL_OK;
}

static dfl_status describe_events(dfl_record *record)
{
    const dfl_model *model = record->eq->model;
    const int count = model->count[DFL_AN_EVENT];
    const char **names = dfl_record_alloc(record, (size_t)count, sizeof *names);
    if (!names)
        return DFL_NO_MEMORY;
    dfl_declared_names(names, model, DFL_AN_EVENT);
    record->about.nevents = count;
    record->about.events = names;
    return DFL_OK;
}

/* The shapes as JSON, and the shape of every number that changes. */
static dfl_status describe_scene(dfl_record *record)
{
    const dfl_model *model = record->eq->model;
    const int columns = dfl_scene_columns(model);
    const char **names = dfl_record_alloc(record, (size_t)columns, sizeof *names);
    if (!names)
        return DFL_NO_MEMORY;
    for (int i = 0, next = 0; i < model->shapes.count; i++)
        for (int k = 0; k < model->shapes.item[i].ncolumns; k++)
            if (!dfl_is_constant(model->graph, model->shapes.item[i].column[k]))
                names[next++] = model->shapes.item[i].name;
    const dfl_status status = dfl_scene_json(&record->scene, model);
    record->about.scene = model->shapes.count > 0 ? dfl_text_string(&record->scene) : NULL;
    record->about.nscene = columns;
    record->about.scene_names = names;
    return status;
}

/* More columns behind the outputs, and behind the numbers of the scene. */
static dfl_status widen(dfl_record *record, const char *const *more, int nmore, int moves)
{
    dfl_description *about = &record->about;
    const size_t all = (size_t)(about->n + about->m), scene = (size_t)about->nscene;
    const char **names = dfl_record_alloc(record, all + (size_t)nmore, sizeof *names);
    const char **units = dfl_record_alloc(record, all + (size_t)nmore, sizeof *units);
    const char **shown = dfl_record_alloc(record, scene * (size_t)(1 + moves), sizeof *shown);
    if (!names || !units || !shown)
        return DFL_NO_MEMORY;
    memcpy(names, about->names, all * sizeof *names);
    memcpy(units, about->units, all * sizeof *units);
    for (size_t i = 0; i < (size_t)nmore; i++) {
        names[all + i] = more[i];
        units[all + i] = "";
    }
    for (size_t i = 0; i < scene * (size_t)(1 + moves); i++)
        shown[i] = about->scene_names[i % scene];
    about->m += nmore;
    about->names = names;
    about->units = units;
    about->nscene *= 1 + moves;
    about->scene_names = shown;
    return DFL_OK;
}

static dfl_status make_room(dfl_record *record)
{
    const size_t n = (size_t)record->about.n, m = (size_t)record->about.m;
    record->given = dfl_record_alloc(record, n, sizeof(double));
    record->corrected = dfl_record_alloc(record, n, sizeof(double));
    record->held = dfl_record_alloc(record, n, 1);
    record->row = dfl_record_alloc(record, 1 + n + m, sizeof(double));
    record->frame = dfl_record_alloc(record, (size_t)record->about.nscene, sizeof(double));
    const bool done =
        record->given && record->corrected && record->held && record->row && record->frame;
    return done ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_record_describe_end(dfl_record *record, const dfl_summary *summary)
{
    dfl_description *about = &record->about;
    const dfl_fact statistics[DFL_STATISTICS] = {{"t", NULL, summary->t},
                                                 {"seconds", NULL, summary->seconds},
                                                 {"energy_drift", NULL, summary->energy_drift}};
    memcpy(record->statistics, statistics, sizeof statistics);
    dfl_summary_counters(record->counters, &summary->statistics);
    dfl_summary_levels(record->levels, summary, record->eq);
    about->status = summary->status;
    about->message = summary->message;
    about->warnings = dfl_text_string(&record->warnings);
    about->nstatistics = DFL_STATISTICS;
    about->statistics = record->statistics;
    about->ncounters = DFL_COUNTERS;
    about->counters = record->counters;
    about->nlevels = DFL_LEVELS;
    about->levels = record->levels;
}
