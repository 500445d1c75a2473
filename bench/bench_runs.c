/* Measures runs of driftless/model.h: a sample inside the last step with one value read, fixed
   steps with an input that changes, and two runs of one model in two threads compared with one
   after the other. The least of several repeats counts.   usage: bench_runs EXAMPLES-FOLDER */
#define _POSIX_C_SOURCE 200809L
#include <driftless/model.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 7, SAMPLES = 100000, RUNS = 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(dfl_status status, const dfl_context *ctx)
{
    if (!status)
        return;
    fprintf(stderr, "bench_runs: %s\n", dfl_message(ctx));
    exit(1);
}

static dfl_run *start(dfl_context *ctx, const dfl_model *model, const char *setting)
{
    const dfl_run_options options = {.nsettings = 1, .settings = &setting};
    dfl_run *run;
    need(dfl_run_create(&run, ctx, model, &options), ctx);
    need(dfl_run_start(run), ctx);
    return run;
}

/* Seconds of advancing to a time inside the last step and reading one value there. */
static double sample_inside(dfl_context *ctx, const dfl_model *model, const char *setting)
{
    dfl_run *run = start(ctx, model, setting);
    double best = 1e9, sum = 0;
    double begin = 0;
    for (int k = 0; k < 20; k++) {
        begin = dfl_run_time(run);
        need(dfl_run_step(run), ctx);
    }
    const double end = dfl_run_time(run);
    const int x = dfl_run_find(run, "x");
    for (int r = 0; r < REPEATS; r++) {
        const double clock = now();
        for (int i = 1; i <= SAMPLES; i++) {
            need(dfl_run_advance(run, begin + (end - begin) * i / (SAMPLES + 1)), ctx);
            sum += dfl_run_get(run, x);
        }
        const double each = (now() - clock) / SAMPLES;
        best = each < best ? each : best;
    }
    dfl_run_free(run);
    return sum == 0 ? 0 : best;
}

/* Seconds of one fixed step of 1 ms after a parameter has changed. */
static double fixed_step(dfl_context *ctx, const dfl_model *model)
{
    dfl_run *run = start(ctx, model, "fixed_step=0.001");
    const int g = dfl_run_find(run, "g");
    double best = 1e9;
    for (int r = 0, k = 0; r < REPEATS; r++) {
        const double clock = now();
        for (int i = 1; i <= 1000; i++) {
            k++;
            need(dfl_run_set(run, g, 9.81 + 1e-6 * k), ctx);
            need(dfl_run_advance(run, 1e-3 * k), ctx);
        }
        const double each = (now() - clock) / 1000;
        best = each < best ? each : best;
    }
    dfl_run_free(run);
    return best;
}

/* Runs in one thread, and the CPU time that they took. */
typedef struct worker {
    const dfl_model *model;
    double seconds;
} worker;

static void *work(void *user)
{
    worker *w = user;
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    dfl_context *ctx = dfl_context_create();
    for (int i = 0; i < RUNS; i++) {
        dfl_run *run = start(ctx, w->model, "to=20");
        need(dfl_run_finish(run), ctx);
        dfl_run_free(run);
    }
    dfl_context_free(ctx);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    w->seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    return NULL;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* How many times as many runs two threads make as one, by the clock on the wall, and by the CPU
   time of a run, which does not see other work on the machine. */
static void speed_up(double *wall, double *cpu, const dfl_model *model)
{
    double one = 1e9, two = 1e9, one_cpu = 1e9, two_cpu = 1e9;
    for (int r = 0; r < REPEATS; r++) {
        worker first = {.model = model}, second = {.model = model};
        pthread_t other;
        double clock = now();
        work(&first);
        one = least(one, now() - clock);
        one_cpu = least(one_cpu, first.seconds);
        clock = now();
        if (pthread_create(&other, NULL, work, &second))
            exit(1);
        work(&first);
        pthread_join(other, NULL);
        two = least(two, now() - clock);
        two_cpu = least(two_cpu, (first.seconds + second.seconds) / 2);
    }
    *wall = 2 * one / two;
    *cpu = 2 * one_cpu / two_cpu;
}

int main(int argc, char **argv)
{
    char path[1000];
    dfl_context *ctx = dfl_context_create();
    dfl_model *model;
    double wall, cpu;
    snprintf(path, sizeof path, "%s/pendulum.lua", argc > 1 ? argv[1] : "examples");
    need(dfl_model_load(&model, ctx, path, NULL), ctx);
    printf("| pendulum | |\n| --- | ---: |\n");
    printf("| a sample inside the last step, one value read | %.2f us |\n",
           1e6 * sample_inside(ctx, model, "interpolate=true"));
    printf("| the same, moved onto the constraints | %.2f us |\n",
           1e6 * sample_inside(ctx, model, "interpolate=false"));
    printf("| a fixed step of 1 ms with a parameter that changes | %.1f us |\n",
           1e6 * fixed_step(ctx, model));
    speed_up(&wall, &cpu, model);
    printf("| runs of two threads over those of one | %.2f |\n", wall);
    printf("| the same by CPU time | %.2f |\n", cpu);
    dfl_model_free(model);
    dfl_context_free(ctx);
    return 0;
}
