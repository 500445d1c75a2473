/* adjoint.h: what a run has done, to be followed backwards; between the files of it. */
#ifndef DFL_ADJOINT_H
#define DFL_ADJOINT_H

#include "integrate/tangents.h"

#include <stdio.h>

typedef enum dfl_recorded_kind {
    DFL_RECORDED_START, /* derivatives begin, or begin again after an instant */
    DFL_RECORDED_STEP,
    DFL_RECORDED_WEIGHTS /* of an objective at the present time */
} dfl_recorded_kind;

/* Ranks and selectors, which several steps have in common. */
typedef struct dfl_kept_selection {
    struct dfl_kept_selection *before;
    unsigned char bytes[];
} dfl_kept_selection;

typedef struct dfl_recorded {
    struct dfl_recorded *before;
    dfl_recorded_kind kind;
    int objective;              /* of weights */
    int free;                   /* of a start: directions that were free before it */
    struct dfl_recorded *start; /* the one before, of a start */
    void *kept;                 /* of a start: the branches of the model afterwards */
    struct {
        const dfl_coefficients *rk;
        double t, h;
        double until; /* where it is cut; NAN: it is whole */
        const dfl_kept_selection *selection;
        bool filed; /* its numbers are in the file ... */
        long at;    /* ... there */
    } step;
    double numbers[]; /* start: derivatives after it by all parameters, then R, free x n; step: x at
                         its start, then Z, n lanes; weights: of x, a and the memory */
} dfl_recorded;

struct dfl_adjoint {
    dfl_stepper *st;
    dfl_system *sys;
    dfl_parameters parameters;
    dfl_tangents *wide; /* of all parameters: matrices at the stages, starts */
    int spare;          /* the first of them are not parameters */
    int free;           /* of the next start */
    dfl_recorded *last, *start;
    dfl_kept_selection *selection;
    size_t bytes, limit;
    FILE *file;    /* of steps beyond the limit, or NULL */
    double *filed; /* n (1 + lanes): the numbers of one step */
    int nof;
    double *x, *a, *level, *memory; /* weights, n, nv, ne + nep, nmemory x nof: while going back */
    double *sum;                    /* (count + nmemory) x nof */
    double *y;                      /* n */
    double *R, *columns;            /* n x n each */
    dfl_jacobian weight[DFL_RADAU_STAGES]; /* of all rows at the stages, nof columns */
};

/* The derivatives by all parameters after a start, as columns: Y, A, level, memory. */
int dfl_adjoint_height(const dfl_adjoint *adj);

/* Goes back over a step (adjoint_step.c), over a start (adjoint_start.c). */
dfl_outcome dfl_adjoint_back_step(dfl_adjoint *adj, const dfl_recorded *entry);
dfl_outcome dfl_adjoint_back_start(dfl_adjoint *adj, const dfl_recorded *entry);

/* The numbers of a step. NULL: the file cannot be read. */
const double *dfl_adjoint_numbers(dfl_adjoint *adj, const dfl_recorded *entry);

/* Another entry with room for numbers. NULL: no memory. */
dfl_recorded *dfl_adjoint_add(dfl_adjoint *adj, dfl_recorded_kind kind, size_t numbers);

#endif
