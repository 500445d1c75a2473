/* fmu_names.c: names and units of an exported model. */
#include "export/fmu_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_letter(char c)
{
    return (unsigned char)c < 128 && (isalpha((unsigned char)c) || c == '_');
}

/* NAME or NAME[1,2]. */
static bool is_identifier(const char *segment, size_t length)
{
    size_t i = 0;
    if (length == 0 || !is_letter(segment[0]))
        return false;
    while (i < length && (is_letter(segment[i]) || isdigit((unsigned char)segment[i])))
        i++;
    if (i == length)
        return true;
    if (segment[i] != '[' || segment[length - 1] != ']' || i + 2 >= length)
        return false;
    for (size_t k = i + 1; k < length - 1; k++)
        if (!isdigit((unsigned char)segment[k]) && segment[k] != ',')
            return false;
    return isdigit((unsigned char)segment[i + 1]) && isdigit((unsigned char)segment[length - 2]);
}

static void add_segments(dfl_text *text, const char *name, size_t length)
{
    for (size_t from = 0; from <= length;) {
        const char *dot = memchr(name + from, '.', length - from);
        const size_t end = dot ? (size_t)(dot - name) : length;
        const bool plain = is_identifier(name + from, end - from);
        dfl_text_add(text, "%s%s%.*s%s", from ? "." : "", plain ? "" : "'", (int)(end - from),
                     name + from, plain ? "" : "'");
        from = end + 1;
    }
}

void dfl_fmu_name(dfl_text *text, const char *name)
{
    const size_t length = strlen(name);
    if (!strncmp(name, "der(", 4) && name[length - 1] == ')') {
        dfl_text_add(text, "der(");
        add_segments(text, name + 4, length - 5);
        dfl_text_add(text, ")");
    } else if (strchr(name, '(')) {
        dfl_text_add(text, "'%s'", name);
    } else {
        add_segments(text, name, length);
    }
}

void dfl_fmu_rate_name(dfl_text *text, const dfl_equations *eq, int i)
{
    const char *name = eq->x[i].name;
    const size_t length = strlen(name);
    const bool second = !strncmp(name, "der(", 4) && name[length - 1] == ')';
    dfl_text_add(text, "der(");
    if (second)
        add_segments(text, name + 4, length - 5);
    else
        dfl_fmu_name(text, name);
    dfl_text_add(text, second ? ",2)" : ")");
}

static bool is_rate_of(const char *rate, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(rate, "der(", 4) && !strncmp(rate + 4, name, length) &&
           !strcmp(rate + 4 + length, ")");
}

int dfl_fmu_velocity_of(const dfl_equations *eq, int p)
{
    const int v = eq->nw + eq->nl + eq->nm + eq->nr;
    for (int i = v; i < v + eq->nv; i++)
        if (is_rate_of(eq->x[i].name, eq->x[p].name))
            return i;
    return -1;
}

void dfl_xml_words(dfl_text *text, const char *words)
{
    for (const char *c = words ? words : ""; *c; c++) {
        if (*c == '&')
            dfl_text_add(text, "&amp;");
        else if (*c == '<')
            dfl_text_add(text, "&lt;");
        else if (*c == '>')
            dfl_text_add(text, "&gt;");
        else if (*c == '"')
            dfl_text_add(text, "&quot;");
        else
            dfl_text_add(text, "%c", (unsigned char)*c < ' ' ? ' ' : *c);
    }
}

void dfl_fmu_unit(char *unit, size_t size, const dfl_equations *eq, int i, bool rate)
{
    const int v = eq->nw + eq->nl + eq->nm + eq->nr;
    const dfl_declaration *decl = dfl_model_owner(eq->model, eq->x[i].symbol);
    const bool multiplier = i >= eq->nw && i < eq->nw + eq->nl + eq->nm;
    const bool of_position = i >= v && i < v + eq->nv && decl && decl->kind == DFL_A_POSITION;
    const int orders = of_position + rate;
    unit[0] = 0;
    if (decl && decl->unit && *decl->unit && !multiplier)
        snprintf(unit, size, "%s%s", decl->unit, orders == 0 ? "" : orders == 1 ? "/s" : "/s2");
}
