/* The solver's description of what a checked call of GEOMS asks for. */
#include "geoms.h"

#include <float.h>
#include <math.h>

static dfl_eom model_of(const geoms_call *call);
static void set_methods(dfl_solver_options *o, const geoms_call *call);
static void set_numbers(dfl_solver_options *o, const geoms_call *call);
static void set_factors(dfl_solver_options *o, const geoms_call *call);
static double newton_tolerance(const geoms_call *call);

void geoms_set_options(geoms_run *run)
{
    const geoms_call *call = &run->call;
    run->blocks = geoms_blocks_of(call);
    run->eom = model_of(call);
    run->options = (dfl_solver_options){0};
    set_methods(&run->options, call);
    set_numbers(&run->options, call);
    run->h_next = call->h;
    run->conditions = (dfl_conditions){.mode = DFL_START_PROJECT};
    if (geoms_iopt(call, GEOMS_IVCNSST) == 1)
        run->conditions.mode = DFL_START_AS_GIVEN;
    else if (call->nivcond > 0 || geoms_iopt(call, GEOMS_IVCNSST) == 2)
        run->conditions = (dfl_conditions){
            .mode = DFL_START_CONDITIONS, .unique = true, .nconditions = call->nivcond};
}

geoms_blocks geoms_blocks_of(const geoms_call *call)
{
    const int nc = call->nl + call->nm;
    return (geoms_blocks){.m1 = call->nw + (geoms_iopt(call, GEOMS_FORM) == 0 ? nc : 0),
                          .m2 = nc + call->ni,
                          .m3 = call->ns + call->nl,
                          .m4 = call->nr,
                          .m5 = call->nv,
                          .m6 = call->np,
                          .n1 = call->nw + nc,
                          .n2 = call->nr,
                          .n3 = call->nv,
                          .n4 = call->ns + call->np};
}

static dfl_eom model_of(const geoms_call *call)
{
    const int structure = geoms_iopt(call, GEOMS_MASSTRKT);
    return (dfl_eom){.np = call->np,
                     .nv = call->nv,
                     .nr = call->nr,
                     .nw = call->nw,
                     .ns = call->ns,
                     .nl = call->nl,
                     .nm = call->nm,
                     .ne = call->ni,
                     .contract = DFL_GEOMS,
                     .mass_diagonal = structure == 2 || structure == 4,
                     .mass_constant = structure == 3 || structure == 4,
                     .autonomous = geoms_iopt(call, GEOMS_AUTONOM) == 1,
                     .no_bias = geoms_iopt(call, GEOMS_FORM) == 1};
}

/* LU goes with single rows as selectors, which may stay until the pivots change; QR and SVD with
   orthonormal ones, a by-product that must be renewed with every decomposition. */
static void set_methods(dfl_solver_options *o, const geoms_call *call)
{
    static const dfl_algebraic algebraic[] = {DFL_ALGEBRAIC_AUTO, DFL_ALGEBRAIC_LU,
                                              DFL_ALGEBRAIC_QR, DFL_ALGEBRAIC_SVD};
    const int decompc = geoms_decompc(call);
    const bool qr = geoms_iopt(call, GEOMS_DECOMPD) == 1;
    const bool every_step = qr || decompc != 1 || geoms_iopt(call, GEOMS_SELCOMP) == 1;
    o->order = 5; /* GEOMS has three stages */
    o->form = geoms_iopt(call, GEOMS_FORM) == 1 ? DFL_PSI1 : DFL_PSF;
    o->constraints.algebraic = algebraic[decompc];
    o->newton.differential = qr ? DFL_DIFFERENTIAL_QR : DFL_DIFFERENTIAL_LU;
    o->constraints.selectors = decompc == 1 ? DFL_UNIT : DFL_ORTHOGONAL;
    o->constraints.renewal = every_step ? DFL_RENEW_ALWAYS : DFL_RENEW_ON_CHANGE;
    o->newton.prediction = geoms_iopt(call, GEOMS_STARTN) == 1 ? DFL_CONSTANT : DFL_EXTRAPOLATE;
    o->newton.reference =
        (dfl_reference)((int)DFL_REFERENCE_START + geoms_iopt(call, GEOMS_NWTMAT));
    o->step.control =
        geoms_iopt(call, GEOMS_PRED) == 2 ? DFL_CONTROL_CLASSICAL : DFL_CONTROL_PREDICTIVE;
    o->constraints.rigid_invariants = geoms_iopt(call, GEOMS_RIGID) == 1;
}

static void set_numbers(dfl_solver_options *o, const geoms_call *call)
{
    const int updates = geoms_iopt(call, GEOMS_NWTUPD), most = geoms_iopt(call, GEOMS_NMAX);
    const double thet = geoms_ropt(call, GEOMS_THET), longest = geoms_ropt(call, GEOMS_HMAX);
    o->rtol = call->rtol[0];
    o->atol = call->atol[0];
    o->error.rtol_each = call->itol == 1 ? call->rtol : NULL;
    o->error.atol_each = call->itol == 1 ? call->atol : NULL;
    o->newton.iterations = geoms_iopt(call, GEOMS_NIT);
    o->newton.updates = updates == 0 ? -1 : updates;
    o->newton.tolerance = newton_tolerance(call);
    o->step.max_attempts = most == 0 ? 100000 : most;
    o->error.rounding = geoms_ropt(call, GEOMS_UROUND);
    o->step.safety = geoms_ropt(call, GEOMS_SAFE);
    o->newton.reuse = thet == 0 ? 1e-3 : thet < 0 ? -1 : thet;
    o->step.keep_low = geoms_ropt(call, GEOMS_QUOT1);
    o->step.keep_high = geoms_ropt(call, GEOMS_QUOT2);
    o->step.first = fabs(call->h);
    o->step.max = longest == 0 ? call->tend - call->t : longest;
    set_factors(o, call);
}

/* The smaller value is the lower bound, wherever it stands. */
static void set_factors(dfl_solver_options *o, const geoms_call *call)
{
    for (int i = GEOMS_FACL; i <= GEOMS_FACR; i++) {
        const double value = geoms_ropt(call, i);
        if (value != 0 && value < 1)
            o->step.min_factor = value;
        else if (value != 0)
            o->step.max_factor = value;
    }
}

/* 0.5 min(0.03, sqrt(RTOL')) with the transformed tolerance, and not below rounding: what the
   published counts show, instead of the 0.5 min(0.03, RTOL) that the manual prints. */
static double newton_tolerance(const geoms_call *call)
{
    const double inner = 0.1 * pow(call->rtol[0], 2.0 / 3.0), given = geoms_ropt(call, GEOMS_FNEWT);
    return given != 0 ? given : fmax(10 * DBL_EPSILON / inner, 0.5 * fmin(0.03, sqrt(inner)));
}
