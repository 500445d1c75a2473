/* json.c: members of JSON objects. */
#include "result/result_internal.h"

void dfl_json_name(dfl_text *text, const char *name)
{
    dfl_json_string(text, name);
    dfl_text_add(text, ": ");
}

void dfl_json_counter(dfl_text *text, const char *name, long value)
{
    dfl_json_name(text, name);
    dfl_text_add(text, "%ld", value);
}

void dfl_json_value(dfl_text *text, const char *name, double value, bool first)
{
    dfl_text_add(text, first ? "" : ", ");
    dfl_json_name(text, name);
    dfl_json_number(text, value);
}
