/* mode_shape.c: how all unknowns of a model move in a mode. */
#include "study/study_internal.h"

#include <math.h>

void dfl_mode_change(double *re, double *im, const dfl_linearized *linear, const dfl_modes *modes,
                     int number, int k)
{
    const dfl_mode *mode = &modes->mode[number];
    const size_t rows = (size_t)modes->rows;
    const double *a = modes->shape + (size_t)mode->vector * rows;
    const double *b = mode->imaginary >= 0 ? modes->shape + (size_t)mode->imaginary * rows : NULL;
    *re = linear ? 0 : a[k];
    *im = linear || !b ? 0 : b[k];
    for (size_t j = 0; linear && j < rows; j++) {
        const double x = linear->X[j * (size_t)linear->n + (size_t)k];
        *re += x * a[j];
        *im += b ? x * b[j] : 0;
    }
    *im = mode->conjugate ? -*im : *im;
}

void dfl_mode_shape(double *re, double *im, const dfl_linearized *linear, int np,
                    const dfl_modes *modes, int number)
{
    const int n = linear ? linear->n : modes->rows;
    double most[2] = {0, 0};
    for (int i = 0; i < np; i++) {
        dfl_mode_change(&re[i], &im[i], linear, modes, number, n - np + i);
        if (hypot(re[i], im[i]) > hypot(most[0], most[1]) * (1 + 1e-12)) {
            most[0] = re[i];
            most[1] = im[i];
        }
    }
    const double square = most[0] * most[0] + most[1] * most[1];
    for (int i = 0; i < np; i++) {
        const double a = re[i], b = im[i];
        re[i] = square > 0 ? (a * most[0] + b * most[1]) / square : 0;
        im[i] = square > 0 ? (b * most[0] - a * most[1]) / square : 0;
    }
}
