/* inverse_table.c: a motion with its drives as a table in memory: the columns of a run, drives,
   their powers. */
#include "study/study_internal.h"

#include <stdio.h>
#include <string.h>

static dfl_status name_columns(dfl_inverse_table *it);
static dfl_status add_row(const dfl_inverse_row *row, void *user);

dfl_status dfl_study_inverse_table(dfl_inverse_table *out, dfl_runnable *run,
                                   const dfl_settings *settings)
{
    *out = (dfl_inverse_table){.ctx = ctx_of(run), .eq = eq_of(run)};
    const dfl_status status = dfl_columns_create(&out->columns, out->eq);
    return status ? status : dfl_study_inverse(&out->inverse, run, settings, add_row, out);
}

void dfl_inverse_table_clear(dfl_inverse_table *it)
{
    if (!it->ctx)
        return;
    for (int i = 0; it->names && i < it->ncolumns; i++)
        dfl_free(it->ctx, it->names[i]);
    dfl_free(it->ctx, it->names);
    dfl_free(it->ctx, it->values);
    dfl_columns_clear(&it->columns, it->ctx);
    dfl_inverse_clear(&it->inverse, it->ctx);
    *it = (dfl_inverse_table){0};
}

/* Multipliers of motions are not shown: the drives take their place. */
static bool is_shown(const dfl_inverse_table *it, int column)
{
    const int row = column < it->columns.n ? it->columns.place[column] - it->eq->nw : -1;
    return row < 0 || row >= it->eq->nl || !dfl_is_motion(it->eq, row);
}

static dfl_status name_columns(dfl_inverse_table *it)
{
    const int all = it->columns.n + it->columns.m, nu = it->inverse.nu;
    it->names = dfl_alloc(it->ctx, (size_t)(all + 2 * nu), sizeof *it->names);
    if (!it->names)
        return DFL_NO_MEMORY;
    for (int i = 0; i < all; i++)
        if (is_shown(it, i))
            it->names[it->ncolumns++] = dfl_copy_string(it->ctx, it->columns.names[i]);
    it->nvariables = it->ncolumns;
    for (int i = 0; i < nu; i++)
        it->names[it->ncolumns++] = dfl_copy_string(it->ctx, it->inverse.names[i]);
    for (int i = 0; i < nu; i++) {
        char power[300];
        snprintf(power, sizeof power, "power(%s)", it->inverse.names[i]);
        it->names[it->ncolumns++] = dfl_copy_string(it->ctx, power);
    }
    for (int i = 0; i < it->ncolumns; i++)
        if (!it->names[i])
            return DFL_NO_MEMORY;
    return DFL_OK;
}

static dfl_status add_row(const dfl_inverse_row *row, void *user)
{
    dfl_inverse_table *it = user;
    const int n = it->columns.n, nu = it->inverse.nu;
    const dfl_status status = it->rows == 0 ? name_columns(it) : DFL_OK;
    if (status)
        return status;
    const size_t width = 1 + (size_t)it->ncolumns, used = (size_t)it->rows * width;
    if (it->rows == it->room) {
        const int room = it->room > 0 ? 2 * it->room : 256;
        double *more = dfl_alloc(it->ctx, (size_t)room * width, sizeof *more);
        if (!more)
            return DFL_NO_MEMORY;
        if (used > 0)
            memcpy(more, it->values, used * sizeof *more);
        dfl_free(it->ctx, it->values);
        it->values = more;
        it->room = room;
    }
    double *to = it->values + used;
    *to++ = row->t;
    for (int i = 0; i < n + it->columns.m; i++)
        if (is_shown(it, i))
            *to++ = i < n ? row->x[it->columns.place[i]] : row->outputs[i - n];
    memcpy(to, row->tau, (size_t)nu * sizeof *to);
    memcpy(to + nu, row->power, (size_t)nu * sizeof *to);
    it->rows++;
    return DFL_OK;
}
