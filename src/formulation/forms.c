/* The table of forms.

   Sources: Steinbrecher 2002 (eom, eom2, eom1: constraints on the level of positions, velocities,
   accelerations), Gear, Gupta, Leimkuhler 1985 (ggl), Baumgarte 1972, Petzold and Potra 1992 (odae, ext316,
   ext317, pinv, tangent, partition), Kurz, Burkhardt, Eberhard 2011 (implicit). */
#include "formulation/forms.h"

static const dfl_form_traits table[DFL_FORMS] = {
    [DFL_PSF] = {.position = true,
                 .velocity = true,
                 .nonholonomic = true,
                 .acceleration = DFL_ACC_PROJECTED},
    [DFL_PSI1] =
        {.position = true, .velocity = true, .nonholonomic = true, .index_l = 2, .index_m = 2},
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
    [DFL_EOM] = {.plain = true,
                 .position = true,
                 .nonholonomic = true,
                 .index_v = 2,
                 .index_l = 3,
                 .index_m = 2},
    [DFL_EOM2] =
        {.plain = true, .velocity = true, .nonholonomic = true, .index_l = 2, .index_m = 2},
    [DFL_EOM1] = {.plain = true, .acceleration = DFL_ACC_RATE},
    [DFL_BAUMGARTE] = {.plain = true, .acceleration = DFL_ACC_RATE, .stabilised = true},
    [DFL_IMPLICIT] = {.plain = true, .acceleration = DFL_ACC_UNKNOWN, .rates_are_a = true},
    [DFL_GGL] = {.plain = true,
                 .position = true,
                 .velocity = true,
                 .nonholonomic = true,
                 .mu = true,
                 .index_l = 2,
                 .index_m = 2},
    [DFL_ODAE] = {.plain = true,
                  .position = true,
                  .velocity = true,
                  .nonholonomic = true,
                  .acceleration = DFL_ACC_UNKNOWN,
                  .mu = true,
                  .tau = true,
                  .tau_turns = true,
                  .discarded = true},
    [DFL_EXT316] = {.plain = true,
                    .position = true,
                    .velocity = true,
                    .nonholonomic = true,
                    .acceleration = DFL_ACC_RATE,
                    .mu = true,
                    .tau = true,
                    .tau_turns = true,
                    .index_l = 2,
                    .index_m = 2},
    [DFL_EXT317] = {.plain = true,
                    .position = true,
                    .velocity = true,
                    .nonholonomic = true,
                    .acceleration = DFL_ACC_UNKNOWN,
                    .mu = true,
                    .tau = true,
                    .tau_turns = true},
    [DFL_PINV] = {.plain = true,
                  .position = true,
                  .velocity = true,
                  .nonholonomic = true,
                  .acceleration = DFL_ACC_CORRECTED,
                  .mu = true,
                  .tau = true},
};

const dfl_form_traits *dfl_form_traits_of(dfl_form form)
{
    return &table[form];
}

bool dfl_form_keeps_constraints(dfl_form form)
{
    return table[form].position && table[form].velocity;
}

dfl_wishes dfl_form_wishes(const dfl_form_traits *traits, const dfl_eom *eom)
{
    const int nc = eom->nl + eom->nm;
    const bool a = traits->plain && traits->acceleration == DFL_ACC_UNKNOWN;
    /* auxiliary variables may be functions of the multipliers, then they are no better known */
    const int index_w = traits->plain && !eom->forces_free_of_multipliers
                            ? (eom->nl > 0 ? traits->index_l : traits->index_m)
                            : 0;
    return (dfl_wishes){.carry = !traits->plain && traits->rates_are_a,
                        .bias = traits->plain,
                        .leading = (a ? eom->nv : 0) + (traits->tau ? nc : 0) +
                                   (traits->mu ? eom->nl + eom->nep : 0),
                        .leading_a = a,
                        .index_w = index_w,
                        .index_l = traits->index_l,
                        .index_m = traits->index_m,
                        .index_v = traits->index_v};
}
