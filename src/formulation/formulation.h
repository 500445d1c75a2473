/* formulation.h: what is integrated, and the linear algebra of one Newton step.

   An implicit integrator linearizes at a reference point, factors for its shifts zeta, forms the
   residuals of its stages, and solves. An explicit integrator calls the right-hand side. Stages are
   stored in lanes (linalg.h), so that several right-hand sides share every matrix. Nothing here
   knows the coefficients of a method.

   Four implementations are behind these functions: projected forms, plain forms, right-hand sides
   and the projected form with sparse matrices (README.md). */
#ifndef DFL_FORMULATION_H
#define DFL_FORMULATION_H

#include "eom/eom.h"
#include "linalg/linalg.h"

/* ---- the forms as data: the rows and the additional unknowns of each form (forms.c) ---- */

/* What the accelerations are in the rows gII, hI = W a + bias. */
typedef enum dfl_acceleration {
    DFL_ACC_NONE,      /* there are no such rows */
    DFL_ACC_RATE,      /* v' */
    DFL_ACC_UNKNOWN,   /* unknowns a with the rows f_dyn - M a = 0 */
    DFL_ACC_CORRECTED, /* v' + W^T tau, also in the dynamics */
    DFL_ACC_PROJECTED  /* unknowns or eliminated, as the system decides (eom.h) */
} dfl_acceleration;

typedef struct dfl_form_traits {
    bool ode;                              /* an explicit right-hand side */
    bool plain;                            /* all of kinematics and dynamics are rows */
    bool position, velocity, nonholonomic; /* g, gI, hv are rows */
    dfl_acceleration acceleration;         /* gII, hI are rows */
    bool stabilised;                       /* ... with 2 alpha gI + beta^2 g and alpha hv added */
    bool rates_are_a;                      /* the rows of the dynamics are a - v' */
    bool mu;              /* unknowns mu: p' = Z (v - W^T mu), with rows g; and for ep */
    bool tau;             /* unknowns tau of the dynamics, with rows gI and hv ... */
    bool tau_turns;       /* ... which act on p' as well, through the derivative of gI */
    bool discarded;       /* mu and tau are solved for anew in each iteration */
    int index_v, index_l; /* of v and of the multipliers, for norms */
} dfl_form_traits;

/* The traits of a form, or of its right-hand side. */
const dfl_form_traits *dfl_form_traits_of(dfl_form form, bool right_hand_side);

/* The same with what the options change. */
const dfl_form_traits *dfl_form_traits_with(const dfl_solver_options *options,
                                            bool right_hand_side);

/* What the form requires of the system. */
dfl_requirements dfl_form_requirements(const dfl_form_traits *traits, const dfl_eom *eom);

/* Whether the user has said which coordinates are independent. */
bool dfl_coordinates_are_fixed(const dfl_solver_options *options);

/* Whether the form has an explicit right-hand side. */
bool dfl_form_has_right_hand_side(dfl_form form);

/* ---- life ---- */

typedef struct dfl_formulation dfl_formulation;

/* What an integrator needs from a formulation. */
typedef struct dfl_integrator_needs {
    int stages;           /* the largest number of stages that share a matrix */
    bool right_hand_side; /* the right-hand side of the form (dfl_formulation_ode) */
    bool two_points;      /* rows of a step belong to two points, or rates to its start */
} dfl_integrator_needs;

/* Creates the formulation of options->form, whose requirements the system takes over. On failure
 *out is NULL. DFL_NO_MEMORY. */
dfl_status dfl_formulation_create(dfl_formulation **out, dfl_system *sys,
                                  const dfl_solver_options *options, dfl_integrator_needs needs);
void dfl_formulation_free(dfl_formulation *form);

/* After dfl_system_decide: lays out all blocks and forgets ranks and selectors. */
void dfl_formulation_bind(dfl_formulation *form);

/* ---- ranks of the constraints ---- */

/* Determines the ranks at a consistent point and, if the options allow it, switches to the SVD for
   redundant constraints. `sizes` (nc) are those of dfl_system_row_sizes. DFL_SINGULAR:
   rank-deficient, and the options do not allow it. DFL_INVALID: the model violates the theory. */
dfl_status dfl_formulation_ranks(dfl_formulation *form, const dfl_point *point,
                                 const double *sizes);

/* The rank of W (rows gI, hv), and the number of its redundant rows: what the start found. */
int dfl_formulation_rank(const dfl_formulation *form);
int dfl_formulation_redundant(const dfl_formulation *form);

/* How far redundant rows are from being dependent: the largest singular value that was treated as
   zero, relative to the largest. */
double dfl_formulation_misfit(const dfl_formulation *form);

/* The rank of W at an arbitrary point; negative if W cannot be evaluated. */
int dfl_formulation_rank_at(dfl_formulation *form, const dfl_point *point);

/* The rows of block 2 that must be independent (those of W, massless directions and invariants in
   use), and how many of them the last decomposition found independent. */
int dfl_formulation_rank_expected(const dfl_formulation *form);
int dfl_formulation_rank_found(const dfl_formulation *form);

/* The number of invariants e in use. */
int dfl_formulation_invariants(const dfl_formulation *form);

/* What the model has that makes KLU factor every sparse matrix, with pivots; NULL: nothing. */
const char *dfl_formulation_pivoting(const dfl_formulation *form);

/* The smallest over the largest value of W at the last decomposition. */
double dfl_formulation_weakest(const dfl_formulation *form);

/* Writes the names of the rows in the weakest combination of W into `text`. */
void dfl_formulation_weak_rows(char *text, size_t size, dfl_formulation *form);

/* Whether g depends on position j, by the derivatives that were evaluated last. */
bool dfl_formulation_depends_on_position(const dfl_formulation *form, int j);

/* Whether the forces at an evaluated point are free of the multipliers that redundant constraints
   leave undetermined; and the failure if they are not. */
bool dfl_formulation_forces_determined(dfl_formulation *form, const dfl_point *point);
dfl_status dfl_formulation_undetermined(const dfl_formulation *form, double t);

/* ---- the watch on singular positions (singular.c); W is evaluated at all points ---- */

/* Decomposes W at a point. False: its rank is not that of the start. */
bool dfl_formulation_decompose(dfl_formulation *form, const dfl_point *point);

/* The smallest over the largest value of W at a point, rows not scaled; NaN if there is none. */
double dfl_formulation_weakness(dfl_formulation *form, const dfl_point *point);

/* How far W at a point is from the last decomposition: the largest row sum of |W R - I|. Below 1,
   W R is regular. */
double dfl_formulation_drift(dfl_formulation *form, const dfl_point *point);

/* The same between two points, for W(to) R - W(from) R, also with redundant rows. */
double dfl_formulation_change(dfl_formulation *form, const dfl_point *from, const dfl_point *to);

/* The number of eigenvalues of W(to) W(from)^+, on the range of W(from), whose real part is not
   positive. *smallest: the smallest real part, at most 1. */
int dfl_formulation_flips(double *smallest, dfl_formulation *form, const dfl_point *from,
                          const dfl_point *to);

/* The first row g, or nl + the first row hv, that the start found redundant and a point violates:
   beyond what a change of every position or velocity by its tolerance, 1/weight (n), would make.
   -1: none. */
int dfl_formulation_violated_row(const dfl_formulation *form, const dfl_point *point,
                                 const double *weight);

/* ---- the watch on local coordinates (chart.c, chart_names.c) ---- */

/* Whether a step integrates coordinates, or rows, that were chosen elsewhere: it may leave their
   chart. */
bool dfl_formulation_has_chart(const dfl_formulation *form);

typedef enum dfl_chart_verdict {
    DFL_CHART_HOLDS,
    DFL_CHART_DOUBTFUL, /* the ends of the step and their rates disagree about its end */
    DFL_CHART_LEFT      /* the chart ends within the step, at *when */
} dfl_chart_verdict;

/* Whether the chart holds along a step between two evaluated points. */
dfl_chart_verdict dfl_formulation_chart_step(double *when, dfl_formulation *form,
                                             const dfl_point *from, const dfl_point *to);

/* Whether the motion, continued from an evaluated point with its rates, leaves the chart within a
   time h. */
bool dfl_formulation_chart_ends_within(dfl_formulation *form, const dfl_point *point, double h);

/* How well the coordinates determine the motion at a point: 1 at best, 0 where the chart ends. */
double dfl_formulation_chart_quality(dfl_formulation *form, const dfl_point *point);

/* Names at the end of a chart: the coordinates that were chosen, those that move while they rest,
   and those that determine the motion there. */
typedef struct dfl_chart_names {
    char chosen[120], moving[120], better[120];
} dfl_chart_names;
void dfl_formulation_chart_names(dfl_chart_names *out, dfl_formulation *form,
                                 const dfl_point *point);

/* ---- Newton's iteration ---- */

/* New derivatives and a new algebraic decomposition at (t, x), a approximating v'. `update`: a
   second matrix within a step, which keeps selectors and the choice of invariants. */
dfl_outcome dfl_formulation_linearize(dfl_formulation *form, double t, const double *x,
                                      const double *a, bool update);

/* Factors the matrix for a real shift and ncomplex complex ones (interleaved) in zeta. */
dfl_outcome dfl_formulation_factor(dfl_formulation *form, int ncomplex, const double *zeta);

/* The shifts that the matrix is factored for. */
const dfl_shifts *dfl_formulation_shifts(const dfl_formulation *form);

/* Newton's iteration begins: the stages have new starting values. */
void dfl_formulation_begin_iteration(dfl_formulation *form);

/* The rows of `count` evaluated stages, transformed over the stages: algebraic rows into `rows`
   (room for dfl_formulation_room lanes), differential ones are kept by the formulation. yp: lanes
   of x' transformed. xp: lanes of x' itself, read only if dfl_formulation_reads_rates. */
dfl_outcome dfl_formulation_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                                     int count, const double *transform, const double *yp,
                                     const double *xp);
bool dfl_formulation_reads_rates(const dfl_formulation *form);

/* Whether that does the second part of an evaluation, dfl_system_finish, for all stages at once. */
bool dfl_formulation_combines(const dfl_formulation *form);

/* The residual of one stage whose differential rows belong to one point, with a weight, and whose
   algebraic rows belong to another. yp: the weighted x'. */
dfl_outcome dfl_formulation_mixed_residual(double *rows, dfl_formulation *form,
                                           const dfl_point *differential,
                                           const dfl_point *algebraic, double weight,
                                           const double *yp, const double *xp);

/* dx (n lanes) from the residual; overwrites `rows`. */
void dfl_formulation_solve(double *dx, dfl_formulation *form, double *rows);

/* The stages X = x + Z of a step of a Runge-Kutta method. Matrices over the stages are stored by
   columns of the width of lanes. */
typedef struct dfl_stages {
    dfl_point *points; /* with t and x = X, not evaluated */
    int count;
    const double *T, *TI, *LTI, *AI; /* T, T^-1, Lambda T^-1 and A^-1 = T Lambda T^-1 */
    double h;
    const double *x, *weight; /* n: at the start of the step; of the unknowns in sums of squares */
    double *Z, *dZ;           /* n lanes */
} dfl_stages;

/* Whether dfl_formulation_increment exists: it evaluates the stages, solves for dZ (n lanes, not
   transformed) and moves Z and the points by dZ if dZ is finite. *squares: the sum of weighted
   squares of dZ. rows: as for dfl_formulation_residual. */
bool dfl_formulation_increments(const dfl_formulation *form);
dfl_outcome dfl_formulation_increment(double *squares, dfl_formulation *form,
                                      const dfl_stages *stages, double *rows);

/* Whether an iteration solves for accelerations and multipliers with the M and W of each stage. */
bool dfl_formulation_stagewise(const dfl_formulation *form);

/* The largest number of lanes in `rows` above. */
int dfl_formulation_room(const dfl_formulation *form);

/* err (n) = B E^-1 S (dif + diag(I,M,I) y) at an evaluated point: a filtered defect. */
dfl_outcome dfl_formulation_defect(double *err, dfl_formulation *form, const dfl_point *point,
                                   const double *y);

/* Whether the lanes of x that a step starts from have a part that redundant constraints leave
   undetermined; and removes this part from X (n lanes). */
bool dfl_formulation_has_undetermined(const dfl_formulation *form);
void dfl_formulation_minimum_norm(double *X, const dfl_formulation *form);

/* ---- linearized equations at single points, in psf (stage_solution.c) ---- */

/* A second formulation of the same equations for them, freed as the first. DFL_NO_MEMORY. */
dfl_status dfl_formulation_twin(dfl_formulation **out, const dfl_formulation *form);

/* Ranks, invariants in use and selectors of the present step, as bytes; and gives them to a twin.
 */
size_t dfl_formulation_selection_size(const dfl_formulation *form);
void dfl_formulation_selection(void *bytes, const dfl_formulation *form);
void dfl_formulation_select(dfl_formulation *twin, const void *bytes);

/* All solutions of J dx = -alg, dx = CB [alg; u], and what the differential rows are for them:
   S diag(I,M,I) dx = SM [alg; u], S JD dx = SJ [alg; u]. */
typedef struct dfl_stage_solution {
    int ma, nd;                  /* algebraic rows in use, differential rows */
    int nsv, nfp;                /* of these, rows of Sv and Sp, after nr */
    double *CB;                  /* n x (ma + nd), freed with it: */
    double *SM, *SJ;             /* nd x (ma + nd) */
    double *Rv;                  /* nsv x nv: what multiplies v', Sv or Sv M; freed with CB */
    const double *Sv, *Sp;       /* nsv x nv, nfp x np; owned by the twin, as ... */
    const unsigned char *active; /* ne: ... the invariants in use */
    bool again; /* as it was left: zeros of these numbers of rows have their places */
} dfl_stage_solution;
dfl_status dfl_stage_solution_init(dfl_stage_solution *out, const dfl_formulation *form);
void dfl_stage_solution_clear(dfl_stage_solution *solution, dfl_context *ctx);

/* With the derivatives `jac` of all rows at a point, and what the twin was given. */
dfl_outcome dfl_formulation_solution(dfl_stage_solution *out, dfl_formulation *twin,
                                     const dfl_rows_jacobian *jac, double t);

/* ---- steps ---- */

/* The traits of the form. */
const dfl_form_traits *dfl_formulation_traits(const dfl_formulation *form);

/* User-defined selectors are the mean of those at the present state and those at `start`, which
   the caller keeps. */
void dfl_formulation_mean_with(dfl_formulation *form, const dfl_point *start);

/* After a failed step: new selectors, from the present decomposition at (t, x) or, with `later`,
   from the next one. *changed: false if the formulation has no selectors. */
dfl_outcome dfl_formulation_renew_selectors(bool *changed, dfl_formulation *form, double t,
                                            const double *x, bool later);

/* Whether the decomposition may serve another step: it decides neither about invariants nor about
   redundant multipliers, and has no selectors of both ends of its step. */
bool dfl_formulation_matrix_serves(const dfl_formulation *form);

/* Stops using the invariants until the next accepted step. False if none was in use. */
bool dfl_formulation_suspend(dfl_formulation *form);

/* A step was accepted: invariants may be used again, compared with this step. */
void dfl_formulation_accepted(dfl_formulation *form);

/* a (nv): the accelerations at an evaluated point, M a = f_dyn. False: M is singular. _solve: also
   if the point carries accelerations, which need not fit at a start taken as given. */
bool dfl_formulation_accelerations(double *a, dfl_formulation *form, const dfl_point *point);
bool dfl_formulation_solve_accelerations(double *a, dfl_formulation *form, const dfl_point *point);

/* The first velocity whose mass, given those before it, is not positive at (t, x); -1: M is
   positive definite; -2: M is constant, not square, or cannot be evaluated. */
int dfl_formulation_lost_mass(dfl_formulation *form, double t, const double *x);

/* The multipliers of minimum norm with the same constraint force, at an evaluated point. Unchanged
   if W cannot be evaluated (GEOMS contract). */
dfl_outcome dfl_formulation_least_multipliers(dfl_point *point, dfl_formulation *form);

/* gII and hI (nc) at an evaluated accepted point, with a from M a = f_dyn. NULL if they are not
   known: no bias, a singular M, or psi1, which does not evaluate them. */
const double *dfl_formulation_acceleration_rows(dfl_formulation *form, const dfl_point *point);

/* ---- right-hand sides y' = F(t, y), y = (r, v, p), for explicit integrators ---- */

typedef struct dfl_ode dfl_ode;

/* The right-hand side; NULL if the formulation was not created for one. */
dfl_ode *dfl_formulation_ode(dfl_formulation *form);

/* Whether a state satisfies its constraints only after its velocities are projected (qr, svd). */
bool dfl_ode_projects(const dfl_ode *ode);

/* At the beginning of a step from an evaluated point: local coordinates, rows in use. */
dfl_outcome dfl_ode_begin(dfl_ode *ode, const dfl_point *point);

/* Completes the state at point->t, evaluates all blocks there and solves for what depends on the
   state; rate (n, laid out as x) gets y'. */
dfl_outcome dfl_ode_rates(double *rate, dfl_ode *ode, dfl_point *point);

/* The same for the end of a step, which moves onto the constraints if the form requires it; then
   evaluates all rows of the point. In qr and svd the state keeps its velocity. */
dfl_outcome dfl_ode_finish(dfl_ode *ode, dfl_point *point);

/* The same for a state that is taken as it is. */
dfl_outcome dfl_ode_settle(dfl_ode *ode, dfl_point *point);

/* rate = (0, b, a, 0, Z v) at a point that carries a, laid out as x. */
void dfl_ode_write_rates(double *rate, const dfl_system *sys, const dfl_point *point);

/* The dependent part of a state: s from c = 0 for given p; velocities along massless directions
   from gam = 0. */
dfl_outcome dfl_ode_contact(dfl_ode *ode, dfl_point *point);
dfl_outcome dfl_ode_massless(dfl_ode *ode, dfl_point *point);

/* Solves for a, w, l, m of a point whose blocks are evaluated, with V a = target (nc) in place of
   the acceleration constraints; V (nc x nv) is W at a later point. */
dfl_outcome dfl_ode_solve_with(dfl_ode *ode, dfl_point *point, const double *V,
                               const double *target);

/* Factors M and W of an evaluated point for the functions below. */
dfl_outcome dfl_ode_factor(dfl_ode *ode, const dfl_point *point);

/* dv (nv): the least change in the metric of M with W dv = target (nc). */
void dfl_ode_least_change(double *dv, dfl_ode *ode, const double *target);

/* Moves positions (and s) onto the constraints with the least change in the metric of M; factors
   there, and evaluates the blocks W, gI, hv, g, c. */
dfl_outcome dfl_ode_move_positions(dfl_ode *ode, dfl_point *point);

/* Then moves velocities onto the invariants e, along the constraints; not if an invariant is
   degenerate. */
dfl_outcome dfl_ode_move_invariants(dfl_ode *ode, dfl_point *point);

#endif
