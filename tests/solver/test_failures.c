/* test_failures.c: whatever fails, the caller gets a status with a message, nothing leaks, and the
   last accepted state stays usable.

   Allocations fail in turn through the context's hook. Callbacks fail through a model that wraps a
   problem and spoils its k-th call: by a return value, or by NaN or Inf in one block. */
#include "support.h"

#include <stdlib.h>

/* Which callback is spoiled. */
typedef enum target {
    EVAL,
    MASS,
    MASS_TIMES,
    RESIDUAL,
    JACOBIAN,
    SELECT,
    CONDITION,
    EVENT,
    ON_STEP,
    ON_OUTPUT,
    TARGETS
} target;
static const char *const target_name[TARGETS] = {"eval",     "mass",     "mass_times", "residual",
                                                 "jacobian", "select",   "condition",  "event",
                                                 "on_step",  "on_output"};

/* How: a return value, or a number written into the block. */
typedef struct damage {
    target target;
    int rc;       /* 0: spoil the block */
    double value; /* NaN or Inf */
    int block;    /* of eval or jacobian, by number */
} damage;

/* A problem with a fault. */
typedef struct faulty {
    problem prob;
    dfl_eom eom;
    const dfl_eom *model;
    damage damage;
    long calls, from, to; /* calls of the target so far; calls from .. to-1 are spoiled */
} faulty;

/* Options of all runs of a test, and whether its models lose their jacobian. */
static dfl_solver_options variant;
static bool by_differences;

static bool due(faulty *f, target which)
{
    if (f->damage.target != which)
        return false;
    const long k = f->calls++;
    return k >= f->from && k < f->to;
}

enum { EVAL_BLOCKS = 14, JACOBIAN_BLOCKS = 8 };

/* Block k of eval: its first number, how many there are, what asks for it, and its name. */
typedef struct block {
    double *numbers;
    int count;
    unsigned bit;
    const char *name;
} block;

static block eval_block(const dfl_blocks *b, const dfl_eom *m, int k)
{
    const int nc = m->nl + m->nm;
    const block all[EVAL_BLOCKS] = {
        {b->kin, m->np, DFL_KINEMATICS, "kin[0]"},
        {b->f, m->nv, DFL_FORCE, "f[0]"},
        {b->b, m->nr, DFL_DYNAMIC, "b[0]"},
        {b->d, m->nw, DFL_AUXILIARY, "d[0]"},
        {b->c, m->ns, DFL_POSITION, "c[0]"},
        {b->g, m->nl, DFL_POSITION, "g[0]"},
        {b->ep, m->nep, DFL_POSITION, "ep[0]"},
        {b->gI, m->nl, DFL_VELOCITY, "gI[0]"},
        {b->hv, m->nm, DFL_VELOCITY, "hv[0]"},
        {b->e, m->ne, DFL_VELOCITY, "e[0]"},
        {b->gam, m->n0, DFL_VELOCITY, "gam[0]"},
        {b->W, nc * m->nv, DFL_DIRECTIONS, m->nl ? "W, row gI[" : "W, row hv["},
        {b->K0, m->n0 * m->nv, DFL_DIRECTIONS, "K0, row f["},
        {b->bias, nc, DFL_BIAS, m->nl ? "gII[0]" : "hI[0]"},
    };
    return all[k];
}

static block jacobian_block(const dfl_jacobian *b, const dfl_eom *m, int k)
{
    const int nc = m->nl + m->nm, n = dfl_eom_unknowns(m), nvsp = m->nv + m->ns + m->np;
    const block all[JACOBIAN_BLOCKS] = {
        {b->d, m->nw * n, 0, "d[0]"},
        {b->acc, nc * n, 0, m->nl ? "gII[0]" : "hI[0]"},
        {b->vel, (nc + m->ne) * nvsp, 0,
         m->nl   ? "gI[0]"
         : m->nm ? "hv[0]"
                 : "e[0]"},
        {b->gam, m->n0 * n, 0, "gam[0]"},
        {b->pos, (m->ns + m->nl + m->nep) * (m->ns + m->np), 0,
         m->ns   ? "c[0]"
         : m->nl ? "g[0]"
                 : "ep[0]"},
        {b->b, m->nr * n, 0, "b[0]"},
        {b->dyn, m->nv * n, 0, "f[0]"},
        {b->kin, m->np * nvsp, 0, "kin[0]"},
    };
    return all[k];
}

static int spoiled_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    faulty *f = user;
    const int rc = f->model->eval(out, t, x, need, f->model->user);
    if (rc || !due(f, EVAL))
        return rc;
    const block b = eval_block(out, f->model, f->damage.block);
    const bool matrix = (b.bit & DFL_DIRECTIONS) != 0;
    int at = 0; /* entries of W and K0 that are always zero need not be written by a model */
    while (matrix && at + 1 < b.count && b.numbers[at] == 0)
        at++;
    if (f->damage.rc == 0 && b.count > 0 && (need & b.bit))
        b.numbers[at] = f->damage.value;
    return f->damage.rc;
}

static int spoiled_mass(double *M, double t, const double *x, void *user)
{
    faulty *f = user;
    const int rc = f->model->mass(M, t, x, f->model->user);
    if (rc || !due(f, MASS))
        return rc;
    if (f->damage.rc == 0)
        M[0] = f->damage.value;
    return f->damage.rc;
}

/* y = M a from the model's matrix or diagonal. */
static void multiply(double *y, const faulty *f, double t, const double *x, const double *a)
{
    const int nv = f->model->nv;
    double *M = calloc((size_t)nv * (size_t)nv, sizeof *M);
    assert_non_null(M);
    assert_int_equal(f->model->mass(M, t, x, f->model->user), 0);
    for (int i = 0; i < nv; i++) {
        y[i] = f->model->mass_diagonal ? M[i] * a[i] : 0;
        for (int j = 0; !f->model->mass_diagonal && j < nv; j++)
            y[i] += M[j * nv + i] * a[j];
    }
    free(M);
}

static int spoiled_mass_times(double *y, double t, const double *x, const double *a, void *user)
{
    faulty *f = user;
    multiply(y, f, t, x, a);
    if (!due(f, MASS_TIMES))
        return 0;
    if (f->damage.rc == 0)
        y[0] = f->damage.value;
    return f->damage.rc;
}

static int spoiled_residual(double *y, double t, const double *x, const double *a, void *user)
{
    faulty *f = user;
    const int nv = f->model->nv, rest = 200;
    double *room = calloc((size_t)(nv + 13 * rest), sizeof *room), *r = room + nv;
    assert_non_null(room);
    dfl_blocks b = {.f = room,
                    .kin = r,
                    .b = r + rest,
                    .d = r + 2 * rest,
                    .c = r + 3 * rest,
                    .g = r + 4 * rest,
                    .ep = r + 5 * rest,
                    .gI = r + 6 * rest,
                    .hv = r + 7 * rest,
                    .e = r + 8 * rest,
                    .gam = r + 9 * rest,
                    .W = r + 10 * rest,
                    .K0 = r + 11 * rest,
                    .bias = r + 12 * rest};
    assert_int_equal(f->model->eval(&b, t, x, DFL_FORCE, f->model->user), 0);
    multiply(y, f, t, x, a);
    for (int i = 0; i < nv; i++)
        y[i] -= b.f[i];
    free(room);
    if (!due(f, RESIDUAL))
        return 0;
    if (f->damage.rc == 0)
        y[0] = f->damage.value;
    return f->damage.rc;
}

static int spoiled_jacobian(dfl_jacobian *out, double t, const double *x, const double *a,
                            void *user)
{
    faulty *f = user;
    const int rc = f->model->jacobian(out, t, x, a, f->model->user);
    if (rc || !due(f, JACOBIAN))
        return rc;
    const block b = jacobian_block(out, f->model, f->damage.block);
    if (f->damage.rc == 0 && b.count > 0)
        b.numbers[0] = f->damage.value;
    return f->damage.rc;
}

/* Selectors of the pendulum: the tangent. */
static int spoiled_select(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                          void *user)
{
    faulty *f = user;
    (void)t;
    assert_true(nfp <= 1 && nfv <= 1);
    const double *p = x + 3;
    if (nfp > 0)
        Sp[0] = -p[1], Sp[1] = p[0];
    if (nfv > 0)
        Sv[0] = -p[1], Sv[1] = p[0];
    if (!due(f, SELECT))
        return 0;
    if (f->damage.rc == 0)
        Sp[0] = f->damage.value;
    return f->damage.rc;
}

/* The pendulum starts at the angle where x = 0.6, at rest. */
static int spoiled_condition(double *residual, double t, const double *x, void *user)
{
    faulty *f = user;
    (void)t;
    residual[0] = x[3] - 0.6;
    residual[1] = x[1];
    if (!due(f, CONDITION))
        return 0;
    if (f->damage.rc == 0)
        residual[1] = f->damage.value;
    return f->damage.rc;
}

static int spoiled_event(double *value, double t, const double *x, void *user)
{
    faulty *f = user;
    (void)x;
    value[0] = t - 0.2;
    if (!due(f, EVENT))
        return 0;
    if (f->damage.rc == 0)
        value[0] = f->damage.value;
    return f->damage.rc;
}

static int spoiled_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    faulty *f = user;
    (void)solver, (void)t_old, (void)t, (void)x;
    return due(f, ON_STEP) ? f->damage.rc : 0;
}

static int spoiled_output(double t, const double *x, void *user)
{
    faulty *f = user;
    (void)t, (void)x;
    return due(f, ON_OUTPUT) ? f->damage.rc : 0;
}

static void make_faulty(faulty *f, const char *name, damage d)
{
    *f = (faulty){.damage = d};
    assert_true(problem_make(&f->prob, name, 0));
    f->model = &f->prob.eom;
    f->eom = f->prob.eom;
    f->eom.user = f;
    f->eom.name = NULL; /* the default names, such as "g[0]" */
    f->eom.eval = spoiled_eval;
    f->eom.mass = f->eom.mass ? spoiled_mass : NULL;
    f->eom.jacobian = f->eom.jacobian && !by_differences ? spoiled_jacobian : NULL;
    if (d.target == MASS_TIMES || d.target == RESIDUAL) {
        f->eom.mass = NULL;
        f->eom.mass_diagonal = f->eom.mass_constant = false;
        f->eom.mass_times = d.target == MASS_TIMES ? spoiled_mass_times : NULL;
        f->eom.residual = d.target == RESIDUAL ? spoiled_residual : NULL;
    }
    f->eom.trivial_kinematics = false; /* so that kin is asked for */
    if (d.target == CONDITION)
        f->prob.x0[3] = 0.8, f->prob.x0[4] = -0.6; /* conditions and g are independent there */
    if (d.target == MASS)
        f->eom.mass_constant = false; /* so that it is called in every step */
}

static double span_of(const problem *prob)
{
    return 0.02 * (prob->t_end - prob->t0);
}

/* Finite, and consistent to what a run at rtol = 1e-6 promises: `allowed` for every level. */
static void assert_usable(const dfl_solver *solver, const problem *prob, double allowed)
{
    static double room[EVAL_BLOCKS][RUN_MOST * RUN_MOST];
    const dfl_eom *m = &prob->eom;
    const double *x = dfl_solver_state(solver), t = dfl_solver_time(solver);
    dfl_blocks b = {.kin = room[0],
                    .f = room[1],
                    .b = room[2],
                    .d = room[3],
                    .c = room[4],
                    .g = room[5],
                    .ep = room[6],
                    .gI = room[7],
                    .hv = room[8],
                    .e = room[9],
                    .gam = room[10],
                    .W = room[11],
                    .K0 = room[12],
                    .bias = room[13]};
    for (int i = 0; i < dfl_eom_unknowns(m); i++)
        assert_true(isfinite(x[i]));
    assert_true(isfinite(t));
    assert_int_equal(m->eval(&b, t, x, DFL_EVERYTHING & ~(unsigned)DFL_BIAS, m->user), 0);
    for (int k = 3; k < 11; k++) {
        const block rows = eval_block(&b, m, k);
        for (int i = 0; i < rows.count; i++)
            assert_near(rows.numbers[i], 0, allowed);
    }
}

/* ------------------------------------------------------------------ allocations */

static const char *const memory_problems[] = {"pendulum_energy", "andrews",  "bricard",
                                              "wheelset",        "friction", "oscillator"};
enum { MEMORY_PROBLEMS = sizeof memory_problems / sizeof *memory_problems };

static void create_survives_every_failed_allocation(void **state)
{
    (void)state;
    for (int p = 0; p < MEMORY_PROBLEMS; p++) {
        problem prob;
        assert_true(problem_make(&prob, memory_problems[p], 0));
        dfl_context *ctx = dfl_context_create();
        dfl_status status = DFL_NO_MEMORY;
        const dfl_solver_options options = {
            .nevents = 1, .event = spoiled_event, .selectors = DFL_USER, .select = spoiled_select};
        long n = 0;
        for (; status; n++) {
            dfl_solver *solver = (dfl_solver *)&prob; /* must be overwritten */
            dfl_context_fail_after(ctx, n);
            status = dfl_solver_create(&solver, ctx, &prob.eom, &options);
            assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
            if (status) {
                assert_null(solver);
                assert_non_null(strstr(dfl_message(ctx), "memory"));
            }
            dfl_solver_free(solver);
            assert_int_equal(dfl_context_live(ctx), 0);
            dfl_fail(ctx, DFL_INVALID, "-"); /* no old message can pass for a new one */
        }
        assert_true(n > 50); /* the hook was in use */
        dfl_context_free(ctx);
        problem_free(&prob);
    }
}

static void start_survives_every_failed_allocation(dfl_solver *solver, dfl_context *ctx,
                                                   const problem *prob, const dfl_conditions *cond)
{
    dfl_status status = DFL_NO_MEMORY;
    for (long n = 0; status == DFL_NO_MEMORY; n++) {
        assert_true(n < 100);
        dfl_context_fail_after(ctx, n);
        status = dfl_solver_start(solver, prob->t0, prob->x0, cond);
        if (status == DFL_NO_MEMORY) {
            assert_non_null(strstr(dfl_message(ctx), "memory"));
            assert_int_equal(dfl_solver_advance(solver, prob->t_end), DFL_INVALID);
            dfl_fail(ctx, DFL_INVALID, "-");
        }
    }
    dfl_context_fail_after(ctx, 0); /* advancing never allocates */
    if (status)
        fail_msg("%s: %s", prob->name, dfl_message(ctx));
    assert_int_equal(dfl_solver_advance(solver, prob->t0 + span_of(prob)), DFL_OK);
    dfl_context_fail_after(ctx, -1);
}

/* Conditions that any start fulfils: nothing is asked of the model. */
static int no_demand(double *residual, double t, const double *x, void *user)
{
    (void)t, (void)user;
    residual[0] = 0 * x[0];
    residual[1] = 0;
    return 0;
}

static void every_way_to_start_survives_every_failed_allocation(void **state)
{
    (void)state;
    for (int p = 0; p < MEMORY_PROBLEMS; p++)
        for (int mode = 0; mode < 4; mode++)
            for (int self_check = 0; self_check <= 1; self_check++) {
                problem prob;
                assert_true(problem_make(&prob, memory_problems[p], 0));
                dfl_context *ctx = dfl_context_create();
                dfl_solver *solver = NULL;
                const dfl_solver_options options = {.self_check = self_check};
                assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
                const int n = dfl_eom_unknowns(&prob.eom);
                /* a consistent start for the modes that do not complete it */
                double x0[RUN_MOST];
                if (dfl_solver_start(solver, prob.t0, prob.x0, NULL))
                    fail_msg("%s %s", prob.name, dfl_message(ctx));
                memcpy(x0, dfl_solver_state(solver), (size_t)n * sizeof *x0);
                memcpy(prob.x0, x0, (size_t)n * sizeof *x0);
                const dfl_conditions cond = {.mode = (dfl_start_mode)mode,
                                             .nconditions = mode == DFL_START_CONDITIONS ? 2 : 0,
                                             .condition = no_demand};
                start_survives_every_failed_allocation(solver, ctx, &prob, &cond);
                dfl_solver_free(solver);
                assert_int_equal(dfl_context_live(ctx), 0);
                dfl_context_free(ctx);
                problem_free(&prob);
            }
}

/* ------------------------------------------------------------------ callbacks */

static bool names_target(const dfl_context *ctx, target which)
{
    return strstr(dfl_message(ctx), target_name[which]) != NULL;
}

static dfl_solver_options options_for(faulty *f)
{
    dfl_solver_options o = variant;
    o.user = f;
    if (f->damage.target == SELECT)
        o.selectors = DFL_USER, o.select = spoiled_select;
    if (f->damage.target == EVENT)
        o.nevents = 1, o.event = spoiled_event;
    if (f->damage.target == ON_STEP)
        o.on_step = spoiled_step;
    if (f->damage.target == ON_OUTPUT)
        o.on_output = spoiled_output, o.every = span_of(&f->prob) / 20;
    return o;
}

static dfl_status start_faulty(dfl_solver *solver, faulty *f)
{
    const dfl_conditions cond = {
        .mode = DFL_START_CONDITIONS, .nconditions = 2, .condition = spoiled_condition, .user = f};
    return dfl_solver_start(solver, f->prob.t0, f->prob.x0,
                            f->damage.target == CONDITION ? &cond : NULL);
}

/* The status that a target's damage must lead to when nothing helps. */
static bool fits(const damage *d, dfl_status status)
{
    if (d->target == ON_STEP || d->target == ON_OUTPUT)
        return status == DFL_STOPPED;
    if (d->target == SELECT && d->rc == 0)
        return status == DFL_NOT_FINITE || status == DFL_SINGULAR;
    return status == (d->rc ? DFL_CALLBACK : DFL_NOT_FINITE);
}

/* The k-th call is spoiled, everything else works. The run fails cleanly or recovers; either way it
   reaches the end and agrees with the run without a fault. */
static void one_fault(const char *name, damage d, long k, const double *expected, double tolerance)
{
    faulty f;
    make_faulty(&f, name, d);
    f.from = k;
    f.to = k + 1;
    const dfl_solver_options options = options_for(&f);
    const double t_end = f.prob.t0 + span_of(&f.prob);
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, &options), DFL_OK);
    dfl_status status = start_faulty(solver, &f);
    if (status) {
        if (!fits(&d, status) || (d.rc && !names_target(ctx, d.target)))
            fail_msg("%s, start, %s call %ld rc %d block %d: %s: %s", name, target_name[d.target],
                     k, d.rc, d.block, dfl_status_name(status), dfl_message(ctx));
        if (status != DFL_STOPPED) {
            assert_int_equal(dfl_solver_advance(solver, t_end), DFL_INVALID);
            if (start_faulty(solver, &f))
                fail_msg("%s, started again after %s call %ld rc %d block %d: %s", name,
                         target_name[d.target], k, d.rc, d.block, dfl_message(ctx));
        }
    }
    status = dfl_solver_advance(solver, t_end);
    if (status) {
        if (!fits(&d, status) || (d.rc && !names_target(ctx, d.target)))
            fail_msg("%s, advance, %s call %ld rc %d block %d: %s: %s", name, target_name[d.target],
                     k, d.rc, d.block, dfl_status_name(status), dfl_message(ctx));
        assert_usable(solver, &f.prob, 1e-5);
        if (dfl_solver_advance(solver, t_end))
            fail_msg("%s, continued after %s call %ld rc %d block %d: %s", name,
                     target_name[d.target], k, d.rc, d.block, dfl_message(ctx));
    }
    assert_usable(solver, &f.prob, 1e-5);
    const dfl_layout at = dfl_eom_layout(&f.prob.eom);
    for (int i = at.v; i < at.n; i++)
        if (fabs(dfl_solver_state(solver)[i] - expected[i]) >
            tolerance * fmax(1, fabs(expected[i])))
            fail_msg("%s, %s call %ld rc %d block %d: x[%d] is %.10g, not %.10g", name,
                     target_name[d.target], k, d.rc, d.block, i, dfl_solver_state(solver)[i],
                     expected[i]);
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    problem_free(&f.prob);
}

/* The run without a fault; returns how often the target was called. */
static long without_fault(double *x, const char *name, damage d)
{
    faulty f;
    make_faulty(&f, name, d);
    const dfl_solver_options options = options_for(&f);
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, &options), DFL_OK);
    if (start_faulty(solver, &f) || dfl_solver_advance(solver, f.prob.t0 + span_of(&f.prob)))
        fail_msg("%s: %s", name, dfl_message(ctx));
    memcpy(x, dfl_solver_state(solver), (size_t)dfl_eom_unknowns(&f.eom) * sizeof *x);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    const long calls = f.calls;
    problem_free(&f.prob);
    return calls;
}

/* Every call up to a bound, then every stride-th one, with all kinds of damage. Recovery changes
   the steps, so the result changes by some tolerances (1e-6): 1e-4 tells it from a wrong one. */
static void every_call_may_fail(const char *name, target which, int blocks)
{
    double expected[RUN_MOST];
    const long calls = without_fault(expected, name, (damage){.target = which});
    assert_true(calls > 0);
    for (long k = 0; k < calls; k += k < 40 ? 1 : 1 + calls / 23) {
        one_fault(name, (damage){.target = which, .rc = 1}, k, expected, 1e-4);
        one_fault(name, (damage){.target = which, .rc = -1}, k, expected, 1e-4);
        for (int b = 0; b < blocks; b++) {
            one_fault(name, (damage){.target = which, .block = b, .value = NAN}, k, expected, 1e-4);
            if (k % 7 == 0)
                one_fault(name, (damage){.target = which, .block = b, .value = -INFINITY}, k,
                          expected, 1e-4);
        }
    }
}

static void every_call_of_eval_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", EVAL, EVAL_BLOCKS);
    every_call_may_fail("friction", EVAL, EVAL_BLOCKS);
    every_call_may_fail("oscillator", EVAL, EVAL_BLOCKS);
}

static void every_call_of_eval_may_fail_once_in_larger_models(void **state)
{
    (void)state;
    const char *const names[] = {"servo", "sleigh", "andrews", "bricard", "wheelset", "top"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        every_call_may_fail(names[i], EVAL, EVAL_BLOCKS);
}

static void every_call_of_eval_may_fail_once_in_other_forms(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum_energy", "friction", "sleigh"};
    const dfl_solver_options variants[] = {{.form = DFL_PSI1},
                                           {.selectors = DFL_UNIT},
                                           {.reference = DFL_REFERENCE_START},
                                           {.carry_accelerations = true},
                                           {.algebraic = DFL_ALGEBRAIC_SVD}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
            variant = variants[k];
            every_call_may_fail(names[i], EVAL, EVAL_BLOCKS);
        }
        variant = (dfl_solver_options){0};
    }
}

static void every_call_of_eval_may_fail_once_with_differences(void **state)
{
    (void)state;
    by_differences = true;
    every_call_may_fail("pendulum_energy", EVAL, EVAL_BLOCKS);
    every_call_may_fail("friction", EVAL, EVAL_BLOCKS);
    by_differences = false;
}

/* Without the acceleration level nothing but the dynamics contains M. */
static void every_call_of_mass_callbacks_may_fail_once_in_psi1(void **state)
{
    (void)state;
    variant = (dfl_solver_options){.form = DFL_PSI1};
    every_call_may_fail("pendulum_energy", MASS, 1);
    every_call_may_fail("pendulum_energy", MASS_TIMES, 1);
    every_call_may_fail("pendulum_energy", RESIDUAL, 1);
    variant = (dfl_solver_options){0};
}

static void every_call_of_mass_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", MASS, 1);
    every_call_may_fail("andrews", MASS, 1);
}

static void every_call_of_mass_times_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", MASS_TIMES, 1);
    every_call_may_fail("friction", MASS_TIMES, 1);
}

static void every_call_of_residual_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", RESIDUAL, 1);
    every_call_may_fail("friction", RESIDUAL, 1);
}

static void every_call_of_jacobian_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", JACOBIAN, JACOBIAN_BLOCKS);
    every_call_may_fail("friction", JACOBIAN, JACOBIAN_BLOCKS);
    every_call_may_fail("oscillator", JACOBIAN, JACOBIAN_BLOCKS);
}

static void every_call_of_select_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum", SELECT, 1);
}

static void every_call_of_condition_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum", CONDITION, 1);
}

static void every_call_of_event_may_fail_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", EVENT, 1);
}

static void every_call_of_on_step_and_on_output_may_stop_once(void **state)
{
    (void)state;
    every_call_may_fail("pendulum_energy", ON_STEP, 0);
    every_call_may_fail("pendulum_energy", ON_OUTPUT, 0);
}

/* ------------------------------------------------------------------ faults that stay */

/* From call k on every call is spoiled. The number of attempts is bounded by halvings from the step
   to the rounding error of t, or at t = 0 to the smallest numbers: a thousand. */
static void lasting_fault(const char *name, damage d, long k, const char *text)
{
    faulty f;
    make_faulty(&f, name, d);
    f.from = k;
    f.to = 1L << 40;
    const dfl_solver_options options = options_for(&f);
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, &options), DFL_OK);
    dfl_status status = start_faulty(solver, &f);
    const bool started = !status;
    if (started)
        status = dfl_solver_advance(solver, f.prob.t_end);
    if (!fits(&d, status) || !names_target(ctx, d.target) || !strstr(dfl_message(ctx), text))
        fail_msg("%s, %s from call %ld, rc %d, block %d: %s: %s", name, target_name[d.target], k,
                 d.rc, d.block, dfl_status_name(status), dfl_message(ctx));
    if (started) {
        assert_true(dfl_solver_statistics(solver).attempts < 3000);
        assert_usable(solver, &f.prob, 1e-5);
        f.to = 0; /* repaired */
        assert_int_equal(dfl_solver_advance(solver, f.prob.t0 + span_of(&f.prob)), DFL_OK);
    }
    dfl_solver_free(solver);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    problem_free(&f.prob);
}

/* During the start, in the first step, and far into the run. */
static void every_lasting_fault(const char *name, target which)
{
    double x[RUN_MOST];
    const long calls = without_fault(x, name, (damage){.target = which});
    const long from[] = {0, 1, calls / 4, calls / 2, calls - 1};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        lasting_fault(name, (damage){.target = which, .rc = 1}, from[i], "");
        lasting_fault(name, (damage){.target = which, .rc = -1}, from[i], "");
    }
}

static void a_callback_that_keeps_refusing_ends_the_run_in_bounded_time(void **state)
{
    (void)state;
    every_lasting_fault("pendulum_energy", EVAL);
    every_lasting_fault("pendulum_energy", MASS);
    every_lasting_fault("pendulum_energy", MASS_TIMES);
    every_lasting_fault("pendulum_energy", RESIDUAL);
    every_lasting_fault("pendulum_energy", JACOBIAN);
    every_lasting_fault("pendulum", SELECT);
    every_lasting_fault("friction", EVAL);
    every_lasting_fault("oscillator", EVAL);
}

static void lasting_numbers(const char *name, target which, int blocks)
{
    double x[RUN_MOST];
    const long calls = without_fault(x, name, (damage){.target = which});
    const long from[] = {0, calls / 2};
    for (int b = 0; b < blocks; b++)
        for (size_t i = 0; i < 2; i++) {
            problem prob;
            assert_true(problem_make(&prob, name, 0));
            const block eval = eval_block(&(dfl_blocks){0}, &prob.eom, b % EVAL_BLOCKS);
            const block jac = jacobian_block(&(dfl_jacobian){0}, &prob.eom, b % JACOBIAN_BLOCKS);
            const block *part = which == EVAL ? &eval : &jac;
            problem_free(&prob);
            if (part->count == 0)
                continue;
            lasting_fault(name, (damage){.target = which, .block = b, .value = NAN}, from[i],
                          part->name);
            lasting_fault(name, (damage){.target = which, .block = b, .value = INFINITY}, from[i],
                          part->name);
        }
}

static void lasting_nan_in_a_block_is_reported_with_its_name_and_index(void **state)
{
    (void)state;
    const char *const names[] = {"pendulum_energy", "friction", "oscillator",
                                 "servo",           "sleigh",   "top"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lasting_numbers(names[i], EVAL, EVAL_BLOCKS);
        lasting_numbers(names[i], JACOBIAN, JACOBIAN_BLOCKS);
    }
}

static void lasting_nan_of_mass_callbacks_is_reported_with_their_name(void **state)
{
    (void)state;
    const target which[] = {MASS, MASS_TIMES, RESIDUAL};
    const char *const names[] = {"pendulum_energy", "friction"};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            double x[RUN_MOST];
            const long calls = without_fault(x, names[j], (damage){.target = which[i]});
            lasting_fault(names[j], (damage){.target = which[i], .value = NAN}, 0, "");
            lasting_fault(names[j], (damage){.target = which[i], .value = NAN}, calls / 2, "f[0]");
            variant = (dfl_solver_options){.form = DFL_PSI1};
            lasting_fault(names[j], (damage){.target = which[i], .value = NAN}, calls / 2, "f[0]");
            variant = (dfl_solver_options){0};
        }
}

static void selectors_that_are_not_finite_are_named(void **state)
{
    (void)state;
    lasting_fault("pendulum", (damage){.target = SELECT, .value = NAN}, 0, "selectors");
    lasting_fault("pendulum", (damage){.target = SELECT, .value = INFINITY}, 9, "selectors");
}

/* A force that no step size resolves: its sign flips with every call. */
static int flickering_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    faulty *f = user;
    const int rc = f->model->eval(out, t, x, need, f->model->user);
    if ((need & DFL_FORCE) && t > 0.1)
        out->f[0] += f->calls++ % 2 ? 1e30 : -1e30;
    return rc;
}

static void a_collapsing_step_size_ends_the_run_in_bounded_time(void **state)
{
    (void)state;
    faulty f;
    make_faulty(&f, "pendulum", (damage){.target = TARGETS});
    f.eom.eval = flickering_eval;
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, NULL), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, f.prob.x0, NULL), DFL_OK);
    const dfl_status status = dfl_solver_advance(solver, 1);
    if (status != DFL_NOT_CONVERGED && status != DFL_SINGULAR)
        fail_msg("%s: %s", dfl_status_name(status), dfl_message(ctx));
    assert_true(dfl_solver_statistics(solver).attempts < 20000);
    assert_between(dfl_solver_time(solver), 0.05, 0.2);
    assert_usable(solver, &f.prob, 1e-5);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&f.prob);
}

static void the_limit_of_steps_ends_an_advance_that_can_be_continued(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_make(&prob, "pendulum", 0));
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.max_steps = 10};
    assert_int_equal(dfl_solver_create(&solver, ctx, &prob.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, prob.x0, NULL), DFL_OK);
    dfl_status status = DFL_TOO_MANY_STEPS;
    int advances = 0;
    while (status == DFL_TOO_MANY_STEPS && advances++ < 100) {
        const long before = dfl_solver_statistics(solver).attempts;
        status = dfl_solver_advance(solver, 2);
        assert_true(dfl_solver_statistics(solver).attempts - before <= 10);
        if (status)
            assert_non_null(strstr(dfl_message(ctx), "max_steps"));
    }
    assert_int_equal(status, DFL_OK);
    assert_true(advances > 2);
    assert_near(dfl_solver_state(solver)[3], 1, 1e-4);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&prob);
}

/* A failing fixed step is halved; afterwards the size is again the one asked for. */
static void a_fixed_step_returns_to_its_size_after_a_fault(void **state)
{
    (void)state;
    faulty f;
    make_faulty(&f, "pendulum", (damage){.target = EVAL, .rc = 1});
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    const dfl_solver_options options = {.fixed_step = 0.01};
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, &options), DFL_OK);
    assert_int_equal(dfl_solver_start(solver, 0, f.prob.x0, NULL), DFL_OK);
    assert_int_equal(dfl_solver_advance(solver, 0.1), DFL_OK);
    f.from = f.calls + 1;
    f.to = f.from + 1;
    assert_int_equal(dfl_solver_advance(solver, 1), DFL_OK);
    assert_true(dfl_solver_step(solver) == 0.01);
    assert_in_range(dfl_solver_statistics(solver).accepted, 100, 102);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&f.prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_survives_every_failed_allocation),
        cmocka_unit_test(every_way_to_start_survives_every_failed_allocation),
        cmocka_unit_test(every_call_of_eval_may_fail_once),
        cmocka_unit_test(every_call_of_eval_may_fail_once_in_larger_models),
        cmocka_unit_test(every_call_of_eval_may_fail_once_in_other_forms),
        cmocka_unit_test(every_call_of_eval_may_fail_once_with_differences),
        cmocka_unit_test(every_call_of_mass_may_fail_once),
        cmocka_unit_test(every_call_of_mass_callbacks_may_fail_once_in_psi1),
        cmocka_unit_test(every_call_of_mass_times_may_fail_once),
        cmocka_unit_test(every_call_of_residual_may_fail_once),
        cmocka_unit_test(every_call_of_jacobian_may_fail_once),
        cmocka_unit_test(every_call_of_select_may_fail_once),
        cmocka_unit_test(every_call_of_condition_may_fail_once),
        cmocka_unit_test(every_call_of_event_may_fail_once),
        cmocka_unit_test(every_call_of_on_step_and_on_output_may_stop_once),
        cmocka_unit_test(a_callback_that_keeps_refusing_ends_the_run_in_bounded_time),
        cmocka_unit_test(lasting_nan_in_a_block_is_reported_with_its_name_and_index),
        cmocka_unit_test(lasting_nan_of_mass_callbacks_is_reported_with_their_name),
        cmocka_unit_test(selectors_that_are_not_finite_are_named),
        cmocka_unit_test(a_collapsing_step_size_ends_the_run_in_bounded_time),
        cmocka_unit_test(the_limit_of_steps_ends_an_advance_that_can_be_continued),
        cmocka_unit_test(a_fixed_step_returns_to_its_size_after_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
