/* initial.h: consistent initial values, and states moved onto all constraints. */
#ifndef DFL_INITIAL_H
#define DFL_INITIAL_H

#include "eom/eom.h"
#include "linalg/linalg.h"

enum { DFL_MOST_CONFLICTS = 4 };

typedef struct dfl_initial {
    dfl_system sys; /* with the acceleration level whenever the model has it */
    dfl_rows_jacobian jac;
    dfl_point point;
    dfl_lstsq *lstsq;
    double *J, *F, *y, *step, *x, *x0, *L; /* workspace of the largest stage */
    struct dfl_packed_start *packed; /* with packed matrices, instead of J, L, jac and lstsq */
    double *column_scale;
    double *row_size; /* nc: of W (dfl_system_row_sizes), from the last completed start */
    int *column;      /* the unknowns of a stage's columns that are not held */
    double *condition;
    int nconditions; /* room for them */
    double *side;    /* values of the sides */
    int nsides;      /* room for them */
    void *side_user; /* for the callback that writes them */
    bool searched;   /* far from the guess, successfully or not */
    int nconflicts;  /* held unknowns without which the positions could be found */
    int conflict[DFL_MOST_CONFLICTS];
    bool strongly;           /* projections leave weak directions and rows alone */
    bool without_invariants; /* the rows e are left out of projections */
    bool open_invariants;    /* e and ep are left out: the completed start gives their levels */
    bool converged;          /* every stage of the last projection, or the conditions */
    dfl_failure failure;     /* why the last dfl_initial_complete failed */
    double rank_tolerance;
    double rate;             /* 1/s: accelerations are as large as velocities times it */
    double atol;             /* residuals above ten times it are inconsistent; 0: above what
                                    the tolerances of their unknowns make */
    double redundant;        /* the largest part of their size up to which rows may be dependent */
    dfl_statistics counters; /* not those of the integration */
} dfl_initial;

dfl_status dfl_initial_init(dfl_initial *init, dfl_context *ctx, const dfl_eom *eom,
                            const dfl_solver_options *options);
void dfl_initial_clear(dfl_initial *init);

/* Checks the model at (t, x) as given, and near it: see dfl_system_self_check. */
dfl_status dfl_initial_self_check(dfl_initial *init, double t, const double *x);

/* Makes x (nu, the user's unknowns) consistent at time t as `conditions` says (NULL: least change).
   DFL_INCONSISTENT, DFL_CALLBACK, DFL_NOT_FINITE, DFL_NO_MEMORY. x is unchanged on failure. */
dfl_status dfl_initial_complete(double *x, dfl_initial *init, double t,
                                const dfl_conditions *conditions);

/* Evaluates masses that are the same everywhere again, where parameters have changed. The status of
   `mass`. */
dfl_status dfl_initial_renew_masses(dfl_initial *init, double t, const double *x);

/* Moves x onto all constraints, and onto the invariants e if asked, with the least change; after
   dfl_initial_complete. DFL_NOT_CONVERGED, DFL_CALLBACK, DFL_NOT_FINITE. */
dfl_status dfl_initial_project(double *x, dfl_initial *init, double t, bool invariants);

/* The state x after a jump from `before` (n each, of the user): impulses (nv) act, unknowns with
   assigned[i] have their new values, the constraints answer, all else keeps its momentum; then as
   dfl_initial_project without invariants. DFL_SINGULAR: there is an impulse, and no mass;
   DFL_INCONSISTENT: what is assigned contradicts constraints. */
typedef struct dfl_jump {
    const double *before, *impulse;
    const bool *assigned;
} dfl_jump;
dfl_status dfl_initial_jump(double *x, dfl_initial *init, double t, const dfl_jump *jump);

/* Whether a change of the velocities (nv) at x changes momenta: not so in directions without mass.
   True also where the mass cannot be evaluated, and with packed matrices (impulses.c). */
bool dfl_initial_has_momentum(dfl_initial *init, double t, const double *x, const double *dv);

/* The impulses of a jump, and workspace for them (impulses.c). */
typedef struct dfl_impulses {
    double *rows;  /* nl + nm: integrals of the multipliers, of least squares if rows depend */
    double *along; /* nv: along velocities, those of the jump and what assigned ones needed */
    double *A, *needed;
    dfl_lstsq *lstsq;
} dfl_impulses;
dfl_status dfl_impulses_init(dfl_impulses *impulses, const dfl_initial *init);
void dfl_impulses_clear(dfl_impulses *impulses, dfl_context *ctx);
/* Those of `jump`, which has led to x; the last completed state has the positions of x. False: not
   known, because the equations cannot be evaluated. */
bool dfl_impulses_take(dfl_impulses *impulses, dfl_initial *init, double t, const double *x,
                       const dfl_jump *jump);

/* Moves positions alone onto c = g = ep = 0. `strongly`: nothing moves along weak directions,
   for redundant constraints, which off the constraints are only weakly dependent;
   DFL_NOT_CONVERGED also where constraints are then violated. */
dfl_status dfl_initial_project_positions(double *x, dfl_initial *init, double t, bool strongly);

/* How many degrees of freedom nearly dependent constraints take away at the state where rows were
   evaluated last. `text` says so ("; the mechanism is rigid: ..."), also if the constraints leave
   no degree of freedom at all; else it is empty. */
int dfl_initial_rigid(char *text, size_t size, dfl_initial *init);

/* All rows at (t, x) of the user, or (x NULL) at the state that was completed last, with its
   accelerations; NULL: they cannot be evaluated. */
const dfl_point *dfl_initial_evaluate(dfl_initial *init, double t, const double *x);

/* Accelerations and slacks of the last completed state, for systems that carry them. */
const double *dfl_initial_accelerations(const dfl_initial *init);

#endif
