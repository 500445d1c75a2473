/* tableau.h: coefficients of explicit Runge-Kutta methods of Dormand and Prince, with error
   estimates and continuous output (Hairer, Norsett and Wanner, Solving Ordinary Differential
   Equations I, II.5 and II.6). */
#ifndef DFL_TABLEAU_H
#define DFL_TABLEAU_H

enum { DFL_TABLEAU_STAGES = 16, DFL_TABLEAU_POWER = 7 };

/* Stage i is at c_i and has weights A_ij, j < i; stage `stages` is the end of the step, so its row
   contains the weights b. Further stages, up to `all`, serve continuous output only: with D = y1 -
   y0,

       y(theta) = y0 + theta (F0 + (1-theta) (F1 + theta (F2 + (1-theta) (F3 + ...)))),
       F0 = D,  F1 = h f0 - D,  F2 = 2 D - h (f0 + f1),  F_(3+k) = h sum_i dense[k][i] K_i .

   Multipliers, accelerations and auxiliary variables are interpolated through the stages in
   `node`. */
typedef struct dfl_tableau {
    int order, stages, all, power;
    double error_order; /* the error is of order h^error_order */
    const double *c;
    const double (*A)[DFL_TABLEAU_STAGES];
    const double *error[2]; /* stages + 1 weights each; the second may be NULL */
    const double (*dense)[DFL_TABLEAU_STAGES];
    int nodes;
    const int *node; /* ascending in c; the last one is the end of the step */
} dfl_tableau;

/* Order 8, error estimates of orders 5 and 3, continuous output of order 7. */
extern const dfl_tableau dfl_dormand_prince_8;

/* Order 5, error estimate of order 4, continuous output of order 4. */
extern const dfl_tableau dfl_dormand_prince_5;

#endif
