/* sid_body.c: integrals of a body in the order of SID files. */
#include "elastic/elastic.h"

#include <stdio.h>
#include <string.h>

static void take_second_order(dfl_sid *s, const dfl_modal_body *b);
static void add_pair(dfl_sid *s, const dfl_modal_body *b, int field, int i, int k, double share);

dfl_status dfl_sid_of_body(dfl_sid *s, const dfl_modal_body *b)
{
    const int n = b->n, nz = b->nz;
    memset(s, 0, sizeof *s);
    s->n = n;
    s->nnodes = b->nnodes - b->noutline;
    if (s->nnodes > DFL_MOST_SID_NODES)
        return dfl_fail(b->ctx, DFL_INVALID, "the body has %d nodes; a SID file of ours has %d",
                        s->nnodes, DFL_MOST_SID_NODES);
    s->mass = b->mass;
    memcpy(s->moment, b->s0, sizeof s->moment);
    memcpy(s->inertia, b->J0, sizeof s->inertia);
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            s->S[a * n + i] = b->S[3 * i + a];
            s->C0[a * n + i] = b->C0[3 * i + a];
        }
        for (int a = 0; a < 6; a++)
            s->J1[a * n + i] = b->J1[6 * i + a];
        for (int k = 0; k < n; k++) {
            const int place = i + nz * k;
            s->Me[i * n + k] = b->Me[place];
            for (int a = 0; a < 3; a++)
                s->C1[(a * n + i) * n + k] = b->C1[3 * place + a];
            for (int a = 0; a < 6; a++)
                s->J2[(a * n + i) * n + k] = b->J2[6 * place + a];
        }
    }
    for (int k = 0; k < s->nnodes; k++) {
        dfl_sid_node *node = &s->node[k];
        snprintf(node->name, sizeof node->name, "%d", k + 1);
        memcpy(node->at, b->node[k].at, sizeof node->at);
        for (int i = 0; i < n; i++)
            for (int a = 0; a < 3; a++) {
                node->phi[a * n + i] = b->node[k].phi[3 * i + a];
                node->psi[a * n + i] = b->node[k].psi[3 * i + a];
            }
    }
    take_second_order(s, b);
    return DFL_OK;
}

/* Fields of products q_i q_k, or of sums of them: J1_j q_i q_k = 2 J2_ik q_i q_k. */
static void take_second_order(dfl_sid *s, const dfl_modal_body *b)
{
    const int n = b->n;
    s->stiffened = b->nz > n;
    for (int j = n; j < b->nz; j++) {
        const dfl_amplitude z = b->amplitude[j];
        if (z.b != DFL_FORM)
            add_pair(s, b, j, z.a, z.b, 1.0);
        for (int i = 0; i < n && z.b == DFL_FORM; i++)
            for (int k = i; k < n; k++)
                add_pair(s, b, j, i, k, b->form[n * (n * z.a + k) + i]);
    }
}

static void add_pair(dfl_sid *s, const dfl_modal_body *b, int field, int i, int k, double share)
{
    const int n = b->n, pair = dfl_mode_pair(n, i, k);
    for (int a = 0; a < 3; a++) {
        s->S2[a * DFL_MOST_PAIRS + pair] += share * b->S[3 * field + a];
        s->C2[a * DFL_MOST_PAIRS + pair] += share * b->C0[3 * field + a];
        for (int p = 0; p < s->nnodes; p++) {
            s->node[p].phi2[a * DFL_MOST_PAIRS + pair] += share * b->node[p].phi[3 * field + a];
            s->node[p].psi2[a * DFL_MOST_PAIRS + pair] += share * b->node[p].psi[3 * field + a];
        }
    }
    for (int a = 0; a < 6; a++) {
        s->J2[(a * n + i) * n + k] += 0.5 * share * b->J1[6 * field + a];
        if (i != k)
            s->J2[(a * n + k) * n + i] += 0.5 * share * b->J1[6 * field + a];
    }
}
