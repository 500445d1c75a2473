/* The watch on charts: whether the coordinates of a step still determine the motion.

   Selected rows S and the constraints are regular together, [S; G], as long as S T is: T holds the
   directions that the constraints leave free. Where S T becomes singular, at a dead centre, the
   chart ends: the constraints have two solutions for the same coordinates, and a step may follow
   the wrong one although every residual is zero. Between two points x and y of the motion,

       (S T(x))^-1 S T(y)     with  T(y) = Z(y) K(y) K(y)^T K(x),  K orthonormal, W K = 0,

   is the identity for y = x, and an eigenvalue passes zero with the end of the chart. This is
   compared for the two ends of a step, for its middle, and for what the rates at each end predict
   at the other: a step that turns back at the end of the chart, onto the other solution, shows
   nothing in its ends alone. */
#include "formulation/chart.h"

#include <math.h>
#include <string.h>

static int flips_between(double *smallest, dfl_formulation *form, const dfl_point *from,
                         const dfl_point *to);

/* ---- life ---- */

dfl_status dfl_chart_init(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    dfl_context *ctx = sys->ctx;
    const int nv = sys->n3, np = sys->eom->np, nc = sys->nc, larger = np > nv ? np : nv;
    const size_t d = sizeof(double), square = (size_t)larger * (size_t)larger;
    if (sys->eom->contract == DFL_GEOMS || nc == 0)
        return DFL_OK;
    dfl_chart *chart = form->chart = dfl_alloc(ctx, 1, sizeof *chart);
    if (!chart)
        return DFL_NO_MEMORY;
    const struct {
        double **block;
        size_t count;
    } room[] = {{&chart->K, square},
                {&chart->K2, square},
                {&chart->T, square},
                {&chart->B, square},
                {&chart->M, square},
                {&chart->a, (size_t)larger},
                {&chart->re, (size_t)larger},
                {&chart->im, (size_t)larger},
                {&chart->work, (size_t)DFL_EIGENVALUES_WORK(larger)}};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        if (!(*room[i].block = dfl_alloc(ctx, room[i].count, d)))
            return DFL_NO_MEMORY;
    if (!(chart->chosen = dfl_alloc(ctx, (size_t)larger, sizeof *chart->chosen)))
        return DFL_NO_MEMORY;
    dfl_status status = dfl_split_create(&chart->split, ctx, nc > nv ? nc : nv, nv);
    if (!status)
        status = dfl_factor_create(&chart->factor, ctx, larger, false);
    if (!status)
        status = dfl_point_init(&chart->point, sys);
    return status ? status : dfl_point_init(&chart->moved, sys);
}

void dfl_chart_bind(dfl_formulation *form)
{
    if (!form->chart)
        return;
    dfl_point_bind(&form->chart->point, form->sys);
    dfl_point_bind(&form->chart->moved, form->sys);
}

void dfl_chart_clear(dfl_formulation *form)
{
    dfl_chart *chart = form->chart;
    dfl_context *ctx = form->sys->ctx;
    if (!chart)
        return;
    void *const block[] = {chart->K, chart->K2, chart->T,  chart->B,    chart->M,
                           chart->a, chart->re, chart->im, chart->work, chart->chosen};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_split_free(chart->split, ctx);
    dfl_factor_free(chart->factor, ctx);
    dfl_point_clear(&chart->point, ctx);
    dfl_point_clear(&chart->moved, ctx);
    dfl_free(ctx, chart);
}

bool dfl_formulation_has_chart(const dfl_formulation *form)
{
    return form->chart != NULL;
}

/* ---- one point ---- */

/* The rank of the constraints that hold on a level. */
static int rank_of(const dfl_formulation *form, dfl_chart_level at)
{
    const dfl_eom *eom = form->sys->eom;
    return at == DFL_CHART_POSITIONS && eom->nm > 0 ? form->rank3 - eom->ns - eom->nep
                                                    : form->rank2;
}

bool dfl_chart_selected(const double **S, int *nf, bool *momentum, dfl_formulation *form,
                        dfl_chart_level at)
{
    dfl_chart_rows rows = {0};
    form->class->chart_rows(&rows, form);
    *S = at == DFL_CHART_POSITIONS ? rows.Sp : rows.Sv;
    *nf = at == DFL_CHART_POSITIONS ? rows.nfp : rows.nfv;
    *momentum = at == DFL_CHART_VELOCITIES && rows.momentum;
    return *S && *nf > 0 && *nf == form->sys->n3 - rank_of(form, at);
}

bool dfl_chart_free_velocities(double *K, dfl_formulation *form, const dfl_point *point,
                               dfl_chart_level at, int nf)
{
    const dfl_system *sys = form->sys;
    const int nv = sys->n3, rows = at == DFL_CHART_POSITIONS ? sys->eom->nl : sys->nc;
    const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .rank = nv - nf};
    dfl_split *split = form->chart->split;
    if (!dfl_split_compute(split, &rule, point->blocks.W, sys->nc, rows, nv))
        return false;
    memcpy(K, split->N, (size_t)nv * (size_t)nf * sizeof *K);
    return true;
}

bool dfl_chart_directions(double *T, dfl_formulation *form, const dfl_point *point, const double *K,
                          int nf, dfl_chart_level at, bool momentum)
{
    dfl_system *sys = form->sys;
    dfl_chart *chart = form->chart;
    const int nv = sys->n3, np = sys->eom->np;
    if (momentum) {
        if (dfl_system_mass(chart->M, sys, point->t, point->x + sys->na))
            return false;
        if (sys->mass.diagonal)
            for (int j = 0; j < nf; j++)
                for (int i = 0; i < nv; i++)
                    T[j * nv + i] = chart->M[i] * K[j * nv + i];
        else
            dfl_gemm(nv, nf, nv, 1, chart->M, nv, K, nv, 0, T, nv);
    } else if (at == DFL_CHART_VELOCITIES || sys->eom->trivial_kinematics) {
        memcpy(T, K, (size_t)nv * (size_t)nf * sizeof *T);
    } else {
        dfl_point *moved = &chart->moved;
        memcpy(moved->x, point->x, (size_t)sys->n * sizeof *T);
        moved->t = point->t;
        for (int j = 0; j < nf; j++) {
            memcpy(moved->x + sys->at.v, K + j * nv, (size_t)nv * sizeof *T);
            if (dfl_system_eval_blocks(sys, moved, DFL_KINEMATICS))
                return false;
            memcpy(T + j * np, moved->blocks.kin, (size_t)np * sizeof *T);
        }
    }
    return true;
}

/* ---- two points ---- */

/* chart->B := S T(from), factored if it is regular. */
static bool factor_from(dfl_formulation *form, const dfl_point *from, const double *S, int nf,
                        dfl_chart_level at, bool momentum)
{
    dfl_chart *chart = form->chart;
    const int n = at == DFL_CHART_POSITIONS ? form->sys->eom->np : form->sys->n3;
    if (!dfl_chart_directions(chart->T, form, from, chart->K, nf, at, momentum))
        return false;
    dfl_gemm(nf, nf, n, 1, S, nf, chart->T, n, 0, dfl_factor_matrix(chart->factor), nf);
    return dfl_factor_compute(chart->factor, nf, DFL_METHOD_LU);
}

/* The eigenvalues of (S T(from))^-1 S T(to) whose real part is not positive. -1: unknown. */
static int level_flips(double *smallest, dfl_formulation *form, const dfl_point *from,
                       const dfl_point *to, dfl_chart_level at)
{
    dfl_chart *chart = form->chart;
    const int nv = form->sys->n3, n = at == DFL_CHART_POSITIONS ? form->sys->eom->np : nv;
    const double *S;
    int nf, flips = 0;
    bool momentum;
    if (!dfl_chart_selected(&S, &nf, &momentum, form, at))
        return 0;
    if (!dfl_chart_free_velocities(chart->K, form, from, at, nf) ||
        !dfl_chart_free_velocities(chart->K2, form, to, at, nf))
        return 0; /* the rank has changed: another watch says so */
    if (!factor_from(form, from, S, nf, at, momentum)) {
        *smallest = 0;
        return 1;
    }
    /* K2 (K2^T K) */
    dfl_gemm_tn(nf, nf, nv, 1, chart->K2, nv, chart->K, nv, 0, chart->B, nf);
    dfl_gemm(nv, nf, nf, 1, chart->K2, nv, chart->B, nf, 0, chart->K, nv);
    if (!dfl_chart_directions(chart->T, form, to, chart->K, nf, at, momentum))
        return 0;
    dfl_gemm(nf, nf, n, 1, S, nf, chart->T, n, 0, chart->B, nf);
    for (int j = 0; j < nf; j++)
        dfl_factor_solve(chart->factor, chart->B + j * nf);
    if (!dfl_eigenvalues(chart->re, chart->im, chart->B, nf, chart->work))
        return 0;
    for (int i = 0; i < nf; i++) {
        flips += !(chart->re[i] > 0);
        *smallest = fmin(*smallest, chart->re[i]);
    }
    return flips;
}

static int flips_between(double *smallest, dfl_formulation *form, const dfl_point *from,
                         const dfl_point *to)
{
    *smallest = 1;
    const int flips = level_flips(smallest, form, from, to, DFL_CHART_POSITIONS);
    return flips > 0 ? flips : level_flips(smallest, form, from, to, DFL_CHART_VELOCITIES);
}

/* ---- a step ---- */

/* chart->point := where the rates at a point lead to after h, by the explicit midpoint rule. False
   if W cannot be evaluated there. */
static bool continue_from(dfl_formulation *form, const dfl_point *from, double h)
{
    dfl_system *sys = form->sys;
    dfl_chart *chart = form->chart;
    dfl_point *to = &chart->point;
    const int np = sys->eom->np, nv = sys->n3;
    double *p = to->x + sys->at.p, *v = to->x + sys->at.v;
    const double *rate = from->blocks.kin;
    memcpy(to->x, from->x, (size_t)sys->n * sizeof *p);
    if (!dfl_formulation_accelerations(chart->a, form, from))
        memset(chart->a, 0, (size_t)nv * sizeof *chart->a);
    for (int i = 0; i < nv; i++)
        v[i] += h / 2 * chart->a[i];
    if (sys->eom->trivial_kinematics) {
        rate = v;
    } else {
        for (int i = 0; i < np; i++)
            p[i] += h / 2 * rate[i];
        to->t = from->t + h / 2;
        if (dfl_system_eval_blocks(sys, to, DFL_KINEMATICS))
            return false;
        rate = to->blocks.kin;
    }
    for (int i = 0; i < np; i++)
        p[i] = from->x[sys->at.p + i] + h * rate[i];
    to->t = from->t + h;
    return dfl_system_eval_blocks(sys, to, DFL_DIRECTIONS) == DFL_STEP_OK;
}

/* chart->point := the middle between two points of the motion, by their positions and rates. */
static bool middle_of(dfl_formulation *form, const dfl_point *from, const dfl_point *to)
{
    dfl_system *sys = form->sys;
    dfl_point *point = &form->chart->point;
    const double h = to->t - from->t;
    for (int i = 0; i < sys->n; i++)
        point->x[i] = 0.5 * (from->x[i] + to->x[i]);
    for (int i = 0; i < sys->eom->np; i++)
        point->x[sys->at.p + i] += h / 8 * (from->blocks.kin[i] - to->blocks.kin[i]);
    point->t = from->t + h / 2;
    return dfl_system_eval_blocks(sys, point, DFL_DIRECTIONS) == DFL_STEP_OK;
}

static dfl_chart_verdict judge(double *when, dfl_formulation *form, const dfl_point *from,
                               const dfl_point *to)
{
    const dfl_point *between = &form->chart->point;
    const double h = to->t - from->t;
    double smallest, ignored;
    const int flips = flips_between(&smallest, form, from, to);
    *when = from->t + h * fmin(1, 1 / (1 - fmin(smallest, 0)));
    if (continue_from(form, from, h) && flips_between(&ignored, form, from, between) != flips)
        return DFL_CHART_DOUBTFUL;
    if (continue_from(form, to, -h) && flips_between(&ignored, form, to, between) != flips)
        return DFL_CHART_DOUBTFUL;
    if (flips == 0 && middle_of(form, from, to) &&
        flips_between(&ignored, form, from, between) != 0)
        return DFL_CHART_DOUBTFUL;
    return flips > 0 ? DFL_CHART_LEFT : DFL_CHART_HOLDS;
}

/* Evaluations for the watch are not part of the integration. */
static void count_apart(dfl_formulation *form, const dfl_statistics *before,
                        const dfl_trouble *trouble)
{
    dfl_statistics *stats = form->sys->stats;
    const long spent = stats->evaluations - before->evaluations + stats->partial_evaluations -
                       before->partial_evaluations;
    *stats = *before;
    stats->check_evaluations += spent;
    form->sys->trouble = *trouble;
}

dfl_chart_verdict dfl_formulation_chart_step(double *when, dfl_formulation *form,
                                             const dfl_point *from, const dfl_point *to)
{
    const dfl_statistics before = *form->sys->stats;
    const dfl_trouble trouble = form->sys->trouble;
    const dfl_chart_verdict verdict = judge(when, form, from, to);
    count_apart(form, &before, &trouble);
    return verdict;
}

bool dfl_formulation_chart_ends_within(dfl_formulation *form, const dfl_point *point, double h)
{
    const dfl_statistics before = *form->sys->stats;
    const dfl_trouble trouble = form->sys->trouble;
    double ignored;
    const bool ends = continue_from(form, point, h) &&
                      flips_between(&ignored, form, point, &form->chart->point) > 0;
    count_apart(form, &before, &trouble);
    return ends;
}
