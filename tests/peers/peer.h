/* peer.h: what another library computes for a tree of bodies, in our coordinates and velocities. */
#ifndef DFL_TESTS_PEER_H
#define DFL_TESTS_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

#include "multibody/multibody.h"

/* Where to write; leading dimension of M: nv. */
typedef struct peer_result {
    double *M;    /* the mass matrix */
    double *bias; /* forces without accelerations: M v' + bias = tau, with gravity */
    double *a;    /* accelerations for tau */
} peer_result;

/* A state: for each joint its first coordinate and velocity (-1: none), and all of them. */
typedef struct peer_state {
    int nv;
    const int *joint_p, *joint_v;
    const double *p, *v, *tau;
} peer_state;

extern const char *const peer_name;

/* Whether the library has such a joint. */
bool peer_has(dfl_joint_kind kind);

/* Bodies come after their parents, joint i carries body i. Returns 0 on success. */
int peer_compute(const peer_result *out, const dfl_multibody_description *tree,
                 const peer_state *at);

#ifdef __cplusplus
}
#endif
#endif
