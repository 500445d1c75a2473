/* bench_studies: what a case costs in one process without a study, and what a study's process with
   the file has to do for each case of the others.

   usage: bench_studies EXAMPLES [RUNS]; a table, processor time. */
#define _POSIX_C_SOURCE 200809L
#include <driftless/sweep.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 100 };

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(dfl_context *ctx, dfl_status status)
{
    if (!status)
        return;
    fprintf(stderr, "bench_studies: %s\n", dfl_message(ctx));
    exit(1);
}

static dfl_model *load(dfl_context *ctx, const char *folder, const char *name)
{
    char path[1000];
    dfl_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s.lua", folder, name);
    check(ctx, dfl_model_load(&model, ctx, path, NULL));
    return model;
}

/* Runs of one loaded model with different values of a parameter; nothing is kept. */
static void bare_runs(const char *folder, const char *name, const char *parameter, int runs)
{
    dfl_context *ctx = dfl_context_create();
    dfl_model *model = load(ctx, folder, name);
    const double begun = processor_time();
    for (int i = 0; i < runs; i++) {
        dfl_run *run = NULL;
        check(ctx, dfl_run_create(&run, ctx, model, NULL));
        check(ctx, dfl_run_set(run, dfl_run_find(run, parameter), 9 + 2.0 * i / runs));
        check(ctx, dfl_run_complete(run));
        dfl_run_free(run);
    }
    printf("| run of %s in one process | %.1f us |\n", name,
           1e6 * (processor_time() - begun) / runs);
    dfl_model_free(model);
    dfl_context_free(ctx);
}

/* Cases that another process runs: what their two messages cost who has the file, but for MPI. */
static void messages(const char *folder, int rounds)
{
    dfl_context *ctx = dfl_context_create();
    dfl_model *model = load(ctx, folder, "pendulum");
    char path[100], count[60];
    snprintf(path, sizeof path, "/tmp/bench-studies-%ld.h5", (long)getpid());
    snprintf(count, sizeof count, "g=9:10:%d", BATCH * rounds);
    const char *const over = count;
    const dfl_sweep_options options = {.nover = 1, .over = &over, .output = path};
    dfl_sweep_options elsewhere = options;
    elsewhere.elsewhere = true;
    dfl_sweep *sweep = NULL, *other = NULL;
    check(ctx, dfl_sweep_create(&sweep, ctx, model, &options));
    check(ctx, dfl_sweep_create(&other, ctx, model, &elsewhere));
    char *jobs = calloc(BATCH, dfl_sweep_job_size(sweep));
    char *results = calloc(BATCH, dfl_sweep_result_size(sweep));
    double begun = processor_time();
    for (int i = 0; i < rounds; i++)
        dfl_sweep_hand_out(jobs, sweep, BATCH, 1);
    const double handed = (processor_time() - begun) / (BATCH * rounds);
    check(ctx, dfl_sweep_start(other, 1));
    check(ctx, dfl_sweep_add_jobs(other, jobs, BATCH));
    check(ctx, dfl_sweep_add_jobs(other, NULL, 0));
    while (!dfl_sweep_wait(other, 1))
        ;
    dfl_sweep_collect(results, other, BATCH);
    begun = processor_time();
    for (int i = 0; i < rounds; i++) {
        for (long k = 0; k < BATCH;
             k++) { /* every case in its place: results begin with their numbers */
            const long number = (long)BATCH * i + k;
            memcpy(results + dfl_sweep_result_size(sweep) * (size_t)k, &number, sizeof number);
        }
        check(ctx, dfl_sweep_store(sweep, results, BATCH));
    }
    const double stored = (processor_time() - begun) / (BATCH * rounds);
    printf("| a case handed out | %.2f us |\n| a case of %zu bytes stored | %.2f us |\n"
           "| cases per second of one file | %.0f |\n",
           1e6 * handed, dfl_sweep_result_size(sweep), 1e6 * stored, 1 / (handed + stored));
    dfl_sweep_free(other);
    dfl_sweep_free(sweep);
    remove(path);
    free(jobs);
    free(results);
    dfl_model_free(model);
    dfl_context_free(ctx);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "examples";
    const int runs = argc > 2 ? atoi(argv[2]) : 1000;
    printf("| | processor time |\n| --- | --- |\n");
    bare_runs(folder, "pendulum", "g", runs);
    bare_runs(folder, "slider-crank", "g", runs);
    messages(folder, runs);
    return 0;
}
