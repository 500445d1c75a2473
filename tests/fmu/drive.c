/* drive.c: loads an FMU 2.0 and uses two instances of it, for tools that watch memory.
   usage: drive LIBRARY GUID KIND (1: co-simulation, 0: model exchange) STATES INDICATORS */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct callbacks {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished, *environment;
} callbacks;

typedef struct event_info {
    int again, terminate, nominals, values, timed;
    double time;
} event_info;

static void *library;

static void say(void *c, const char *name, int status, const char *category, const char *text, ...)
{
    (void)c, (void)name, (void)status, (void)category;
    fprintf(stderr, "%s\n", text);
}

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "there is no %s\n", name);
        exit(2);
    }
    return found;
}

static void check(int status, const char *name)
{
    if (status > 1) {
        fprintf(stderr, "%s gives %d\n", name, status);
        exit(3);
    }
}

#define CALL(name, types, ...) check(((int(*) types)function("fmi2" name))(__VA_ARGS__), name)

static void save_and_restore(void *c)
{
    void *state = NULL, *again = NULL;
    size_t size;
    CALL("GetFMUstate", (void *, void **), c, &state);
    CALL("SerializedFMUstateSize", (void *, void *, size_t *), c, state, &size);
    char *bytes = malloc(size);
    CALL("SerializeFMUstate", (void *, void *, char *, size_t), c, state, bytes, size);
    CALL("DeSerializeFMUstate", (void *, const char *, size_t, void **), c, bytes, size, &again);
    CALL("SetFMUstate", (void *, void *), c, again);
    CALL("FreeFMUstate", (void *, void **), c, &state);
    CALL("FreeFMUstate", (void *, void **), c, &again);
    free(bytes);
}

/* Steps of Euler's method with events. */
static void exchange(void *c, int states, int indicators)
{
    double *x = calloc((size_t)(2 * states + indicators + 1), sizeof *x), *rate = x + states;
    event_info info;
    CALL("NewDiscreteStates", (void *, event_info *), c, &info);
    CALL("EnterContinuousTimeMode", (void *), c);
    for (int k = 1; k <= 20; k++) {
        int event, stop;
        CALL("GetContinuousStates", (void *, double *, size_t), c, x, (size_t)states);
        CALL("GetDerivatives", (void *, double *, size_t), c, rate, (size_t)states);
        CALL("GetEventIndicators", (void *, double *, size_t), c, rate + states,
             (size_t)indicators);
        for (int i = 0; i < states; i++)
            x[i] += 1e-4 * rate[i];
        CALL("SetTime", (void *, double), c, 1e-4 * k);
        CALL("SetContinuousStates", (void *, const double *, size_t), c, x, (size_t)states);
        CALL("CompletedIntegratorStep", (void *, int, int *, int *), c, 1, &event, &stop);
        if (event || k == 10) {
            CALL("EnterEventMode", (void *), c);
            CALL("NewDiscreteStates", (void *, event_info *), c, &info);
            CALL("EnterContinuousTimeMode", (void *), c);
        }
    }
    free(x);
}

int main(int argc, char **argv)
{
    const callbacks call = {say, calloc, free, NULL, NULL};
    void *c[2];
    if (argc != 6 || !(library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)))
        return 1;
    const int steps = atoi(argv[3]);
    for (int i = 0; i < 2; i++) {
        c[i] = ((void *(*)(const char *, int, const char *, const char *, const callbacks *, int,
                           int))function("fmi2Instantiate"))("it", steps, argv[2], "", &call, 0, 0);
        if (!c[i])
            return 1;
        CALL("SetupExperiment", (void *, int, double, double, int, double), c[i], 0, 0.0, 0.0, 0,
             0.0);
        CALL("EnterInitializationMode", (void *), c[i]);
        CALL("ExitInitializationMode", (void *), c[i]);
    }
    for (int k = 0; k < 5 && steps; k++)
        for (int i = 0; i < 2; i++)
            CALL("DoStep", (void *, double, double, int), c[i], 0.02 * k, 0.02, 1);
    for (int i = 0; i < 2; i++) {
        if (!steps)
            exchange(c[i], atoi(argv[4]), atoi(argv[5]));
        save_and_restore(c[i]);
        ((void (*)(void *))function("fmi2FreeInstance"))(c[i]);
    }
    return dlclose(library);
}
