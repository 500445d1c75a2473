/* locking_internal.h: one pass of freezing branches, shared by locking.c and lock_tables.c. */
#ifndef DFL_LOCKING_INTERNAL_H
#define DFL_LOCKING_INTERNAL_H

#include "symbolic/locking.h"
#include "symbolic/part.h"

/* A condition in its normal form: without minus and constant factor, differences in one order. */
typedef struct dfl_condition {
    dfl_switch_kind kind;
    dfl_expr source, locked;
    bool opposite; /* the normal form has the other sign */
    int spline;
} dfl_condition;

/* One pass. */
typedef struct dfl_lock_pass {
    dfl_locking *lock;
    dfl_part part;
    dfl_expr *locked; /* per node of the part */
    bool *inside;     /* ... it lies below a branch */
    bool *positive;   /* ... it cannot be negative */
    bool *seen;       /* ... it is reached without passing a noevent */
    bool *continued;  /* ... it or something below it is a root or a power continued below zero */
    bool add;
} dfl_lock_pass;

/* The branch symbol, or its negative; DFL_NO_EXPR: this condition is not frozen. */
dfl_expr dfl_lock_branch(dfl_lock_pass *p, const dfl_condition *c);

/* Node i of the part on locked operands. */
dfl_expr dfl_lock_rebuilt(const dfl_lock_pass *p, uint32_t i, dfl_expr a, dfl_expr b, dfl_expr c);

/* Node i, a table, with locked argument a (lock_tables.c). */
dfl_expr dfl_lock_table(dfl_lock_pass *p, uint32_t i, dfl_expr a);

#endif
