/* locking.h: expressions with frozen branches.

   During a step every switch keeps the branch in which the step began, so that what is integrated
   is smooth, also a little beyond the border of the branch. Each switch has a symbol for its
   branch, and a locked expression reads that symbol instead of the condition:

       select(c, a, b)  ->  select(k, a, b)     k = 1 where c > 0, else -1
       abs(u), sign(u)  ->  k u, k
       min(a, b)        ->  select(k, a, b)     k of b - a; max likewise
       floor(u)         ->  k                   k <= u < k + 1
       table(u)         ->  its polynomial of piece k, the number of points below u

   (of tables that have kinks or jumps in the slope, and of smoother ones where the precision of a
   run sees the jumps of higher derivatives).

   What is inside noevent stays as it is.

   Roots and powers near a frozen branch are continued oddly below zero, -|u|^p: beyond the border
   they must stay finite. Equal conditions are one switch, up to sign and constant factors.
   Derivatives of locked expressions take the same branch. */
#ifndef DFL_LOCKING_H
#define DFL_LOCKING_H

#include "symbolic/graph.h"

typedef enum dfl_switch_kind {
    DFL_SWITCH_SIGN,
    DFL_SWITCH_FLOOR,
    DFL_SWITCH_PIECE
} dfl_switch_kind;

typedef struct dfl_switch {
    dfl_switch_kind kind;
    dfl_expr source;    /* its condition c as written, or the whole number or table */
    dfl_expr condition; /* c, or the argument u, with frozen branches inside it */
    dfl_expr branch;    /* the symbol of kind DFL_SYM_BRANCH, numbered as the switches are */
    int spline;         /* of a table */
} dfl_switch;

/* The branch that belongs to a value of the condition or argument; where that is a border, the one
   towards which `slope` leads, or the definition of the operation if it is 0. */
double dfl_switch_branch(const dfl_switch *item, const dfl_graph *graph, double value,
                         double slope);

/* Where the branch ends below and above, in terms of the condition or argument. */
void dfl_switch_borders(double *low, double *high, const dfl_switch *item, const dfl_graph *graph,
                        double branch);

/* The branch beyond its lower (sense < 0) or upper end. */
double dfl_switch_next(const dfl_switch *item, const dfl_graph *graph, double branch, int sense);

typedef struct dfl_locking {
    dfl_graph *graph;
    int count, room;
    dfl_switch *item;
    int *switch_of;       /* per node two: number of the switch with this source + 1, of a sign and
                             of others; 0: none ... */
    uint32_t nodes;       /* ... of the nodes below this one */
    const dfl_expr *open; /* conditions that are never frozen */
    int nopen;
    double precision; /* rtol of runs; 0: tables of continuous curvature are never frozen */
} dfl_locking;

/* `open` (may be NULL) must outlive it. DFL_NO_MEMORY. */
dfl_status dfl_locking_create(dfl_locking **out, dfl_graph *graph, const dfl_expr *open, int nopen);
void dfl_locking_free(dfl_locking *lock);

/* out[k] = rows[k] locked. `add`: switches that are new join the list; otherwise they stay as they
   are. `out` may be `rows`. `continued` (nrows, or NULL): rows with a root or a power that is
   continued below zero. */
dfl_status dfl_lock(dfl_expr *out, bool *continued, dfl_locking *lock, const dfl_expr *rows,
                    int nrows, bool add);

#endif
