/* drive_windows.c: loads the library of an FMU on Windows and prints variables at communication
   points. Two instances go side by side; in the middle the second takes the state of the first as
   bytes; all their values must be the same to the last bit. usage: drive_windows LIBRARY TOKEN
   VERSION END STEPS REFERENCE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

typedef struct callbacks {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished, *environment;
} callbacks;

static HMODULE library;
static int version;

static void say(void *c, const char *name, int status, const char *category, const char *text, ...)
{
    (void)c, (void)name, (void)status, (void)category;
    fprintf(stderr, "%s\n", text);
}

static void say_three(void *c, int status, const char *category, const char *text)
{
    say(c, NULL, status, category, text);
}

static void *function(const char *name)
{
    char full[80];
    snprintf(full, sizeof full, "fmi%d%s", version, name);
    void *found = (void *)GetProcAddress(library, full);
    if (!found) {
        fprintf(stderr, "there is no %s\n", full);
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

#define CALL(name, types, ...) check(((int(*) types)function(name))(__VA_ARGS__), name)

static void *begin(const char *token)
{
    static const callbacks call = {say, calloc, free, NULL, NULL};
    void *c;
    if (version == 2) {
        c = ((void *(*)(const char *, int, const char *, const char *, const callbacks *, int,
                        int))function("Instantiate"))("it", 1, token, "", &call, 0, 1);
        if (!c)
            exit(4);
        CALL("SetupExperiment", (void *, int, double, double, int, double), c, 0, 0.0, 0.0, 0, 0.0);
        CALL("EnterInitializationMode", (void *), c);
    } else {
        c = ((void *(*)(const char *, const char *, const char *, _Bool, _Bool, _Bool, _Bool,
                        const unsigned *, size_t, void *, void *,
                        void *))function("InstantiateCoSimulation"))(
            "it", token, "", 0, 1, 0, 0, NULL, 0, NULL, (void *)say_three, NULL);
        if (!c)
            exit(4);
        CALL("EnterInitializationMode", (void *, _Bool, double, double, _Bool, double), c, 0, 0.0,
             0.0, 0, 0.0);
    }
    CALL("ExitInitializationMode", (void *), c);
    return c;
}

static void step(void *c, double t, double h)
{
    _Bool event, stop, early;
    double last;
    if (version == 2)
        CALL("DoStep", (void *, double, double, int), c, t, h, 1);
    else
        CALL("DoStep", (void *, double, double, _Bool, _Bool *, _Bool *, _Bool *, double *), c, t,
             h, 1, &event, &stop, &early, &last);
}

static void get(void *c, const unsigned *reference, size_t count, double *value)
{
    if (version == 2)
        CALL("GetReal", (void *, const unsigned *, size_t, double *), c, reference, count, value);
    else
        CALL("GetFloat64", (void *, const unsigned *, size_t, double *, size_t), c, reference,
             count, value, count);
}

/* The state of one instance for another, as bytes. */
static void hand_over(void *from, void *to)
{
    static const char *const names[2][6] = {
        {"GetFMUstate", "SerializedFMUstateSize", "SerializeFMUstate", "DeSerializeFMUstate",
         "SetFMUstate", "FreeFMUstate"},
        {"GetFMUState", "SerializedFMUStateSize", "SerializeFMUState", "DeserializeFMUState",
         "SetFMUState", "FreeFMUState"}};
    const char *const *name = names[version - 2];
    void *state = NULL, *again = NULL;
    size_t size;
    CALL(name[0], (void *, void **), from, &state);
    CALL(name[1], (void *, void *, size_t *), from, state, &size);
    char *bytes = malloc(size);
    CALL(name[2], (void *, void *, char *, size_t), from, state, bytes, size);
    CALL(name[3], (void *, const char *, size_t, void **), to, bytes, size, &again);
    CALL(name[4], (void *, void *), to, again);
    CALL(name[5], (void *, void **), from, &state);
    CALL(name[5], (void *, void **), to, &again);
    free(bytes);
}

int main(int argc, char **argv)
{
    if (argc < 7 || !(library = LoadLibraryA(argv[1])))
        return 1;
    version = atoi(argv[3]);
    const double end = atof(argv[4]);
    const int steps = atoi(argv[5]), count = argc - 6;
    unsigned *reference = calloc((size_t)count, sizeof *reference);
    double *value = calloc(2 * (size_t)count, sizeof *value);
    for (int i = 0; i < count; i++)
        reference[i] = (unsigned)atoi(argv[6 + i]);
    void *c[2] = {begin(argv[2]), begin(argv[2])};
    for (int k = 0; k <= steps; k++) {
        for (int i = 0; i < 2; i++) {
            if (k > 0)
                step(c[i], end * (k - 1) / steps, end * k / steps - end * (k - 1) / steps);
            get(c[i], reference, (size_t)count, value + i * count);
        }
        if (memcmp(value, value + count, (size_t)count * sizeof *value))
            return 5;
        printf("%.17g", end * k / steps);
        for (int i = 0; i < count; i++)
            printf(",%.17g", value[i]);
        printf("\n");
        if (k == steps / 2)
            hand_over(c[0], c[1]);
    }
    for (int i = 0; i < 2; i++)
        ((void (*)(void *))function("FreeInstance"))(c[i]);
    return !FreeLibrary(library);
}
