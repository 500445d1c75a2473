/* An exported model, MODEL.c, integrated by IDA of SUNDIALS through its residual: prints x at the
   end. Compiled with -DMODEL=..., -DUPPER=..., -DSOURCE="...". usage: ida END */
#include SOURCE

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define OF(name) JOIN(MODEL, name)
#define SIZE(name) JOIN(UPPER, name)

static double work[SIZE(_WORK)];

static int residual(realtype t, N_Vector y, N_Vector dy, N_Vector F, void *user)
{
    (void)user;
    OF(_residual)
    (N_VGetArrayPointer(F), t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy), OF(_par_values),
     work);
    return 0;
}

int main(int argc, char **argv)
{
    enum { n = SIZE(_N) };
    SUNContext context;
    const double end = argc > 1 ? atof(argv[1]) : 1;
    double t = OF(_start_time);
    if (SUNContext_Create(NULL, &context))
        return 1;
    N_Vector y = N_VNew_Serial(n, context), dy = N_VClone(y), id = N_VClone(y);
    double *at = N_VGetArrayPointer(y);
    for (int i = 0; i < n; i++) {
        at[i] = OF(_start)[i];
        NV_Ith_S(id, i) =
            i >= SIZE(_FIRST_R) && (i < SIZE(_FIRST_V) + SIZE(_NV) || i >= SIZE(_FIRST_P));
    }
    if (OF(_residual_rates)(N_VGetArrayPointer(dy), t, at, OF(_par_values), work))
        return 2;
    N_Vector F = N_VClone(y);
    residual(t, y, dy, F, NULL);
    if (N_VMaxNorm(F) > 1e-8) { /* the start is consistent */
        fprintf(stderr, "the residual at the start is %g\n", N_VMaxNorm(F));
        return 3;
    }
    void *ida = IDACreate(context);
    SUNMatrix matrix = SUNDenseMatrix(n, n, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
    int status = IDAInit(ida, residual, t, y, dy);
    status = status ? status : IDASStolerances(ida, 1e-9, 1e-10);
    status = status ? status : IDASetLinearSolver(ida, solver, matrix);
    status = status ? status : IDASetId(ida, id);
    status = status ? status : IDASetSuppressAlg(ida, SUNTRUE);
    status = status ? status : IDASetMaxNumSteps(ida, 200000);
    status = status ? status : IDASetStopTime(ida, end);
    status = status ? status : IDASolve(ida, end, &t, y, dy, IDA_NORMAL);
    if (status < 0)
        return 4;
    for (int i = 0; i < n; i++)
        printf("%s,%.17g\n", OF(_variable_names)[i], at[i]);
    return 0;
}
