/* Newton's systems of the sparse form, condensed: life and factors (condensed.h). */
#include "formulation/condensed_internal.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

static dfl_status find_massless(bool *fits, dfl_condensed *c);
static dfl_status check_mass(bool *positive, const dfl_condensed *c);
static dfl_status make_factors(dfl_condensed *c);
static dfl_status make_room(dfl_condensed *c);
static bool lumping_pays(const dfl_condensed *c, int sweeps, int sweeps_of_whole);

const char *dfl_condensed_obstacle(const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    const struct {
        bool present;
        const char *what;
    } all[] = {{eom->nm > 0, "nonholonomic constraints, or friction that may stick"},
               {eom->nr > 0, "dynamic variables"},
               {eom->nw > 0, "auxiliary variables"},
               {eom->ns > 0, "contact variables"},
               {eom->ne + eom->nep > 0, "invariants"},
               {eom->n0 > 0, "directions without mass"},
               {!eom->forces_free_of_multipliers, "forces that may contain multipliers"},
               {!sys->mass.constant, "masses that vary"},
               {!sys->mass.diagonal && eom->trivial_kinematics, "masses that couple coordinates"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].present)
            return all[i].what;
    return NULL;
}

dfl_status dfl_condensed_create(dfl_condensed **out, dfl_sparse_form *form)
{
    dfl_context *ctx = form->base.sys->ctx;
    dfl_condensed *c = dfl_alloc(ctx, 1, sizeof *c);
    if (!c)
        return DFL_NO_MEMORY;
    bool fits = true;
    c->form = form;
    dfl_status status = dfl_motion_blocks_init(&c->motion, &fits, form->base.sys);
    if (!status && fits)
        status = find_massless(&fits, c);
    if (!status && fits)
        status = dfl_condensed_matrix_init(c);
    if (!status && fits)
        status = make_factors(c);
    if (!status && fits)
        status = check_mass(&fits, c);
    if (!status && fits)
        status = make_room(c);
    if (status || !fits) {
        dfl_condensed_free(c, ctx);
        c = NULL;
    }
    *out = c;
    return status;
}

static dfl_status find_massless(bool *fits, dfl_condensed *c)
{
    const dfl_system *sys = c->form->base.sys;
    const dfl_pattern *M = &sys->packed->M;
    unsigned char *massless = dfl_alloc(sys->ctx, (size_t)sys->n3 + 1, 1);
    if (!massless)
        return DFL_NO_MEMORY;
    for (int j = 0; j < sys->n3; j++) {
        massless[j] = 1;
        if (sys->mass.diagonal)
            massless[j] = sys->mass.M[j] == 0;
        for (int k = sys->mass.diagonal ? 0 : M->column_start[j];
             !sys->mass.diagonal && k < M->column_start[j + 1]; k++)
            massless[j] = massless[j] && sys->mass.M[k] == 0;
    }
    const dfl_status status =
        dfl_massless_joints_init(&c->joints, fits, sys->ctx, &c->form->W, massless);
    dfl_free(sys->ctx, massless);
    return status;
}

/* M is part of S. */
static dfl_status make_factors(dfl_condensed *c)
{
    dfl_context *ctx = c->form->base.sys->ctx;
    const int heavy = c->joints.heavy;
    dfl_status status = dfl_saddle_ldl_create(&c->base, ctx, &c->M, &c->joints.W);
    c->whole = c->base;
    if (!status && c->S.start[heavy] > c->M.start[heavy])
        status = dfl_saddle_ldl_create(&c->whole, ctx, &c->S, &c->joints.W);
    c->lumpable = !status && c->whole != c->base && lumping_pays(c, 1, 1);
    return status;
}

/* Solutions with the factors of one step: three iterations and an error estimate. */
static const double usual_solutions = 4;

/* Multiplications of a factorization and of solutions with it, by sweeps. */
static double find_work(const dfl_condensed *c, const dfl_saddle_ldl *ldl, int sweeps)
{
    const dfl_system *sys = c->form->base.sys;
    const int *dyn = sys->packed->dyn.column_start;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    const int slopes = dyn[at.p + sys->eom->np] - dyn[c->damped ? at.v : at.p];
    const int joints = c->joints.T_start[sys->n3] + c->joints.W.start[c->joints.heavy];
    return dfl_saddle_ldl_work(ldl, usual_solutions * sweeps) +
           usual_solutions * (sweeps - 1) * (slopes + 4 * sys->n3 + 2 * joints);
}

/* Longer columns take less time per entry. */
static const double worthwhile = 0.8;

/* Whether factors of blocks take less work, with so many sweeps, than those of S. */
static bool lumping_pays(const dfl_condensed *c, int sweeps, int sweeps_of_whole)
{
    return sweeps > 0 &&
           find_work(c, c->base, sweeps) < worthwhile * find_work(c, c->whole, sweeps_of_whole);
}

/* Whether M of velocities with mass is positive definite: its LDL^T, without constraints. */
static dfl_status check_mass(bool *positive, const dfl_condensed *c)
{
    dfl_context *ctx = c->form->base.sys->ctx;
    dfl_csc no_rows = {.columns = c->joints.heavy};
    dfl_saddle_ldl *mass = NULL;
    double none = 0;
    no_rows.start = dfl_alloc(ctx, (size_t)no_rows.columns + 1, sizeof(int));
    no_rows.row = dfl_alloc(ctx, 1, sizeof(int));
    dfl_status status = no_rows.start && no_rows.row ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_saddle_ldl_create(&mass, ctx, &c->M, &no_rows);
    if (!status)
        *positive = dfl_saddle_ldl_factor(mass, c->M_value, &none, 0, NULL);
    dfl_saddle_ldl_free(mass);
    dfl_csc_clear(&no_rows, ctx);
    return status;
}

static dfl_status make_room(dfl_condensed *c)
{
    const dfl_formulation *base = &c->form->base;
    dfl_context *ctx = base->sys->ctx;
    const size_t nv = (size_t)base->sys->n3, nc = (size_t)base->sys->nc, d = sizeof(double);
    const size_t np = (size_t)base->sys->eom->np, entries = (size_t)c->S.start[c->S.columns];
    const size_t masses = (size_t)c->M.start[c->M.columns];
    bool room = (c->work = dfl_alloc(ctx, DFL_SET * (nv + nc) + 1, d)) != NULL;
    for (int i = 0; i < C_VECTORS; i++)
        room = (c->v[i] = dfl_alloc(ctx, DFL_SET * nv + 1, d)) && room;
    for (int i = 0; i < C_CONSTRAINTS; i++)
        room = (c->c[i] = dfl_alloc(ctx, DFL_SET * nc + 1, d)) && room;
    room = (c->taken = dfl_alloc(ctx, DFL_SET * (2 * nv + np + 3 * nc) + 1, d)) && room;
    room = (c->found = dfl_alloc(ctx, DFL_SET * (2 * nv + np + nc) + 1, d)) && room;
    const int sets = base->needs.stages > 1 ? base->needs.stages / 2 : 1;
    for (int k = 0; k < sets; k++) {
        room = (c->D[k] = dfl_alloc(ctx, DFL_SET * entries + 1, d)) && room;
        room = (c->blocks[k] = dfl_alloc(ctx, c->lumpable ? DFL_SET * masses : 1, d)) && room;
    }
    return room ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_condensed_free(dfl_condensed *c, dfl_context *ctx)
{
    if (!c)
        return;
    for (int k = 0; k < DFL_CONDENSED_SETS; k++) {
        dfl_lane_ldl_free(c->lanes[k]);
        dfl_lane_ldl_free(c->lumped[k]);
        dfl_free(ctx, c->D[k]);
        dfl_free(ctx, c->blocks[k]);
    }
    for (int i = 0; i < C_VECTORS; i++)
        dfl_free(ctx, c->v[i]);
    for (int i = 0; i < C_CONSTRAINTS; i++)
        dfl_free(ctx, c->c[i]);
    dfl_free(ctx, c->taken);
    dfl_free(ctx, c->found);
    if (c->whole != c->base)
        dfl_saddle_ldl_free(c->whole);
    dfl_saddle_ldl_free(c->base);
    dfl_condensed_matrix_clear(c);
    dfl_massless_joints_clear(&c->joints);
    dfl_motion_blocks_clear(&c->motion);
    dfl_free(ctx, c->work);
    dfl_free(ctx, c);
}

/* Whether columns first .. of a block of derivatives by positions do not see the directions n that
   kinematics do not reach. */
static bool is_blind(const dfl_condensed *c, const dfl_pattern *pattern, const double *value,
                     int first, int rows)
{
    const dfl_motion_blocks *m = &c->motion;
    double *sum = c->work, *size = c->work + rows, largest = 0;
    memset(sum, 0, 2 * (size_t)rows * sizeof *sum);
    for (int i = 0; i < m->np; i++) {
        const dfl_motion_block *b = &m->block[m->block_of[i]];
        const double n = b->np > b->nv ? m->number[b->n + m->place[i]] : 0;
        for (int k = pattern->column_start[first + i];
             n != 0 && k < pattern->column_start[first + i + 1]; k++) {
            sum[pattern->row[k]] += n * value[k];
            size[pattern->row[k]] += fabs(n * value[k]);
        }
    }
    for (int i = 0; i < rows; i++)
        largest = fmax(largest, size[i]);
    for (int i = 0; i < rows; i++)
        if (fabs(sum[i]) > 1e-3 * size[i] + 1e-9 * largest)
            return false;
    return true;
}

bool dfl_condensed_linearize(dfl_condensed *c)
{
    const dfl_sparse_form *form = c->form;
    const dfl_system *sys = form->base.sys;
    const dfl_sparsity *s = sys->packed;
    const dfl_jacobian *b = &form->jac.blocks;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    if (!dfl_motion_blocks_update(&c->motion, b->kin) ||
        !dfl_massless_joints_update(&c->joints, form->W_ref, form->dropped))
        return false;
    if (c->motion.kin && (!is_blind(c, &s->pos, b->pos, 0, sys->eom->nl) ||
                          !is_blind(c, &s->dyn, b->dyn, at.p, sys->n3)))
        return false;
    dfl_condensed_matrix_update(c);
    return dfl_saddle_ldl_factor(c->base, c->M_value, c->joints.W_value, 0, c->joints.out);
}

/* Forces of velocities above this part of zeta M need a second pass of (A) and (B). */
static const double weakly_damped = 0.03;

static int find_passes(const dfl_condensed *c)
{
    const double zeta = c->zeta[0][0];
    for (int j = 0; c->damped && j < c->S.columns; j++)
        for (int k = c->S.start[j]; k < c->S.start[j + 1]; k++) {
            const double inertia =
                sqrt(fabs(c->mass[c->diagonal[j]] * c->mass[c->diagonal[c->S.row[k]]]));
            if (fabs(c->damping[k]) > weakly_damped * zeta * inertia)
                return 2;
        }
    return 1;
}

/* Sweeps with the symmetric part of a matrix that is `skew` from a symmetric one; 0: it is too far.
 */
static int find_sweeps(double skew)
{
    return skew < 0.01 ? 1 : skew < 0.1 ? 2 : skew < 0.25 ? 3 : 0;
}

/* The factors of a set in use, which are made when they are first needed. */
static dfl_lane_ldl *factors_of(dfl_condensed *c, int set)
{
    dfl_lane_ldl **ldl = c->lumps ? &c->lumped[set] : &c->lanes[set];
    if (!*ldl)
        (void)dfl_lane_ldl_create(ldl, c->lumps ? c->base : c->whole);
    return *ldl;
}

bool dfl_condensed_factor(dfl_condensed *c, int stages)
{
    const dfl_shifts *shifts = &c->form->base.shifts;
    const int sets = stages > 1 ? stages / 2 : 1;
    const bool pair = stages > 1;
    double skew = 0, coupling = 0;
    c->tried = false;
    for (int set = 0; set < sets; set++) {
        c->zeta[set][0] = shifts->re[0];
        c->zeta[set][1] = pair ? shifts->re[2 * set + 2] : shifts->re[0];
        c->zeta[set][2] = pair ? shifts->im[2 * set + 2] : 0;
        skew = fmax(skew, dfl_condensed_matrix_shift(c, set));
        coupling = c->lumpable ? fmax(coupling, dfl_condensed_matrix_lump(c, set)) : 0;
    }
    const int sweeps = find_sweeps(skew), lumped = find_sweeps(skew + coupling);
    c->lumps = c->lumpable && lumping_pays(c, lumped, sweeps);
    c->sweeps = c->lumps ? lumped : sweeps;
    c->form->base.sys->stats->lumped += c->lumps;
    bool good = c->sweeps > 0;
    for (int set = 0; good && set < sets; set++) {
        dfl_lane_ldl *ldl = factors_of(c, set);
        const double *D = c->lumps ? c->blocks[set] : c->D[set];
        good = ldl && dfl_lane_ldl_factor(ldl, D, c->joints.W_value, c->joints.out);
    }
    c->passes = good ? find_passes(c) : 0;
    return good;
}

/* `count` rows of a set from row `first` on: where they are, or in *room, which moves on. */
static const double *take(double **room, const double *rho, const dfl_set_place *at, int first,
                          int count)
{
    const double *from = rho + first * at->width;
    double *taken = *room;
    if (at->whole)
        return from;
    dfl_set_take(taken, from, at, count);
    *room += DFL_SET * count;
    return taken;
}

static void take_residuals(dfl_condensed *c, const double *rho, const dfl_set_place *at)
{
    const dfl_sparse_form *form = c->form;
    const int nv = form->base.sys->n3, nc = form->base.sys->nc, np = form->base.sys->eom->np;
    double *room = c->taken;
    c->dynamics = take(&room, rho, at, 0, nv);
    c->kinematics = take(&room, rho, at, form->row.kin, np);
    c->forces = take(&room, rho, at, form->row.a, nv);
    c->acc = take(&room, rho, at, form->row.acc, nc);
    c->vel = take(&room, rho, at, form->row.vel, nc);
    c->pos = take(&room, rho, at, form->row.g, nc);
}

/* Where increments are found. */
static void place_increments(dfl_condensed *c, double *dx, const dfl_set_place *at)
{
    const dfl_system *sys = c->form->base.sys;
    const int nv = sys->n3, nc = sys->nc;
    c->da = at->whole ? dx : c->found;
    c->lam = at->whole ? dx + sys->at.l * DFL_SET : c->da + DFL_SET * nv;
    c->dv = at->whole ? dx + sys->at.v * DFL_SET : c->lam + DFL_SET * nc;
    c->dp = at->whole ? dx + sys->at.p * DFL_SET : c->dv + DFL_SET * nv;
}

static void give_increments(double *dx, const dfl_condensed *c, const dfl_set_place *at)
{
    const dfl_system *sys = c->form->base.sys;
    if (at->whole)
        return;
    dfl_set_give(dx, at, c->da, sys->n3);
    dfl_set_give(dx + sys->at.l * at->width, at, c->lam, sys->nc);
    dfl_set_give(dx + sys->at.v * at->width, at, c->dv, sys->n3);
    dfl_set_give(dx + sys->at.p * at->width, at, c->dp, sys->eom->np);
}

/* The first solution with new factors is checked. */
bool dfl_condensed_solve(double *dx, dfl_condensed *c, const double *rho, int width, int stages)
{
    const dfl_system *sys = c->form->base.sys;
    const int sets = stages > 1 ? stages / 2 : 1;
    const bool whole = width == DFL_SET && stages == 3;
    const bool all = sys->n == sys->n3 + sys->nc + sys->n3 + sys->eom->np && (width == 1 || whole);
    if (!all)
        memset(dx, 0, (size_t)(sys->n * width) * sizeof *dx);
    for (int set = 0; set < sets; set++) {
        const dfl_set_place at = {.width = width, .set = set, .pair = stages > 1, .whole = whole};
        take_residuals(c, rho, &at);
        place_increments(c, dx, &at);
        if (!dfl_condensed_solve_set(c, set, !c->tried))
            return false;
        give_increments(dx, c, &at);
    }
    c->tried = true;
    return true;
}
