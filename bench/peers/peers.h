/* peers.h: other solvers on the same problems as Driftless, in the formulations they can be used
   with.

       EoM   index 3: position constraint            EoM2  index 2: velocity constraint
       EoM1  index 1: acceleration constraint        GGL   index 2: Gear-Gupta-Leimkuhler
       UODE  index 0: accelerations solved from the saddle-point system in the user function

   The user functions are written by hand and as cheap as possible, so that the numbers are the best
   the peers can reach. Fortran codes call back without a user pointer: there is one global run. */
#ifndef PEERS_H
#define PEERS_H

#include <stdbool.h>

enum { MAX_P = 9, MAX_L = 8, MAX_N = 64 };

/* p' = v,  M(p) v' = f(t,p,v) - G(t,p)^T lambda,  0 = g(t,p), with the hidden constraints
   G v + gt = 0 and G v' + gamma = 0. */
typedef struct peer_problem {
    const char *name;
    int np, nl;
    double t_end, first_step;
    const double *mass; /* constant diagonal mass; NULL: M depends on p */
    void (*init)(double *p, double *v);
    /* Every output may be NULL; M is np x np, G is nl x np, both row-major. */
    void (*eval)(double t, const double *p, const double *v, double *M, double *f, double *g,
                 double *G, double *gt, double *gamma);
    double (*energy)(const double *p, const double *v); /* conserved; NULL: none */
    const double *p_end, *v_end, *lambda_end;           /* reference solution at t_end */
} peer_problem;

extern const peer_problem peer_pendulum, peer_andrews, peer_caraxis, peer_truck;
const peer_problem *peer_oscillator(const char *name); /* oscillator:m1:d:t_end, or NULL */
extern const double peer_gravity;

/* Solves [M G^T; G 0] [a; lambda] = [f; -gamma]. */
void peer_accelerations(double *a, double *lambda, const peer_problem *problem, double t,
                        const double *p, const double *v);

/* x := A^-1 x for A of order n <= 16, row-major, overwritten; Gauss with partial pivoting. */
void peer_gauss(double *x, int n, double *A);

typedef enum peer_form { EOM, EOM2, EOM1, GGL, UODE } peer_form;

/* How a solver wants its equations. */
typedef enum peer_layout {
    MASS_FORM, /* D y' = rhs(t,y), D diagonal and constant, y = (p, v, [a], lambda, [mu]); the
                  accelerations a are unknowns when M depends on p */
    RESIDUAL,  /* 0 = residual(t,y,y'), y = (p, v, lambda, [mu]) */
    EXPLICIT   /* y' = ode(t,y), y = (p, v) */
} peer_layout;

/* What is being measured. */
typedef struct peer_run {
    const peer_problem *problem;
    peer_form form;
    peer_layout layout;
    bool analytic;     /* Jacobian given; otherwise the solver's differences */
    bool with_a;       /* accelerations are unknowns */
    int n, lambda, mu; /* number of unknowns, offsets */
    double tolerance;
    double y[MAX_N], yp[MAX_N]; /* initial state in, final state out */
    long evaluations, jacobians, steps, decompositions;
    double seconds;
    void (*on_step)(double t, const double *y); /* after every step; NULL: nobody looks */
} peer_run;
extern peer_run run;

/* The user functions. Jacobians are column-major with leading dimension ld. */
void peer_rhs(double t, const double *y, double *f);
void peer_rhs_jacobian(double t, const double *y, double *J, int ld);
void peer_mass_diagonal(double *D);
void peer_residual(double t, const double *y, const double *yp, double *r);
void peer_residual_jacobian(const double *y, double cj, double *J, int ld);
void peer_ode(double t, const double *y, double *f);
bool peer_has_jacobian(void);
void peer_index_counts(int count[3]); /* numbers of unknowns of index 1, 2, 3 */

/* Around the integration itself: CPU time into run.seconds. */
void peer_clock_start(void);
void peer_clock_stop(void);

/* An adaptor integrates run.y (and run.yp) from 0 to t_end; 0 on success, else the solver's code.
 */
typedef struct peer_solver {
    const char *name;
    peer_layout layout;
    unsigned forms; /* bit 1 << form */
    int (*integrate)(void);
} peer_solver;
extern const peer_solver peer_solvers[]; /* ended by a NULL name */

#endif
