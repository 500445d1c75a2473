/* impact_path.h: one impact with friction, as a path over the normal impulse. */
#ifndef DFL_IMPACT_PATH_H
#define DFL_IMPACT_PATH_H

#include <stdbool.h>

typedef struct dfl_collision {
    int directions;    /* of friction: 0, 1, 2 */
    double D[3][3];    /* speeds that impulses of size 1 make: normal, one or two tangents */
    double u, h[2];    /* speeds along the normal and the tangents */
    double impulse[3]; /* so far */
} dfl_collision;

/* From hit->u < 0 to the end. Compression ends where u = 0, the impact at 1 + e times that impulse
   (Poisson). false: compression does not end. */
bool dfl_impact_path(dfl_collision *hit, double e, double friction);

#endif
