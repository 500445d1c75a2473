// KDL on the chains of tree_models.h: forward dynamics by mass matrix and by the recursion of
// Vereshchagin, inverse dynamics, mass matrix. One JSON line per measurement, the fields of bench_tree.
#include "../tree_models.h"

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include <cstdio>
#include <string>
#include <vector>

struct peer {
    int n;
    KDL::Chain chain;
    std::vector<KDL::JntArray> q, v, tau;
    KDL::Wrenches none;
    KDL::JntArray out, zero, force, limit;
    KDL::JntSpaceInertiaMatrix M;
    KDL::Jacobian alpha;
    KDL::ChainIdSolver_RNE *inverse;
    KDL::ChainFdSolver_RNE *forward;
    KDL::ChainHdSolver_Vereshchagin *recursion;
    KDL::ChainDynParam *mass;
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

static void report(peer *p, const char *what, void (*call)(void *, int))
{
    call(p, 0);
    const double check = std::sqrt(p->out.data.squaredNorm() / p->n);
    const double seconds = tree_time(call, p, (int)p->q.size(), 0.3);
    std::printf("{\"library\":\"kdl\",\"model\":\"chain\",\"N\":%d,\"nv\":%d,\"ns_per_body\":%.1f,"
                "\"min_us\":%.4f,\"what\":\"%s\",\"check\":%.12g}\n",
                p->n, p->n, 1e9 * seconds / p->n, 1e6 * seconds, what, check);
    std::fflush(stdout);
}

static void measure(int n)
{
    std::vector<tree_body> bodies(n);
    peer p = {};
    p.n = n;
    tree_fill(bodies.data(), TREE_CHAIN, n);
    for (int i = 0; i < n; i++)
        p.chain.addSegment(segment(bodies[i], i));
    for (int k = 0; k < tree_states(n); k++) {
        KDL::JntArray q(n), v(n), tau(n);
        tree_base base;
        tree_state(&base, q.data.data(), v.data.data(), tau.data.data(), n, k);
        p.q.push_back(q);
        p.v.push_back(v);
        p.tau.push_back(tau);
    }
    p.none = KDL::Wrenches(n, KDL::Wrench::Zero());
    p.out = p.zero = p.force = KDL::JntArray(n);
    p.limit = KDL::JntArray(1);
    p.M = KDL::JntSpaceInertiaMatrix(n);
    p.alpha = KDL::Jacobian(1);
    KDL::SetToZero(p.alpha);
    const KDL::Vector gravity(0, 0, -9.81);
    KDL::ChainIdSolver_RNE id(p.chain, gravity);
    KDL::ChainHdSolver_Vereshchagin hd(p.chain, KDL::Twist(-gravity, KDL::Vector::Zero()), 1);
    p.inverse = &id;
    p.recursion = &hd;
    report(&p, "ID", inverse);
    report(&p, "FD, recursion", recursion);
    if (n > 1000)
        return; // the others need n x n matrices
    KDL::ChainFdSolver_RNE fd(p.chain, gravity);
    KDL::ChainDynParam parameters(p.chain, gravity);
    p.forward = &fd;
    p.mass = &parameters;
    report(&p, "FD", forward);
    report(&p, "M", mass);
}

int main()
{
    for (int n : {6, 12, 100, 1000, 10000})
        measure(n);
}
