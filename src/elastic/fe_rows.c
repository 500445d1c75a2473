/* fe_rows.c: nodes, unknowns and entries of matrices as they come from a text or a data set. */
#include "elastic/fe_rows_internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MOST_NODES = 1000000, MOST_ENTRIES = 20000000 };

static bool whole(int *out, double x, int most);
static dfl_status make_room(dfl_fe *fe);

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
    dfl_free(fe->ctx, fe->edge);
    *fe = (dfl_fe){.ctx = fe->ctx};
}

dfl_status dfl_fe_add_node(dfl_fe *fe, const dfl_fe_row *row, const double *x)
{
    int id;
    if (!whole(&id, x[0], INT_MAX) || !isfinite(x[1] + x[2] + x[3]))
        return dfl_fe_wrong_row(
            fe, row,
            "a node is node, x, y, z: its name is a whole number from 1, its place finite");
    if (fe->nnodes == MOST_NODES)
        return dfl_fe_wrong_row(fe, row, "there are too many nodes");
    if (fe->nnodes == fe->node_room) {
        const dfl_status status = make_room(fe);
        if (status)
            return status;
    }
    fe->id[fe->nnodes] = id;
    memcpy(fe->at + 3 * (size_t)fe->nnodes, x + 1, 3 * sizeof *x);
    fe->nnodes++;
    return DFL_OK;
}

static dfl_status make_room(dfl_fe *fe)
{
    const int more = fe->node_room ? 2 * fe->node_room : 256;
    int *ids = dfl_alloc(fe->ctx, (size_t)more, sizeof *ids);
    double *at = dfl_alloc(fe->ctx, 3 * (size_t)more, sizeof *at);
    if (!ids || !at) {
        dfl_free(fe->ctx, ids);
        dfl_free(fe->ctx, at);
        return DFL_NO_MEMORY;
    }
    if (fe->nnodes > 0) {
        memcpy(ids, fe->id, (size_t)fe->nnodes * sizeof *ids);
        memcpy(at, fe->at, 3 * (size_t)fe->nnodes * sizeof *at);
    }
    dfl_free(fe->ctx, fe->id);
    dfl_free(fe->ctx, fe->at);
    fe->id = ids;
    fe->at = at;
    fe->node_room = more;
    return DFL_OK;
}

dfl_status dfl_fe_begin_unknowns(dfl_fe *fe)
{
    fe->node = dfl_alloc(fe->ctx, DFL_MOST_FE_DOFS, sizeof *fe->node);
    fe->direction = dfl_alloc(fe->ctx, DFL_MOST_FE_DOFS, sizeof *fe->direction);
    return fe->node && fe->direction ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_fe_add_unknown(dfl_fe *fe, const dfl_fe_row *row, const double *x)
{
    int id, direction;
    if (!whole(&id, x[0], INT_MAX) || !whole(&direction, x[1], 6))
        return dfl_fe_wrong_row(fe, row,
                                "an unknown is node.direction, with directions from 1 to 6");
    const int node = dfl_fe_find_node(fe, id);
    if (node < 0)
        return dfl_fe_wrong_row(fe, row, "this node is not among the nodes");
    if (fe->n == DFL_MOST_FE_DOFS)
        return dfl_fe_wrong_row(fe, row, "there are more than 60000 unknowns");
    fe->node[fe->n] = node;
    fe->direction[fe->n++] = direction - 1;
    return DFL_OK;
}

dfl_status dfl_fe_add_entry(dfl_fe *fe, dfl_fe_matrix which, const dfl_fe_row *row, const double *x)
{
    int i, k;
    if (!whole(&i, x[0], DFL_MOST_FE_DOFS) || !whole(&k, x[1], DFL_MOST_FE_DOFS))
        return dfl_fe_wrong_row(
            fe, row, "an entry is row, column, value, with rows and columns from 1 to 60000");
    if (!isfinite(x[2]))
        return dfl_fe_wrong_row(fe, row, "a number is not finite");
    if (fe->count[which] == MOST_ENTRIES)
        return dfl_fe_wrong_row(fe, row, "there are too many entries");
    if (x[2] == 0.0 && i != k)
        return DFL_OK;
    return dfl_fe_add(fe, which,
                      (dfl_fe_entry){i < k ? i - 1 : k - 1, i < k ? k - 1 : i - 1,
                                     i > k ? -row->line : row->line, x[2]});
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

static bool whole(int *out, double x, int most)
{
    const bool fine = x >= 1.0 && x <= most && x == floor(x);
    *out = fine ? (int)x : 0;
    return fine;
}

dfl_status dfl_fe_wrong_row(const dfl_fe *fe, const dfl_fe_row *row, const char *what)
{
    if (row->text)
        return dfl_fail(fe->ctx, DFL_INVALID, "%s:%d: '%.60s': %s", row->file, row->line, row->text,
                        what);
    return dfl_fail(fe->ctx, DFL_INVALID, "%s:%d: %s", row->file, row->line, what);
}
