/* tangent_rows.c: the rows of the linearized equations: how all rows change along a change of the
   unknowns and of one parameter. */
#include "eom/eom_internal.h"
#include "linalg/linalg.h"

#include <string.h>

/* y (m) = A (m x n) x + column `column` of B (m x ...) */
static void along(double *y, const double *A, int m, int n, const double *x, const double *B,
                  int column)
{
    if (m == 0)
        return;
    memcpy(y, B + (size_t)column * (size_t)m, (size_t)m * sizeof *y);
    if (n > 0)
        dfl_gemm(m, 1, n, 1, A, m, x, n, 1, y, m);
}

static void add(double *y, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        y[i] += from[i];
}

static void copy(double *y, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        y[i] = from[i];
}

/* J1 x with the parameter's part: [dyn 0 d acc] for carried accelerations; acc + W M^-1 dyn if they
   are eliminated. */
static void block_1(dfl_point *out, const dfl_rows_jacobian *jac, const dfl_system *sys,
                    const dfl_jacobian *slopes, int column)
{
    const int nw = sys->eom->nw, nv = sys->n3, nc = sys->nc;
    const double *dyn = slopes->dyn + (size_t)column * (size_t)nv;
    memset(out->alg, 0, (size_t)sys->m1 * sizeof *out->alg);
    if (sys->m1 > 0)
        dfl_gemm(sys->m1, 1, sys->n, 1, jac->J1, sys->m1, out->x, sys->n, 0, out->alg, sys->m1);
    add(out->alg + sys->row.d, slopes->d + (size_t)column * (size_t)nw, nw);
    if (sys->psi1)
        return;
    add(out->alg + sys->row.acc, slopes->acc + (size_t)column * (size_t)nc, nc);
    if (sys->carried)
        add(out->alg, dyn, nv);
    else if (sys->eliminated && nc > 0)
        dfl_gemm(nc, 1, nv, 1, jac->WM, nc, dyn, nv, 1, out->alg + sys->row.acc, nc);
}

/* gI, hv, gam, e, and c, g, ep. */
static void blocks_2_and_3(dfl_point *out, const dfl_rows_jacobian *jac, const dfl_system *sys,
                           const dfl_jacobian *slopes, int column)
{
    const int nc = sys->nc, n0 = sys->eom->n0, ne = sys->eom->ne;
    const double *vel = slopes->vel + (size_t)column * (size_t)(nc + ne);
    double *rows = out->alg + sys->m1;
    memset(rows, 0, (size_t)sys->m2 * sizeof *rows);
    if (sys->m2 > 0)
        dfl_gemm(sys->m2, 1, sys->n, 1, jac->J2, sys->m2, out->x, sys->n, 0, rows, sys->m2);
    add(rows, vel, nc);
    add(rows + nc, slopes->gam + (size_t)column * (size_t)n0, n0);
    add(rows + nc + n0, vel + nc, ne);
    along(rows + sys->m2, jac->J3, sys->m3, sys->n4, out->x + sys->at.sp, slopes->pos, column);
}

void dfl_rates_tangent(dfl_point *out, const dfl_rows_jacobian *jac, const dfl_system *sys,
                       const dfl_jacobian *slopes, int column)
{
    const int nu = sys->nu, nv = sys->n3;
    const double *xu = out->x + sys->na;
    along(out->blocks.b, jac->blocks.b, sys->n2, nu, xu, slopes->b, column);
    if (!sys->carried || sys->eom->n0 > 0)
        along(out->blocks.f, jac->blocks.dyn, nv, nu, xu, slopes->dyn, column);
    if (!sys->eom->trivial_kinematics)
        along(out->blocks.kin, jac->blocks.kin, sys->eom->np, nv + sys->n4, out->x + sys->at.v,
              slopes->kin, column);
    for (int i = 0; i < nv; i++)
        out->a[i] = sys->carried ? out->x[i] : sys->eliminated ? out->blocks.f[i] / jac->M[i] : 0;
}

void dfl_rows_tangent(dfl_point *out, const dfl_rows_jacobian *jac, const dfl_system *sys,
                      const dfl_jacobian *slopes, int column)
{
    block_1(out, jac, sys, slopes, column);
    blocks_2_and_3(out, jac, sys, slopes, column);
    dfl_rates_tangent(out, jac, sys, slopes, column);
}

void dfl_alg_by_parameter(double *alg, const dfl_rows_jacobian *jac, const dfl_system *sys,
                          const dfl_jacobian *slopes, int column)
{
    const dfl_eom *eom = sys->eom;
    const int nw = eom->nw, nv = sys->n3, nc = sys->nc, ne = eom->ne, n0 = eom->n0;
    const double *dyn = slopes->dyn + column * nv, *vel = slopes->vel + column * (nc + ne);
    double *acc = alg + sys->row.acc, *rows = alg + sys->m1;
    if (sys->carried) {
        copy(alg, dyn, nv);
        memset(alg + nv, 0, (size_t)n0 * sizeof *alg);
    }
    copy(alg + sys->row.d, slopes->d + column * nw, nw);
    if (!sys->psi1)
        copy(acc, slopes->acc + column * nc, nc);
    if (sys->eliminated && !sys->psi1)
        dfl_gemm(nc, 1, nv, 1, jac->WM, nc, dyn, nv, 1, acc, nc);
    copy(rows, vel, nc);
    copy(rows + nc, slopes->gam + column * n0, n0);
    copy(rows + nc + n0, vel + nc, ne);
    copy(rows + sys->m2, slopes->pos + column * sys->m3, sys->m3);
}

void dfl_dif_by_parameter(double *dif, const dfl_rows_jacobian *jac, const dfl_system *sys,
                          const dfl_jacobian *slopes, bool momenta, int column)
{
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np;
    const double *dyn = slopes->dyn + column * nv;
    copy(dif, slopes->b + column * nr, nr);
    for (int i = 0; i < nv; i++)
        dif[nr + i] = momenta ? dyn[i] : sys->eliminated ? dyn[i] / jac->M[i] : 0;
    if (sys->eom->trivial_kinematics)
        memset(dif + nr + nv, 0, (size_t)np * sizeof *dif);
    else
        copy(dif + nr + nv, slopes->kin + column * np, np);
}

void dfl_rows_weights(dfl_jacobian *out, const dfl_point *weight, const dfl_rows_jacobian *jac,
                      const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    const int nc = sys->nc, nv = sys->n3, n0 = eom->n0, ne = eom->ne;
    const size_t d = sizeof(double);
    const double *alg = weight->alg, *vel = alg + sys->m1;
    memcpy(out->d, alg + sys->row.d, (size_t)eom->nw * d);
    memcpy(out->acc, alg + sys->row.acc, (size_t)nc * d);
    memcpy(out->vel, vel, (size_t)nc * d);
    memcpy(out->vel + nc, vel + nc + n0, (size_t)ne * d);
    memcpy(out->gam, vel + nc, (size_t)n0 * d);
    memcpy(out->pos, vel + sys->m2, (size_t)sys->m3 * d);
    memcpy(out->b, weight->blocks.b, (size_t)eom->nr * d);
    memcpy(out->kin, weight->blocks.kin, (size_t)eom->np * d);
    for (int i = 0; i < nv; i++) /* massless directions: the dynamics are f_dyn - M v' */
        out->dyn[i] =
            sys->carried ? alg[i] + (n0 > 0 ? weight->a[i] : 0) : weight->a[i] / jac->M[i];
    if (!sys->carried && nc > 0)
        dfl_gemm_tn(nv, 1, nc, 1, jac->WM, nc, out->acc, nc, 1, out->dyn, nv);
}

void dfl_parameter_products(double *out, const dfl_jacobian *slopes, const dfl_jacobian *weight,
                            const dfl_system *sys, int count)
{
    const dfl_eom *eom = sys->eom;
    const struct {
        const double *slope, *weight;
        int rows;
    } part[] = {{slopes->d, weight->d, eom->nw},
                {slopes->acc, weight->acc, sys->nc},
                {slopes->vel, weight->vel, sys->nc + eom->ne},
                {slopes->gam, weight->gam, eom->n0},
                {slopes->pos, weight->pos, sys->m3},
                {slopes->b, weight->b, eom->nr},
                {slopes->dyn, weight->dyn, eom->nv},
                {slopes->kin, weight->kin, eom->trivial_kinematics ? 0 : eom->np}};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        if (part[k].rows > 0)
            dfl_gemm_tn(count, 1, part[k].rows, 1, part[k].slope, part[k].rows, part[k].weight,
                        part[k].rows, 1, out, count);
}

dfl_status dfl_parameter_slopes_init(dfl_jacobian *out, const dfl_system *sys, int count)
{
    const dfl_eom *eom = sys->eom;
    double **const block[DFL_BLOCKS] = {&out->d,   &out->acc, &out->vel, &out->gam,
                                        &out->pos, &out->b,   &out->dyn, &out->kin};
    const int rows[DFL_BLOCKS] = {eom->nw, sys->nc, sys->nc + eom->ne, eom->n0,
                                  sys->m3, eom->nr, eom->nv,           eom->np};
    size_t height = 0;
    for (int k = 0; k < DFL_BLOCKS; k++)
        height += (size_t)rows[k];
    double *at = dfl_alloc(sys->ctx, height * (size_t)count, sizeof *at);
    if (!at)
        return DFL_NO_MEMORY;
    for (int k = 0; k < DFL_BLOCKS; at += (size_t)rows[k++] * (size_t)count)
        *block[k] = at;
    return DFL_OK;
}

void dfl_parameter_slopes_zero(dfl_jacobian *out, const dfl_system *sys, int count)
{
    const dfl_eom *eom = sys->eom;
    const int height =
        eom->nw + 2 * sys->nc + eom->ne + eom->n0 + sys->m3 + eom->nr + eom->nv + eom->np;
    memset(out->d, 0, (size_t)height * (size_t)count * sizeof *out->d);
}

dfl_jacobian dfl_parameter_slopes_column(const dfl_jacobian *slopes, const dfl_system *sys,
                                         int column)
{
    const dfl_eom *eom = sys->eom;
    const size_t j = (size_t)column;
    return (dfl_jacobian){.d = slopes->d + j * (size_t)eom->nw,
                          .acc = slopes->acc + j * (size_t)sys->nc,
                          .vel = slopes->vel + j * (size_t)(sys->nc + eom->ne),
                          .gam = slopes->gam + j * (size_t)eom->n0,
                          .pos = slopes->pos + j * (size_t)sys->m3,
                          .b = slopes->b + j * (size_t)eom->nr,
                          .dyn = slopes->dyn + j * (size_t)eom->nv,
                          .kin = slopes->kin + j * (size_t)eom->np};
}
