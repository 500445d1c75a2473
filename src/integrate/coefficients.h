/* coefficients.h: Radau IIA with 1, 3, 5 and 7 stages: collocation of orders 1, 5, 9 and 13. */
#ifndef DFL_COEFFICIENTS_H
#define DFL_COEFFICIENTS_H

enum { DFL_RADAU_STAGES = 7 }; /* the most */

typedef struct dfl_coefficients {
    int stages, order, width; /* s, 2s - 1; of lanes */
    const double *c;          /* s: nodes, the last one is 1 */
    const double *weight;     /* s: of the Lagrange polynomials through 0 and the nodes */
    const double *shift;      /* s: eigenvalues of A^-1: gamma, alpha_1, beta_1, ... */
    const double *e;          /* s: of the error estimate */
    const double *AI;         /* s x s by rows: A^-1 */
    const double *series;     /* 3 x s by rows: coefficients of the slope; NULL: none */
    const double *T, *TI;     /* eigenvectors and their inverse, s columns of `width` */
} dfl_coefficients;

/* The method of an order; NULL if there is none. */
const dfl_coefficients *dfl_coefficients_of(int order);

/* The Lagrange polynomials l_j (s) through 0 and the nodes at x: with Z_j the increments of the
   stages, the collocation polynomial is x_k + sum l_j Z_j. */
void dfl_coefficients_basis(double *l, const dfl_coefficients *rk, double x);

/* The same at `width` points (4 or 8): l_j at x_k is L[j*width + k]. */
void dfl_coefficients_basis_at(double *L, const dfl_coefficients *rk, int width, const double *x);

#endif
