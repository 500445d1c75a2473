/* The end of an S-function: here a program that calls it as Simulink does, without its solvers.
   usage: PROGRAM END SAMPLE-TIME STEPS [PARAMETER ...]; sample time 0: by the classical method of
   Runge and Kutta, with steps that end just beyond zero crossings, and a projection after every
   one. Prints the unknowns, then the outputs. */
#include <stdio.h>
#include <stdlib.h>

static void rate_at(SimStruct *S, double t, const double *x)
{
    S->t = t;
    for (int i = 0; i < S->nstates; i++)
        S->state[i] = x[i];
    mdlDerivatives(S);
}

static void runge_kutta(SimStruct *S, double h)
{
    static const double place[] = {0, 0.5, 0.5, 1}, weight[] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    const double t = S->t;
    double x[MOST], y[MOST], sum[MOST];
    for (int i = 0; i < S->nstates; i++)
        x[i] = sum[i] = S->state[i];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < S->nstates; i++)
            y[i] = x[i] + place[k] * h * (k ? S->rate[i] : 0);
        rate_at(S, t + place[k] * h, y);
        for (int i = 0; i < S->nstates; i++)
            sum[i] += h * weight[k] * S->rate[i];
    }
    for (int i = 0; i < S->nstates; i++)
        S->state[i] = sum[i];
    S->t = t + h;
}

static void remember(double *to, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

/* From (t, x) by h: whether a function has another sign there than z. */
static int changes(SimStruct *S, double t, const double *x, const double *z, double h)
{
    int changed = 0;
    S->t = t;
    remember(S->state, x, S->nstates);
    runge_kutta(S, h);
    if (S->ncrossings > 0)
        mdlZeroCrossings(S);
    for (int i = 0; i < S->ncrossings; i++)
        changed = changed || (z[i] > 0) != (S->zero[i] > 0);
    return changed;
}

static void major_step(SimStruct *S, double h)
{
    double x[MOST], z[MOST], low = 0, high = h;
    const double t = S->t;
    remember(x, S->state, S->nstates);
    if (S->ncrossings > 0)
        mdlZeroCrossings(S);
    remember(z, S->zero, S->ncrossings);
    if (changes(S, t, x, z, h)) {
        for (int k = 0; k < 60; k++) {
            const double middle = 0.5 * (low + high);
            if (changes(S, t, x, z, middle))
                high = middle;
            else
                low = middle;
        }
        changes(S, t, x, z, high);
    }
    mdlProjection(S);
}

int main(int argc, char **argv)
{
    double sample = atof(argv[2]), parameters[MOST];
    const double end = atof(argv[1]);
    const int steps = atoi(argv[3]);
    static SimStruct S;
    for (int i = 4; i < argc; i++)
        parameters[i - 4] = atof(argv[i]);
    S.param[0] = (mxArray){&sample, 1};
    S.param[1] = (mxArray){parameters, (size_t)(argc - 4)};
    mdlInitializeSizes(&S);
    if (!S.error)
        mdlInitializeSampleTimes(&S);
    if (!S.error)
        mdlStart(&S);
    if (!S.error)
        mdlInitializeConditions(&S);
    for (int k = 0; (sample > 0 ? k < steps : S.t < end) && !S.error; k++) {
        mdlOutputs(&S, 0);
        mdlUpdate(&S, 0);
        if (sample > 0)
            S.t = (k + 1) * sample;
        else
            major_step(&S, end - S.t < 1.5 * end / steps ? end - S.t : end / steps);
    }
    if (!S.error)
        mdlOutputs(&S, 0);
    const int all = S.noutputs - 1;
    for (int i = 0; i < S.output_width[all] && !S.error; i++)
        printf("%.17g\n", S.output[all][i]);
    for (int i = 0; all && i < S.output_width[0] && !S.error; i++)
        printf("%.17g\n", S.output[0][i]);
    if (S.error)
        fprintf(stderr, "%s\n", S.error);
    mdlTerminate(&S);
    return S.error != NULL;
}
