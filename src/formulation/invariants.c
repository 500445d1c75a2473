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
#include "formulation/invariants.h"

#include <math.h>
#include <string.h>

static const double kappa = 3;        /* the algorithm works with 2 to 4 */
static const double dependent = 1e-8; /* of |e_v|: the constraints leave nothing */
static const double secure = 20;      /* |q| > secure |q - q_old|: the choice holds for a while */

dfl_status dfl_invariants_init(dfl_invariants *it, dfl_formulation *base)
{
    const size_t ne = (size_t)base->sys->eom->ne, numbers = ne * (size_t)base->sys->n3;
    dfl_context *ctx = base->sys->ctx;
    base->invariants = it;
    it->active = dfl_alloc(ctx, ne, 1);
    it->q = dfl_alloc(ctx, numbers, sizeof *it->q);
    it->q_old = dfl_alloc(ctx, numbers, sizeof *it->q_old);
    it->basis = dfl_alloc(ctx, numbers, sizeof *it->basis);
    it->length = dfl_alloc(ctx, ne, sizeof *it->length);
    return it->active && it->q && it->q_old && it->basis && it->length ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_invariants_clear(dfl_invariants *it, dfl_context *ctx)
{
    dfl_free(ctx, it->active);
    dfl_free(ctx, it->q);
    dfl_free(ctx, it->q_old);
    dfl_free(ctx, it->basis);
    dfl_free(ctx, it->length);
}

void dfl_invariants_bind(dfl_invariants *it, const dfl_formulation *base)
{
    it->have_old = it->suspended = false;
    memset(it->active, 1, (size_t)base->sys->eom->ne);
}

bool dfl_invariants_vary(const dfl_formulation *base)
{
    return base->sys->eom->ne > 0 && !base->options->constraints.rigid_invariants;
}

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* How much the length of q changed since q_old; a q that points backwards has passed zero. */
static double change_of_length(const double *q, const double *q_old, int n)
{
    double dot = 0;
    for (int i = 0; i < n; i++)
        dot += q[i] * q_old[i];
    return dot > 0 ? fabs(norm(q, n) - norm(q_old, n)) : norm(q, n) + norm(q_old, n);
}

/* r, without its parts along `count` orthonormal vectors. */
static void take_out(double *r, const double *basis, int count, int n)
{
    for (int k = 0; k < count; k++) {
        const double *b = basis + (size_t)k * (size_t)n;
        double dot = 0;
        for (int j = 0; j < n; j++)
            dot += b[j] * r[j];
        for (int j = 0; j < n; j++)
            r[j] -= dot * b[j];
    }
}

/* Gram-Schmidt over the invariants: keeps i if the invariants kept before leave enough of q_i. */
static void keep_independent(dfl_invariants *it, dfl_formulation *base, double least)
{
    const int nv = base->sys->n3, ne = base->sys->eom->ne;
    base->nactive = 0;
    base->secure = true;
    for (int i = 0; i < ne; i++) {
        const double *q = it->q + (size_t)i * (size_t)nv;
        const double *q_old = it->q_old + (size_t)i * (size_t)nv;
        double *r = it->basis + (size_t)base->nactive * (size_t)nv, change = 0;
        memcpy(r, q, (size_t)nv * sizeof *r);
        for (int j = 0; j < nv; j++)
            change += (r[j] - q_old[j]) * (r[j] - q_old[j]);
        take_out(r, it->basis, base->nactive, nv);
        const double left = norm(r, nv);
        it->active[i] = left > kappa * change_of_length(q, q_old, nv) &&
                        left > fmax(dependent, least) * it->length[i];
        base->secure = base->secure && left > secure * sqrt(change);
        if (!it->active[i])
            continue;
        for (int j = 0; j < nv; j++)
            r[j] /= left;
        base->nactive++;
    }
}

void dfl_invariants_decide(dfl_invariants *it, dfl_formulation *base, double least)
{
    if (!it->suspended && it->have_old) {
        keep_independent(it, base, least);
        return;
    }
    memset(it->active, 0, (size_t)base->sys->eom->ne); /* nothing yet to compare with */
    base->nactive = 0;
    base->secure = false;
}

bool dfl_invariants_suspend(dfl_formulation *base)
{
    if (base->nactive == 0 || base->options->constraints.rigid_invariants)
        return false;
    base->invariants->suspended = true;
    return true;
}

void dfl_invariants_accepted(dfl_formulation *base)
{
    dfl_invariants *it = base->invariants;
    const dfl_system *sys = base->sys;
    const int ne = sys->eom->ne;
    if (base->nactive < ne)
        sys->stats->steps_without_invariants++;
    it->suspended = false;
    it->have_old = ne > 0 && !base->options->constraints.rigid_invariants;
    memcpy(it->q_old, it->q, (size_t)ne * (size_t)sys->n3 * sizeof *it->q);
}
