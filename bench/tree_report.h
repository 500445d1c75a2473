/* tree_report.h: how a library is measured on one model of tree_models.h, and its results for
   comparison with those of the others; C and C++. bench/tree_compare.py runs the programs that
   include this. usage: PROGRAM MODEL N [values] */
#ifndef TREE_REPORT_H
#define TREE_REPORT_H

#include "tree_models.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Larger mass matrices are not measured where they are dense. */
enum { TREE_MOST_DENSE = 1023 };

typedef struct tree_case {
    const char *library;
    int shape, n, nv;
    double bytes; /* of the model and what an evaluation needs, without states */
    void *model;
} tree_case;

/* A thing to measure. After call(model, 0) the function `values` writes what came out for the
   revolute joints, in the order of the bodies, and returns how many numbers these are, at most n +
   1. For mass matrices these are M v of the first state, then v^T M v: no axes of a base enter. */
typedef struct tree_task {
    const char
        *what; /* FD: accelerations from forces, ID: forces from accelerations, M: mass matrix */
    void (*call)(void *model, int state);
    int (*values)(double *y, void *model);
    int at_once; /* states that one call evaluates */
} tree_task;

/* Bytes on the heap. */
static inline double tree_heap(void)
{
    const struct mallinfo2 heap = mallinfo2();
    return (double)heap.uordblks + (double)heap.hblkhd;
}

static inline double tree_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of batches of about 0.5 ms during 0.06 seconds, in seconds of CPU time per call. No
   state comes twice in a row: some libraries keep results. */
static inline double tree_time(void (*call)(void *model, int state), void *model, int states)
{
    double start = tree_now(), best = 1e9;
    call(model, 0);
    int batch = (int)(5e-4 / fmax(tree_now() - start, 1e-8)), k = 1;
    batch = batch < 1 ? 1 : batch;
    const double begin = tree_now();
    for (int run = 0; run < 2 || tree_now() - begin < 0.06; run++) {
        start = tree_now();
        for (int i = 0; i < batch; i++, k = k + 1 < states ? k + 1 : 0)
            call(model, k);
        best = fmin(best, (tree_now() - start) / batch);
    }
    return best;
}

static inline void tree_print_values(const tree_case *c, const tree_task *task)
{
    double *y = (double *)calloc((size_t)c->n + 1, sizeof *y);
    if (!y)
        exit(1);
    task->call(c->model, 0);
    const int n = task->values(y, c->model);
    printf("{\"library\":\"%s\",\"what\":\"%s\",\"values\":[", c->library, task->what);
    for (int i = 0; i < n; i++)
        printf(i ? ",%.17g" : "%.17g", y[i]);
    printf("]}\n");
    free(y);
}

static inline void tree_print_time(const tree_case *c, const tree_task *task)
{
    const double seconds = tree_time(task->call, c->model, tree_states(c->n)) / task->at_once;
    printf("{\"library\":\"%s\",\"model\":\"%s\",\"N\":%d,\"nv\":%d,\"what\":\"%s\","
           "\"ns_per_body\":%.2f,\"bytes_per_body\":%.0f}\n",
           c->library, tree_shape_name[c->shape], c->n, c->nv, task->what, 1e9 * seconds / c->n,
           c->bytes / c->n);
}

/* One JSON line per task: its values or its time. */
static inline void tree_report(const tree_case *c, const tree_task *tasks, int ntasks, int values)
{
    for (int i = 0; i < ntasks; i++) {
        if (values)
            tree_print_values(c, &tasks[i]);
        else
            tree_print_time(c, &tasks[i]);
        fflush(stdout);
    }
}

/* Reads MODEL N [values]; ends the program if there is no such model. */
static inline void tree_arguments(int *shape, int *n, int *values, int argc, char **argv)
{
    *shape = 0;
    while (argc > 2 && *shape < TREE_SHAPES && strcmp(argv[1], tree_shape_name[*shape]))
        ++*shape;
    *n = argc > 2 ? atoi(argv[2]) : 0;
    *values = argc > 3 && !strcmp(argv[3], "values");
    if (*n < 1 || *shape == TREE_SHAPES || (*shape == TREE_LEGS && *n != TREE_LEGS_BODIES)) {
        fprintf(stderr,
                "usage: %s chain|bintree|quadruped N [values]; the quadruped has %d bodies\n",
                argv[0], TREE_LEGS_BODIES);
        exit(2);
    }
}

#endif
