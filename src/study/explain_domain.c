/* explain_domain.c: which function was evaluated outside its domain. */
#include "study/study_internal.h"

#include "symbolic/symbolic.h"

#include <math.h>

enum { LONGEST_SHOWN = 200 }; /* characters of an expression in a message */

static void evaluate_all(double *value, const dfl_runnable *run, double t, const double *x);
static dfl_status mark_used(bool *used, const dfl_runnable *run, const double *value);
static bool leaves_domain(const dfl_graph *graph, dfl_expr expr, const double *value);
static dfl_status blame(dfl_runnable *run, dfl_status status, double t, dfl_expr expr,
                        double argument);
static dfl_study_part part_behind(const dfl_runnable *run, dfl_expr expr);

/* The first operation with a result that is not finite though its operands are: one that declared
   expressions use there, else any. */
dfl_status dfl_explain_domain(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    const dfl_graph *graph = eq_of(run)->graph;
    double *value = dfl_alloc(ctx_of(run), graph->nnodes, sizeof *value);
    bool *used = dfl_alloc(ctx_of(run), graph->nnodes, sizeof *used);
    dfl_status found = value && used ? DFL_OK : DFL_NO_MEMORY;
    if (!found) {
        evaluate_all(value, run, t, x);
        found = mark_used(used, run, value);
    }
    for (int pass = 0; !found && pass < 2; pass++)
        for (uint32_t i = 0; !found && i < graph->nnodes; i++)
            if ((used[i] || pass > 0) && leaves_domain(graph, i, value)) {
                const dfl_node *node = &graph->nodes[i];
                const bool quotient = node->op == DFL_OP_DIV;
                found = blame(run, status, t, i, value[quotient ? node->b : node->a]);
            }
    dfl_free(ctx_of(run), value);
    dfl_free(ctx_of(run), used);
    return found;
}

static void evaluate_all(double *value, const dfl_runnable *run, double t, const double *x)
{
    const dfl_graph *graph = eq_of(run)->graph;
    const dfl_numbers numbers = dfl_runnable_numbers(run, t, x, NULL);
    for (uint32_t i = 0; i < graph->nnodes; i++) {
        const dfl_node *node = &graph->nodes[i];
        if (node->op == DFL_OP_SYMBOL)
            value[i] = dfl_numbers_symbol(&numbers, eq_of(run), node->a);
        else if (node->op == DFL_OP_CONSTANT)
            value[i] = graph->constants[node->a];
        else
            value[i] = dfl_op_value(graph, node, value[node->a], value[node->b], value[node->c]);
    }
}

/* What declared expressions use at a state: all but branches that are not taken. */
static dfl_status mark_used(bool *used, const dfl_runnable *run, const double *value)
{
    const dfl_graph *graph = eq_of(run)->graph;
    dfl_study_part *parts;
    int count;
    const dfl_status status = dfl_study_parts(&parts, &count, run);
    for (int i = 0; !status && i < count; i++)
        used[parts[i].expr] = true;
    dfl_free(ctx_of(run), parts);
    for (uint32_t i = graph->nnodes; !status && i-- > 0;) {
        const dfl_node *node = &graph->nodes[i];
        const dfl_expr operand[] = {node->a, node->b, node->c};
        const int operands = dfl_op_operands((dfl_op)node->op);
        for (int k = 0; used[i] && k < operands; k++)
            if (node->op != DFL_OP_SELECT || k == 0 || (value[node->a] > 0) == (k == 1))
                used[operand[k]] = true;
    }
    return status;
}

static bool leaves_domain(const dfl_graph *graph, dfl_expr expr, const double *value)
{
    const dfl_node *node = &graph->nodes[expr];
    const int operands = dfl_op_operands((dfl_op)node->op);
    return operands > 0 && !isfinite(value[expr]) && isfinite(value[node->a]) &&
           (operands < 2 || isfinite(value[node->b]));
}

/* A quotient by a root: the slope of one. */
static bool slope_of_root(const dfl_graph *graph, dfl_expr expr)
{
    const dfl_node *node = &graph->nodes[expr];
    if (node->op != DFL_OP_DIV)
        return false;
    node = &graph->nodes[node->b];
    if (node->op == DFL_OP_MUL && graph->nodes[node->a].op == DFL_OP_CONSTANT)
        node = &graph->nodes[node->b];
    return node->op == DFL_OP_SQRT;
}

/* The message about operation `expr`; DFL_OK if it belongs to no equation. */
static dfl_status blame(dfl_runnable *run, dfl_status status, double t, dfl_expr expr,
                        double argument)
{
    const dfl_graph *graph = eq_of(run)->graph;
    const dfl_study_part owner = part_behind(run, expr);
    if (!owner.name)
        return DFL_OK;
    dfl_text text = {.ctx = ctx_of(run)};
    dfl_print_expr(&text, graph, expr, NULL, DFL_TEXT);
    dfl_model_fail(eq_of(run)->model, owner.line,
                   "'%s' cannot be evaluated at t = %g: in %.*s%s the argument is %g; %s",
                   owner.name, t, LONGEST_SHOWN, dfl_text_string(&text),
                   text.length > LONGEST_SHOWN ? " ..." : "", argument,
                   argument == 0 && slope_of_root(graph, expr)
                       ? "the slope of a root is infinite where its argument is 0: begin beside "
                         "that place, or "
                         "write sqrt(u + 1e-12) instead of sqrt(u)"
                       : "change the initial values, the guesses or the parameters");
    dfl_text_clear(&text);
    return status;
}

/* The part that contains an expression or, since a derivative belongs to what was
   differentiated, one of the operations below it. */
static dfl_study_part part_behind(const dfl_runnable *run, dfl_expr expr)
{
    enum { TRIES = 50 };
    const dfl_graph *graph = eq_of(run)->graph;
    dfl_study_part owner = {NULL, 0, DFL_NO_EXPR};
    int tries = 0;
    for (dfl_expr i = expr; !owner.name && tries < TRIES && i > 0; i--)
        if (dfl_node_of(graph, i)->op > DFL_OP_SYMBOL && dfl_study_contains(run, expr, i)) {
            owner = dfl_study_part_containing(run, i);
            tries++;
        }
    return owner;
}
