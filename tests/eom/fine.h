/* fine.h: how accurately the tests of the general form run.

   Motions are compared with exact solutions, with the references of the problems, or with the
   reduced equation in one coordinate, integrated by the classical Runge-Kutta method with so many
   steps that its error is below 1e-11. Runs have rtol = atol = 1e-8 unless stated; CLOSE leaves a
   factor of 50 to 100 for the accumulation of errors. */
#ifndef DFL_TESTS_FINE_H
#define DFL_TESTS_FINE_H

#include "support.h"

#define CLOSE 1e-6
enum { MOST = 16 };

static const dfl_solver_options fine = {.rtol = 1e-8};

#endif
