/* Adaptive use of velocity-level invariants.

   If e_v is (almost) in the row space of the constraints, as for the energy at a turning point, the
   invariant does not determine a velocity, and enforcing it makes Newton fail. Let
   q = e_v - (e_v R) W be the part of e_v that the constraints leave. An invariant is dropped for
   the present step if the length of q changes so fast that it may vanish within the step,
   |q| < kappa ||q| - |q_old||, or if the others already contain it. It is also dropped in the first
   step, when nothing is known yet: at rest, the energy alone would allow the mechanism to stay at
   rest. It comes back in the next regular step, where its algebraic equation removes the
   accumulated defect. A turn of q, as in long steps, is harmless; but if q points against q_old, it
   has passed zero. */
#include "formulation/projected.h"

#include <math.h>
#include <string.h>

static const double kappa = 3;        /* the algorithm works with 2 to 4 */
static const double dependent = 1e-8; /* of |e_v|: the constraints leave nothing */
static const double secure = 20;      /* |q| > secure |q - q_old|: the choice holds for a while */

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* q_i = e_v,i - (e_v,i R) W for all invariants, in units of the velocities */
static void free_parts(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int nv = sys->n3, ne = sys->eom->ne, rows = sys->nc, ld = sys->m2;
    const double *W = form->dense.jac.J2 + sys->at.v * ld, *ev = W + rows + sys->eom->n0;
    const double *unit = dfl_formulation_units(&form->base, sys->at.v);
    const dfl_split_rule rule = {.method = form->dense.method,
                                 .tolerance = form->dense.rank_tolerance,
                                 .rank =
                                     form->dense.method == DFL_METHOD_SVD ? form->base.rank2 : -1,
                                 .scale_rows = true,
                                 .columns = unit};
    double *eR = form->dense.work;
    dfl_split_compute(form->dense.split2, &rule, W, ld, rows, nv);
    dfl_gemm(ne, rows, nv, 1, ev, ld, form->dense.split2->R, nv, 0, eR, ne);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < ne; i++) {
            double value = ev[j * ld + i];
            for (int k = 0; k < rows; k++)
                value -= eR[k * ne + i] * W[j * ld + k];
            form->invariants.q[i * nv + j] = unit ? value * unit[j] : value;
        }
}

/* How much the length of q changed since q_old; a q that points backwards has passed zero. */
static double change_of_length(const double *q, const double *q_old, int n)
{
    double dot = 0;
    for (int i = 0; i < n; i++)
        dot += q[i] * q_old[i];
    return dot > 0 ? fabs(norm(q, n) - norm(q_old, n)) : norm(q, n) + norm(q_old, n);
}

/* Gram-Schmidt over the invariants: keeps i if the invariants kept before leave enough of q_i. */
static void keep_independent(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int nv = sys->n3, ne = sys->eom->ne, ld = sys->m2;
    const double *ev = form->dense.jac.J2 + sys->at.v * ld + sys->nc + sys->eom->n0;
    double *basis = form->dense.work;
    form->base.nactive = 0;
    form->base.secure = true;
    for (int i = 0; i < ne; i++) {
        double *r = basis + form->base.nactive * nv, change = 0, size = 0;
        memcpy(r, form->invariants.q + i * nv, (size_t)nv * sizeof *r);
        for (int j = 0; j < nv; j++) {
            const double d = r[j] - form->invariants.q_old[i * nv + j];
            change += d * d;
            size += ev[j * ld + i] * ev[j * ld + i];
        }
        for (int k = 0; k < form->base.nactive; k++) {
            const double *b = basis + k * nv;
            double dot = 0;
            for (int j = 0; j < nv; j++)
                dot += b[j] * r[j];
            for (int j = 0; j < nv; j++)
                r[j] -= dot * b[j];
        }
        const double left = norm(r, nv), *q = form->invariants.q + i * nv,
                     *q_old = form->invariants.q_old + i * nv;
        form->invariants.active[i] =
            left > kappa * change_of_length(q, q_old, nv) &&
            left > fmax(dependent, 10 * form->dense.rank_tolerance) * sqrt(size);
        form->base.secure = form->base.secure && left > secure * sqrt(change);
        if (!form->invariants.active[i])
            continue;
        for (int j = 0; j < nv; j++)
            r[j] /= left;
        form->base.nactive++;
    }
}

void dfl_invariants_choose(dfl_projected *form)
{
    const int ne = form->base.sys->eom->ne;
    if (ne == 0 || form->base.options->constraints.rigid_invariants)
        return;
    free_parts(form);
    if (form->invariants.suspended ||
        !form->invariants.have_old) { /* nothing yet to compare with */
        memset(form->invariants.active, 0, (size_t)ne);
        form->base.nactive = 0;
        form->base.secure = false;
    } else {
        keep_independent(form);
    }
}

void dfl_invariants_compress(dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const int ne = sys->eom->ne, first = sys->nc + sys->eom->n0, all = sys->m2;
    form->m2 = first + form->base.nactive;
    if (form->base.nactive == ne && sys->eom->n0 == 0) {
        form->J2 = form->dense.jac.J2;
        return;
    }
    double *out = form->J2 = form->J2_store;
    for (int j = 0; j < sys->n; j++) {
        const double *in = form->dense.jac.J2 + (size_t)j * (size_t)all;
        for (int i = 0; i < first; i++)
            *out++ = in[i];
        for (int i = 0; i < ne; i++)
            if (form->invariants.active[i])
                *out++ = in[first + i];
    }
}

bool dfl_invariants_suspend(dfl_formulation *base)
{
    dfl_projected *form = (dfl_projected *)base;
    if (base->nactive == 0 || base->options->constraints.rigid_invariants)
        return false;
    form->invariants.suspended = true;
    return true;
}

void dfl_invariants_accepted(dfl_formulation *base)
{
    dfl_invariants *invariants = &((dfl_projected *)base)->invariants;
    const dfl_system *sys = base->sys;
    const int ne = sys->eom->ne;
    if (base->nactive < ne)
        sys->stats->steps_without_invariants++;
    invariants->suspended = false;
    invariants->have_old = ne > 0 && !base->options->constraints.rigid_invariants;
    memcpy(invariants->q_old, invariants->q, (size_t)ne * (size_t)sys->n3 * sizeof(double));
}
