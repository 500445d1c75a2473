/* linear_files.c: linear equations as files of other programs: MAT level 4, and Octave.

   A matrix of MAT level 4 is five numbers of 32 bits (type, rows, columns, 0, length of the name), the name with its
   end, and the numbers by columns; type 1 is text. The bytes are those of this machine, the lowest first. */
#include "cli/cli.h"

#include <stdint.h>
#include <string.h>

static void add_matrix(dfl_text *out, const char *name, int type, const double *A, int rows,
                       int columns);
static void add_list(dfl_text *out, const char *name, const char *const *names, int count);

/* The names of all unknowns; free it. */
static const char **all_names(const cli_near *near, dfl_context *ctx)
{
    const dfl_equations *eq = near->model.eq;
    const char **names = dfl_alloc(ctx, (size_t)eq->n, sizeof *names);
    for (int i = 0; names && i < eq->n; i++)
        names[i] = eq->x[i].name;
    return names;
}

void cli_write_mat(dfl_text *out, const cli_near *near)
{
    const dfl_linear_model *model = &near->linear;
    const int n = near->model.eq->n;
    const dfl_linear_equations at = cli_equations_of(model);
    add_matrix(out, "A", 0, at.A, at.ny, at.ny);
    add_matrix(out, "B", 0, at.B, at.ny, at.nu);
    add_matrix(out, "C", 0, at.C, at.no, at.ny);
    add_matrix(out, "D", 0, at.D, at.no, at.nu);
    add_matrix(out, "t", 0, &model->t, 1, 1);
    add_list(out, "states", model->states, at.ny);
    add_list(out, "inputs", model->inputs, at.nu);
    add_list(out, "outputs", model->outputs, at.no);
    const char **names = model->all.E ? all_names(near, out->ctx) : NULL;
    if (!names)
        return;
    add_matrix(out, "E_all", 0, model->all.E, n, n);
    add_matrix(out, "A_all", 0, model->all.A, n, n);
    add_matrix(out, "B_all", 0, model->all.B, n, at.nu);
    add_list(out, "variables", names, n);
    dfl_free(out->ctx, names);
}

static void add_matrix(dfl_text *out, const char *name, int type, const double *A, int rows,
                       int columns)
{
    const int32_t head[5] = {type, rows, columns, 0, (int32_t)strlen(name) + 1};
    dfl_text_bytes(out, (const char *)head, sizeof head);
    dfl_text_bytes(out, name, strlen(name) + 1);
    dfl_text_bytes(out, (const char *)A, (size_t)rows * (size_t)columns * sizeof *A);
}

/* Texts of equal length, one in each row, as numbers of their characters. */
static void add_list(dfl_text *out, const char *name, const char *const *names, int count)
{
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

static void add_octave_matrix(dfl_text *out, const char *name, const double *A, int rows,
                              int columns)
{
    dfl_text_add(out, "%s = reshape([", name);
    for (int i = 0; i < rows * columns; i++)
        dfl_text_add(out, "%s%.17g", i % 8 ? " " : " ...\n  ", A[i]);
    dfl_text_add(out, "], %d, %d);\n", rows, columns);
}

static void add_octave_names(dfl_text *out, const char *name, const char *const *names, int count)
{
    dfl_text_add(out, "%s = {", name);
    for (int i = 0; i < count; i++)
        dfl_text_add(out, "%s'%s'", i > 0 ? ", " : "", names[i]);
    dfl_text_add(out, "};\n");
}

void cli_write_octave(dfl_text *out, const cli_near *near)
{
    const dfl_linear_model *model = &near->linear;
    const int n = near->model.eq->n;
    const dfl_linear_equations at = cli_equations_of(model);
    dfl_text_add(out, "%% y' = A y + B u, outputs = C y + D u at t = %.17g (%s)\n", model->t,
                 dfl_point_kind_name(model->linear.kind));
    add_octave_matrix(out, "A", at.A, at.ny, at.ny);
    add_octave_matrix(out, "B", at.B, at.ny, at.nu);
    add_octave_matrix(out, "C", at.C, at.no, at.ny);
    add_octave_matrix(out, "D", at.D, at.no, at.nu);
    dfl_text_add(out, "t = %.17g;\n", model->t);
    add_octave_names(out, "states", model->states, at.ny);
    add_octave_names(out, "inputs", model->inputs, at.nu);
    add_octave_names(out, "outputs", model->outputs, at.no);
    const char **names = model->all.E ? all_names(near, out->ctx) : NULL;
    if (!names)
        return;
    add_octave_matrix(out, "E_all", model->all.E, n, n);
    add_octave_matrix(out, "A_all", model->all.A, n, n);
    add_octave_matrix(out, "B_all", model->all.B, n, at.nu);
    add_octave_names(out, "variables", names, n);
    dfl_free(out->ctx, names);
}
