/* Self-check: the mass matrix beside the flags that describe it. `mass` gets room for a full matrix here, before it
   can write beyond a diagonal; a false flag otherwise passes in silence and makes the motion wrong. */
#include "eom/self_check.h"

#include <math.h>
#include <string.h>

static dfl_status check_written(const double *M, dfl_check *c);
static double largest_entry(const double *M, int nv, int side);
static dfl_status check_constant(const double *M, double *moved, dfl_check *c);

dfl_status dfl_check_mass(dfl_check *c)
{
    dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    const size_t full = (size_t)eom->nv * (size_t)eom->nv;
    if (full == 0 || (!eom->mass && !eom->mass_times && !eom->residual))
        return DFL_OK;
    double *M = dfl_alloc(sys->ctx, 2 * full, sizeof *M);
    if (!M)
        return DFL_NO_MEMORY;
    dfl_status status = DFL_OK;
    if (dfl_system_mass(M, sys, c->point->t, c->point->x + sys->na))
        status = dfl_check_cannot(c);
    if (!status && eom->mass)
        status = check_written(M, c);
    if (!status && eom->mass_constant)
        status = check_constant(M, M + full, c);
    dfl_free(sys->ctx, M);
    return status;
}

/* A diagonal has nv entries; where it is taken for a matrix, it is the first column, so a lower triangle. */
static dfl_status check_written(const double *M, dfl_check *c)
{
    const dfl_eom *eom = c->sys->eom;
    const int nv = eom->nv;
    if (eom->mass_diagonal) {
        for (size_t i = (size_t)nv; i < (size_t)nv * (size_t)nv; i++)
            if (M[i] != 0)
                return dfl_fail(c->sys->ctx, DFL_INVALID,
                                "self-check: mass_diagonal is set, but mass writes more than the "
                                "nv = %d diagonal entries; do not set it for a full matrix",
                                nv);
        return DFL_OK;
    }
    const double below = largest_entry(M, nv, 1), above = largest_entry(M, nv, -1);
    if ((below > 0) == (above > 0))
        return DFL_OK;
    return dfl_fail(c->sys->ctx, DFL_INVALID,
                    "self-check: mass writes only the %s triangle of M; write both, or, if it "
                    "writes the diagonal entries alone, set mass_diagonal",
                    below > 0 ? "lower" : "upper");
}

/* The largest entry below (side 1) or above (side -1) the diagonal. */
static double largest_entry(const double *M, int nv, int side)
{
    double largest = 0;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++)
            if (side * (i - j) > 0)
                largest = fmax(largest, fabs(M[(size_t)j * (size_t)nv + (size_t)i]));
    return largest;
}

/* M again with other positions, at another time; a model may refuse them. */
static dfl_status check_constant(const double *M, double *moved, dfl_check *c)
{
    dfl_system *sys = c->sys;
    const size_t count =
        (size_t)sys->eom->nv * (sys->eom->mass_diagonal ? 1 : (size_t)sys->eom->nv);
    double largest = 0;
    unsigned seed = 1;
    memcpy(c->xp, c->x0, (size_t)sys->n * sizeof *c->xp);
    for (int i = sys->off_sp; i < sys->n; i++)
        c->xp[i] += 0.01 * (1 + fabs(c->x0[i])) * dfl_check_noise(&seed);
    if (dfl_system_mass(moved, sys, c->t0 + 0.1234, c->xp + sys->na))
        return sys->trouble.outcome == DFL_STEP_STOP ? dfl_check_cannot(c) : DFL_OK;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(M[i]));
    for (size_t i = 0; i < count; i++)
        if (fabs(moved[i] - M[i]) > 1e-12 * largest) /* rounding, such as of R J R^T */
            return dfl_fail(sys->ctx, DFL_INVALID,
                            "self-check: mass_constant is set, but M changes with positions or "
                            "time: an entry of %.6g becomes %.6g",
                            M[i], moved[i]);
    return DFL_OK;
}
