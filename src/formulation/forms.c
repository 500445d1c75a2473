/* The table of forms.

   Sources: Steinbrecher 2002 (eom, eom2, eom1: constraints on the level of positions, velocities,
   accelerations), Gear, Gupta, Leimkuhler 1985 (ggl), Baumgarte 1972, Petzold and Potra 1992
   (odae, ssf, ext316, ext317, pinv, tangent, partition), Kurz, Burkhardt, Eberhard 2011 (implicit).
 */
#include "formulation/formulation.h"

#define PROJECTED_INVARIANTS                                                                       \
    .plain = true, .position = true, .velocity = true, .nonholonomic = true,                       \
    .acceleration = DFL_ACC_CORRECTED, .mu = true, .tau = true

static const dfl_form_traits table[DFL_FORMS] = {
    [DFL_PSF] = {.position = true,
                 .velocity = true,
                 .nonholonomic = true,
                 .acceleration = DFL_ACC_PROJECTED},
    [DFL_PSI1] = {.position = true, .velocity = true, .nonholonomic = true, .index_l = 2},
    [DFL_TANGENT] = {.position = true,
                     .velocity = true,
                     .nonholonomic = true,
                     .acceleration = DFL_ACC_PROJECTED,
                     .rates_are_a = true},
    [DFL_PARTITION] = {.position = true,
                       .velocity = true,
                       .nonholonomic = true,
                       .acceleration = DFL_ACC_PROJECTED,
                       .rates_are_a = true},
    [DFL_EOM] =
        {
            .plain = true,
            .position = true,
            .nonholonomic = true,
            .index_v = 2,
            .index_l = 3,
        },
    [DFL_EOM2] = {.plain = true, .velocity = true, .nonholonomic = true, .index_l = 2},
    [DFL_EOM1] = {.plain = true, .acceleration = DFL_ACC_RATE},
    [DFL_BAUMGARTE] = {.plain = true, .acceleration = DFL_ACC_RATE, .stabilised = true},
    [DFL_IMPLICIT] = {.plain = true, .acceleration = DFL_ACC_UNKNOWN, .rates_are_a = true},
    [DFL_GGL] =
        {
            .plain = true,
            .position = true,
            .velocity = true,
            .nonholonomic = true,
            .mu = true,
            .index_l = 2,
        },
    [DFL_ODAE] = {.plain = true,
                  .position = true,
                  .velocity = true,
                  .nonholonomic = true,
                  .acceleration = DFL_ACC_UNKNOWN,
                  .mu = true,
                  .tau = true,
                  .tau_turns = true,
                  .discarded = true},
    [DFL_EXT316] =
        {
            .plain = true,
            .position = true,
            .velocity = true,
            .nonholonomic = true,
            .acceleration = DFL_ACC_RATE,
            .mu = true,
            .tau = true,
            .tau_turns = true,
            .index_l = 2,
        },
    [DFL_EXT317] = {.plain = true,
                    .position = true,
                    .velocity = true,
                    .nonholonomic = true,
                    .acceleration = DFL_ACC_UNKNOWN,
                    .mu = true,
                    .tau = true,
                    .tau_turns = true},
    [DFL_UODE] = {.ode = true, .acceleration = DFL_ACC_PROJECTED},
    [DFL_EXPLICIT] = {.ode = true, .acceleration = DFL_ACC_PROJECTED},
    [DFL_QR] = {.ode = true, .acceleration = DFL_ACC_PROJECTED},
    [DFL_SVD] = {.ode = true, .acceleration = DFL_ACC_PROJECTED},
    [DFL_SEPARATION] = {.ode = true, .acceleration = DFL_ACC_PROJECTED},
    [DFL_SSF] = {.plain = true,
                 .position = true,
                 .velocity = true,
                 .nonholonomic = true,
                 .acceleration = DFL_ACC_RATE,
                 .mu = true,
                 .tau = true,
                 .tau_turns = true,
                 .discarded = true,
                 .index_l = 2},
    [DFL_PINV] = {PROJECTED_INVARIANTS},
};

/* With the L-term of Petzold and Potra, which the text before (3.32) finds desirable for some
   oscillating problems. */
static const dfl_form_traits turning_invariants = {PROJECTED_INVARIANTS, .tau_turns = true};

/* For explicit integrators: with and without the constraints at the end of each step. */
static const dfl_form_traits explicit_kept = {.ode = true,
                                              .position = true,
                                              .velocity = true,
                                              .nonholonomic = true,
                                              .acceleration = DFL_ACC_PROJECTED},
                             explicit_free = {.ode = true, .acceleration = DFL_ACC_PROJECTED};

const dfl_form_traits *dfl_form_traits_of(dfl_form form, bool right_hand_side)
{
    if (right_hand_side)
        return table[form].position && table[form].velocity ? &explicit_kept : &explicit_free;
    return &table[form];
}

const dfl_form_traits *dfl_form_traits_with(const dfl_solver_options *options, bool right_hand_side)
{
    if (options->form == DFL_PINV && options->constraints.turning)
        return &turning_invariants;
    return dfl_form_traits_of(options->form, right_hand_side);
}

bool dfl_coordinates_are_fixed(const dfl_solver_options *options)
{
    return options->constraints.independent || options->constraints.ncombinations > 0;
}

bool dfl_form_has_right_hand_side(dfl_form form)
{
    switch (form) {
    case DFL_PSF:
    case DFL_UODE:
    case DFL_EXPLICIT:
    case DFL_BAUMGARTE:
    case DFL_QR:
    case DFL_SVD:
    case DFL_SEPARATION:
    case DFL_PARTITION:
    case DFL_TANGENT:
        return true;
    default:
        return false;
    }
}

dfl_requirements dfl_form_requirements(const dfl_form_traits *traits, const dfl_eom *eom)
{
    const int nc = eom->nl + eom->nm;
    const bool a = traits->plain && traits->acceleration == DFL_ACC_UNKNOWN;
    /* without holonomic constraints the highest index is 2; with them mu is known no better than
       lambda, and auxiliary variables may be functions of both */
    const int index_l = eom->nl > 0 || traits->index_l < 2 ? traits->index_l : 2;
    const int index_v = eom->nl > 0 ? traits->index_v : 0;
    return (dfl_requirements){.carry = traits->ode || (!traits->plain && traits->rates_are_a),
                              .bias = traits->plain,
                              .leading = (a ? eom->nv : 0) + (traits->tau ? nc : 0) +
                                         (traits->mu ? eom->nl + eom->nep : 0),
                              .leading_a = a,
                              .index_w =
                                  traits->plain && !eom->forces_free_of_multipliers ? index_l : 0,
                              .index_l = index_l,
                              .index_v = index_v};
}
