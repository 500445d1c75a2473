/* diagnosis.h: what `driftless check` reports about a model at its start. */
#ifndef DFL_DIAGNOSIS_H
#define DFL_DIAGNOSIS_H

#include "context/text.h"
#include "engine/runnable.h"

/* A set of constraints that depend on each other: rows of W (numbers as in dfl_equations). */
typedef struct dfl_dependent_set {
    int count;
    int *rows;
    double *coefficient; /* sum coefficient[i] * row[i] = 0; the last one is 1 */
    double
        contradiction; /* what this sum of the constraints themselves is, where no start was found; 0: they
                             agree */
} dfl_dependent_set;

/* A direction of velocity without mass that no constraint holds. */
typedef struct dfl_free_direction {
    double *direction; /* nv */
    bool balanced;     /* its balance of forces is part of the equations and determines its speed */
} dfl_free_direction;

/* The largest residual of one level, and its row. */
typedef struct dfl_level_residual {
    const char
        *level; /* "position", "velocity", "nonholonomic", "contact", "auxiliary", "massless" */
    double residual;
    int row;          /* within its kind */
    const char *name; /* of the row's declaration */
} dfl_level_residual;

typedef struct dfl_diagnosis {
    dfl_context *ctx;
    int dof_by_count; /* nv - nl - nm */
    int dof_by_rank;  /* nv - rank W */
    int rank;         /* of W */
    int nsets;
    dfl_dependent_set *sets;
    bool *redundant; /* nl + nm: rows that may be left out (redundant.h) */
    int ndirections;
    dfl_free_direction *directions;
    dfl_level_residual given[8]; /* of the values as given */
    int ngiven;
    dfl_status start; /* of completing the initial values; its message follows */
    char *start_message;
    double *x_given, *x; /* n: before and after; x is NAN where start failed */
} dfl_diagnosis;

/* Everything, at the start of the run; `options` give tolerances and form (NULL: defaults). */
dfl_status dfl_diagnose(dfl_diagnosis *out, dfl_runnable *run, const dfl_solver_options *options,
                        double t0);
void dfl_diagnosis_clear(dfl_diagnosis *diagnosis);

/* Only the sets of dependent constraints, at (t, x). out->ctx must be set. */
dfl_status dfl_diagnose_sets(dfl_diagnosis *out, dfl_runnable *run, double t, const double *x);

/* Only the directions, at (t, x). out->ctx must be set. */
dfl_status dfl_diagnose_directions(dfl_diagnosis *out, dfl_runnable *run, double t,
                                   const double *x);

/* What determines the motion along massless directions. */
typedef struct dfl_massless_kinds {
    dfl_context *ctx;
    int first_order;       /* by forces that depend on their speed */
    int quasistatic;       /* by stiffness alone */
    int undetermined;      /* by nothing */
    bool negative_damping; /* the solution is not the limit of small masses */
    double *direction;     /* nv: the first one that is not of first order, or NULL */
    double damping,
        size; /* its d gam / d zeta, and the largest derivative of a force by a velocity */
    double stiffness;
} dfl_massless_kinds;

/* Classifies them at (t, x). */
dfl_status dfl_diagnose_massless(dfl_massless_kinds *out, dfl_runnable *run, double t,
                                 const double *x);
void dfl_massless_kinds_clear(dfl_massless_kinds *kinds);

/* Whether the balance of forces depends on the speed along a massless direction, directly or through w or
   multipliers; true without derivatives. */
dfl_status dfl_direction_is_damped(bool *out, dfl_runnable *run, double t, const double *x,
                                   const double *direction);

/* Appends a direction of velocities as text: "der(x)", "der(x) - 0.5 der(y)". */
void dfl_print_combination(dfl_text *text, const dfl_equations *eq, const double *direction);

#endif
