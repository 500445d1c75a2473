/* derive_internal.h: what the files of this module share. */
#ifndef DFL_DERIVE_INTERNAL_H
#define DFL_DERIVE_INTERNAL_H

#include "derive/derive.h"

/* placing.c: what dfl_equations_place needs. */
dfl_status dfl_derive_placing(dfl_equations *eq);
void dfl_placing_free(struct dfl_placing *placing, dfl_context *ctx);

/* A list of entries; _finish brings it into the order of dfl_sparse and adds entries at the same
   place in the order in which they came. */
dfl_status dfl_sparse_add(dfl_sparse *matrix, int *room, dfl_graph *graph, int row, int col,
                          dfl_expr expr);
dfl_status dfl_sparse_finish(dfl_sparse *matrix, dfl_graph *graph);

/* lagrange.c: M and f. */
dfl_status dfl_derive_dynamics(dfl_equations *eq);

/* massless_directions.c: K0 and gam. */
dfl_status dfl_derive_massless(dfl_equations *eq);
void dfl_light_directions_clear(dfl_light_directions *massless, dfl_context *ctx);

/* hidden.c: gI, W, bias, with s' eliminated. */
dfl_status dfl_derive_hidden(dfl_equations *eq);

/* contact_rates.c: out (ns) = -c_s^-1 drift, by Cramer's rule in each independent group of rows. */
dfl_status dfl_contact_rates(dfl_expr *out, dfl_equations *eq, const dfl_expr *drift);

/* jacobians.c: the derivatives of all rows. */
dfl_status dfl_derive_jacobians(dfl_equations *eq);

/* flags.c: the flags of all rows. */
dfl_status dfl_derive_flags(dfl_equations *eq);

/* Whether the masses of the tree of bodies are constant (tree_constant.c). DFL_NO_MEMORY. */
dfl_status dfl_tree_mass_constant(bool *out, dfl_equations *eq);

#endif
