/* gradient_internal.h: between the files of gradients. */
#ifndef DFL_GRADIENT_INTERNAL_H
#define DFL_GRADIENT_INTERNAL_H

#include "study/gradient.h"
#include "study/study_internal.h"

#include <driftless/gradient.h>

/* What derivatives are taken by. */
typedef struct followed {
    const char *name; /* as `--set` takes it */
    int place;        /* of initial(x): the number of x; otherwise -1, and: */
    dfl_expr symbol;
    dfl_declared kind; /* parameter or input, ... */
    int index;         /* ... its number within its kind, ... */
    double value;      /* ... its value */
} followed;

/* Expressions whose values and derivatives are wanted along a run (gradient_values.c). */
typedef struct totals {
    int nrows, ncols;
    bool forces; /* they depend on multipliers */
    dfl_probe *probe;
    double *slopes; /* nrows x ncols, by all symbols */
} totals;

/* A run and what is followed along it. */
typedef struct gradient_run {
    dfl_runnable *run;
    const dfl_settings *settings;
    const dfl_variation *variation;
    dfl_derivatives_how how;
    const char *const *fixed; /* settings with which the run was loaded by `variation` ... */
    int nfixed;               /* ... those of `followed` first, if there are any */
    int count, nof;           /* parameters, values */
    const dfl_expr *expr;     /* nof: expressions, each ... */
    const double *when;       /* ... at a time, NAN: the end; or NULL: all at the end */
    const int *
        instant;       /* nof, or NULL: 0, or the number of the instant, from 1 on, before which
                                a value is taken; negative: after it. `time` is that of the instant ... */
    double *rate;      /* ... and nof: how fast such values change there; NAN: not known */
    double *value;     /* nof */
    double *gradient;  /* nof x count */
    double *at;        /* count, or NULL: the values of what is followed */
    double *tolerance; /* nof, or NULL: what tolerances of the state may change in the values */
    long steps;
    double t;           /* the end */
    dfl_record *record; /* gets rows of the run with the derivatives of the values, or NULL */

    followed *followed;      /* count */
    dfl_expr *symbols;       /* the same */
    double *x;               /* n: the start */
    double *size;            /* of spare ones, then of each of `followed` */
    double *start, *memory;  /* n x count: its derivatives; discrete variables x count: theirs */
    dfl_loaded nearby;       /* for these: the model with another value ... */
    const followed *changed; /* ... of this one, ... */
    dfl_solver *starter;     /* ... and what starts it */
    dfl_parameters parameters;
    totals wanted;   /* of expr, each once ... */
    int *wanted_row; /* ... nof: and its row */
    double *found;   /* their values and derivatives */
    totals scene;    /* of its numbers, if a file shows it ... */
    double *place;   /* ... and their values and derivatives */

    int passed;          /* instants so far ... */
    int now;             /* ... as `instant`, while the run is at one; else 0 ... */
    const bool *crossed; /* ... and before it the functions that have passed zero */
    dfl_expr ended;      /* the function of the event that has ended the run, or DFL_NO_EXPR */
    bool backwards;      /* by a sweep (gradient_adjoint.c); then: */
    int spare;           /* parameters that are none (dfl_solver_record) */
    double *direction;   /* spare + count: what the run follows ... */
    double
        *along; /* nof: ... and the derivatives of the values along it; nof: their terms in all */
} gradient_run;

/* Prepares them once the solver follows; the caller clears *out also after a failure. */
dfl_status dfl_totals_create(totals *out, const gradient_run *it, const dfl_expr *rows, int nrows);
void dfl_totals_clear(totals *it, dfl_context *ctx);
/* value (nrows) and total (nrows x count) at a state that the solver has reached. DFL_INVALID:
   derivatives of forces are not determined. */
dfl_status dfl_totals_evaluate(double *value, double *total, totals *of, const gradient_run *it,
                               dfl_solver *solver, double t, const double *x);

/* The same, but only of->slopes (nrows x ncols: by x, a, what is followed, discrete variables). */
dfl_status dfl_totals_weights(double *value, totals *of, const gradient_run *it, dfl_solver *solver,
                              double t, const double *x);

/* What the tolerances of the state x may change in row `row`, of->slopes being evaluated there. */
dfl_status dfl_totals_tolerance(double *out, const totals *of, int row, const gradient_run *it,
                                const dfl_solver *solver, const double *x);

/* gradient_curves.c: the derivatives in the rows of a run's files. */
void dfl_gradient_curves_take(dfl_simulation *sim, const gradient_run *it);
dfl_status dfl_gradient_curves_begin(gradient_run *it);
dfl_status dfl_gradient_curves_close(gradient_run *it, dfl_summary *summary, dfl_status status);
void dfl_gradient_curves_clear(gradient_run *it);

/* Looks names up in it->followed, which has room for them: as in --by. */
dfl_status dfl_gradient_parameter(followed *out, const gradient_run *it, const char *option,
                                  const char *name);

/* Fills value and gradient, which are zero. it->followed, expr and when are given. */
dfl_status dfl_gradient_follow(gradient_run *it);

/* gradient_adjoint.c: whether a sweep backwards suits; the run begins, value i is weighed at the
   present time, the run ends, and frees what that needs. */
bool dfl_gradient_prefers_adjoint(const gradient_run *it);
int dfl_gradient_adjoint_spare(const gradient_run *it);
dfl_status dfl_gradient_adjoint_begin(gradient_run *it, dfl_solver *solver);
dfl_status dfl_gradient_adjoint_weigh(gradient_run *it, dfl_solver *solver, int i);
dfl_status dfl_gradient_adjoint_end(gradient_run *it, dfl_solver *solver);
void dfl_gradient_adjoint_clear(gradient_run *it);

/* it->wanted.slopes, evaluated at the end t of a run that the event `ended` has ended, with the
   derivatives of the end (gradient_end.c). DFL_INVALID: it has none. */
dfl_status dfl_gradient_at_end(gradient_run *it, dfl_solver *solver, double t);

/* The same for rows `time`, before an instant: those of the instant. rate: of the values that are
   taken now. DFL_INVALID: functions only touch zero, or pass it at different times with other
   parameters. */
dfl_status dfl_gradient_at_instant(gradient_run *it, dfl_solver *solver, double t);
dfl_status dfl_gradient_value_rates(gradient_run *it, dfl_solver *solver, double t);

/* of->slopes, evaluated at (t, x), with what turns the multipliers of redundant constraints, which
   are those of least norm (gradient_forces.c). DFL_INVALID: they are not. */
dfl_status dfl_gradient_least_forces(totals *of, const gradient_run *it, double t, const double *x);

/* How many discrete variables the model has. */
int dfl_gradient_discretes(const gradient_run *it);

/* it->start and it->memory from starts nearby (gradient_start.c). DFL_INVALID: a parameter is used
   as a number elsewhere. */
dfl_status dfl_gradient_start(gradient_run *it);

#endif
