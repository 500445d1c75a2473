/* branching.h: what a run does where its equations switch: branches, events and samples that act,
   contacts and friction. Runs of the program (engine) and exported models (carry.h) share it. */
#ifndef DFL_BRANCHING_H
#define DFL_BRANCHING_H

#include "symbolic/symbolic.h"

#include <driftless/options.h>

/* The programs of a model. */
enum {
    DFL_CARRY_ALL, /* all blocks of dfl_blocks */
    DFL_CARRY_MASS,
    DFL_CARRY_JACOBIAN,
    DFL_CARRY_OUTPUTS,
    DFL_CARRY_MOMENTA,  /* nv momenta beyond M v, prescribed motions, their rates, energies that may
                           jump, each with its np slopes */
    DFL_CARRY_UNLOCKED, /* rows that frozen branches continue, as they are */
    DFL_CARRY_BALANCE,  /* rows and drift of the rate of gam */
    DFL_CARRY_SWITCHES, /* conditions of all switching functions, and their slopes */
    DFL_CARRY_SWITCH_SLOPES,
    DFL_CARRY_INSTANTS, /* of those of time alone */
    DFL_CARRY_INSTANT_SLOPES,
    DFL_CARRY_PULSES, /* functions of time alone in the equations */
    DFL_CARRY_PULSE_SLOPES,
    DFL_CARRY_EVENTS,
    DFL_CARRY_EVENT_SLOPES,
    DFL_CARRY_ACTIONS, /* assigned values and impulses, action by action */
    DFL_CARRY_MASKS,   /* nl + nm: 0 of rows that are off */
    DFL_CARRY_GAPS,    /* gap and slip of each contact */
    DFL_CARRY_GAP_SLOPES,
    DFL_CARRY_LAWS,  /* load, limit, restitution, coefficient of each contact */
    DFL_CARRY_BLOCK, /* eight: the blocks of one bit of a request */
    DFL_CARRY_PROGRAMS = DFL_CARRY_BLOCK + 8
};

/* ---- tables ---- */

/* Functions that are watched for zeros; entry k of the slopes: of function row[k] by unknown
   column[k], or by time if that is n. */
typedef struct dfl_carried_functions {
    int count, nslopes;
    const int *row, *column;
    const bool *uses; /* n */
} dfl_carried_functions;

/* A switch: its kind as in symbolic/locking.h, and its table. A function: of which switch, and of
   the lower (-1) or upper (1) end of its branch, or of the only one (0). */
typedef struct dfl_carried_switch {
    int kind, table;
} dfl_carried_switch;
typedef struct dfl_carried_watch {
    int number, sense;
} dfl_carried_watch;

/* What an event or a sample does. */
typedef struct dfl_carried_action {
    bool sampled;
    int event, direction; /* its number, -1 of a sample; rising (1), falling (-1) or both (0) */
    int nsets, nimpulses; /* values of DFL_CARRY_ACTIONS, beginning with ... */
    int first;            /* ... this one */
    const int *target;    /* of sets: the place in x, or -1 - k of the discrete variable k; then
                               velocities of impulses */
    int foreign;          /* its number + 1 if the run's host gives values of its own; 0: none */
} dfl_carried_action;

/* An energy that may jump: kinetic or potential; the line of the script, or 0. */
typedef struct dfl_carried_energy {
    bool kinetic;
    int line;
} dfl_carried_energy;

/* The discrete variables that the mode of a contact consists of. */
typedef struct dfl_carried_mode {
    int closed, stick, sense, along[2], speed;
} dfl_carried_mode;

enum { DFL_CONTACT_ITEMS = 3 }; /* functions that end the mode of a contact */

typedef struct dfl_branching_tables {
    int n, nv, np, nrows;               /* unknowns, velocities, positions, rows of constraints */
    int nswitches, nactions, ncontacts; /* each has items: 1, 1, DFL_CONTACT_ITEMS */
    const dfl_carried_switch *kinds;    /* of the items, in this order */
    const dfl_carried_watch *watched;   /* the functions, those of time alone first */
    dfl_carried_functions switches, instants, gaps;
    int ncontinued, nmotions, ndiscretes;
    const char *const *motions; /* names of prescribed motions, ... */
    const int *lines;           /* ... and lines of the script, or NULL */
    int nenergies;
    const dfl_carried_energy *energies;
    const double *first; /* of the discrete variables at the start */
    const int *before;   /* whose value before the instant each is, or -1 */
    const dfl_carried_action *actions;
    const dfl_contact *contacts;
    const dfl_carried_mode *modes; /* of the contacts */
    const bool *acting;            /* of the events */
    bool masked;                   /* rows can be off */
} dfl_branching_tables;

/* ---- one run ---- */

struct dfl_graph;

/* What the run offers. */
typedef struct dfl_branching_host {
    void (*evaluate)(double *out, int program, double t, const double *x, void *run);
    void (*enclose)(dfl_bounds *out, int program, const dfl_bounds *t, const dfl_bounds *x,
                    void *run);
    void (*prepare)(void *run); /* branches or discrete variables have changed */
    void (*set_levels)(double t, const double *x, void *run);
    void (*refuse)(int line, const char *message, void *run); /* the run fails */
    /* action -1: a run begins; otherwise changes discrete variables at time t; nonzero: the run
       fails, with a message. NULL: there are no such actions */
    int (*exchange)(int action, double t, double *discrete, void *run);
    dfl_switch_name_fn name; /* of the functions, for messages; NULL: numbers */
    void *run;
} dfl_branching_host;

typedef struct dfl_branching {
    const dfl_branching_tables *tables;
    dfl_branching_host host;
    const struct dfl_graph *graph; /* of its tables */
    bool locked;      /* branches change only when told to; otherwise they follow every state */
    double *discrete; /* present values; followed by `branch`: both are what a run remembers */
    double *branch;   /* per item; of a sign 0 if it is not locked and the condition is zero */
    int nitems, first_contact;
    bool *off;               /* nrows: 0 = 0 at present */
    bool *acted;             /* actions of the last instant ... */
    double *previous, *kept; /* ... and the discrete variables before it; room for them */
    bool *flipped;           /* functions that changed their branch at the present instant */
    int *contact;            /* of the functions, for the solver */
    double *value, *noise, *slope, *before, *after, *unlocked, *assigned, *mask;
    double *gap, *gap_noise, *law; /* 2, 2 and 4 of each contact */
    bool beyond;                   /* one branch is tried, */
    double held;                   /* which is this one */
} dfl_branching;

/* DFL_NO_MEMORY. */
dfl_status dfl_branching_create(dfl_branching *out, dfl_context *ctx,
                                const dfl_branching_tables *tables, const struct dfl_graph *graph,
                                const dfl_branching_host *host);
void dfl_branching_clear(dfl_branching *sw, dfl_context *ctx);

/* What the actions of the last instant do at (t, change->x), once the discrete variables `numbers`
   differ by memory (count) from what they were; memory: what they are then. All variables stay. */
void dfl_branching_repeat(dfl_change *change, double *memory, const int *numbers, int count,
                          dfl_branching *sw, double t);

/* From now on branches stay until the solver changes them through `out`; discrete variables have
   their first values. */
void dfl_branching_lock(dfl_switch_options *out, dfl_branching *sw);
/* Takes the branches that are valid at (t, x); rate: derivatives of x, or NULL. Whether any
   changed. */
bool dfl_branching_settle(dfl_branching *sw, double t, const double *x, const double *rate);
/* The same unless branches are locked. */
void dfl_branching_follow(dfl_branching *sw, double t, const double *x);
/* All functions at (t, x), positive where the present branches are valid. */
void dfl_branching_values(double *value, const dfl_branching *sw, double t, const double *x);
/* Derivatives of the conditions as those of the switching functions. */
void dfl_branching_turn(double *slope, const dfl_branching *sw);

/* Discrete variables at the start; which rows are off now, and whether that has changed. */
void dfl_branching_begin(dfl_branching *sw);
bool dfl_branching_mask(dfl_branching *sw);

/* Gaps, loads and limits of all contacts; the present mode of one. */
void dfl_branching_contacts(dfl_contact_state *out, const dfl_branching *sw, double t,
                            const double *x);
dfl_contact_mode dfl_branching_mode(const dfl_branching *sw, int contact);

/* From the values of all slopes: what each function changes, in first order, if every unknown
   changes by its tolerance; the rate of one of them where the unknowns have these rates. */
void dfl_watched_noise(double *noise, const dfl_carried_functions *functions, const double *slope,
                       int n, const double *tolerance);
double dfl_watched_rate(const dfl_carried_functions *functions, int which, const double *slope,
                        int n, const double *rate);

#endif
