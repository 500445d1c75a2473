/* formulation.h: what is integrated, and the linear algebra of one Newton step.

   An integrator needs only: linearize at a reference point, factor for its shifts zeta, residuals
   of its stages, and solve. Stages stand in lanes (linalg.h), so that several right-hand sides
   share every matrix. Nothing here knows coefficients of a method.

   Two implementations stand behind these functions: `projected`, described below, and `plain`
   (plain.h), one dense matrix for forms that keep all of kinematics and dynamics. */
#ifndef DFL_FORMULATION_H
#define DFL_FORMULATION_H

#include "eom/eom.h"
#include "formulation/forms.h"
#include "formulation/redundant.h"
#include "linalg/linalg.h"

typedef struct dfl_formulation dfl_formulation;
typedef struct dfl_plain dfl_plain;
typedef struct dfl_ode_form dfl_ode_form;
typedef struct dfl_stage_plan dfl_stage_plan;

/* The stages of a step of a Runge-Kutta method, X = x + Z; matrices over the stages stand by columns of the
   width of lanes. */
typedef struct dfl_stages {
    dfl_point *points; /* with t and x = X, not evaluated */
    int count;
    const double *T, *TI, *LTI, *AI; /* T, T^-1, Lambda T^-1 and A^-1 = T Lambda T^-1 */
    double h;
    const double *x, *weight; /* n: of the step's start; what unknowns count in sums of squares */
    double *Z, *dZ;           /* n lanes */
} dfl_stages;

/* What an implementation does; see the functions of the same names below. */
typedef struct dfl_form_ops {
    dfl_outcome (*linearize)(dfl_formulation *form, double t, const double *x, const double *a,
                             bool update);
    dfl_outcome (*select)(dfl_formulation *form, double t, const double *x);
    dfl_outcome (*factor)(dfl_formulation *form, int stages); /* for form->shifts */
    dfl_outcome (*residual)(double *rows, dfl_formulation *form, const dfl_point *points, int count,
                            const double *transform, const double *yp, const double *xp);
    dfl_outcome (*mixed)(double *rows, dfl_formulation *form, const dfl_point *differential,
                         const dfl_point *algebraic, double weight, const double *yp,
                         const double *xp);
    void (*solve)(double *dx, dfl_formulation *form, double *rows);
    dfl_outcome (*defect)(double *err, dfl_formulation *form, const dfl_point *point,
                          const double *y);
    void (*minimum_norm)(double *X, const dfl_formulation *form);
    dfl_outcome (*increment)(double *squares, dfl_formulation *form, const dfl_stages *stages,
                             double *rows); /* or NULL */
} dfl_form_ops;

/* Unknowns as rows of CB (from entry `at` on), and the columns in which these are not zero. */
typedef struct dfl_part {
    int row, rows, first, count, at;
} dfl_part;

/* The projected strangeness-free form (psf) and the projected form of index 1 (psi1):

       0 = alg(x)                                  the algebraic rows in use (ma)
       0 = S (dif(x) - diag(I, M, I) x')           S = diag(I, Sv, Sp)   (nd)

   Newton's linear system for the shift zeta, with the derivatives J and JD of these rows,

       J dx = -alg,    S (zeta diag(I,M,I) - JD) dx = dif

   is solved through all solutions of the first part, dx = CB [alg; u]: CB is independent of zeta,
   so a new step size needs only a new E = zeta SM_u - SJ_u (GEOMS, section on linear algebra). */
struct dfl_formulation {
    dfl_system *sys;
    const dfl_solver_options *options;
    const dfl_form_traits *traits;
    const dfl_form_ops *ops;
    dfl_plain *plain;           /* of the plain forms, or NULL */
    dfl_ode_form *ode;          /* of right-hand sides, or NULL */
    bool local;                 /* local coordinates */
    bool rates_are_a;           /* the rows of the dynamics are a - v', not f_dyn - M v' */
    bool reads_rates;           /* residual needs x' of the stages itself */
    bool stagewise;             /* block 1 of each stage is solved with its own matrix */
    dfl_factor *own[DFL_LANES]; /* these matrices ... */
    int own_factored;           /* ... and how many of them are those of the present stages */
    double *own_rows;           /* m1 for each stage */
    dfl_rows_jacobian jac;
    dfl_rows_jacobian at_step; /* GEOMS contract: derivatives at an accepted point, for W there */

    dfl_method method; /* decomposition of the algebraic part */
    double rank_tolerance;
    int rank2, rank3; /* ranks of W (with gam) and of block 3, constant along the motion */
    int defect;       /* redundant rows of W = undetermined multipliers */
    double *row_size; /* nc: the largest squared length of each row of W so far */
    double *least2;   /* m2, and ... */
    double *least3;   /* ... m3: sizes that rows of blocks 2 and 3 count as at least (ranks.c) */
    double weakest;   /* smallest over largest value of the split of W, at the last decomposition */

    int ma, nd, K;      /* rows in use; K = ma + nd */
    int m2;             /* rows of block 2 in use */
    int nfp, nfv, nflm; /* free positions, velocities, multipliers (psi1) */
    int nsv;            /* rows of Sv */
    dfl_split *split1, *split2, *split3, *pivots2, *pivots3, *quality;
    double *J2_store, *J2; /* m2 x n: block 2 without dropped invariants and, if n0 > 0, without
                        its dependence on the first n1 columns */
    double *Sp, *Sv;       /* nfp x np, nsv x nv */
    bool have_selectors, sv_identity;
    const dfl_point *mean_with; /* the user's selectors are the mean with those there, or NULL */
    unsigned char *pivot_p, *pivot_v; /* pivot sets that belong to the selectors */
    double *CB;                       /* n x K; zero but for these parts and [a sigma w l m]: */
    dfl_part v, sp, p, r, lm;         /* lm: free multipliers */
    double *SM, *SJ;                  /* nd x K */
    double *work;                     /* mdif x K */
    double *column_scale;             /* of block 1, and sizes of its rows */
    double *local_work;               /* workspace of local coordinates */
    unsigned char *local_pivots;

    unsigned char *active; /* ne: invariants in use */
    int nactive;
    bool secure;              /* the choice needs no second look in the next step */
    bool have_old, suspended; /* suspended: no invariants until the next step */
    double *q, *q_old;        /* ne x nv: the parts of e_v that the constraints leave */

    int max_stages;    /* that an integrator may use */
    int width;         /* of the lanes that have as many stages */
    dfl_shifts shifts; /* those that E is factored for */
    dfl_shifted *E;    /* zeta SM_u - SJ_u */
    double *rho;       /* mdif lanes of unprojected residuals; W behind them */
    double *u;         /* nd: those of an error estimate, projected */
    double *vp, *y, *pp;
    double *momentum; /* nv lanes: M v', or f_dyn - M v' stage by stage */
    double *SvM;      /* nsv x nv: Sv M of rows f_dyn - M v' with a constant M, otherwise zero */
    double *moved;    /* nd lanes: S diag(I,M,I) Z ... */
    double *rates;    /* nv lanes: v' */
    int *place;       /* of rows at a point (stage_plan.c) */
    dfl_stage_plan *plan;    /* of the products in an iteration (stage_plan.c) */
    dfl_redundant redundant; /* for minimum-norm multipliers */
    dfl_lstsq *lstsq;        /* for distances of rows of W */
    double *least;           /* nv x nc and its right-hand side */
    dfl_factor *mass;        /* M, for accelerations */
};

/* With room for as many stages. */
dfl_status dfl_formulation_init(dfl_formulation *form, dfl_system *sys,
                                const dfl_solver_options *options, int stages);
void dfl_formulation_clear(dfl_formulation *form);

/* After dfl_system_decide: lays out all blocks and forgets ranks and selectors. */
void dfl_formulation_bind(dfl_formulation *form);

/* Determines the ranks at a consistent point and, if allowed, switches to the SVD for redundant
   constraints. DFL_SINGULAR: rank-deficient and not allowed; DFL_INVALID: theory violated. */
dfl_status dfl_formulation_ranks(dfl_formulation *form, const dfl_point *point);

/* Whether the forces at an evaluated point are free of what redundant constraints leave
   undetermined, and the failure if they are not. */
bool dfl_formulation_forces_determined(dfl_formulation *form, const dfl_point *point);
dfl_status dfl_formulation_undetermined(const dfl_formulation *form, double t);

/* Copies least2 for the rows of block 2 in use (leading dimension and number m2, from the v-columns on) to `least`. */
void dfl_formulation_least_rows(double *least, const dfl_formulation *form, const double *J2v,
                                int m2);

/* The rank of W at an arbitrary point; negative if it cannot be evaluated. */
int dfl_formulation_rank_at(dfl_formulation *form, const dfl_point *point);

/* New derivatives and algebraic decomposition at (t, x), a approximating v'. `update` is for a
   second matrix within a step: it keeps selectors and the choice of invariants. */
dfl_outcome dfl_formulation_linearize(dfl_formulation *form, double t, const double *x,
                                      const double *a, bool update);

/* New selectors for the present decomposition. */
dfl_outcome dfl_formulation_select(dfl_formulation *form, double t, const double *x);

/* Factors E for a real shift and ncomplex complex ones (interleaved) in zeta. */
dfl_outcome dfl_formulation_factor(dfl_formulation *form, int ncomplex, const double *zeta);

/* Newton's iteration begins: the stages have new starting values. */
void dfl_formulation_begin_iteration(dfl_formulation *form);

/* rows (ma lanes): alg, and form->rho (mdif lanes): dif - diag(I,M,I) x', of `count` evaluated
   stages, transformed over the stages. yp: lanes of x' transformed; xp: lanes of x' itself, read
   only where form->reads_rates. */
dfl_outcome dfl_formulation_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                                     int count, const double *transform, const double *yp,
                                     const double *xp);

/* The same for one stage whose differential rows belong to one point, with a weight, and whose
   algebraic rows to another. yp: the weighted x'. */
dfl_outcome dfl_formulation_mixed_residual(double *rows, dfl_formulation *form,
                                           const dfl_point *differential,
                                           const dfl_point *algebraic, double weight,
                                           const double *yp, const double *xp);

/* Whether there is dfl_formulation_increment, which evaluates the stages and solves for dZ (n lanes, not transformed)
   at once, and moves Z and the points by it if it is finite; the sum of weighted squares of dZ. rows: room for K lanes. */
static inline bool dfl_formulation_increments(const dfl_formulation *form)
{
    return form->ops->increment != NULL;
}

dfl_outcome dfl_formulation_increment(double *squares, dfl_formulation *form,
                                      const dfl_stages *stages, double *rows);

/* dx (n lanes) from rows (room for K lanes, overwritten) and form->rho. */
void dfl_formulation_solve(double *dx, dfl_formulation *form, double *rows);

/* err (n) = B E^-1 S (dif + diag(I,M,I) y) at an evaluated point: a filtered defect. */
dfl_outcome dfl_formulation_defect(double *err, dfl_formulation *form, const dfl_point *point,
                                   const double *y);

/* Removes from lanes of x (n lanes) what redundant constraints leave undetermined. */
void dfl_formulation_minimum_norm(double *X, const dfl_formulation *form);

/* a (nv): the accelerations at an evaluated point, M a = f_dyn. False: M is singular. */
bool dfl_formulation_accelerations(double *a, dfl_formulation *form, const dfl_point *point);

/* The same at a start that was taken as given, where carried accelerations need not fit. */
bool dfl_formulation_solve_accelerations(double *a, dfl_formulation *form, const dfl_point *point);

/* Multipliers of minimum norm with the same constraint force, at an evaluated point. Unchanged where W cannot be
   evaluated (GEOMS contract). */
dfl_outcome dfl_formulation_least_multipliers(dfl_point *point, dfl_formulation *form);

/* Stops using the invariants until the next accepted step. False if none was in use. */
bool dfl_formulation_suspend(dfl_formulation *form);

/* A step was accepted: invariants may be used again, compared with this step. */
void dfl_formulation_accepted(dfl_formulation *form);

/* gII and hI (nc) at an evaluated accepted point, with a from M a = f_dyn; NULL where they are not
   known: no bias, a singular M, or psi1, which does not ask for them. */
const double *dfl_formulation_acceleration_rows(dfl_formulation *form, const dfl_point *point);

/* Writes the names of the rows that take part in the weakest combination of W into `text`. */
void dfl_formulation_weak_rows(char *text, size_t size, dfl_formulation *form);

#endif
