// KDL on the chains of tree_models.h: forward dynamics by mass matrix and by the recursion of
// Vereshchagin, inverse dynamics, mass matrix. KDL has no forward dynamics of trees.
#include "../tree_report.h"

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include <memory>
#include <string>
#include <vector>

struct peer {
    int n;
    double bytes;
    KDL::Chain chain;
    std::vector<KDL::JntArray> q, v, tau;
    KDL::Wrenches none;
    KDL::JntArray out, zero, force, limit;
    KDL::JntSpaceInertiaMatrix M;
    KDL::Jacobian alpha;
    std::unique_ptr<KDL::ChainIdSolver_RNE> inverse;
    std::unique_ptr<KDL::ChainHdSolver_Vereshchagin> recursion;
    std::unique_ptr<KDL::ChainFdSolver_RNE> forward; // n x n matrices
    std::unique_ptr<KDL::ChainDynParam> mass;
};

static KDL::Segment segment(const tree_body &b, int i)
{
    const KDL::Vector t(b.t[0], b.t[1], b.t[2]), axis(b.axis == 0, b.axis == 1, b.axis == 2);
    const KDL::RotationalInertia inertia(b.I[0], b.I[1], b.I[2], b.I[3], b.I[4], b.I[5]);
    const std::string name = std::to_string(i);
    return KDL::Segment(name, KDL::Joint(name, t, axis, KDL::Joint::RotAxis), KDL::Frame(t),
                        KDL::RigidBodyInertia(b.m, KDL::Vector(b.c[0], b.c[1], b.c[2]), inertia));
}

static void inverse(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    p->inverse->CartToJnt(p->q[k], p->v[k], p->tau[k], p->none, p->out);
}

static void forward(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    p->forward->CartToJnt(p->q[k], p->v[k], p->tau[k], p->none, p->out);
}

static void recursion(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    p->force = p->tau[k];
    p->recursion->CartToJnt(p->q[k], p->v[k], p->out, p->alpha, p->limit, p->none, p->force,
                            p->zero);
}

static void mass(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    p->mass->JntToMass(p->q[k], p->M);
}

static int out_values(double *y, void *user)
{
    const peer *p = static_cast<peer *>(user);
    std::copy(p->out.data.data(), p->out.data.data() + p->n, y);
    return p->n;
}

static int mass_values(double *y, void *user)
{
    const peer *p = static_cast<peer *>(user);
    const Eigen::VectorXd Mv = p->M.data * p->v[0].data;
    std::copy(Mv.data(), Mv.data() + p->n, y);
    y[p->n] = Mv.dot(p->v[0].data);
    return p->n + 1;
}

static void make_states(peer &p)
{
    for (int k = 0; k < tree_states(p.n); k++) {
        KDL::JntArray q(p.n), v(p.n), tau(p.n);
        tree_base base;
        tree_state(&base, q.data.data(), v.data.data(), tau.data.data(), p.n, k);
        p.q.push_back(q);
        p.v.push_back(v);
        p.tau.push_back(tau);
    }
    p.none = KDL::Wrenches(p.n, KDL::Wrench::Zero());
    p.out = p.zero = p.force = KDL::JntArray(p.n);
    p.limit = KDL::JntArray(1);
    p.alpha = KDL::Jacobian(1);
    KDL::SetToZero(p.alpha);
}

static void make_solvers(peer &p)
{
    const KDL::Vector gravity(0, 0, -9.81);
    std::vector<tree_body> bodies((size_t)p.n);
    tree_fill(bodies.data(), TREE_CHAIN, p.n);
    const double heap = tree_heap();
    for (int i = 0; i < p.n; i++)
        p.chain.addSegment(segment(bodies[(size_t)i], i));
    p.recursion = std::make_unique<KDL::ChainHdSolver_Vereshchagin>(
        p.chain, KDL::Twist(-gravity, KDL::Vector::Zero()), 1);
    p.bytes = tree_heap() - heap;
    p.inverse = std::make_unique<KDL::ChainIdSolver_RNE>(p.chain, gravity);
    if (p.n > TREE_MOST_DENSE)
        return;
    p.M = KDL::JntSpaceInertiaMatrix(p.n);
    p.forward = std::make_unique<KDL::ChainFdSolver_RNE>(p.chain, gravity);
    p.mass = std::make_unique<KDL::ChainDynParam>(p.chain, gravity);
}

int main(int argc, char **argv)
{
    static const tree_task tasks[] = {{"FD, recursion", recursion, out_values, 1},
                                      {"ID", inverse, out_values, 1},
                                      {"FD", forward, out_values, 1},
                                      {"M", mass, mass_values, 1}};
    int shape, values;
    peer p;
    tree_arguments(&shape, &p.n, &values, argc, argv);
    if (shape != TREE_CHAIN) {
        std::fputs("its dynamics are for chains\n", stderr);
        return 1;
    }
    make_solvers(p);
    make_states(p);
    const tree_case c = {"KDL", shape, p.n, p.n, p.bytes, &p};
    tree_report(&c, tasks, p.forward ? 4 : 2, values);
}
