/* checked.h: a model that was looked at. */
#ifndef DFL_CHECKED_H
#define DFL_CHECKED_H

#include "model/run_internal.h"

struct dfl_checked {
    dfl_context *ctx;
    dfl_derived derived;
    dfl_settings settings;
    dfl_diagnosis diagnosis;
    dfl_columns columns;
    dfl_value_at_start *values;
    dfl_finding *findings;
    int nfindings, room;
    dfl_text text, json, lua;
    dfl_check_report report;
};

/* findings.c: makes the list, and frees it. */
dfl_status dfl_checked_list(dfl_checked *it);
void dfl_checked_clear_list(dfl_checked *it);

/* initial_texts.c: the start as a table, JSON, and Lua to paste. */
void dfl_initial_table(dfl_text *text, const dfl_checked *it);
void dfl_initial_json(dfl_text *text, const dfl_checked *it);
void dfl_initial_lua(dfl_text *text, const dfl_checked *it);

#endif
