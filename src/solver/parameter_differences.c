/* parameter_differences.c: derivatives of all rows by parameters of a model that does not give
   them: central differences (rows(theta + h) - rows(theta - h)) / 2h with h = 1e-5 of the
   parameter's size, which leaves an error of about 1e-10 of the rows' curvature and rounding. */
#include "solver/solver_internal.h"

#include <driftless/gradient.h>

#include <string.h>

struct dfl_parameter_differences {
    dfl_context *ctx;
    dfl_parameters parameters; /* those of the solver: slopes and move below */
    dfl_move_fn move;          /* of the user ... */
    void *user;
    dfl_eom eom; /* a copy with a mass matrix that may change with parameters */
    dfl_statistics counters;
    dfl_system sys;
    dfl_point point;
    bool bound;           /* the point is laid out */
    double *size;         /* count */
    double *above, *rows; /* the stacked rows beside the parameter's value */
};

static dfl_status prepare(dfl_parameter_differences *it, const double *size);
static int slopes(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static int move_on(int which, double by, void *user);

dfl_status dfl_parameter_differences_create(dfl_parameter_differences **out, dfl_context *ctx,
                                            const dfl_eom *eom, int count, const double *size,
                                            dfl_move_fn move, void *user)
{
    *out = NULL;
    dfl_status status = dfl_eom_check(ctx, eom);
    if (!status && (count < 1 || !move))
        status = dfl_fail(ctx, DFL_INVALID, "give parameters, and how to move them");
    if (!status && (eom->contract == DFL_GEOMS || eom->no_bias || eom->sparsity))
        status = dfl_fail(ctx, DFL_INVALID,
                          "differences by parameters need a model in the native contract with "
                          "bias and dense matrices");
    if (status)
        return status;
    dfl_parameter_differences *it = dfl_alloc(ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    it->ctx = ctx;
    it->eom = *eom;
    it->eom.mass_constant = false;
    it->move = move;
    it->user = user;
    it->parameters =
        (dfl_parameters){.count = count, .slopes = slopes, .move = move_on, .user = it};
    status = prepare(it, size);
    if (status)
        dfl_parameter_differences_free(it);
    else
        *out = it;
    return status;
}

static dfl_status prepare(dfl_parameter_differences *it, const double *size)
{
    const dfl_eom *eom = &it->eom;
    const size_t count = (size_t)it->parameters.count;
    const size_t height = (size_t)(eom->nw + 2 * (eom->nl + eom->nm) + eom->ne + eom->n0 + eom->ns +
                                   eom->nl + eom->nep + eom->nr + eom->nv + eom->np);
    it->size = dfl_alloc(it->ctx, count, sizeof *it->size);
    it->above = dfl_alloc(it->ctx, 2 * height, sizeof *it->above);
    if (!it->size || !it->above)
        return DFL_NO_MEMORY;
    it->rows = it->above + height;
    for (size_t j = 0; j < count; j++)
        it->size[j] = size && size[j] > 0 ? size[j] : 1;
    it->parameters.size = it->size;
    const dfl_status status = dfl_system_init(&it->sys, it->ctx, eom, false, &it->counters);
    return status ? status : dfl_point_init(&it->point, &it->sys);
}

void dfl_parameter_differences_free(dfl_parameter_differences *differences)
{
    if (!differences)
        return;
    dfl_context *ctx = differences->ctx;
    dfl_point_clear(&differences->point, ctx);
    if (differences->sys.ctx)
        dfl_system_clear(&differences->sys);
    dfl_free(ctx, differences->size);
    dfl_free(ctx, differences->above);
    dfl_free(ctx, differences);
}

const dfl_parameters *dfl_parameter_differences_of(const dfl_parameter_differences *differences)
{
    return &differences->parameters;
}

static int move_on(int which, double by, void *user)
{
    const dfl_parameter_differences *it = user;
    return it->move(which, by, it->user);
}

/* rows: all of them with parameter j moved by h, which goes back afterwards. */
static int rows_beside(double *rows, dfl_parameter_differences *it, int j, double h, double t,
                       const double *x, const double *a)
{
    int rc = it->move(j, h, it->user);
    if (!rc && dfl_system_stacked_rows(rows, &it->sys, &it->point, t, x, a))
        rc = 1;
    const int back = it->move(j, 0, it->user);
    return rc ? rc : back;
}

static int slopes(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    dfl_parameter_differences *it = user;
    const dfl_eom *eom = it->sys.eom;
    double *const block[DFL_BLOCKS] = {out->d,   out->acc, out->vel, out->gam,
                                       out->pos, out->b,   out->dyn, out->kin};
    const int rows[DFL_BLOCKS] = {
        eom->nw, it->sys.nc, it->sys.nc + eom->ne, eom->n0, it->sys.m3, eom->nr, eom->nv, eom->np};
    if (!it->bound && dfl_system_decide(&it->sys, t, x, false))
        return 1;
    if (!it->bound)
        dfl_point_bind(&it->point, &it->sys);
    it->bound = true;
    for (int j = 0; j < it->parameters.count; j++) {
        const double h = 1e-5 * it->size[j];
        int rc = rows_beside(it->above, it, j, h, t, x, a);
        if (!rc)
            rc = rows_beside(it->rows, it, j, -h, t, x, a);
        if (rc)
            return rc;
        for (int k = 0, first = 0; k < DFL_BLOCKS; first += rows[k++])
            for (int i = 0; i < rows[k]; i++)
                block[k][j * rows[k] + i] = (it->above[first + i] - it->rows[first + i]) / (2 * h);
    }
    return 0;
}
