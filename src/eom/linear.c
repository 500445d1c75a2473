/* Linear equations of motion with matrices that depend on time, in the general form
   (driftless/linear.h).

   With G and Z functions of t alone the hidden constraints are (Steinbrecher 2002, (25d), (25e))

       gI  = G Z v + G' p + g',    W = G Z,
       gII = W a + (2 G' Z + G Z') v + G'' p + g''. */
#include <driftless/linear.h>

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

struct dfl_linear {
    dfl_context *ctx;
    dfl_linear_system system;
    dfl_eom eom;
    dfl_linear_matrices at; /* at the last time, ... */
    double t;               /* ... which is NAN before */
    double *W, *rate;       /* nl x nv: G Z and 2 G' Z + G Z' */
    double *store;
    size_t size; /* of `store` */
};

static int refresh(dfl_linear *linear, double t);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static dfl_status allocate(dfl_linear *linear);

dfl_status dfl_linear_create(dfl_linear **out, dfl_context *ctx, const dfl_linear_system *system)
{
    *out = NULL;
    if (system->np < 0 || system->nv < 0 || system->nl < 0 || !system->matrices ||
        (system->trivial_kinematics && system->np != system->nv))
        return dfl_fail(
            ctx, DFL_INVALID,
            "linear system: np = %d, nv = %d, nl = %d%s; sizes must not be negative, and "
            "np = nv with trivial_kinematics",
            system->np, system->nv, system->nl, system->matrices ? "" : ", `matrices` is NULL");
    dfl_linear *linear = dfl_alloc(ctx, 1, sizeof *linear);
    if (!linear)
        return DFL_NO_MEMORY;
    linear->ctx = ctx;
    linear->system = *system;
    linear->t = NAN;
    linear->eom = (dfl_eom){.np = system->np,
                            .nv = system->nv,
                            .nl = system->nl,
                            .eval = eval,
                            .mass = mass,
                            .jacobian = jacobian,
                            .mass_constant = system->mass_constant,
                            .trivial_kinematics = system->trivial_kinematics,
                            .linear = true,
                            .forces_free_of_multipliers = true,
                            .user = linear};
    dfl_status status = allocate(linear);
    if (status)
        dfl_linear_free(linear);
    else
        *out = linear;
    return status;
}

/* All matrices in one block. */
static dfl_status allocate(dfl_linear *linear)
{
    const size_t np = (size_t)linear->system.np, nv = (size_t)linear->system.nv;
    const size_t nl = (size_t)linear->system.nl;
    dfl_linear_matrices *at = &linear->at;
    const struct {
        double **place;
        size_t size;
    } part[] = {{&at->M, nv * nv},     {&at->C, nv * np},       {&at->D, nv * nv},
                {&at->f, nv},          {&at->Z, np * nv},       {&at->Z_dot, np * nv},
                {&at->G, nl * np},     {&at->G_dot, nl * np},   {&at->G_ddot, nl * np},
                {&at->g, nl},          {&at->g_dot, nl},        {&at->g_ddot, nl},
                {&linear->W, nl * nv}, {&linear->rate, nl * nv}};
    enum { PARTS = sizeof part / sizeof *part };
    for (int i = 0; i < PARTS; i++)
        linear->size += part[i].size;
    linear->store = dfl_alloc(linear->ctx, linear->size, sizeof(double));
    if (!linear->store)
        return DFL_NO_MEMORY;
    double *next = linear->store;
    for (int i = 0; i < PARTS; i++) {
        *part[i].place = next;
        next += part[i].size;
    }
    return DFL_OK;
}

void dfl_linear_free(dfl_linear *linear)
{
    if (!linear)
        return;
    dfl_free(linear->ctx, linear->store);
    dfl_free(linear->ctx, linear);
}

const dfl_eom *dfl_linear_eom(const dfl_linear *linear)
{
    return &linear->eom;
}

/* The matrices at time t, unless they are already known. */
static int refresh(dfl_linear *linear, double t)
{
    const dfl_linear_system *s = &linear->system;
    const dfl_linear_matrices *at = &linear->at;
    const int np = s->np, nv = s->nv, nl = s->nl;
    if (t == linear->t)
        return 0;
    linear->t = NAN;
    memset(linear->store, 0, linear->size * sizeof(double));
    for (int i = 0; s->trivial_kinematics && i < np; i++)
        at->Z[i * np + i] = 1;
    const int rc = s->matrices(&linear->at, t, s->user);
    if (rc)
        return rc;
    dfl_gemm(nl, nv, np, 1, at->G, nl, at->Z, np, 0, linear->W, nl);
    dfl_gemm(nl, nv, np, 2, at->G_dot, nl, at->Z, np, 0, linear->rate, nl);
    dfl_gemm(nl, nv, np, 1, at->G, nl, at->Z_dot, np, 1, linear->rate, nl);
    linear->t = t;
    return 0;
}

/* y (n) := u + A p + B v */
static void affine(double *y, int n, const double *u, const double *A, const double *p, int np,
                   const double *B, const double *v, int nv)
{
    memcpy(y, u, (size_t)n * sizeof *y);
    dfl_gemm(n, 1, np, 1, A, n, p, np, 1, y, n);
    if (B)
        dfl_gemm(n, 1, nv, 1, B, n, v, nv, 1, y, n);
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    dfl_linear *linear = user;
    const dfl_linear_matrices *at = &linear->at;
    const int np = linear->system.np, nv = linear->system.nv, nl = linear->system.nl;
    const double *v = x + nl, *p = v + nv;
    const int rc = refresh(linear, t);
    if (rc)
        return rc;
    if (need & DFL_KINEMATICS)
        dfl_gemm(np, 1, nv, 1, at->Z, np, v, nv, 0, out->kin, np);
    if (need & DFL_FORCE)
        affine(out->f, nv, at->f, at->C, p, np, at->D, v, nv);
    if (need & DFL_POSITION)
        affine(out->g, nl, at->g, at->G, p, np, NULL, v, nv);
    if (need & DFL_VELOCITY)
        affine(out->gI, nl, at->g_dot, at->G_dot, p, np, linear->W, v, nv);
    if (need & DFL_DIRECTIONS)
        memcpy(out->W, linear->W, (size_t)(nl * nv) * sizeof *x);
    if (need & DFL_BIAS)
        affine(out->bias, nl, at->g_ddot, at->G_ddot, p, np, linear->rate, v, nv);
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    dfl_linear *linear = user;
    const int rc = refresh(linear, t), nv = linear->system.nv;
    (void)x;
    memcpy(M, linear->at.M, (size_t)(nv * nv) * sizeof *M);
    return rc;
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    dfl_linear *linear = user;
    const dfl_linear_matrices *at = &linear->at;
    const size_t np = (size_t)linear->system.np, nv = (size_t)linear->system.nv;
    const size_t nl = (size_t)linear->system.nl, d = sizeof(double);
    (void)x, (void)a;
    const int rc = refresh(linear, t);
    if (rc)
        return rc;
    memcpy(out->acc + nl * nl, linear->rate, nl * nv * d);
    memcpy(out->acc + nl * (nl + nv), at->G_ddot, nl * np * d);
    memcpy(out->vel, linear->W, nl * nv * d);
    memcpy(out->vel + nl * nv, at->G_dot, nl * np * d);
    memcpy(out->pos, at->G, nl * np * d);
    memcpy(out->dyn + nv * nl, at->D, nv * nv * d);
    memcpy(out->dyn + nv * (nl + nv), at->C, nv * np * d);
    memcpy(out->kin, at->Z, np * nv * d);
    for (size_t i = 0; i < nl; i++) /* -W^T */
        for (size_t j = 0; j < nv; j++)
            out->dyn[i * nv + j] = -linear->W[j * nl + i];
    return 0;
}
