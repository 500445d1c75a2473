/* linear_model.h: a script's model near a state: where, and the linear equations there with names;
   part of study.h. */
#ifndef DFL_LINEAR_MODEL_H
#define DFL_LINEAR_MODEL_H

#include "engine/engine.h"

#include <driftless/analysis.h>

struct dfl_settings;

/* Where an analysis is made. */
typedef struct dfl_state_choice {
    const char *at;     /* "NAME=VALUE,...", "t=T", "equilibrium"; NULL: the consistent start */
    const char *steady; /* names of coordinates whose speeds are kept, or NULL */
    bool near;          /* values of `at` are guesses, from which a search starts */
} dfl_state_choice;

/* A state of a model. */
typedef struct dfl_state_found {
    double t;
    double *x;                   /* n */
    dfl_equilibrium equilibrium; /* how it was found, if it is one */
} dfl_state_found;

/* Finds it; the caller frees out->x with the context, also after a failure. */
dfl_status dfl_study_state(dfl_state_found *out, dfl_runnable *run,
                           const struct dfl_settings *settings, const dfl_state_choice *choice);

/* Whether few modes are found with sparse matrices (dfl_modes_few); whether dense ones have enough
   memory. */
bool dfl_study_suits_few(const dfl_equations *eq, double count);
bool dfl_study_allows_dense(const dfl_equations *eq);

/* Moves x to an equilibrium near it, or with `steady` to a steady motion, in which the coordinates
   and speeds that it names keep the velocities in x. See dfl_equilibrium_find. */
dfl_status dfl_study_equilibrium(dfl_equilibrium *report, double *x, dfl_runnable *run, double t,
                                 const char *steady);

/* y' = A y + B u, outputs = C y + D u. */
typedef struct dfl_linear_model {
    dfl_linearized linear;
    double t;
    int no;              /* outputs */
    const char **states; /* ny names, owned by the model; likewise: */
    const char **inputs;
    const char **outputs;
    char *doubt;     /* the text of linear.why, if a study has found it */
    char *turns;     /* the text of names int(SPEED) of states that are small turns */
    double *C, *D;   /* no x ny, no x nu */
    dfl_expr *exprs; /* no: the outputs ... */
    double *values;  /* ... and their values at the state */
    struct {
        double *E, *A, *B; /* one block, that of E; NULL: not asked for */
    } all;                 /* of all unknowns: E x' = A x + B u */
} dfl_linear_model;

/* The model's linear equations at a state. `inputs`, `outputs`: names separated by commas; NULL:
   all inputs ("": none), and all outputs or, without any, all positions. An output may be any
   variable. The caller clears *out also after a failure. DFL_INVALID: a name does not exist. */
dfl_status dfl_linear_model_create(dfl_linear_model *out, dfl_runnable *run,
                                   const dfl_state_found *state, const char *inputs,
                                   const char *outputs);
void dfl_linear_model_clear(dfl_linear_model *model);
/* Adds the equations of all unknowns, for the same inputs. */
dfl_status dfl_linear_model_add_all(dfl_linear_model *model, dfl_runnable *run,
                                    const dfl_state_found *state, const char *inputs);

/* Sets linear.why and .changing if eigenvalues do not judge the state x, because of samples,
   contacts at the end of their modes, or branches that meet there. DFL_NO_MEMORY. */
dfl_status dfl_study_judge(dfl_linear_model *model, dfl_runnable *run, const double *x);
/* Where an eigenvalue is zero and there are no equilibria next to the state x: sets linear.why and
   .changing. DFL_NO_MEMORY. */
dfl_status dfl_study_judge_zeros(dfl_linear_model *model, dfl_runnable *run, const double *x,
                                 const dfl_modes *modes);

/* Where modes without damping are driven by terms of higher order: likewise. */
dfl_status dfl_study_judge_undamped(dfl_linear_model *model, dfl_runnable *run, const double *x,
                                    const dfl_modes *modes);

/* "stable", "indifferent", "unstable" or "not judged"; cyclic states of a steady motion do not
   count. */
const char *dfl_study_stability(const dfl_linear_model *model, const dfl_modes *modes);

/* A step of an input, or an impulse, and when outputs are wanted. */
typedef struct dfl_kick {
    bool impulse;
    double size;  /* of the step, or of the impulse */
    double every; /* s */
    int count;
} dfl_kick;

/* Outputs after a kick of input `u` at the state, by the equations themselves: changes since then,
   divided by the size, as dfl_time_response writes them. NAN: of outputs with accelerations. */
dfl_status dfl_study_kick(double *out, dfl_runnable *run, const dfl_linear_model *model,
                          const dfl_state_found *state, const struct dfl_settings *settings, int u,
                          const dfl_kick *kick);

/* y^T Q y + 2 y^T N u + u^T R u: Q (ny x ny), N (ny x nu) and R (nu x nu). */
typedef struct dfl_weights {
    double *Q, *N, *R;
} dfl_weights;

/* From weights of squares of variables and outputs, which may contain inputs, and of inputs,
   "NAME=VALUE,..."; inputs that are not named, or `inputs` NULL, have 1. DFL_INVALID. */
dfl_status dfl_study_weights(const dfl_weights *out, const dfl_linear_model *model,
                             dfl_runnable *run, const char *states, const char *inputs);

/* Its matrices, as the library takes them. */
dfl_linear_equations dfl_linear_model_equations(const dfl_linear_model *model);

/* A part of an eigenvector that is rounding. */
#define DFL_HIDDEN_PART 1e-9

/* State feedback u = -K y, and what it makes of the modes. */
typedef struct dfl_feedback {
    dfl_context *ctx;
    double *K;  /* nu x ny; zero for states that are left out */
    bool *left; /* ny: cyclic positions that move along with a steady motion, and have no weight */
    double *reached, *shown; /* of each open mode, by inputs and in outputs */
    int unreached, unshown;  /* open modes that are not, beyond rounding */
    dfl_modes open, poles;   /* without what is left out */
} dfl_feedback;

/* Weights as for dfl_study_weights. The caller clears *out also after a failure. DFL_INVALID: no
   input, or a name. DFL_SINGULAR: there is no feedback that makes the state stable. */
dfl_status dfl_study_feedback(dfl_feedback *out, const dfl_linear_model *model, dfl_runnable *run,
                              const char *state_weight, const char *input_weight);
void dfl_feedback_clear(dfl_feedback *feedback);

/* The change of unknown `k` of x in a mode, by the numbers of both; of the np positions, divided by
   that of the one that moves most. `linear` is NULL for shapes of all unknowns (dfl_modes_few). */
void dfl_mode_change(double *re, double *im, const dfl_linearized *linear, const dfl_modes *modes,
                     int number, int k);
void dfl_mode_shape(double *re, double *im, const dfl_linearized *linear, int np,
                    const dfl_modes *modes, int number);

/* "equilibrium", "steady", "frozen". */
const char *dfl_point_kind_name(dfl_point_kind kind);

#endif
