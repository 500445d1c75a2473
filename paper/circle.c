/* circle.c: Steinbrecher (2002), section 6. 1000 steps of 0.005 with the implicit trapezoidal rule
   from the inconsistent values (37). The rule is not L-stable, so that each form shows what it
   leaves open. */
#include "paper.h"

#include <string.h>

enum { LAMBDA, V, P = 3, N = 5 };

const dfl_form circle_forms[5] = {DFL_UODE, DFL_EOM1, DFL_EOM2, DFL_EOM, DFL_PSF};

/* The run in progress. */
typedef struct watched {
    circle_run *run;
    const dfl_eom *eom;
} watched;

static int note(dfl_solver *solver, double t_old, double t, const double *x, void *user);
static int select_rows(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                       void *user);

/* Newton's iteration ends with increments of 1e-10, so that residuals are below the 1e-8 that the
   paper asks for. In the forms of index 2 and 3 it starts at the last point, since alternating
   multipliers cannot be extrapolated. */
void paper_circle(circle_run *out, dfl_form form)
{
    const double start[N] = {0.0001, 0.999, 0.001, 0.0001, 1.0001};
    const bool alternates = form == DFL_EOM || form == DFL_EOM2;
    problem circle;
    watched user = {out, &circle.eom};
    const dfl_solver_options options = {
        .form = form,
        .integrator = DFL_TRAPEZOIDAL,
        .constraints.selectors = form == DFL_PSF ? DFL_USER : DFL_ORTHOGONAL,
        .constraints.select = select_rows,
        .rtol = 1e-8,
        .newton.prediction = alternates ? DFL_CONSTANT : DFL_EXTRAPOLATE,
        .newton.tolerance = 0.01,
        .newton.iterations = 50,
        .newton.updates = alternates ? 10 : 0,
        .step.fixed = 5.0 / CIRCLE_STEPS,
        .output.on_step = note,
        .user = &user};
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    memset(out, 0, sizeof *out);
    out->status = problem_circle(&circle) ? DFL_OK : DFL_NO_MEMORY;
    if (!out->status)
        out->status = dfl_solver_create(&solver, ctx, &circle.eom, &options);
    if (!out->status)
        out->status =
            dfl_solver_start(solver, 0, start, &(dfl_conditions){.mode = DFL_START_AS_GIVEN});
    if (!out->status)
        out->status = dfl_solver_advance(solver, 5);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    problem_free(&circle);
}

static int note(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    const watched *w = user;
    (void)solver, (void)t_old;
    if (w->run->count > CIRCLE_STEPS)
        return 1;
    circle_point *at = &w->run->at[w->run->count++];
    at->t = t;
    at->lambda = x[LAMBDA];
    memcpy(at->v, x + V, sizeof at->v);
    memcpy(at->p, x + P, sizeof at->p);
    levels_of_unit_mass(at->level, w->eom, t, x);
    return 0;
}

/* The first rows up to p1 = 1/2, the second ones beyond. */
static int select_rows(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                       void *user)
{
    const int row = x[P] > 0.5;
    (void)nfp, (void)nfv, (void)t, (void)user;
    Sp[row] = Sv[row] = 1;
    Sp[1 - row] = Sv[1 - row] = 0;
    return 0;
}
