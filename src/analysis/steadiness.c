/* steadiness.c: whether linear equations hold for longer than an instant: forces are balanced,
   nothing changes with time, and the equations are the same further along the motion. */
#include "analysis/analysis_internal.h"

#include "context/context.h"

#include <string.h>

static const char unbalanced[] = "forces are not balanced";
static const char timed[] = "forces, rates or constraints change with time";
static const char parametric[] = "the linear equations change with time";
static const char moving[] = "the linear equations change along the motion; use coordinates in "
                             "which they do not";
static const char unknown[] = "the model cannot be evaluated further along the motion";

/* Forces are balanced, unless accelerations `follow` constraints, and r is constant. */
static bool is_balanced(const dfl_local *local, bool follow)
{
    const dfl_eom *eom = local->eom;
    const int nv = eom->nv, nr = eom->nr, nc = local->nc;
    const double *W = local->point.blocks.W, *l = local->x + local->at.lambda;
    double largest = 0;
    for (int i = 0; i < nv; i++) { /* forces of constraints, and all others */
        double constraint = 0;
        for (int k = 0; k < nc; k++)
            constraint += W[(size_t)i * (size_t)nc + (size_t)k] * l[k];
        largest = fmax(largest, fmax(fabs(constraint), fabs(local->f[i] + constraint)));
    }
    for (int i = 0; i < nv; i++)
        largest = fmax(largest, dfl_row_terms(local->jac.blocks.dyn, nv, i, local->x, local->at.n));
    for (int i = 0; !follow && i < nv; i++)
        if (fabs(local->f[i]) > 1e-7 * largest)
            return false;
    for (int i = 0; i < nr; i++)
        if (fabs(local->point.blocks.b[i]) >
            1e-7 * dfl_row_terms(local->jac.blocks.b, nr, i, local->x, local->at.n))
            return false;
    return true;
}

/* Whether an array of count numbers changes, from now to a little later. */
static bool changes(const double *now, const double *later, int count)
{
    double change = 0, size = 0;
    for (int i = 0; i < count; i++) {
        change = fmax(change, fabs(later[i] - now[i]));
        size = fmax(size, fabs(now[i]) + fabs(later[i]));
    }
    return change > 1e-12 * size;
}

/* Whether forces, rates or constraints of the state are others a millisecond later. */
static bool changes_with_time(const dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const unsigned need = DFL_FORCE | DFL_DYNAMIC | DFL_AUXILIARY | DFL_POSITION | DFL_VELOCITY;
    dfl_point now, later;
    bool found = false;
    if (eom->autonomous || eom->residual || dfl_point_init(&now, &local->sys))
        return false;
    if (!dfl_point_init(&later, &local->sys)) {
        dfl_point_bind(&now, &local->sys);
        dfl_point_bind(&later, &local->sys);
        const int rc = eom->eval(&now.blocks, local->t, local->x, need, eom->user);
        found = !rc && !eom->eval(&later.blocks, local->t + 0.618e-3, local->x, need, eom->user) &&
                (changes(now.blocks.f, later.blocks.f, eom->nv) ||
                 changes(now.blocks.b, later.blocks.b, eom->nr) ||
                 changes(now.blocks.d, later.blocks.d, eom->nw) ||
                 changes(now.blocks.g, later.blocks.g, eom->nl) ||
                 changes(now.blocks.hv, later.blocks.hv, eom->nm));
        dfl_point_clear(&later, local->ctx);
    }
    dfl_point_clear(&now, local->ctx);
    return found;
}

/* Whether velocities that are states are constant, while others follow constraints with
   accelerations. */
static bool states_are_constant(const dfl_linearized *linear, const dfl_local *local)
{
    const int nv = local->eom->nv, np = linear->npositions;
    double *motion = dfl_alloc(local->ctx, 2 * (size_t)nv, sizeof *motion), size = 0, left = 0;
    if (!motion)
        return false;
    for (int k = np; k < np + linear->nvelocities; k++) {
        const double *X = linear->X + (size_t)k * (size_t)linear->n;
        for (int i = 0; i < nv; i++)
            motion[i] += X[local->at.v + i] * local->a[linear->state[k] - local->at.v];
    }
    dfl_gemm(nv, 1, nv, 1, local->M, nv, motion, nv, 0, motion + nv, nv);
    left = dfl_max_abs(motion + nv, nv);
    dfl_gemm(nv, 1, nv, 1, local->M, nv, local->a, nv, 0, motion + nv, nv);
    size = dfl_max_abs(motion + nv, nv);
    dfl_free(local->ctx, motion);
    return left <= 1e-7 * size;
}

dfl_point_kind dfl_kind_now(const char **why, const dfl_linearized *linear, const dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const double *v = local->x + local->at.v;
    const int np = linear->npositions, ny = linear->ny;
    const bool moves = dfl_max_abs(v, eom->nv) > 1e-10;
    const bool balanced =
        is_balanced(local, moves && eom->nm > 0 && states_are_constant(linear, local));
    *why = !balanced ? unbalanced : !moves && changes_with_time(local) ? timed : NULL;
    if (*why)
        return DFL_AT_FROZEN;
    if (!moves)
        return DFL_AT_EQUILIBRIUM;
    /* along the motion of the positions, rates of v and r do not change; with time that is tested
       later */
    const double *kin = eom->trivial_kinematics ? v : local->point.blocks.kin;
    for (int i = np; eom->autonomous && i < ny; i++) {
        double sum = 0, size = 0;
        for (int j = 0; j < np; j++) {
            const double term =
                linear->A[(size_t)j * (size_t)ny + (size_t)i] * kin[linear->state[j] - local->at.p];
            sum += term;
            size += fabs(term);
        }
        if (fabs(sum) > 1e-7 * size && fabs(sum) > 1e-9) {
            *why = unbalanced;
            return DFL_AT_FROZEN;
        }
    }
    return DFL_AT_STEADY_MOTION;
}

/* Leaves states out on which no other state that remains depends, such as the place of a vehicle:
   they are what others drive, with eigenvalues zero. */
static void leave_cyclic(bool *out, const dfl_linearized *one, const dfl_linearized *other,
                         double zero)
{
    const int ny = one->ny;
    bool more = true;
    memset(out, 0, (size_t)ny * sizeof *out);
    while (more) {
        more = false;
        for (int j = 0; j < ny; j++) {
            double size = 0;
            for (int i = 0; !out[j] && i < ny; i++) {
                const size_t k = (size_t)j * (size_t)ny + (size_t)i;
                size = out[i] ? size : fmax(size, fmax(fabs(one->A[k]), fabs(other->A[k])));
            }
            more = more || (!out[j] && size <= zero);
            out[j] = out[j] || size <= zero;
        }
    }
}

/* Positions that are other ones later; small turns are those of speeds. */
static void mark_moving(dfl_linearized *linear, const double *x, const double *later)
{
    for (int i = 0; i < linear->npositions; i++) {
        const int k = linear->state[i];
        linear->moves[i] = fabs(linear->turns ? x[k] : later[k] - x[k]) > 1e-10;
    }
}

static dfl_status allocate_marks(dfl_linearized *linear)
{
    linear->is_cyclic = dfl_alloc(linear->ctx, (size_t)linear->ny + 1, sizeof(bool));
    linear->moves = dfl_alloc(linear->ctx, (size_t)linear->ny + 1, sizeof(bool));
    return linear->is_cyclic && linear->moves ? DFL_OK : DFL_NO_MEMORY;
}

/* Whether A of both is the same, with the same states, to a part of each row; without cyclic
   states. */
static bool equal(dfl_linearized *one, const dfl_linearized *other, double part)
{
    const int ny = one->ny;
    bool same = ny == other->ny && one->npositions == other->npositions;
    bool *out = dfl_alloc(one->ctx, (size_t)ny + 1, sizeof *out);
    double most = 0;
    same = same && out;
    for (int i = 0; same && i < ny; i++)
        same = one->state[i] == other->state[i];
    for (int i = 0; same && i < ny * ny; i++)
        most = fmax(most, fabs(one->A[i]));
    if (same)
        leave_cyclic(out, one, other, 1e-13 * most);
    for (int i = 0; same && i < ny; i++) {
        double size = 1e-3 * part * most, change = 0;
        for (int j = 0; !out[i] && j < ny; j++) {
            const size_t k = (size_t)j * (size_t)ny + (size_t)i;
            size = fmax(size, part * fabs(one->A[k]));
            change = fmax(change, out[j] ? 0 : fabs(one->A[k] - other->A[k]));
        }
        same = change <= size;
    }
    one->cyclic = 0;
    for (int i = 0; same && i < one->npositions; i++) {
        one->is_cyclic[i] = out[i];
        one->cyclic += out[i];
    }
    dfl_free(one->ctx, out);
    return same;
}

/* p' at (t, x), or false. */
static bool rates_of_positions(double *rate, dfl_local *local, double t, const double *x)
{
    const dfl_eom *eom = local->eom;
    const double *kin = x + local->at.v;
    if (!eom->trivial_kinematics) {
        dfl_point_bind(&local->point, &local->sys);
        if (eom->eval(&local->point.blocks, t, x, DFL_KINEMATICS, eom->user))
            return false;
        kin = local->point.blocks.kin;
    }
    memcpy(rate, kin, (size_t)eom->np * sizeof *rate);
    return true;
}

/* Along the motion with constant velocities, by the classical method of Runge and Kutta: x is
   moved; `work` has room for 2 np + n numbers. */
static bool follow(double *x, double *work, dfl_local *local, double t, double time, int steps)
{
    static const double ahead[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    const int np = local->eom->np, n = local->at.n, p = local->at.p;
    double *sum = work, *rate = work + np, *trial = rate + np;
    const double h = time / steps;
    bool known = true;
    for (int k = 0; known && k < steps; k++) {
        memset(sum, 0, (size_t)np * sizeof *sum);
        for (int i = 0; known && i < 4; i++) {
            memcpy(trial, x, (size_t)n * sizeof *x);
            for (int j = 0; j < np; j++)
                trial[p + j] += i > 0 ? ahead[i] * h * rate[j] : 0;
            known = rates_of_positions(rate, local, t + (k + ahead[i]) * h, trial);
            for (int j = 0; j < np; j++)
                sum[j] += weight[i] / 6 * rate[j];
        }
        for (int j = 0; j < np; j++)
            x[p + j] += h * sum[j];
    }
    return known;
}

enum { LATER = 3 };

/* No period is a part of several of these numbers. */
static const double near_by = 0.2360679775, further = 0.4142135624, far_away = 1.7320508076;

/* States further along the motion, after *time: where the fastest position has moved by less than
   1, and where the slowest has moved by more, or the fastest by 20. At rest the same state a little
   later, if time matters. */
static dfl_status look(double *later, double *time, int *count, dfl_context *ctx,
                       const dfl_eom *eom, double t, const double *x)
{
    dfl_local local;
    const int np = eom->np;
    dfl_status status = dfl_local_create(&local, ctx, eom);
    const size_t n = (size_t)(status ? 0 : local.at.n);
    double *work = dfl_alloc(ctx, 2 * (size_t)np + n, sizeof *work), fastest = 0, slowest = 0;
    *count = 0;
    if (!status)
        status = work ? DFL_OK : DFL_NO_MEMORY;
    if (!status && !rates_of_positions(work, &local, t, x))
        status = DFL_CALLBACK;
    for (int i = 0; !status && i < np; i++) {
        const double rate = fabs(work[i]);
        fastest = fmax(fastest, rate);
        slowest = rate > 1e-10 && (slowest == 0 || rate < slowest) ? rate : slowest;
    }
    if (!status && fastest <= 1e-10 && !eom->autonomous) {
        time[(*count)++] = 1e-2 * near_by;
        time[(*count)++] = 1e-2 * far_away;
    } else if (!status && fastest > 1e-10) {
        time[(*count)++] = near_by / fastest;
        time[(*count)++] = further / fastest;
        time[(*count)++] = fmin(far_away / slowest, 20 / fastest);
    }
    for (int k = 0; !status && k < *count; k++) {
        memcpy(later + (size_t)k * n, x, n * sizeof *x);
        if (fastest > 1e-10 &&
            !follow(later + (size_t)k * n, work, &local, t, time[k], k < 2 ? 20 : 1000))
            status = DFL_CALLBACK;
    }
    dfl_free(ctx, work);
    dfl_local_clear(&local);
    return status;
}

/* Whether the equations hold at the later states. */
static dfl_status compare_later(bool *same, dfl_linearized *now, const dfl_eom *eom, double t,
                                const double *later, const double *time, int count)
{
    dfl_context *ctx = now->ctx;
    dfl_status status = DFL_OK;
    *same = true;
    for (int k = 0; !status && *same && k < count; k++) {
        dfl_linearized then;
        status = dfl_linearize_now(&then, ctx, eom, t + time[k], later + (size_t)k * (size_t)now->n,
                                   NULL, now->turns);
        if (!status)
            *same = then.kind != DFL_AT_FROZEN &&
                    equal(now, &then, now->kind == DFL_AT_EQUILIBRIUM ? 1e-9 : 1e-6);
        dfl_linearized_clear(&then);
    }
    return status;
}

/* Velocities that are no states follow from the constraints; the states keep theirs. */
static dfl_status renew_dependent(double *x, const dfl_linearized *linear, const dfl_eom *eom,
                                  double t)
{
    dfl_context *ctx = linear->ctx;
    const size_t nv = (size_t)eom->nv, nl = (size_t)eom->nl, nm = (size_t)eom->nm;
    dfl_local local;
    dfl_status status = dfl_local_create(&local, ctx, eom);
    double *change = dfl_alloc(ctx, nv + nl + nm, sizeof *change), left;
    bool *given = dfl_alloc(ctx, nv, sizeof *given);
    if (!status && (!change || !given))
        status = DFL_NO_MEMORY;
    if (!status)
        status = dfl_local_eval_still(&local, t, x);
    if (!status) {
        memcpy(change + nv, local.point.blocks.gI, nl * sizeof *change);
        memcpy(change + nv + nl, local.point.blocks.hv, nm * sizeof *change);
        for (int i = 0; i < linear->nvelocities; i++)
            given[linear->state[linear->npositions + i] - local.at.v] = true;
        status = dfl_follow_rows(change, &left, &local, given, false, change + nv, 1);
    }
    for (size_t i = 0; !status && i < nv; i++)
        x[(size_t)local.at.v + i] += change[i];
    dfl_free(ctx, change);
    dfl_free(ctx, given);
    dfl_local_clear(&local);
    return status;
}

/* A later state, onto all constraints. */
static dfl_status settle(double *x, const dfl_linearized *linear, const dfl_eom *eom, double t)
{
    const dfl_status status = eom->nm > 0 ? renew_dependent(x, linear, eom, t) : DFL_OK;
    return status ? status : dfl_state_polish(x, linear->ctx, eom, t);
}

dfl_status dfl_look_ahead(dfl_linearized *out, const dfl_eom *eom, double t, const double *x,
                          const dfl_inputs *inputs)
{
    dfl_context *ctx = out->ctx;
    double *later = dfl_alloc(ctx, LATER * (size_t)out->n, sizeof *later), time[LATER];
    int count = 0;
    bool same = true;
    dfl_status status = later ? allocate_marks(out) : DFL_NO_MEMORY;
    if (!status)
        status = look(later, time, &count, ctx, eom, t, x);
    const bool still = out->kind == DFL_AT_EQUILIBRIUM;
    for (int k = 0; !status && !still && k < count; k++)
        status = settle(later + (size_t)k * (size_t)out->n, out, eom, t + time[k]);
    if (!status)
        status = compare_later(&same, out, eom, t, later, time, count);
    const char *why = status ? unknown : same ? NULL : still ? parametric : moving;
    if (!status && !same && dfl_turns_apply(out, eom)) {
        dfl_linearized turned;
        status = dfl_linearize_now(&turned, ctx, eom, t, x, inputs, true);
        if (!status)
            status = allocate_marks(&turned);
        if (!status)
            status = compare_later(&same, &turned, eom, t, later, time, count);
        if (!status && same) {
            const dfl_linearized plain = *out;
            *out = turned;
            turned = plain;
            why = NULL;
        }
        dfl_linearized_clear(&turned);
    }
    if (!status && !still && count > 0)
        mark_moving(out, x, later);
    dfl_free(ctx, later);
    if (why) {
        out->kind = DFL_AT_FROZEN;
        out->why = why;
        out->changing = true;
    }
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}
