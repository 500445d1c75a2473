/* export.h: the equations of a model as source code, text or LaTeX.

   All exports use the order of unknowns and the names of dfl_equations and the contract of dfl_eom:
   M a = f - W^T (lambda, mu). Exported functions take one array `par`: parameters, then inputs,
   then the levels of invariants, each in the order of declaration. */
#ifndef DFL_EXPORT_H
#define DFL_EXPORT_H

#include "derive/derive.h"
#include "engine/engine.h"
#include "symbolic/symbolic.h"

/* The equations of motion for people, as text or as a complete LaTeX document (amsmath, geometry).
   The assembled rows become nodes of the model's graph. */
dfl_status dfl_export_equations(dfl_text *text, const dfl_equations *eq, dfl_notation notation);

/* The same for frames of a mechanism: position, rotation, velocities, accelerations and Jacobians
   of all bodies and of all named frames, in world axes. DFL_INVALID: the model has no bodies. */
dfl_status dfl_export_frames(dfl_text *text, const dfl_equations *eq, dfl_notation notation);

/* Where exported simulations start. */
typedef struct dfl_export_start {
    double time;          /* s */
    const double *x;      /* n: the initial values */
    const double *levels; /* the values of the invariants there, in order of declaration */
    const char *problem;  /* why x could not be made consistent, or NULL */
    int rank;             /* of the constraints of velocities; 0: as many as there are */
    double misfit; /* the part of their size up to which constraints may depend on each other */
    bool svd;      /* directions of the constraints by singular values, ... */
    const bool *independent; /* ... or by these velocities (nv); NULL: by QR */
    bool unprojected;        /* the explicit form: velocities are not moved onto the constraints */
    double alpha, beta;      /* 1/s: Baumgarte's terms; 0: none */
} dfl_export_start;

/* One self-contained C99 file: functions for M, f, W, g, gI, bias, ..., Jacobians (if `eq` has
   them), names, default parameters, the start, and the projected right-hand side of the ODE (QR
   form); if there is none, the file says why. Names start with the model's name, turned into an
   identifier. */
dfl_status dfl_export_c(dfl_text *text, const dfl_equations *eq, const dfl_export_start *start);

/* Octave/Matlab: writes NAME_model.m and what it needs into `folder`, which is made if it is
   missing; its parent is not. `files` gets one line per file written. DFL_INVALID: a file or the
   folder cannot be made. DFL_IO: a file cannot be written. Both with the reason. */
dfl_status dfl_export_octave(dfl_text *files, const dfl_equations *eq,
                             const dfl_export_start *start, const char *folder);

/* What an FMU is made of. */
typedef struct dfl_fmu_options {
    int version; /* 2 or 3: of the standard, FMI */
    bool cosimulation, exchange;
    bool sources;                     /* C sources are part of it */
    bool windows;                     /* a library for Windows, too */
    double from, to;                  /* s; to: NAN if it is not given */
    const double *x;                  /* n: a consistent start */
    const bool *held;                 /* n: values of it that stay if parameters change */
    const dfl_solver_options *solver; /* settings of co-simulation */
    double projection;                /* relative distance from the constraints, model exchange */
} dfl_fmu_options;

/* Appends the bytes of the FMU. DFL_INVALID: the model has something that cannot be exported, or
   the compiler fails; the message says what. */
dfl_status dfl_export_fmu(dfl_text *bytes, dfl_runnable *run, const dfl_fmu_options *options);

/* An S-function of level 2 for Simulink as two C files, NAME.c and NAME_solver.c, for the compiler
   of Matlab (mex NAME.c NAME_solver.c). Of the options solver, x, held, from and projection are
   used. Failures as above. */
dfl_status dfl_export_sfunction(dfl_text *model, dfl_text *solver, dfl_runnable *run,
                                const dfl_fmu_options *options, const char *name);

#endif
