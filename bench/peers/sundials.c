/* SUNDIALS: IDA on the DAE formulations, CVODE (Adams) and ARKODE (explicit Runge-Kutta, order 8)
   on the underlying ODE. */
#include "peers.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

static int integrate_ida(void);
static int integrate_ida_sv(void);
static int integrate_cvode(void);
static int integrate_erk(void);

/* ida-sv: the tolerances of lambda and mu are loose, as DASSL's users do. */
const peer_solver peer_solvers[] = {
    {"ida", RESIDUAL, 1 << EOM | 1 << EOM2 | 1 << EOM1 | 1 << GGL, integrate_ida},
    {"ida-sv", RESIDUAL, 1 << EOM | 1 << EOM2 | 1 << GGL, integrate_ida_sv},
    {"cvode-adams", EXPLICIT, 1 << UODE, integrate_cvode},
    {"arkode-erk8", EXPLICIT, 1 << UODE, integrate_erk},
    {0},
};

static int ida_residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *user)
{
    (void)user;
    peer_residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r));
    return 0;
}

static int ida_jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J,
                        void *user, N_Vector work1, N_Vector work2, N_Vector work3)
{
    (void)t;
    (void)yp;
    (void)r;
    (void)user;
    (void)work1;
    (void)work2;
    (void)work3;
    peer_residual_jacobian(N_VGetArrayPointer(y), cj, SUNDenseMatrix_Data(J), run.n);
    return 0;
}

static int ode(realtype t, N_Vector y, N_Vector f, void *user)
{
    (void)user;
    peer_ode(t, N_VGetArrayPointer(y), N_VGetArrayPointer(f));
    return 0;
}

static void ignore_message(int code, const char *module, const char *function, char *text,
                           void *user)
{
    (void)code;
    (void)module;
    (void)function;
    (void)text;
    (void)user;
}

static int ida(bool loose_multipliers)
{
    const double tol = run.tolerance, t_end = run.problem->t_end;
    const int differential = 2 * run.problem->np;
    SUNContext ctx;
    SUNContext_Create(NULL, &ctx);
    N_Vector y = N_VMake_Serial(run.n, run.y, ctx), yp = N_VMake_Serial(run.n, run.yp, ctx);
    N_Vector each = N_VNew_Serial(run.n, ctx);
    SUNMatrix A = SUNDenseMatrix(run.n, run.n, ctx);
    SUNLinearSolver linear = SUNLinSol_Dense(y, A, ctx);
    void *mem = IDACreate(ctx);
    realtype t;

    IDAInit(mem, ida_residual, 0, y, yp);
    IDASetErrHandlerFn(mem, ignore_message, NULL);
    IDASStolerances(mem, tol, tol);
    if (loose_multipliers) {
        for (int i = 0; i < run.n; i++)
            N_VGetArrayPointer(each)[i] = i < differential ? tol : 1e4;
        IDASVtolerances(mem, tol, each);
    }
    IDASetLinearSolver(mem, linear, A);
    if (run.analytic)
        IDASetJacFn(mem, ida_jacobian);
    IDASetMaxNumSteps(mem, -1);
    IDASetStopTime(mem, t_end);
    for (int i = 0; i < run.n; i++)
        N_VGetArrayPointer(each)[i] = i < differential;
    IDASetId(mem, each);
    if (run.form != EOM1)
        IDASetSuppressAlg(mem, SUNTRUE);

    peer_clock_start();
    int status;
    do {
        status = IDASolve(mem, t_end, &t, y, yp, run.on_step ? IDA_ONE_STEP : IDA_NORMAL);
        if (run.on_step && status >= 0)
            run.on_step(t, run.y);
    } while (run.on_step && status == IDA_SUCCESS && t < t_end);
    peer_clock_stop();

    IDAGetNumSteps(mem, &run.steps);
    IDAGetNumLinSolvSetups(mem, &run.decompositions);
    IDAGetNumJacEvals(mem, &run.jacobians);
    IDAFree(&mem);
    SUNLinSolFree(linear);
    SUNMatDestroy(A);
    N_VDestroy(each);
    N_VDestroy(yp);
    N_VDestroy(y);
    SUNContext_Free(&ctx);
    return status < 0 ? status : 0;
}

static int integrate_ida(void)
{
    return ida(false);
}

static int integrate_ida_sv(void)
{
    return ida(true);
}

static int integrate_cvode(void)
{
    const double t_end = run.problem->t_end;
    SUNContext ctx;
    SUNContext_Create(NULL, &ctx);
    N_Vector y = N_VMake_Serial(run.n, run.y, ctx);
    SUNNonlinearSolver nonlinear = SUNNonlinSol_FixedPoint(y, 0, ctx);
    void *mem = CVodeCreate(CV_ADAMS, ctx);
    realtype t;

    CVodeInit(mem, ode, 0, y);
    CVodeSetErrHandlerFn(mem, ignore_message, NULL);
    CVodeSStolerances(mem, run.tolerance, run.tolerance);
    CVodeSetNonlinearSolver(mem, nonlinear);
    CVodeSetMaxNumSteps(mem, -1);
    CVodeSetStopTime(mem, t_end);

    peer_clock_start();
    const int status = CVode(mem, t_end, y, &t, CV_NORMAL);
    peer_clock_stop();

    CVodeGetNumSteps(mem, &run.steps);
    CVodeFree(&mem);
    SUNNonlinSolFree(nonlinear);
    N_VDestroy(y);
    SUNContext_Free(&ctx);
    return status < 0 ? status : 0;
}

static int integrate_erk(void)
{
    const double t_end = run.problem->t_end;
    SUNContext ctx;
    SUNContext_Create(NULL, &ctx);
    N_Vector y = N_VMake_Serial(run.n, run.y, ctx);
    void *mem = ERKStepCreate(ode, 0, y, ctx);
    realtype t;

    ERKStepSetErrHandlerFn(mem, ignore_message, NULL);
    ERKStepSStolerances(mem, run.tolerance, run.tolerance);
    ERKStepSetOrder(mem, 8);
    ERKStepSetMaxNumSteps(mem, -1);
    ERKStepSetStopTime(mem, t_end);

    peer_clock_start();
    const int status = ERKStepEvolve(mem, t_end, y, &t, ARK_NORMAL);
    peer_clock_stop();

    ERKStepGetNumSteps(mem, &run.steps);
    ERKStepFree(&mem);
    N_VDestroy(y);
    SUNContext_Free(&ctx);
    return status < 0 ? status : 0;
}
