/* coupler.h: four-bar linkages in closed form, for tests. */
#ifndef TESTS_COUPLER_H
#define TESTS_COUPLER_H

#include <math.h>

/* Crank, coupler, rocker and ground; the point of the coupler, along it and beside it. */
typedef struct four_bar {
    double r, c, d, ground, u, v;
} four_bar;

/* Where the point is at crank angle a, with the coupler above the line from crank to ground. */
static inline void coupler_point(double out[2], const four_bar *at, double a)
{
    const double ex = at->r * cos(a), ey = at->r * sin(a), gx = at->ground - ex, gy = -ey;
    const double f = sqrt(gx * gx + gy * gy);
    const double near = (at->c * at->c - at->d * at->d + f * f) / (2 * f);
    const double high = sqrt(at->c * at->c - near * near);
    const double cosine = (near * gx - high * gy) / (f * at->c);
    const double sine = (near * gy + high * gx) / (f * at->c);
    out[0] = ex + at->u * cosine - at->v * sine;
    out[1] = ey + at->u * sine + at->v * cosine;
}

#endif
