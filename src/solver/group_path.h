/* group_path.h: several impacts at once, as a path. */
#ifndef DFL_GROUP_PATH_H
#define DFL_GROUP_PATH_H

#include "solver/contact_modes.h"

enum { GROUP_ROWS = CONTACT_ROWS * MOST_TOGETHER };

typedef enum dfl_rubbing { DFL_SMOOTH, DFL_SLIPS, DFL_STICKS } dfl_rubbing;

/* Contacts that close at the same speed. Rows and columns: three per contact, normal and tangents.
 */
typedef struct dfl_impact_group {
    int count, directions[MOST_TOGETHER]; /* of friction: 0, 1, 2 */
    double friction[MOST_TOGETHER];
    double size[MOST_TOGETHER];                    /* of slips: noise */
    double D[GROUP_ROWS * GROUP_ROWS];             /* row: speed, column: by an impulse of size 1 */
    double speed[GROUP_ROWS], impulse[GROUP_ROWS]; /* so far */
    double rate[GROUP_ROWS], change[GROUP_ROWS];   /* of impulses and of speeds, in a piece ... */
    dfl_rubbing mode[MOST_TOGETHER];
    double d[MOST_TOGETHER][2];        /* directions of slip */
    bool leaves[MOST_TOGETHER];        /* it would have to pull, and does not push */
    int unknowns, unknown[GROUP_ROWS]; /* impulses whose rates are found together */
} dfl_impact_group;

/* From the speeds before the impact to those after it. false: there is no such path. */
bool dfl_group_path(dfl_impact_group *group, dfl_lstsq *lstsq, double restitution);

#endif
