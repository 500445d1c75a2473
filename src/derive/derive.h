/* derive.h: the equations of motion of a model, as expressions; the header for other modules. */
#ifndef DFL_DERIVE_H
#define DFL_DERIVE_H

#include "derive/equations.h"  /* the general form */
#include "derive/kinds.h"      /* which unknowns have the same unit, and their sizes */
#include "derive/null_space.h" /* null spaces of small matrices, for messages */
#include "derive/numbers.h"    /* a number for every symbol */
#include "derive/tree_state.h" /* the tree of bodies at a state */

#endif
