/* fe_text.c: nodes, unknowns and matrices of finite elements as text. */
#include "elastic/elastic.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1000000, MOST_ENTRIES = 20000000 };

typedef struct lines {
    dfl_context *ctx;
    const char *file, *at;
    int line;
    char text[400];
} lines;

static bool next_line(lines *l, dfl_status *status);
static int numbers(double *out, const char *text, int most);
static bool whole(int *out, double x, int most);
static dfl_status wrong(const lines *l, const char *what);
static dfl_status add_node(dfl_fe *fe, int *room, const lines *l, const double *x);
static bool is_title(const char *text);

void dfl_fe_clear(dfl_fe *fe)
{
    dfl_free(fe->ctx, fe->id);
    dfl_free(fe->ctx, fe->at);
    dfl_free(fe->ctx, fe->node);
    dfl_free(fe->ctx, fe->direction);
    dfl_free(fe->ctx, fe->entry[0]);
    dfl_free(fe->ctx, fe->entry[1]);
    dfl_free(fe->ctx, fe->point);
    dfl_free(fe->ctx, fe->bar);
    *fe = (dfl_fe){.ctx = fe->ctx};
}

dfl_status dfl_fe_read_nodes(dfl_fe *fe, const char *file, const char *text)
{
    lines l = {.ctx = fe->ctx, .file = file, .at = text};
    dfl_status status = DFL_OK;
    bool inside = true, keywords = false; /* within *NODE of an input file */
    int room = 0;
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
        const int count = numbers(x, l.text, 4);
        if (count != 4)
            return wrong(&l, "a node has four numbers: node, x, y, z");
        status = add_node(fe, &room, &l, x);
        if (status)
            return status;
    }
    if (!status && fe->nnodes == 0)
        status = dfl_fail(fe->ctx, DFL_INVALID, "%s:%d: the file ends without nodes", file, l.line);
    return status;
}

static dfl_status add_node(dfl_fe *fe, int *room, const lines *l, const double *x)
{
    int id;
    if (!whole(&id, x[0], INT_MAX))
        return wrong(l, "the name of a node is a whole number from 1");
    if (fe->nnodes == MOST_NODES)
        return wrong(l, "there are too many nodes");
    if (fe->nnodes == *room) {
        const int more = *room ? 2 * *room : 256;
        int *ids = dfl_alloc(fe->ctx, (size_t)more, sizeof *ids);
        double *at = dfl_alloc(fe->ctx, 3 * (size_t)more, sizeof *at);
        if (ids && at && fe->nnodes > 0) {
            memcpy(ids, fe->id, (size_t)fe->nnodes * sizeof *ids);
            memcpy(at, fe->at, 3 * (size_t)fe->nnodes * sizeof *at);
        }
        if (!ids || !at) {
            dfl_free(fe->ctx, ids);
            dfl_free(fe->ctx, at);
            return DFL_NO_MEMORY;
        }
        dfl_free(fe->ctx, fe->id);
        dfl_free(fe->ctx, fe->at);
        fe->id = ids;
        fe->at = at;
        *room = more;
    }
    fe->id[fe->nnodes] = id;
    memcpy(fe->at + 3 * (size_t)fe->nnodes, x + 1, 3 * sizeof *x);
    fe->nnodes++;
    return DFL_OK;
}

dfl_status dfl_fe_read_unknowns(dfl_fe *fe, const char *file, const char *text)
{
    lines l = {.ctx = fe->ctx, .file = file, .at = text};
    dfl_status status = DFL_OK;
    fe->node = dfl_alloc(fe->ctx, DFL_MOST_FE_DOFS, sizeof *fe->node);
    fe->direction = dfl_alloc(fe->ctx, DFL_MOST_FE_DOFS, sizeof *fe->direction);
    if (!fe->node || !fe->direction)
        return DFL_NO_MEMORY;
    while (next_line(&l, &status)) {
        double x[2];
        int id, direction;
        if (is_title(l.text))
            continue;
        for (char *c = l.text; *c; c++) /* 17.3 is direction 3 of node 17 */
            if (*c == '.')
                *c = ' ';
        if (numbers(x, l.text, 2) != 2 || !whole(&id, x[0], INT_MAX) || !whole(&direction, x[1], 6))
            return wrong(&l, "an unknown is node.direction, with directions from 1 to 6");
        const int node = dfl_fe_find_node(fe, id);
        if (node < 0)
            return wrong(&l, "this node is not among the nodes");
        if (fe->n == DFL_MOST_FE_DOFS)
            return wrong(&l, "there are more than 60000 unknowns");
        fe->node[fe->n] = node;
        fe->direction[fe->n++] = direction - 1;
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
        int row, column;
        if (is_title(l.text))
            continue;
        if (numbers(x, l.text, 3) != 3 || !whole(&row, x[0], DFL_MOST_FE_DOFS) ||
            !whole(&column, x[1], DFL_MOST_FE_DOFS))
            return wrong(&l,
                         "an entry is row, column, value, with rows and columns from 1 to 60000");
        if (fe->count[which] == MOST_ENTRIES)
            return wrong(&l, "there are too many entries");
        if (x[2] == 0.0 && row != column)
            continue;
        status = dfl_fe_add(fe, which,
                            (dfl_fe_entry){row < column ? row - 1 : column - 1,
                                           row < column ? column - 1 : row - 1,
                                           row > column ? -l.line : l.line, x[2]});
        if (status)
            return status;
    }
    if (!status && fe->count[which] == 0)
        status =
            dfl_fail(fe->ctx, DFL_INVALID, "%s:%d: the file ends without entries", file, l.line);
    return status;
}

dfl_status dfl_fe_add(dfl_fe *fe, dfl_fe_matrix which, dfl_fe_entry entry)
{
    dfl_fe_entry *all = dfl_grow(fe->ctx, fe->entry[which], &fe->room[which], fe->count[which],
                                 sizeof *fe->entry[which]);
    if (!all)
        return DFL_NO_MEMORY;
    fe->entry[which] = all;
    all[fe->count[which]++] = entry;
    return DFL_OK;
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

static bool whole(int *out, double x, int most)
{
    const bool fine = x >= 1.0 && x <= most && x == floor(x);
    *out = fine ? (int)x : 0;
    return fine;
}

static dfl_status wrong(const lines *l, const char *what)
{
    return dfl_fail(l->ctx, DFL_INVALID, "%s:%d: '%.60s': %s", l->file, l->line, l->text, what);
}
