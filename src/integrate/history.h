/* history.h: the past of a method as modified divided differences on a grid of varying steps
   (Brenan, Campbell and Petzold, Numerical Solution of Initial-Value Problems in
   Differential-Algebraic Equations, 1996, section 5.2). With psi_i = t_n - t_{n-i}

       phi_1 = x_n,   phi_i = psi_1 ... psi_{i-1} x[t_n, ..., t_{n-i+1}]

   The polynomial through the last k + 1 points, continued to t_n + h, and its slope there are sums
   of phi*_i = beta_i phi_i: an attempt changes nothing, so nothing is restored after it. */
#ifndef DFL_HISTORY_H
#define DFL_HISTORY_H

#include <driftless/context.h>

enum { DFL_DIFFERENCES = 7 }; /* order 5, the error of order 6 and that of a raised order */

typedef struct dfl_history {
    int n, size;                  /* components; differences */
    double *phi[DFL_DIFFERENCES]; /* [i - 1]: phi_i */
    double psi[DFL_DIFFERENCES];  /* [i - 1]: psi_i */
    int points;                   /* accepted so far, at most `size` */

    /* of the step of size h that is being attempted, for a polynomial of degree k */
    double h;
    int k;
    double psi_next[DFL_DIFFERENCES]; /* psi_i(n+1) */
    double alpha[DFL_DIFFERENCES];    /* h / psi_i(n+1) */
    double beta[DFL_DIFFERENCES];
    double gamma[DFL_DIFFERENCES];
    double sigma[DFL_DIFFERENCES]; /* of the error estimates */
} dfl_history;

dfl_status dfl_history_init(dfl_history *past, dfl_context *ctx, int n, int size);
void dfl_history_clear(dfl_history *past, dfl_context *ctx);

/* One point x with the slope xp (n each): as if the motion before had been straight. */
void dfl_history_start(dfl_history *past, int n, const double *x, const double *xp);

/* The coefficients of a step of size h with degree k. */
void dfl_history_prepare(dfl_history *past, double h, int k);

/* The polynomial and its slope at the end of the prepared step. */
void dfl_history_predict(double *x0, double *xp0, const dfl_history *past);

/* The prepared step ended at the prediction plus `e`. */
void dfl_history_add(dfl_history *past, const double *e);

/* sum (n): what the step of degree k leaves out if it ends at the prediction plus e (n): e itself
   for degree k; for a lower one e + phi*_{degree+2} + ... + phi*_{k+1}; for k + 1 e - phi_{k+2}. */
void dfl_history_left_out(double *sum, const dfl_history *past, const double *e, int degree);

/* The polynomial of degree k through the last k + 1 points, `ahead` of the last one. */
void dfl_history_interpolate(double *x, const dfl_history *past, double ahead, int k);

#endif
