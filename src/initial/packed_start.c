/* Consistent initial values with packed matrices: the stages of initial.c, each a saddle system

       [D G^T; G 0] (dx, l) = (D (x0 - x), -F)

   for positions, with the units of positions as D, then for velocities with M instead of D; then
   block 1 for the rest (packed_saddle.c). Held unknowns lose their columns. Rows that depend on
   others are left out; whether they hold nevertheless is checked at the end, with all other rows.
   Positions far from the guess are approached by shorter steps, then by those of assembly.c. */
#include "initial/packed_start.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60, HALVINGS = 12 };

/* Rows nearer to others than this part of their length are left out. */
static const double dependent = 3e-6;

/* Unknowns that are all smaller than this part of their units are zero and rounding. */
static const double rest = 1e-3;

static dfl_status borrow(dfl_csc *out, dfl_context *ctx, const dfl_pattern *pattern, int rows,
                         int columns);
static dfl_status run_stage(dfl_initial *init, const dfl_conditions *cond, bool velocities);
static dfl_status follow(dfl_initial *init, const dfl_conditions *cond);
static dfl_status complete_rest(dfl_initial *init);

dfl_status dfl_packed_start_create(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const dfl_sparsity *s = sys->packed;
    dfl_context *ctx = sys->ctx;
    dfl_packed_start *ps = init->packed = dfl_alloc(ctx, 1, sizeof *ps);
    if (!ps)
        return DFL_NO_MEMORY;
    const int nv = sys->n3, n4 = sys->n4;
    const size_t widest = (size_t)(nv > n4 ? nv : n4), rows = (size_t)(sys->m1 + sys->m2 + sys->m3);
    const size_t pos = dfl_pattern_entries(&s->pos, n4), W = dfl_system_W_entries(sys),
                 d = sizeof(double);
    const size_t mass = dfl_system_mass_entries(sys);
    dfl_status status = dfl_packed_jacobian_init(&ps->jac, sys);
    if (!status)
        status = borrow(&ps->pos, ctx, &s->pos, sys->m3, n4);
    if (!status)
        status = borrow(&ps->W, ctx, &s->W, sys->nc, nv);
    if (!status)
        status = dfl_packed_mass_init(init);
    ps->D = dfl_alloc(ctx, mass + widest + 1, d);
    ps->A = dfl_alloc(ctx, (pos > W ? pos : W) + 1, d);
    ps->dx = dfl_alloc(ctx, widest + 1, d);
    ps->l = dfl_alloc(ctx, (size_t)(sys->m3 + sys->nc) + 1, d);
    ps->x = dfl_alloc(ctx, (size_t)sys->n + 1, d);
    ps->push = dfl_alloc(ctx, (size_t)nv + 1, d);
    ps->may = dfl_alloc(ctx, rows + 1, d);
    ps->choice = (dfl_row_choice){.left_out = dfl_alloc(ctx, rows + 1, 1),
                                  .seen = dfl_alloc(ctx, rows + 1, 1),
                                  .work = dfl_alloc(ctx, widest + 2 * rows + 1, d)};
    ps->allowed = dfl_alloc(ctx, rows + 1, d);
    ps->refined = dfl_alloc(ctx, s->following ? (size_t)(n4 + sys->m3) + 1 : 0, d);
    ps->left_out = dfl_alloc(ctx, (size_t)sys->nc + 1, 1);
    ps->laid_out_for = dfl_alloc(ctx, (size_t)sys->nc + 1, 1);
    if (!ps->D || !ps->A || !ps->dx || !ps->l || !ps->x || !ps->push || !ps->may ||
        !ps->choice.left_out || !ps->choice.seen || !ps->refined || !ps->choice.work ||
        !ps->allowed || !ps->left_out || !ps->laid_out_for)
        return DFL_NO_MEMORY;
    if (!status)
        status = dfl_saddle_ldl_create(&ps->positions, ctx, NULL, &ps->pos);
    if (!status)
        status =
            dfl_saddle_ldl_create(&ps->velocities, ctx, sys->mass.diagonal ? NULL : &ps->M, &ps->W);
    if (!status && !sys->mass.diagonal)
        status = dfl_saddle_ldl_create(&ps->plain, ctx, NULL, &ps->W);
    return status;
}

void dfl_packed_start_free(dfl_initial *init)
{
    dfl_packed_start *ps = init->packed;
    dfl_context *ctx = init->sys.ctx;
    if (!ps)
        return;
    dfl_packed_saddle_clear(init);
    dfl_packed_massless_clear(init);
    dfl_packed_jacobian_clear(&ps->jac, ctx);
    dfl_saddle_ldl_free(ps->positions);
    dfl_saddle_ldl_free(ps->velocities);
    dfl_saddle_ldl_free(ps->plain);
    dfl_least_rows_free(ps->least);
    void *const block[] = {ps->pos.start,
                           ps->pos.row,
                           ps->W.start,
                           ps->W.row,
                           ps->M.start,
                           ps->M.row,
                           ps->D,
                           ps->A,
                           ps->dx,
                           ps->l,
                           ps->x,
                           ps->allowed,
                           ps->left_out,
                           ps->laid_out_for,
                           ps->M_at,
                           ps->lent,
                           ps->push,
                           ps->may,
                           ps->choice.left_out,
                           ps->choice.seen,
                           ps->refined,
                           ps->choice.work};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_free(ctx, ps);
    init->packed = NULL;
}

static dfl_status borrow(dfl_csc *out, dfl_context *ctx, const dfl_pattern *pattern, int rows,
                         int columns)
{
    const size_t entries = dfl_pattern_entries(pattern, columns);
    *out = (dfl_csc){.rows = rows, .columns = columns};
    out->start = dfl_alloc(ctx, (size_t)columns + 1, sizeof(int));
    out->row = dfl_alloc(ctx, entries + 1, sizeof(int));
    if (!out->start || !out->row)
        return DFL_NO_MEMORY;
    memcpy(out->start, pattern->column_start, ((size_t)columns + 1) * sizeof(int));
    if (entries > 0)
        memcpy(out->row, pattern->row, entries * sizeof(int));
    return DFL_OK;
}

dfl_status dfl_packed_start_evaluate(dfl_initial *init)
{
    dfl_system *sys = &init->sys;
    const char *what = "";
    memcpy(init->point.x, init->x, (size_t)sys->n * sizeof(double));
    dfl_outcome outcome = dfl_system_eval_checked(sys, &init->point);
    if (!outcome) {
        what = "the derivatives of ";
        outcome = dfl_system_packed_jacobian(&init->packed->jac, sys, init->point.t, init->point.x,
                                             init->point.a);
    }
    if (!outcome)
        return DFL_OK;
    if (outcome != DFL_STEP_NONFINITE)
        return dfl_fail(sys->ctx, DFL_CALLBACK, "%s fails at the start, t = %g",
                        sys->trouble.callback, init->point.t);
    char row[80];
    dfl_system_trouble_name(row, sizeof row, sys);
    return dfl_fail(sys->ctx, DFL_NOT_FINITE, "%s returns NaN or Inf in %s%s at the start, t = %g",
                    sys->trouble.callback, what, row, init->point.t);
}

dfl_status dfl_packed_start_positions(dfl_initial *init, const dfl_conditions *cond)
{
    init->converged = true;
    return run_stage(init, cond, false);
}

dfl_status dfl_packed_start_project(dfl_initial *init, const dfl_conditions *cond)
{
    dfl_status status = dfl_packed_start_positions(init, cond);
    if (!status && init->sys.packed->following)
        status = follow(init, cond);
    if (!status)
        status = run_stage(init, cond, true);
    return status ? status : complete_rest(init);
}

/* Velocities that follow from others, where positions have moved: those of the guess. */
static dfl_status follow(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    dfl_saddle_ldl *plain = sys->mass.diagonal ? ps->velocities : ps->plain;
    const bool *following = sys->packed->following;
    const dfl_status status = dfl_packed_start_evaluate(init);
    if (status || sys->nc == 0)
        return status;
    dfl_packed_take_units(init);
    memset(ps->A, 0, (size_t)ps->W.start[sys->n3] * sizeof *ps->A);
    for (int j = 0; j < sys->n3; j++)
        for (int k = ps->W.start[j]; k < ps->W.start[j + 1]; k++)
            if (following[sys->at.v - sys->na + j] && !dfl_stages_held(init, cond, sys->at.v + j))
                ps->A[k] = init->point.blocks.W[k];
    for (int i = 0; i < sys->nc; i++) {
        ps->choice.left_out[i] = !sys->packed->uncounted[i];
        ps->l[i] = -init->point.alg[sys->m1 + i];
    }
    memset(ps->dx, 0, (size_t)sys->n3 * sizeof *ps->dx);
    if (!dfl_saddle_ldl_factor(plain, ps->D, ps->A, dependent, ps->choice.left_out))
        return DFL_OK;
    dfl_saddle_ldl_solve(ps->dx, ps->l, plain);
    for (int j = sys->at.v; j < sys->at.v + sys->n3; j++)
        if (following[j - sys->na] && !dfl_stages_held(init, cond, j))
            init->x0[j] = init->x[j] += ps->dx[j - sys->at.v];
    return DFL_OK;
}

/* The balance along massless directions may contain multipliers and auxiliary variables, and these
   velocities. */
static dfl_status complete_rest(dfl_initial *init)
{
    enum { MOST_ROUNDS = 20 };
    const dfl_system *sys = &init->sys;
    const double *v = init->x + sys->at.v;
    dfl_status status = DFL_OK;
    for (int round = 0; !status && round < MOST_ROUNDS; round++) {
        double change = 0;
        memcpy(init->packed->push, v, (size_t)sys->n3 * sizeof *v);
        status = dfl_packed_massless_balance(init);
        for (int j = 0; j < sys->n3; j++)
            change = fmax(change, fabs(v[j] - init->packed->push[j]));
        if (!status && (round == 0 || change > 1e-13 * dfl_max_abs(v, sys->n3)))
            status = dfl_packed_saddle_complete(init);
        else
            break;
    }
    return status;
}

void dfl_packed_start_approach(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    int undetermined = 0;
    double *found = dfl_alloc(sys->ctx, (size_t)sys->n, sizeof *found);
    if (!found || dfl_packed_start_dependent(&undetermined, init)) {
        dfl_free(sys->ctx, found);
        return;
    }
    memcpy(found, init->x, (size_t)sys->n * sizeof *found);
    init->strongly = true;
    if (dfl_packed_start_positions(init, cond) || !init->converged ||
        !dfl_assembly_closed(init, cond))
        memcpy(init->x, found, (size_t)sys->n * sizeof *found);
    init->strongly = false;
    dfl_free(sys->ctx, found);
}

/* With positions held, and rows of contacts alone. */
bool dfl_packed_start_contacts(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    bool *held = dfl_alloc(sys->ctx, (size_t)sys->nu, sizeof *held);
    dfl_conditions contacts = *cond;
    if (!held)
        return false;
    if (cond->held)
        memcpy(held, cond->held, (size_t)sys->nu * sizeof *held);
    for (int j = sys->at.p; j < sys->at.p + sys->eom->np; j++)
        held[j - sys->na] = true;
    contacts.held = held;
    init->packed->contacts_alone = init->converged = true;
    const dfl_status status = run_stage(init, &contacts, false);
    init->packed->contacts_alone = false;
    dfl_free(sys->ctx, held);
    return !status && init->converged;
}

/* ------------------------------------------------------------------------ stages */

static int position_rows(const dfl_initial *init)
{
    return init->packed->contacts_alone ? init->sys.eom->ns : dfl_stages_position_rows(init);
}

double dfl_packed_importance(const dfl_initial *init, int column)
{
    const bool *following = init->sys.packed->following;
    return following && following[column - init->sys.na] ? 1e-8 : 1;
}

static double weight_of(const dfl_initial *init, const dfl_conditions *cond, int column)
{
    const double *unit = dfl_system_units(&init->sys, column);
    return cond->weight ? cond->weight[column - init->sys.na] : unit ? 1 / (*unit * *unit) : 1;
}

/* The first `rows` rows of `pattern`, without columns that are held. */
static void take_columns(double *A, const dfl_initial *init, const dfl_conditions *cond,
                         const dfl_csc *pattern, int rows, const double *value, int first)
{
    for (int j = 0; j < pattern->columns; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            A[k] = pattern->row[k] >= rows || dfl_stages_held(init, cond, first + j) ? 0 : value[k];
}

static void take_weights(double *D, const dfl_initial *init, const dfl_conditions *cond, int first,
                         int columns)
{
    for (int j = 0; j < columns; j++)
        D[j] = weight_of(init, cond, first + j);
}

/* Factors rows, the last of which are those of g (and hv), without those that depend on others,
   with D as metric: ps->choice.left_out. */
static bool choose_rows(dfl_initial *init, dfl_saddle_ldl *ldl, const dfl_csc *A, int rows,
                        const double *value)
{
    const dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    dfl_row_choice *choice = &ps->choice;
    const int first = A == &ps->pos ? sys->eom->ns : 0;
    if (A == &ps->pos && init->strongly) { /* what depended on other rows at the start */
        memset(choice->left_out, 0, (size_t)rows);
        memcpy(choice->left_out + first, ps->left_out, (size_t)sys->eom->nl);
        return dfl_saddle_ldl_factor(ldl, ps->D, value, dependent, choice->left_out);
    }
    for (int i = 0; i < rows; i++)
        ps->may[i] = i < first || i >= first + sys->nc
                         ? 0
                         : dfl_allowed_misfit(&sys->options->constraints, i - first);
    choice->A = A;
    choice->D = ps->D;
    choice->value = value;
    choice->zero = dependent;
    choice->allowed = ps->may;
    choice->late = A == &ps->pos ? rows : sys->eom->nl;
    return dfl_saddle_ldl_choose(choice, ldl);
}

dfl_saddle_ldl *dfl_packed_factor_stage(dfl_initial *init, const dfl_conditions *cond,
                                        bool velocities)
{
    const dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    dfl_saddle_ldl *plain = sys->mass.diagonal ? ps->velocities : ps->plain;
    const unsigned char *out = ps->choice.left_out;
    if (!velocities) {
        take_columns(ps->A, init, cond, &ps->pos, position_rows(init), ps->jac.blocks.pos,
                     sys->at.sp);
        take_weights(ps->D, init, cond, sys->at.sp, sys->n4);
        if (!choose_rows(init, ps->positions, &ps->pos, sys->m3, ps->A))
            return NULL;
        for (int j = 0; j < sys->n4; j++)
            ps->D[j] *= dfl_packed_importance(init, sys->at.sp + j);
        const bool all_count = !sys->packed->following;
        return all_count || dfl_saddle_ldl_factor(ps->positions, ps->D, ps->A, 0, out)
                   ? ps->positions
                   : NULL;
    }
    dfl_packed_take_units(init);
    if (!choose_rows(init, plain, &ps->W, sys->nc, init->point.blocks.W))
        return NULL;
    dfl_packed_take_rows(init, cond);
    dfl_packed_take_mass(init, cond);
    ps->weighted =
        !cond->weight && dfl_saddle_ldl_factor(ps->velocities, ps->D, ps->A, dependent, out);
    if (ps->weighted)
        return ps->velocities;
    take_weights(ps->D, init, cond, sys->at.v, sys->n3);
    return dfl_saddle_ldl_factor(plain, ps->D, ps->A, dependent, out) ? plain : NULL;
}

/* y := D u for the metric of a stage. */
static void metric_product(double *y, const dfl_initial *init, bool velocities, const double *u,
                           int columns)
{
    const dfl_packed_start *ps = init->packed;
    if (velocities && ps->weighted)
        dfl_packed_momentum(y, init, u);
    else
        for (int j = 0; j < columns; j++)
            y[j] = ps->D[j] * u[j];
}

/* The sum of squares of a stage's rows. */
static double size_of_rows(const dfl_initial *init, int first, int count)
{
    double sum = 0;
    for (int i = first; i < first + count; i++)
        sum += init->point.alg[i] * init->point.alg[i];
    return sum;
}

/* x := former x + part dx; with shorter steps if that brings rows far from zero. */
static dfl_status move(dfl_initial *init, int first, int columns, int first_row, int rows)
{
    dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    const double before = size_of_rows(init, first_row, rows);
    memcpy(ps->x, init->x, (size_t)sys->n * sizeof(double));
    double part = 1;
    for (int k = 0;; k++, part /= 2) {
        for (int j = 0; j < columns; j++)
            init->x[first + j] = ps->x[first + j] + part * ps->dx[j];
        memcpy(init->point.x, init->x, (size_t)sys->n * sizeof(double));
        const bool known = !dfl_system_eval_checked(sys, &init->point);
        if (sys->stopped)
            return dfl_fail(sys->ctx, DFL_CALLBACK, "%s fails at the start, t = %g", sys->stopped,
                            init->point.t);
        if ((known && !(size_of_rows(init, first_row, rows) > 4 * before)) || k == HALVINGS)
            return DFL_OK;
    }
}

/* The largest unit of the unknowns of a stage. */
static double largest_unit(const dfl_initial *init, int first, int columns)
{
    double most = 0;
    for (int j = 0; j < columns; j++) {
        const double *unit = dfl_system_units(&init->sys, first + j);
        most = fmax(most, unit ? *unit : 1);
    }
    return most;
}

/* (dx, l) := the solution for positions, refined once: the little that some positions count for
   costs digits of the others. */
static void solve_refined(dfl_initial *init)
{
    dfl_packed_start *ps = init->packed;
    const dfl_csc *A = &ps->pos;
    double *right = ps->refined, *l = right + A->columns;
    memcpy(right, ps->dx, (size_t)A->columns * sizeof *right);
    memcpy(l, ps->l, (size_t)A->rows * sizeof *l);
    dfl_saddle_ldl_solve(ps->dx, ps->l, ps->positions);
    for (int j = 0; j < A->columns; j++)
        right[j] -= ps->D[j] * ps->dx[j];
    dfl_csc_add_transposed(right, A->start, A->row, A->columns, ps->A, -1, ps->l);
    dfl_csc_add(l, A->start, A->row, A->columns, ps->A, -1, ps->dx);
    dfl_saddle_ldl_solve(right, l, ps->positions);
    for (int j = 0; j < A->columns; j++)
        ps->dx[j] += right[j];
}

/* One correction; *relative: its size compared with the unknowns, or with `rest` of their units. */
static dfl_status correct(double *relative, dfl_initial *init, const dfl_conditions *cond,
                          bool velocities)
{
    const dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    const int first = velocities ? sys->at.v : sys->at.sp, columns = velocities ? sys->n3 : sys->n4;
    const int first_row = velocities ? sys->m1 : sys->m1 + sys->m2;
    const int rows = velocities ? sys->nc : position_rows(init);
    dfl_saddle_ldl *factors = dfl_packed_factor_stage(init, cond, velocities);
    if (!factors)
        return dfl_fail(sys->ctx, DFL_INCONSISTENT, "the start at t = %g cannot be made consistent",
                        init->point.t);
    double largest = dfl_max_abs(init->x + first, columns), size = 0;
    for (int j = 0; j < columns; j++)
        ps->x[j] =
            dfl_stages_held(init, cond, first + j) ? 0 : init->x0[first + j] - init->x[first + j];
    metric_product(ps->dx, init, velocities, ps->x, columns);
    for (int i = 0; i < rows; i++)
        ps->l[i] = -init->point.alg[first_row + i];
    if (!velocities && sys->packed->following)
        solve_refined(init);
    else
        dfl_saddle_ldl_solve(ps->dx, ps->l, factors);
    for (int j = 0; j < columns; j++) {
        if (dfl_stages_held(init, cond, first + j))
            ps->dx[j] = 0;
        size = fmax(size, fabs(ps->dx[j]));
    }
    *relative = size / fmax(largest, rest * largest_unit(init, first, columns));
    return move(init, first, columns, first_row, rows);
}

/* Corrects until nothing but rounding is left. Velocities enter their rows linearly. */
static dfl_status run_stage(dfl_initial *init, const dfl_conditions *cond, bool velocities)
{
    double relative = 0, last = INFINITY;
    const int rows = velocities ? init->sys.nc : position_rows(init);
    for (int it = 0; rows > 0 && it < MOST_STEPS; it++) {
        dfl_status status = dfl_packed_start_evaluate(init);
        if (!status)
            status = correct(&relative, init, cond, velocities);
        if (status)
            return status;
        if (relative <= 1e-14 || (relative <= 1e-10 && relative >= 0.5 * last))
            break;
        last = relative;
    }
    init->converged = init->converged && relative <= 1e-8;
    return DFL_OK;
}

void dfl_packed_take_rows(dfl_initial *init, const dfl_conditions *cond)
{
    const dfl_system *sys = &init->sys;
    take_columns(init->packed->A, init, cond, &init->packed->W, sys->nc, init->point.blocks.W,
                 sys->at.v);
}

void dfl_packed_take_units(dfl_initial *init)
{
    const dfl_conditions nothing_held = {0};
    take_weights(init->packed->D, init, &nothing_held, init->sys.at.v, init->sys.n3);
}

dfl_status dfl_packed_start_dependent(int *count, dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    dfl_saddle_ldl *plain = sys->mass.diagonal ? ps->velocities : ps->plain;
    const dfl_status status = sys->nc > 0 ? dfl_packed_start_evaluate(init) : DFL_OK;
    if (status || sys->nc == 0)
        return status;
    dfl_packed_take_units(init);
    choose_rows(init, plain, &ps->W, sys->nc, init->point.blocks.W);
    for (int i = 0; i < sys->nc; i++) {
        ps->left_out[i] = ps->choice.left_out[i];
        *count += ps->left_out[i] && !dfl_saddle_ldl_is_empty(plain, i);
    }
    return DFL_OK;
}
