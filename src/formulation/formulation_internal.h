/* formulation_internal.h: the base of all formulations, and what the dense ones share.

   An implementation is a struct that begins with a dfl_formulation, and a table of operations. The
   present implementations also contain a dfl_dense; a sparse one will have its own derivatives and
   decompositions instead. */
#ifndef DFL_FORMULATION_INTERNAL_H
#define DFL_FORMULATION_INTERNAL_H

#include "formulation/formulation.h"
#include "formulation/redundancy.h"

typedef struct dfl_chart dfl_chart;           /* chart.h */
typedef struct dfl_invariants dfl_invariants; /* invariants.h */
typedef struct dfl_chart_rows dfl_chart_rows; /* chart.h */

/* How an implementation without a dfl_dense knows the constraints; see the functions of the same
   names in formulation.h. */
typedef struct dfl_constraint_class {
    dfl_status (*ranks)(dfl_formulation *form, const dfl_point *point, const double *sizes);
    int (*rank_at)(dfl_formulation *form, const dfl_point *point);
    int (*rank_found)(const dfl_formulation *form);
    bool (*decompose)(dfl_formulation *form, const dfl_point *point);
    double (*weakness)(dfl_formulation *form, const dfl_point *point);
    double (*drift)(dfl_formulation *form, const dfl_point *point);
    int (*flips)(double *smallest, dfl_formulation *form, const dfl_point *from,
                 const dfl_point *to);
    void (*weak_rows)(char *text, size_t size, dfl_formulation *form);
    int (*violated_row)(const dfl_formulation *form, const dfl_point *point, const double *weight);
    bool (*depends_on_position)(const dfl_formulation *form, int j);
    bool (*forces_determined)(dfl_formulation *form, const dfl_point *point);
    dfl_outcome (*least_multipliers)(dfl_point *point, dfl_formulation *form);
    bool (*solve_accelerations)(double *a, dfl_formulation *form, const dfl_point *point);
} dfl_constraint_class;

/* The operations of an implementation; see the functions of the same names in formulation.h. */
typedef struct dfl_form_class {
    size_t size; /* of its struct */

    /* clear also frees what init left after a failure. */
    dfl_status (*init)(dfl_formulation *form);
    void (*bind)(dfl_formulation *form);
    void (*clear)(dfl_formulation *form);

    /* The ranks are known at the evaluated point where a run begins; or NULL. */
    void (*start)(dfl_formulation *form, const dfl_point *point);

    dfl_outcome (*linearize)(dfl_formulation *form, double t, const double *x, const double *a,
                             bool update);
    dfl_outcome (*factor)(dfl_formulation *form, int stages); /* for form->shifts */
    dfl_outcome (*residual)(double *rows, dfl_formulation *form, const dfl_point *points, int count,
                            const double *transform, const double *yp, const double *xp);
    dfl_outcome (*mixed)(double *rows, dfl_formulation *form, const dfl_point *differential,
                         const dfl_point *algebraic, double weight, const double *yp,
                         const double *xp);
    void (*solve)(double *dx, dfl_formulation *form, double *rows);
    dfl_outcome (*defect)(double *err, dfl_formulation *form, const dfl_point *point,
                          const double *y);
    /* The rows that a step integrates (chart.h), if form->chart is there. */
    void (*chart_rows)(dfl_chart_rows *rows, const dfl_formulation *form);
    const double *(*acceleration_rows)(dfl_formulation *form, const dfl_point *point);

    const dfl_constraint_class *constraints; /* NULL: those of form->dense */

    /* Each of these may be NULL: there is nothing to do. */
    void (*begin_iteration)(dfl_formulation *form);
    dfl_outcome (*increment)(double *squares, dfl_formulation *form, const dfl_stages *stages,
                             double *rows);
    void (*minimum_norm)(double *X, const dfl_formulation *form);
    dfl_outcome (*renew_selectors)(bool *changed, dfl_formulation *form, double t, const double *x,
                                   bool later);
    bool (*suspend)(dfl_formulation *form);
    void (*accepted)(dfl_formulation *form);
} dfl_form_class;

extern const dfl_form_class dfl_projected_class, dfl_plain_class, dfl_ode_form_class,
    dfl_sparse_form_class;

/* Derivatives and decompositions of the constraints in dense matrices. */
typedef struct dfl_dense {
    dfl_rows_jacobian jac;
    dfl_rows_jacobian at_step; /* GEOMS contract: derivatives at an accepted point, for W there */
    dfl_method method;         /* decomposition of the algebraic part */
    double rank_tolerance;
    double *row_size;           /* nc: the largest squared length of each row of W so far */
    double *least2;             /* m2, and ... */
    double *least3;             /* ... m3: the least size of each row of blocks 2 and 3
                                  (constraint_ranks.c) */
    double *sized;              /* max(m2, m3): these in scaled columns */
    double *more;               /* max(m2, m3): what rows may be apart */
    dfl_split *split2, *split3; /* of W (with gam and e) and of block 3 */
    dfl_split *trial2;          /* of W elsewhere, or of what has its size */
    dfl_redundant redundant;    /* for minimum-norm multipliers */
    dfl_lstsq *lstsq;           /* for distances of rows of W */
    double *least;              /* nv x nc and its right-hand side */
    double *flip;               /* nc x nc and workspace of the eigenvalues (singular.c) */
    dfl_factor *mass;           /* M, for accelerations */
    double *vp;                 /* nv */
    double *work;               /* (mdif + m1 + m2) x K and more: for all matrices in between */
} dfl_dense;

struct dfl_formulation {
    const dfl_form_class *class;
    dfl_system *sys;
    const dfl_solver_options *options;
    const dfl_form_traits *traits;
    dfl_integrator_needs needs;
    dfl_dense *dense;           /* in the implementation's struct; NULL: sparse matrices */
    dfl_chart *chart;           /* of local coordinates, or NULL */
    dfl_invariants *invariants; /* in the implementation's struct; NULL: it has none */
    const dfl_point *mean_with; /* user-defined selectors are the mean with those there, or NULL */

    bool rates_are_a; /* the rows of the dynamics are a - v', not f_dyn - M v' */
    bool reads_rates; /* residual needs x' of the stages itself */
    bool stagewise;   /* block 1 of each stage is solved with its own matrix */
    bool combines;    /* residual does the second part of an evaluation */

    int rank2, rank3; /* ranks of W and of block 3, constant along the motion */
    int defect;       /* redundant rows of W = undetermined multipliers */
    double misfit; /* largest dropped over largest singular value of W where its rank was decided */
    const char
        *pivoting;  /* what the model has that makes KLU factor every sparse matrix, or NULL */
    double weakest; /* smallest over largest value of the split of W, at the last decomposition */
    int nactive;    /* invariants in use */
    bool secure;    /* their choice need not be checked again in the next step */

    int width;         /* of the lanes of the stages in use */
    dfl_shifts shifts; /* the matrix is factored for */
};

/* Life of form->dense (dense.c); clear also frees what init left after a failure. */
dfl_status dfl_dense_init(dfl_dense *dense, dfl_formulation *form);
void dfl_dense_bind(dfl_dense *dense, dfl_formulation *form);
void dfl_dense_clear(dfl_dense *dense, const dfl_formulation *form);

/* Splits a block whose rank is known. With redundant rows the rank is imposed, since points off the
   constraints show full rank, and only the gap behind it is watched. */
bool dfl_dense_split_known(dfl_split *split, const dfl_dense *dense, dfl_split_rule *rule,
                           const double *A, int m, int n, int rank);

/* The units of unknowns from column `column` on, in which bases of free directions are orthonormal;
   NULL: as they are. Redundant constraints, and local coordinates, have their own measures. */
const double *dfl_formulation_units(const dfl_formulation *form, int column);

/* Splits W (m2 rows of block 2) with its known rank, and notes how weak it is. `known`: a split of
   the same matrix by the same rule, or NULL. False: the rank is not what it was. */
bool dfl_dense_split_velocity(dfl_formulation *form, const double *J2v, int m2, int rank,
                              const unsigned char *favoured, const dfl_split *known);

/* Factors zeta M - J (n x n) for form->shifts. */
dfl_outcome dfl_dense_factor(dfl_shifted *E, dfl_formulation *form, int n, const double *M,
                             const double *J, int stages);

/* A (leading dimension lda) := M as a full matrix, from the matrix or its diagonal. */
void dfl_full_mass(double *A, int lda, const double *M, int nv, bool diagonal);

/* Copies least2 for the rows of block 2 in use (leading dimension and number m2, from the v-columns
   on) to `least`. */
void dfl_dense_least_rows(double *least, const dfl_formulation *form, const double *J2v, int m2);

#endif
