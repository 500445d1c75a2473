/* driftless/options.h: what a solver is given and what it reports, as plain data: options,
   conditions on the initial values, residuals, statistics. The functions are in
   driftless/solver.h. */
#ifndef DFL_OPTIONS_H
#define DFL_OPTIONS_H

#include <driftless/context.h>
#include <driftless/eom.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One trajectory in progress (driftless/solver.h). */
typedef struct dfl_solver dfl_solver;

/* ---- choices ---- */

/* What is integrated (docs/numerics.md). psf keeps every constraint of every level at every
   step. */
typedef enum dfl_form {
    DFL_PSF,        /* projected strangeness-free */
    DFL_PSI1,       /* the same without the acceleration level (needs no bias) */
    DFL_EOM,        /* constraints on position level, index 3 */
    DFL_EOM2,       /* ... on velocity level, index 2 */
    DFL_EOM1,       /* ... on acceleration level, index 1 */
    DFL_UODE,       /* underlying ordinary differential equation */
    DFL_GGL,        /* Gear, Gupta, Leimkuhler: positions and velocities, index 2 */
    DFL_BAUMGARTE,  /* g'' + 2 alpha g' + beta^2 g = 0 */
    DFL_ODAE,       /* overdetermined, solution of the state-space form (Petzold, Potra (3.4)) */
    DFL_EXT316,     /* extended by multipliers, (3.16) */
    DFL_EXT317,     /* (3.17) */
    DFL_PINV,       /* projected invariants, (3.32) and, lagged, (5.10) */
    DFL_TANGENT,    /* local coordinates in the tangent plane, (5.4) */
    DFL_PARTITION,  /* independent coordinates chosen among p, (5.4) */
    DFL_EXPLICIT,   /* index 1, accelerations eliminated (Kurz, Burkhardt, Eberhard) */
    DFL_IMPLICIT,   /* index 1, accelerations as unknowns */
    DFL_QR,         /* velocities projected with an orthonormal basis of the free directions */
    DFL_SVD,        /* the same by singular values */
    DFL_SEPARATION, /* velocities from the independent ones, all are integrated, (17) and (18) there
                     */
    DFL_SSF,        /* overdetermined, solution of the state-space form of (3.1) (Petzold, Potra) */
    DFL_FORMS
} dfl_form;

/* How it is integrated. */
typedef enum dfl_integrator {
    DFL_RADAU,       /* Radau IIA, orders 1, 5, 9, 13 */
    DFL_BDF,         /* backward differentiation, orders 1 to 5, as DASSL */
    DFL_TRAPEZOIDAL, /* implicit trapezoidal rule, order 2 */
    DFL_MIDPOINT, /* implicit midpoint rule with the constraints at the end of the step, order 2 */
    DFL_HALF_EXPLICIT, /* half-explicit Runge-Kutta method of order 5 for index 2 */
    DFL_EXPLICIT_PAIR, /* explicit embedded pair of order 8 */
    DFL_EXTRAPOLATION, /* half-explicit Euler for index 2, extrapolated to orders 2 to 12 */
    DFL_INTEGRATORS
} dfl_integrator;

/* Which rows of the dynamics and kinematics are integrated together with the constraints. */
typedef enum dfl_selectors {
    DFL_ORTHOGONAL, /* an orthonormal basis of the free directions */
    DFL_UNIT,       /* single rows: coordinate partitioning */
    DFL_USER        /* the rows that dfl_constraint_options.select writes */
} dfl_selectors;

/* When the selectors are renewed. The default is DFL_RENEW_ON_CHANGE for unit selectors,
   DFL_TANGENT and DFL_SEPARATION, DFL_RENEW_ALWAYS for the others. */
typedef enum dfl_renewal {
    DFL_RENEW_DEFAULT,
    DFL_RENEW_ON_CHANGE, /* when the set of pivots changes, or, with local coordinates,
                            when the coordinates are twice as bad as the best ones; also after
                            Newton's iteration has failed */
    DFL_RENEW_ALWAYS,    /* at every new decomposition; with DFL_SEPARATION at every evaluation */
    DFL_RENEW_NEVER      /* only DFL_SEPARATION: as they are at the start, even where they no longer
                            determine the motion: errors of steps over such points are not
                            controlled */
} dfl_renewal;

/* How the algebraic part is decomposed. Automatic: QR for the constraints, LU for multipliers and
   auxiliary variables, and SVD if constraints are redundant. */
typedef enum dfl_algebraic {
    DFL_ALGEBRAIC_AUTO,
    DFL_ALGEBRAIC_LU,
    DFL_ALGEBRAIC_QR,
    DFL_ALGEBRAIC_SVD
} dfl_algebraic;

/* How the differential part is decomposed. */
typedef enum dfl_differential { DFL_DIFFERENTIAL_LU, DFL_DIFFERENTIAL_QR } dfl_differential;

/* Where the Newton matrix is evaluated. The default is the predicted middle stage. */
typedef enum dfl_reference {
    DFL_REFERENCE_DEFAULT,
    DFL_REFERENCE_START,  /* at the start of the step; kept while Newton converges fast */
    DFL_REFERENCE_STAGE1, /* at the first predicted stage */
    DFL_REFERENCE_STAGE2, /* at the middle one */
    DFL_REFERENCE_STAGE3  /* at the last one */
} dfl_reference;

/* Starting values of Newton's iteration: extrapolated from the last step, or its end point. */
typedef enum dfl_prediction { DFL_EXTRAPOLATE, DFL_CONSTANT } dfl_prediction;

/* The next step size: from the last two errors (Gustafsson), or from the last one. */
typedef enum dfl_control { DFL_CONTROL_PREDICTIVE, DFL_CONTROL_CLASSICAL } dfl_control;

/* The norm of errors: the root mean square over all unknowns, or the largest root mean square of
   one body, for models with many bodies (needs `structure->bodies`). */
typedef enum dfl_norm { DFL_NORM_RMS, DFL_NORM_BODY } dfl_norm;

/* ---- callbacks ---- */

/* Receives the lines of a log: notices (corrected initial values, redundant constraints), warnings
   (nearly dependent constraints), and every rejected step (debug). */
typedef enum dfl_log_level { DFL_LOG_NOTICE, DFL_LOG_WARNING, DFL_LOG_DEBUG } dfl_log_level;
typedef void (*dfl_log_fn)(dfl_log_level level, const char *text, void *user);

/* Called after the start (t_old = t) and after every accepted step from t_old to t, also if an
   event ends the run there. Return 0 to go on, anything else to stop with DFL_STOPPED. It may
   call dfl_solver_interpolate and dfl_solver_residuals. */
typedef int (*dfl_step_fn)(dfl_solver *solver, double t_old, double t, const double *x, void *user);

/* Called at t0, t0 + every, t0 + 2 every, ... (t0 - every, ... backward in time) and at the end of
   each advance that reaches its end. Return 0 to go on, anything else to stop with DFL_STOPPED. */
typedef int (*dfl_output_fn)(double t, const double *x, void *user);

/* Called where branches change or events act, before that and, if the state has jumped, after it.
 */
typedef int (*dfl_jump_fn)(double t, const double *x, bool after, void *user);

/* Called at every such instant, before it with `crossed`, the functions that have passed zero, and
   after it with NULL, while the state and its derivatives are those of this side. */
typedef int (*dfl_around_fn)(const bool *crossed, void *user);

/* What happens at one instant, in its order: functions pass zero and events act; impacts, one after
   the other; contacts and friction change their modes. */
typedef enum dfl_happening {
    DFL_HAPPENS_SWITCH,
    DFL_HAPPENS_IMPACT,
    DFL_HAPPENS_MODES
} dfl_happening;
typedef struct dfl_instant {
    dfl_happening what;
    double t;
    const double *before, *after; /* n: states around it */
    const bool *crossed;          /* of a switch: functions that have passed zero ... */
    const signed char *met;       /* ... events that have acted, as in dfl_change, or NULL ... */
    const double *along;          /* ... nv: impulses, given or of assigned velocities, along the
                                     velocities; or NULL: velocities do not jump */
    const double *rows;           /* nl + nm: impulses of the constraints, integrals of lambda and
                                     mu; NULL: none, or not known (packed matrices) */
    int contact;                  /* of an impact, ... */
    double impulse[3];            /* ... and its impulses, along the gap and directions of slip */
    const struct dfl_contact_mode *from, *to; /* modes of all contacts, before and after */
} dfl_instant;

/* Called before the events of the instant are met, and before on_jump tells of the state after it.
 */
typedef int (*dfl_instant_fn)(const dfl_instant *instant, void *user);

/* Writes the selectors Sp (nfp x np) and Sv (nfv x nv; nfv is 0 with psi1, which uses all rows).
   Called at every new decomposition. Return values as for dfl_eval_fn. */
typedef int (*dfl_select_fn)(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                             void *user);

/* Writes `count` values; an event is a sign change of one of them. Return 0; anything else stops
   with DFL_CALLBACK. Each step is sampled (4, 6 or 8 times with Radau IIA of order 5, 9 or 13, k
   + 1 times with other methods of order k), and again where a function turns back between two
   samples. If a function wiggles more, limit step.max. A function that is zero at the start, up
   to rounding, has no event there. */
typedef int (*dfl_event_fn)(double *value, double t, const double *x, void *user);
typedef struct dfl_event_kind {
    int direction; /* 0: any zero, > 0: only rising, < 0: only falling */
    bool terminal; /* stop there with DFL_STOPPED */
} dfl_event_kind;

/* A model whose equations have branches keeps one of them during a step, also a little beyond its
   border; where a switching function passes zero the solver ends the step, asks the model for the
   other branch and goes on from there. Only the first `count` functions are asked for.
   All return 0; anything else stops with DFL_CALLBACK. */

/* Writes the functions at (t, x): positive where the present branch is valid. */
typedef int (*dfl_switch_fn)(double *value, int count, double t, const double *x, void *user);

/* Writes bounds of the functions where time and the n unknowns lie within bounds. x may be NULL if
   only functions of time are asked for. */
typedef int (*dfl_enclose_fn)(dfl_bounds *value, int count, const dfl_bounds *t,
                              const dfl_bounds *x, void *user);

/* Writes how much each function changes at most, in first order, if every unknown changes by its
   `tolerance` (n). */
typedef int (*dfl_noise_fn)(double *noise, double t, const double *x, const double *tolerance,
                            void *user);

/* Takes the branches that are valid at (t, x); a function that is zero there goes by `rate`, the
   derivatives of x (NULL: unknown). *changed: whether any branch is another one now. */
typedef int (*dfl_settle_fn)(bool *changed, double t, const double *x, const double *rate,
                             void *user);

/* What changes at an instant. The flags and arrays to be written are false or zero before. */
typedef struct dfl_change {
    const double *rate;      /* n: derivatives of r, v and p before it, zero of the others */
    const double *tolerance; /* n: of the unknowns */
    double *impulse;  /* nv: added to the momenta M v, also where motions change their speed */
    double *x;        /* n: the state, where values of r, v and p are assigned ... */
    bool *assigned;   /* ... and marked here: n */
    signed char *met; /* events.count, or NULL: +1, -1 of events that act here, rising or falling */
    bool acted;       /* an event acts: one whose function is zero goes on by its slope */
    bool rows;        /* rows of constraints were switched on or off */
} dfl_change;

/* Takes the other branch of every function with crossed[i], at (t, x), and does what events do;
   crossed is NULL at the start of a run: only what happens there. A velocity that is assigned gets
   an impulse of its own; constraints answer, everything else keeps its momentum. */
typedef int (*dfl_flip_fn)(dfl_change *change, const bool *crossed, double t, const double *x,
                           void *user);

/* *valid: whether the equations are finite at (t, x) in the branches that belong to it. The present
   branch may be continued beyond the domain of its functions, where only steps that are taken again
   may lead. */
typedef int (*dfl_valid_fn)(bool *valid, double t, const double *x, void *user);

/* After an event acted: a function that is zero up to its noise (ten times what `tolerance`, n,
   changes) belongs to the side to which `rate` leads. */
typedef int (*dfl_resume_fn)(double t, const double *x, const double *rate, const double *tolerance,
                             void *user);

/* Contacts: a row g_i >= 0 that is on while the contact is closed (then N = -lambda_i >= 0), with
   or without a row hv_j of friction that is on while it sticks, or two of them on a surface; or
   such rows alone, friction under a load of its own. While it slips the friction is one of the
   forces f. */
typedef struct dfl_contact {
    const char *name; /* for messages */
    int normal;       /* i; -1: friction alone */
    int tangent;      /* j; -1: no friction */
    int event;        /* that an impact is reported as; -1: none */
    int directions;   /* of friction: 2 with the rows j and j + 1, else 1 */
} dfl_contact;

typedef struct dfl_contact_mode {
    bool closed, stick; /* friction alone is always closed */
    int sense;          /* of slip: +1, -1; 0: it does not slip; in two directions +1 or 0 */
    double along[2];    /* in two directions: where it slips to, about, of length 1 */
    double speed;       /* in two directions: slip that is smaller has no direction */
} dfl_contact_mode;

typedef struct dfl_contact_state {
    double gap, slip;             /* with all rows on or off; slip: in the first direction */
    double gap_noise, slip_noise; /* what tolerances may change in them */
    double load, limit;           /* N, and the largest friction while sticking */
    double restitution, friction; /* of an impact: speed after over before, coefficient */
} dfl_contact_state;

/* Writes the state of every contact. */
typedef int (*dfl_contact_fn)(dfl_contact_state *out, double t, const double *x,
                              const double *tolerance, void *user);
/* Sets the modes of all contacts. */
typedef int (*dfl_mode_fn)(const dfl_contact_mode *modes, void *user);

typedef struct dfl_contact_options {
    int count;
    const dfl_contact *contacts;
    dfl_contact_fn eval;
    dfl_mode_fn set;
} dfl_contact_options;

/* Writes what users call a function, into `size` bytes, for messages. */
typedef void (*dfl_switch_name_fn)(char *out, size_t size, int function, void *user);

/* Takes function i as passed, or back if `beyond` is false: equations that are evaluated in between
   belong to the branch on its other side. Nonzero: it bounds no branch, and nothing changes. */
typedef int (*dfl_beyond_fn)(int i, bool beyond, void *user);

typedef struct dfl_switch_options {
    int count;               /* of switching functions; 0 means none */
    int instants;            /* the first ones depend on time alone */
    dfl_switch_fn eval;      /* writes the functions */
    dfl_enclose_fn enclose;  /* NULL means that steps are sampled: narrow excursions are missed */
    dfl_noise_fn noise;      /* NULL means differences, 3 n calls of eval */
    dfl_settle_fn settle;    /* for the start */
    dfl_flip_fn flip;        /* changes branches */
    dfl_valid_fn valid;      /* asked after every step; NULL means always */
    dfl_resume_fn resume;    /* NULL means that no event acts */
    dfl_beyond_fn beyond;    /* NULL means that excursions within the noise never matter */
    const bool *uses;        /* n: unknowns that the functions contain; NULL means all */
    const bool *acting;      /* events.count: events that are met where they act, since a function
                               that is turned back by its own event never passes zero; NULL means
                               none */
    dfl_switch_name_fn name; /* NULL means numbers from 0 */
    const bool *off;         /* nl + nm: rows that are 0 = 0 at present; NULL means none */
    const int *contact;      /* count: 2 k of the contact k itself, 2 k + 1 of its friction, -1 of
                                     other functions; NULL means no contacts */
    dfl_contact_options contacts; /* they change their modes wherever functions pass zero */
    void *user;                   /* passed to them */
} dfl_switch_options;

/* Functions of time alone that enter the equations. Before a step their slopes are bounded, and the
   step is shortened until no narrow pulse lies unseen between its stages (docs/numerics.md). x is
   NULL in the calls. */
typedef struct dfl_pulse_options {
    int count;              /* of functions; 0 means none */
    dfl_switch_fn eval;     /* writes their values */
    dfl_enclose_fn enclose; /* writes their bounds */
    void *user;             /* passed to them */
} dfl_pulse_options;

/* Called at a located event. Return 0 to go on, anything else to stop there. */
typedef int (*dfl_on_event_fn)(int event, int direction, double t, const double *x, void *user);

/* ---- options ---- */

/* How errors are measured. */
typedef struct dfl_error_options {
    const double *rtol_each; /* one per unknown, instead of rtol; NULL means none */
    const double *atol_each; /* one per unknown, instead of atol; NULL means none */
    dfl_norm norm;           /* 0 means rms */
    double duration;         /* s, of the whole motion: without a given atol, velocities have at
                                least the size that crosses their lengths in this time; 0 means
                                unknown */
    double rounding;         /* relative rounding error of eval, for increments of differences and
                                the smallest step; 0 means that of double, 2.2e-16 */
} dfl_error_options;

/* The sizes of the steps. BDF has DASSL's rules: it ignores safety, min_factor, max_factor and
   control. */
typedef struct dfl_step_options {
    double first;            /* s, the size of the first step; 0 means an estimate */
    double max;              /* s; 0 means no limit; the last step may be longer by 1e-4 of it */
    double fixed;            /* s; > 0: all steps have this size, without error control */
    bool accept_unconverged; /* with `fixed`: a step is taken even if Newton's iteration has not
                                converged, and counted in `unconverged` (real time); false: the run
                                ends there with DFL_NOT_CONVERGED */
    long max_attempts;       /* in one advance; 0 means 10 million */
    dfl_control control;     /* 0 means predictive */
    double safety;           /* factor on the predicted step, 0.01 to 1; 0 means 0.9 */
    double min_factor;       /* of one change of the step size; 0 means 0.2 */
    double max_factor;       /* of one change of the step size; 0 means 8 */
    double keep_low;         /* the step size is kept if keep_low <= new/old <= keep_high and the */
    double keep_high;        /* matrix is kept; 0 means 1 and 1.2 */
} dfl_step_options;

/* Newton's iteration and its matrix. */
typedef struct dfl_newton_options {
    int iterations;            /* at most; 4 and 8 more with orders 9 and 13; 0 means 10 */
    int updates;               /* of the matrix within a step; 0 means 1, none with
                                  step.accept_unconverged; negative means none */
    double tolerance;          /* 0 means max(1e-3, 0.5 min(0.03, sqrt(rtol'))) with order 5, the
                                  same size of increments with the automatic order, smaller with 9
                                  and 13; 0.05 with methods other than Radau IIA */
    double reuse;              /* the matrix is kept while the rate of convergence is below this; 0
                                  means 0.03, 0.1 with methods other than Radau IIA, 1e-3 with
                                  DFL_REFERENCE_START; negative: never kept */
    double multiplier_weight;  /* of l, m in the norm of the iteration; 0 means 1 */
    dfl_reference reference;   /* 0 means the predicted middle stage */
    dfl_prediction prediction; /* 0 means extrapolated starting values */
    dfl_differential differential; /* 0 means LU */
    bool carry_accelerations;      /* keep a as unknowns even if M is easily inverted; false: chosen
                                      automatically */
} dfl_newton_options;

/* The constraints and the directions that they leave free. */
typedef struct dfl_constraint_options {
    double rank_tolerance; /* 0 means 1e-10, or 1e-6 if constraints are differenced */
    double redundant;      /* constraints that are dependent up to this part of their size are
                                redundant: they need not fit exactly; 0 means none */
    const double *redundant_each; /* the same for single rows: nl + nm numbers, of g and hv; the
                                     larger one counts. With sparse matrices the largest is used
                                     for all rows. Stays the caller's; NULL means none */
    dfl_algebraic algebraic;      /* 0 means automatic */
    dfl_selectors selectors;      /* 0 means orthogonal */
    dfl_renewal renewal;          /* 0 means: orthogonal always; unit and DFL_TANGENT on change */
    dfl_select_fn select;         /* with DFL_USER; NULL means none */
    const bool *independent; /* with DFL_PARTITION and DFL_SEPARATION: n flags, the independent ones
                                among p and v; NULL means automatic */
    int ncombinations; /* with DFL_PARTITION and DFL_SEPARATION, instead of `independent`: the */
    const double *combinations; /* rows of A^T of (5.4), ncombinations x np row by row, one for each
                                   degree of freedom: A^T p and A^T v are independent. Needs p' = v.
                                   0 means none */
    bool lagged;                /* with DFL_GGL, DFL_EXT316, DFL_EXT317, DFL_PINV: their additional
                                multipliers act through the constraints of the last decomposition,
                                (5.10); false: through those of the present state */
    bool turning; /* with DFL_PINV: tau acts on p' as well, through the derivative L of gI by p, as
                     in (3.17); false: (3.32) */
    bool rigid_invariants; /* false: an invariant is dropped in steps where it is degenerate */
} dfl_constraint_options;

/* With DFL_BAUMGARTE. */
typedef struct dfl_baumgarte_options {
    double alpha; /* 1/s, for gI and hv; 0 means 10, negative means none */
    double beta;  /* 1/s, its square for g; 0 means alpha, negative means none */
} dfl_baumgarte_options;

/* The callbacks of a run. */
typedef struct dfl_output_options {
    double every;              /* s, between calls of on_output; 0 means end points only */
    bool project;              /* on_output and on_event get states on the constraints; false:
                                interpolated states */
    bool ends_only;            /* nobody calls dfl_solver_interpolate: extrapolation takes longer
                                  steps, and is less accurate inside of them than rtol */
    dfl_step_fn on_step;       /* NULL means none */
    dfl_output_fn on_output;   /* NULL means none */
    dfl_jump_fn on_jump;       /* NULL means none; anything but 0 stops with DFL_STOPPED */
    dfl_instant_fn on_instant; /* NULL means none; anything but 0 stops with DFL_STOPPED */
    dfl_around_fn on_side;     /* NULL means none; anything but 0 stops with DFL_STOPPED */
} dfl_output_options;

typedef struct dfl_event_options {
    int count;                   /* of event functions; 0 means none */
    dfl_event_fn eval;           /* writes `count` values */
    const dfl_event_kind *kinds; /* `count`; NULL means any direction, not terminal */
    dfl_on_event_fn on_event;    /* NULL means none */
    const char *const *names;    /* `count`, for messages; NULL means numbers from 0 */
    dfl_enclose_fn enclose; /* bounds of the functions: no zero is missed; NULL means samples */
    dfl_noise_fn noise;     /* with enclose: what is not larger than ten times this is zero */
} dfl_event_options;

/* `{0}` is a complete set of options. */
typedef struct dfl_solver_options {
    double rtol;               /* relative tolerance; 0 means 1e-6 */
    double atol;               /* absolute tolerance, in each variable's own unit; 0 means that it
                                  follows the size of each variable: rtol times the larger of the
                                  size of its kind at the start (eom.sizes) and of its own largest
                                  value so far (docs/numerics.md, section 8) */
    dfl_form form;             /* 0 means psf */
    dfl_integrator integrator; /* 0 means Radau IIA */
    int order; /* Radau IIA: 1, 5, 9 or 13; 0 chooses 5, 9 or 13 step by step (5 with step.fixed).
                  BDF: the highest order, 1 to 5; 0 means 5; with step.fixed the order, 0 means 2.
                  Extrapolation: the highest order, 3 to 12; 0 means 11; with step.fixed the order,
                  1 to 12, 0 means 4 */
    dfl_error_options error;
    dfl_step_options step;
    dfl_newton_options newton;
    dfl_constraint_options constraints;
    dfl_baumgarte_options baumgarte;
    dfl_output_options output;
    dfl_event_options events;
    dfl_switch_options switches;
    dfl_pulse_options pulses; /* not with step.fixed */

    /* Before the initial values are completed, at x0 and at two states near it: compare
       jacobian, W, gI, bias with differences, what eval writes with the flags it is asked for,
       and what mass writes with the flags of M. Without it, only W and bias are watched,
       coarsely, during the run. */
    bool self_check;
    dfl_log_fn log; /* NULL means none */
    void *user;     /* passed to select, on_step, on_output, events, log */
} dfl_solver_options;

/* ---- initial values ---- */

/* What happens to the initial values. */
typedef enum dfl_start_mode {
    DFL_START_PROJECT,   /* change as little as possible of what is not held, until every constraint
                            is satisfied */
    DFL_START_AS_GIVEN,  /* take them as they are, unchecked */
    DFL_START_CHECK,     /* fail unless they are consistent */
    DFL_START_CONDITIONS /* solve all constraints together with `condition` = 0 */
} dfl_start_mode;

/* Writes the residuals of `nconditions` conditions. Return values as for dfl_eval_fn. */
typedef int (*dfl_condition_fn)(double *residual, double t, const double *x, void *user);

/* Called once, with the completed initial values. With PROJECT, e and ep do not take part in
   completing them: a model whose invariants keep the values that they have at the start sets their
   levels here. Any status but DFL_OK ends the start with that status and the callback's message. */
typedef dfl_status (*dfl_completed_fn)(double t, const double *x, void *user);

/* `{0}`: project, nothing held. */
typedef struct dfl_conditions {
    dfl_start_mode mode;

    /* With CONDITIONS: constraints and conditions together must determine every unknown, except
       multipliers of redundant constraints; otherwise x0 must satisfy them all and is not changed.
       false: what they leave open stays near x0. */
    bool unique;
    int nconditions; /* with CONDITIONS */
    dfl_condition_fn condition;

    const bool *held; /* with PROJECT: n flags of values that are never changed; NULL means none */

    /* With PROJECT: n positive weights of the changes; NULL means 1 for p, s and M for v. */
    const double *weight;

    /* With PROJECT: functions of positions that distinguish the right solution of the constraints
       from mirrored ones: 1 at the right one, at most 0 at the others. */
    int nsides;
    dfl_condition_fn side;         /* writes `nsides` values */
    const char *const *side_names; /* for messages; NULL means numbers */

    dfl_completed_fn completed; /* NULL means none */
    void *user;                 /* passed to condition, side and completed */
} dfl_conditions;

/* ---- results ---- */

/* The largest absolute residual of the rows of each level, also of rows that a form does not
   enforce. */
typedef struct dfl_residuals {
    double position; /* g */
    double velocity; /* gI */
    /* gII and hI with M a = f - W^T (l, m); NAN with psi1, without bias, and if M is singular */
    double acceleration;
    double nonholonomic; /* hv */
    double contact;      /* c */
    double auxiliary;    /* d */
    double invariant;    /* e and ep */
    double massless;     /* gam */
} dfl_residuals;

/* Counters since the start. The first eleven are those of the GEOMS code. */
typedef struct dfl_statistics {
    long accepted, evaluations, mass_evaluations, jacobians, selector_computations;
    long algebraic_decompositions, differential_decompositions, back_substitutions;
    long attempts, rejected_error, rejected_newton;
    long difference_evaluations;   /* calls of eval for differences */
    long check_evaluations;        /* calls of eval for the end point, initial values, events */
    long partial_evaluations;      /* calls of eval for constraints alone, by explicit methods */
    long newton_updates;           /* updates of the matrix within a step */
    long steps_without_invariants; /* steps that dropped an invariant */
    long order_changes;            /* of Radau IIA and BDF */
    long unconverged;              /* fixed steps taken although their iteration did not converge */
    long events;                   /* located events */
    long crossings;                /* of switching functions */
    long modes;                    /* changes of contacts and friction */
    long retakes;                  /* steps taken again to end at a crossing */
    long enclosures;               /* calls of enclose */
    long pivoted;                  /* sparse matrices that were factored with pivots, by KLU */
    long lumped;                   /* ... from the blocks of M alone, with sweeps for the rest */
    double seconds;                /* wall-clock time in advance */
    double longest_step;           /* s of wall-clock time, with step.fixed */
    int rank_position, rank_velocity; /* of the constraints, as integrated */
    dfl_residuals
        max_residual;      /* over the start and all accepted steps; 0 for a level without rows */
    double max_correction; /* the largest of the multipliers mu and tau of DFL_GGL, DFL_EXT316,
                                   DFL_EXT317 and DFL_PINV, which are not in x: zero on the exact
                                   solution */
} dfl_statistics;

/* What the last failed start or advance is about, for programs; the message is for people. */
typedef enum dfl_failure {
    DFL_FAILURE_OTHER,         /* the status says it all, or nothing failed */
    DFL_FAILURE_POSITION,      /* DFL_SINGULAR, DFL_RANK_CHANGED: the rows c, g, ep */
    DFL_FAILURE_VELOCITY,      /* the same: the rows gI, hv, e, gam */
    DFL_FAILURE_MULTIPLIERS,   /* the same: d, gII, hI, which do not determine w, l, m */
    DFL_FAILURE_NEWTON_MATRIX, /* the same: the matrix of the differential part */
    DFL_FAILURE_CONTRADICTION, /* DFL_INCONSISTENT: the equations cannot all be satisfied */
    DFL_FAILURE_ITERATIONS,    /* the same: the corrections do not converge */
    DFL_FAILURE_UNDETERMINED,  /* the same: `unique` is set and does not hold */
    DFL_FAILURE_GUESS          /* the same: no correction leads away from the guessed positions */
} dfl_failure;

#ifdef __cplusplus
}
#endif
#endif
