/* driftless/linear.h: linear equations of motion whose matrices depend on time.

       p' = Z(t) v,    M(t) v' = C(t) p + D(t) v + f(t) - Z^T G^T lambda,    0 = G(t) p + g(t)

   as a model in the general form, with exact hidden constraints and derivatives. In the form psf
   with unit selectors the solver then does what Steinbrecher's Algorithm 13 (2002) does: with BDF
   and the trapezoidal rule one Newton iteration per step. Every other form can be used as well. */
#ifndef DFL_LINEAR_H
#define DFL_LINEAR_H

#include <driftless/context.h>
#include <driftless/eom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The matrices at one time, column-major, zero before the callback writes them. */
typedef struct dfl_linear_matrices {
    double *M;         /* nv x nv */
    double *C, *D;     /* nv x np, nv x nv */
    double *f;         /* nv */
    double *Z, *Z_dot; /* np x nv and its time derivative; not asked for if trivial_kinematics */
    double *G, *G_dot, *G_ddot; /* nl x np and its time derivatives */
    double *g, *g_dot, *g_ddot; /* nl and its time derivatives */
} dfl_linear_matrices;

/* Return values as for dfl_eval_fn. */
typedef int (*dfl_linear_fn)(dfl_linear_matrices *out, double t, void *user);

typedef struct dfl_linear_system {
    int np, nv, nl;
    bool trivial_kinematics; /* Z = I, np = nv */
    bool mass_constant;      /* M does not depend on t */
    dfl_linear_fn matrices;
    void *user;
} dfl_linear_system;

typedef struct dfl_linear dfl_linear;

/* Makes a model of the system, which is copied. The caller owns *out and frees it with
   dfl_linear_free after the solvers that use it; on failure *out is NULL. DFL_INVALID: a size is
   negative, `matrices` is NULL. DFL_NO_MEMORY. */
dfl_status dfl_linear_create(dfl_linear **out, dfl_context *ctx, const dfl_linear_system *system);
void dfl_linear_free(dfl_linear *linear);

/* The model, x = [lambda | v | p]; it belongs to `linear`. One solver at a time may use it. */
const dfl_eom *dfl_linear_eom(const dfl_linear *linear);

#ifdef __cplusplus
}
#endif
#endif
