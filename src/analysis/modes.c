/* modes.c: eigenvalues of linear equations as modes: frequency, damping, stability. */
#include "analysis/analysis_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void describe(dfl_mode *mode, const dfl_eigen *eigen, int i);
static int compare(const void *a, const void *b);

dfl_status dfl_modes_find(dfl_modes *out, dfl_context *ctx, int n, const double *A)
{
    dfl_eigen eigen;
    *out = (dfl_modes){.ctx = ctx, .count = n, .rows = n};
    dfl_status status = dfl_eigen_find(&eigen, ctx, n, A);
    if (!status) {
        out->mode = dfl_alloc(ctx, (size_t)n, sizeof *out->mode);
        out->shape = eigen.right;
        eigen.right = NULL;
        status = out->mode ? DFL_OK : DFL_NO_MEMORY;
    }
    for (int i = 0; !status && i < n; i++)
        describe(&out->mode[i], &eigen, i);
    if (!status)
        status = dfl_modes_mark_secular(out, A);
    if (!status)
        dfl_modes_sort(out);
    dfl_eigen_clear(&eigen);
    return status;
}

void dfl_modes_clear(dfl_modes *modes)
{
    if (!modes->ctx)
        return;
    dfl_free(modes->ctx, modes->mode);
    dfl_free(modes->ctx, modes->shape);
    *modes = (dfl_modes){0};
}

void dfl_modes_sort(dfl_modes *modes)
{
    for (int i = 0; i < modes->count; i++) {
        const dfl_mode *mode = &modes->mode[i];
        modes->unstable += mode->re > mode->doubt && !mode->secular;
        modes->indifferent += hypot(mode->re, mode->im) <= mode->doubt;
    }
    if (modes->count > 0)
        qsort(modes->mode, (size_t)modes->count, sizeof *modes->mode, compare);
}

dfl_mode dfl_mode_of(double re, double im, double doubt)
{
    const double size = hypot(re, im);
    return (dfl_mode){.re = re,
                      .im = im,
                      .hz = fabs(im) / (2 * 3.14159265358979323846),
                      .damping = size > doubt ? -re / size : NAN,
                      .doubt = doubt};
}

static void describe(dfl_mode *mode, const dfl_eigen *eigen, int i)
{
    const double im = eigen->im[i];
    const bool second = im < 0; /* of a pair */
    *mode = dfl_mode_of(eigen->re[i], im, eigen->doubt[i]);
    mode->vector = second ? i - 1 : i;
    mode->imaginary = im == 0 ? -1 : second ? i : i + 1;
    mode->conjugate = second;
}

/* By |im|, then by re, then the positive imaginary part first. */
static int compare(const void *a, const void *b)
{
    const dfl_mode *x = a, *y = b;
    if (fabs(x->im) != fabs(y->im))
        return fabs(x->im) < fabs(y->im) ? -1 : 1;
    if (x->re != y->re)
        return x->re < y->re ? -1 : 1;
    return (x->im < y->im) - (x->im > y->im);
}
