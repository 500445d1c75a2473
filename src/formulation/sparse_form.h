/* sparse_form.h: the projected strangeness-free form with sparse matrices.

   Instead of rows S_p, S_v that span the free directions, local multipliers tau and eta take the
   forbidden directions out of the rows of dynamics and kinematics: the same equations, and nothing
   that is not sparse; so do kappa and pi with the directions of invariants, and nu with those
   without mass. Unknowns [x | tau | eta | kappa | pi | nu | u], x = [a sigma w l m r v s p], and
   the same number of rows

       dynamics    M (a - v') - W^T tau - e_v^T kappa - K0 nu
       kinematics  Z (v - u) - p' - ep_p^T pi     u = W_l^T eta, or with p' = v this instead of u
       b - r',  f_dyn - M a - K0 sigma,  K0^T a,  d,  c
       gII, hI     W a + bias
       gI, hv, e, g, ep, gam                 kappa instead of an e that is not in use (invariants.h)
       u           W_l^T eta - u             unless p' = v

   tau, eta, kappa, pi, nu and u vanish at the solution; they are solved for anew in each iteration.
   A row F(x, x') enters the matrix as zeta E - J with E = -dF/dx' and J = dF/dx. Redundant
   constraints lose their rows on all levels; their multipliers stay what they are, and the others
   answer for them. */
#ifndef DFL_SPARSE_FORM_H
#define DFL_SPARSE_FORM_H
#include "formulation/condensed.h"
#include "formulation/invariants.h"
#include "formulation/unconstrained.h"

enum { DFL_SPARSE_FACTORS = 4 }; /* a real shift and three complex ones */

/* Numbers that are added to the matrix: factor times source[k] to entry at[k]. */
typedef struct dfl_sparse_part {
    const double *source; /* NULL: ones */
    double *into;         /* E or J */
    double factor;
    int first, count; /* of the list of places */
} dfl_sparse_part;

enum { DFL_SPARSE_PARTS = 32 };

/* From one end of a mechanism, and from the other. */
enum { DFL_GRADINGS = 2 };

/* Why a row is left out. */
enum { DFL_ROW_REDUNDANT = 1, DFL_ROW_OFF = 2 };

typedef struct dfl_sparse_form {
    dfl_formulation base;
    dfl_packed_jacobian jac;
    int order, tau, eta, kappa, pi, nu, u; /* unknowns; the first columns of the additional ones */
    struct {
        int kin, b, a, sigma, d, c, acc, vel, e, g, ep, gam, u;
    } row;                  /* the first of each kind; dynamics are at 0 */
    unsigned char *dropped; /* nc: rows that are left out, and why */
    int undetermined;       /* the number of redundant ones */
    dfl_invariants invariants;

    dfl_condensed *condensed; /* NULL: the model is not of this kind ... */
    dfl_unconstrained *alone; /* NULL: there are constraints, or further variables */
    bool condenses;           /* one of them serves the present matrix */

    /* the matrix, laid out when the ranks are known (sparse_matrix.c) */
    dfl_csc matrix;
    dfl_sparse_part part[DFL_SPARSE_PARTS];
    int nparts;
    int *at; /* entries of the matrix that the parts add to */
    double *E, *J, *value[DFL_SPARSE_FACTORS];
    dfl_sparse_lu *lu[DFL_SPARSE_FACTORS];
    int factored; /* stages that the matrix is factored for */

    double *F;     /* order x stages: the rows */
    double *rho;   /* order lanes: the rows of the stages, transformed */
    double *right; /* 2 order: one right-hand side */
    double *rate;  /* n: x' of a stage */

    /* the constraints (sparse_ranks.c) */
    dfl_csc W, both;    /* patterns of W, and of [W W] */
    dfl_csc M, no_rows; /* patterns of M and of no constraints, if M is not diagonal */
    int *zeros;         /* nv + 1 */
    dfl_saddle_ldl *split, *flip, *mass;
    double *metric, *twice; /* nv; 2 nv and the numbers of [W W] */
    double *balance;        /* nv + nc: another metric, and workspace (sparse_passages.c) */
    double *W_ref;          /* W at the last decomposition */
    double *W_before;       /* W at a state within a step */
    double *
        grading[DFL_GRADINGS]; /* factors of its entries (sparse_grading.c); NULL: not needed yet */
    int measure; /* the metric that served last: its grading + 1, or 0; then the same with `balance`
                  */
    int parts;   /* that the last step was divided into (sparse_passages.c) */
    dfl_row_choice choice; /* of redundant rows (sparse_redundancy.c) */
    double *allowed;       /* nc: parts of their lengths that rows may be apart */
    dfl_least_rows *least; /* multipliers of minimum norm; NULL: not needed yet */
    int *vel_of_W;         /* entries of jac.vel that are those of W, or -1 */
    dfl_point scratch;
} dfl_sparse_form;

/* sparse_matrix.c: the pattern for the rows that are not dropped, and everything of its size, which
   wait for the first matrix that does not condense, if one may; the numbers of E and J. */
dfl_status dfl_sparse_matrix_renew(dfl_sparse_form *form);
void dfl_sparse_matrix_clear(dfl_sparse_form *form);
void dfl_sparse_matrix_assemble(dfl_sparse_form *form);
dfl_outcome dfl_sparse_matrix_factor(dfl_sparse_form *form, int stages);

/* sparse_ranks.c: life of what knows the constraints; the weakest row of the last derivatives.
   False: the rank is not what it was. */
extern const dfl_constraint_class dfl_sparse_constraints;
dfl_status dfl_sparse_ranks_init(dfl_sparse_form *form);
void dfl_sparse_ranks_clear(dfl_sparse_form *form);
bool dfl_sparse_ranks_watch(dfl_sparse_form *form);

void dfl_sparse_set_metric(dfl_sparse_form *form); /* columns in their units */

/* sparse_redundancy.c: as the functions dfl_formulation_* of these names; other rows of the same
   rank, at a clear distance from each other at W_ref (false: there are none); X (n lanes) with
   multipliers of minimum norm. */
dfl_status dfl_sparse_ranks(dfl_formulation *base, const dfl_point *point, const double *sizes);
int dfl_sparse_violated_row(const dfl_formulation *base, const dfl_point *point,
                            const double *weight);
bool dfl_sparse_forces_determined(dfl_formulation *base, const dfl_point *point);
dfl_outcome dfl_sparse_least_multipliers(dfl_point *point, dfl_formulation *base);
bool dfl_sparse_choose_anew(dfl_sparse_form *form);
void dfl_sparse_minimum_norm(double *X, const dfl_formulation *base);

/* stage_rows.c: whether the rows of all stages follow at once from evaluations whose second part is
   still to be done (dfl_formulation_combines); rho (lanes) := these rows. */
bool dfl_sparse_combines(const dfl_formulation *base);
void dfl_sparse_stage_rows(double *rho, const dfl_sparse_form *form, const dfl_point *points,
                           int stages, const double *transform, const double *yp);

/* sparse_invariants.c: which invariants are in use, from the last derivatives and form->split. */
void dfl_sparse_choose_invariants(dfl_sparse_form *form);

/* sparse_grading.c: form->grading. DFL_NO_MEMORY. */
dfl_status dfl_sparse_grading_create(dfl_sparse_form *form);

/* sparse_passages.c: as dfl_formulation_flips. */
int dfl_sparse_flips(double *smallest, dfl_formulation *base, const dfl_point *from,
                     const dfl_point *to);

#endif
