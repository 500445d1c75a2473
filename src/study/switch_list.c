/* switch_list.c: the switches of a model, and the instants of those that depend on time, as far as
   they are known in advance. */
#include "study/study_internal.h"

#include "declare/declare.h"
#include "result/result.h"
#include "symbolic/symbolic.h"

#include <math.h>

enum { MOST_INSTANTS = 20 }; /* of one switch that are listed */

/* One switch. */
typedef struct line {
    const dfl_switch *item;
    const char *kind;
    dfl_expr argument; /* what is compared with borders */
    bool of_time, sampled;
    dfl_study_part part;
    double instant[MOST_INSTANTS];
    int count; /* of instants; -1: not known in advance */
} line;

static line switch_line(dfl_runnable *run, int number);
static line action_line(const dfl_runnable *run, int number);
static const char *kind_name(dfl_switch_kind kind);
static dfl_status find_instants(line *out, dfl_runnable *run, double from, double to);
static void add_instants(line *out, const dfl_graph *graph, double value, double slope, double from,
                         double to);
static void write_text(dfl_text *text, const dfl_graph *graph, const line *it, bool first);
static void write_json(dfl_text *text, const dfl_graph *graph, const line *it, bool first);

dfl_status dfl_study_list_switches(dfl_text *text, dfl_runnable *run, double from, double to,
                                   bool json)
{
    const dfl_graph *graph = eq_of(run)->graph;
    const dfl_actions *actions = &eq_of(run)->model->actions;
    const int switches = dfl_runnable_switches(run);
    dfl_status status = DFL_OK;
    bool first = true;
    for (int i = 0; !status && i < switches + actions->list.count; i++) {
        line it = i < switches ? switch_line(run, i) : action_line(run, i);
        if (i >= switches && !it.of_time)
            continue;
        if (it.of_time)
            status = find_instants(&it, run, from, to);
        if (json)
            write_json(text, graph, &it, first);
        else
            write_text(text, graph, &it, first);
        first = false;
    }
    return status ? status : text->status;
}

static line switch_line(dfl_runnable *run, int number)
{
    line it = {.count = -1};
    it.item = dfl_runnable_switch(&it.of_time, run, number);
    it.kind = kind_name(it.item->kind);
    it.argument = dfl_study_switch_argument(eq_of(run)->graph, it.item);
    it.part = dfl_study_switch_part(run, it.item);
    return it;
}

static const char *kind_name(dfl_switch_kind kind)
{
    return kind == DFL_SWITCH_SIGN ? "sign" : kind == DFL_SWITCH_FLOOR ? "floor" : "table";
}

/* Of an event or a sample that acts. */
static line action_line(const dfl_runnable *run, int number)
{
    const dfl_action *action =
        &eq_of(run)->model->actions.list.item[number - dfl_runnable_switches(run)];
    line it = {
        .count = -1, .kind = action->sampled ? "sample" : "event", .sampled = action->sampled};
    it.item = dfl_runnable_switch(&it.of_time, run, number);
    it.argument = action->function;
    it.part = (dfl_study_part){action->name, action->line, action->function};
    return it;
}

/* Of arguments that are linear in time. */
static dfl_status find_instants(line *out, dfl_runnable *run, double from, double to)
{
    dfl_graph *graph = eq_of(run)->graph;
    const dfl_expr time = dfl_symbol_expr(graph, DFL_SYM_TIME, 0, "time");
    dfl_expr exprs[] = {out->argument, 0};
    dfl_sparse slope = {0};
    double value[2];
    dfl_status status = dfl_jacobian_exprs(&slope, graph, exprs, 1, &time, 1);
    const bool linear =
        !status && slope.count == 1 && !dfl_depends(graph, slope.entry[0].expr, DFL_SYM_TIME);
    if (linear) {
        exprs[1] = slope.entry[0].expr;
        status = dfl_runnable_values(value, run, exprs, 2, from, NULL, NULL);
    }
    if (!status && linear)
        add_instants(out, graph, value[0], value[1], from, to);
    dfl_sparse_clear(&slope, graph->ctx);
    return status;
}

/* value, slope: at `from`. */
static void add_instants(line *out, const dfl_graph *graph, double value, double slope, double from,
                         double to)
{
    const double sense = (to < from ? -1 : 1) * slope;
    double branch = dfl_switch_branch(out->item, graph, value, sense);
    if (out->sampled) /* the first one is at 0 */
        branch = fmax(branch, -1);
    out->count = 0;
    while (sense != 0 && out->count < MOST_INSTANTS) {
        double low, high;
        dfl_switch_borders(&low, &high, out->item, graph, branch);
        const double at = from + ((sense > 0 ? high : low) - value) / slope;
        if (!isfinite(at) || (to - at) * (to - from) < 0)
            break;
        out->instant[out->count++] = at;
        branch = dfl_switch_next(out->item, graph, branch, sense > 0 ? 1 : -1);
    }
}

static void write_text(dfl_text *text, const dfl_graph *graph, const line *it, bool first)
{
    dfl_text_add(text, "  %-19s %s of ", first ? "switches" : "", it->kind);
    dfl_print_expr(text, graph, it->argument, NULL, DFL_TEXT);
    if (it->part.name)
        dfl_text_add(text, " in %s, line %d", it->part.name, it->part.line);
    for (int k = 0; k < it->count; k++)
        dfl_text_add(text, "%s%.10g", k == 0 ? "; at t = " : ", ", it->instant[k]);
    dfl_text_add(text, "%s\n", it->count == MOST_INSTANTS ? ", ..." : "");
}

static void write_json(dfl_text *text, const dfl_graph *graph, const line *it, bool first)
{
    dfl_text argument = {.ctx = text->ctx};
    dfl_print_expr(&argument, graph, it->argument, NULL, DFL_TEXT);
    dfl_text_add(text, "%s{\"kind\": \"%s\", \"of\": ", first ? "" : ", ", it->kind);
    dfl_json_string(text, dfl_text_string(&argument));
    dfl_text_add(text, ", \"in\": ");
    if (it->part.name)
        dfl_json_string(text, it->part.name);
    else
        dfl_text_add(text, "null");
    dfl_text_add(text, ", \"line\": %d, \"instants\": ", it->part.line);
    dfl_text_add(text, it->count < 0 ? "null" : "[");
    for (int k = 0; k < it->count; k++) {
        dfl_text_add(text, k > 0 ? ", " : "");
        dfl_json_number(text, it->instant[k]);
    }
    dfl_text_add(text, it->count < 0 ? "}" : "]}");
    dfl_text_clear(&argument);
}
