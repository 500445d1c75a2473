/* problems.h: benchmark problems in the general form, written by hand, shared by tests and
   benchmarks. Each problem is one file; its equations, data and reference numbers are stated
   there. */
#ifndef DFL_PROBLEMS_H
#define DFL_PROBLEMS_H

#include <driftless/eom.h>

/* Known values at one time. Entries of x that are not known are NAN. */
typedef struct problem_reference {
    double t;
    const double *x; /* n values in the layout of dfl_eom */
    double accuracy; /* the numbers are good to this error, relative to max(1, |x|) */
} problem_reference;

typedef struct problem {
    const char *name;
    const char *about; /* one line */
    dfl_eom eom;       /* eom.user points to `parameters` */
    double t0, t_end;
    double *x0; /* n values, consistent (multipliers to rounding or guessed) */
    const problem_reference *references; /* ascending in t */
    int nreferences;
    double (*energy)(const double *x, const void *parameters); /* conserved quantity, or NULL */
    void *parameters; /* owned; its type is declared below where users may change it */
} problem;

/* Parameters that tests vary. */
typedef struct pendulum_parameters {
    double m, L, g;
} pendulum_parameters;
typedef struct oscillator_parameters {
    double m1, m2, c1, c2, d; /* m1 = 0: massless row */
} oscillator_parameters;

/* Makes problem `name`; `size` is the number of links where the problem has one (nchain, fourbar),
   0 for its default. False if the name is unknown or memory is short. Free with problem_free. */
bool problem_make(problem *out, const char *name, int size);
void problem_free(problem *problem);

/* The names, ended by NULL. */
extern const char *const problem_names[];

/* One maker per file. Each fills *out (x0 and parameters from malloc) and returns false without
   memory. */
bool problem_pendulum(problem *out, int size); /* exact g = 4 K(1/2)^2, start (1,0) at rest */
bool problem_pendulum_energy(problem *out, int size); /* the same with energy as invariant e */
bool problem_nchain(problem *out, int size);
bool problem_andrews(problem *out, int size);
bool problem_caraxis(problem *out, int size);
bool problem_crank(problem *out, int size);
bool problem_slidercrank(problem *out, int size);
bool problem_wheelset(problem *out, int size);
bool problem_truck(problem *out, int size);
bool problem_fekete(problem *out, int size);
bool problem_disk(problem *out, int size);
bool problem_sleigh(problem *out, int size);
bool problem_top(problem *out, int size);            /* |q| = 1 as position-level invariant */
bool problem_top_invariants(problem *out, int size); /* and energy and momenta as invariants e */
bool problem_bricard(problem *out, int size);
bool problem_flyball(problem *out, int size);
bool problem_fourbar(problem *out, int size);
bool problem_fourbar_hanging(problem *out,
                             int size);          /* swings about the hanging position: regular */
bool problem_servo(problem *out, int size);      /* actuator with PID loop: uses r */
bool problem_friction(problem *out, int size);   /* implicit friction law: uses w */
bool problem_oscillator(problem *out, int size); /* two masses, the first one zero: massless row */

/* The oscillator with a first mass m1 >= 0 and dampers d; it has a massless row only for m1 = 0. */
bool problem_oscillator_mass(problem *out, double m1, double d);

/* The slider crank with the bars of mechanisms compared over minutes: rod 1 m and 0.8 kg, crank 0.5
   m and 0.6 kg, slider 1 kg, no gravity in the plane, crank at 60 degrees and 3 rad/s. */
bool problem_slidercrank_level(problem *out);

/* A point of mass 1 on the unit circle, Steinbrecher (2002), (34): p = (sin t, cos t). */
bool problem_circle(problem *out);

#endif
