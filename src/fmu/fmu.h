/* fmu.h: one instance of an exported model behind the functions of FMI 2.0 and 3.0. */
#ifndef DFL_FMU_H
#define DFL_FMU_H

#include "carry/carry.h"
#include "fmu/exchange.h"
#include "fmu/references.h"

/* The model of this library; the exported source defines it. */
extern const dfl_carried dfl_carried_model;

/* The numbers of fmi2Status and fmi3Status; they are the same. */
typedef enum dfl_fmu_status {
    DFL_FMU_OK,
    DFL_FMU_WARNING,
    DFL_FMU_DISCARD,
    DFL_FMU_ERROR
} dfl_fmu_status;

typedef enum dfl_fmu_phase {
    DFL_FMU_CREATED,
    DFL_FMU_INITIALIZING,
    DFL_FMU_RUNNING,
    DFL_FMU_TERMINATED
} dfl_fmu_phase;

typedef struct dfl_fmu dfl_fmu;
struct dfl_fmu {
    dfl_context *ctx;
    const dfl_carried *model;
    dfl_carried_run *run;
    dfl_exchange *exchange; /* NULL: the carried model completes states */
    dfl_reference_counts counts;
    bool outside; /* integrated by the caller: model exchange */
    dfl_fmu_phase phase;
    double t, tolerance;
    bool fresh;    /* the consistent start belongs to the present values */
    bool known;    /* x and rate belong to the present state; ... */
    bool reported; /* ... outputs do */
    double *state; /* n: r, v, p as the caller has set them (model exchange) */
    double *x, *rate, *outputs, *spare;
    double *indicators;
    double *event; /* nevents: event functions after the last completed step (model exchange) */
    double *lift;  /* added to each switching function, which is positive after an event */
    char *name;
    bool logging;
    /* of the version: passes a message on */
    void (*tell)(dfl_fmu *fmu, dfl_fmu_status status, const char *message);
    void *environment;
    /* after each step of the solver, while variables may be read; true: the run ends there. Or NULL
     */
    bool (*on_step)(dfl_fmu *fmu, double t);
};

dfl_fmu *dfl_fmu_create(const char *name, const char *token, bool outside);
void dfl_fmu_free(dfl_fmu *fmu);
dfl_fmu_status dfl_fmu_reset(dfl_fmu *fmu);

/* Tells the message of the context if status is not DFL_OK. */
dfl_fmu_status dfl_fmu_report(dfl_fmu *fmu, dfl_status status);
/* Tells it, and returns DFL_FMU_ERROR. */
dfl_fmu_status dfl_fmu_refuse(dfl_fmu *fmu, const char *message);

dfl_fmu_status dfl_fmu_initialize(dfl_fmu *fmu, double t, double tolerance);
dfl_fmu_status dfl_fmu_begin(dfl_fmu *fmu); /* the end of the initialization */

dfl_fmu_status dfl_fmu_get(dfl_fmu *fmu, const unsigned *reference, size_t count, double *value);
dfl_fmu_status dfl_fmu_set(dfl_fmu *fmu, const unsigned *reference, size_t count,
                           const double *value);

/* Co-simulation: from t by `step`. *stopped: an event of the model ends the run there. */
dfl_fmu_status dfl_fmu_step(dfl_fmu *fmu, double t, double step, bool *stopped);

/* With r, v and p of x (n) at the present time: completes it, and writes the derivatives of r, v,
   p. */
dfl_fmu_status dfl_fmu_evaluate(dfl_fmu *fmu, double *rate, double *x);

/* Model exchange: states are p, v, r. */
int dfl_fmu_states(const dfl_fmu *fmu);
void dfl_fmu_set_states(dfl_fmu *fmu, const double *state);
void dfl_fmu_get_states(dfl_fmu *fmu, double *state);
dfl_fmu_status dfl_fmu_rates(dfl_fmu *fmu, double *rate);
void dfl_fmu_set_time(dfl_fmu *fmu, double t);
dfl_fmu_status dfl_fmu_indicate(dfl_fmu *fmu, double *value);
/* Whether an indicator is that of an event which acts: it is always 1. */
bool dfl_fmu_acts(const dfl_fmu *fmu, int indicator);
/* After a step of the caller: *event, whether the states are too far from the constraints;
 *stopped, whether an event of the model ends the run in this step. */
dfl_fmu_status dfl_fmu_completed(dfl_fmu *fmu, bool *event, bool *stopped);
/* What happens at an instant: states move onto the constraints; what has passed zero switches, acts
   or collides. */
typedef struct dfl_fmu_events {
    bool moved;   /* states are others now */
    bool stopped; /* an event of the model ends the run */
    bool timed;   /* something is known to happen ... */
    double next;  /* ... at this time next; 0: nothing is known */
} dfl_fmu_events;
dfl_fmu_status dfl_fmu_update(dfl_fmu *fmu, dfl_fmu_events *out);

/* x and rate at the present time. */
dfl_fmu_status dfl_fmu_complete(dfl_fmu *fmu);

/* Of unknowns by knowns, along `seed`. */
dfl_fmu_status dfl_fmu_directional(dfl_fmu *fmu, const unsigned *unknown, size_t nunknown,
                                   const unsigned *known, size_t nknown, const double *seed,
                                   double *sensitivity);
/* The same by differences, added to `sensitivity`; the references are known to be right. */
dfl_fmu_status dfl_fmu_differences(dfl_fmu *fmu, const unsigned *unknown, size_t nunknown,
                                   const unsigned *known, size_t nknown, const double *seed,
                                   double *sensitivity);

/* A state: its bytes, which begin with a head that names model and version. */
typedef struct dfl_fmu_saved {
    size_t size;
    unsigned char bytes[];
} dfl_fmu_saved;
dfl_fmu_status dfl_fmu_save(dfl_fmu *fmu, dfl_fmu_saved **saved);
dfl_fmu_status dfl_fmu_restore(dfl_fmu *fmu, const dfl_fmu_saved *saved);
dfl_fmu_status dfl_fmu_adopt(dfl_fmu *fmu, const void *bytes, size_t size, dfl_fmu_saved **saved);

#endif
