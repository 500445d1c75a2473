/* kinds.c: which unknowns have the same unit, and how large they are.

   Terms of a sum have one unit, so do energies, and arguments of functions such as sin have none.
   Each symbol has an unknown logarithm of its unit; what an expression has is a linear form of
   them, and every sum, energy and force gives equations between such forms. Two unknowns have the
   same unit if the equations demand it. Numbers in a script may hide a unit: sums do not conclude
   anything from terms that are mere numbers, nor from factors other than simple fractions. */
#include "derive/derive_internal.h"

#include <math.h>
#include <string.h>

enum { MOST_UNITS = 16, MOST_NUMBERS = 2000000 };

typedef struct units {
    const dfl_equations *eq;
    int n;        /* logarithms: of the symbols, of the energy, of declared units */
    double *rows; /* n x n: row i, if used, has its first entry, 1, in column i */
    bool *used;
    double *equation; /* n: the present one */
    dfl_part part;
    double *form; /* n per node */
    bool *open;   /* per node: nothing is known of its unit */
    const char *name[MOST_UNITS];
    int nnames;
    bool related; /* all expressions are, and not too many */
} units;

static dfl_status read_expressions(units *u);
static void read_nodes(units *u);
static void relate_declarations(units *u);
static void relate_units(units *u);
static dfl_status number_kinds(dfl_kinds *out, units *u);

static int energy_of(const units *u)
{
    return u->eq->graph->nsymbols;
}

dfl_status dfl_kinds_create(dfl_kinds *out, const dfl_equations *eq)
{
    dfl_context *ctx = eq->model->ctx;
    units u = {.eq = eq, .n = eq->graph->nsymbols + 1 + MOST_UNITS};
    const size_t n = (size_t)u.n;
    *out = (dfl_kinds){.ctx = ctx};
    out->kind = dfl_alloc(ctx, (size_t)eq->n, sizeof *out->kind);
    out->size = dfl_alloc(ctx, (size_t)eq->n, sizeof *out->size);
    out->sizes = (dfl_sizes){out->kind, out->size};
    for (int i = 0; out->kind && i < eq->n; i++)
        out->kind[i] = DFL_NO_KIND;
    dfl_status status = out->kind && out->size ? DFL_OK : DFL_NO_MEMORY;
    if (!status && n * n <= MOST_NUMBERS) {
        u.rows = dfl_alloc(ctx, n * n, sizeof *u.rows);
        u.used = dfl_alloc(ctx, n, sizeof *u.used);
        u.equation = dfl_alloc(ctx, n, sizeof *u.equation);
        status = u.rows && u.used && u.equation ? DFL_OK : DFL_NO_MEMORY;
        if (!status)
            relate_units(&u);
        if (!status)
            status = read_expressions(&u);
        if (!status && u.related)
            status = number_kinds(out, &u);
    }
    if (!status && (!u.related || eq->placing))
        dfl_kinds_by_units(out, eq);
    dfl_free(ctx, u.rows);
    dfl_free(ctx, u.used);
    dfl_free(ctx, u.equation);
    if (status)
        dfl_kinds_clear(out);
    return status;
}

void dfl_kinds_clear(dfl_kinds *kinds)
{
    if (!kinds->ctx)
        return;
    dfl_free(kinds->ctx, kinds->kind);
    dfl_free(kinds->ctx, kinds->size);
    *kinds = (dfl_kinds){0};
}

/* ------------------------------------------------------------------------------- equations */

/* form := what the equations leave of it. */
static void reduce(double *form, const units *u)
{
    for (int i = 0; i < u->n; i++) {
        const double factor = fabs(form[i]) > 1e-9 ? form[i] : 0;
        form[i] = factor;
        for (int j = i; factor != 0 && u->used[i] && j < u->n; j++)
            form[j] -= factor * u->rows[(size_t)i * (size_t)u->n + (size_t)j];
    }
}

/* Adds u->equation = 0, and clears it. */
static void demand(units *u)
{
    double *equation = u->equation;
    int first = 0;
    reduce(equation, u);
    while (first < u->n && fabs(equation[first]) <= 1e-9)
        first++;
    for (int j = first; first < u->n && j < u->n; j++)
        u->rows[(size_t)first * (size_t)u->n + (size_t)j] = equation[j] / equation[first];
    if (first < u->n)
        u->used[first] = true;
    memset(equation, 0, (size_t)u->n * sizeof *equation);
}

static int number_of(const units *u, dfl_expr symbol)
{
    return (int)dfl_node_of(u->eq->graph, symbol)->a;
}

static int time_of(const units *u)
{
    for (int i = 0; i < u->eq->graph->nsymbols; i++)
        if (u->eq->graph->symbols[i].kind == DFL_SYM_TIME)
            return i;
    return energy_of(u) + MOST_UNITS; /* never used: as good as a unit of its own */
}

/* The number of a declared unit; -1: there are too many. */
static int unit_number(units *u, const char *name, size_t length)
{
    for (int i = 0; i < u->nnames; i++)
        if (strlen(u->name[i]) >= length && !strncmp(u->name[i], name, length) &&
            (u->name[i][length] == 0 || !strcmp(u->name[i] + length, "/s")))
            return energy_of(u) + 1 + i;
    if (u->nnames == MOST_UNITS - 1)
        return -1;
    u->name[u->nnames] = name;
    return energy_of(u) + 1 + u->nnames++;
}

/* The units that declarations of unknowns have: of velocities "m/s", of angles "rad". */
static void relate_units(units *u)
{
    const dfl_model *model = u->eq->model;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        const bool unknown = decl->kind == DFL_A_POSITION || decl->kind == DFL_A_SPEED ||
                             decl->kind == DFL_A_DYNAMIC || decl->kind == DFL_AN_AUXILIARY ||
                             decl->kind == DFL_A_CONTACT;
        if (!unknown || !decl->unit || !decl->unit[0])
            continue;
        const size_t length = strlen(decl->unit);
        const bool rate = length > 2 && !strcmp(decl->unit + length - 2, "/s");
        const size_t base = rate ? length - 2 : length;
        const bool none =
            (base == 3 && !strncmp(decl->unit, "rad", 3)) || (base == 1 && decl->unit[0] == '1');
        const int number = none ? -1 : unit_number(u, decl->unit, base);
        if (!none && number < 0)
            continue;
        u->equation[number_of(u, decl->symbol)] = 1;
        if (!none)
            u->equation[number] = -1;
        if (rate)
            u->equation[time_of(u)] = 1;
        demand(u);
    }
}

/* ------------------------------------------------------------------------------- expressions */

static double *form_at(const units *u, uint32_t place)
{
    return u->form + (size_t)place * (size_t)u->n;
}

/* Whether the unit of an expression of the model is known; then u->equation += factor unit. */
static bool take(units *u, dfl_expr expr, double factor)
{
    const uint32_t place = dfl_part_place(&u->part, expr);
    if (place == DFL_NO_EXPR || u->open[place])
        return false;
    for (int j = 0; j < u->n; j++)
        u->equation[j] += factor * form_at(u, place)[j];
    return true;
}

static void forget(units *u)
{
    memset(u->equation, 0, (size_t)u->n * sizeof *u->equation);
}

/* All expressions of the model from which equations come. */
static dfl_status read_expressions(units *u)
{
    const dfl_model *model = u->eq->model;
    dfl_context *ctx = model->ctx;
    const dfl_energies *energy = &model->energy;
    const size_t room =
        4 + (size_t)(model->masses.count + model->forces.count + model->declarations.count);
    dfl_expr *roots = dfl_alloc(ctx, room, sizeof *roots);
    int n = 0;
    if (!roots)
        return DFL_NO_MEMORY;
    const dfl_expr energies[] = {energy->kinetic, energy->potential, energy->stored,
                                 energy->driven};
    for (int i = 0; i < 4; i++)
        if (energies[i] != DFL_NO_EXPR)
            roots[n++] = energies[i];
    for (int i = 0; i < model->masses.count; i++)
        roots[n++] = model->masses.item[i].expr;
    for (int i = 0; i < model->forces.count; i++)
        roots[n++] = model->forces.item[i].expr;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        if (decl->expr != DFL_NO_EXPR && decl->kind != DFL_AN_OUTPUT && decl->kind != DFL_AN_EVENT)
            roots[n++] = decl->expr;
    }
    dfl_status status = n > 0 ? dfl_part_create(&u->part, u->eq->graph, roots, n) : DFL_OK;
    const size_t count = status ? 0 : u->part.count;
    u->related = count * (size_t)u->n <= MOST_NUMBERS;
    if (count > 0 && u->related) {
        u->form = dfl_alloc(ctx, count * (size_t)u->n, sizeof *u->form);
        u->open = dfl_alloc(ctx, count, sizeof *u->open);
        status = u->form && u->open ? DFL_OK : DFL_NO_MEMORY;
        if (!status) {
            read_nodes(u);
            relate_declarations(u);
        }
    }
    dfl_free(ctx, u->form);
    dfl_free(ctx, u->open);
    dfl_part_clear(&u->part);
    dfl_free(ctx, roots);
    return status;
}

/* Small fractions are factors of formulas; other numbers may be quantities. */
static bool is_fraction(double value)
{
    for (int q = 1; q <= 12; q++)
        if (fabs(value * q) <= 12 && value != 0 && fabs(value * q - round(value * q)) < 1e-12)
            return true;
    return false;
}

static bool is_number(const units *u, uint32_t place)
{
    const double *form = form_at(u, place);
    for (int j = 0; j < u->n; j++)
        if (form[j] != 0)
            return false;
    return true;
}

/* The operand has no unit. */
static void demand_number(units *u, uint32_t place)
{
    if (u->open[place])
        return;
    memcpy(u->equation, form_at(u, place), (size_t)u->n * sizeof(double));
    demand(u);
}

/* Node `to` is a sum, or one of several things, of operands a and b. */
static void add_terms(units *u, uint32_t to, uint32_t a, uint32_t b)
{
    const bool vague_a = u->open[a] || is_number(u, a), vague_b = u->open[b] || is_number(u, b);
    if (!vague_a && !vague_b) {
        for (int j = 0; j < u->n; j++)
            u->equation[j] = form_at(u, a)[j] - form_at(u, b)[j];
        demand(u);
    }
    const uint32_t known = vague_a ? b : a;
    u->open[to] = u->open[known];
    memcpy(form_at(u, to), form_at(u, known), (size_t)u->n * sizeof(double));
}

/* form(to) = of_a form(a) + of_b form(b) */
static void combine(units *u, uint32_t to, uint32_t a, double of_a, uint32_t b, double of_b)
{
    u->open[to] = (of_a != 0 && u->open[a]) || (of_b != 0 && u->open[b]);
    for (int j = 0; j < u->n; j++)
        form_at(u, to)[j] = of_a * form_at(u, a)[j] + of_b * form_at(u, b)[j];
}

static void read_power(units *u, uint32_t to, const dfl_node *node)
{
    const dfl_node *exponent = &u->part.node[node->b];
    if (exponent->op == DFL_OP_CONSTANT)
        combine(u, to, node->a, u->eq->graph->constants[exponent->a], node->a, 0);
    else {
        demand_number(u, node->b);
        u->open[to] = true;
    }
}

static void read_node(units *u, uint32_t i)
{
    const dfl_node *node = &u->part.node[i];
    switch ((dfl_op)node->op) {
    case DFL_OP_CONSTANT:
        u->open[i] = !is_fraction(u->eq->graph->constants[node->a]);
        break;
    case DFL_OP_SYMBOL:
        form_at(u, i)[node->a] = 1;
        break;
    case DFL_OP_NEG:
    case DFL_OP_ABS:
        combine(u, i, node->a, 1, node->a, 0);
        break;
    case DFL_OP_SQ:
        combine(u, i, node->a, 2, node->a, 0);
        break;
    case DFL_OP_SQRT:
        combine(u, i, node->a, 0.5, node->a, 0);
        break;
    case DFL_OP_SIGN:
        break;
    case DFL_OP_SPLINE:
        u->open[i] = true;
        break;
    case DFL_OP_MUL:
        combine(u, i, node->a, 1, node->b, 1);
        break;
    case DFL_OP_DIV:
        combine(u, i, node->a, 1, node->b, -1);
        break;
    case DFL_OP_POW:
        read_power(u, i, node);
        break;
    case DFL_OP_ADD:
    case DFL_OP_SUB:
    case DFL_OP_MIN:
    case DFL_OP_MAX:
        add_terms(u, i, node->a, node->b);
        break;
    case DFL_OP_SELECT:
        add_terms(u, i, node->b, node->c);
        break;
    case DFL_OP_ATAN2:
        add_terms(u, i, node->a, node->b);
        memset(form_at(u, i), 0, (size_t)u->n * sizeof(double));
        u->open[i] = false;
        break;
    default: /* exp, sin, ... */
        demand_number(u, node->a);
    }
}

static void read_nodes(units *u)
{
    for (uint32_t i = 0; i < u->part.count; i++)
        read_node(u, i);
}

/* ------------------------------------------------------------------------------- declarations */

/* unit of expr + unit of `symbol` (or of nothing) + `per_time` times that of time = energy, if
   `energy`, else 0 */
static void relate(units *u, dfl_expr expr, double of_expr, dfl_expr symbol, double per_time,
                   bool energy)
{
    if (expr == DFL_NO_EXPR || !take(u, expr, of_expr)) {
        forget(u);
        return;
    }
    if (symbol != DFL_NO_EXPR)
        u->equation[number_of(u, symbol)] += 1;
    u->equation[time_of(u)] += per_time;
    u->equation[energy_of(u)] -= energy;
    demand(u);
}

static void relate_declaration(units *u, const dfl_declaration *decl)
{
    switch (decl->kind) {
    case DFL_A_POSITION: /* p' = expr, or the velocity itself */
        if (decl->expr != DFL_NO_EXPR)
            relate(u, decl->expr, -1, decl->symbol, -1, false);
        else {
            u->equation[number_of(u, decl->symbol)] = 1;
            u->equation[number_of(u, decl->velocity)] = -1;
            u->equation[time_of(u)] = -1;
            demand(u);
        }
        break;
    case DFL_A_DYNAMIC:
        relate(u, decl->expr, -1, decl->symbol, -1, false);
        break;
    case DFL_A_CONSTRAINT:
        relate(u, decl->expr, 1, decl->symbol, 0, true);
        break;
    case DFL_A_NONHOLONOMIC:
        relate(u, decl->expr, 1, decl->symbol, 1, true);
        break;
    default:
        break;
    }
}

/* Force times velocity is energy per time. */
static void relate_declarations(units *u)
{
    const dfl_model *model = u->eq->model;
    const dfl_energies *energy = &model->energy;
    for (int i = 0; i < model->declarations.count; i++)
        relate_declaration(u, &model->declarations.item[i]);
    relate(u, energy->kinetic, 1, DFL_NO_EXPR, 0, true);
    relate(u, energy->potential, 1, DFL_NO_EXPR, 0, true);
    relate(u, energy->stored, 1, DFL_NO_EXPR, 0, true);
    relate(u, energy->driven, 1, DFL_NO_EXPR, 0, true);
    for (int i = 0; i < model->forces.count; i++)
        relate(u, model->forces.item[i].expr, 1, model->forces.item[i].u, 1, true);
    for (int i = 0; i < model->masses.count; i++) {
        const dfl_contribution *m = &model->masses.item[i];
        if (take(u, m->expr, 1)) {
            u->equation[number_of(u, m->v)] += 1;
            relate(u, m->u, 1, DFL_NO_EXPR, 0, true);
        }
        forget(u);
    }
}

/* ------------------------------------------------------------------------------- kinds */

/* What the equations leave of the unit of a symbol, of a velocity times time. */
static void signature(double *out, const units *u, int symbol, bool rate)
{
    memset(out, 0, (size_t)u->n * sizeof *out);
    out[symbol] = 1;
    if (rate)
        out[time_of(u)] += 1;
    reduce(out, u);
}

static bool is_same(const double *a, const double *b, int n)
{
    for (int j = 0; j < n; j++)
        if (fabs(a[j] - b[j]) > 1e-9)
            return false;
    return true;
}

/* The smallest parameter with this unit; 0: there is none. */
static double smallest_parameter(const units *u, const double *unit, double *work)
{
    const dfl_model *model = u->eq->model;
    double smallest = 0;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        const double value = fabs(decl->value);
        if (decl->kind != DFL_A_PARAM || !(value > 0) || (smallest > 0 && value >= smallest))
            continue;
        signature(work, u, number_of(u, decl->symbol), false);
        if (is_same(work, unit, u->n))
            smallest = value;
    }
    return smallest;
}

/* A size of the model's own: 1 without unit, the length of a drawing, or a parameter if no initial
   value of the kind tells more. */
static double size_of(const units *u, const double *unit, double *work, bool started)
{
    const double length = u->eq->model->length;
    memset(work, 0, (size_t)u->n * sizeof *work);
    if (is_same(work, unit, u->n))
        return 1;
    for (int i = 0; i < u->nnames; i++)
        if (length > 0 && u->name[i][0] == 'm' && (!u->name[i][1] || !strcmp(u->name[i], "m/s"))) {
            signature(work, u, energy_of(u) + 1 + i, false);
            if (is_same(work, unit, u->n))
                return length;
        }
    return started ? 0 : smallest_parameter(u, unit, work);
}

/* Numbers the kinds of all unknowns but multipliers. */
static dfl_status number_kinds(dfl_kinds *out, units *u)
{
    const dfl_equations *eq = u->eq;
    dfl_context *ctx = eq->model->ctx;
    const int first = eq->nw + eq->nl + eq->nm, v = first + eq->nr, n = u->n;
    const size_t size = (size_t)n * (size_t)(eq->n + 2);
    double *unit = dfl_alloc(ctx, size, sizeof *unit),
           *x = dfl_alloc(ctx, (size_t)eq->n, sizeof *x);
    double *none = unit ? unit + (size_t)eq->n * (size_t)n : NULL;
    if (!unit || !x) {
        dfl_free(ctx, unit);
        dfl_free(ctx, x);
        return DFL_NO_MEMORY;
    }
    dfl_equations_given(x, NULL, eq);
    for (int i = 0; i < eq->n; i++) {
        double *own = unit + (size_t)i * (size_t)n;
        if (i >= eq->nw && i < first)
            continue;
        signature(own, u, number_of(u, eq->x[i].symbol), i >= v && i < v + eq->nv);
        out->kind[i] = is_same(own, none, n) ? DFL_KIND_ONE : i + 1;
        for (int k = 0; k < i && out->kind[i] == i + 1; k++)
            if ((k < eq->nw || k >= first) && is_same(own, unit + (size_t)k * (size_t)n, n))
                out->kind[i] = out->kind[k];
    }
    for (int i = 0; i < eq->n; i++) {
        bool started = false;
        if (out->kind[i] == DFL_NO_KIND)
            continue;
        for (int k = 0; k < eq->n; k++)
            started = started ||
                      (out->kind[k] == out->kind[i] && (k < v || k >= v + eq->nv) && x[k] != 0);
        out->size[i] = size_of(u, unit + (size_t)i * (size_t)n,
                               unit + (size_t)(eq->n + 1) * (size_t)n, started);
    }
    dfl_free(ctx, unit);
    dfl_free(ctx, x);
    return DFL_OK;
}
