/* compilation.c: native code for what an integration evaluates often.

   Tape and native code give the same bits, so a run may change from one to the other between two
   steps. An automatic run starts on the tape. It changes as soon as two things are true. Native
   code from the start would already have saved a part of the cost of compiling, so that the first
   small steps alone do not decide. And in the rest of the run it will save more than it costs. Code
   in the cache costs only the lookup.

   A compiler may be broken and a cache may have been changed: native code is compared with the tape
   at the start of the run, and at an arbitrary state, before it is used. */
#include "engine/engine_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COMPILED = 3 };

static const double earned_part = 0.1; /* of the cost, saved if the code had been there */
static const double margin = 1.2;      /* the rest of the run is predicted from what is done */
static const double slow = 1.0;        /* s: compiling is announced */

static void list_compiled(program **out, dfl_runnable *run);
static double count_operations(dfl_runnable *run);
static double gain(dfl_runnable *run, const dfl_run_progress *done);
static dfl_status compile(dfl_runnable *run, const dfl_native_options *options, dfl_advice_fn tell,
                          void *user);
static dfl_status check(bool *good, dfl_runnable *run);
static void announce(dfl_runnable *run, dfl_advice_fn tell, void *user);

dfl_status dfl_runnable_compile(bool *native, dfl_runnable *run, dfl_evaluation how,
                                const dfl_native_options *options, dfl_advice_fn tell, void *user)
{
    program *used[COMPILED];
    list_compiled(used, run);
    for (int i = 0; i < COMPILED; i++)
        used[i]->native = NULL;
    dfl_native_free(run->native); /* of an earlier call */
    run->native = NULL;
    run->may_compile = run->may_look = how == DFL_EVAL_AUTO || how == DFL_EVAL_RECURSION;
    *native = false;
    if (how != DFL_EVAL_NATIVE)
        return DFL_OK;
    announce(run, tell, user);
    const dfl_status status = compile(run, options, tell, user);
    *native = run->native != NULL;
    return status;
}

dfl_status dfl_runnable_remember(dfl_runnable *run, double t, const double *x)
{
    const size_t n = (size_t)run->eq->n;
    if (!run->known_x)
        run->known_x = dfl_alloc(run->ctx, n, sizeof *run->known_x);
    if (!run->known_x)
        return DFL_NO_MEMORY;
    run->known_t = t;
    memcpy(run->known_x, x, n * sizeof *x);
    return DFL_OK;
}

dfl_status dfl_runnable_consider_native(dfl_runnable *run, const dfl_run_progress *done,
                                        const dfl_native_options *options, dfl_advice_fn tell,
                                        void *user)
{
    if (!run->may_compile || !(done->share > 0.0))
        return DFL_OK;
    const double operations = count_operations(run), earned = gain(run, done);
    const double rest = earned * (1.0 - done->share) / done->share;
    bool wanted = false;
    if (run->may_look && earned > dfl_cost_lookup(operations) &&
        rest > dfl_cost_lookup(operations)) {
        program *used[COMPILED];
        list_compiled(used, run);
        const dfl_tape *const tapes[COMPILED] = {used[0]->tape, used[1]->tape, used[2]->tape};
        wanted = dfl_native_cached(run->ctx, tapes, COMPILED, options);
        run->may_look = false;
    }
    if (!wanted && earned > earned_part * dfl_cost_compile(operations) &&
        rest > margin * dfl_cost_compile(operations)) {
        announce(run, tell, user);
        wanted = true;
    }
    if (!wanted)
        return DFL_OK;
    run->may_compile = false; /* whether it succeeds or not */
    return compile(run, options, tell, user) == DFL_NO_MEMORY ? DFL_NO_MEMORY : DFL_OK;
}

/* All blocks, masses and Jacobian: what an integration calls often. */
static void list_compiled(program **out, dfl_runnable *run)
{
    out[0] = &run->all;
    out[1] = &run->mass;
    out[2] = &run->jacobian;
}

static double count_operations(dfl_runnable *run)
{
    program *used[COMPILED];
    double operations = 0.0;
    list_compiled(used, run);
    for (int i = 0; i < COMPILED; i++)
        operations += (double)dfl_tape_operations(used[i]->tape);
    return operations;
}

/* What native code would have saved so far, in seconds. */
static double gain(dfl_runnable *run, const dfl_run_progress *done)
{
    const double calls[COMPILED] = {(double)done->evaluations, (double)done->masses,
                                    (double)done->jacobians};
    program *used[COMPILED];
    double seconds = 0.0;
    list_compiled(used, run);
    for (int i = 0; i < COMPILED; i++)
        seconds += calls[i] * dfl_cost_native_gain((double)dfl_tape_operations(used[i]->tape));
    return seconds;
}

static dfl_status compile(dfl_runnable *run, const dfl_native_options *options, dfl_advice_fn tell,
                          void *user)
{
    program *used[COMPILED];
    bool good = false;
    list_compiled(used, run);
    const dfl_tape *const tapes[COMPILED] = {used[0]->tape, used[1]->tape, used[2]->tape};
    dfl_status status = dfl_native_create(&run->native, run->ctx, tapes, COMPILED, options);
    if (!status)
        status = check(&good, run);
    for (int i = 0; good && i < COMPILED; i++)
        used[i]->native = dfl_native_function(run->native, i);
    if (good || !run->native)
        return status;
    dfl_native_reject(run->native);
    dfl_native_free(run->native);
    run->native = NULL;
    if (!status && tell)
        tell("compiled code gives other numbers than the equations; they are interpreted instead. "
             "The C compiler (CC) may be broken",
             user);
    return status;
}

/* *good: native code has the numbers of the tapes. */
static dfl_status check(bool *good, dfl_runnable *run)
{
    const size_t n = (size_t)run->eq->n, nv = (size_t)run->eq->nv;
    double *x = dfl_alloc(run->ctx, n + nv, sizeof *x);
    program *used[COMPILED];
    dfl_status status = x ? DFL_OK : DFL_NO_MEMORY;
    list_compiled(used, run);
    *good = x != NULL;
    for (int state = 0; !status && *good && state < 2; state++) {
        for (size_t i = 0; i < n + nv; i++)
            x[i] = 0.7 + 0.4 * sin((double)(i + 1));
        if (state == 0 && run->known_x)
            memcpy(x, run->known_x, n * sizeof *x);
        const double t = state == 0 ? run->known_t : 0.37;
        const double *const in[DFL_IN_ARRAYS] = {&t,
                                                 x,
                                                 x + n,
                                                 run->param,
                                                 run->input,
                                                 run->level,
                                                 run->branching.branch,
                                                 run->branching.discrete};
        for (int i = 0; !status && *good && i < COMPILED; i++)
            status = dfl_native_check(good, run->native, i, used[i]->tape, used[i]->work, in);
    }
    dfl_free(run->ctx, x);
    return status;
}

/* Reports that the compiler is at work, if that takes seconds. */
static void announce(dfl_runnable *run, dfl_advice_fn tell, void *user)
{
    const double operations = count_operations(run), seconds = dfl_cost_compile(operations);
    char text[100];
    if (!tell || seconds < slow)
        return;
    snprintf(text, sizeof text, "compiling %.2g operations, about %.0f s", operations, seconds);
    tell(text, user);
}
