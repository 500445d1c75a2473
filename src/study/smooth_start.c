/* smooth_start.c: coordinates that begin on the slow motion, so that nothing of them vibrates.

   Elastic coordinates q with start = "quasistatic" begin with q' = 0 and with the q for which q'' =
   0: Newton's iteration on q''(q) = 0, with consistent starts that hold q and q'. */
#include "study/study_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

typedef struct smooth {
    dfl_runnable *run;
    dfl_solver *solver;
    const dfl_conditions *given; /* as of the script */
    dfl_conditions conditions;   /* with q and q' held */
    double t0;
    int count;
    int *p, *v;            /* count: places of q and q' in x */
    bool *held;            /* n */
    double *x, *q, *a, *b; /* n; count: q, q'' there and near it */
    double *J, *step;      /* count x count; count */
    dfl_lstsq *lstsq;
} smooth;

static dfl_status list(smooth *s);
static dfl_status create(smooth *s, const double *x);
static dfl_status start_with(double *a, smooth *s, const double *q);
static dfl_status refuse(const smooth *s);
static dfl_status iterate(bool *done, smooth *s);

dfl_status dfl_study_smooth_start(dfl_runnable *run, dfl_solver *solver, double t0, const double *x,
                                  const dfl_conditions *conditions)
{
    enum { MOST_STEPS = 12 };
    smooth s = {.run = run, .solver = solver, .given = conditions, .t0 = t0};
    dfl_context *ctx = ctx_of(run);
    bool done = false;
    dfl_status status = list(&s);
    if (!status && s.count > 0) {
        status = create(&s, x);
        if (!status)
            status = start_with(s.a, &s, s.q);
        for (int k = 0; k < MOST_STEPS && !status && !done; k++)
            status = iterate(&done, &s);
        if (!status && !done)
            status = dfl_fail(ctx, DFL_NOT_CONVERGED,
                              "no elastic coordinates with q' = q'' = 0 were found; leave out "
                              "start = \"quasistatic\", or start with smaller loads");
    }
    dfl_lstsq_free(s.lstsq, ctx);
    dfl_free(ctx, s.p);
    dfl_free(ctx, s.held);
    dfl_free(ctx, s.x);
    return status;
}

static dfl_status list(smooth *s)
{
    const dfl_equations *eq = eq_of(s->run);
    s->p = dfl_alloc(ctx_of(s->run), 2 * (size_t)eq->np + 1, sizeof *s->p);
    if (!s->p)
        return DFL_NO_MEMORY;
    s->v = s->p + eq->np;
    bool absolute = false;
    for (int i = 0; i < eq->np; i++) {
        const dfl_declaration *decl = dfl_model_owner(eq->model, dfl_equations_p(eq)[i].symbol);
        absolute = absolute || decl->inner;
        if (!decl->smooth)
            continue;
        s->p[s->count] = eq->n - eq->np + i;
        s->v[s->count++] =
            eq->nw + eq->nl + eq->nm + eq->nr + dfl_equations_velocity(eq, decl->velocity);
    }
    if (s->count > 0 && absolute) /* which would have to follow the coordinates that are sought */
        return dfl_fail(
            ctx_of(s->run), DFL_INVALID,
            "start = \"quasistatic\" is not possible beside absolute coordinates, which "
            "bodies have with sparse matrices; give --linear dense");
    return DFL_OK;
}

static dfl_status create(smooth *s, const double *x)
{
    dfl_context *ctx = ctx_of(s->run);
    const dfl_equations *eq = eq_of(s->run);
    const size_t n = (size_t)eq->n, count = (size_t)s->count;
    s->held = dfl_alloc(ctx, n, sizeof *s->held);
    s->x = dfl_alloc(ctx, n + 4 * count + count * count, sizeof *s->x);
    if (!s->held || !s->x)
        return DFL_NO_MEMORY;
    s->q = s->x + n;
    s->a = s->q + count;
    s->b = s->a + count;
    s->step = s->b + count;
    s->J = s->step + count;
    memcpy(s->x, x, n * sizeof *x);
    memcpy(s->held, s->given->held, n * sizeof *s->held);
    for (int i = 0; i < s->count; i++) {
        const int given = s->held[s->p[i]] ? s->p[i] : s->held[s->v[i]] ? s->v[i] : -1;
        if (given >= 0)
            return dfl_fail(ctx, DFL_INVALID,
                            "'%s' has an initial value, and its elastic body start = "
                            "\"quasistatic\": leave one of them out",
                            eq->x[given].name);
        s->held[s->p[i]] = s->held[s->v[i]] = true;
        s->q[i] = s->x[s->p[i]];
    }
    s->conditions = *s->given;
    s->conditions.held = s->held;
    return dfl_lstsq_create(&s->lstsq, ctx, s->count, s->count);
}

/* q'' of a start with these q. */
static dfl_status start_with(double *a, smooth *s, const double *q)
{
    const dfl_equations *eq = eq_of(s->run);
    for (int i = 0; i < s->count; i++) {
        s->x[s->p[i]] = q[i];
        s->x[s->v[i]] = 0.0;
    }
    const dfl_status status = dfl_solver_start(s->solver, s->t0, s->x, &s->conditions);
    if (status == DFL_INCONSISTENT)
        return refuse(s);
    if (status)
        return status;
    const double *all = dfl_runnable_accelerations(s->run, s->t0, dfl_solver_state(s->solver));
    bool known = all != NULL;
    for (int i = 0; i < s->count && known; i++) {
        a[i] = all[s->v[i] - (eq->nw + eq->nl + eq->nm + eq->nr)];
        known = isfinite(a[i]);
    }
    if (known)
        return DFL_OK;
    return dfl_fail(ctx_of(s->run), DFL_INVALID,
                    "start = \"quasistatic\": accelerations at the start are not known: masses "
                    "vanish, or numbers are not finite");
}

/* Joints of nodes have angles of the sections there, which bend with the body. */
static dfl_status refuse(const smooth *s)
{
    dfl_context *ctx = ctx_of(s->run);
    dfl_text why = {.ctx = ctx};
    dfl_text_add(&why, "%s", dfl_message(ctx));
    const dfl_status status =
        why.status
            ? why.status
            : dfl_fail(
                  ctx, DFL_INVALID,
                  "%s; start = \"quasistatic\" holds all elastic coordinates. Where loops bend "
                  "the body (clamped at two nodes) it is not possible; angles at nodes "
                  "bend with the body: give guess{...} instead of initial{...} for "
                  "joints that loops determine",
                  dfl_text_string(&why));
    dfl_text_clear(&why);
    return status;
}

/* One step; the last start is then that of the new q. */
static dfl_status iterate(bool *done, smooth *s)
{
    const double part = 1e-6; /* m or rad: small deflections have linear forces */
    const size_t n = (size_t)s->count;
    double most = 0.0, change = 0.0;
    dfl_status status = DFL_OK;
    for (size_t k = 0; k < n && !status; k++) {
        const double q = s->q[k];
        s->q[k] = q + part;
        status = start_with(s->b, s, s->q);
        s->q[k] = q;
        for (size_t i = 0; i < n && !status; i++)
            s->J[i + n * k] = (s->b[i] - s->a[i]) / part;
    }
    if (status)
        return status;
    if (!dfl_lstsq_solve(s->step, s->lstsq, s->count, s->count, s->J, s->a, 1e-14, NULL))
        return dfl_fail(ctx_of(s->run), DFL_NOT_FINITE,
                        "accelerations of elastic coordinates are not finite at the start");
    for (size_t i = 0; i < n; i++) {
        s->q[i] -= s->step[i];
        most = fmax(most, fabs(s->q[i]));
        change = fmax(change, fabs(s->step[i]));
    }
    *done = change <= 1e-10 * most + 1e-16;
    return start_with(s->a, s, s->q);
}
