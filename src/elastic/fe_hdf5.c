/* fe_hdf5.c: nodes, unknowns and matrices of finite elements as data sets of an HDF5 file. */
#include "elastic/fe_rows_internal.h"
#include "hdf/hdf.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 20000000, BLOCK = 4096 /* numbers that are read at once, at least a row */ };

typedef struct source {
    dfl_fe *fe;
    dfl_fe_part part;
    const char *label;
    dfl_h5_table table;
} source;

static dfl_fe_matrix matrix_of(dfl_fe_part part);
static dfl_status read_set(source *s, dfl_h5_file *file, const char *set);
static dfl_status check_size(const source *s, const char *set);
static dfl_status take_rows(const source *s, const double *block, int first, int count);
static dfl_status take_row(const source *s, const double *x, int row);
static bool is_whole_matrix(const source *s);

bool dfl_fe_is_hdf5(const char *bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "\211HDF\r\n\032\n", 8) == 0;
}

dfl_status dfl_fe_read_hdf5(dfl_fe *fe, dfl_fe_part part, const char *label, const char *set,
                            const char *bytes, size_t size)
{
    source s = {.fe = fe, .part = part, .label = label};
    dfl_h5_file file;
    dfl_h5_quiet quiet;
    dfl_status status = DFL_OK;
    if (part >= DFL_FE_PART_STIFFNESS)
        fe->file[matrix_of(part)] = label;
    dfl_h5_silence(&quiet);
    if (!dfl_fe_is_hdf5(bytes, size) || !dfl_h5_open_bytes(&file, fe->ctx, label, bytes, size))
        status =
            dfl_fail(fe->ctx, DFL_INVALID, "%s: this is no HDF5 file, or a damaged one", label);
    else
        status = read_set(&s, &file, set);
    if (!status && quiet.no_memory)
        status = DFL_NO_MEMORY;
    dfl_h5_speak(&quiet);
    return status;
}

static dfl_fe_matrix matrix_of(dfl_fe_part part)
{
    return part == DFL_FE_PART_MASS ? DFL_FE_MASS : DFL_FE_STIFFNESS;
}

/* By blocks of rows; the file is closed. */
static dfl_status read_set(source *s, dfl_h5_file *file, const char *set)
{
    dfl_context *ctx = s->fe->ctx;
    s->table = dfl_h5_open_table(file, set + strspn(set, "/"));
    dfl_status status = file->status ? file->status : check_size(s, set);
    if (!status && s->part == DFL_FE_PART_UNKNOWNS)
        status = dfl_fe_begin_unknowns(s->fe);
    const int rows = (int)s->table.rows, columns = s->table.columns;
    const int some = status || columns > BLOCK ? 1 : BLOCK / columns;
    double *block = status ? NULL : dfl_alloc(ctx, (size_t)some * (size_t)columns, sizeof *block);
    if (!status && !block)
        status = DFL_NO_MEMORY;
    for (int first = 0; first < rows && !status; first += some) {
        const int count = rows - first < some ? rows - first : some;
        if (dfl_h5_get_rows(block, &s->table, (hsize_t)first, (hsize_t)count))
            status = take_rows(s, block, first, count);
        else
            status = dfl_fail(ctx, DFL_INVALID, "%s: its rows cannot be read", s->label);
    }
    dfl_free(ctx, block);
    dfl_h5_close_table(&s->table);
    dfl_h5_close_file(file);
    return status;
}

static bool is_whole_matrix(const source *s)
{
    return s->part >= DFL_FE_PART_STIFFNESS && s->table.columns != 3 &&
           s->table.rows == (hsize_t)s->table.columns;
}

/* Before any memory is taken. */
static dfl_status check_size(const source *s, const char *set)
{
    static const struct {
        int columns;
        const char *what;
    } wanted[] = {
        {4, "nodes have rows of 4 numbers: node, x, y, z"},
        {2, "unknowns have rows of 2 numbers: node, direction"},
        {3, "a matrix has rows of 3 numbers: row, column, value; or as many rows as columns"},
        {3, "a matrix has rows of 3 numbers: row, column, value; or as many rows as columns"}};
    const dfl_h5_table *t = &s->table;
    dfl_context *ctx = s->fe->ctx;
    if (t->data < 0 || t->rows < 1)
        return dfl_fail(ctx, DFL_INVALID, "%s: the file has no data set '%s' of numbers in rows",
                        s->label, set);
    const bool whole = is_whole_matrix(s);
    if (!whole && t->columns != wanted[s->part].columns)
        return dfl_fail(ctx, DFL_INVALID, "%s: it has %.0f rows of %d numbers; %s", s->label,
                        (double)t->rows, t->columns, wanted[s->part].what);
    if (t->rows > (whole ? DFL_MOST_FE_DOFS : MOST_ROWS))
        return dfl_fail(ctx, DFL_INVALID, "%s: %.0f rows are more than the %d that are read",
                        s->label, (double)t->rows, whole ? DFL_MOST_FE_DOFS : MOST_ROWS);
    return DFL_OK;
}

static dfl_status take_rows(const source *s, const double *block, int first, int count)
{
    dfl_status status = DFL_OK;
    for (int k = 0; k < count && !status; k++)
        status = take_row(s, block + (size_t)k * (size_t)s->table.columns, first + k + 1);
    return status;
}

static dfl_status take_row(const source *s, const double *x, int row)
{
    const dfl_fe_row from = {.file = s->label, .line = row};
    const dfl_fe_matrix which = matrix_of(s->part);
    if (s->part == DFL_FE_PART_NODES)
        return dfl_fe_add_node(s->fe, &from, x);
    if (s->part == DFL_FE_PART_UNKNOWNS)
        return dfl_fe_add_unknown(s->fe, &from, x);
    if (!is_whole_matrix(s))
        return dfl_fe_add_entry(s->fe, which, &from, x);
    dfl_status status = DFL_OK;
    for (int k = 0; k < s->table.columns && !status; k++)
        if (x[k] != 0.0)
            status = dfl_fe_add_entry(s->fe, which, &from, (double[]){row, k + 1, x[k]});
    return status;
}
