// Simbody on the models of tree_models.h: forward dynamics by articulated bodies, inverse dynamics, mass
// matrix. Speeds of a free base are in world axes, angular ones first.
#include "../tree_report.h"

#include <Simbody.h>

#include <memory>
#include <vector>

using namespace SimTK;

struct peer {
    int shape, n;
    double bytes;
    std::unique_ptr<MultibodySystem> system;
    std::unique_ptr<SimbodyMatterSubsystem> matter;
    std::unique_ptr<GeneralForceSubsystem> forces;
    std::unique_ptr<Force::Gravity> gravity;
    State state;
    std::vector<Vector> q, u, tau;
    Vector out;
    Vector_<SpatialVec> accelerations;
    Matrix M;
};

static Vec3 vec(const double *x)
{
    return Vec3(x[0], x[1], x[2]);
}

static MobilizedBody attach(MobilizedBody &parent, const tree_body &b)
{
    const Inertia J(b.I[0], b.I[1], b.I[2], b.I[3], b.I[4], b.I[5]);
    const Body::Rigid body(MassProperties(b.m, vec(b.c), J.shiftFromMassCenter(vec(b.c), b.m)));
    if (b.axis == TREE_FREE_AXIS)
        return MobilizedBody::Free(parent, Transform(vec(b.t)), body, Transform());
    const Rotation along_z(UnitVec3(b.axis == 0, b.axis == 1, b.axis == 2), ZAxis);
    return MobilizedBody::Pin(parent, Transform(along_z, vec(b.t)), body, Transform(along_z));
}

static void make_system(peer &p)
{
    std::vector<tree_body> bodies((size_t)p.n);
    tree_fill(bodies.data(), p.shape, p.n);
    const double heap = tree_heap();
    p.system = std::make_unique<MultibodySystem>();
    p.matter = std::make_unique<SimbodyMatterSubsystem>(*p.system);
    p.forces = std::make_unique<GeneralForceSubsystem>(*p.system);
    p.gravity = std::make_unique<Force::Gravity>(*p.forces, *p.matter, Vec3(0, 0, -9.81));
    std::vector<MobilizedBody> made;
    MobilizedBody ground = p.matter->updGround();
    for (const tree_body &b : bodies)
        made.push_back(attach(b.parent < 0 ? ground : made[(size_t)b.parent], b));
    p.state = p.system->realizeTopology();
    p.system->realizeModel(p.state);
    p.system->realize(p.state, Stage::Acceleration);
    p.bytes = tree_heap() - heap;
}

static void make_states(peer &p)
{
    const int nq = p.state.getNQ(), nu = p.state.getNU(), base_u = p.shape == TREE_LEGS ? 6 : 0;
    for (int k = 0; k < tree_states(p.n); k++) {
        Vector q(nq, 0.0), u(nu, 0.0), tau(nu, 0.0);
        tree_base base;
        tree_state(&base, &q[base_u ? 7 : 0], &u[base_u], &tau[base_u], nu - base_u, k);
        for (int i = 0; i < 4 && base_u; i++)
            q[i] = base.quat[i];
        for (int i = 0; i < 3 && base_u; i++) {
            q[4 + i] = base.pos[i];
            u[i] = base.w[i];
            u[3 + i] = base.v[i];
        }
        p.q.push_back(q);
        p.u.push_back(u);
        p.tau.push_back(tau);
    }
}

static void place(peer *p, int k, Stage stage)
{
    p->state.updQ() = p->q[k];
    p->state.updU() = p->u[k];
    p->system->realize(p->state, stage);
}

static void forward(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    place(p, k, Stage::Dynamics);
    p->matter->calcAccelerationIgnoringConstraints(
        p->state, p->tau[k], p->gravity->getBodyForces(p->state), p->out, p->accelerations);
}

static void inverse(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    place(p, k, Stage::Velocity);
    p->matter->calcResidualForceIgnoringConstraints(
        p->state, Vector(), p->gravity->getBodyForces(p->state), p->tau[k], p->out);
}

static void mass(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    p->state.updQ() = p->q[k];
    p->system->realize(p->state, Stage::Position);
    p->matter->calcM(p->state, p->M);
}

static int revolute_values(double *y, void *user)
{
    const peer *p = static_cast<peer *>(user);
    const int first = p->shape == TREE_LEGS ? 6 : 0, n = p->out.size() - first;
    for (int i = 0; i < n; i++)
        y[i] = p->out[first + i];
    return n;
}

static int mass_values(double *y, void *user)
{
    peer *p = static_cast<peer *>(user);
    p->out = p->M * p->u[0];
    const int n = revolute_values(y, p);
    y[n] = ~p->out * p->u[0];
    return n + 1;
}

int main(int argc, char **argv)
{
    static const tree_task tasks[] = {{"FD", forward, revolute_values, 1},
                                      {"ID", inverse, revolute_values, 1},
                                      {"M", mass, mass_values, 1}};
    int values;
    peer p;
    tree_arguments(&p.shape, &p.n, &values, argc, argv);
    make_system(p);
    make_states(p);
    const tree_case c = {"Simbody", p.shape, p.n, p.state.getNU(), p.bytes, &p};
    tree_report(&c, tasks, p.n <= TREE_MOST_DENSE ? 3 : 2, values);
}
