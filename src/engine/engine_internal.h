/* engine_internal.h: what the files of this module share. */
#ifndef DFL_ENGINE_INTERNAL_H
#define DFL_ENGINE_INTERNAL_H

#include "carry/carry.h"
#include "eom/eom.h"
#include "derive/derive.h"
#include "engine/engine.h"
#include "engine/functions.h"
#include "engine/tree_engine.h"

/* The switches of a run, and the functions that bound their branches (switches.c). */
typedef struct dfl_switches {
    dfl_locking *lock;
    dfl_switch *item; /* those of `lock`, then one for each action, then those of contacts */
    int nitems, first_contact;
    dfl_carried_switch *kinds;  /* of the items */
    dfl_carried_watch *watched; /* the functions, those of time first ... */
    int count, instants;        /* ... all of them, and those */
    dfl_functions all, of_time; /* conditions: of all switches, and of those of time alone */
    dfl_expr
        *continued; /* rows with roots or powers that frozen branches continue below zero ... */
    int ncontinued;
    program unlocked; /* ... as they are */
    program energy;   /* T + V in the present branches */
    program drives;   /* of motions that may have kinks: momentum, rate, motion */
    int ndrives;
    int nenergies;
    dfl_expr energies[2];          /* that may jump ... */
    dfl_carried_energy jumping[2]; /* ... and what they are */
    program momenta; /* nv momenta beyond M v, prescribed motions, their rates, these energies with
                        their slopes */
} dfl_switches;

/* What events and samples do (run_actions.c). */
typedef struct dfl_run_actions {
    double *first; /* of the discrete variables, ... */
    int *before;   /* ... and whose value before an instant each is */
    dfl_carried_action *table;
    int *target;
    program values; /* of all assignments and impulses, action by action */
    program masks;  /* nl + nm: of rows that can be off; 1 of others */
    bool masked;    /* there are such rows */
    bool *acting;   /* of the events: those that do something */
} dfl_run_actions;

/* Contacts and friction with modes (run_contacts.c). */
typedef struct dfl_run_contacts {
    dfl_contact *contacts; /* for the solver */
    dfl_carried_mode *modes;
    dfl_functions motion; /* gap and slip of each */
    program laws;         /* load, limit, restitution, coefficient of each */
} dfl_run_contacts;

/* Derivatives of all rows by parameters and inputs, if they are asked for (parameter_slopes.c). */
typedef struct dfl_run_parameters {
    dfl_runnable *run;
    int count, columns;  /* derivatives by each parameter, or one ... */
    double *direction;   /* ... along this, count; NULL: by each */
    int nmemory;         /* discrete variables that may depend on them ... */
    int *remembered;     /* ... by their numbers */
    dfl_expr *symbols;   /* of the parameters, then of these variables */
    double *memory;      /* nmemory x columns: derivatives of the variables */
    program slopes;      /* by all symbols ... */
    dfl_jacobian blocks; /* ... for it, in ... */
    double *room;        /* ... one piece */
    size_t room_size;    /* ... of so many numbers */
    program by_time;
    struct dfl_tree_parameters *tree, *tree_by_time; /* NULL unless there is a tree of bodies */
    program products; /* for sweeps backwards: all slopes that are not zero, ... */
    int nentries;
    struct {
        int block, row, col;
    } * entry;     /* ... where they are, ... */
    double *value; /* ... and their values; those of the parameters: */
    double *at;
} dfl_run_parameters;

/* Output arrays of the evaluation: the fields of dfl_blocks, in this order. */
enum {
    OUT_KIN,
    OUT_F,
    OUT_B,
    OUT_D,
    OUT_C,
    OUT_G,
    OUT_EP,
    OUT_GI,
    OUT_HV,
    OUT_E,
    OUT_GAM,
    OUT_W,
    OUT_K0,
    OUT_BIAS,
    OUT_BLOCKS
};

enum { SINGLE_BLOCKS = 8 }; /* bits of the request mask */

/* Both structs consist of pointers only, so that their bytes are an array of them. */
enum { JACOBIAN_BLOCKS = 8 };
_Static_assert(sizeof(dfl_blocks) == OUT_BLOCKS * sizeof(double *), "fields of dfl_blocks");
_Static_assert(sizeof(dfl_jacobian) == JACOBIAN_BLOCKS * sizeof(double *),
               "fields of dfl_jacobian");

struct dfl_runnable {
    const dfl_equations *eq;
    dfl_context *ctx;
    dfl_eom eom;   /* for the solver */
    unsigned full; /* the request mask of `all` */
    bool packed;   /* matrices contain nonzeros only (packing.c) */
    dfl_sparsity sparsity;
    int *packing; /* memory of its patterns */
    bool *uncounted, *following;
    bool called_tree;
    dfl_structure
        structure; /* each velocity with its position, if p' = v: for the norm by bodies */
    dfl_body *bodies;
    struct dfl_packed_motion *packed_motion; /* packed, and outputs contain accelerations */
    double *lanes; /* registers of `all` for several states at once, or NULL */
    program all, single[SINGLE_BLOCKS], mass, jacobian, outputs, energy, scene, doubts, drives;
    program motion_slopes; /* Jdyn alone, where a tree of bodies has massless directions */
    dfl_run_parameters parameters, along; /* by each of them; along a direction */
    dfl_switches switches;
    dfl_run_actions actions;
    struct dfl_run_foreign *foreign; /* one per FMU of the model; NULL: none */
    dfl_run_contacts contacts;
    dfl_branching_tables tables; /* of the three */
    const char **motion_names;   /* of prescribed motions, and their lines: in the tables */
    int *motion_lines;
    const program *carried[DFL_CARRY_PROGRAMS]; /* the programs by number; NULL: there is none */
    dfl_branching branching; /* branches and discrete variables, and what changes them */
    dfl_functions events;
    dfl_functions pulses; /* of time alone */
    dfl_native *native;
    bool may_compile, may_look; /* compilation.c: native code may still be made, or be cached */
    double known_t, *known_x;   /* where it is compared with the tape; NULL: nowhere yet */
    double *param, *input, *level;
    bool *independent;     /* n: coordinates of a partition, or NULL */
    double *redundant;     /* nl + nm: what rows may be apart, or NULL */
    double *combinations;  /* of positions instead of them, or NULL */
    dfl_kinds kinds;       /* of the unknowns, for eom.sizes */
    double *scratch;       /* rows of invariants, while their levels are taken */
    dfl_tree_engine *tree; /* NULL unless the model leaves masses to a tree of bodies */
    /* motion.c: NULL unless an output contains accelerations */
    dfl_accelerations *motion;
    double *a;         /* nv */
    dfl_blocks blocks; /* f, W, bias */
    dfl_tape *balance; /* rows and drift of gam' */
    double *balance_work, *balance_rate;
};

/* programs.c: all programs of a model; what depends on parameters, inputs and levels alone. */
dfl_status dfl_runnable_create_programs(dfl_runnable *run);
void dfl_runnable_free_programs(dfl_runnable *run);
void dfl_runnable_prepare(dfl_runnable *run);

/* A program for derivatives of all rows. */
dfl_status dfl_runnable_create_slopes(program *out, dfl_runnable *run,
                                      const dfl_equation_jacobian *slopes);
void dfl_run_parameters_clear(dfl_runnable *run);

/* parameter_products.c: a dfl_products_fn of a set of parameters, and what it evaluates. */
dfl_status dfl_run_products_create(dfl_run_parameters *all);
int dfl_run_products(double *out, const dfl_jacobian *weight, int nof, double t, const double *x,
                     const double *a, void *user);

/* A program that writes the values of some expressions, as they are. */
dfl_status dfl_program_create(program *out, dfl_runnable *run, const dfl_expr *rows, int count);

/* switches.c: the switches of the equations; then the functions that bound their branches. */
dfl_status dfl_switches_create(dfl_runnable *run);
dfl_status dfl_switches_prepare(dfl_runnable *run);
void dfl_switches_clear(dfl_runnable *run);
/* Unless branches are locked: takes those that are valid at (t, x). */
void dfl_runnable_follow(dfl_runnable *run, double t, const double *x);

/* rows.c: all rows of the equations, prescribed motions, and matrices; free *out. `massless`: also
   the balance along massless directions and these directions, which repeat the others and may have
   poles. DFL_NO_MEMORY. */
dfl_status dfl_runnable_rows(dfl_expr **out, int *count, const dfl_runnable *run, bool massless);

/* time_functions.c: what the equations contain of time alone. DFL_NO_MEMORY. */
dfl_status dfl_pulses_create(dfl_runnable *run);

/* energy_jumps.c: finds energies that may jump; their rows, each with its slopes. */
dfl_status dfl_switches_energies(dfl_runnable *run);
dfl_status dfl_switches_energy_rows(dfl_expr *rows, dfl_runnable *run);

/* owners.c: the programs of energy and of drives in the present branches. */
dfl_status dfl_switches_create_energy(dfl_runnable *run);
dfl_status dfl_switches_create_drives(dfl_runnable *run);

/* run_actions.c: the discrete variables; the programs; the actions as items behind the switches. */
dfl_status dfl_actions_create(dfl_runnable *run);
dfl_status dfl_actions_prepare(dfl_runnable *run);
void dfl_actions_clear(dfl_runnable *run);

/* run_foreign.c: controllers that are FMUs; the callback of dfl_branching_host. */
dfl_status dfl_foreign_create(dfl_runnable *run);
void dfl_foreign_clear(dfl_runnable *run);
int dfl_foreign_exchange(int action, double t, double *discrete, void *user);
void dfl_actions_list(dfl_switch *items, const dfl_runnable *run);
/* run_contacts.c: three functions for each contact as items behind those of actions; programs. */
void dfl_contacts_list(dfl_switch *items, const dfl_runnable *run);
dfl_status dfl_run_contacts_create(dfl_runnable *run);
void dfl_run_contacts_clear(dfl_runnable *run);

/* run_branching.c: the tables, and what runs on them. DFL_NO_MEMORY. */
dfl_status dfl_run_branching_create(dfl_runnable *run);
void dfl_run_branching_clear(dfl_runnable *run);

/* All blocks at `count` states, at most DFL_TAPE_LANES, by the tape. */
void dfl_runnable_evaluate_lanes(dfl_blocks *const *out, const dfl_runnable *run, const double *t,
                                 const double *const *x, int count);

/* Runs one program at a state; `a` may be NULL. */
void dfl_runnable_evaluate(const program *prog, const dfl_runnable *run, double t, const double *x,
                           const double *a, double *const *out);

/* packing.c: the patterns of a packed run; dense copies of its matrices, into zeroed memory, all
   blocks of dfl_jacobian in their order. DFL_NO_MEMORY. */
dfl_status dfl_packing_create(dfl_runnable *run);
dfl_status dfl_unpack_directions(double *W, double *K0, dfl_runnable *run, double t,
                                 const double *x);
dfl_status dfl_unpack_jacobian(double *const *out, dfl_runnable *run, double t, const double *x,
                               const double *a);

/* packing.c: accelerations that outputs of a packed run contain. */
dfl_status dfl_packed_motion_create(dfl_runnable *run);
bool dfl_motion_is_wanted(const dfl_equations *eq); /* in motion.c */
void dfl_packed_motion_free(dfl_runnable *run);
const double *dfl_packed_accelerations(dfl_runnable *run, double t, const double *x);

/* callbacks.c: fills in run->eom. */
void dfl_runnable_describe(dfl_runnable *run);

/* motion.c: room for the accelerations that outputs contain; the accelerations at (t, x), or NULL
   if no output contains any. */
dfl_status dfl_runnable_prepare_motion(dfl_runnable *run);
void dfl_runnable_free_motion(dfl_runnable *run);
/* The rate of the balance along massless directions, without which v' is not determined there. */
dfl_status dfl_runnable_make_balance(dfl_runnable *run);

#endif
