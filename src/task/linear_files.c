/* linear_files.c: linear equations as files of other programs: MAT level 4, Octave, HDF5.

   A matrix of MAT level 4 is five numbers of 32 bits (type, rows, columns, 0, length of the name),
   the name with its end, and the numbers by columns; type 1 is text. The bytes are those of this
   machine, the lowest first. */
#include "task/task_internal.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A kind of file: how it takes a matrix, and a list of names. */
typedef struct sink {
    void (*matrix)(void *to, const char *name, const double *A, int rows, int columns);
    void (*names)(void *to, const char *name, const char *const *names, int count);
    void *to;
    int number; /* in a series, which all names end with: A_1, ...; 0: alone */
} sink;

static const char *name_in_series(char *full, size_t size, const sink *file, const char *name)
{
    if (file->number)
        snprintf(full, size, "%s_%d", name, file->number);
    else
        snprintf(full, size, "%s", name);
    return full;
}

static void put_matrix(const sink *file, const char *name, const double *A, int rows, int columns)
{
    char full[40];
    file->matrix(file->to, name_in_series(full, sizeof full, file, name), A, rows, columns);
}

static void put_names(const sink *file, const char *name, const char *const *names, int count)
{
    char full[40];
    file->names(file->to, name_in_series(full, sizeof full, file, name), names, count);
}

/* The names of all unknowns; free it. */
static const char **all_names(const dfl_task_state *near, dfl_context *ctx)
{
    const dfl_equations *eq = near->model.eq;
    const char **names = dfl_alloc(ctx, (size_t)eq->n, sizeof *names);
    for (int i = 0; names && i < eq->n; i++)
        names[i] = eq->x[i].name;
    return names;
}

/* Everything that a file holds. */
static void hand_over(const sink *file, const dfl_task_state *near, dfl_context *ctx)
{
    const dfl_linear_model *model = &near->linear;
    const int n = near->model.eq->n;
    const dfl_linear_equations at = dfl_linear_model_equations(model);
    put_matrix(file, "A", at.A, at.ny, at.ny);
    put_matrix(file, "B", at.B, at.ny, at.nu);
    put_matrix(file, "C", at.C, at.no, at.ny);
    put_matrix(file, "D", at.D, at.no, at.nu);
    put_matrix(file, "t", &model->t, 1, 1);
    put_names(file, "states", model->states, at.ny);
    put_names(file, "inputs", model->inputs, at.nu);
    put_names(file, "outputs", model->outputs, at.no);
    const char **names = model->all.E ? all_names(near, ctx) : NULL;
    if (!names)
        return;
    put_matrix(file, "E_all", model->all.E, n, n);
    put_matrix(file, "A_all", model->all.A, n, n);
    put_matrix(file, "B_all", model->all.B, n, at.nu);
    put_names(file, "variables", names, n);
    dfl_free(ctx, names);
}

static void add_matrix(dfl_text *out, const char *name, int type, const double *A, int rows,
                       int columns)
{
    const int32_t head[5] = {type, rows, columns, 0, (int32_t)strlen(name) + 1};
    dfl_text_bytes(out, (const char *)head, sizeof head);
    dfl_text_bytes(out, name, strlen(name) + 1);
    dfl_text_bytes(out, (const char *)A, (size_t)rows * (size_t)columns * sizeof *A);
}

static void add_mat_matrix(void *to, const char *name, const double *A, int rows, int columns)
{
    add_matrix(to, name, 0, A, rows, columns);
}

/* Texts of equal length, one in each row, as numbers of their characters. */
static void add_mat_names(void *to, const char *name, const char *const *names, int count)
{
    dfl_text *out = to;
    size_t length = 0;
    for (int i = 0; i < count; i++)
        length = strlen(names[i]) > length ? strlen(names[i]) : length;
    double *letters = dfl_alloc(out->ctx, length * (size_t)count, sizeof *letters);
    if (!letters) {
        out->status = DFL_NO_MEMORY;
        return;
    }
    for (int i = 0; i < count; i++)
        for (size_t j = 0; j < length; j++)
            letters[j * (size_t)count + (size_t)i] =
                j < strlen(names[i]) ? (unsigned char)names[i][j] : ' ';
    add_matrix(out, name, 1, letters, count, (int)length);
    dfl_free(out->ctx, letters);
}

void dfl_task_write_mat(dfl_text *out, const dfl_task_state *near, int number)
{
    hand_over(&(sink){add_mat_matrix, add_mat_names, out, number}, near, out->ctx);
}

static void add_octave_matrix(void *to, const char *name, const double *A, int rows, int columns)
{
    dfl_text *out = to;
    dfl_text_add(out, "%s = reshape([", name);
    for (int i = 0; i < rows * columns; i++)
        dfl_text_add(out, "%s%.17g", i % 8 ? " " : " ...\n  ", A[i]);
    dfl_text_add(out, "], %d, %d);\n", rows, columns);
}

static void add_octave_names(void *to, const char *name, const char *const *names, int count)
{
    dfl_text *out = to;
    dfl_text_add(out, "%s = {", name);
    for (int i = 0; i < count; i++)
        dfl_text_add(out, "%s'%s'", i > 0 ? ", " : "", names[i]);
    dfl_text_add(out, "};\n");
}

void dfl_task_write_octave(dfl_text *out, const dfl_task_state *near, int number)
{
    dfl_text_add(out, "%% y' = A y + B u, outputs = C y + D u at t = %.17g (%s)\n", near->linear.t,
                 dfl_point_kind_name(near->linear.linear.kind));
    hand_over(&(sink){add_octave_matrix, add_octave_names, out, number}, near, out->ctx);
}

static void add_h5_matrix(void *to, const char *name, const double *A, int rows, int columns)
{
    dfl_matrix_file_put(to, name, A, rows, columns);
}

static void add_h5_names(void *to, const char *name, const char *const *names, int count)
{
    dfl_matrix_file_names(to, name, names, count);
}

void dfl_task_write_h5(dfl_matrix_file *out, const dfl_task_state *near)
{
    hand_over(&(sink){add_h5_matrix, add_h5_names, out, 0}, near, near->linear.linear.ctx);
}
