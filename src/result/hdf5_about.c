/* hdf5_about.c: what an HDF5 result says about its run, in the group /meta. */
#include "result/hdf5_internal.h"
#include "result/result_internal.h"

#include <stdio.h>

static bool describe_columns(dfl_writer *writer, hid_t meta);
static bool describe_parameters(dfl_writer *writer, hid_t meta);
static bool describe_files(dfl_writer *writer, hid_t meta);

hid_t dfl_h5_group(hid_t parent, const char *name)
{
    return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

bool dfl_h5_describe_run(dfl_writer *writer, hid_t meta)
{
    const dfl_description *about = writer->about;
    const hid_t group = dfl_h5_group(meta, "options");
    bool done =
        group >= 0 && dfl_h5_text(meta, "version", about->version) &&
        dfl_h5_text(meta, "model", about->model) && dfl_h5_text(meta, "text", about->text) &&
        (!about->hash || dfl_h5_text(meta, "hash", about->hash)) &&
        dfl_h5_text(meta, "energy", about->energy) && dfl_h5_text(meta, "status", "running");
    for (int i = 0; done && i < about->noptions; i++) {
        const dfl_fact *option = &about->options[i];
        done = option->text ? dfl_h5_text(group, option->name, option->text)
                            : dfl_h5_number(group, option->name, option->number);
    }
    H5Gclose(group);
    return done && describe_columns(writer, meta) && describe_parameters(writer, meta) &&
           describe_files(writer, meta);
}

/* All names once more as data sets, for readers without attributes (Octave). */
static bool describe_columns(dfl_writer *writer, hid_t meta)
{
    const dfl_description *about = writer->about;
    const int n = about->n, m = about->m;
    dfl_context *ctx = writer->ctx;
    const hid_t group = dfl_h5_group(meta, "names");
    const bool done = group >= 0 && dfl_h5_texts(ctx, group, "kinds", about->kinds, n) &&
                      dfl_h5_texts(ctx, group, "state", about->names, n) &&
                      dfl_h5_texts(ctx, group, "outputs", about->names + n, m) &&
                      dfl_h5_texts(ctx, group, "units", about->units, n + m) &&
                      dfl_h5_texts(ctx, group, "residuals", dfl_level_names, DFL_LEVELS) &&
                      dfl_h5_texts(ctx, group, "events", about->events, about->nevents);
    H5Gclose(group);
    return done;
}

static bool describe_parameters(dfl_writer *writer, hid_t meta)
{
    const dfl_description *about = writer->about;
    const int count = about->nparameters;
    const hid_t group = dfl_h5_group(meta, "parameters");
    const bool done = group >= 0 &&
                      dfl_h5_texts(writer->ctx, group, "names", about->parameters, count) &&
                      dfl_h5_texts(writer->ctx, group, "units", about->parameter_units, count) &&
                      dfl_h5_numbers(group, "values", about->values, count);
    H5Gclose(group);
    return done;
}

/* The files that the script has read: their names, and their texts by number from 1. */
static bool describe_files(dfl_writer *writer, hid_t meta)
{
    const dfl_description *about = writer->about;
    if (about->nfiles == 0)
        return true;
    const hid_t group = dfl_h5_group(meta, "files");
    bool done =
        group >= 0 && dfl_h5_texts(writer->ctx, group, "names", about->files, about->nfiles);
    for (int i = 0; done && i < about->nfiles; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i + 1);
        done = dfl_h5_text(group, number, about->file_texts[i]);
    }
    H5Gclose(group);
    return done;
}

bool dfl_h5_describe_end(dfl_writer *writer, hid_t meta)
{
    const dfl_description *about = writer->about;
    const hid_t group = dfl_h5_group(meta, "statistics");
    bool done = group >= 0 && dfl_h5_text(meta, "status", about->status) &&
                dfl_h5_text(meta, "message", about->message) &&
                dfl_h5_text(meta, "warnings", about->warnings);
    for (int i = 0; done && i < about->nstatistics; i++)
        done = dfl_h5_number(group, about->statistics[i].name, about->statistics[i].number);
    done = done && dfl_h5_numbers(group, "max_residual", about->levels, about->nlevels);
    for (int i = 0; done && i < about->ncounters; i++)
        done = dfl_h5_integer(group, about->counters[i].name, (long)about->counters[i].number);
    H5Gclose(group);
    return done;
}

bool dfl_h5_describe_switches(dfl_writer *writer, hid_t meta)
{
    const dfl_description *about = writer->about;
    dfl_context *ctx = writer->ctx;
    const hid_t group = H5Gopen2(meta, "names", H5P_DEFAULT);
    const bool done =
        group >= 0 &&
        dfl_h5_texts(ctx, group, "switch_kinds", dfl_switched_names, DFL_SWITCHED_KINDS) &&
        dfl_h5_texts(ctx, group, "modes", dfl_touching_names, DFL_TOUCHING_MODES) &&
        dfl_h5_texts(ctx, group, "switches", about->switches, about->nswitches) &&
        dfl_h5_texts(ctx, group, "impulses", about->impulses, about->nimpulses);
    H5Gclose(group);
    return done;
}
