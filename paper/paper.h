/* paper.h: the experiments of the papers behind Driftless, run again. Each is a function that fills
   plain numbers; `paper` prints them (main.c), scripts/paper draws them, tests/paper holds them to
   what was published. A run that fails says so in `status` and is otherwise as far as it came. */
#ifndef DFL_PAPER_H
#define DFL_PAPER_H

#include <driftless/driftless.h>

#include "problems.h"

/* Steinbrecher (2002), section 6: a point on a circle, started off the constraints, trapezoidal
   rule. */
enum { CIRCLE_STEPS = 1000 };
typedef struct circle_point {
    double t, lambda, v[2], p[2];
    double level[3]; /* g, gI, gII */
} circle_point;
typedef struct circle_run {
    dfl_status status;
    int count;
    circle_point at[CIRCLE_STEPS + 1];
} circle_run;
extern const dfl_form circle_forms[5]; /* of figures 1 to 5 */
void paper_circle(circle_run *out, dfl_form form);

/* Steinbrecher (2007), tables 3 and 4 and figure 6: a pendulum with g = 13.75 that starts at its
   lowest point. */
enum { SWING_STEPS = 1000 };
typedef struct swing_run {
    dfl_status status;
    dfl_statistics stats;
    double step; /* proposed at the end */
    int count;
    struct {
        double t, height;
        long selectors; /* computed so far */
    } at[SWING_STEPS];
} swing_run;
void paper_swing(swing_run *out, double speed, double tolerance);

/* A largest value in each of equal parts of a run. */
enum { PARTS = 200, MOST_TRACKS = 4 };
typedef struct envelope {
    double length;                   /* s, of the run */
    double most[MOST_TRACKS][PARTS]; /* absolute; NAN where no step ended */
} envelope;
void envelope_start(envelope *e, double length);
void envelope_add(envelope *e, double t, const double *value, int tracks);

/* What integrates: its name on the page, and options. */
typedef struct method {
    const char *name;
    dfl_form form;
    dfl_integrator integrator;
    int order;
    bool published; /* the settings of GEOMS instead of our defaults */
    bool energy;    /* imposed as an invariant */
} method;
dfl_solver_options method_options(const method *m, double tolerance);

/* Steinbrecher (2007), figures 1 to 5: the pendulum of period 2 on [0, 1000]. */
extern const method pendulum_methods[];
extern const int pendulum_nmethods;
typedef struct pendulum_run {
    dfl_status status;
    long steps, evaluations;
    double seconds;     /* CPU time; of short runs the least of two */
    double error[2];    /* at the end: of p and v, of lambda */
    envelope residuals; /* g, gI, gII, E - E0 */
} pendulum_run;
void paper_pendulum(pendulum_run *out, const method *m, double tolerance);

/* The counterpart of figure 8: a truck on [0, 20]. */
enum { TRUCK_UNKNOWNS = 20 };
extern const method truck_methods[];
extern const int truck_nmethods;
typedef struct truck_run {
    dfl_status status;
    char message[256];
    long steps, evaluations;
    double seconds;
    double x[TRUCK_UNKNOWNS]; /* lambda, v, p at the end */
} truck_run;
void paper_truck(truck_run *out, const method *m, double tolerance);

/* Arnold (2013), figure 2: two masses, the first one small or zero, by BDF. */
typedef struct oscillator_run {
    dfl_status status;
    long steps;
    double x[4]; /* v1, v2, p1, p2 at the end */
} oscillator_run;
/* `on_step` may be NULL. */
void paper_oscillator(oscillator_run *out, double m1, double d, double t_end, dfl_step_fn on_step,
                      void *user);

/* Kurz, Burkhardt, Eberhard (2011), table 1 and figure 3: a slider crank with one closed loop. */
typedef struct closure {
    const char *name;
    dfl_form form;
    int independent; /* of x, alpha, beta; -1: none */
    bool minimal;    /* the equation of the crank angle instead */
} closure;
extern const closure closures[];
extern const int nclosures;
typedef struct closure_run {
    dfl_status status;
    long steps;
    double seconds, t, energy, angle; /* CPU time; how far; E - E0 and crank angle there */
    envelope residuals;               /* of the loop along x and y */
} closure_run;
/* `loose`: BDF with 1e-4 instead of an explicit method (implicit where there must be one) with
   1e-6. */
void paper_closure(closure_run *out, const closure *c, bool loose, double t_end);

/* Measuring. */
double cpu_seconds(void);
void levels_of_unit_mass(double level[3], const dfl_eom *eom, double t, const double *x);

#endif
