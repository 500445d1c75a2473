/* mode_shape.c: how all unknowns of a model move in a mode. */
#include "study/study_internal.h"

#include <math.h>

void dfl_mode_change(double *re, double *im, const dfl_linearized *linear, const dfl_modes *modes,
                     int number, int k)
{
    const dfl_mode *mode = &modes->mode[number];
    const size_t ny = (size_t)linear->ny;
    *re = *im = 0;
    for (size_t j = 0; j < ny; j++) {
        const double x = linear->X[j * (size_t)linear->n + (size_t)k];
        *re += x * modes->shape[(size_t)mode->vector * ny + j];
        if (mode->imaginary >= 0)
            *im += x * modes->shape[(size_t)mode->imaginary * ny + j];
    }
    *im = mode->conjugate ? -*im : *im;
}

void dfl_mode_shape(double *re, double *im, const dfl_linearized *linear, int np,
                    const dfl_modes *modes, int number)
{
    double most[2] = {0, 0};
    for (int i = 0; i < np; i++) {
        dfl_mode_change(&re[i], &im[i], linear, modes, number, linear->n - np + i);
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
