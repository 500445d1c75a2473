/* The general form as plain data: layout, checks of a description, names for messages. */
#include "eom/eom.h"

#include <stdio.h>

enum { MOST = 100000 }; /* of every size: no sum of sizes overflows */

static bool sizes_are_possible(const dfl_eom *eom);

dfl_layout dfl_eom_layout(const dfl_eom *eom)
{
    dfl_layout at = {0};
    if (!sizes_are_possible(eom))
        return (dfl_layout){-1, -1, -1, -1, -1, -1, -1, -1};
    at.lambda = at.w + eom->nw;
    at.mu = at.lambda + eom->nl;
    at.r = at.mu + eom->nm;
    at.v = at.r + eom->nr;
    at.s = at.v + eom->nv;
    at.p = at.s + eom->ns;
    at.n = at.p + eom->np;
    return at;
}

int dfl_eom_unknowns(const dfl_eom *eom)
{
    return dfl_eom_layout(eom).n;
}

static bool sizes_are_possible(const dfl_eom *eom)
{
    const int size[] = {eom->np, eom->nv, eom->nr, eom->nw, eom->ns, eom->nl, eom->nm};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (size[i] < 0 || size[i] > MOST)
            return false;
    return true;
}

dfl_status dfl_eom_check_sizes(dfl_context *ctx, const dfl_eom *eom)
{
    const struct {
        const char *name;
        int value;
    } size[] = {{"np", eom->np},   {"nv", eom->nv}, {"nr", eom->nr}, {"nw", eom->nw},
                {"ns", eom->ns},   {"nl", eom->nl}, {"nm", eom->nm}, {"ne", eom->ne},
                {"nep", eom->nep}, {"n0", eom->n0}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (size[i].value < 0 || size[i].value > MOST)
            return dfl_fail(ctx, DFL_INVALID, "%s is %d; sizes lie between 0 and %d", size[i].name,
                            size[i].value, MOST);
    if (dfl_eom_unknowns(eom) == 0 && !eom->only_time) /* sizes that were forgotten */
        return dfl_fail(ctx, DFL_INVALID, "the model has no unknowns; set np, nv, ...");
    if (eom->nl + eom->nm > 0 && eom->nv == 0)
        return dfl_fail(ctx, DFL_INVALID, "there are constraints but no velocities (nv = 0)");
    if (eom->ne + eom->n0 > 0 && eom->nv == 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "there are invariants e or massless rows (ne, n0) but no velocities "
                        "(nv = 0)");
    if (eom->nep > 0 && eom->np + eom->ns == 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "there are invariants ep (nep) but no positions (np = ns = 0)");
    return DFL_OK;
}

/* Whether `count` entries from `first` on lie within `n`. */
static bool within(int first, int count, int n)
{
    return first >= 0 && count >= 0 && first <= n && count <= n - first;
}

static dfl_status check_pattern(dfl_context *ctx, const dfl_eom *eom)
{
    const dfl_pattern *pat = eom->structure->pattern;
    const int n = dfl_eom_unknowns(eom);
    const int rows = eom->nw + 2 * (eom->nl + eom->nm) + eom->ne + eom->n0 + eom->ns + eom->nl +
                     eom->nep + eom->nr + eom->nv + eom->np;
    if (!pat->column_start || pat->column_start[0] != 0)
        return dfl_fail(ctx, DFL_INVALID, "pattern: column_start must begin with 0");
    for (int j = 0; j < n; j++) {
        const int from = pat->column_start[j], to = pat->column_start[j + 1];
        if (to < from)
            return dfl_fail(ctx, DFL_INVALID,
                            "pattern: column %d ends at %d before it begins at %d", j, to, from);
        if (to > from && !pat->row)
            return dfl_fail(ctx, DFL_INVALID, "pattern: row is NULL, column %d has entries", j);
        for (int k = from; k < to; k++) {
            if (pat->row[k] < 0 || pat->row[k] >= rows)
                return dfl_fail(ctx, DFL_INVALID, "pattern: column %d names row %d of %d", j,
                                pat->row[k], rows);
            if (k > from && pat->row[k] <= pat->row[k - 1])
                return dfl_fail(ctx, DFL_INVALID, "pattern: the rows of column %d do not ascend",
                                j);
        }
    }
    return DFL_OK;
}

static dfl_status check_structure(dfl_context *ctx, const dfl_eom *eom)
{
    const dfl_structure *st = eom->structure;
    if (!st)
        return DFL_OK;
    if (st->nbodies < 0 || (st->nbodies > 0 && !st->bodies))
        return dfl_fail(ctx, DFL_INVALID, "structure: nbodies is %d, bodies is %s", st->nbodies,
                        st->bodies ? "given" : "NULL");
    if (st->nblocks < 0 || (st->nblocks > 0 && !st->blocks))
        return dfl_fail(ctx, DFL_INVALID, "structure: nblocks is %d, blocks is %s", st->nblocks,
                        st->blocks ? "given" : "NULL");
    for (int i = 0; i < st->nbodies; i++) {
        const dfl_body *b = &st->bodies[i];
        if (!within(b->first_v, b->nv, eom->nv) || !within(b->first_p, b->np, eom->np))
            return dfl_fail(ctx, DFL_INVALID,
                            "body %d lies outside the %d velocities, %d positions", i, eom->nv,
                            eom->np);
    }
    for (int i = 0; i < st->nblocks; i++) {
        const dfl_constraint_block *b = &st->blocks[i];
        if (!within(b->first_row, b->rows, eom->nl + eom->nm))
            return dfl_fail(ctx, DFL_INVALID, "constraint block %d lies outside the %d rows", i,
                            eom->nl + eom->nm);
        if (b->nbodies < 0 || (b->nbodies > 0 && !b->bodies))
            return dfl_fail(ctx, DFL_INVALID, "constraint block %d: nbodies is %d, bodies is %s", i,
                            b->nbodies, b->bodies ? "given" : "NULL");
        for (int k = 0; k < b->nbodies; k++)
            if (b->bodies[k] < 0 || b->bodies[k] >= st->nbodies)
                return dfl_fail(ctx, DFL_INVALID, "constraint block %d names body %d of %d", i,
                                b->bodies[k], st->nbodies);
    }
    return st->pattern ? check_pattern(ctx, eom) : DFL_OK;
}

dfl_status dfl_eom_check(dfl_context *ctx, const dfl_eom *eom)
{
    dfl_status status = dfl_eom_check_sizes(ctx, eom);
    if (status)
        return status;
    if (!eom->eval)
        return dfl_fail(ctx, DFL_INVALID, "eom.eval is NULL; a model needs this callback");
    if (eom->contract != DFL_NATIVE && eom->contract != DFL_GEOMS)
        return dfl_fail(ctx, DFL_INVALID, "eom.contract has no value %d", (int)eom->contract);
    if (eom->mass_times && (eom->mass || eom->residual))
        return dfl_fail(ctx, DFL_INVALID,
                        "give only one of eom.mass_times, eom.residual and eom.mass (eom.mass may "
                        "accompany a residual)");
    if (eom->residual && eom->mass_diagonal)
        return dfl_fail(ctx, DFL_INVALID,
                        "give only one of eom.residual and mass_diagonal: with a residual, "
                        "eom.mass writes a whole matrix");
    if (eom->trivial_kinematics && eom->np != eom->nv)
        return dfl_fail(ctx, DFL_INVALID,
                        "trivial_kinematics means p' = v, but there are %d positions and %d "
                        "velocities",
                        eom->np, eom->nv);
    if (eom->mass_diagonal && !eom->mass)
        return dfl_fail(ctx, DFL_INVALID, "mass_diagonal needs the callback eom.mass");
    if (eom->contract == DFL_GEOMS && (eom->n0 > 0 || eom->residual))
        return dfl_fail(ctx, DFL_INVALID,
                        "massless rows and residuals need the native contract, not GEOMS's");
    if (eom->sparsity) {
        status = dfl_packed_check(ctx, eom);
        if (status)
            return status;
    }
    return check_structure(ctx, eom);
}

const char *dfl_kind_name(dfl_kind kind)
{
    static const char *const letters[] = {[DFL_KIND_W] = "w",    [DFL_KIND_LAMBDA] = "lambda",
                                          [DFL_KIND_MU] = "mu",  [DFL_KIND_R] = "r",
                                          [DFL_KIND_V] = "v",    [DFL_KIND_S] = "s",
                                          [DFL_KIND_P] = "p",    [DFL_ROW_D] = "d",
                                          [DFL_ROW_GII] = "gII", [DFL_ROW_HI] = "hI",
                                          [DFL_ROW_GI] = "gI",   [DFL_ROW_HV] = "hv",
                                          [DFL_ROW_E] = "e",     [DFL_ROW_GAM] = "gam",
                                          [DFL_ROW_C] = "c",     [DFL_ROW_G] = "g",
                                          [DFL_ROW_EP] = "ep",   [DFL_ROW_B] = "b",
                                          [DFL_ROW_F] = "f",     [DFL_ROW_KIN] = "kin"};
    return letters[kind];
}

void dfl_eom_name(char *text, size_t size, const dfl_eom *eom, dfl_kind kind, int index)
{
    const char *name = eom->name ? eom->name(kind, index, eom->user) : NULL;
    if (name)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%s[%d]", dfl_kind_name(kind), index);
}
