/* compare.h: one model with several forms, methods and tolerances, side by side. */
#ifndef DFL_COMPARE_H
#define DFL_COMPARE_H

#include "study/run.h"

/* What theory says about a form of a model. */
typedef struct dfl_form_facts {
    const char
        *consistent; /* initial values without which there is no solution: "p v lambda", ... */
    int index;       /* differentiation index */
    bool positions;  /* the solutions lie on the position constraints, ... */
    bool velocities; /* ... and on those of velocities */
} dfl_form_facts;

/* The outcome of one run. Numbers that there are not are NAN. */
typedef struct dfl_trial {
    dfl_form form;
    const char *method;
    double tolerance;
    bool refused; /* the combination makes no sense, or the start failed */
    bool completed;
    char message[240];                /* why not */
    double seconds;                   /* inside the solver, the shortest of a few runs */
    double error_p, error_v, error_l; /* the largest of each kind at the end, scaled */
    dfl_statistics statistics;
    double levels[DFL_LEVELS]; /* largest residuals */
    double energy_drift;
} dfl_trial;

typedef struct dfl_comparison {
    /* set by the caller; the lists belong to it */
    dfl_context *ctx;
    dfl_runnable *run;
    const dfl_equations *eq;
    dfl_choices choices; /* of every run; form, method, tolerances are varied */
    int nforms, nmethods, ntolerances;
    const dfl_form *forms;
    const char *const *methods;
    const double *tolerances;
    double limit; /* s: a run that takes longer is given up; 0 means none */
    void (*progress)(int done, int of, const dfl_trial *next, void *user); /* or NULL */
    bool (*interrupt)(void *user); /* asked after every step; or NULL */
    void *user;

    double from, to;
    int dimension_all; /* of all states: np + nv + nr, less lengths of quaternions and massless v */
    int dimension_positions;  /* lost by the position constraints ... */
    int dimension_velocities; /* ... and by those of velocities */
    const char *evaluation;   /* of all runs: "native", or "tape" where there is no compiler */
    double deadline;          /* of the present run, as a time of the clock */
    double reference_tolerance;
    double
        uncertainty; /* of the reference: the difference from a run with ten times its tolerance */
    dfl_trial *trials; /* nforms x nmethods x ntolerances, tolerances innermost */
    int ntrials;       /* that were run */
    bool interrupted;
} dfl_comparison;

/* Runs everything. DFL_INVALID or another failure: the reference solution cannot be computed. DFL_STOPPED:
   interrupted; the trials so far are there. The caller clears it in any case. */
dfl_status dfl_compare(dfl_comparison *comparison);
void dfl_comparison_clear(dfl_comparison *comparison);

/* What holds for the model that is compared: without holonomic constraints there is no index 3. */
dfl_form_facts dfl_comparison_facts(const dfl_comparison *comparison, dfl_form form);

/* The dimension of the manifold on which the solutions of a form lie. */
int dfl_comparison_dimension(const dfl_comparison *comparison, dfl_form form);

/* The larger one of the errors of positions and velocities. */
double dfl_trial_error(const dfl_trial *trial);

/* The largest residual of constraints on velocities: hidden and nonholonomic ones. */
double dfl_trial_velocity(const dfl_trial *trial);

/* A table for people, an object of JSON, and panels of curves as one SVG or as a page with the table. */
void dfl_comparison_text(dfl_text *text, const dfl_comparison *comparison);
void dfl_comparison_json(dfl_text *text, const dfl_comparison *comparison);
void dfl_comparison_plot(dfl_text *text, const dfl_comparison *comparison);
void dfl_comparison_page(dfl_text *text, const dfl_comparison *comparison);

#endif
