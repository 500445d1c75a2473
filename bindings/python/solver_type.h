/* solver_type.h: the solver for equations that are Python functions.

   The functions work on buffers: `x` is read, the blocks of dfl_blocks are written. The
   interpreter's lock is kept, since all work is done in Python; other threads get their turn inside
   of the functions. A function that raises ends the run with its exception. */
#ifndef DFL_PYTHON_SOLVER_TYPE_H
#define DFL_PYTHON_SOLVER_TYPE_H

#include "library.h"

/* The order of the buffers. */
enum { X, A, FORCE, RATE, G, GI, W, BIAS, MASS, EVENTS, J_ACC, J_VEL, J_POS, J_B, J_DYN, BUFFERS };
typedef struct solver_object {
    PyObject_HEAD dfl_context *ctx;
    dfl_eom eom;
    dfl_solver_options options;
    dfl_solver *solver;
    PyObject *buffer[BUFFERS];
    double *at[BUFFERS]; /* their numbers */
    size_t size[BUFFERS];
    PyObject *eval, *mass, *jacobian, *events; /* functions of Python; NULL: none */
    PyObject *kept_atol;                       /* bytes that the options point to */
    int busy;

    const double *wanted; /* times of rows, and their number; NULL: every step */
    int nwanted, next;
    double direction;
    double *rows; /* time and x of each */
    size_t nrows, room;
    PyObject *met;      /* a list of events: (number, time, bytes of x) */
    long *most;         /* for each event: how many of it stop the run; 0: none does ... */
    long *left;         /* ... and how many of these are left */
    int nodes;          /* of each step that are kept for continuous output; 0: none */
    const double *node; /* their places in (-1, 1], the last one 1 */
    double *steps;      /* of each step: t_old, t, x at the nodes */
    size_t nsteps, room_of_steps;
} solver_object;

/* Lets the equations and options call the functions (solver_calls.c). */
void dfl_py_connect(solver_object *it);

#endif
