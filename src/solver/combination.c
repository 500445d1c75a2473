/* Which formulation goes with which integrator, and why not. */
#include "solver/options.h"
#include "formulation/forms.h"

static const char *const form_name[DFL_FORMS] = {
    "psf",    "psi1",   "eom",  "eom2",    "eom1",      "uode",     "ggl",      "baumgarte", "odae",
    "ext316", "ext317", "pinv", "tangent", "partition", "explicit", "implicit", "qr",        "svd"};

static const char *const integrator_name[DFL_INTEGRATORS] = {
    "radau", "bdf", "trapezoidal", "midpoint", "half-explicit", "explicit-pair"};

const char *dfl_form_name(dfl_form form)
{
    return form_name[form];
}

const char *dfl_integrator_name(dfl_integrator integrator)
{
    return integrator_name[integrator];
}

dfl_status dfl_combination_check(dfl_context *ctx, dfl_form form, dfl_integrator integrator)
{
    if (form == DFL_UODE || form == DFL_EXPLICIT || form == DFL_QR || form == DFL_SVD)
        return dfl_fail(ctx, DFL_INVALID, "the form '%s' is not available yet: choose psf",
                        form_name[form]);
    if (integrator > DFL_MIDPOINT)
        return dfl_fail(
            ctx, DFL_INVALID,
            "the method '%s' is not available yet: choose radau, bdf, trapezoidal or midpoint",
            integrator_name[integrator]);
    const dfl_acceleration a = dfl_form_traits_of(form)->acceleration;
    if (integrator == DFL_MIDPOINT && (a == DFL_ACC_RATE || a == DFL_ACC_CORRECTED))
        return dfl_fail(
            ctx, DFL_INVALID,
            "the form '%s' needs v' at the end of a step, which the midpoint rule does not "
            "have: choose trapezoidal, bdf or radau",
            form_name[form]);
    return DFL_OK;
}
