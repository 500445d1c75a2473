/* describe.c: the conventions of the exported functions in words, for the head of every export. */
#include "export/source_internal.h"

#include <string.h>

static void describe_unknowns(dfl_text *text, const dfl_source *source,
                              const dfl_comment_style *style);
static void describe_par(dfl_text *text, const dfl_source *source, const dfl_comment_style *style);
static void describe_equations(dfl_text *text, const dfl_source *source,
                               const dfl_comment_style *style);
static void describe_ode(dfl_text *text, const dfl_source *source, const dfl_comment_style *style);

void dfl_source_describe(dfl_text *text, const dfl_source *source, const dfl_comment_style *style)
{
    describe_unknowns(text, source, style);
    describe_par(text, source, style);
    describe_equations(text, source, style);
    describe_ode(text, source, style);
}

const char *dfl_unknown_kind(const dfl_equations *eq, int place)
{
    const struct {
        int count;
        const char *kind;
    } parts[] = {{eq->nw, "auxiliary variable"},
                 {eq->nl, "multiplier of a holonomic constraint"},
                 {eq->nm, "multiplier of a nonholonomic constraint"},
                 {eq->nr, "dynamic variable"},
                 {eq->nv, "velocity"},
                 {eq->ns, "contact variable"},
                 {eq->np, "position"}};
    size_t k = 0;
    for (int end = parts[0].count; place >= end; end += parts[k].count)
        k++;
    return parts[k].kind;
}

static void describe_unknowns(dfl_text *text, const dfl_source *source,
                              const dfl_comment_style *style)
{
    const dfl_equations *eq = source->eq;
    dfl_text_add(text, "%sUnknowns x = [w lambda mu | r | v | s p]:\n", style->line);
    for (int i = 0; i < eq->n; i++)
        dfl_text_add(text, "%s  x%c%d%c  %-16s %s\n", style->line, style->open, i + style->base,
                     style->close, eq->x[i].name, dfl_unknown_kind(eq, i));
}

static void describe_par(dfl_text *text, const dfl_source *source, const dfl_comment_style *style)
{
    const int count = source->nparams + source->ninputs + source->nlevels;
    dfl_text_add(text, "%s\n%s%s\n", style->blank, style->line,
                 count ? "par: parameters, then inputs, then levels of invariants:"
                       : "par: the model has no parameters; par is not read.");
    for (int i = 0; i < count; i++) {
        const dfl_declaration *decl = source->par[i];
        dfl_text_add(text, "%s  par%c%d%c  %s", style->line, style->open, i + style->base,
                     style->close, decl->name);
        dfl_text_add(text, " = ");
        dfl_print_number(text, dfl_source_value(source, i), DFL_TEXT);
        if (decl->unit) {
            dfl_text_add(text, " ");
            dfl_source_words(text, decl->unit);
        }
        if (i >= source->nparams)
            dfl_text_add(text, i < source->nparams + source->ninputs
                                   ? ", input"
                                   : ", level: its value at the start");
        dfl_text_add(text, "\n");
    }
}

static void describe_equations(dfl_text *text, const dfl_source *source,
                               const dfl_comment_style *style)
{
    static const struct {
        dfl_block_id block;
        const char *line;
    } rows[] = {
        {DFL_BLOCK_KIN, "p' = kin"},
        {DFL_BLOCK_M, "M a = f - W^T (lambda, mu), a = v'"},
        {DFL_BLOCK_B, "r' = b"},
        {DFL_BLOCK_D, "0 = d"},
        {DFL_BLOCK_C, "0 = c"},
        {DFL_BLOCK_G, "0 = g,  0 = gI = dg/dt"},
        {DFL_BLOCK_HV, "0 = hv"},
        {DFL_BLOCK_W, "0 = W a + bias  (gI and hv, differentiated)"},
        {DFL_BLOCK_E, "0 = e"},
        {DFL_BLOCK_EP, "0 = ep"},
        {DFL_BLOCK_GAM, "0 = gam = K0^T f"},
    };
    dfl_text_add(text, "%s\n%sEquations (matrices are column-major):\n", style->blank, style->line);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (dfl_block_size(&source->block[rows[i].block]))
            dfl_text_add(text, "%s  %s\n", style->line, rows[i].line);
}

static void describe_ode(dfl_text *text, const dfl_source *source, const dfl_comment_style *style)
{
    const dfl_equations *eq = source->eq;
    dfl_text_add(text, "%s\n", style->blank);
    if (source->no_ode) {
        dfl_text_add(text, "%sThere is no right-hand side of an ODE:\n%s  %s.\n", style->line,
                     style->line, source->no_ode);
        return;
    }
    dfl_text_add(text, "%sAs an ODE: y = (p, v, r), y' = rhs.", style->line);
    if (eq->nl + eq->nm)
        dfl_text_add(text,
                     " The velocities are projected onto the constraints\n"
                     "%s(%s of Kurz, Burkhardt & Eberhard 2011): p' = kin(v - %s (gI, hv)), "
                     "C = W, and v' is the\n"
                     "%sacceleration there. Positions drift slowly with the error of the solver.",
                     style->line,
                     source->start.independent ? "manual partition"
                     : source->start.svd       ? "SVD form"
                                               : "QR form",
                     source->start.independent ? "C_d^-1" : "C^+", style->line);
    if (eq->ne + eq->nep)
        dfl_text_add(text, "\n%sThe invariants e, ep are not kept in this form.", style->line);
    dfl_text_add(text, "\n");
}
