/* initial_texts.c: consistent initial values as a table, JSON, and Lua to paste. */
#include "model/checked.h"

#include <ctype.h>
#include <string.h>

static void write_lua_entry(dfl_text *text, const char *name, double value, bool first);
static bool is_identifier(const char *name);

void dfl_initial_table(dfl_text *text, const dfl_checked *it)
{
    dfl_text_add(text, "%-24s %24s %24s\n", "name", "given", "completed");
    for (int i = 0; i < it->columns.n; i++) {
        const dfl_value_at_start *value = &it->values[i];
        dfl_text_add(text, "%-24s %24.17g %24.17g%s\n", it->columns.names[i], value->given,
                     value->completed, value->held ? "  held" : "");
    }
}

void dfl_initial_json(dfl_text *text, const dfl_checked *it)
{
    dfl_text_add(text, "{\"model\": ");
    dfl_json_string(text, it->derived.model->name);
    dfl_text_add(text, ", \"t\": ");
    dfl_json_number(text, it->settings.from);
    dfl_text_add(text, ", \"variables\": [");
    for (int i = 0; i < it->columns.n; i++) {
        const dfl_value_at_start *value = &it->values[i];
        dfl_text_add(text, "%s\n  {\"name\": ", i > 0 ? "," : "");
        dfl_json_string(text, it->columns.names[i]);
        dfl_text_add(text, ", \"given\": ");
        dfl_json_number(text, value->given);
        dfl_text_add(text, ", \"completed\": ");
        dfl_json_number(text, value->completed);
        dfl_text_add(text, ", \"held\": %s}", value->held ? "true" : "false");
    }
    dfl_text_add(text, "]}\n");
}

/* States are held; what they determine (w and multipliers, the last columns) is a guess. */
void dfl_initial_lua(dfl_text *text, const dfl_checked *it)
{
    int held = 0;
    while (held < it->columns.n && strcmp(it->columns.kinds[held], "auxiliary") != 0 &&
           strcmp(it->columns.kinds[held], "multiplier") != 0)
        held++;
    dfl_text_add(text, "initial{");
    for (int i = 0; i < it->columns.n; i++) {
        if (i == held)
            dfl_text_add(text, " }\nguess{");
        write_lua_entry(text, it->values[i].name, it->values[i].completed, i == 0 || i == held);
    }
    dfl_text_add(text, " }\n");
}

static void write_lua_entry(dfl_text *text, const char *name, double value, bool first)
{
    const bool plain = is_identifier(name);
    dfl_text_add(text, "%s %s%s%s = %.17g", first ? "" : ",", plain ? "" : "[\"", name,
                 plain ? "" : "\"]", value);
}

/* Keywords of Lua cannot be used as names; brackets and quotation marks always work. */
static bool is_identifier(const char *name)
{
    static const char *const words[] = {"and",   "break", "do",       "else", "elseif", "end",
                                        "false", "for",   "function", "goto", "if",     "in",
                                        "local", "nil",   "not",      "or",   "repeat", "return",
                                        "then",  "true",  "until",    "while"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i]))
            return false;
    if (isdigit((unsigned char)name[0]))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}
