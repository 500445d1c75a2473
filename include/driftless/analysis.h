/* driftless/analysis.h: what a model does near a state: equilibria, linear equations, modes.

   A model is a dfl_eom (eom.h), a state is its x at a time, on all constraints: such as
   dfl_solver_state after dfl_solver_start. Derivatives are those of the model's `jacobian`, exact
   if that is; without it they are differences. Models with GEOMS's contract or without bias are
   refused. All matrices are column-major. */
#ifndef DFL_ANALYSIS_H
#define DFL_ANALYSIS_H

#include <driftless/context.h>
#include <driftless/eom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- inputs ---- */

/* Derivatives of rows with respect to inputs u, with their true sign; zero before the call. */
typedef struct dfl_input_slopes {
    double *dyn; /* nv x nu: of f - M a */
    double *b;   /* nr x nu */
    double *d;   /* nw x nu */
} dfl_input_slopes;

/* Inputs u act on forces, dynamic and auxiliary variables, not on constraints. */
typedef struct dfl_inputs {
    int nu;
    /* Writes the derivatives at (t, x, a); returns 0, or anything else if it cannot. */
    int (*slopes)(dfl_input_slopes *out, double t, const double *x, const double *a, void *user);
    void *user;
} dfl_inputs;

/* ---- linear equations ---- */

/* Equilibrium: nothing moves. Steady motion: velocities v and dynamic variables r are constant, and
   the linear equations do not change along the motion. Frozen: all else; the matrices then hold
   for this instant. */
typedef enum dfl_point_kind {
    DFL_AT_EQUILIBRIUM,
    DFL_AT_STEADY_MOTION,
    DFL_AT_FROZEN
} dfl_point_kind;

/* y' = A y + B u for small changes of the independent unknowns y = x[state], ordered p, v, r, and
   of the inputs; all other unknowns and the accelerations follow from them. */
typedef struct dfl_linearized {
    dfl_context *ctx;
    int n, nv, nu;
    int ny, npositions, nvelocities; /* of y */
    int *state;                      /* ny: numbers in x */
    double *A, *B;                   /* ny x ny, ny x nu */
    double *X;                       /* n x (ny+nu): change of x with y, then with u */
    double *X_a;                     /* nv x (ny+nu): change of the accelerations */
    double *a;                       /* nv: accelerations at the point */
    dfl_point_kind kind;
    const char *why; /* it is frozen, or not judged, in words; else NULL */
    bool changing;   /* the linear equations change, or forces are not balanced: eigenvalues do not
                        tell whether the motion is stable */
    int cyclic; /* of a steady motion: positions on which no other state depends, such as the place
                   of a vehicle; they may change along the motion, and their eigenvalues are zero */
    bool *is_cyclic; /* ny: these positions */
    bool *moves;     /* ny: positions that change in a steady motion */
    bool turns; /* the first npositions of y are small turns and displacements along the velocities
                        x[state], instead of positions: a steady motion of quaternions */
} dfl_linearized;

/* Linearizes at (t, x). `inputs` may be NULL. The caller clears *out also after a failure.
   DFL_INVALID: the model's contract, or its sparsity: matrices are dense. DFL_SINGULAR: unknowns
   do not follow from the state; the message names one. DFL_CALLBACK, DFL_NOT_FINITE, DFL_NO_MEMORY.
 */
dfl_status dfl_linearize(dfl_linearized *out, dfl_context *ctx, const dfl_eom *eom, double t,
                         const double *x, const dfl_inputs *inputs);
void dfl_linearized_clear(dfl_linearized *linear);

/* E x' = A x + B u for small changes of all unknowns x, in their order w, l, m, r, v, s, p (E, A: n
   x n, B: n x nu): one row for each of them, auxiliary equations, constraints, nonholonomic
   constraints, r' = b, the balance of forces, contact equations, p' = Z v. A has the derivatives at
   the accelerations of the state. The finite eigenvalues of the pencil are those of dfl_linearize,
   unless constraints are redundant: then it is singular. `inputs` may be NULL. */
dfl_status dfl_linearize_all(double *E, double *A, double *B, dfl_context *ctx, const dfl_eom *eom,
                             double t, const double *x, const dfl_inputs *inputs);

/* ---- modes ---- */

/* One mode: y = Re(c exp((re + i im) t) shape). A pair of complex eigenvalues is two modes. */
typedef struct dfl_mode {
    double re, im;  /* 1/s, rad/s */
    double hz;      /* |im| / (2 pi) */
    double damping; /* ratio -re / |re + i im|; NAN for an eigenvalue 0 */
    double doubt;   /* by which rounding may have moved the eigenvalue */
    int vector;     /* its eigenvector: column of `re` in dfl_modes.shape ... */
    int imaginary;  /* ... and of the imaginary part, or -1; a conjugate one: `conjugate` */
    bool conjugate; /* the imaginary part has the opposite sign */
    bool secular;   /* on the imaginary axis within rounding, and driven by another mode of the same
                       frequency, so that motions grow with powers of time; of eigenvalues 0: faster
                       than with constant velocities */
} dfl_mode;

typedef struct dfl_modes {
    dfl_context *ctx;
    int count;
    dfl_mode *mode;  /* count, by |im|, then by re */
    int rows;        /* of `shape`: the order of A, or all unknowns x (dfl_modes_few) */
    double *shape;   /* rows x count: right eigenvectors */
    int unstable;    /* modes that grow, beyond doubt */
    int indifferent; /* modes that neither grow nor decay nor oscillate, within doubt */
} dfl_modes;

/* The modes of y' = A y, A of order n. The caller clears *out also after a failure.
   DFL_NOT_FINITE, DFL_NOT_CONVERGED, DFL_NO_MEMORY. */
dfl_status dfl_modes_find(dfl_modes *out, dfl_context *ctx, int n, const double *A);
void dfl_modes_clear(dfl_modes *modes);

/* At least `count` modes with the smallest |re + i im| of a large model near a state (t, x), which
   needs `sparsity`: by Arnoldi's iteration with sparse matrices. Shapes are changes of all unknowns
   x; unstable and indifferent count what was found. There are fewer modes only if the model has no
   more. *kind may be NULL. DFL_INVALID: no sparsity, or linear equations at this state, which is
   neither an equilibrium nor a steady motion, need dense matrices. DFL_NOT_CONVERGED, DFL_SINGULAR,
   DFL_CALLBACK, DFL_NOT_FINITE, DFL_NO_MEMORY. */
dfl_status dfl_modes_few(dfl_modes *out, dfl_point_kind *kind, dfl_context *ctx, const dfl_eom *eom,
                         double t, const double *x, int count);

/* The power of forces that are odd in the velocities, f(v) - f(-v), at (t, x), as a part of the
   powers of all forces. At rest, motions of modes without damping grow by terms of higher order if
   it is positive. 0 for a model with a `residual`. DFL_CALLBACK, DFL_NO_MEMORY. */
dfl_status dfl_odd_power(double *part, dfl_context *ctx, const dfl_eom *eom, double t,
                         const double *x);

/* ---- linear equations with outputs ---- */

/* y' = A y + B u, outputs = C y + D u; the arrays belong to the caller. */
typedef struct dfl_linear_equations {
    int ny, nu, no;
    const double *A, *B, *C, *D; /* ny x ny, ny x nu, no x ny, no x nu */
} dfl_linear_equations;

/* G(i omega) = C (i omega - A)^-1 B + D at `count` frequencies (rad/s): re and im are no x nu each,
   frequency after frequency; NAN at a frequency that is an eigenvalue of A (*poles of them; may be
   NULL). DFL_NOT_CONVERGED, DFL_NO_MEMORY. */
dfl_status dfl_frequency_response(double *re, double *im, int *poles, dfl_context *ctx,
                                  const dfl_linear_equations *linear, const double *omega,
                                  int count);

/* The finite zeros of the response from input `u` to output `o`: room for ny+1 numbers. */
dfl_status dfl_transmission_zeros(double *re, double *im, int *count, dfl_context *ctx,
                                  const dfl_linear_equations *linear, int u, int o);

/* Outputs at the times 0, h, 2 h, ... (count rows of no numbers each, one row after another) after
   a step of input `u` by 1 or, with `impulse`, after an impulse of 1 (without what D makes of it).
   Linear equations that start at rest. DFL_NOT_FINITE, DFL_NO_MEMORY. */
dfl_status dfl_time_response(double *out, dfl_context *ctx, const dfl_linear_equations *linear,
                             int u, bool impulse, double h, int count);

/* State feedback u = -K y that minimizes the integral of y^T Q y + u^T R u: K is nu x ny; Q (ny x
   ny, symmetric, not negative) and R (nu x nu, symmetric, positive). DFL_SINGULAR: there is none;
   DFL_INVALID: R is not positive definite. */
dfl_status dfl_lqr(double *K, dfl_context *ctx, const dfl_linear_equations *linear, const double *Q,
                   const double *R);

/* Whether inputs reach a mode of A, or outputs show it, by their part of the largest: 0 means no.
   `controllable` and `observable` have one number for each mode of `modes`. */
dfl_status dfl_mode_access(double *controllable, double *observable, dfl_context *ctx,
                           const dfl_linear_equations *linear, const dfl_modes *modes);

/* ---- drives of a prescribed motion ---- */

/* Forces that a motion needs: K^T B tau = K^T force, K being the kernel of W, with the shortest
   tau. */
typedef struct dfl_drive_forces {
    int nv, nc, nu;
    const double *W;     /* nc x nv: constraints that remain */
    const double *B;     /* nv x nu: forces of the drives */
    const double *force; /* nv: what drives and remaining constraints must supply */
    double scale;        /* the size of all forces: residuals above 1e-8 of it are refused */
} dfl_drive_forces;

/* tau (nu), and how the multipliers change (nc): W^T multipliers = B tau - force.
   DFL_INCONSISTENT: no drives supply the force; *worst is the velocity along which it is missing
   most. DFL_NO_MEMORY. */
dfl_status dfl_drives_find(double *tau, double *multipliers, int *worst, dfl_context *ctx,
                           const dfl_drive_forces *wanted);

/* Moves a state that is nearly consistent, such as one of a run, onto all constraints to rounding,
   and computes w and multipliers anew. DFL_CALLBACK, DFL_NOT_FINITE, DFL_NO_MEMORY. */
dfl_status dfl_state_polish(double *x, dfl_context *ctx, const dfl_eom *eom, double t);

/* ---- equilibria ---- */

/* `{0}` is a complete set of options. */
typedef struct dfl_equilibrium_options {
    const bool *moving; /* nv: velocities that keep their values in x, a steady motion; all others
                           are 0 unless constraints make them follow. NULL: everything is at rest */
    int max_iterations; /* 0 means 500 */
} dfl_equilibrium_options;

/* How it was found. */
typedef struct dfl_equilibrium {
    int iterations;
    double residual; /* the largest unbalanced force, rate of r, or residual of another equation */
    int worst;       /* the velocity whose balance of forces has the largest residual */
} dfl_equilibrium;

/* Moves x (n, on all constraints) to an equilibrium near it: velocities as the options say,
   accelerations 0, forces balanced, r' = 0. Newton's iteration on the constraints; where it fails,
   a motion with large damping is followed (pseudo-transient continuation), which finds stable
   equilibria. x is unchanged on failure.
   DFL_NOT_CONVERGED: the message names unbalanced forces. DFL_INCONSISTENT: constraints move with
   time, or the motion is not steady. DFL_INVALID, DFL_CALLBACK, DFL_NOT_FINITE, DFL_NO_MEMORY. */
dfl_status dfl_equilibrium_find(double *x, dfl_equilibrium *report, dfl_context *ctx,
                                const dfl_eom *eom, double t,
                                const dfl_equilibrium_options *options);

#ifdef __cplusplus
}
#endif
#endif
