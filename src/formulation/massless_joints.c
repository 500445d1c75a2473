/* Life and patterns of massless joints (massless_joints.h). */
#include "formulation/massless_joints.h"

#include "context/context.h"

#include <string.h>

/* Larger groups are not worth dense blocks. */
enum { MOST_VELOCITIES = 12, MOST_ROWS = 24, MOST_COLUMNS = 96 };

static dfl_status number_velocities(dfl_massless_joints *j, const unsigned char *massless);
static dfl_status find_groups(dfl_massless_joints *j, bool *fits);
static dfl_status fill_groups(dfl_massless_joints *j, const int *group_of_row);
static dfl_status make_T(dfl_massless_joints *j);
static dfl_status make_W(dfl_massless_joints *j, const int *group_of_row);

dfl_status dfl_massless_joints_init(dfl_massless_joints *j, bool *fits, dfl_context *ctx,
                                    const dfl_csc *W, const unsigned char *massless)
{
    *j = (dfl_massless_joints){.ctx = ctx, .from = W, .nv = W->columns, .nc = W->rows};
    *fits = true;
    const dfl_status status = number_velocities(j, massless);
    return status ? status : find_groups(j, fits);
}

void dfl_massless_joints_clear(dfl_massless_joints *j)
{
    void *const block[] = {
        j->number,  j->velocity, j->group, j->q,    j->row,       j->column,  j->place,   j->entry,
        j->entry_i, j->entry_j,  j->slot,  j->W_at, j->copy_from, j->copy_to, j->W_value, j->out,
        j->T_start, j->T_column, j->T,     j->Q,    j->R,         j->work,    j->top};
    if (!j->ctx)
        return;
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(j->ctx, block[i]);
    dfl_csc_clear(&j->W, j->ctx);
}

static dfl_status number_velocities(dfl_massless_joints *j, const unsigned char *massless)
{
    j->number = dfl_alloc(j->ctx, (size_t)j->nv + 1, sizeof(int));
    j->velocity = dfl_alloc(j->ctx, (size_t)j->nv + 1, sizeof(int));
    if (!j->number || !j->velocity)
        return DFL_NO_MEMORY;
    for (int i = 0; i < j->nv; i++) {
        j->number[i] = massless[i] ? -1 : j->heavy;
        if (!massless[i])
            j->velocity[j->heavy++] = i;
    }
    return DFL_OK;
}

static int root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Rows that share a massless velocity belong to one group. group[i] := its number, -1 for rows
   without such velocities; returns how many there are. */
static int join_rows(int *group, int *parent, const dfl_massless_joints *j)
{
    const dfl_csc *W = j->from;
    int count = 0;
    for (int i = 0; i < j->nc; i++)
        parent[i] = i, group[i] = -2;
    for (int v = 0; v < j->nv; v++)
        for (int k = W->start[v]; j->number[v] < 0 && k < W->start[v + 1]; k++) {
            parent[root(parent, W->row[k])] = root(parent, W->row[W->start[v]]);
            group[W->row[k]] = -1;
        }
    for (int i = 0; i < j->nc; i++)
        if (group[i] == -1 && root(parent, i) == i)
            group[i] = count++;
    for (int i = 0; i < j->nc; i++)
        group[i] = group[i] == -2 ? -1 : group[root(parent, i)];
    return count;
}

static dfl_status find_groups(dfl_massless_joints *j, bool *fits)
{
    int *group = dfl_alloc(j->ctx, (size_t)j->nc + 1, sizeof *group);
    int *parent = dfl_alloc(j->ctx, (size_t)j->nc + 1, sizeof *parent);
    dfl_status status = group && parent ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        j->ngroups = join_rows(group, parent, j);
        j->group = dfl_alloc(j->ctx, (size_t)j->ngroups + 1, sizeof *j->group);
        status = j->group ? fill_groups(j, group) : DFL_NO_MEMORY;
    }
    for (int v = 0; !status && v < j->nv; v++)
        *fits = *fits && (j->number[v] >= 0 || j->from->start[v + 1] > j->from->start[v]);
    for (int g = 0; !status && g < j->ngroups; g++)
        *fits = *fits && j->group[g].nq <= MOST_VELOCITIES && j->group[g].rows <= MOST_ROWS &&
                j->group[g].columns <= MOST_COLUMNS && j->group[g].rows >= j->group[g].nq;
    if (!status && *fits)
        status = make_T(j);
    if (!status && *fits)
        status = make_W(j, group);
    dfl_free(j->ctx, group);
    dfl_free(j->ctx, parent);
    return status;
}

/* Counts into groups, or, with `fill`, numbers into the lists. last[g]: the velocity that was
   counted last. */
static void visit_groups(dfl_massless_joints *j, const int *group_of_row, int *last, bool fill)
{
    const dfl_csc *W = j->from;
    for (int g = 0; g < j->ngroups; g++) {
        last[g] = -1;
        j->group[g].nq = j->group[g].columns = j->group[g].rows = j->group[g].entries = 0;
    }
    for (int i = 0; i < j->nc; i++) {
        dfl_joint_group *g = group_of_row[i] >= 0 ? &j->group[group_of_row[i]] : NULL;
        if (g && fill) {
            j->place[i] = g->rows; /* in the group, for the entries below */
            j->row[g->row + g->rows] = i;
        }
        if (g)
            g->rows++;
    }
    for (int v = 0; v < j->nv; v++)
        for (int k = W->start[v]; k < W->start[v + 1]; k++) {
            const int number = group_of_row[W->row[k]];
            dfl_joint_group *g = number >= 0 ? &j->group[number] : NULL;
            if (!g)
                continue;
            const bool q = j->number[v] < 0;
            if (last[number] != v) {
                if (fill)
                    (q ? j->q + g->q : j->column + g->column)[q ? g->nq : g->columns] = v;
                g->nq += q;
                g->columns += !q;
                last[number] = v;
            }
            if (fill) {
                j->entry[g->entry + g->entries] = k;
                j->entry_i[g->entry + g->entries] = j->place[W->row[k]];
                j->entry_j[g->entry + g->entries] = q ? g->nq - 1 : -g->columns; /* from 1 on */
            }
            g->entries++;
        }
}

static dfl_status fill_groups(dfl_massless_joints *j, const int *group_of_row)
{
    dfl_context *ctx = j->ctx;
    dfl_joint_group sum = {0};
    int *last = dfl_alloc(ctx, (size_t)j->ngroups + 1, sizeof *last), most = 1;
    if (!last)
        return DFL_NO_MEMORY;
    visit_groups(j, group_of_row, last, false);
    for (int i = 0; i < j->ngroups; i++) {
        dfl_joint_group *g = &j->group[i];
        g->q = sum.q, g->row = sum.row, g->column = sum.column, g->entry = sum.entry;
        g->Q = sum.Q, g->R = sum.R;
        sum.q += g->nq, sum.row += g->rows, sum.column += g->columns, sum.entry += g->entries;
        sum.Q += g->rows * g->rows, sum.R += g->nq * g->nq;
        const int room = g->rows * (g->nq + g->columns + g->rows);
        most = room > most ? room : most;
    }
    const size_t entries = (size_t)sum.entry + 1;
    j->q = dfl_alloc(ctx, (size_t)sum.q + 1, sizeof(int));
    j->row = dfl_alloc(ctx, (size_t)sum.row + 1, sizeof(int));
    j->column = dfl_alloc(ctx, (size_t)sum.column + 1, sizeof(int));
    j->place = dfl_alloc(ctx, (size_t)j->nc + 1, sizeof(int));
    j->entry = dfl_alloc(ctx, entries, sizeof(int));
    j->entry_i = dfl_alloc(ctx, entries, sizeof(int));
    j->entry_j = dfl_alloc(ctx, entries, sizeof(int));
    j->Q = dfl_alloc(ctx, (size_t)sum.Q + 1, sizeof(double));
    j->R = dfl_alloc(ctx, (size_t)sum.R + 1, sizeof(double));
    j->work = dfl_alloc(ctx, (size_t)most, sizeof(double));
    j->top = dfl_alloc(ctx, (size_t)(DFL_LANES_OF_SET * MOST_ROWS), sizeof(double));
    const bool room = j->q && j->row && j->column && j->place && j->entry && j->entry_i &&
                      j->entry_j && j->Q && j->R && j->work && j->top;
    if (room)
        visit_groups(j, group_of_row, last, true);
    for (int i = 0; room && i < j->ngroups; i++) /* massless velocities come first */
        for (int k = 0; k < j->group[i].entries; k++) {
            int *column = &j->entry_j[j->group[i].entry + k];
            *column = *column < 0 ? j->group[i].nq - 1 - *column : *column;
        }
    dfl_free(ctx, last);
    return room ? DFL_OK : DFL_NO_MEMORY;
}

static dfl_status make_T(dfl_massless_joints *j)
{
    int count = 0;
    j->T_start = dfl_alloc(j->ctx, (size_t)j->nv + 1, sizeof(int));
    if (!j->T_start)
        return DFL_NO_MEMORY;
    for (int v = 0; v < j->nv; v++)
        j->T_start[v + 1] = j->number[v] >= 0;
    for (int i = 0; i < j->ngroups; i++)
        for (int k = 0; k < j->group[i].nq; k++)
            j->T_start[j->q[j->group[i].q + k] + 1] = j->group[i].columns;
    for (int v = 0; v < j->nv; v++)
        j->T_start[v + 1] += j->T_start[v];
    count = j->T_start[j->nv];
    j->T_column = dfl_alloc(j->ctx, (size_t)count + 1, sizeof(int));
    j->T = dfl_alloc(j->ctx, (size_t)count + 1, sizeof(double));
    if (!j->T_column || !j->T)
        return DFL_NO_MEMORY;
    for (int v = 0; v < j->nv; v++)
        if (j->number[v] >= 0) {
            j->T_column[j->T_start[v]] = j->number[v];
            j->T[j->T_start[v]] = 1;
        }
    for (int i = 0; i < j->ngroups; i++)
        for (int k = 0; k < j->group[i].nq; k++)
            for (int c = 0; c < j->group[i].columns; c++)
                j->T_column[j->T_start[j->q[j->group[i].q + k]] + c] =
                    j->number[j->column[j->group[i].column + c]];
    return DFL_OK;
}

/* Numbers of the remaining rows: single rows first. */
static int number_rows(dfl_massless_joints *j, const int *group_of_row)
{
    int rows = 0;
    for (int i = 0; i < j->nc; i++)
        j->slot[i] = group_of_row[i] < 0 ? rows++ : -1;
    for (int i = 0; i < j->ngroups; i++) {
        j->group[i].slot = rows;
        rows += j->group[i].rows - j->group[i].nq;
    }
    return rows;
}

/* The places of entries of the remaining rows, those of single rows first. */
static int list_places(dfl_place_of_entry *list, dfl_massless_joints *j)
{
    int count = 0;
    for (int v = 0; v < j->nv; v++)
        for (int k = j->from->start[v]; k < j->from->start[v + 1]; k++)
            if (j->slot[j->from->row[k]] >= 0) {
                if (list) {
                    list[count] = (dfl_place_of_entry){j->slot[j->from->row[k]], j->number[v]};
                    j->copy_from[count] = k;
                }
                count++;
            }
    j->ncopies = count;
    for (int i = 0; i < j->ngroups; i++) {
        dfl_joint_group *g = &j->group[i];
        g->W_at = count - j->ncopies;
        for (int p = 0; p < g->rows - g->nq; p++)
            for (int c = 0; c < g->columns; c++, count++)
                if (list)
                    list[count] =
                        (dfl_place_of_entry){g->slot + p, j->number[j->column[g->column + c]]};
    }
    return count;
}

static dfl_status make_W(dfl_massless_joints *j, const int *group_of_row)
{
    dfl_context *ctx = j->ctx;
    j->slot = dfl_alloc(ctx, (size_t)j->nc + 1, sizeof(int));
    if (!j->slot)
        return DFL_NO_MEMORY;
    const int rows = number_rows(j, group_of_row), count = list_places(NULL, j);
    dfl_place_of_entry *list = dfl_alloc(ctx, (size_t)count + 1, sizeof *list);
    int *at = dfl_alloc(ctx, (size_t)count + 1, sizeof *at);
    j->copy_from = dfl_alloc(ctx, (size_t)j->ncopies + 1, sizeof(int));
    j->copy_to = at;
    j->out = dfl_alloc(ctx, (size_t)rows + 1, 1);
    dfl_status status = list && at && j->copy_from && j->out ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        list_places(list, j);
        status = dfl_csc_create(&j->W, at, ctx, rows, j->heavy, list, count);
    }
    dfl_free(ctx, list);
    if (status)
        return status;
    const size_t entries = (size_t)j->W.start[j->heavy];
    j->W_value = dfl_alloc(ctx, entries + 1, sizeof(double));
    j->W_at = dfl_alloc(ctx, (size_t)(count - j->ncopies) + 1, sizeof(int));
    if (!j->W_value || !j->W_at)
        return DFL_NO_MEMORY;
    memcpy(j->W_at, at + j->ncopies, (size_t)(count - j->ncopies) * sizeof(int));
    return DFL_OK;
}
