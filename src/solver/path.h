/* path.h: the continuous output of a step as polynomials in Bernstein's form, whose coefficients
   bound them. */
#ifndef DFL_PATH_H
#define DFL_PATH_H

#include "integrate/integrate.h"

enum { DFL_PATH_DEGREE = 13 }; /* at most */

typedef struct dfl_path {
    int n;     /* unknowns of the user */
    int *used; /* those that are followed, `nused` of them */
    int nused;
    int degree;      /* of the last step */
    double t_old, h; /* the step */
    double *coef;    /* (degree + 1) per unknown */
    double *sample;  /* of all unknowns of the integrator, at one place */
    double *basis;   /* share of the value at each place of a sample in all coefficients */
    double place[DFL_PATH_DEGREE + 1];
    int basis_degree; /* of that matrix; 0: none yet */
} dfl_path;

/* Follows the unknowns with a flag in `uses` (NULL: all); the others keep what their bounds and
   values were. DFL_NO_MEMORY. */
dfl_status dfl_path_init(dfl_path *path, const dfl_system *sys, const bool *uses);
void dfl_path_clear(dfl_path *path, dfl_context *ctx);

/* Takes the last step of `st`. */
void dfl_path_set(dfl_path *path, const dfl_stepper *st);

/* The same step as a polynomial of another degree through states that `sample` writes (n); false:
   it could not. */
bool dfl_path_sample(dfl_path *path, int degree, bool (*sample)(double *x, double t, void *user),
                     void *user);

/* Bounds of the unknowns and of time between the parts a < b of the step, in [0, 1]. */
void dfl_path_bounds(dfl_bounds *x, dfl_bounds *t, const dfl_path *path, double a, double b);

/* The unknowns at the part tau of the step. */
void dfl_path_at(double *x, const dfl_path *path, double tau);

#endif
