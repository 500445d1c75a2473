/* foreign.c: a small FMU 2.0 of somebody else: y' = -k y + u by Euler's method, one step per
   communication step; k = 13 crashes, 14 does not answer, 15 reports an error, 16 ends the
   simulation at t = 0.5, 17 ends its process, 18 writes answers of its own to every file that is
   open. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct callbacks {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks;

typedef struct foreign {
    double value[3]; /* y, k, u */
    double t;
    const callbacks *call;
} foreign;

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *place,
                      const callbacks *call, int visible, int logging)
{
    foreign *f = call->allocate(1, sizeof *f);
    (void)name, (void)type, (void)guid, (void)visible, (void)logging;
    printf("resources in %s\n", place); /* must not be among the results */
    f->value[0] = 1;
    f->value[1] = 2;
    f->call = call;
    return f;
}
int fmi2SetupExperiment(void *c, int tolerant, double tolerance, double t, int ends, double stop)
{
    (void)tolerant, (void)tolerance, (void)ends, (void)stop;
    ((foreign *)c)->t = t;
    return 0;
}
int fmi2EnterInitializationMode(void *c)
{
    return c == NULL;
}
int fmi2ExitInitializationMode(void *c)
{
    return c == NULL;
}
int fmi2SetReal(void *c, const unsigned *vr, size_t n, const double *value)
{
    for (size_t i = 0; i < n; i++)
        ((foreign *)c)->value[vr[i]] = value[i];
    return 0;
}
int fmi2GetReal(void *c, const unsigned *vr, size_t n, double *value)
{
    for (size_t i = 0; i < n; i++)
        value[i] = ((foreign *)c)->value[vr[i]];
    return 0;
}
int fmi2DoStep(void *c, double t, double h, int newer)
{
    foreign *f = c;
    const int k = (int)f->value[1];
    (void)newer;
    if (k == 13)
        abort();
    if (k == 14)
        sleep(1000);
    if (k == 17)
        _exit(0);
    if (k == 18) { /* failed, ended, count of values, t */
        const struct {
            int failed, ended, count;
            double t;
        } answer = {0, 0, 1 << 28, 0};
        for (int file = 3; file < 64; file++)
            if (write(file, &answer, sizeof answer) < 0)
                continue;
    }
    if (k == 15) {
        f->call->logger(f->call->environment, "it", 3, "error", "no steps on %s", "Sundays");
        return 3;
    }
    if (k == 16 && t + h > 0.5) {
        f->t = 0.5;
        return 2;
    }
    f->value[0] += h * (f->value[2] - f->value[1] * f->value[0]);
    f->t = t + h;
    return 0;
}
int fmi2GetBooleanStatus(void *c, int kind, int *value)
{
    *value = c != NULL && kind == 3;
    return 0;
}
int fmi2GetRealStatus(void *c, int kind, double *value)
{
    *value = kind == 2 ? ((foreign *)c)->t : 0;
    return 0;
}
