/* reactions.h: what joints transmit, and how points move, as expressions for outputs. */
#ifndef DFL_REACTIONS_H
#define DFL_REACTIONS_H

#include "drawing/bodies.h"

/* The force and torque of a joint on its child, at the child's point of the joint, in world axes,
   and what drives its angle or shift (work per rad or m). Everything that the joint transmits is
   included, even a drive or a spring on its coordinate. */
enum { DFL_REACTIONS = 7 };
extern const char *const dfl_reaction_names[DFL_REACTIONS]; /* fx fy fz mx my mz drive */

/* A symbol that stands for component k of the reaction: forces and loops may still follow, so the
   expression replaces it in all outputs when the drawing is lowered. DFL_INVALID: the joint has no
   drive, since its motion does not have exactly one coordinate. */
dfl_status dfl_drawing_reaction(dfl_expr *out, dfl_drawing *drawing, int joint, int k);

/* For constraints that are not joints: the row with this multiplier acts on body B with
   -multiplier * force at the place x of the world and -multiplier * torque, on A with the
   opposite. */
dfl_status dfl_drawing_bond(dfl_drawing *drawing, int a, int b, dfl_expr multiplier, dfl_vec x,
                            dfl_vec force, dfl_vec torque);
/* A contact: A acts on B at the place x of the world with a force; and with an impulse where
   velocities jump and multipliers are impulses. */
dfl_status dfl_drawing_touching(dfl_drawing *drawing, int a, int b, dfl_vec x, dfl_vec force,
                                dfl_vec impulse);

/* The unit quaternion (e0 >= 0 first) from axes of a body to those of the world; its axes are those
   of the drawing, or z along `axis` and x along `axis2`. */
dfl_status dfl_drawing_quaternion(dfl_expr e[4], dfl_drawing *drawing, int body, dfl_vec axis,
                                  dfl_vec axis2);

#endif
