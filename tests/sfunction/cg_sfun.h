/* The end of an S-function: here a program that calls it as Simulink does, without its solvers.
   usage: PROGRAM END SAMPLE-TIME STEPS [PARAMETER ...]; sample time 0: by the classical method of Runge and
   Kutta, with a projection after every step. Prints the unknowns, then the outputs. */
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
    for (int k = 0; k < steps && !S.error; k++) {
        mdlOutputs(&S, 0);
        mdlUpdate(&S, 0);
        if (S.ncrossings > 0)
            mdlZeroCrossings(&S);
        if (sample > 0)
            S.t = (k + 1) * sample;
        else
            runge_kutta(&S, end / steps);
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
