/* Which model goes with which form, and why not. */
#include "formulation/formulation.h"
#include "solver/solver_internal.h"

static dfl_status check_coordinates(dfl_context *ctx, const dfl_solver_options *options,
                                    const dfl_eom *eom);
static dfl_status check_massless(dfl_context *ctx, const dfl_solver_options *options,
                                 const dfl_eom *eom);

dfl_status dfl_form_check(dfl_context *ctx, const dfl_solver_options *options, const dfl_eom *eom)
{
    const dfl_form_traits *traits =
        dfl_form_traits_of(options->form, dfl_integrator_is_explicit(options->integrator));
    const char *name = dfl_form_name(options->form);
    const bool local = !traits->plain && traits->rates_are_a;
    const bool accelerations = traits->acceleration != DFL_ACC_NONE;
    if (eom->sparsity &&
        (options->form != DFL_PSF || dfl_integrator_is_explicit(options->integrator)))
        return dfl_fail(
            ctx, DFL_INVALID,
            "sparse matrices go with the form psf and implicit methods, not with %s and "
            "%s; use linear = dense",
            name, dfl_integrator_name(options->integrator));
    if (options->switches.off && options->form != DFL_PSF && options->form != DFL_PSI1)
        return dfl_fail(ctx, DFL_INVALID,
                        "contacts, friction that sticks and constraints that are switched on and "
                        "off go with the forms psf and psi1, not with %s",
                        name);
    if (accelerations && eom->no_bias && eom->nl + eom->nm > 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "the form %s needs the bias of the acceleration constraints, which this "
                        "model does not have; use the form psi1",
                        name);
    if (traits->plain && eom->ne > 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "the form %s keeps all rows of the dynamics, so there is no room for the "
                        "invariants e; use psf, psi1, tangent or partition, or leave them out",
                        name);
    const dfl_status status = eom->n0 > 0 ? check_massless(ctx, options, eom) : DFL_OK;
    if (status)
        return status;
    if (eom->contract == DFL_GEOMS && traits->ode)
        return dfl_fail(
            ctx, DFL_INVALID,
            "explicit right-hand sides (form %s, method %s) need the matrix W, which models "
            "in the contract of GEOMS do not give; use psf with radau or bdf",
            name, dfl_integrator_name(options->integrator));
    if (traits->ode && (options->form == DFL_PARTITION || options->form == DFL_TANGENT) &&
        (!eom->trivial_kinematics || eom->ns > 0 || eom->nep > 0 || eom->n0 > 0))
        return dfl_fail(
            ctx, DFL_INVALID,
            "the form %s as a right-hand side needs p' = v and neither contact variables, "
            "invariants of positions nor massless directions; use psf",
            name);
    if (eom->contract == DFL_GEOMS &&
        (traits->mu || local || (traits->plain && traits->acceleration == DFL_ACC_UNKNOWN)))
        return dfl_fail(ctx, DFL_INVALID,
                        "the form %s needs the matrix W, which models in the contract of GEOMS do "
                        "not give; use psf, psi1, eom, eom2, eom1 or baumgarte",
                        name);
    return check_coordinates(ctx, options, eom);
}

/* What belongs to some forms only: independent coordinates, their renewal, the L-term. */
static dfl_status check_coordinates(dfl_context *ctx, const dfl_solver_options *options,
                                    const dfl_eom *eom)
{
    const char *name = dfl_form_name(options->form);
    const bool combined = options->constraints.ncombinations > 0,
               fixed = dfl_coordinates_are_fixed(options);
    if (options->constraints.renewal == DFL_RENEW_NEVER && options->form != DFL_SEPARATION)
        return dfl_fail(ctx, DFL_INVALID,
                        "renewal = never belongs to the form separation, not to %s; with partition "
                        "give `independent` coordinates",
                        name);
    if (options->constraints.turning && options->form != DFL_PINV)
        return dfl_fail(ctx, DFL_INVALID, "`turning` belongs to the form pinv, not to %s", name);
    if (fixed && options->form != DFL_PARTITION && options->form != DFL_SEPARATION)
        return dfl_fail(ctx, DFL_INVALID,
                        "`independent` belongs to the forms partition and separation, not to %s",
                        name);
    if (options->constraints.independent && combined)
        return dfl_fail(ctx, DFL_INVALID,
                        "give either `independent` coordinates or combinations of them");
    if (combined && (!eom->trivial_kinematics || eom->ns > 0))
        return dfl_fail(
            ctx, DFL_INVALID,
            "combinations of coordinates as independent ones need p' = v and no contact "
            "variables; name single coordinates");
    if (fixed && eom->ne > 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "`independent` velocities and invariants e contradict each other: an "
                        "invariant in use takes the place of a velocity");
    return DFL_OK;
}

/* Massless directions have no accelerations of their own. */
static dfl_status check_massless(dfl_context *ctx, const dfl_solver_options *options,
                                 const dfl_eom *eom)
{
    const dfl_form_traits *traits =
        dfl_form_traits_of(options->form, dfl_integrator_is_explicit(options->integrator));
    const char *name = dfl_form_name(options->form);
    const bool local = !traits->plain && traits->rates_are_a;
    const bool accelerations = traits->acceleration != DFL_ACC_NONE;
    if (traits->ode && (eom->nw > 0 || !eom->forces_free_of_multipliers))
        return dfl_fail(
            ctx, DFL_INVALID,
            "velocities along massless directions depend on multipliers or auxiliary "
            "variables here, which an explicit right-hand side (form %s, method %s) cannot "
            "follow; use psf with radau or bdf",
            name, dfl_integrator_name(options->integrator));
    if (accelerations && (traits->plain || local))
        return dfl_fail(
            ctx, DFL_INVALID,
            "the form %s determines accelerations, and massless directions have none of "
            "their own; use psf, psi1, eom, eom2 or ggl",
            name);
    if (traits->ode && !dfl_integrator_is_explicit(options->integrator))
        return dfl_fail(ctx, DFL_INVALID,
                        "an implicit method (%s) does not follow velocities along massless "
                        "directions in the form %s, which is a right-hand side; use psf, or the "
                        "method explicit-pair",
                        dfl_integrator_name(options->integrator), name);
    const bool rule = options->integrator == DFL_TRAPEZOIDAL || options->integrator == DFL_MIDPOINT;
    if (rule && options->form != DFL_PSF)
        return dfl_fail(ctx, DFL_INVALID,
                        "with the method %s velocities along massless directions are correct only "
                        "in the form psf, not in %s; use psf, or radau or bdf",
                        dfl_integrator_name(options->integrator), name);
    return DFL_OK;
}
