/* template.c: templates of exported code, filled in for a model. */
#include "export/source_internal.h"

#include <string.h>

static bool is_directive(const char *line, const char *word);
static bool holds(const dfl_source *source, const char *condition);
static void fill_line(dfl_text *text, const dfl_source *source, const char *line, size_t length);

/* `skipped`: the number of open #if around a line that is left out, 0 for one that is written. */
void dfl_source_fill(dfl_text *text, const dfl_source *source, const char *pattern)
{
    int skipped = 0;
    while (*pattern) {
        const size_t plain = strcspn(pattern, "\n"), length = plain + (pattern[plain] != 0);
        if (is_directive(pattern, "#if "))
            skipped += skipped > 0 || !holds(source, pattern + 4);
        else if (is_directive(pattern, "#else\n"))
            skipped = skipped > 1 ? skipped : 1 - skipped;
        else if (is_directive(pattern, "#endif\n"))
            skipped -= skipped > 0;
        else if (skipped == 0)
            fill_line(text, source, pattern, length);
        pattern += length;
    }
}

static bool is_directive(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

static bool holds(const dfl_source *source, const char *condition)
{
    const dfl_equations *eq = source->eq;
    const struct {
        const char *name;
        int count;
    } conditions[] = {{"CONSTRAINTS\n", eq->nl + eq->nm},
                      {"HOLONOMIC\n", eq->nl},
                      {"NONHOLONOMIC\n", eq->nm},
                      {"DYNAMIC\n", eq->nr},
                      {"AUXILIARY\n", eq->nw},
                      {"CONTACT\n", eq->ns},
                      {"MOVING\n", eq->nv},
                      {"POSITIONS\n", eq->np},
                      {"SPLIT\n", source->start.svd || source->start.independent},
                      {"PARTITION\n", source->start.independent != NULL},
                      {"PROJECTED\n", !source->start.unprojected},
                      {"BAUMGARTE\n", source->start.alpha != 0 || source->start.beta != 0}};
    size_t i = 0;
    while (!is_directive(condition, conditions[i].name))
        i++;
    return conditions[i].count > 0;
}

static void fill_line(dfl_text *text, const dfl_source *source, const char *line, size_t length)
{
    const char *end = line + length;
    while (line < end) {
        size_t plain = strcspn(line, "@$\n");
        if (line[plain] == '\n' || (line[plain] == '@' && line[plain + 1] == '('))
            plain++;
        dfl_text_bytes(text, line, plain);
        line += plain;
        if (line < end && (*line == '@' || *line == '$'))
            dfl_text_add(text, "%s", *line++ == '@' ? source->name : source->upper);
    }
}
