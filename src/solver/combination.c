/* Which formulation goes with which integrator, and why not. */
#include "formulation/formulation.h"
#include "solver/solver_internal.h"

static const char *const form_name[DFL_FORMS] = {
    "psf",       "psi1",     "eom",    "eom2",   "eom1",       "uode",    "ggl",
    "baumgarte", "odae",     "ext316", "ext317", "pinv",       "tangent", "partition",
    "explicit",  "implicit", "qr",     "svd",    "separation", "ssf"};

static const char *const integrator_name[DFL_INTEGRATORS] = {
    "radau", "bdf", "trapezoidal", "midpoint", "half-explicit", "explicit-pair", "extrapolation"};

const char *dfl_form_name(dfl_form form)
{
    return form >= 0 && form < DFL_FORMS ? form_name[form] : "unknown form";
}

bool dfl_form_keeps_constraints(dfl_form form)
{
    const dfl_form_traits *traits = dfl_form_traits_of(form, false);
    return traits->position && traits->velocity;
}

const char *dfl_integrator_name(dfl_integrator integrator)
{
    return integrator >= 0 && integrator < DFL_INTEGRATORS ? integrator_name[integrator]
                                                           : "unknown integrator";
}

dfl_status dfl_combination_check(dfl_context *ctx, dfl_form form, dfl_integrator integrator)
{
    if (integrator == DFL_HALF_EXPLICIT || integrator == DFL_EXTRAPOLATION)
        return form == DFL_PSF
                   ? DFL_OK
                   : dfl_fail(ctx, DFL_INVALID,
                              "the method %s keeps positions and velocities on "
                              "their constraints itself: it goes with the form psf, not "
                              "with '%s'",
                              integrator_name[integrator], form_name[form]);
    if (integrator == DFL_EXPLICIT_PAIR)
        return dfl_form_has_right_hand_side(form)
                   ? DFL_OK
                   : dfl_fail(
                         ctx, DFL_INVALID,
                         "the form '%s' has no explicit right-hand side, which the method "
                         "explicit-pair needs: choose psf, uode, explicit, baumgarte, partition, "
                         "tangent, qr, svd or separation",
                         form_name[form]);
    return DFL_OK;
}
