/* Self-check: the mass matrix compared with its flags. `mass` gets room for a full matrix here,
   before it is called with room for a diagonal only. Otherwise a false flag would go unnoticed and
   make the motion wrong. */
#include "eom/self_check_internal.h"

#include <math.h>
#include <string.h>

static dfl_status check_written(const double *M, const dfl_system *sys);
static double largest_entry(const double *M, int nv, int side);
static dfl_status check_constant(const double *M, double *other, dfl_system *sys, double t,
                                 double *x);

dfl_status dfl_system_check_mass(dfl_system *sys, double t, const double *x)
{
    const dfl_eom *eom = sys->eom;
    const size_t full = (size_t)eom->nv * (size_t)eom->nv, n = (size_t)dfl_eom_unknowns(eom);
    if (full == 0 || (!eom->mass && !eom->mass_times && !eom->residual))
        return DFL_OK;
    double *M = dfl_alloc(sys->ctx, 2 * full + n, sizeof *M), *moved = M + 2 * full;
    if (!M)
        return DFL_NO_MEMORY;
    dfl_status status = DFL_OK;
    if (!dfl_system_mass(M, sys, t, x)) { /* otherwise the start says why */
        memcpy(moved, x, n * sizeof *x);
        if (eom->mass)
            status = check_written(M, sys);
        if (!status && eom->mass_constant)
            status = check_constant(M, M + full, sys, t, moved);
    }
    dfl_free(sys->ctx, M);
    return status;
}

/* A diagonal has nv entries; where it is taken for a matrix, it is the first column, so a lower
   triangle. */
static dfl_status check_written(const double *M, const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv;
    if (eom->mass_diagonal) {
        for (size_t i = (size_t)nv; i < (size_t)nv * (size_t)nv; i++)
            if (M[i] != 0)
                return dfl_fail(sys->ctx, DFL_INVALID,
                                "self-check: mass_diagonal is set, but mass writes more than the "
                                "nv = %d diagonal entries; do not set it for a full matrix",
                                nv);
        return DFL_OK;
    }
    const double below = largest_entry(M, nv, 1), above = largest_entry(M, nv, -1);
    if ((below > 0) == (above > 0))
        return DFL_OK;
    return dfl_fail(sys->ctx, DFL_INVALID,
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

/* M again with other positions, at another time; a model may refuse them. Moves x. */
static dfl_status check_constant(const double *M, double *other, dfl_system *sys, double t,
                                 double *x)
{
    const dfl_eom *eom = sys->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    const size_t count = (size_t)eom->nv * (eom->mass_diagonal ? 1 : (size_t)eom->nv);
    unsigned seed = 1;
    for (int i = at.s; i < at.n; i++)
        x[i] += 0.01 * (1 + fabs(x[i])) * dfl_check_noise(&seed);
    if (dfl_system_mass(other, sys, t + 0.1234, x))
        return DFL_OK;
    const double largest = dfl_max_abs(M, (int)count);
    for (size_t i = 0; i < count; i++)
        if (fabs(other[i] - M[i]) > 1e-12 * largest) /* rounding, such as of R J R^T */
            return dfl_fail(sys->ctx, DFL_INVALID,
                            "self-check: mass_constant is set, but M changes with positions or "
                            "time: an entry of %.6g becomes %.6g",
                            M[i], other[i]);
    return DFL_OK;
}
