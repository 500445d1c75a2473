/* tree_state.h: the tree of bodies of a model at a state of its equations: masses, forces, and the
   rows of its loops, which the expressions leave out (declare/mass_tree.h).

   The tree keeps its coordinates in its own order: they are gathered from x, and results are
   scattered into the blocks of the equations. */
#ifndef DFL_TREE_STATE_H
#define DFL_TREE_STATE_H

#include "derive/numbers.h"

#include <driftless/eom.h>

typedef struct dfl_tree_state dfl_tree_state;

/* Builds the tree with these numbers of parameters and inputs; `eq` must outlive it. DFL_INVALID: a
   number of the tree is not valid. */
dfl_status dfl_tree_state_create(dfl_tree_state **out, const dfl_equations *eq,
                                 const dfl_numbers *numbers);
void dfl_tree_state_free(dfl_tree_state *state);

/* Parameters or inputs have other values. On failure the former values remain in use; DFL_INVALID
   also if a massless direction would appear or vanish. */
dfl_status dfl_tree_state_update(dfl_tree_state *state, const dfl_numbers *numbers);

/* A tree with other numbers beside one, whose numbers stay in use: values (nnumbers). DFL_INVALID:
   one of them is not valid. */
dfl_status dfl_tree_state_nearby(dfl_tree_state **out, const dfl_tree_state *of,
                                 const double *values);
/* The numbers in use. */
const double *dfl_tree_state_numbers(const dfl_tree_state *state);

/* Puts the tree at x; `drives` are the prescribed motions, 3 numbers each. Everything below refers
   to the last call. */
void dfl_tree_state_place(dfl_tree_state *state, const double *x, const double *drives);

/* The same at numbers->x, with the drives evaluated from their expressions. DFL_NO_MEMORY. */
dfl_status dfl_tree_state_place_at(dfl_tree_state *state, const dfl_numbers *numbers);

/* f (nv) -= C(p, v): forces of inertia for v' = 0 and of gravity. */
void dfl_tree_state_forces(double *f, dfl_tree_state *state);

/* M (nv x nv) += that of the tree. */
void dfl_tree_state_mass(double *M, dfl_tree_state *state);

/* Writes the rows of the tree's loops into g, gI, W, bias, as far as `need` asks for them. */
void dfl_tree_state_rows(dfl_blocks *out, dfl_tree_state *state, unsigned need);

/* dyn (nv x n) -= derivatives of M a + C + W^T l by all unknowns, for the loops' rows of W; `l` are
   the multipliers of all holonomic rows. */
void dfl_tree_state_slopes(double *dyn, dfl_tree_state *state, const double *a, const double *l);

/* Writes the derivatives of the loops' rows into acc, vel, pos, after dfl_tree_state_slopes. */
void dfl_tree_state_row_slopes(dfl_jacobian *out, dfl_tree_state *state);

/* Adds the rows of the tree at its place to one column, times `factor`: -(M a + C + W^T l) to dyn,
   W a + bias to acc, gI to vel, g to pos. */
void dfl_tree_state_add_rows(dfl_jacobian *column, double factor, dfl_tree_state *state,
                             const double *a, const double *l);

/* A (rows x columns of pos) = derivatives of g by s, p, in the loops' rows only. */
void dfl_tree_state_position_slopes(double *pos, dfl_tree_state *state);

/* Massless directions of the tree: decides around the present place which there are, and keeps the
   decision, with the drives there; their number; the velocity (0 .. nv-1) that belongs to each.
   DFL_NO_MEMORY. */
dfl_status dfl_tree_state_decide(dfl_tree_state *state);
int dfl_tree_state_n0(const dfl_tree_state *state);
int dfl_tree_state_massless(const dfl_tree_state *state, int index);

/* The velocity whose mass is the smallest part, below 1e-6, of what it moves, and that part; -1 if
   there is none. */
int dfl_tree_state_negligible(double *ratio, const dfl_tree_state *state);

/* For applied forces f (nv): gam = K0^T (f - C), and the accelerations a (nv) with M a = f - C
   apart from gam, zero for the velocities that belong to massless directions. */
void dfl_tree_state_balance(double *gam, double *a, dfl_tree_state *state, const double *f);

/* K0 (nv x n0), after dfl_tree_state_balance at the same place. */
void dfl_tree_state_null_space(double *K0, dfl_tree_state *state);

/* tree_directions.c: Y (all x left) from B = W K (`rows` x all); `room` has held (held + 1)
   numbers. False: a pivot vanishes. */
bool dfl_directions_combine(double *Y, const dfl_directions *directions, const double *B, int rows,
                            double *room);
void dfl_directions_free(dfl_directions *directions, dfl_context *ctx);

#endif
