/* open.c: the kind of file that a path names. */
#include "result/writer.h"

#include "context/text.h"

#include <string.h>

static const dfl_file_kind *kind_of(const char *path);

dfl_status dfl_writer_open(dfl_writer **out, const char *path, const dfl_equations *eq,
                           const dfl_run_option *options, int noptions)
{
    const dfl_file_kind *kind = kind_of(path);
    *out = NULL;
    if (!kind)
        return dfl_fail(eq->model->ctx, DFL_INVALID,
                        "'%s': results are written to files that end in .csv, .h5 or .hdf5, or to "
                        "standard output with '-'",
                        path);
    return dfl_writer_create(out, kind, path, NULL, eq, options, noptions);
}

static const dfl_file_kind *kind_of(const char *path)
{
    if (!strcmp(path, "-") || dfl_ends_with(path, ".csv"))
        return &dfl_csv_kind;
    if (dfl_ends_with(path, ".html"))
        return &dfl_page_kind;
    if (dfl_ends_with(path, ".svg"))
        return &dfl_plot_kind;
    return dfl_ends_with(path, ".h5") || dfl_ends_with(path, ".hdf5") ? &dfl_hdf5_kind : NULL;
}
