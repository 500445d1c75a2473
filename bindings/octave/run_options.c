/* run_options.c: what the program checks when it reads its options, and options.set. */
#include "run_mex.h"

#include <math.h>
#include <stdio.h>

static dfl_status set_one(run_call *call, const char *name, const mxArray *value);

dfl_status run_check_numbers(const run_call *call)
{
    const dfl_choices *c = &call->choices;
    const struct {
        const char *name;
        double value;
    } positive[] = {{"rtol", c->rtol},          {"atol", c->atol},
                    {"every", c->every},        {"first_step", c->first_step},
                    {"max_step", c->max_step},  {"fixed_step", c->fixed_step},
                    {"max_steps", c->max_steps}};
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!isnan(positive[i].value) && !(positive[i].value > 0 && isfinite(positive[i].value)))
            return dfl_fail(call->gw.ctx, DFL_INVALID, "options.%s is %g; it must be positive",
                            positive[i].name, positive[i].value);
    if (isinf(c->to) || isinf(c->from))
        return dfl_fail(call->gw.ctx, DFL_INVALID, "options.%s is infinite",
                        isinf(c->to) ? "to" : "from");
    if (c->max_steps > 1e18 || floor(c->max_steps) < c->max_steps)
        return dfl_fail(call->gw.ctx, DFL_INVALID, "options.max_steps is %g; give a whole number",
                        c->max_steps);
    return DFL_OK;
}

/* A struct, set.L = 2, or pairs for names that no field can have, {'arm.L', 2; 'arm.m', 3}. */
dfl_status run_read_set(run_call *call)
{
    const mxArray *given = call->given_set;
    const bool pairs = mxIsCell(given) && mxGetN(given) == 2;
    if (!pairs && !(mxIsStruct(given) && mxGetNumberOfElements(given) == 1))
        return dfl_fail(call->gw.ctx, DFL_INVALID,
                        "options.set must be a struct, set.NAME = VALUE, or a cell array of two "
                        "columns, {'NAME', VALUE}");
    const int count = pairs ? (int)mxGetM(given) : mxGetNumberOfFields(given);
    call->set = dfl_alloc(call->gw.ctx, (size_t)count, sizeof *call->set);
    dfl_status status = call->set ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < count; i++) {
        const mxArray *name = pairs ? mxGetCell(given, (mwIndex)i) : NULL;
        if (pairs && !(name && mxIsChar(name)))
            status = dfl_fail(call->gw.ctx, DFL_INVALID, "options.set{%d, 1} is no name", i + 1);
        else if (pairs)
            status = set_one(call, mxArrayToString(name), mxGetCell(given, (mwIndex)(count + i)));
        else
            status =
                set_one(call, mxGetFieldNameByNumber(given, i), mxGetFieldByNumber(given, 0, i));
    }
    return status;
}

static dfl_status set_one(run_call *call, const char *name, const mxArray *value)
{
    dfl_text text = {.ctx = call->gw.ctx};
    char why[GATEWAY_WHY] = "has no value";
    double number;
    if (!value || !gateway_copy(&number, why, value, 1, 1))
        return dfl_fail(call->gw.ctx, DFL_INVALID, "options.set: %s %s", name, why);
    dfl_text_add(&text, "%s=%.17g", name, number);
    if (text.status)
        return text.status;
    call->set[call->nset++] = dfl_text_string(&text);
    return DFL_OK;
}
