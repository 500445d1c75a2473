/* redundant.h: which rows may be left out, joint by joint. */
#ifndef DFL_MODEL_REDUNDANT_H
#define DFL_MODEL_REDUNDANT_H

#include "study/diagnosis.h"

/* The redundant rows of one joint. */
typedef struct dfl_redundant_joint {
    const char *name; /* of its first row */
    int length;       /* of the joint's own name within it */
    int count, of;
    const char *meaning[12]; /* of the redundant ones */
} dfl_redundant_joint;

/* Fills the joint of constraint row `row` if the row is the first redundant one of its joint; otherwise, also
   for rows that belong to no joint, returns false. */
bool dfl_redundant_joint_of(dfl_redundant_joint *out, const dfl_equations *eq,
                            const dfl_diagnosis *diagnosis, int row);

/* Marks as many rows of W as are redundant, the last ones that can be left out. */
dfl_status dfl_diagnose_redundant(dfl_diagnosis *out, const dfl_equations *eq);

/* Tells sets that contradict from those that say the same: the sum of a set's rows, which no motion changes, is
   not zero at (t, x). */
dfl_status dfl_diagnose_contradictions(dfl_diagnosis *out, dfl_runnable *run, double t,
                                       const double *x, double tolerance);

/* Appends meanings of rows as a list: "z translation, x and y rotation". */
void dfl_print_motions(dfl_text *text, const char *const *meanings, int count);

#endif
