/* optimum.h: optima of scripts in a folder of their own, for tests. */
#ifndef TESTS_OPTIMUM_H
#define TESTS_OPTIMUM_H

#include "../scripted.h"

#include <math.h>
#include <unistd.h>

/* A script in a folder of its own, loaded again and again. */
typedef struct varied {
    dfl_context *ctx;
    const char *path;
} varied;

static dfl_status load(dfl_loaded *out, const char *const *settings, int count, void *user)
{
    const varied *it = user;
    const dfl_script_options options = {
        .nset = count, .set = settings, .goals = true, .dynamics = DFL_DYNAMICS_EXPRESSIONS};
    dfl_status status = dfl_script_load(&out->model, it->ctx, it->path, &options);
    if (!status)
        status = dfl_equations_create(&out->eq, out->model, true);
    return status ? status : dfl_runnable_create(&out->run, out->eq);
}

static dfl_status fork_it(dfl_variation *out, dfl_context *ctx, const void *user)
{
    varied *it = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    *it = (varied){.ctx = ctx, .path = ((const varied *)user)->path};
    *out = (dfl_variation){load, it, NULL, NULL};
    return DFL_OK;
}

static void release(dfl_variation *variation)
{
    varied *it = variation->user;
    dfl_free(it->ctx, it);
}

static void tell(int iteration, long runs, double objective, void *user)
{
    (void)iteration, (void)runs, (void)objective, (void)user;
}

/* What was found; values in the order of the names. */
typedef struct found {
    dfl_status status;
    char message[500];
    double best[8], deviation[8], interval[8], objective, slope;
    bool at_bound[8], idle[8], converged;
    long runs;
} found;

static char folder[] = "/tmp/driftless-optimize-XXXXXX";

static void write_file(char *path, size_t size, const char *name, const char *text)
{
    snprintf(path, size, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static found optimum_from(const char *text, const dfl_search_options *options)
{
    char path[200];
    found out = {0};
    write_file(path, sizeof path, "model.lua", text);
    varied self = {.ctx = dfl_context_create(), .path = path};
    const dfl_variation variation = {load, &self, fork_it, release};
    const dfl_choices choices = dfl_choices_none("test: ");
    dfl_optimum optimum = {0};
    dfl_loaded loaded = {0};
    out.status = load(&loaded, NULL, 0, &self);
    if (!out.status)
        out.status =
            dfl_study_optimize(&optimum, loaded.model, &choices, &variation, options, tell, NULL);
    if (out.status)
        snprintf(out.message, sizeof out.message, "%s", dfl_message(self.ctx));
    for (int i = 0; !out.status && i < optimum.count; i++) {
        out.best[i] = optimum.best[i];
        out.deviation[i] = optimum.deviation[i];
        out.interval[i] = optimum.interval[i];
        out.at_bound[i] = optimum.at_bound[i];
        out.idle[i] = optimum.idle[i];
    }
    out.objective = optimum.objective;
    out.slope = optimum.slope;
    out.converged = optimum.converged;
    out.runs = optimum.runs;
    dfl_optimum_clear(&optimum);
    dfl_loaded_clear(&loaded);
    assert_int_equal(dfl_context_live(self.ctx), 0);
    dfl_context_free(self.ctx);
    return out;
}

static inline found optimum_by(const char *text, const char *algorithm)
{
    return optimum_from(text, &(dfl_search_options){.algorithm = algorithm});
}

static inline found optimum_of(const char *text)
{
    return optimum_by(text, NULL);
}

static inline void remove_folder(void)
{
    static const char *const files[] = {"model.lua", "true.lua", "measured.csv",
                                        "coupler-curve.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        remove(path);
    }
    rmdir(folder);
}

#endif
