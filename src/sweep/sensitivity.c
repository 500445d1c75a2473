/* sensitivity.c: Sobol's indices from Saltelli's design. With f centred and V the variance of f,
     S_i = E f(B) (f(AB_i) - f(A)) / V,    T_i = E (f(A) - f(AB_i))^2 / (2 V),
   Saltelli et al. (2010), Comput. Phys. Commun. 181, 259-270, table 2 (b) and (f). */
#include "sweep/sweep_internal.h"

#include <math.h>
#include <string.h>

/* Sums over the rows of the design that are complete. */
typedef struct sums {
    long rows;
    double mean, square;   /* of f(A) and f(B) */
    double *first, *total; /* of the products above */
} sums;

static bool has_design(const dfl_case_layout *layout);
static bool read_row(double *f, double *results, const dfl_case_file *file, long row, int column);

bool dfl_sensitivity_known(const dfl_case_file *file)
{
    return has_design(dfl_case_file_layout(file));
}

dfl_status dfl_sensitivity(double *first, double *total, const dfl_case_file *file,
                           dfl_context *ctx, int column)
{
    const dfl_case_layout *layout = dfl_case_file_layout(file);
    const int d = layout->list[DFL_CASE_PARAMETERS].count;
    double *f = dfl_alloc(ctx, (size_t)d + 2, sizeof *f);
    double *results = dfl_alloc(ctx, (size_t)layout->list[DFL_CASE_RESULTS].count, sizeof *results);
    const dfl_status status = f && results ? DFL_OK : DFL_NO_MEMORY;
    sums s = {.first = first, .total = total};
    const long rows = layout->cases / (d + 2);
    for (int pass = 0; !status && pass < 2; pass++) { /* the mean, then the rest */
        s.rows = 0;
        for (int i = 0; i < d; i++)
            first[i] = total[i] = 0;
        double sum = 0;
        for (long row = 0; row < rows; row++) {
            if (!read_row(f, results, file, row, column))
                continue;
            s.rows++;
            sum += f[0] + f[1];
            const double a = f[0] - s.mean, b = f[1] - s.mean;
            s.square += pass == 1 ? a * a + b * b : 0;
            for (int i = 0; i < d; i++) {
                first[i] += b * (f[i + 2] - f[0]);
                total[i] += (f[0] - f[i + 2]) * (f[0] - f[i + 2]) / 2;
            }
        }
        if (pass == 0)
            s.mean = sum / (2.0 * (double)s.rows);
    }
    const double variance = s.square / (2.0 * (double)s.rows);
    for (int i = 0; !status && i < d; i++) {
        const bool varies = s.rows > 1 && variance > 1e-24 * (s.mean * s.mean);
        first[i] = varies ? first[i] / (double)s.rows / variance : NAN;
        total[i] = varies ? total[i] / (double)s.rows / variance : NAN;
    }
    dfl_free(ctx, f);
    dfl_free(ctx, results);
    return status;
}

static bool has_design(const dfl_case_layout *layout)
{
    for (int i = 0; i < layout->list[DFL_CASE_DESIGN].count; i++)
        if (!strcmp(layout->list[DFL_CASE_DESIGN].text[i], "design saltelli"))
            return true;
    return false;
}

/* f at A, B, AB_1, ...; false: a case has no result. */
static bool read_row(double *f, double *results, const dfl_case_file *file, long row, int column)
{
    const int d = dfl_case_file_layout(file)->list[DFL_CASE_PARAMETERS].count;
    for (int k = 0; k < d + 2; k++) {
        const long number = row * (d + 2) + k;
        const dfl_case_state state = dfl_case_file_get(file, number, NULL, NULL);
        if (state == DFL_CASE_MISSING || state == DFL_CASE_FAILED ||
            !dfl_case_file_results(results, file, number) || !isfinite(results[column]))
            return false;
        f[k] = results[column];
    }
    return true;
}
