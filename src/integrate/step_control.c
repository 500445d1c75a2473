/* The classical controller h_new = h safety err^(-1/k), and Gustafsson's predictive controller
   (1994), which extrapolates the error from the last two accepted steps; the smaller proposal is
   taken. */
#include "integrate/step_control.h"

#include <math.h>

/* err^(1/k); the fourth and eighth root, which estimates of three and seven stages need, without
   the library's pow */
static double root(const dfl_controller *control, double err)
{
    const double exponent = control->exponent;
    return exponent == 0.25    ? sqrt(sqrt(err))
           : exponent == 0.125 ? sqrt(sqrt(sqrt(err)))
                               : pow(err, exponent);
}

void dfl_controller_init(dfl_controller *control, const dfl_solver_options *options, double order)
{
    *control = (dfl_controller){.safety = options->step.safety,
                                .min_factor = options->step.min_factor,
                                .max_factor = options->step.max_factor,
                                .max_step = options->step.max,
                                .predictive = options->step.control == DFL_CONTROL_PREDICTIVE,
                                .exponent = 1 / order};
    control->least_root = root(control, 1e-2);
}

static double clip(const dfl_controller *control, double quotient)
{
    return fmax(1 / control->max_factor, fmin(1 / control->min_factor, quotient));
}

double dfl_controller_rejected(const dfl_controller *control, double h, double err)
{
    return h / clip(control, root(control, err) / control->safety);
}

double dfl_controller_accepted(dfl_controller *control, double h, double err, bool after_rejection)
{
    const double now = root(control, err);
    double quotient = clip(control, now / control->safety);
    if (control->predictive && control->h_old != 0) {
        const double predicted =
            (control->h_old / h) * (now * now / control->root_old) / control->safety;
        quotient = fmax(quotient, clip(control, predicted));
    }
    double h_new = h / quotient;
    control->h_old = h;
    control->root_old = fmax(control->least_root, now);
    if (control->max_step > 0 && fabs(h_new) > control->max_step)
        h_new = copysign(control->max_step, h_new);
    return after_rejection && fabs(h_new) > fabs(h) ? h : h_new;
}
