/* check.h: whether a description of a tree makes sense. */
#ifndef DFL_MECHANICS_CHECK_H
#define DFL_MECHANICS_CHECK_H

#include "multibody/tree.h"

/* DFL_INVALID: the message names the body or joint and says what to do. */
dfl_status dfl_tree_check(dfl_context *ctx, const dfl_tree_description *description);

/* The same for one body. */
dfl_status dfl_tree_check_body(dfl_context *ctx, const dfl_tree_body *body, bool planar);

#endif
