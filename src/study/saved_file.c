/* saved_file.c: saved runs in files. */
#include "study/study_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

dfl_status dfl_saved_run_read(dfl_text *bytes, const char *path)
{
    char block[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return dfl_fail(bytes->ctx, DFL_INVALID, "cannot read '%s': %s", path, strerror(errno));
    while (!bytes->status && (got = fread(block, 1, sizeof block, file)) > 0) {
        dfl_text_bytes(bytes, block, got);
        if (!dfl_is_saved_run(dfl_text_string(bytes), bytes->length)) { /* something else */
            dfl_text_clear(bytes);
            break;
        }
    }
    const bool failed = ferror(file) != 0;
    fclose(file);
    return failed ? dfl_fail(bytes->ctx, DFL_IO, "cannot read '%s'", path) : bytes->status;
}

dfl_status dfl_saved_run_refuse(dfl_context *ctx, const char *path)
{
    return dfl_fail(
        ctx, DFL_INVALID,
        "'%s' is a saved run, from which only `driftless run` goes on; write its end as "
        "JSON (driftless run MODEL --start-from %s --json) and start from that",
        path, path);
}

dfl_status dfl_saved_run_write(dfl_new_file *file, dfl_simulation *sim)
{
    const size_t size = dfl_simulation_saved_size(sim);
    char *bytes = dfl_alloc(sim->ctx, size, 1);
    dfl_status status = bytes ? dfl_simulation_save(bytes, sim) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_new_file_write(file, bytes, size);
    dfl_free(sim->ctx, bytes);
    if (!status)
        return dfl_new_file_keep(file, NULL);
    dfl_new_file_discard(file);
    return status;
}
