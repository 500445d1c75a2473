/* fmi3.c: the functions of FMI 3.0 that the model has, a thin layer over fmu.h. */
#if !defined(DFL_FMI) || DFL_FMI == 3
#include "fmu/fmi3.h"

#include "fmu/fmu.h"

#include <stdlib.h>
#include <string.h>

/* Callers have the declarations of the standard. */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#endif

/* The instance of the standard is dfl_fmu; its environment is this. */
typedef struct surroundings {
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    fmi3IntermediateUpdateCallback update;
    bool may_return;
} surroundings;

static void tell(dfl_fmu *fmu, dfl_fmu_status status, const char *message)
{
    const surroundings *s = fmu->environment;
    if (s->log && fmu->logging)
        s->log(s->environment, (fmi3Status)status, "logStatusError", message);
}

/* ------------------------------------------------------------------------------- life */

FMI3 const char *fmi3GetVersion(void)
{
    return "3.0";
}

FMI3 fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n,
                                    const fmi3String categories[])
{
    (void)n, (void)categories;
    ((dfl_fmu *)c)->logging = on;
    return fmi3OK;
}

static bool update(dfl_fmu *fmu, double t)
{
    const surroundings *s = fmu->environment;
    fmi3Boolean wanted = false;
    fmi3Float64 when = t;
    s->update(s->environment, t, false, true, true, s->may_return, &wanted, &when);
    return s->may_return && wanted && when <= t;
}

static dfl_fmu *instantiate(const char *name, const char *token, bool outside, bool logging,
                            const surroundings *given)
{
    surroundings *s = calloc(1, sizeof *s);
    dfl_fmu *fmu = s ? dfl_fmu_create(name, token, outside) : NULL;
    if (!fmu) {
        if (given->log)
            given->log(given->environment, fmi3Error, "logStatusError",
                       "the model cannot be instantiated: its token is another one, it has no form "
                       "of this kind, or there is no memory");
        free(s);
        return NULL;
    }
    *s = *given;
    fmu->environment = s;
    fmu->tell = tell;
    fmu->logging = logging;
    fmu->on_step = s->update ? update : NULL;
    return fmu;
}

FMI3 fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                               fmi3String resources, fmi3Boolean visible,
                                               fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log)
{
    (void)resources, (void)visible;
    return instantiate(name, token, true, logging,
                       &(surroundings){.environment = environment, .log = log});
}

FMI3 fmi3Instance
fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                            fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events,
                            fmi3Boolean early, const fmi3ValueReference intermediate[],
                            size_t nintermediate, fmi3InstanceEnvironment environment,
                            fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback on_update)
{
    (void)resources, (void)visible, (void)events, (void)intermediate, (void)nintermediate;
    return instantiate(name, token, false, logging,
                       &(surroundings){environment, log, on_update, early});
}

FMI3 fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment;
    (void)log, (void)clock, (void)lock, (void)unlock;
    return NULL; /* the description does not offer it */
}

FMI3 void fmi3FreeInstance(fmi3Instance c)
{
    if (!c)
        return;
    void *environment = ((dfl_fmu *)c)->environment;
    dfl_fmu_free(c);
    free(environment);
}

FMI3 fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean with_tolerance,
                                            fmi3Float64 tolerance, fmi3Float64 start,
                                            fmi3Boolean with_stop, fmi3Float64 stop)
{
    (void)with_stop, (void)stop;
    return (fmi3Status)dfl_fmu_initialize(c, start, with_tolerance ? tolerance : 0);
}

FMI3 fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    return (fmi3Status)dfl_fmu_begin(c);
}

FMI3 fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI3 fmi3Status fmi3Terminate(fmi3Instance c)
{
    ((dfl_fmu *)c)->phase = DFL_FMU_TERMINATED;
    return fmi3OK;
}

FMI3 fmi3Status fmi3Reset(fmi3Instance c)
{
    return (fmi3Status)dfl_fmu_reset(c);
}

/* ------------------------------------------------------------------------------- variables */

/* Arrays must have the length of the model's. */
static bool fits(dfl_fmu *fmu, size_t n, size_t count)
{
    return n == count || (dfl_fmu_refuse(fmu, "an array has another length than expected"), false);
}

FMI3 fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                               fmi3Float64 value[], size_t count)
{
    return fits(c, count, n) ? (fmi3Status)dfl_fmu_get(c, vr, n, value) : fmi3Error;
}

FMI3 fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                               const fmi3Float64 value[], size_t count)
{
    return fits(c, count, n) ? (fmi3Status)dfl_fmu_set(c, vr, n, value) : fmi3Error;
}

FMI3 fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[],
                                             size_t nunknown, const fmi3ValueReference known[],
                                             size_t nknown, const fmi3Float64 seed[], size_t nseed,
                                             fmi3Float64 sensitivity[], size_t nsensitivity)
{
    if (!fits(c, nseed, nknown) || !fits(c, nsensitivity, nunknown))
        return fmi3Error;
    return (fmi3Status)dfl_fmu_directional(c, unknown, nunknown, known, nknown, seed, sensitivity);
}

/* ------------------------------------------------------------------------------- states */

FMI3 fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    return (fmi3Status)dfl_fmu_save(c, (dfl_fmu_saved **)state);
}

FMI3 fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    return (fmi3Status)dfl_fmu_restore(c, state);
}

FMI3 fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

FMI3 fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)c;
    *size = ((const dfl_fmu_saved *)state)->size;
    return fmi3OK;
}

FMI3 fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[],
                                      size_t size)
{
    const dfl_fmu_saved *saved = state;
    if (size < saved->size)
        return (fmi3Status)dfl_fmu_refuse(c, "the array is too small for the state");
    memcpy(bytes, saved->bytes, saved->size);
    return fmi3OK;
}

FMI3 fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size,
                                        fmi3FMUState *state)
{
    return (fmi3Status)dfl_fmu_adopt(c, bytes, size, (dfl_fmu_saved **)state);
}

/* ------------------------------------------------------------------------------- model exchange */

FMI3 fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate,
                                         fmi3Boolean *nominals, fmi3Boolean *values,
                                         fmi3Boolean *timed, fmi3Float64 *time)
{
    dfl_fmu_events found = {0};
    dfl_fmu *fmu = c;
    const dfl_fmu_status status = fmu->outside ? dfl_fmu_update(fmu, &found) : DFL_FMU_OK;
    *again = *nominals = false;
    *terminate = found.stopped || status;
    *values = found.moved;
    *timed = found.timed;
    *time = found.next;
    return (fmi3Status)status;
}

FMI3 fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI3 fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set_state,
                                            fmi3Boolean *event, fmi3Boolean *terminate)
{
    (void)no_set_state;
    return (fmi3Status)dfl_fmu_completed(c, event, terminate);
}

FMI3 fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t)
{
    dfl_fmu_set_time(c, t);
    return fmi3OK;
}

FMI3 fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n)
{
    if (!fits(c, n, (size_t)dfl_fmu_states(c)))
        return fmi3Error;
    dfl_fmu_set_states(c, x);
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 rate[], size_t n)
{
    return fits(c, n, (size_t)dfl_fmu_states(c)) ? (fmi3Status)dfl_fmu_rates(c, rate) : fmi3Error;
}

FMI3 fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 value[], size_t n)
{
    const dfl_fmu *fmu = c;
    return fits(c, n, (size_t)fmu->counts.indicators) ? (fmi3Status)dfl_fmu_indicate(c, value)
                                                      : fmi3Error;
}

FMI3 fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n)
{
    if (!fits(c, n, (size_t)dfl_fmu_states(c)))
        return fmi3Error;
    dfl_fmu_get_states(c, x);
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominal[], size_t n)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        nominal[i] = 1;
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n)
{
    *n = (size_t)((const dfl_fmu *)c)->counts.indicators;
    return fmi3OK;
}

FMI3 fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n)
{
    *n = (size_t)dfl_fmu_states(c);
    return fmi3OK;
}

/* ------------------------------------------------------------------------------- co-simulation */

FMI3 fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI3 fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 step,
                           fmi3Boolean no_set_state, fmi3Boolean *event, fmi3Boolean *terminate,
                           fmi3Boolean *early, fmi3Float64 *last)
{
    dfl_fmu *fmu = c;
    bool stopped;
    (void)no_set_state;
    const dfl_fmu_status status = dfl_fmu_step(fmu, t, step, &stopped);
    *event = false;
    *terminate = stopped;
    *early = !status && !stopped && fmu->t < t + step;
    *last = fmu->t;
    return (fmi3Status)status;
}
#endif
