/* equation_rows.c: the equations of a model as a list of rows for people. */
#include "export/equation_rows_internal.h"

#include <stddef.h>
#include <string.h>

static dfl_status finish(dfl_rows *out, const dfl_equations *eq);
static void collect_vectors(dfl_rows *rows, const dfl_equations *eq, dfl_section section,
                            size_t offset, int count);
static void collect_columns(dfl_rows *rows, const dfl_equations *eq, dfl_section section,
                            size_t offset);
static void collect(dfl_rows *rows, const dfl_equations *eq);
static void collect_motion(dfl_rows *rows, const dfl_equations *eq);
static dfl_expr times(dfl_graph *graph, dfl_expr entry, dfl_expr symbol);
static void collect_constraints(dfl_rows *rows, const dfl_equations *eq);
static void collect_invariants(dfl_rows *rows, const dfl_equations *eq);
static void collect_entries(dfl_rows *rows, const dfl_equations *eq);
static void collect_declared(dfl_rows *rows, const dfl_equations *eq, dfl_section section,
                             dfl_declared kind);
static void add(dfl_rows *rows, dfl_row row);
static dfl_status choose_names(dfl_rows *rows, const dfl_equations *eq);

dfl_status dfl_rows_create(dfl_rows *out, const dfl_equations *eq)
{
    *out = (dfl_rows){.ctx = eq->model->ctx};
    collect(out, eq);
    return finish(out, eq);
}

/* Sections by quantity, all frames in each. */
dfl_status dfl_rows_create_frames(dfl_rows *out, const dfl_equations *eq)
{
    *out = (dfl_rows){.ctx = eq->model->ctx};
    collect_vectors(out, eq, DFL_SECTION_FRAME_R, offsetof(dfl_model_frame, r), 3);
    collect_vectors(out, eq, DFL_SECTION_FRAME_ANGLE, offsetof(dfl_model_frame, angle), 1);
    collect_vectors(out, eq, DFL_SECTION_FRAME_ROTATION, offsetof(dfl_model_frame, R), 9);
    collect_vectors(out, eq, DFL_SECTION_FRAME_V, offsetof(dfl_model_frame, v), 3);
    collect_vectors(out, eq, DFL_SECTION_FRAME_OMEGA, offsetof(dfl_model_frame, omega), 3);
    collect_vectors(out, eq, DFL_SECTION_FRAME_A, offsetof(dfl_model_frame, a), 3);
    collect_vectors(out, eq, DFL_SECTION_FRAME_ALPHA, offsetof(dfl_model_frame, alpha), 3);
    collect_columns(out, eq, DFL_SECTION_FRAME_JV, offsetof(dfl_frame_column, v));
    collect_columns(out, eq, DFL_SECTION_FRAME_JOMEGA, offsetof(dfl_frame_column, omega));
    return finish(out, eq);
}

static dfl_status finish(dfl_rows *out, const dfl_equations *eq)
{
    dfl_status status = out->status ? out->status : dfl_graph_status(eq->graph);
    if (!status)
        status = choose_names(out, eq);
    if (status)
        dfl_rows_clear(out);
    return status;
}

void dfl_rows_clear(dfl_rows *rows)
{
    dfl_names_clear(&rows->names, rows->ctx);
    dfl_free(rows->ctx, rows->row);
    *rows = (dfl_rows){.ctx = rows->ctx};
}

/* The components that are not zero; all components of origins. */
static void collect_vectors(dfl_rows *rows, const dfl_equations *eq, dfl_section section,
                            size_t offset, int count)
{
    static const char *const axes[] = {"x", "y", "z"};
    static const char *const pairs[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
    for (int i = 0; i < eq->model->frames.count; i++) {
        const dfl_model_frame *frame = &eq->model->frames.item[i];
        const dfl_expr *e = (const dfl_expr *)(const void *)((const char *)frame + offset);
        const bool all = section == DFL_SECTION_FRAME_R, angle = count == 1;
        if (frame->planar ? count == 9 : angle)
            continue; /* in the plane an angle replaces the rotation, in space there is no angle */
        for (int k = 0; k < count; k++)
            if (angle || e[k] != 0 || (all && !(frame->planar && k == 2)))
                add(rows, (dfl_row){.section = section,
                                    .name = frame->name,
                                    .second = angle ? NULL : (count == 9 ? pairs : axes)[k],
                                    .left = DFL_NO_EXPR,
                                    .right = e[k]});
    }
}

static void collect_columns(dfl_rows *rows, const dfl_equations *eq, dfl_section section,
                            size_t offset)
{
    static const char *const axes[] = {"x", "y", "z"};
    const dfl_variable *v = eq->x + eq->nw + eq->nl + eq->nm + eq->nr;
    for (int i = 0; i < eq->model->frames.count; i++) {
        const dfl_model_frame *frame = &eq->model->frames.item[i];
        for (int k = 0; k < frame->ncolumns; k++) {
            const dfl_frame_column *column = &frame->columns[k];
            const dfl_expr *e = (const dfl_expr *)(const void *)((const char *)column + offset);
            int place = 0;
            while (v[place].symbol != column->u)
                place++;
            for (int j = 0; j < 3; j++)
                if (e[j] != 0)
                    add(rows, (dfl_row){.section = section,
                                        .name = frame->name,
                                        .second = axes[j],
                                        .third = v[place].name,
                                        .left = DFL_NO_EXPR,
                                        .right = e[j]});
        }
    }
}

static void collect(dfl_rows *rows, const dfl_equations *eq)
{
    const dfl_variable *p = eq->x + eq->n - eq->np, *s = p - eq->ns, *v = s - eq->nv,
                       *r = v - eq->nr;
    for (int i = 0; i < eq->np; i++)
        if (dfl_node_of(eq->graph, eq->rows.kin[i])->op != DFL_OP_SYMBOL ||
            dfl_model_owner(eq->model, eq->rows.kin[i]) != dfl_model_owner(eq->model, p[i].symbol))
            add(rows,
                (dfl_row){DFL_SECTION_KIN, p[i].name, NULL, DFL_NO_EXPR, eq->rows.kin[i], NULL});
    collect_motion(rows, eq);
    for (int i = 0; i < eq->nr; i++)
        add(rows, (dfl_row){DFL_SECTION_B, r[i].name, NULL, DFL_NO_EXPR, eq->rows.b[i], NULL});
    for (int i = 0; i < eq->nw; i++)
        add(rows, (dfl_row){DFL_SECTION_D, eq->x[i].name, NULL, DFL_NO_EXPR, eq->rows.d[i], NULL});
    for (int i = 0; i < eq->ns; i++)
        add(rows, (dfl_row){DFL_SECTION_C, s[i].name, NULL, DFL_NO_EXPR, eq->rows.c[i], NULL});
    collect_constraints(rows, eq);
    collect_invariants(rows, eq);
    for (int i = 0; i < eq->n0; i++)
        add(rows, (dfl_row){DFL_SECTION_GAM, v[eq->massless.velocity[i]].name, NULL, DFL_NO_EXPR,
                            eq->rows.gam[i], NULL});
    collect_entries(rows, eq);
    if (eq->energy != DFL_NO_EXPR)
        add(rows, (dfl_row){DFL_SECTION_ENERGY, "T + V", NULL, DFL_NO_EXPR, eq->energy, NULL});
    collect_declared(rows, eq, DFL_SECTION_OUTPUTS, DFL_AN_OUTPUT);
    collect_declared(rows, eq, DFL_SECTION_EVENTS, DFL_AN_EVENT);
}

/* Row i of M a = f - W^T (lambda, mu), as expressions. */
static void collect_motion(dfl_rows *rows, const dfl_equations *eq)
{
    dfl_graph *graph = eq->graph;
    const dfl_variable *v = eq->x + eq->nw + eq->nl + eq->nm + eq->nr;
    const int first = rows->count;
    for (int i = 0; i < eq->nv; i++)
        add(rows, (dfl_row){DFL_SECTION_MOTION, v[i].name, NULL, dfl_constant(graph, 0.0),
                            eq->rows.f[i], NULL});
    if (rows->status || eq->nv == 0) /* perhaps without a single row */
        return;
    dfl_row *motion = rows->row + first;
    for (int k = 0; k < eq->M.count; k++) {
        const dfl_entry *entry = &eq->M.entry[k];
        motion[entry->row].left =
            dfl_add(graph, motion[entry->row].left, times(graph, entry->expr, eq->a[entry->col]));
    }
    for (int k = 0; k < eq->W.count; k++) {
        const dfl_entry *entry = &eq->W.entry[k];
        const dfl_expr multiplier = eq->x[eq->nw + entry->row].symbol;
        motion[entry->col].right =
            dfl_sub(graph, motion[entry->col].right, times(graph, entry->expr, multiplier));
    }
}

/* entry * symbol, with a constant factor of the entry in front of both: 2*(x*lambda). */
static dfl_expr times(dfl_graph *graph, dfl_expr entry, dfl_expr symbol)
{
    const dfl_node node = *dfl_node_of(graph, entry);
    if (node.op == DFL_OP_MUL && dfl_is_constant(graph, node.a))
        return dfl_mul(graph, node.a, dfl_mul(graph, node.b, symbol));
    if (node.op == DFL_OP_MUL && dfl_is_constant(graph, node.b))
        return dfl_mul(graph, node.b, dfl_mul(graph, node.a, symbol));
    return dfl_mul(graph, entry, symbol);
}

static void collect_constraints(dfl_rows *rows, const dfl_equations *eq)
{
    const dfl_declaration *declarations = eq->model->declarations.item;
    const int *of = eq->declared.row;
    for (int i = 0; i < eq->nl; i++)
        add(rows, (dfl_row){DFL_SECTION_G, declarations[of[i]].name, NULL, DFL_NO_EXPR,
                            eq->rows.g[i], NULL});
    for (int i = 0; i < eq->nl; i++)
        add(rows, (dfl_row){DFL_SECTION_GI, declarations[of[i]].name, NULL, DFL_NO_EXPR,
                            eq->rows.gI[i], NULL});
    for (int i = 0; i < eq->nm; i++)
        add(rows, (dfl_row){DFL_SECTION_HV, declarations[of[eq->nl + i]].name, NULL, DFL_NO_EXPR,
                            eq->rows.hv[i], NULL});
    const int first = rows->count;
    for (int i = 0; i < eq->nl + eq->nm; i++)
        add(rows, (dfl_row){DFL_SECTION_ACC, declarations[of[i]].name, NULL, DFL_NO_EXPR,
                            eq->rows.bias[i], NULL});
    for (int k = 0; !rows->status && k < eq->W.count; k++) {
        const dfl_entry *entry = &eq->W.entry[k];
        dfl_expr *right = &rows->row[first + entry->row].right;
        *right = dfl_add(eq->graph, *right, times(eq->graph, entry->expr, eq->a[entry->col]));
    }
}

/* As declared, without their levels. */
static void collect_invariants(dfl_rows *rows, const dfl_equations *eq)
{
    for (int i = 0; i < eq->model->declarations.count; i++) {
        const dfl_declaration *decl = &eq->model->declarations.item[i];
        if (decl->kind == DFL_AN_INVARIANT)
            add(rows,
                (dfl_row){DFL_SECTION_INVARIANTS, decl->name, NULL, DFL_NO_EXPR, decl->expr, NULL});
    }
}

/* M (its lower triangle), f, W, bias and K0. */
static void collect_entries(dfl_rows *rows, const dfl_equations *eq)
{
    const dfl_variable *v = eq->x + eq->nw + eq->nl + eq->nm + eq->nr;
    const dfl_declaration *declarations = eq->model->declarations.item;
    for (int k = 0; k < eq->M.count; k++) {
        const dfl_entry *entry = &eq->M.entry[k];
        if (entry->row >= entry->col)
            add(rows, (dfl_row){DFL_SECTION_M, v[entry->row].name, v[entry->col].name, DFL_NO_EXPR,
                                entry->expr, NULL});
    }
    for (int i = 0; i < eq->nv; i++)
        add(rows, (dfl_row){DFL_SECTION_F, v[i].name, NULL, DFL_NO_EXPR, eq->rows.f[i], NULL});
    for (int k = 0; k < eq->W.count; k++) {
        const dfl_entry *entry = &eq->W.entry[k];
        add(rows, (dfl_row){DFL_SECTION_W, declarations[eq->declared.row[entry->row]].name,
                            v[entry->col].name, DFL_NO_EXPR, entry->expr, NULL});
    }
    for (int i = 0; i < eq->nl + eq->nm; i++)
        add(rows, (dfl_row){DFL_SECTION_BIAS, declarations[eq->declared.row[i]].name, NULL,
                            DFL_NO_EXPR, eq->rows.bias[i], NULL});
    for (int k = 0; k < eq->massless.K0.count; k++) {
        const dfl_entry *entry = &eq->massless.K0.entry[k];
        add(rows,
            (dfl_row){DFL_SECTION_K0, v[entry->row].name, v[eq->massless.velocity[entry->col]].name,
                      DFL_NO_EXPR, entry->expr, NULL});
    }
}

static void collect_declared(dfl_rows *rows, const dfl_equations *eq, dfl_section section,
                             dfl_declared kind)
{
    for (int i = 0; i < eq->model->declarations.count; i++) {
        const dfl_declaration *decl = &eq->model->declarations.item[i];
        if (decl->kind == kind)
            add(rows, (dfl_row){section, decl->name, NULL, DFL_NO_EXPR, decl->expr, NULL});
    }
}

/* A failed allocation is kept in rows->status. */
static void add(dfl_rows *rows, dfl_row row)
{
    if (rows->count == rows->room && !rows->status) {
        const int room = 2 * rows->room + 64;
        dfl_row *grown = dfl_alloc(rows->ctx, (size_t)room, sizeof *grown);
        if (grown && rows->count)
            memcpy(grown, rows->row, (size_t)rows->count * sizeof *grown);
        if (grown) {
            dfl_free(rows->ctx, rows->row);
            rows->row = grown;
            rows->room = room;
        } else
            rows->status = DFL_NO_MEMORY;
    }
    if (!rows->status)
        rows->row[rows->count++] = row;
}

static dfl_status choose_names(dfl_rows *rows, const dfl_equations *eq)
{
    dfl_expr *exprs = dfl_alloc(rows->ctx, 2 * (size_t)rows->count, sizeof *exprs);
    if (!exprs)
        return DFL_NO_MEMORY;
    int count = 0;
    for (int i = 0; i < rows->count; i++) {
        if (rows->row[i].left != DFL_NO_EXPR)
            exprs[count++] = rows->row[i].left;
        exprs[count++] = rows->row[i].right;
    }
    dfl_status status = dfl_names_choose(&rows->names, eq->graph, exprs, count);
    if (!status)
        status = dfl_names_shorten(&rows->names, eq->graph, exprs, count);
    dfl_free(rows->ctx, exprs);
    return status;
}
