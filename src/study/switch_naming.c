/* switch_naming.c: what users call a switch: its expression and where it stands in the script. */
#include "study/study_internal.h"

#include "declare/declare.h"
#include "symbolic/symbolic.h"

#include <stdio.h>

enum { MOST_LETTERS = 60 }; /* of an expression */

/* A condition has its normal form: the script may contain its negative, or min and max of the
   terms of a difference. */
dfl_study_part dfl_study_switch_part(dfl_runnable *run, const dfl_switch *item)
{
    dfl_graph *graph = eq_of(run)->graph;
    const dfl_expr argument = dfl_study_switch_argument(graph, item);
    dfl_study_part found = dfl_study_part_containing(run, argument);
    if (!found.name)
        found = dfl_study_part_containing(run, dfl_neg(graph, argument));
    const dfl_node node = *dfl_node_of(graph, argument);
    for (int k = 0; node.op == DFL_OP_SUB && !found.name && k < 4; k++) {
        const dfl_op op = k < 2 ? DFL_OP_MIN : DFL_OP_MAX;
        const dfl_expr a = k % 2 ? node.b : node.a, b = k % 2 ? node.a : node.b;
        found = dfl_study_part_containing(run, dfl_binary(graph, op, a, b));
    }
    return found;
}

dfl_expr dfl_study_switch_argument(const dfl_graph *graph, const dfl_switch *item)
{
    return item->kind == DFL_SWITCH_SIGN ? item->source : dfl_node_of(graph, item->source)->a;
}

void dfl_study_name_switch(dfl_text *text, dfl_runnable *run, int number)
{
    const dfl_graph *graph = eq_of(run)->graph;
    bool of_time;
    const dfl_switch *item = dfl_runnable_switch(&of_time, run, number);
    const dfl_study_part part = dfl_study_switch_part(run, item);
    dfl_text argument = {.ctx = text->ctx};
    dfl_print_expr(&argument, graph, dfl_study_switch_argument(graph, item), NULL, DFL_TEXT);
    const char *letters = dfl_text_string(&argument);
    dfl_text_add(text, "%.*s%s", MOST_LETTERS, letters,
                 argument.length > MOST_LETTERS ? "..." : "");
    if (part.name)
        dfl_text_add(text, " in %s, line %d", part.name, part.line);
    dfl_text_clear(&argument);
}

void dfl_study_name_function(char *out, size_t size, int function, void *user)
{
    dfl_runnable *run = user;
    const dfl_actions *actions = &eq_of(run)->model->actions;
    const dfl_owner owner = dfl_runnable_owner(run, function);
    dfl_text text = {.ctx = ctx_of(run)};
    if (owner.kind == DFL_OWNER_SWITCH)
        dfl_study_name_switch(&text, run, owner.number);
    else if (owner.kind == DFL_OWNER_ACTION)
        dfl_text_add(&text, "'%s', line %d", actions->list.item[owner.number].name,
                     actions->list.item[owner.number].line);
    else
        dfl_text_add(&text, "'%s', line %d", actions->touches.item[owner.number].name,
                     actions->touches.item[owner.number].line);
    snprintf(out, size, "%s", dfl_text_string(&text));
    dfl_text_clear(&text);
}
