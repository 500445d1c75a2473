/* sensitivity.c: Sobol's indices from Saltelli's design. With f centred and V the variance of f,
     S_i = E f(B) (f(AB_i) - f(A)) / V,    T_i = E (f(A) - f(AB_i))^2 / (2 V),
   Saltelli et al. (2010), Comput. Phys. Commun. 181, 259-270, table 2 (b) and (f). */
#include "sweep/sweep_internal.h"

#include <math.h>
#include <string.h>

typedef enum row_state { COMPLETE, WITHOUT_CASE, WITHOUT_RESULT } row_state;

static row_state read_row(double *f, double *results, const dfl_case_file *file, long row,
                          int column);

bool dfl_sensitivity_known(const dfl_case_file *file)
{
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    for (int i = 0; i < layout->list[DFL_CASE_DESIGN].count; i++)
        if (!strcmp(layout->list[DFL_CASE_DESIGN].text[i], "design saltelli"))
            return true;
    return false;
}

bool dfl_samples_known(const dfl_case_file *file)
{
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    bool sampled = false, ranges = false;
    for (int i = 0; i < layout->list[DFL_CASE_DESIGN].count; i++) {
        sampled = sampled || !strncmp(layout->list[DFL_CASE_DESIGN].text[i], "sample ", 7);
        ranges = ranges || !strncmp(layout->list[DFL_CASE_DESIGN].text[i], "over ", 5);
    }
    return sampled && !ranges && !dfl_sensitivity_known(file);
}

dfl_status dfl_sensitivity(double *first, double *total, const dfl_case_file *file,
                           dfl_context *ctx, int column)
{
    dfl_sample_rows rows;
    const dfl_status status = dfl_sensitivity_rows(&rows, file, ctx, column);
    double *both = dfl_alloc(ctx, 2 * (size_t)rows.width, sizeof *both);
    if (!status && both) {
        const int d = rows.width - 2;
        dfl_sobol_indices(both, &rows, NULL);
        memcpy(first, both, (size_t)d * sizeof *both);
        memcpy(total, both + d, (size_t)d * sizeof *both);
    }
    dfl_free(ctx, both);
    dfl_free(ctx, rows.value);
    return status ? status : both ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_sensitivity_rows(dfl_sample_rows *out, const dfl_case_file *file, dfl_context *ctx,
                                int column)
{
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    const int width = layout->list[DFL_CASE_PARAMETERS].count + 2;
    const long rows = layout->cases / width;
    double *results = dfl_alloc(ctx, (size_t)layout->list[DFL_CASE_RESULTS].count, sizeof *results);
    *out = (dfl_sample_rows){
        .width = width, .value = dfl_alloc(ctx, (size_t)rows * (size_t)width, sizeof *out->value)};
    for (long row = 0; results && out->value && row < rows; row++) {
        const row_state state =
            read_row(out->value + out->count * width, results, file, row, column);
        if (state == WITHOUT_RESULT) { /* as the time of an event that some runs have not */
            out->count = 0;
            break;
        }
        out->count += state == COMPLETE;
    }
    dfl_free(ctx, results);
    return results && out->value ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_sobol_indices(double *out, const dfl_sample_rows *rows, const dfl_resample *pick)
{
    const int d = rows->width - 2;
    double *first = out, *total = out + d;
    double sum = 0, square = 0;
    for (long row = 0; row < rows->count; row++) {
        const double *f = dfl_sample_row(rows, pick, row);
        sum += f[0] + f[1];
    }
    const double mean = sum / (2.0 * (double)rows->count);
    memset(out, 0, 2 * (size_t)d * sizeof *out);
    for (long row = 0; row < rows->count; row++) {
        const double *f = dfl_sample_row(rows, pick, row);
        const double a = f[0] - mean, b = f[1] - mean;
        square += a * a + b * b;
        for (int i = 0; i < d; i++) {
            first[i] += b * (f[i + 2] - f[0]);
            total[i] += (f[0] - f[i + 2]) * (f[0] - f[i + 2]) / 2;
        }
    }
    const double variance = square / (2.0 * (double)rows->count);
    const bool varies = rows->count > 1 && variance > 1e-24 * (mean * mean);
    for (int i = 0; i < 2 * d; i++)
        out[i] = varies ? out[i] / (double)rows->count / variance : NAN;
}

/* f at A, B, AB_1, ...; a case may have failed, or be complete without the result. */
static row_state read_row(double *f, double *results, const dfl_case_file *file, long row,
                          int column)
{
    const int d = dfl_case_file_layout(file)->list[DFL_CASE_PARAMETERS].count;
    for (int k = 0; k < d + 2; k++) {
        const long number = row * (d + 2) + k;
        const dfl_case_state state = dfl_case_file_get(file, number, NULL, NULL);
        if (state == DFL_CASE_MISSING || state == DFL_CASE_FAILED ||
            !dfl_case_file_results(results, file, number))
            return WITHOUT_CASE;
        if (!isfinite(results[column]))
            return WITHOUT_RESULT;
        f[k] = results[column];
    }
    return COMPLETE;
}
