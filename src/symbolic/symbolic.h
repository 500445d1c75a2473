/* symbolic.h: expressions and their derivatives, values and texts; what other modules see of this
   one. */
#ifndef DFL_SYMBOLIC_H
#define DFL_SYMBOLIC_H

#include "symbolic/differentiate.h" /* Jacobians, gradients, derivatives along a direction */
#include "symbolic/emit.h"          /* a tape as source text in C or Octave */
#include "symbolic/graph.h"         /* expressions as one shared graph */
#include "symbolic/locking.h"       /* expressions with frozen branches */
#include "symbolic/native.h"        /* tapes as machine code */
#include "symbolic/part.h"          /* the nodes below some expressions, for passes over them */
#include "symbolic/print.h"         /* expressions for people, as text or LaTeX */
#include "symbolic/table_terms.h"   /* functions through tables */
#include "symbolic/tape.h"          /* many expressions evaluated at once */
#include "symbolic/tape_view.h"     /* tapes around tables of exported models */

#endif
