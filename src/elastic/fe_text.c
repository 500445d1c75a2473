/* fe_text.c: nodes, unknowns and matrices of finite elements as text. */
#include "elastic/fe_rows_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct lines {
    dfl_context *ctx;
    const char *file, *at;
    int line;
    char text[400];
} lines;

static bool next_line(lines *l, dfl_status *status);
static dfl_fe_row row_of(const lines *l);
static int numbers(double *out, const char *text, int most);
static bool is_title(const char *text);

dfl_status dfl_fe_read_nodes(dfl_fe *fe, const char *file, const char *text)
{
    lines l = {.ctx = fe->ctx, .file = file, .at = text};
    dfl_status status = DFL_OK;
    bool inside = true, keywords = false; /* within *NODE of an input file */
    while (next_line(&l, &status)) {
        double x[4];
        if (l.text[0] == '*') {
            keywords = keywords || l.text[1] != '*';
            if (l.text[1] != '*') {
                char word[6] = {0};
                for (int i = 0; i < 5 && l.text[1 + i]; i++)
                    word[i] = (char)toupper((unsigned char)l.text[1 + i]);
                const char after = strlen(l.text) > 5 ? l.text[5] : '\0';
                inside = strncmp(word, "NODE", 4) == 0 &&
                         (after == '\0' || after == ',' || isspace((unsigned char)after));
            }
            continue;
        }
        if (!inside || (!keywords && is_title(l.text)))
            continue;
        const dfl_fe_row row = row_of(&l);
        if (numbers(x, l.text, 4) != 4)
            return dfl_fe_wrong_row(fe, &row, "a node has four numbers: node, x, y, z");
        status = dfl_fe_add_node(fe, &row, x);
    }
    if (!status && fe->nnodes == 0)
        status = dfl_fail(fe->ctx, DFL_INVALID, "%s:%d: the file ends without nodes", file, l.line);
    return status;
}

dfl_status dfl_fe_read_unknowns(dfl_fe *fe, const char *file, const char *text)
{
    lines l = {.ctx = fe->ctx, .file = file, .at = text};
    dfl_status status = dfl_fe_begin_unknowns(fe);
    while (next_line(&l, &status)) {
        double x[2];
        const dfl_fe_row row = row_of(&l);
        if (is_title(l.text))
            continue;
        for (char *c = l.text; *c; c++) /* 17.3 is direction 3 of node 17 */
            if (*c == '.')
                *c = ' ';
        if (numbers(x, l.text, 2) != 2)
            x[0] = x[1] = 0.0;
        status = dfl_fe_add_unknown(fe, &row, x);
    }
    return status;
}

dfl_status dfl_fe_read_matrix(dfl_fe *fe, dfl_fe_matrix which, const char *file, const char *text)
{
    lines l = {.ctx = fe->ctx, .file = file, .at = text};
    dfl_status status = DFL_OK;
    fe->file[which] = file;
    while (next_line(&l, &status)) {
        double x[3];
        const dfl_fe_row row = row_of(&l);
        if (is_title(l.text))
            continue;
        if (numbers(x, l.text, 3) != 3)
            x[0] = x[1] = x[2] = 0.0;
        status = dfl_fe_add_entry(fe, which, &row, x);
    }
    if (!status && fe->count[which] == 0)
        status =
            dfl_fail(fe->ctx, DFL_INVALID, "%s:%d: the file ends without entries", file, l.line);
    return status;
}

/* ------------------------------------------------------------------ lines and numbers */

/* The next line that is not empty; false: there is none, or *status is a failure. */
static bool next_line(lines *l, dfl_status *status)
{
    if (*status)
        return false;
    while (*l->at) {
        const size_t length = strcspn(l->at, "\n");
        l->line++;
        if (length >= sizeof l->text) {
            *status =
                dfl_fail(l->ctx, DFL_INVALID, "%s:%d: the line is too long", l->file, l->line);
            return false;
        }
        const char *first = l->at + strspn(l->at, " \t\r");
        const size_t skipped = (size_t)(first - l->at);
        const size_t kept = skipped < length ? length - skipped : 0;
        memcpy(l->text, first, kept);
        l->text[kept] = '\0';
        for (size_t i = kept; i > 0 && isspace((unsigned char)l->text[i - 1]); i--)
            l->text[i - 1] = '\0';
        l->at += length + (l->at[length] == '\n');
        if (l->text[0])
            return true;
    }
    return false;
}

static bool is_title(const char *text)
{
    return text[0] == '#' || text[0] == '"' ||
           (isalpha((unsigned char)text[0]) && strncmp(text, "nan", 3) != 0 &&
            strncmp(text, "inf", 3) != 0);
}

/* Finite numbers; most + 1: there are more; -1: something is none. */
static int numbers(double *out, const char *text, int most)
{
    int count = 0;
    while (*text) {
        char *end;
        const double x = strtod(text, &end);
        if (end == text || !isfinite(x))
            return -1;
        if (count == most)
            return most + 1;
        out[count++] = x;
        text = end + strspn(end, " \t\r");
        if (*text == ',' || *text == ';')
            text += 1 + strspn(text + 1, " \t\r");
        else if (*text && text == end)
            return -1;
    }
    return count;
}

static dfl_fe_row row_of(const lines *l)
{
    return (dfl_fe_row){.file = l->file, .line = l->line, .text = l->text};
}
