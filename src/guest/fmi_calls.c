/* fmi_calls.c: the functions of FMI 2.0 and 3.0 that co-simulation needs, found in the library of
   an FMU. Declarations from the text of the standard. Used in a process of its own, which has one
   instance. */
#include "guest/guest_internal.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD };

typedef struct callbacks2 {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks2;

struct dfl_fmi {
    int version;
    void *instance;
    void *(*instantiate2)(const char *, int, const char *, const char *, const callbacks2 *, int,
                          int);
    int (*setup2)(void *, int, double, double, int, double);
    int (*enter2)(void *);
    int (*set2)(void *, const unsigned *, size_t, const double *);
    int (*get2)(void *, const unsigned *, size_t, double *);
    int (*step2)(void *, double, double, int);
    int (*flag2)(void *, int, int *);
    int (*real2)(void *, int, double *);
    void *(*instantiate3)(const char *, const char *, const char *, bool, bool, bool, bool,
                          const unsigned *, size_t, void *,
                          void (*)(void *, int, const char *, const char *), void *);
    int (*enter3)(void *, bool, double, double, bool, double);
    int (*set3)(void *, const unsigned *, size_t, const double *, size_t);
    int (*get3)(void *, const unsigned *, size_t, double *, size_t);
    int (*step3)(void *, double, double, bool, bool *, bool *, bool *, double *);
    int (*leave)(void *); /* the initialization, in both versions */
};

static char message[1000];
static callbacks2 callbacks;

const char *dfl_fmi_message(void)
{
    return message[0] ? message : "it gives no reason";
}

static void log_of_two(void *environment, const char *instance, int status, const char *category,
                       const char *format, ...)
{
    va_list arguments;
    (void)environment, (void)instance, (void)category;
    if (status <= OK)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
}

static void log_of_three(void *environment, int status, const char *category, const char *text)
{
    (void)environment, (void)category;
    if (status > OK)
        snprintf(message, sizeof message, "%s", text);
}

static bool find(void *place, void *library, const char *name)
{
    void *const found = dlsym(library, name);
    memcpy(place, &found, sizeof found);
    if (!found)
        snprintf(message, sizeof message, "its library has no function %s", name);
    return found != NULL;
}

static bool find_all(dfl_fmi *fmi, void *library)
{
    if (fmi->version == 2)
        return find(&fmi->instantiate2, library, "fmi2Instantiate") &&
               find(&fmi->setup2, library, "fmi2SetupExperiment") &&
               find(&fmi->enter2, library, "fmi2EnterInitializationMode") &&
               find(&fmi->leave, library, "fmi2ExitInitializationMode") &&
               find(&fmi->set2, library, "fmi2SetReal") &&
               find(&fmi->get2, library, "fmi2GetReal") &&
               find(&fmi->step2, library, "fmi2DoStep") &&
               find(&fmi->flag2, library, "fmi2GetBooleanStatus") &&
               find(&fmi->real2, library, "fmi2GetRealStatus");
    return find(&fmi->instantiate3, library, "fmi3InstantiateCoSimulation") &&
           find(&fmi->enter3, library, "fmi3EnterInitializationMode") &&
           find(&fmi->leave, library, "fmi3ExitInitializationMode") &&
           find(&fmi->set3, library, "fmi3SetFloat64") &&
           find(&fmi->get3, library, "fmi3GetFloat64") && find(&fmi->step3, library, "fmi3DoStep");
}

dfl_fmi *dfl_fmi_load(const dfl_guest_description *description, const char *library,
                      const char *resources)
{
    char place[1100];
    dfl_fmi *fmi = calloc(1, sizeof *fmi);
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!opened)
        snprintf(message, sizeof message, "%s", dlerror());
    if (!fmi || !opened)
        return NULL;
    fmi->version = description->version;
    if (!find_all(fmi, opened))
        return NULL;
    callbacks = (callbacks2){log_of_two, calloc, free, NULL, NULL};
    snprintf(place, sizeof place, fmi->version == 2 ? "file://%s" : "%s/", resources);
    fmi->instance =
        fmi->version == 2
            ? fmi->instantiate2("driftless", 1, description->token, place, &callbacks, 0, 1)
            : fmi->instantiate3("driftless", description->token, place, false, true, false, false,
                                NULL, 0, NULL, log_of_three, NULL);
    return fmi->instance ? fmi : NULL;
}

int dfl_fmi_start(dfl_fmi *fmi, double t, double stop, double tolerance)
{
    const bool ends = isfinite(stop), tolerant = tolerance > 0;
    int status = OK;
    if (fmi->version == 2) {
        status = fmi->setup2(fmi->instance, tolerant, tolerant ? tolerance : 0, t, ends,
                             ends ? stop : 0);
        if (status <= WARNING)
            status = fmi->enter2(fmi->instance);
    } else {
        status = fmi->enter3(fmi->instance, tolerant, tolerant ? tolerance : 0, t, ends,
                             ends ? stop : 0);
    }
    if (status <= WARNING)
        status = fmi->leave(fmi->instance);
    return status > WARNING;
}

int dfl_fmi_set(dfl_fmi *fmi, const unsigned *reference, int count, const double *value)
{
    const size_t n = (size_t)count;
    return (fmi->version == 2 ? fmi->set2(fmi->instance, reference, n, value)
                              : fmi->set3(fmi->instance, reference, n, value, n)) > WARNING;
}

int dfl_fmi_get(dfl_fmi *fmi, const unsigned *reference, int count, double *value)
{
    const size_t n = (size_t)count;
    return (fmi->version == 2 ? fmi->get2(fmi->instance, reference, n, value)
                              : fmi->get3(fmi->instance, reference, n, value, n)) > WARNING;
}

int dfl_fmi_step(dfl_fmi *fmi, double t, double h, double *reached, int *ended)
{
    enum { LAST_TIME = 2, TERMINATED = 3 };
    int status;
    *reached = t + h;
    *ended = 0;
    if (fmi->version == 2) {
        status = fmi->step2(fmi->instance, t, h, 1);
        if (status != DISCARD)
            return status > WARNING;
        fmi->flag2(fmi->instance, TERMINATED, ended);
        return fmi->real2(fmi->instance, LAST_TIME, reached) > WARNING || !*ended;
    }
    bool handle = false, terminate = false, early = false;
    status = fmi->step3(fmi->instance, t, h, true, &handle, &terminate, &early, reached);
    *ended = terminate;
    return status > WARNING;
}
