/* driftless/driftless.h: everything. */
#ifndef DFL_DRIFTLESS_H
#define DFL_DRIFTLESS_H
#include <driftless/analysis.h>
#include <driftless/context.h>
#include <driftless/eom.h>
#include <driftless/gradient.h>
#include <driftless/linear.h>
#include <driftless/multibody.h>
#include <driftless/options.h>
#include <driftless/program.h>
#include <driftless/solver.h>
#endif
