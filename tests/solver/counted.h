/* counted.h: a model that counts its own calls. */
#ifndef COUNTED_H
#define COUNTED_H

#include <driftless/driftless.h>

typedef struct counter {
    const dfl_eom *model;
    long eval, mass, jacobian;
} counter;

static int counted_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    counter *c = user;
    c->eval++;
    return c->model->eval(out, t, x, need, c->model->user);
}

static int counted_mass(double *M, double t, const double *x, void *user)
{
    counter *c = user;
    c->mass++;
    return c->model->mass(M, t, x, c->model->user);
}

static int counted_jacobian(dfl_jacobian *out, double t, const double *x, const double *a,
                            void *user)
{
    counter *c = user;
    c->jacobian++;
    return c->model->jacobian(out, t, x, a, c->model->user);
}

/* The model with its calls counted in c, which may be the beginning of something larger. */
static inline dfl_eom counted_model(counter *c, const dfl_eom *model)
{
    dfl_eom eom = *model;
    *c = (counter){.model = model};
    eom.user = c;
    eom.eval = counted_eval;
    eom.mass = eom.mass ? counted_mass : NULL;
    eom.jacobian = eom.jacobian ? counted_jacobian : NULL;
    return eom;
}

#endif
