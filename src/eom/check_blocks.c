/* Self-check: what eval writes. Blocks full of NaN show what it leaves out; each flag alone shows
   whether it reads the mask; moved multipliers show whether the forces are free of them. */
#include "eom/self_check_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 15 };

/* Rows of one kind that eval writes on a flag's request. */
typedef struct part {
    unsigned flag;
    dfl_kind kind;
    double *block;
    int rows, columns;
    const char *matrix; /* "W" or "K0": zeroed, not written completely */
} part;

static int parts_of(part *out, const dfl_system *sys, const dfl_blocks *b)
{
    const dfl_eom *eom = sys->eom;
    const int nl = eom->nl, nm = eom->nm;
    const part all[PARTS] = {{DFL_KINEMATICS, DFL_ROW_KIN, b->kin, eom->np, 1, NULL},
                             {DFL_FORCE, DFL_ROW_F, b->f, eom->nv, 1, NULL},
                             {DFL_DYNAMIC, DFL_ROW_B, b->b, eom->nr, 1, NULL},
                             {DFL_AUXILIARY, DFL_ROW_D, b->d, eom->nw, 1, NULL},
                             {DFL_POSITION, DFL_ROW_C, b->c, eom->ns, 1, NULL},
                             {DFL_POSITION, DFL_ROW_G, b->g, nl, 1, NULL},
                             {DFL_POSITION, DFL_ROW_EP, b->ep, eom->nep, 1, NULL},
                             {DFL_VELOCITY, DFL_ROW_GI, b->gI, nl, 1, NULL},
                             {DFL_VELOCITY, DFL_ROW_HV, b->hv, nm, 1, NULL},
                             {DFL_VELOCITY, DFL_ROW_E, b->e, eom->ne, 1, NULL},
                             {DFL_VELOCITY, DFL_ROW_GAM, b->gam, eom->n0, 1, NULL},
                             {DFL_DIRECTIONS, DFL_ROW_GI, b->W, sys->nc, eom->nv, "W"},
                             {DFL_DIRECTIONS, DFL_ROW_F, b->K0, eom->nv, eom->n0, "K0"},
                             {DFL_BIAS, DFL_ROW_GII, b->bias, nl, 1, NULL},
                             {DFL_BIAS, DFL_ROW_HI, b->bias + nl, nm, 1, NULL}};
    int count = 0;
    for (int k = 0; k < PARTS; k++)
        if (all[k].flag & sys->need)
            out[count++] = all[k];
    return count;
}

size_t dfl_check_blocks_size(const dfl_check *c)
{
    part parts[PARTS];
    const int count = parts_of(parts, c->sys, &c->work->blocks);
    size_t size = 0;
    for (int k = 0; k < count; k++)
        size += (size_t)parts[k].rows * (size_t)parts[k].columns;
    return size;
}

static const char *flag_name(unsigned flag)
{
    static const char *const name[] = {"DFL_KINEMATICS", "DFL_FORCE",    "DFL_DYNAMIC",
                                       "DFL_AUXILIARY",  "DFL_POSITION", "DFL_VELOCITY",
                                       "DFL_DIRECTIONS", "DFL_BIAS"};
    int k = 0;
    while (flag >>= 1)
        k++;
    return name[k];
}

/* Such as "f[1]", "W[gI[0], v[2]]" or "bias of gII[0]". */
static void entry_name(char *text, size_t size, const dfl_eom *eom, const part *p, int i)
{
    char row[DFL_CHECK_NAME], column[DFL_CHECK_NAME];
    if (p->matrix && p->kind == DFL_ROW_GI) {
        dfl_check_constraint_name(row, sizeof row, eom, DFL_ROW_GI, i % p->rows);
        dfl_eom_name(column, sizeof column, eom, DFL_KIND_V, i / p->rows);
        snprintf(text, size, "W[%s, %s]", row, column);
        return;
    }
    dfl_eom_name(row, sizeof row, eom, p->kind, i % p->rows);
    if (p->matrix)
        snprintf(text, size, "K0[%s, %d]", row, i / p->rows);
    else
        snprintf(text, size, "%s%s", p->flag == DFL_BIAS ? "bias of " : "", row);
}

/* Calls eval for `need` only, with `before` in all blocks that must be written completely. */
static dfl_status eval_into(dfl_check *c, const double *x, unsigned need, double before)
{
    const dfl_eom *eom = c->sys->eom;
    part parts[PARTS];
    const int count = parts_of(parts, c->sys, &c->work->blocks);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < parts[k].rows * parts[k].columns; i++)
            parts[k].block[i] = parts[k].matrix ? 0 : before;
    const int rc = eom->eval(&c->work->blocks, c->point->t, x + c->sys->na, need, eom->user);
    return rc ? dfl_check_callback_failed(c, rc, "eval") : DFL_OK;
}

/* Keeps what eval writes in `full`; a NaN that zeros in its place remove was not written. */
dfl_status dfl_check_written(dfl_check *c)
{
    dfl_system *sys = c->sys;
    part parts[PARTS];
    const int count = parts_of(parts, sys, &c->work->blocks);
    const part *missing = NULL;
    int row = 0;
    double *to = c->full;
    char name[2 * DFL_CHECK_NAME + 8];
    dfl_status status = eval_into(c, c->point->x, sys->need, NAN);
    for (int k = 0; !status && k < count; k++)
        for (int i = 0; i < parts[k].rows * parts[k].columns; i++) {
            *to++ = parts[k].block[i];
            if (!missing && isnan(parts[k].block[i]))
                missing = &parts[k], row = i;
        }
    if (status || !missing)
        return status;
    status = eval_into(c, c->point->x, sys->need, 0);
    if (status)
        return status;
    if (isnan(missing->block[row])) {
        dfl_system_trouble(sys, DFL_STEP_NONFINITE, "eval", c->point->t);
        sys->trouble.matrix = missing->matrix;
        sys->trouble.kind = missing->kind;
        sys->trouble.index = row % missing->rows;
        if (missing->kind == DFL_ROW_GI && sys->trouble.index >= sys->eom->nl) { /* in W */
            sys->trouble.kind = DFL_ROW_HV;
            sys->trouble.index -= sys->eom->nl;
        }
        return dfl_check_cannot(c);
    }
    entry_name(name, sizeof name, sys->eom, missing, row);
    return dfl_fail(sys->ctx, DFL_INVALID,
                    "self-check: eval was asked for %s but did not write %s%s",
                    flag_name(missing->flag), name, dfl_check_where(c));
}

/* The first entry of the blocks in `flags` that is not the one in `full`, up to rounding. */
static bool find_change(part *p, int *entry, double *before, const dfl_check *c, unsigned flags)
{
    part parts[PARTS];
    const int count = parts_of(parts, c->sys, &c->work->blocks);
    const double *full = c->full;
    for (int k = 0; k < count; full += parts[k].rows * parts[k].columns, k++) {
        const double largest = dfl_max_abs(full, parts[k].rows * parts[k].columns);
        for (int i = 0; parts[k].flag & flags && i < parts[k].rows * parts[k].columns; i++)
            if (!(fabs(parts[k].block[i] - full[i]) <= 1e-12 * largest)) {
                *p = parts[k];
                *entry = i;
                *before = full[i];
                return true;
            }
    }
    return false;
}

dfl_status dfl_check_flags(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    dfl_status status = DFL_OK;
    part p;
    int i;
    double full;
    char name[2 * DFL_CHECK_NAME + 8];
    for (unsigned flag = 1; !status && flag < DFL_EVERYTHING; flag <<= 1) {
        if (!(flag & sys->need))
            continue;
        status = eval_into(c, c->point->x, flag, NAN);
        if (status || !find_change(&p, &i, &full, c, flag))
            continue;
        entry_name(name, sizeof name, sys->eom, &p, i);
        if (isnan(p.block[i]))
            return dfl_fail(sys->ctx, DFL_INVALID,
                            "self-check: with need = %s alone eval does not write %s: test the "
                            "flags with &%s",
                            flag_name(flag), name, dfl_check_where(c));
        return dfl_fail(sys->ctx, DFL_INVALID,
                        "self-check: with need = %s alone eval writes %s = %.8g, together with "
                        "other flags %.8g: test the flags with &%s",
                        flag_name(flag), name, p.block[i], full, dfl_check_where(c));
    }
    return status;
}

/* The first row of A K0 (A m x nv, leading dimension lda) that does not vanish compared with its
   largest terms, or -1. */
static int row_not_held(const dfl_check *c, const double *A, int lda, int m)
{
    const dfl_eom *eom = c->sys->eom;
    const double *K0 = c->point->blocks.K0;
    const int nv = eom->nv;
    const double direction = dfl_max_abs(K0, eom->n0 * nv);
    double entry = 0;
    for (int j = 0; j < nv; j++)
        entry = fmax(entry, dfl_max_abs(A + (size_t)j * (size_t)lda, m));
    for (int i = 0; i < m; i++)
        for (int k = 0; k < eom->n0; k++) {
            double sum = 0;
            for (int j = 0; j < nv; j++)
                sum += A[(size_t)j * (size_t)lda + (size_t)i] * K0[k * nv + j];
            if (!(fabs(sum) <= 1e-8 * entry * direction))
                return i;
        }
    return -1;
}

/* gam compared with K0^T f; constraint forces do not matter, since W K0 = 0. In equilibrium both
   are rounding. */
static dfl_status check_massless_rows(dfl_check *c)
{
    const dfl_eom *eom = c->sys->eom;
    const dfl_blocks *b = &c->point->blocks;
    char name[DFL_CHECK_NAME];
    for (int k = 0; k < eom->n0; k++) {
        double sum = 0, terms = fabs(b->gam[k]);
        for (int j = 0; j < eom->nv; j++) {
            sum += b->K0[k * eom->nv + j] * b->f[j];
            terms += fabs(b->K0[k * eom->nv + j] * b->f[j]);
        }
        if (fabs(b->gam[k] - sum) <= 1e-8 * terms)
            continue;
        dfl_eom_name(name, sizeof name, eom, DFL_ROW_GAM, k);
        return dfl_fail(c->sys->ctx, DFL_INVALID, "self-check: %s = %.6g, but K0^T f is %.6g", name,
                        b->gam[k], sum);
    }
    return DFL_OK;
}

/* M K0 = 0 and W K0 = 0 at x0, and gam = K0^T f at states moved from there. */
dfl_status dfl_check_massless(dfl_check *c)
{
    dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    const dfl_blocks *b = &c->point->blocks;
    const int nv = eom->nv;
    char name[DFL_CHECK_NAME];
    if (eom->n0 == 0)
        return DFL_OK;
    if (c->moved)
        return eom->residual ? DFL_OK : check_massless_rows(c);
    double *M = dfl_alloc(sys->ctx, (size_t)nv * (size_t)nv, sizeof *M);
    if (!M)
        return DFL_NO_MEMORY;
    const dfl_outcome outcome = dfl_system_mass(M, sys, c->point->t, c->point->x + sys->na);
    for (int i = nv - 1; sys->mass.diagonal && i > 0; i--) { /* as a matrix */
        M[i * nv + i] = M[i];
        M[i] = 0;
    }
    const int heavy = outcome ? -1 : row_not_held(c, M, nv, nv);
    const int held = row_not_held(c, b->W, sys->nc, sys->nc);
    dfl_free(sys->ctx, M);
    if (outcome)
        return dfl_check_cannot(c);
    if (heavy >= 0) {
        dfl_eom_name(name, sizeof name, eom, DFL_ROW_F, heavy);
        return dfl_fail(sys->ctx, DFL_INVALID,
                        "self-check: M K0 does not vanish in row %s: K0 must span directions "
                        "without mass",
                        name);
    }
    if (held >= 0) {
        dfl_check_constraint_name(name, sizeof name, eom, DFL_ROW_GI, held);
        return dfl_fail(sys->ctx, DFL_INVALID,
                        "self-check: W K0 does not vanish in row %s: leave directions that "
                        "constraints hold out of K0",
                        name);
    }
    return DFL_OK;
}

/* Whether the residual at fixed a differs at x. */
static dfl_status residual_changes(bool *changed, int *row, dfl_check *c, const double *x)
{
    const dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    double *before = sys->scratch.seed, *after = sys->scratch.product;
    int rc = eom->residual(before, c->point->t, c->point->x + sys->na, c->a, eom->user);
    if (!rc)
        rc = eom->residual(after, c->point->t, x + sys->na, c->a, eom->user);
    if (rc)
        return dfl_check_callback_failed(c, rc, "residual");
    const double largest = dfl_max_abs(before, eom->nv);
    for (int i = 0; !*changed && i < eom->nv; i++)
        if (!(fabs(after[i] - before[i]) <= 1e-12 * largest))
            *changed = true, *row = i;
    return DFL_OK;
}

/* f, b, d with each multiplier moved, if the model says that they do not depend on them. */
dfl_status dfl_check_multipliers(dfl_check *c)
{
    dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    const unsigned flags = DFL_FORCE | DFL_DYNAMIC | DFL_AUXILIARY;
    double *x = c->xp, before = 0;
    part p = {.kind = DFL_ROW_F, .rows = 1};
    char row[2 * DFL_CHECK_NAME + 8], variable[2 * DFL_CHECK_NAME + 8];
    if (!eom->forces_free_of_multipliers || sys->geoms)
        return DFL_OK;
    memcpy(x, c->point->x, (size_t)sys->n * sizeof *x);
    for (int j = 0, i = 0, index; j < sys->nc; j++) {
        double *l = x + sys->at.l + j;
        *l += 0.1 * (1 + fabs(*l));
        dfl_status status = eval_into(c, x, flags & sys->need, NAN);
        if (status)
            return status;
        bool changed = find_change(&p, &i, &before, c, flags);
        if (!changed && eom->residual) {
            status = residual_changes(&changed, &i, c, x);
            p = (part){.kind = DFL_ROW_F, .rows = eom->nv};
        }
        if (status)
            return status;
        *l = c->point->x[sys->at.l + j];
        if (!changed)
            continue;
        entry_name(row, sizeof row, eom, &p, i);
        const dfl_kind kind = dfl_system_variable_kind(sys, sys->at.l + j, &index);
        dfl_eom_name(variable, sizeof variable, eom, kind, index);
        return dfl_fail(sys->ctx, DFL_INVALID,
                        "self-check: forces_free_of_multipliers is set, but %s changes with %s%s",
                        row, variable, dfl_check_where(c));
    }
    return DFL_OK;
}
