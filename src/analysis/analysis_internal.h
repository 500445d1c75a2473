/* analysis_internal.h: what the files of this module share. */
#ifndef DFL_ANALYSIS_INTERNAL_H
#define DFL_ANALYSIS_INTERNAL_H

#include "eom/eom.h"
#include "linalg/linalg.h"

#include <driftless/analysis.h>

/* Singular values, pivots and the like below this part of the largest are zero. */
#define DFL_ANALYSIS_ZERO 1e-9

/* All rows of a model and their derivatives at one state (local_rows.c). */
typedef struct dfl_local {
    dfl_context *ctx;
    const dfl_eom *eom;
    dfl_layout at;
    int nc; /* nl + nm */
    int m3; /* ns + nl + nep */
    double t;
    const double *x; /* n: the state of the last evaluation */
    double *a;       /* nv: accelerations there, without a part along massless directions */
    double *M;       /* nv x nv */
    double *f;       /* nv: f - W^T (l, m) */
    dfl_system sys;
    dfl_point point;
    dfl_rows_jacobian jac; /* jac.blocks: derivatives for the accelerations a */
    dfl_statistics counters;
} dfl_local;

/* Room for a model; the caller clears it also after a failure. DFL_INVALID: its contract. */
dfl_status dfl_local_create(dfl_local *out, dfl_context *ctx, const dfl_eom *eom);
void dfl_local_clear(dfl_local *local);

/* Evaluates everything at (t, x), which must stay where it is; _still: with accelerations 0. */
dfl_status dfl_local_eval(dfl_local *local, double t, const double *x);
dfl_status dfl_local_eval_still(dfl_local *local, double t, const double *x);

/* The message of an evaluation that failed. */
dfl_status dfl_local_refuse(dfl_context *ctx, const dfl_system *sys, dfl_outcome outcome, double t);

/* The derivatives by inputs (may be NULL) there, in one block of memory, which out->dyn owns; the
   caller frees it. DFL_CALLBACK, DFL_NOT_FINITE, DFL_NO_MEMORY. */
dfl_status dfl_local_inputs(dfl_input_slopes *out, const dfl_local *local,
                            const dfl_inputs *inputs);

/* The unknowns r, v, s, p that the constraints on positions and velocities leave free (tangent.c):
   writes the n x (ny+nu) matrix linear->X, with zeros for w and multipliers, and the states. The
   velocities that `K0` moves, if any, are preferably not among them. */
dfl_status dfl_tangent(dfl_linearized *linear, const dfl_local *local);

/* The balance along massless directions determines some of the velocities: removes them from the
   states, and completes the accelerations (massless_states.c). `forces` (nv x nu) are the forces
   of inputs, `b` (nr x nu) their part of b. */
dfl_status dfl_massless_states(dfl_linearized *linear, const dfl_local *local,
                               const dfl_input_slopes *inputs);

/* As dfl_linearize at this instant, whatever happens later; `turns`: with dfl_take_turns. */
dfl_status dfl_linearize_now(dfl_linearized *out, dfl_context *ctx, const dfl_eom *eom, double t,
                             const double *x, const dfl_inputs *inputs, bool turns);

/* steadiness.c: the kind of a point by its forces; then whether the linear equations also hold
   later, with turns as states if need be, or the point is frozen. */
dfl_point_kind dfl_kind_now(const char **why, const dfl_linearized *linear, const dfl_local *local);
dfl_status dfl_look_ahead(dfl_linearized *out, const dfl_eom *eom, double t, const double *x,
                          const dfl_inputs *inputs);

/* V (nv x count) = -W_f^+ sides, from the velocities with f[j] == wanted; *left: the largest part
   of a side that remains (steady_velocities.c). */
dfl_status dfl_follow_rows(double *V, double *left, const dfl_local *local, const bool *f,
                           bool wanted, const double *sides, int count);

/* turns.c: changes of positions along velocities become states in place of the positions; `local`
   is evaluated elsewhere after that. */
bool dfl_turns_apply(const dfl_linearized *linear, const dfl_eom *eom);
dfl_status dfl_take_turns(dfl_linearized *out, dfl_local *local);

/* modes.c: frequency and damping of an eigenvalue; counts modes that grow or stand still and sorts
   all. */
dfl_mode dfl_mode_of(double re, double im, double doubt);
void dfl_modes_sort(dfl_modes *modes);

/* schur_block.c: Schur's form T of a balanced matrix, and its eigenvalues. */
typedef struct dfl_schur {
    dfl_context *ctx;
    int n;
    double norm;     /* the largest entry of the balanced matrix */
    double *T;       /* n x n */
    double *re, *im; /* n each, one block of memory */
    double *part;    /* n x n: of the last dfl_schur_block */
} dfl_schur;

/* The caller clears *out also after a failure. DFL_NOT_CONVERGED, DFL_NO_MEMORY. */
dfl_status dfl_schur_create(dfl_schur *out, dfl_context *ctx, int n, const double *A);
void dfl_schur_clear(dfl_schur *schur);
/* The `count` eigenvalues nearest to i omega, and their conjugates: the leading block of
   schur->part, of this order, has them. *condition is 1 if their mean changes as little as the
   matrix, 0: without limit. DFL_NOT_CONVERGED, DFL_NO_MEMORY. */
dfl_status dfl_schur_block(int *order, double *condition, dfl_schur *schur, double omega,
                           int count);

/* secular.c: marks modes, in the order of dfl_eigen_find, on the imaginary axis that grow with
   powers of time; A is the matrix. */
dfl_status dfl_modes_mark_secular(dfl_modes *modes, const double *A);

/* The size of the terms of a row, by its derivatives J (rows x n) and unknowns x, of which small
   ones count as 1e-3: what its residual is compared with. */
static inline double dfl_row_terms(const double *J, int rows, int row, const double *x, int n)
{
    double size = 0;
    for (int j = 0; j < n; j++)
        size = fmax(size, fabs(J[(size_t)j * (size_t)rows + (size_t)row]) * fmax(fabs(x[j]), 1e-3));
    return size;
}

/* The matrix of the unknowns a, sigma, w, l, m in the equations at the top of linearize.c, of order
   nv + n0 + nw + nl + nm; S is zero before. */
void dfl_motion_matrix(double *S, const dfl_local *local);

/* The rates of p (np) and r (nr) for all columns of X: rate is (np+nr) x (ny+nu) (linearize.c). */
void dfl_state_rates(double *rate, const dfl_linearized *linear, const dfl_local *local,
                     const dfl_input_slopes *inputs);

#endif
