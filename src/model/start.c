/* start.c: initial values, from what the script says to a consistent state.

   Invariants keep the value they have at the start, so they cannot help to find it: the values are
   completed without them first. */
#include "model/equations_internal.h"
#include "model/runnable_internal.h"

#include "context/text.h"
#include "linalg/linalg.h"
#include "model/diagnosis.h"
#include "model/null_space.h"
#include "symbolic/print.h"

#include <math.h>
#include <string.h>

/* A named place in the script. */
typedef struct part {
    const char *name;
    int line;
} part;

static dfl_status complete(double *x, dfl_runnable *run, const bool *held,
                           const dfl_solver_options *options, double t0);
static dfl_solver_options quiet(const dfl_solver_options *options);
static dfl_status explain(dfl_runnable *run, dfl_status status, double t, const double *x);
static dfl_status locate(dfl_runnable *run, dfl_status status, double t, const double *x);
static int line_of(const dfl_model *model, dfl_declared kind, int index);
static dfl_status explain_domain(dfl_runnable *run, dfl_status status, double t, const double *x);
static dfl_status blame(dfl_runnable *run, dfl_status status, dfl_expr expr, double argument);
static part part_behind(const dfl_runnable *run, dfl_expr expr);
static part part_containing(const dfl_runnable *run, dfl_expr expr);
static bool contains(const dfl_runnable *run, dfl_expr root, dfl_expr sought);
static dfl_status check_mass(dfl_runnable *run, double t, const double *x);
static bool is_regular(double *M, const dfl_equations *eq);
static dfl_status check_directions(dfl_runnable *run, double t, const double *x);
static dfl_status check_damping(dfl_runnable *run, double t, const double *x);
static dfl_status fail_damping(dfl_runnable *run, const double *direction);

void dfl_runnable_given(double *x, bool *held, const dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    memset(x, 0, (size_t)eq->n * sizeof *x);
    memset(held, 0, (size_t)eq->n * sizeof *held);
    for (int i = 0; i < eq->model->nstarts; i++) {
        const dfl_start_value *start = &eq->model->starts[i];
        const dfl_symbol *symbol = &eq->graph->symbols[dfl_node_of(eq->graph, start->symbol)->a];
        const int place = eq->slot[symbol->kind][symbol->index];
        if (place < 0)
            continue;
        x[place] = start->value;
        held[place] = start->held;
    }
}

dfl_status dfl_runnable_start(double *corrected, dfl_runnable *run, dfl_solver *solver,
                              const dfl_solver_options *options, double t0)
{
    const dfl_equations *eq = run->eq;
    double *x = dfl_alloc(run->ctx, (size_t)eq->n, sizeof *x);
    bool *held = dfl_alloc(run->ctx, (size_t)eq->n, sizeof *held);
    dfl_status status = x && held ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        dfl_runnable_given(x, held, run);
        status = complete(x, run, held, options, t0);
    }
    if (!status)
        status = check_mass(run, t0, x);
    if (!status && run->eq->energy != DFL_NO_EXPR && !isfinite(dfl_runnable_energy(run, t0, x)))
        status = explain_domain(run, DFL_NOT_FINITE, t0, x);
    if (!status) {
        dfl_runnable_set_levels(run, t0, x);
        status = dfl_solver_start(solver, t0, x, &(dfl_conditions){.held = held});
        if (status && status != DFL_STOPPED)
            status = explain(run, status, t0, x);
    }
    if (corrected && (!status || status == DFL_STOPPED))
        memcpy(corrected, dfl_solver_state(solver), (size_t)eq->n * sizeof *corrected);
    dfl_free(run->ctx, x);
    dfl_free(run->ctx, held);
    return status;
}

double dfl_runnable_predict(dfl_runnable *run, const dfl_solver_options *options, double t0,
                            double t_end)
{
    enum { TRIAL_STEPS = 25 };
    dfl_solver_options trial = quiet(options);
    trial.max_steps = TRIAL_STEPS;
    dfl_solver *solver = NULL;
    double predicted = 0.0;
    dfl_status status = dfl_solver_create(&solver, run->ctx, &run->eom, &trial);
    if (!status)
        status = dfl_runnable_start(NULL, run, solver, &trial, t0);
    if (!status) {
        status = dfl_solver_advance(solver, t_end);
        const double share = (dfl_solver_time(solver) - t0) / (t_end - t0);
        if ((!status || status == DFL_TOO_MANY_STEPS) && share > 0.0)
            predicted = (double)dfl_solver_statistics(solver).evaluations / share;
    }
    dfl_solver_free(solver);
    return predicted;
}

/* The nearest consistent state, by a solver that knows no invariants. */
static dfl_status complete(double *x, dfl_runnable *run, const bool *held,
                           const dfl_solver_options *options, double t0)
{
    const dfl_solver_options copy = quiet(options);
    dfl_solver *solver = NULL;
    dfl_status status = dfl_solver_create(&solver, run->ctx, &run->initial, &copy);
    if (!status) {
        status = dfl_solver_start(solver, t0, x, &(dfl_conditions){.held = held});
        if (status)
            status = explain(run, status, t0, x);
        else
            memcpy(x, dfl_solver_state(solver), (size_t)run->eq->n * sizeof *x);
    }
    dfl_solver_free(solver);
    return status;
}

/* The same tolerances and form, without outputs, events and messages. */
static dfl_solver_options quiet(const dfl_solver_options *options)
{
    dfl_solver_options copy = options ? *options : (dfl_solver_options){0};
    copy.on_step = NULL;
    copy.on_output = NULL;
    copy.nevents = 0;
    copy.event = NULL;
    copy.event_kinds = NULL;
    copy.on_event = NULL;
    copy.every = 0.0;
    copy.log = NULL;
    copy.user = NULL;
    return copy;
}

/* ------------------------------------------------------------------------------- messages */

/* Adds what only the model knows to the message of a failed start. */
static dfl_status explain(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    dfl_status better = DFL_OK;
    if (status == DFL_NOT_FINITE || status == DFL_CALLBACK)
        better = explain_domain(run, status, t, x);
    else if (status == DFL_SINGULAR)
        better = check_mass(run, t, x);
    else if (status == DFL_INCONSISTENT)
        better = locate(run, status, t, x);
    return better ? better : status;
}

/* Puts the file and line of the row that the given values violate most in front of the message; rows of
   positions come first, since the others build on them. */
static dfl_status locate(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    const struct {
        const dfl_expr *rows;
        int count;
        dfl_declared kind;
    } levels[] = {{eq->g, eq->nl, DFL_A_CONSTRAINT},
                  {eq->c, eq->ns, DFL_A_CONTACT},
                  {eq->gI, eq->nl, DFL_A_CONSTRAINT},
                  {eq->hv, eq->nm, DFL_A_NONHOLONOMIC},
                  {eq->d, eq->nw, DFL_AN_AUXILIARY}};
    double *value = dfl_alloc(run->ctx, (size_t)eq->n, sizeof *value), worst = 1e-8;
    dfl_status looked = value ? DFL_OK : DFL_NO_MEMORY;
    int line = 0;
    for (size_t k = 0; !looked && !line && k < sizeof levels / sizeof *levels; k++) {
        looked = dfl_runnable_values(value, run, levels[k].rows, levels[k].count, t, x, NULL);
        for (int i = 0; !looked && i < levels[k].count; i++)
            if (fabs(value[i]) > worst) {
                worst = fabs(value[i]);
                line = line_of(eq->model, levels[k].kind, i);
            }
    }
    dfl_free(run->ctx, value);
    if (!looked && line) {
        char *message = dfl_copy_string(run->ctx, dfl_message(run->ctx));
        dfl_model_fail(eq->model, line, "%s", message ? message : "inconsistent initial values");
        dfl_free(run->ctx, message);
    }
    return looked ? looked : status;
}

static int line_of(const dfl_model *model, dfl_declared kind, int index)
{
    for (int i = 0; i < model->ndeclarations; i++)
        if (model->declarations[i].kind == kind && model->declarations[i].index == index)
            return model->declarations[i].line;
    return 0;
}

/* The first operation of the equations with a result that is not finite though its operands are. DFL_OK
   if there is none. */
static dfl_status explain_domain(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    const dfl_graph *graph = run->eq->graph;
    double *value = dfl_alloc(run->ctx, graph->nnodes, sizeof *value);
    if (!value)
        return DFL_NO_MEMORY;
    dfl_status found = DFL_OK;
    for (uint32_t i = 0; !found && i < graph->nnodes; i++) {
        const dfl_node *node = &graph->nodes[i];
        const int operands = dfl_op_operands((dfl_op)node->op);
        if (node->op == DFL_OP_SYMBOL)
            value[i] = dfl_runnable_symbol(run, node->a, t, x, NULL);
        else if (node->op == DFL_OP_CONSTANT)
            value[i] = graph->constants[node->a];
        else
            value[i] = dfl_op_value(graph, node, value[node->a], value[node->b], value[node->c]);
        if (operands && !isfinite(value[i]) && isfinite(value[node->a]) &&
            (operands < 2 || isfinite(value[node->b])))
            found = blame(run, status, i, value[operands == 2 ? node->b : node->a]);
    }
    dfl_free(run->ctx, value);
    return found;
}

/* The message about operation `expr`; DFL_OK if it belongs to no equation. */
static dfl_status blame(dfl_runnable *run, dfl_status status, dfl_expr expr, double argument)
{
    const dfl_graph *graph = run->eq->graph;
    const part owner = part_behind(run, expr);
    if (!owner.name)
        return DFL_OK;
    dfl_text text = {.ctx = run->ctx};
    dfl_print_expr(&text, graph, expr, NULL, DFL_TEXT);
    dfl_model_fail(
        run->eq->model, owner.line,
        "'%s' cannot be evaluated at the start: in %s the argument is %g; change the initial "
        "values, the guesses or the parameters",
        owner.name, dfl_text_string(&text), argument);
    dfl_text_clear(&text);
    return status;
}

/* The part that contains an expression or, since a derivative belongs to what was differentiated, one of the
   operations below it. */
static part part_behind(const dfl_runnable *run, dfl_expr expr)
{
    enum { TRIES = 50 };
    const dfl_graph *graph = run->eq->graph;
    part owner = {NULL, 0};
    int tries = 0;
    for (dfl_expr i = expr; !owner.name && tries < TRIES && i > 0; i--)
        if (dfl_node_of(graph, i)->op > DFL_OP_SYMBOL && contains(run, expr, i)) {
            owner = part_containing(run, i);
            tries++;
        }
    return owner;
}

/* The declared part of the equations that contains an expression; name NULL if there is none. */
static part part_containing(const dfl_runnable *run, dfl_expr expr)
{
    const dfl_model *model = run->eq->model;
    for (int i = 0; i < model->ndeclarations; i++) {
        const dfl_declaration *decl = &model->declarations[i];
        const bool row = decl->kind >= DFL_A_POSITION && decl->kind <= DFL_AN_INVARIANT;
        if (row && decl->expr != DFL_NO_EXPR && contains(run, decl->expr, expr))
            return (part){decl->name, decl->line};
    }
    for (int i = 0; i < model->nforces; i++)
        if (contains(run, model->forces[i].expr, expr))
            return (part){"force", model->forces[i].line};
    for (int i = 0; i < model->nmasses; i++)
        if (contains(run, model->masses[i].expr, expr))
            return (part){"mass", model->masses[i].line};
    if (model->kinetic != DFL_NO_EXPR && contains(run, model->kinetic, expr))
        return (part){"kinetic", model->kinetic_line};
    if (model->potential != DFL_NO_EXPR && contains(run, model->potential, expr))
        return (part){"potential", model->potential_line};
    return (part){NULL, 0};
}

/* Whether `sought` is below `root`: a sweep from the root to smaller numbers. */
static bool contains(const dfl_runnable *run, dfl_expr root, dfl_expr sought)
{
    const dfl_graph *graph = run->eq->graph;
    if (sought > root)
        return false;
    unsigned char *reached = dfl_alloc(run->ctx, (size_t)root + 1, 1);
    if (!reached)
        return false;
    reached[root] = 1;
    for (dfl_expr i = root; i > sought; i--) {
        const dfl_node *node = dfl_node_of(graph, i);
        const dfl_expr operand[3] = {node->a, node->b, node->c};
        for (int k = 0; reached[i] && k < dfl_op_operands((dfl_op)node->op); k++)
            reached[operand[k]] = 1;
    }
    const bool found = reached[sought];
    dfl_free(run->ctx, reached);
    return found;
}

/* The solver solves for all accelerations: every direction needs mass, a constraint, or a balance of
   forces that depends on its velocity. DFL_SINGULAR names a direction that has none of these. */
static dfl_status check_mass(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    double *M = dfl_alloc(run->ctx, (size_t)eq->nv * (size_t)eq->nv, sizeof *M);
    if (!M)
        return DFL_NO_MEMORY;
    run->eom.mass(M, t, x, run);
    const bool regular = is_regular(M, eq);
    dfl_free(run->ctx, M);
    if (regular)
        return DFL_OK;
    const dfl_status status = check_directions(run, t, x);
    return status || !eq->n0 || !eq->have_jacobians ? status : check_damping(run, t, x);
}

static bool is_regular(double *M, const dfl_equations *eq)
{
    if (!eq->mass_diagonal)
        return dfl_cholesky(M, eq->nv);
    for (int j = 0; j < eq->nv; j++)
        if (!(M[j] > 0.0))
            return false;
    return true;
}

static dfl_status check_directions(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    dfl_diagnosis diagnosis = {.ctx = run->ctx};
    dfl_status status = dfl_diagnose_directions(&diagnosis, run, t, x);
    for (int k = 0; !status && k < diagnosis.ndirections; k++) {
        if (diagnosis.directions[k].balanced)
            continue;
        dfl_text text = {.ctx = run->ctx};
        dfl_print_combination(&text, eq, diagnosis.directions[k].direction);
        dfl_model_fail(
            eq->model, eq->model->kinetic_line,
            "there is no mass along %s, and no constraint holds it; add kinetic energy or "
            "mass there, or a constraint",
            dfl_text_string(&text));
        dfl_text_clear(&text);
        status = DFL_SINGULAR;
    }
    dfl_diagnosis_clear(&diagnosis);
    return status;
}

/* The null space of d gam / d v along the massless coordinates. */
static dfl_status check_damping(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    const int n0 = eq->n0, first_v = eq->nw + eq->nl + eq->nm + eq->nr;
    double *A = dfl_alloc(run->ctx, (size_t)n0 * (size_t)n0, sizeof *A), *basis = NULL;
    double *direction = dfl_alloc(run->ctx, (size_t)eq->nv, sizeof *direction);
    int count = 0;
    dfl_status status = A && direction ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < eq->Jgam.count; k++) {
        const dfl_entry *entry = &eq->Jgam.entry[k];
        for (int j = 0; !status && j < n0; j++)
            if (entry->col == first_v + eq->massless[j])
                status =
                    dfl_runnable_values(A + entry->row + j * n0, run, &entry->expr, 1, t, x, NULL);
    }
    if (!status)
        status = dfl_null_space(&basis, &count, run->ctx, A, n0, n0);
    for (int j = 0; !status && count && j < n0; j++)
        direction[eq->massless[j]] = basis[j];
    if (!status && count)
        status = fail_damping(run, direction);
    dfl_free(run->ctx, A);
    dfl_free(run->ctx, basis);
    dfl_free(run->ctx, direction);
    return status;
}

static dfl_status fail_damping(dfl_runnable *run, const double *direction)
{
    const dfl_equations *eq = run->eq;
    dfl_text text = {.ctx = run->ctx};
    dfl_print_combination(&text, eq, direction);
    dfl_model_fail(
        eq->model, eq->model->kinetic_line,
        "there is no mass along %s, and no force that depends on this velocity; add a "
        "damper, mass or a constraint there, or make the coordinate an auxiliary variable",
        dfl_text_string(&text));
    dfl_text_clear(&text);
    return DFL_SINGULAR;
}
