/* emit_data.c: the tables of a tape as C source, for tape_data.h. */
#include "symbolic/emit.h"

#include "symbolic/tape_internal.h"

#include <math.h>

void dfl_emit_numbers(dfl_text *text, const char *name, const double *value, size_t count)
{
    dfl_text_add(text, "static const double %s[] = {", name);
    for (size_t i = 0; i < count; i++) {
        dfl_text_add(text, i % 4 ? " " : "\n    ");
        if (isfinite(value[i]))
            dfl_text_add(text, "%.17g,", value[i]);
        else
            dfl_text_add(text, isnan(value[i]) ? "NAN,"
                               : value[i] > 0  ? "INFINITY,"
                                               : "-INFINITY,");
    }
    dfl_text_add(text, "%s};\n", count ? "" : "0");
}

void dfl_emit_string(dfl_text *text, const char *words)
{
    if (!words) {
        dfl_text_add(text, "0");
        return;
    }
    dfl_text_add(text, "\"");
    for (const char *c = words; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\' || byte == '?' || byte < ' ' || byte > '~')
            dfl_text_add(text, "\\%03o", byte);
        else
            dfl_text_add(text, "%c", byte);
    }
    dfl_text_add(text, "\"");
}

static void emit_moves(dfl_text *text, const char *name, const char *part, const dfl_moves *moves)
{
    dfl_text_add(text, "static const dfl_move_data %s_%s[] = {", name, part);
    for (uint32_t i = 0; i < moves->count; i++)
        dfl_text_add(text, "%s{%d, %d, %u, %u},", i % 6 ? " " : "\n    ", moves->move[i].array,
                     moves->move[i].index, (unsigned)moves->move[i].reg,
                     (unsigned)moves->move[i].count);
    dfl_text_add(text, "%s};\n", moves->count ? "" : "{0}");
}

static void emit_code(dfl_text *text, const char *name, const char *part,
                      const dfl_segment *segment, bool wanted)
{
    dfl_text_add(text, "static const uint32_t %s_%s[] = {", name, part);
    for (size_t i = 0; wanted && i < segment->length; i++)
        dfl_text_add(text, "%s%u,", i % 16 ? " " : "\n    ", (unsigned)segment->code[i]);
    dfl_text_add(text, "%s};\n", wanted && segment->length ? "" : "0");
}

void dfl_emit_tape_data(dfl_text *text, const dfl_tape *tape, const char *name, bool evaluated)
{
    dfl_text constants = {.ctx = tape->ctx};
    dfl_text_add(&constants, "%s_constants", name);
    dfl_emit_numbers(text, dfl_text_string(&constants), tape->constants, tape->nconstants);
    emit_moves(text, name, "settings", &tape->settings);
    emit_moves(text, name, "inputs", &tape->inputs);
    emit_moves(text, name, "outputs", &tape->outputs);
    emit_code(text, name, "prepare", &tape->prepare, true);
    emit_code(text, name, "eval", &tape->eval, evaluated);
    dfl_text_add(text, "static const int %s_tables[] = {", name);
    for (int i = 0; i < tape->nsplines; i++)
        dfl_text_add(text, "%d, ", tape->spline_number[i]);
    dfl_text_add(text,
                 "0};\nstatic const dfl_tape_data %s_tape = {\n    %u, %u, %u, %s_constants,\n",
                 name, (unsigned)tape->nregisters, (unsigned)tape->nconstants,
                 (unsigned)tape->first_constant, name);
    dfl_text_add(text, "    {%s_settings, %u}, {%s_inputs, %u}, {%s_outputs, %u},\n", name,
                 (unsigned)tape->settings.count, name, (unsigned)tape->inputs.count, name,
                 (unsigned)tape->outputs.count);
    dfl_text_add(text, "    {%s_prepare, %zu, %u, %u}, {%s_eval, %zu, %u, %u}, %s_tables, %d};\n",
                 name, tape->prepare.length, (unsigned)tape->prepare.first,
                 (unsigned)tape->prepare.count, name, evaluated ? tape->eval.length : (size_t)0,
                 (unsigned)tape->eval.first, (unsigned)tape->eval.count, name, tape->nsplines);
    dfl_text_clear(&constants);
}
