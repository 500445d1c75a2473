/* What may be wrong with the arguments of GEOMS before anything is computed. */
#include "geoms.h"

#include <float.h>
#include <limits.h>
#include <math.h>

static dfl_status check_sizes(dfl_context *ctx, const geoms_call *call);
static dfl_status check_switches(dfl_context *ctx, const geoms_call *call);
static dfl_status check_workspace(dfl_context *ctx, const geoms_call *call);
static dfl_status check_integers(dfl_context *ctx, const geoms_call *call);
static dfl_status check_reals(dfl_context *ctx, const geoms_call *call);
static dfl_status check_factors(dfl_context *ctx, const geoms_call *call);
static dfl_status check_tolerances(dfl_context *ctx, const geoms_call *call);
static int check_state(dfl_context *ctx, const geoms_call *call);

int geoms_check(dfl_context *ctx, const geoms_call *call)
{
    dfl_status status = check_integers(ctx, call);
    if (!status)
        status = check_sizes(ctx, call);
    if (!status)
        status = check_switches(ctx, call);
    if (!status)
        status = check_workspace(ctx, call);
    if (!status)
        status = check_reals(ctx, call);
    if (!status)
        status = check_factors(ctx, call);
    if (!status)
        status = check_tolerances(ctx, call);
    return status ? GEOMS_WRONG_DATA : check_state(ctx, call);
}

/* The number of rows that RDA must have: GEOMS manual, argument M. */
static long rows_wanted(const geoms_call *call)
{
    const long form = geoms_iopt(call, GEOMS_FORM);
    return (long)call->np + call->nv + call->nr + call->nw + call->ns + (3 - form) * call->nl +
           (2 - form) * call->nm + call->ni;
}

static dfl_status check_sizes(dfl_context *ctx, const geoms_call *call)
{
    const struct {
        const char *name;
        int value;
    } size[] = {{"NP", call->np}, {"NV", call->nv}, {"NR", call->nr},
                {"NW", call->nw}, {"NS", call->ns}, {"NL", call->nl},
                {"NM", call->nm}, {"NI", call->ni}, {"NIVCOND", call->nivcond}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (size[i].value < 0 || size[i].value > 100000)
            return dfl_fail(ctx, DFL_INVALID, "%s is %d; sizes lie between 0 and 100000",
                            size[i].name, size[i].value);
    const long m = rows_wanted(call),
               n = (long)call->np + call->nv + call->nr + call->nw + call->ns + call->nl + call->nm;
    if (call->n != n)
        return dfl_fail(ctx, DFL_INVALID, "N is %d; NP+NV+NR+NW+NS+NL+NM is %ld", call->n, n);
    if (call->m != m)
        return dfl_fail(ctx, DFL_INVALID, "M is %d; with IOPT(5) = %d the equations are %ld",
                        call->m, geoms_iopt(call, GEOMS_FORM), m);
    return DFL_OK;
}

static dfl_status check_switches(dfl_context *ctx, const geoms_call *call)
{
    const struct {
        const char *name;
        int value;
    } flag[] = {{"ITOL", call->itol}, {"IJAC", call->ijac}, {"IOUT", call->iout}};
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
        if (flag[i].value != 0 && flag[i].value != 1)
            return dfl_fail(ctx, DFL_INVALID, "%s is %d; choose 0 or 1", flag[i].name,
                            flag[i].value);
    return DFL_OK;
}

static long most(const int *value, size_t count)
{
    long largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = value[i] > largest ? value[i] : largest;
    return largest;
}

/* The array RWORK is not used, but what the manual asks of its length holds here too: a program
   that runs with this library runs with the original. */
static dfl_status check_workspace(dfl_context *ctx, const geoms_call *call)
{
    const geoms_blocks b = geoms_blocks_of(call);
    const int sizes[] = {b.m1, b.m2, b.m3, b.n1, b.n3, b.n4};
    const long svd = 5 * most(sizes, sizeof sizes / sizeof *sizes);
    long wanted = 0;
    if (geoms_decompc(call) == 2)
        wanted = call->n;
    if (geoms_iopt(call, GEOMS_DECOMPD) == 1)
        wanted = 2L * call->n;
    if (geoms_decompc(call) == 3 && svd > wanted)
        wanted = svd;
    if (geoms_iopt(call, GEOMS_IVCNSST) == 0 && 5L * call->n > wanted)
        wanted = 5L * call->n;
    if (call->liwork < 20)
        return dfl_fail(ctx, DFL_INVALID, "LIWORK is %d; it must be at least 20", call->liwork);
    if (call->lrwork < wanted)
        return dfl_fail(ctx, DFL_INVALID,
                        "LRWORK is %d; with these options it must be at least %ld", call->lrwork,
                        wanted);
    return DFL_OK;
}

static dfl_status check_integers(dfl_context *ctx, const geoms_call *call)
{
    static const struct {
        int number;
        const char *name;
        int low, high;
    } range[] = {
        {GEOMS_LUN, "LUN", 0, INT_MAX},     {GEOMS_NIT, "NIT", 0, 100},
        {GEOMS_STARTN, "STARTN", 0, 1},     {GEOMS_FORM, "FORM", 0, 1},
        {GEOMS_NMAX, "NMAX", 0, INT_MAX},   {GEOMS_PRED, "PRED", 0, 2},
        {GEOMS_NWTMAT, "NWTMAT", 0, 3},     {GEOMS_NWTUPD, "NWTUPD", 0, 10},
        {GEOMS_DECOMPC, "DECOMPC", 0, 3},   {GEOMS_DECOMPD, "DECOMPD", 0, 1},
        {GEOMS_SELCOMP, "SELCOMP", 0, 1},   {GEOMS_AUTONOM, "AUTONOM", 0, 1},
        {GEOMS_MASSTRKT, "MASSTRKT", 0, 4}, {GEOMS_RIGID, "rigid invariants", 0, 1},
        {GEOMS_IVCNSST, "IVCNSST", 0, 2},   {GEOMS_NUMBERING, "numbering of IOPT(11)", 0, 1}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        const int value = geoms_iopt(call, range[i].number);
        if (value < range[i].low || value > range[i].high)
            return dfl_fail(ctx, DFL_INVALID, "IOPT(%d), %s, is %d; choose it between %d and %d",
                            range[i].number, range[i].name, value, range[i].low, range[i].high);
    }
    if (geoms_decompc(call) > 3)
        return dfl_fail(
            ctx, DFL_INVALID,
            "IOPT(11), DECOMPC, is %d; with IOPT(7) = 1 choose 0 (LU), 1 (QR) or 2 (SVD)",
            geoms_iopt(call, GEOMS_DECOMPC));
    if (geoms_iopt(call, GEOMS_NWTMAT) != 0 && geoms_iopt(call, GEOMS_STARTN) != 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "IOPT(9), NWTMAT, is %d: an extrapolated stage needs IOPT(4) = 0",
                        geoms_iopt(call, GEOMS_NWTMAT));
    return DFL_OK;
}

static dfl_status check_reals(dfl_context *ctx, const geoms_call *call)
{
    static const struct {
        int number;
        const char *name;
        double low, high;
    } range[] = {{GEOMS_UROUND, "UROUND", 1e-16, 1e-2}, {GEOMS_SAFE, "SAFE", 0.01, 1},
                 {GEOMS_THET, "THET", -DBL_MAX, 1},     {GEOMS_FNEWT, "FNEWT", DBL_MIN, 1},
                 {GEOMS_QUOT1, "QUOT1", DBL_MIN, 1},    {GEOMS_QUOT2, "QUOT2", 1, 100},
                 {GEOMS_HMAX, "HMAX", DBL_MIN, DBL_MAX}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        const double value = geoms_ropt(call, range[i].number);
        if (value != 0 && !(value >= range[i].low && value <= range[i].high))
            return dfl_fail(
                ctx, DFL_INVALID,
                "ROPT(%d), %s, is %g; choose it between %g and %g, or 0 for the default",
                range[i].number, range[i].name, value, range[i].low, range[i].high);
    }
    if (!isfinite(call->h))
        return dfl_fail(ctx, DFL_INVALID, "H is %g; give a first step size, or 0 for an estimate",
                        call->h);
    return DFL_OK;
}

/* FACL and FACR in either order: the manual's remarks on their defaults are exchanged. */
static dfl_status check_factors(dfl_context *ctx, const geoms_call *call)
{
    const double a = geoms_ropt(call, GEOMS_FACL), b = geoms_ropt(call, GEOMS_FACR);
    const double value[2] = {a, b};
    for (int i = 0; i < 2; i++)
        if (value[i] != 0 &&
            !((value[i] >= 0.01 && value[i] <= 0.9) || (value[i] >= 1 && value[i] <= 100)))
            return dfl_fail(ctx, DFL_INVALID,
                            "ROPT(%d) is %g; a factor of the step size lies between 0.01 and 0.9 "
                            "(lower bound) or 1 and 100 (upper bound), 0 means the default",
                            GEOMS_FACL + i, value[i]);
    if (a != 0 && b != 0 && (a < 1) == (b < 1))
        return dfl_fail(
            ctx, DFL_INVALID,
            "ROPT(8) and ROPT(9) are %g and %g; one must be a lower, the other an upper "
            "bound of the change of the step size",
            a, b);
    return DFL_OK;
}

static dfl_status check_tolerances(dfl_context *ctx, const geoms_call *call)
{
    const int count = call->itol == 1 ? call->n : 1;
    const double least = 1e-16; /* the solver says what rounding allows */
    for (int i = 0; i < count; i++) {
        if (!(call->rtol[i] >= least && call->rtol[i] < 1))
            return dfl_fail(ctx, DFL_INVALID, "RTOL(%d) is %g; choose it between %.2g and 1", i + 1,
                            call->rtol[i], least);
        if (!(call->atol[i] > 0 && isfinite(call->atol[i])))
            return dfl_fail(ctx, DFL_INVALID, "ATOL(%d) is %g; it must be positive", i + 1,
                            call->atol[i]);
    }
    return DFL_OK;
}

static int check_state(dfl_context *ctx, const geoms_call *call)
{
    if (!(isfinite(call->t) && isfinite(call->tend) && call->t <= call->tend)) {
        dfl_fail(ctx, DFL_INVALID, "T is %g and TEND is %g", call->t, call->tend);
        return GEOMS_BACKWARD;
    }
    for (int i = 0; i < call->n; i++)
        if (!isfinite(call->x[i])) {
            dfl_fail(ctx, DFL_INCONSISTENT, "X(%d) is %g", i + 1, call->x[i]);
            return GEOMS_INCONSISTENT;
        }
    return 0;
}
