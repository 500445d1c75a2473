/* bdf.h: backward differentiation formulas of orders 1 to 5. */
#ifndef DFL_BDF_H
#define DFL_BDF_H
#include "integrate/stepper.h"

extern const dfl_stepper_class dfl_bdf_class;

#endif
