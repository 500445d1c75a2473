/* A stand-in of Simulink's structure, written for the test: as much as exported S-functions use. */
#ifndef STAND_IN_SIMSTRUC_H
#define STAND_IN_SIMSTRUC_H

#include <stddef.h>

typedef int int_T;
typedef struct mxArray {
    double *value;
    size_t count;
} mxArray;
#define mxGetPr(array) ((array)->value)
#define mxGetNumberOfElements(array) ((array)->count)

enum { MOST = 100 };
typedef struct SimStruct {
    mxArray param[2];
    int wanted_params, nstates, ninputs, noutputs, npwork, ncrossings;
    int input_width, output_width[2], reset, stop;
    double t, sample, offset, state[MOST], rate[MOST], input[MOST], output[2][MOST], zero[MOST];
    void *pwork[1];
    const char *error;
} SimStruct;

#define CONTINUOUS_SAMPLE_TIME 0.0
#define ssSetNumSFcnParams(S, n) ((S)->wanted_params = (n))
#define ssGetNumSFcnParams(S) ((S)->wanted_params)
#define ssGetSFcnParamsCount(S) 2
#define ssGetSFcnParam(S, i) (&(S)->param[i])
#define ssSetNumContStates(S, n) ((S)->nstates = (n))
#define ssSetNumDiscStates(S, n) ((void)(n))
#define ssSetNumInputPorts(S, n) ((S)->ninputs = (n), 1)
#define ssSetInputPortWidth(S, port, n) ((S)->input_width = (n))
#define ssSetInputPortDirectFeedThrough(S, port, yes) ((void)(yes))
#define ssSetInputPortRequiredContiguous(S, port, yes) ((void)(yes))
#define ssSetNumOutputPorts(S, n) ((S)->noutputs = (n), 1)
#define ssSetOutputPortWidth(S, port, n) ((S)->output_width[port] = (n))
#define ssSetNumSampleTimes(S, n) ((void)(n))
#define ssSetNumPWork(S, n) ((S)->npwork = (n))
#define ssSetNumNonsampledZCs(S, n) ((S)->ncrossings = (n))
#define ssSetOptions(S, options) ((void)(options))
#define ssSetSampleTime(S, i, value) ((S)->sample = (value))
#define ssSetOffsetTime(S, i, value) ((S)->offset = (value))
#define ssGetPWork(S) ((S)->pwork)
#define ssGetPWorkValue(S, i) ((S)->pwork[i])
#define ssSetPWorkValue(S, i, value) ((S)->pwork[i] = (value))
#define ssSetErrorStatus(S, text) ((S)->error = (text))
#define ssGetT(S) ((S)->t)
#define ssGetContStates(S) ((S)->state)
#define ssGetdX(S) ((S)->rate)
#define ssGetInputPortRealSignal(S, port) ((const double *)(S)->input)
#define ssGetOutputPortRealSignal(S, port) ((S)->output[port])
#define ssGetNonsampledZCs(S) ((S)->zero)
#define ssSetSolverNeedsReset(S) ((S)->reset = 1)
#define ssSetStopRequested(S, yes) ((S)->stop = (yes))

#endif
