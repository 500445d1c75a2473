/* fmu_steps.c: the processor time of communication steps of an FMU 2.0, in seconds; after each step
   the variables with the references are read. usage: fmu_steps LIBRARY GUID STEPS LENGTH
   REFERENCE... */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct callbacks {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void *finished, *environment;
} callbacks;

static void say(void *c, const char *name, int status, const char *category, const char *text, ...)
{
    (void)c, (void)name, (void)status, (void)category;
    fprintf(stderr, "%s\n", text);
}

static void *function(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        exit(2);
    return found;
}

typedef void *instantiate(const char *, int, const char *, const char *, const callbacks *, int,
                          int);
typedef int setup(void *, int, double, double, int, double);
typedef int call(void *);
typedef int do_step(void *, double, double, int);
typedef int get_real(void *, const unsigned *, size_t, double *);

int main(int argc, char **argv)
{
    static const callbacks calls = {say, calloc, free, NULL, NULL};
    void *library = argc > 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        return 1;
    const long steps = atol(argv[3]);
    const double h = atof(argv[4]);
    const size_t count = (size_t)argc - 5;
    unsigned *reference = calloc(count + 1, sizeof *reference);
    double *value = calloc(count + 1, sizeof *value);
    for (size_t i = 0; i < count; i++)
        reference[i] = (unsigned)atoi(argv[5 + i]);
    void *it =
        ((instantiate *)function(library, "fmi2Instantiate"))("it", 1, argv[2], "", &calls, 0, 0);
    int bad = it == NULL ||
              ((setup *)function(library, "fmi2SetupExperiment"))(it, 0, 0, 0, 0, 0) ||
              ((call *)function(library, "fmi2EnterInitializationMode"))(it) ||
              ((call *)function(library, "fmi2ExitInitializationMode"))(it);
    do_step *go = (do_step *)function(library, "fmi2DoStep");
    get_real *get = (get_real *)function(library, "fmi2GetReal");
    const clock_t begin = clock();
    for (long k = 0; !bad && k < steps; k++)
        bad = go(it, (double)k * h, h, 1) || (count > 0 && get(it, reference, count, value));
    printf("%.9g\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
    const unsigned time = 0;
    bad = bad || get(it, &time, 1, value) ||
          fabs(value[0] - (double)steps * h) > 1e-9 * (double)steps;
    return bad ? 3 : 0;
}
