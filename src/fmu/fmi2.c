/* fmi2.c: the functions of FMI 2.0, a thin layer over fmu.h. */
#if !defined(DFL_FMI) || DFL_FMI == 2
#include "fmu/fmi2.h"

#include "fmu/fmu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Callers have the declarations of the standard. */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#endif
#ifdef _WIN32
#define FMI2 __declspec(dllexport)
#else
#define FMI2 __attribute__((visibility("default")))
#endif

/* What the standard asks for in addition. */
typedef struct component {
    dfl_fmu *fmu;
    fmi2CallbackFunctions functions;
    double start, tolerance;
    bool stopped;
} component;

static dfl_fmu *fmu_of(fmi2Component c)
{
    return ((component *)c)->fmu;
}

static void tell(dfl_fmu *fmu, dfl_fmu_status status, const char *message)
{
    const component *c = fmu->environment;
    if (c->functions.logger && fmu->logging)
        c->functions.logger(c->functions.componentEnvironment, fmu->name, (fmi2Status)status,
                            "logStatusError", "%s", message);
}

/* ------------------------------------------------------------------------------- life */

FMI2 const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

FMI2 const char *fmi2GetVersion(void)
{
    return "2.0";
}

FMI2 fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n,
                                    const fmi2String categories[])
{
    (void)n, (void)categories;
    fmu_of(c)->logging = on;
    return fmi2OK;
}

FMI2 fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                   fmi2String resources, const fmi2CallbackFunctions *functions,
                                   fmi2Boolean visible, fmi2Boolean logging)
{
    (void)resources, (void)visible;
    component *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    if (functions)
        c->functions = *functions;
    c->fmu = dfl_fmu_create(name, guid, type == fmi2ModelExchange);
    if (!c->fmu) {
        if (c->functions.logger)
            c->functions.logger(c->functions.componentEnvironment, name, fmi2Error,
                                "logStatusError",
                                "the model cannot be instantiated: its GUID is another one, it has "
                                "no form of this kind, or there is no memory");
        free(c);
        return NULL;
    }
    c->start = c->fmu->t;
    c->fmu->environment = c;
    c->fmu->tell = tell;
    c->fmu->logging = logging;
    return c;
}

FMI2 void fmi2FreeInstance(fmi2Component c)
{
    if (!c)
        return;
    dfl_fmu_free(fmu_of(c));
    free(c);
}

FMI2 fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean with_tolerance, fmi2Real tolerance,
                                    fmi2Real start, fmi2Boolean with_stop, fmi2Real stop)
{
    component *self = c;
    (void)with_stop, (void)stop;
    self->start = start;
    self->tolerance = with_tolerance ? tolerance : 0;
    return fmi2OK;
}

FMI2 fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    const component *self = c;
    return (fmi2Status)dfl_fmu_initialize(self->fmu, self->start, self->tolerance);
}

FMI2 fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    return (fmi2Status)dfl_fmu_begin(fmu_of(c));
}

FMI2 fmi2Status fmi2Terminate(fmi2Component c)
{
    fmu_of(c)->phase = DFL_FMU_TERMINATED;
    return fmi2OK;
}

FMI2 fmi2Status fmi2Reset(fmi2Component c)
{
    component *self = c;
    const dfl_fmu_status status = dfl_fmu_reset(self->fmu);
    self->start = self->fmu->t;
    self->tolerance = 0;
    self->stopped = false;
    return (fmi2Status)status;
}

/* ------------------------------------------------------------------------------- variables */

FMI2 fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                            fmi2Real value[])
{
    return (fmi2Status)dfl_fmu_get(fmu_of(c), vr, n, value);
}

FMI2 fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                            const fmi2Real value[])
{
    return (fmi2Status)dfl_fmu_set(fmu_of(c), vr, n, value);
}

/* There are only real variables. */
static fmi2Status refuse_type(fmi2Component c, size_t n)
{
    return n == 0 ? fmi2OK
                  : (fmi2Status)dfl_fmu_refuse(fmu_of(c), "all variables of the model are real");
}

FMI2 fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                               fmi2Integer value[])
{
    (void)vr, (void)value;
    return refuse_type(c, n);
}

FMI2 fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                               fmi2Boolean value[])
{
    (void)vr, (void)value;
    return refuse_type(c, n);
}

FMI2 fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                              fmi2String value[])
{
    (void)vr, (void)value;
    return refuse_type(c, n);
}

FMI2 fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                               const fmi2Integer value[])
{
    (void)vr, (void)value;
    return refuse_type(c, n);
}

FMI2 fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                               const fmi2Boolean value[])
{
    (void)vr, (void)value;
    return refuse_type(c, n);
}

FMI2 fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                              const fmi2String value[])
{
    (void)vr, (void)value;
    return refuse_type(c, n);
}

FMI2 fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[],
                                             size_t nunknown, const fmi2ValueReference known[],
                                             size_t nknown, const fmi2Real seed[],
                                             fmi2Real sensitivity[])
{
    return (fmi2Status)dfl_fmu_directional(fmu_of(c), unknown, nunknown, known, nknown, seed,
                                           sensitivity);
}

/* ------------------------------------------------------------------------------- states */

FMI2 fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    return (fmi2Status)dfl_fmu_save(fmu_of(c), (dfl_fmu_saved **)state);
}

FMI2 fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    ((component *)c)->stopped = false;
    return (fmi2Status)dfl_fmu_restore(fmu_of(c), state);
}

FMI2 fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

FMI2 fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c;
    *size = ((const dfl_fmu_saved *)state)->size;
    return fmi2OK;
}

FMI2 fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[],
                                      size_t size)
{
    const dfl_fmu_saved *saved = state;
    if (size < saved->size)
        return (fmi2Status)dfl_fmu_refuse(fmu_of(c), "the array is too small for the state");
    memcpy(bytes, saved->bytes, saved->size);
    return fmi2OK;
}

FMI2 fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                        fmi2FMUstate *state)
{
    return (fmi2Status)dfl_fmu_adopt(fmu_of(c), bytes, size, (dfl_fmu_saved **)state);
}

/* ------------------------------------------------------------------------------- model exchange */

FMI2 fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

FMI2 fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    dfl_fmu_events found;
    const dfl_fmu_status status = dfl_fmu_update(fmu_of(c), &found);
    *info = (fmi2EventInfo){false,     found.stopped || status, false, found.moved, found.timed,
                            found.next};
    return (fmi2Status)status;
}

FMI2 fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

FMI2 fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state,
                                            fmi2Boolean *event, fmi2Boolean *terminate)
{
    bool wanted, stopped;
    (void)no_set_state;
    const dfl_fmu_status status = dfl_fmu_completed(fmu_of(c), &wanted, &stopped);
    *event = wanted;
    *terminate = stopped;
    return (fmi2Status)status;
}

FMI2 fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t)
{
    dfl_fmu_set_time(fmu_of(c), t);
    return fmi2OK;
}

/* Arrays must have the length of the model's. */
static bool fits(fmi2Component c, size_t n, int count)
{
    return n == (size_t)count ||
           (dfl_fmu_refuse(fmu_of(c), "an array has another length than the model's"), false);
}

FMI2 fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    if (!fits(c, n, dfl_fmu_states(fmu_of(c))))
        return fmi2Error;
    dfl_fmu_set_states(fmu_of(c), x);
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rate[], size_t n)
{
    return fits(c, n, dfl_fmu_states(fmu_of(c))) ? (fmi2Status)dfl_fmu_rates(fmu_of(c), rate)
                                                 : fmi2Error;
}

FMI2 fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real value[], size_t n)
{
    return fits(c, n, dfl_carried_indicators(fmu_of(c)->run))
               ? (fmi2Status)dfl_fmu_indicate(fmu_of(c), value)
               : fmi2Error;
}

FMI2 fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    if (!fits(c, n, dfl_fmu_states(fmu_of(c))))
        return fmi2Error;
    dfl_fmu_get_states(fmu_of(c), x);
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t n)
{
    if (!fits(c, n, dfl_fmu_states(fmu_of(c))))
        return fmi2Error;
    for (size_t i = 0; i < n; i++)
        nominal[i] = 1;
    return fmi2OK;
}

/* ------------------------------------------------------------------------------- co-simulation */

FMI2 fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                            size_t n, const fmi2Integer order[],
                                            const fmi2Real value[])
{
    (void)vr, (void)n, (void)order, (void)value;
    return (fmi2Status)dfl_fmu_refuse(fmu_of(c),
                                      "inputs are constant between communication points");
}

FMI2 fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                             size_t n, const fmi2Integer order[], fmi2Real value[])
{
    (void)vr, (void)n, (void)order, (void)value;
    return (fmi2Status)dfl_fmu_refuse(fmu_of(c), "derivatives of outputs are not available");
}

FMI2 fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real step, fmi2Boolean no_set_state)
{
    component *self = c;
    (void)no_set_state;
    const dfl_fmu_status status = dfl_fmu_step(self->fmu, t, step, &self->stopped);
    return self->stopped && !status ? fmi2Discard : (fmi2Status)status;
}

FMI2 fmi2Status fmi2CancelStep(fmi2Component c)
{
    return (fmi2Status)dfl_fmu_refuse(fmu_of(c), "steps are never pending");
}

FMI2 fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)c, (void)kind;
    *value = fmi2OK;
    return fmi2Discard;
}

FMI2 fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    if (kind != fmi2LastSuccessfulTime)
        return fmi2Discard;
    *value = fmu_of(c)->t;
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

FMI2 fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (kind != fmi2Terminated)
        return fmi2Discard;
    *value = ((component *)c)->stopped;
    return fmi2OK;
}

FMI2 fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}
#endif
