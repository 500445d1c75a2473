/* run_files.c: where rows, pages and the state at the end of a run go. */
#include "model/run_internal.h"

#include "report/report.h"

#include <string.h>

static dfl_status open_saved(dfl_run *run);

static dfl_status check_path(const dfl_run *run, const char *path)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    if (!path)
        return dfl_fail(run->ctx, DFL_INVALID, "path is NULL; name a file");
    return run->started
               ? dfl_fail(run->ctx, DFL_INVALID, "'%s': files are named before the start", path)
               : DFL_OK;
}

dfl_status dfl_run_write(dfl_run *run, const char *path)
{
    const dfl_status status = check_path(run, path);
    if (status)
        return status;
    char **more =
        dfl_grow(run->ctx, run->files, &run->room_of_files, run->nfiles, sizeof *run->files);
    if (!more)
        return DFL_NO_MEMORY;
    run->files = more;
    run->files[run->nfiles] = dfl_copy_string(run->ctx, path);
    if (!run->files[run->nfiles])
        return DFL_NO_MEMORY;
    run->nfiles++;
    return DFL_OK;
}

dfl_status dfl_run_save_to(dfl_run *run, const char *path)
{
    const dfl_status status = check_path(run, path);
    if (status)
        return status;
    dfl_free(run->ctx, run->save);
    run->save = dfl_copy_string(run->ctx, path);
    return run->save ? DFL_OK : DFL_NO_MEMORY;
}

const char *dfl_run_notes(const dfl_run *run)
{
    return run ? dfl_record_notes(run->record) : NULL;
}

dfl_status dfl_run_keep(dfl_run *run)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    if (run->started)
        return dfl_fail(run->ctx, DFL_INVALID, "rows are kept from the start on; ask before it");
    run->kept = true;
    return DFL_OK;
}

dfl_status dfl_run_keep_page(dfl_run *run)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    if (run->started)
        return dfl_fail(run->ctx, DFL_INVALID, "a page begins at the start; ask before it");
    run->keeps_page = true;
    return DFL_OK;
}

const char *dfl_run_page(const dfl_run *run)
{
    return run && run->finished && run->page.length > 0 ? dfl_text_string(&run->page) : NULL;
}

const double *dfl_run_rows(const dfl_run *run, int *rows, int *columns)
{
    const bool kept = run && run->kept;
    if (rows)
        *rows = kept ? run->table.rows : 0;
    if (columns)
        *columns = kept ? run->table.columns : 0;
    return kept ? run->table.values : NULL;
}

dfl_status dfl_run_open_files(dfl_simulation *sim, void *user)
{
    dfl_run *run = user;
    const dfl_model *model = run->derived.model;
    if (run->options.on_start)
        run->options.on_start(run->options.user);
    dfl_status status = open_saved(run);
    if (!status && run->kept)
        status = dfl_record_open_table(sim->record, &run->table);
    if (!status && run->keeps_page)
        status = dfl_report_keep(sim->record, &run->page);
    for (int i = 0; !status && i < run->nfiles; i++)
        status = dfl_model_spare(model, run->ctx, run->files[i]);
    for (int i = 0; !status && i < run->nfiles; i++)
        status = dfl_is_report(run->files[i])
                     ? dfl_report_open(sim->record, run->files[i], run->plotted)
                     : dfl_record_open(sim->record, run->files[i]);
    return status;
}

static bool is_standard(const char *path)
{
    return !strcmp(path, "-");
}

/* Before the run, which may be long. */
static dfl_status open_saved(dfl_run *run)
{
    if (!run->save)
        return DFL_OK;
    const char *path = is_standard(run->save) ? NULL : run->save;
    const dfl_status status = path ? dfl_model_spare(run->derived.model, run->ctx, path) : DFL_OK;
    return status ? status : dfl_new_file_open(&run->saved, run->ctx, path, true);
}

dfl_status dfl_run_save_at_end(dfl_run *run)
{
    return run->save ? dfl_saved_run_write(&run->saved, &run->sim) : DFL_OK;
}

void dfl_run_clear_files(dfl_run *run)
{
    dfl_new_file_discard(&run->saved);
    for (int i = 0; i < run->nfiles; i++)
        dfl_free(run->ctx, run->files[i]);
    dfl_free(run->ctx, run->files);
    dfl_free(run->ctx, run->save);
}
