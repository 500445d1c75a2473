/* drawing.h: a mechanism as drawn, with expressions for all numbers; what other modules see of this
   one. */
#ifndef DFL_DRAWING_H
#define DFL_DRAWING_H

#include "drawing/bodies.h"         /* bodies, joints, poses, and the lowering into a model */
#include "drawing/closures.h"       /* couplings, drives, rolling, contact, joints of the user */
#include "drawing/elastic_beams.h"  /* straight beams that bend */
#include "drawing/elastic_bodies.h" /* bodies that bend */
#include "drawing/elastic_tables.h" /* ... given by their modes */
#include "drawing/elements.h"       /* springs, dampers and loads */
#include "drawing/reactions.h"      /* forces and moments that joints transmit */
#include "drawing/shapes.h"         /* shapes of bodies and joints that are drawn automatically */
#include "drawing/vectors.h"        /* vectors and matrices of expressions */

#endif
