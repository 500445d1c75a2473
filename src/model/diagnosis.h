/* diagnosis.h: what `driftless check` reports about a model at its start. */
#ifndef DFL_DIAGNOSIS_H
#define DFL_DIAGNOSIS_H

#include "model/runnable.h"

/* A set of constraints that depend on each other: rows of W (numbers as in dfl_equations). */
typedef struct dfl_dependent_set {
    int count;
    int *rows;
    double *coefficient; /* sum coefficient[i] * row[i] = 0 */
} dfl_dependent_set;

/* A direction of velocity without mass that no constraint holds. */
typedef struct dfl_free_direction {
    double *direction; /* nv */
    bool balanced;     /* its force balance is part of the equations (a massless coordinate) */
} dfl_free_direction;

typedef struct dfl_diagnosis {
    dfl_context *ctx;
    int dof_by_count; /* nv - nl - nm */
    int dof_by_rank;  /* nv - rank W */
    int rank;         /* of W */
    int nsets;
    dfl_dependent_set *sets;
    int ndirections;
    dfl_free_direction *directions;
    /* largest residual of the given values per level, and its row; row -1: no such level */
    struct {
        const char *level; /* "position", "velocity", "nonholonomic", "contact", "auxiliary", ... */
        double residual;
        int row;
        const char *name; /* of the row's declaration */
    } given[8];
    int ngiven;
    dfl_status start; /* of completing the initial values; its message follows */
    char *start_message;
    double *x_given, *x; /* n: before and after; x is NAN where start failed */
} dfl_diagnosis;

dfl_status dfl_diagnose(dfl_diagnosis *out, dfl_runnable *run, double t0);
void dfl_diagnosis_clear(dfl_diagnosis *diagnosis);

#endif
