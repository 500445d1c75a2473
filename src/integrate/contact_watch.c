/* The watch on contact variables s, which c(t, p, s) = 0 determines.

   It may have several solutions, such as both sides of a cam, or the same side after another turn.
   From the predicted stages of a long step Newton's iteration may reach any of them; the end of the
   step satisfies all equations, but the bodies have passed through each other. If s changes much
   faster than in the steps before, it is followed from the start of the step: while p moves
   straight to its end, in PIECES, s must come to the same end. A step in which it does not is not
   taken. */
#include "integrate/contact_watch.h"

#include "integrate/stepper.h"

#include <math.h>
#include <string.h>

enum { PIECES = 16, ITERATIONS = 8 };
static const double usual = 2;     /* times the largest rate of the last steps is trusted */
static const double memory = 0.9;  /* of rates, per step */
static const double apart = 0.3;   /* part of the change by which two ends differ */
static const double enough = 1e-6; /* of the change: accuracy of what is followed */

static dfl_contact_watch *watch_of(const dfl_stepper *st)
{
    return &st->parts->contact;
}

static int count(const dfl_stepper *st)
{
    return st->sys->eom->ns;
}

static double *contacts(const dfl_stepper *st, const dfl_point *point)
{
    return point->x + st->sys->at.sp;
}

dfl_status dfl_contact_watch_init(dfl_stepper *st)
{
    dfl_contact_watch *watch = watch_of(st);
    dfl_context *ctx = st->sys->ctx;
    const int ns = count(st);
    if (ns == 0)
        return DFL_OK;
    watch->rate = dfl_alloc(ctx, (size_t)ns, sizeof(double));
    watch->work = dfl_alloc(ctx, 2 * (size_t)ns, sizeof(double));
    dfl_status status = watch->rate && watch->work ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_factor_create(&watch->matrix, ctx, ns, false);
    return status ? status : dfl_point_init(&watch->at, st->sys);
}

void dfl_contact_watch_bind(dfl_stepper *st)
{
    if (count(st) > 0)
        dfl_point_bind(&watch_of(st)->at, st->sys);
}

void dfl_contact_watch_clear(dfl_stepper *st)
{
    dfl_contact_watch *watch = watch_of(st);
    dfl_context *ctx = st->sys->ctx;
    dfl_point_clear(&watch->at, ctx);
    dfl_factor_free(watch->matrix, ctx);
    dfl_free(ctx, watch->work);
    dfl_free(ctx, watch->rate);
}

/* c_s by differences of the size `delta` (ns). */
static bool find_matrix(dfl_stepper *st, const double *delta)
{
    dfl_contact_watch *watch = watch_of(st);
    double *s = contacts(st, &watch->at), *C = dfl_factor_matrix(watch->matrix);
    const int ns = count(st);
    bool ok = true;
    for (int side = -1; side <= 1; side += 2)
        for (int j = 0; ok && j < ns; j++) {
            const double kept = s[j];
            s[j] += side * delta[j];
            ok = !dfl_system_eval_blocks(st->sys, &watch->at, DFL_POSITION);
            s[j] = kept;
            for (int i = 0; ok && i < ns; i++)
                C[j * ns + i] =
                    (side > 0 ? C[j * ns + i] : 0) + side * watch->at.blocks.c[i] / (2 * delta[j]);
        }
    return ok && dfl_factor_compute(watch->matrix, ns, DFL_METHOD_LU);
}

/* s from c = 0 at the point's p; false: not found nearby. */
static bool settle(dfl_stepper *st, const double *size)
{
    dfl_contact_watch *watch = watch_of(st);
    double *s = contacts(st, &watch->at), *ds = watch->work + count(st);
    for (int it = 0; it < ITERATIONS; it++) {
        if (dfl_system_eval_blocks(st->sys, &watch->at, DFL_POSITION))
            return false;
        memcpy(ds, watch->at.blocks.c, (size_t)count(st) * sizeof *ds);
        dfl_factor_solve(watch->matrix, ds);
        double most = 0;
        for (int i = 0; i < count(st); i++) {
            s[i] -= ds[i];
            most = fmax(most, fabs(ds[i]) / size[i]);
        }
        if (!isfinite(most) || most <= enough)
            return most <= enough;
    }
    return false;
}

/* Whether s, followed from `here` to the positions of `next`, comes to another end; false as well
   if it cannot be followed. */
static bool ends_elsewhere(dfl_stepper *st)
{
    dfl_contact_watch *watch = watch_of(st);
    const dfl_system *sys = st->sys;
    const int ns = count(st), p = sys->at.sp + ns;
    const double *s0 = contacts(st, &st->here), *s1 = contacts(st, &st->next);
    double *s = contacts(st, &watch->at), *size = watch->work;
    memcpy(watch->at.x, st->here.x, (size_t)sys->n * sizeof *s);
    for (int i = 0; i < ns; i++)
        size[i] = fmax(fabs(s1[i] - s0[i]), 1e-6 * fmax(fabs(s0[i]), 1e-3));
    for (int k = 1; k <= PIECES; k++) {
        const double part = (double)k / PIECES;
        watch->at.t = st->here.t + part * (st->next.t - st->here.t);
        for (int i = p; i < sys->n; i++)
            watch->at.x[i] = st->here.x[i] + part * (st->next.x[i] - st->here.x[i]);
        for (int i = 0; i < ns; i++)
            size[i] *= 1e-4;
        const bool found = find_matrix(st, size);
        for (int i = 0; i < ns; i++)
            size[i] *= 1e4;
        if (!found || !settle(st, size))
            return false;
    }
    for (int i = 0; i < ns; i++)
        if (fabs(s[i] - s1[i]) > apart * size[i])
            return true;
    return false;
}

dfl_outcome dfl_watch_contact(dfl_stepper *st, double h)
{
    const double *s0 = contacts(st, &st->here), *s1 = contacts(st, &st->next);
    bool fast = false;
    for (int i = 0; i < count(st); i++)
        fast = fast || fabs(s1[i] - s0[i]) > usual * fabs(h) * watch_of(st)->rate[i];
    return fast && ends_elsewhere(st) ? DFL_STEP_RETRY : DFL_STEP_OK;
}

void dfl_contact_watch_accepted(dfl_stepper *st, double h)
{
    const double *s0 = contacts(st, &st->here), *s1 = contacts(st, &st->next);
    double *rate = watch_of(st)->rate;
    for (int i = 0; i < count(st); i++)
        rate[i] = fmax(memory * rate[i], fabs((s1[i] - s0[i]) / h));
}

void dfl_contact_watch_forget(dfl_stepper *st)
{
    for (int i = 0; i < count(st); i++)
        watch_of(st)->rate[i] = 0;
}
