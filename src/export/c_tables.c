/* c_tables.c: names, default values and initial values in the exported C file. */
#include "export/source_internal.h"

typedef enum table_id {
    TABLE_VARIABLES,
    TABLE_CONSTRAINTS,
    TABLE_PAR_NAMES,
    TABLE_PAR_UNITS,
    TABLE_PAR_VALUES,
    TABLE_OUTPUTS,
    TABLE_EVENTS,
    TABLE_DIRECTIONS,
    TABLE_MASSLESS,
    TABLE_FRAMES,
    TABLE_START,
    TABLES
} table_id;

static const struct {
    const char *type, *name, *size, *meaning;
} tables[TABLES] = {
    [TABLE_VARIABLES] = {"char *const ", "variable_names", "$_N", "of x"},
    [TABLE_CONSTRAINTS] = {"char *const ", "constraint_names", "$_NL + $_NM", "rows of W"},
    [TABLE_PAR_NAMES] = {"char *const ", "par_names", "$_NPAR", "of par"},
    [TABLE_PAR_UNITS] = {"char *const ", "par_units", "$_NPAR", "\"\" where none was given"},
    [TABLE_PAR_VALUES] = {"double ", "par_values", "$_NPAR", "default values of par"},
    [TABLE_OUTPUTS] = {"char *const ", "output_names", "$_NOUTPUT", "of outputs"},
    [TABLE_EVENTS] = {"char *const ", "event_names", "$_NEVENT", "of events"},
    [TABLE_DIRECTIONS] = {"int ", "event_directions", "$_NEVENT", "1 rising, -1 falling, 0 any"},
    [TABLE_MASSLESS] = {"int ", "massless", "$_N0", "numbers within v that name the rows of gam"},
    [TABLE_FRAMES] = {"char *const ", "frame_names", "$_NFRAME", "of frames"},
    [TABLE_START] = {"double ", "start", "$_N", "initial values of x, for the default par"},
};

static bool is_empty_par(const dfl_source *source, table_id id);
static void write_head(dfl_text *text, const dfl_source *source, const char *linkage, table_id id);
static int entries(const dfl_source *source, table_id id);
static void write_entry(dfl_text *text, const dfl_source *source, table_id id, int i);

void dfl_c_tables_declare(dfl_text *text, const dfl_source *source)
{
    for (int id = 0; id < TABLES; id++) {
        if (!entries(source, (table_id)id))
            continue;
        write_head(text, source, "extern ", (table_id)id);
        dfl_text_add(text, "; /* %s */\n", tables[id].meaning);
    }
    dfl_source_fill(text, source, "extern const double @_start_time; /* s */\n");
}

void dfl_c_tables_define(dfl_text *text, const dfl_source *source)
{
    dfl_text_add(text, "\n");
    for (int id = 0; id < TABLES; id++) {
        const int count = entries(source, (table_id)id);
        if (!count)
            continue;
        write_head(text, source, "", (table_id)id);
        dfl_text_add(text, " = {\n");
        for (int i = 0; i < count; i++) {
            dfl_text_add(text, "    ");
            write_entry(text, source, (table_id)id, i);
            dfl_text_add(text, i + 1 < count ? ",\n" : "\n");
        }
        dfl_text_add(text, "};\n");
    }
    dfl_source_fill(text, source, "const double @_start_time = ");
    dfl_print_number(text, source->start.time, DFL_TEXT);
    dfl_text_add(text, ";\n");
}

/* Without parameters, par_values is there all the same: every function takes par. */
static bool is_empty_par(const dfl_source *source, table_id id)
{
    return id == TABLE_PAR_VALUES && source->nparams + source->ninputs + source->nlevels == 0;
}

static void write_head(dfl_text *text, const dfl_source *source, const char *linkage, table_id id)
{
    dfl_text_add(text, "%sconst %s%s_%s[", linkage, tables[id].type, source->name, tables[id].name);
    dfl_source_fill(text, source, is_empty_par(source, id) ? "1" : tables[id].size);
    dfl_text_add(text, "]");
}

/* A table without entries is left out: C has no empty arrays. */
static int entries(const dfl_source *source, table_id id)
{
    switch (id) {
    case TABLE_CONSTRAINTS:
        return source->eq->nl + source->eq->nm;
    case TABLE_PAR_NAMES:
    case TABLE_PAR_UNITS:
        return source->nparams + source->ninputs + source->nlevels;
    case TABLE_PAR_VALUES:
        return is_empty_par(source, id) ? 1 : source->nparams + source->ninputs + source->nlevels;
    case TABLE_OUTPUTS:
        return source->noutputs;
    case TABLE_EVENTS:
    case TABLE_DIRECTIONS:
        return source->nevents;
    case TABLE_MASSLESS:
        return source->eq->n0;
    case TABLE_FRAMES:
        return source->eq->model->frames.count;
    default:
        return source->eq->n;
    }
}

static void write_entry(dfl_text *text, const dfl_source *source, table_id id, int i)
{
    const dfl_equations *eq = source->eq;
    switch (id) {
    case TABLE_VARIABLES:
        dfl_emit_string(text, eq->x[i].name);
        break;
    case TABLE_CONSTRAINTS:
        dfl_emit_string(text, eq->model->declarations.item[eq->declared.row[i]].name);
        break;
    case TABLE_PAR_NAMES:
        dfl_emit_string(text, source->par[i]->name);
        break;
    case TABLE_PAR_UNITS:
        dfl_emit_string(text, source->par[i]->unit ? source->par[i]->unit : "");
        break;
    case TABLE_PAR_VALUES:
        dfl_print_number(text, is_empty_par(source, id) ? 0 : dfl_source_value(source, i),
                         DFL_TEXT);
        break;
    case TABLE_OUTPUTS:
        dfl_emit_string(text, source->output[i]->name);
        break;
    case TABLE_EVENTS:
        dfl_emit_string(text, source->event[i]->name);
        break;
    case TABLE_DIRECTIONS:
        dfl_text_add(text, "%d", source->event[i]->direction);
        break;
    case TABLE_MASSLESS:
        dfl_text_add(text, "%d", eq->massless.velocity[i]);
        break;
    case TABLE_FRAMES:
        dfl_emit_string(text, eq->model->frames.item[i].name);
        break;
    default:
        dfl_print_number(text, source->start.x[i], DFL_TEXT);
    }
}
