/* A control loop at 1 kHz around a model that is a script: a cart balances a pole.
   Every millisecond the program reads four values, sets the force on the cart, and advances the
   model by fixed steps, whose work is bounded. With --real-time it waits for the clock. usage:
   control_loop [--real-time] */
#define _POSIX_C_SOURCE 200809L
#include <driftless/model.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const script =
    "planar() gravity{0, -9.81}\n"
    "local push = input('push', 0)\n"
    "local cart = body('cart', { mass = 1 })\n"
    "local pole = body('pole', { mass = 0.2, com = {0, 0.4}, inertia = 0.01 })\n"
    "local rail = prismatic('rail', ground, cart, { at = {0, 0}, axis = {1, 0} })\n"
    "local pin = revolute('pin', cart, pole, { at = {0, 0} })\n"
    "force(rail.q, push)\n"
    "initial{ [rail.q] = 0, [rail.qd] = 0, [pin.q] = 0.15, [pin.qd] = 0 }\n";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wait_until(double time)
{
    const double whole = floor(time);
    const struct timespec then = {(time_t)whole, (long)(1e9 * (time - whole))};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

/* Ten seconds of control; the longest time of one millisecond's work. */
static dfl_status control(double *longest, dfl_run *run, int real_time)
{
    const int push = dfl_run_find(run, "push");
    const int x = dfl_run_find(run, "rail.q"), v = dfl_run_find(run, "der(rail.q)");
    const int angle = dfl_run_find(run, "pin.q"), rate = dfl_run_find(run, "der(pin.q)");
    const double begin = seconds();
    dfl_status status = DFL_OK;
    *longest = 0;
    for (int k = 1; !status && k <= 10000; k++) {
        const double before = seconds();
        const double force = 2 * dfl_run_get(run, x) + 3 * dfl_run_get(run, v) -
                             40 * dfl_run_get(run, angle) - 8 * dfl_run_get(run, rate);
        status = dfl_run_set(run, push, force);
        if (!status)
            status = dfl_run_advance(run, 1e-3 * k);
        *longest = fmax(*longest, seconds() - before);
        if (real_time)
            wait_until(begin + 1e-3 * k);
    }
    return status;
}

int main(int argc, char **argv)
{
    static const char *const settings[] = {"fixed_step=1e-3"};
    const dfl_run_options options = {.nsettings = 1, .settings = settings};
    const int real_time = argc > 1 && !strcmp(argv[1], "--real-time");
    double longest = 0;
    dfl_context *ctx = dfl_context_create();
    dfl_model *model = NULL;
    dfl_run *run = NULL;
    dfl_status status =
        ctx ? dfl_model_load_text(&model, ctx, "cart.lua", script, strlen(script), NULL)
            : DFL_NO_MEMORY;
    if (!status)
        status = dfl_run_create(&run, ctx, model, &options);
    if (!status)
        status = dfl_run_start(run);
    if (!status)
        status = control(&longest, run, real_time);
    if (status) {
        fprintf(stderr, "%s\n", ctx ? dfl_message(ctx) : "no memory");
    } else {
        printf("angle after 10 s: %.1e rad\n", dfl_run_get(run, dfl_run_find(run, "pin.q")));
        fprintf(stderr, "longest millisecond: %.0f us of work\n", 1e6 * longest);
    }
    dfl_run_free(run);
    dfl_model_free(model);
    dfl_context_free(ctx);
    return status != DFL_OK;
}
