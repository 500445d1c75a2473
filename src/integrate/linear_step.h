/* linear_step.h: a step of Radau IIA as a linear map of derivatives.

   At the stages the derivatives Y_i of the unknowns satisfy J_i Y_i = -alpha_i, alpha_i =
   alg_theta, all solutions of which are Y_i = CB_i [alpha_i; u_i] (formulation.h), and the
   differential rows

       sum_j (A^-1)_ij/h R_i (Y_j - Y_k) - S JD_i Y_i = S delta_i ,
       R = S diag(I, I, I), delta = dif_theta

   (with massless directions the rows of the dynamics are f_dyn - M v', so that R_i = S diag(I, M_i,
   I)), which are a system for all u_i with the exact matrices of all stages: K u = rhs. Its order
   is the number of stages times the number of degrees of freedom of r, v and p. */
#ifndef DFL_LINEAR_STEP_H
#define DFL_LINEAR_STEP_H

#include "integrate/coefficients.h"
#include "formulation/formulation.h"

typedef struct dfl_linear_step {
    dfl_system *sys;
    const dfl_coefficients *rk;
    double h;
    int stages, columns; /* there is room for */
    dfl_formulation *twin;
    void *selection; /* of the step */
    double *alg;     /* m1 + m2 + m3 */
    dfl_stage_solution at[DFL_RADAU_STAGES];
    dfl_factor *K; /* or its transpose */
    double *u;     /* (stages x nd) x columns: right-hand sides and solutions */
    double *rates; /* (stages + 1) times nd x columns: R CB_a alpha, R Y_k */
    double *d;     /* stages times (nr + nv + np) x columns: dif by the parameters */
    double *x;     /* stages times n x columns: Y of the stages, all columns of a stage together */
    bool momenta;  /* R_i contains masses ... */
    double *mixed; /* ... nd x (ma + nd): R_i CB_j if they vary, else NULL */
    double *c;     /* stages times (ma + nd) x columns: alpha and u */
} dfl_linear_step;

dfl_status dfl_linear_step_init(dfl_linear_step *step, dfl_system *sys, dfl_formulation *form,
                                int stages, int columns);
void dfl_linear_step_clear(dfl_linear_step *step);

/* The step of size h with the derivatives `jac` at its stages, times t, and `selection`.
   `transposed`: for adjoints. */
dfl_outcome dfl_linear_step_build(dfl_linear_step *step, const dfl_coefficients *rk, double h,
                                  const dfl_point *stage, const dfl_rows_jacobian *jac,
                                  bool transposed);

/* c (ma): the algebraic rows in use. */
void dfl_linear_step_compress(double *c, const double *alg, const dfl_stage_solution *at,
                              const dfl_system *sys);

/* Takes the rows of stage i by `count` parameters, one per column, from their derivatives; the
   values of invariants change by `level` (ne + nep, each). */
void dfl_linear_step_load(dfl_linear_step *step, int i, const dfl_rows_jacobian *jac,
                          const dfl_jacobian *slopes, const double *level, int count);

/* Solves for the loaded columns, the first `count`, from the derivatives at the start, y_k (n x
   count): step->x. */
void dfl_linear_step_solve(dfl_linear_step *step, const double *y_k, int count);

/* Of stage i, n x count. */
const double *dfl_linear_step_values(const dfl_linear_step *step, int i);

/* The transpose. Weights of the derivatives at the stages, points[i].x, become weights of alg, b,
   a, kin (points[i]), and are added to those of the start, y_k (n). */
void dfl_linear_step_transpose(dfl_point *points, dfl_linear_step *step, double *y_k);

#endif
