/* problem.c: the struct `problem`: sizes, flags, names, structure; fields as in dfl_eom. */
#include "geoms_mex.h"

#include <stdio.h>

static dfl_status read_mass(geoms_run *run);
static dfl_status read_names(geoms_run *run);
static dfl_status read_name_list(geoms_run *run, int kind, const char *field, const mxArray *list);
static dfl_status read_bodies(geoms_run *run);
static dfl_status read_pattern(geoms_run *run);

#define AT(field) offsetof(geoms_run, field)
static const char *const contracts[] = {"native", "geoms", NULL};
static const gateway_field fields[] = {
    {"np", GATEWAY_COUNT, AT(eom.np), NULL}, /* the sizes come first */
    {"nv", GATEWAY_COUNT, AT(eom.nv), NULL},
    {"nr", GATEWAY_COUNT, AT(eom.nr), NULL},
    {"nw", GATEWAY_COUNT, AT(eom.nw), NULL},
    {"ns", GATEWAY_COUNT, AT(eom.ns), NULL},
    {"nl", GATEWAY_COUNT, AT(eom.nl), NULL},
    {"nm", GATEWAY_COUNT, AT(eom.nm), NULL},
    {"ne", GATEWAY_COUNT, AT(eom.ne), NULL},
    {"nep", GATEWAY_COUNT, AT(eom.nep), NULL},
    {"n0", GATEWAY_COUNT, AT(eom.n0), NULL},
    {"eval", GATEWAY_FUNCTION, AT(given.eval), NULL},
    {"mass", GATEWAY_VALUE, AT(given.mass), NULL},
    {"mass_times", GATEWAY_FUNCTION, AT(given.mass_times), NULL},
    {"residual", GATEWAY_FUNCTION, AT(given.residual), NULL},
    {"jacobian", GATEWAY_FUNCTION, AT(given.jacobian), NULL},
    {"contract", GATEWAY_CHOICE, AT(eom.contract), contracts},
    {"mass_diagonal", GATEWAY_FLAG, AT(eom.mass_diagonal), NULL},
    {"mass_constant", GATEWAY_FLAG, AT(eom.mass_constant), NULL},
    {"trivial_kinematics", GATEWAY_FLAG, AT(eom.trivial_kinematics), NULL},
    {"autonomous", GATEWAY_FLAG, AT(eom.autonomous), NULL},
    {"no_bias", GATEWAY_FLAG, AT(eom.no_bias), NULL},
    {"forces_free_of_multipliers", GATEWAY_FLAG, AT(eom.forces_free_of_multipliers), NULL},
    {"names", GATEWAY_VALUE, AT(given.names), NULL},
    {"bodies", GATEWAY_VALUE, AT(given.bodies), NULL},
    {"pattern", GATEWAY_VALUE, AT(given.pattern), NULL}};

static const char *name_of(dfl_kind kind, int index, void *user);

dfl_status geoms_read_problem(geoms_run *run, const mxArray *problem)
{
    const int most = 100000;
    dfl_context *ctx = run->gw.ctx;
    dfl_status status =
        gateway_read(run, ctx, problem, "problem", fields, (int)(sizeof fields / sizeof *fields));
    const dfl_eom *eom = &run->eom;
    const int sizes[] = {eom->np, eom->nv, eom->nr, eom->nw,  eom->ns,
                         eom->nl, eom->nm, eom->ne, eom->nep, eom->n0};
    for (int i = 0; !status && i < (int)(sizeof sizes / sizeof *sizes); i++)
        if (sizes[i] < 0 || sizes[i] > most)
            status = dfl_fail(ctx, DFL_INVALID, "problem.%s is %d; choose it between 0 and %d",
                              fields[i].name, sizes[i], most);
    if (!status && !run->given.eval)
        status = dfl_fail(ctx, DFL_INVALID,
                          "problem.eval is missing; give the equations as @(t, x) ...");
    if (!status)
        status = read_mass(run);
    if (!status)
        status = read_names(run);
    if (!status)
        status = read_bodies(run);
    if (!status)
        status = read_pattern(run);
    run->n = dfl_eom_unknowns(&run->eom);
    run->eom.name = name_of;
    return status;
}

/* A matrix or the vector of its diagonal is constant; a function says with mass_diagonal what it
   gives. */
static dfl_status read_mass(geoms_run *run)
{
    const mxArray *mass = run->given.mass;
    const size_t nv = (size_t)run->eom.nv;
    if (!mass || gateway_is_function(mass))
        return DFL_OK;
    const bool full = gateway_is_numeric(mass) && mxGetM(mass) == nv && mxGetN(mass) == nv;
    const bool diagonal = gateway_is_numeric(mass) && mxGetM(mass) * mxGetN(mass) == nv &&
                          (mxGetM(mass) == 1 || mxGetN(mass) == 1);
    if (!full && !diagonal)
        return dfl_fail(run->gw.ctx, DFL_INVALID,
                        "problem.mass must be a matrix of %zu x %zu, the vector of its diagonal, "
                        "or a function handle @(t, x)",
                        nv, nv);
    run->eom.mass_constant = true;
    run->eom.mass_diagonal = diagonal && nv > 1;
    return DFL_OK;
}

/* problem.names: a struct of cell arrays, names.p = {'x', 'y'}, names.g = {'rod'}. */
static dfl_status read_names(geoms_run *run)
{
    gateway_field lists[GEOMS_KINDS];
    const mxArray *list[GEOMS_KINDS] = {NULL};
    if (!run->given.names)
        return DFL_OK;
    for (int i = 0; i < GEOMS_KINDS; i++)
        lists[i] = (gateway_field){dfl_kind_name((dfl_kind)i), GATEWAY_VALUE,
                                   (size_t)i * sizeof *list, NULL};
    dfl_status status =
        gateway_read(list, run->gw.ctx, run->given.names, "problem.names", lists, GEOMS_KINDS);
    for (int i = 0; !status && i < GEOMS_KINDS; i++)
        if (list[i])
            status = read_name_list(run, i, dfl_kind_name((dfl_kind)i), list[i]);
    return status;
}

static dfl_status read_name_list(geoms_run *run, int kind, const char *field, const mxArray *list)
{
    const int count = (int)mxGetNumberOfElements(list);
    bool good = mxIsCell(list);
    run->names[kind] = good ? dfl_alloc(run->gw.ctx, (size_t)count, sizeof(char *)) : NULL;
    for (int i = 0; good && i < count; i++) {
        const mxArray *word = mxGetCell(list, (mwIndex)i);
        good = word && mxIsChar(word);
        run->names[kind][i] = good ? mxArrayToString(word) : NULL;
    }
    run->nnames[kind] = good ? count : 0;
    return good ? DFL_OK
                : dfl_fail(run->gw.ctx, DFL_INVALID,
                           "problem.names.%s must be a cell array of texts, {'x', 'y'}", field);
}

/* Names count from one here: g(1), not the g[0] of C. */
static const char *name_of(dfl_kind kind, int index, void *user)
{
    geoms_run *run = user;
    if (index < run->nnames[kind])
        return run->names[kind][index];
    snprintf(run->name, sizeof run->name, "%s(%d)", dfl_kind_name(kind), index + 1);
    return run->name;
}

/* problem.bodies: a struct array; numbers count from one. */
static dfl_status read_bodies(geoms_run *run)
{
    static const gateway_field parts[] = {
        {"first_v", GATEWAY_COUNT, offsetof(dfl_body, first_v), NULL},
        {"nv", GATEWAY_COUNT, offsetof(dfl_body, nv), NULL},
        {"first_p", GATEWAY_COUNT, offsetof(dfl_body, first_p), NULL},
        {"np", GATEWAY_COUNT, offsetof(dfl_body, np), NULL}};
    const mxArray *given = run->given.bodies;
    if (!given)
        return DFL_OK;
    if (!mxIsStruct(given))
        return dfl_fail(run->gw.ctx, DFL_INVALID,
                        "problem.bodies must be an array of structs with first_v, nv, first_p, np");
    const int count = (int)mxGetNumberOfElements(given);
    dfl_body *bodies = dfl_alloc(run->gw.ctx, (size_t)count, sizeof *bodies);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < count; i++) {
        mxArray *one = gateway_element(given, i);
        status = gateway_read(&bodies[i], run->gw.ctx, one, "problem.bodies", parts, 4);
        bodies[i].first_v--;
        bodies[i].first_p--;
        mxDestroyArray(one);
    }
    run->structure.nbodies = count;
    run->structure.bodies = bodies;
    run->eom.structure = &run->structure;
    return status;
}

/* problem.pattern: a sparse matrix with the nonzeros of the stacked derivatives. */
static dfl_status read_pattern(geoms_run *run)
{
    const mxArray *given = run->given.pattern;
    if (!given)
        return DFL_OK;
    const size_t n = (size_t)dfl_eom_unknowns(&run->eom);
    if (!mxIsSparse(given) || mxGetN(given) != n)
        return dfl_fail(run->gw.ctx, DFL_INVALID,
                        "problem.pattern must be a sparse matrix with %zu columns, one per unknown",
                        n);
    const mwIndex *start = mxGetJc(given), *row = mxGetIr(given);
    int *starts = dfl_alloc(run->gw.ctx, n + 1, sizeof *starts);
    int *rows = dfl_alloc(run->gw.ctx, (size_t)start[n], sizeof *rows);
    if (!starts || !rows)
        return DFL_NO_MEMORY;
    for (size_t i = 0; i <= n; i++)
        starts[i] = (int)start[i];
    for (size_t i = 0; i < (size_t)start[n]; i++)
        rows[i] = (int)row[i];
    run->pattern = (dfl_pattern){starts, rows};
    run->structure.pattern = &run->pattern;
    run->eom.structure = &run->structure;
    return DFL_OK;
}
