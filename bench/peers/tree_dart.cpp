// DART on the models of tree_models.h: forward dynamics by articulated bodies, inverse dynamics, mass
// matrix. Velocities of a free base are in its own axes, angular ones first, as ours.
#include "../tree_report.h"

#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <string>
#include <vector>

using namespace dart::dynamics;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct peer {
    int shape, n;
    double bytes;
    SkeletonPtr skeleton;
    std::vector<BodyNode *> body;
    std::vector<long> at; // the first velocity of each body
    std::vector<VectorXd> q, v, tau, a;
    VectorXd out;
};

static Vector3d vec(const double *x)
{
    return Vector3d(x[0], x[1], x[2]);
}

static BodyNode *attach(peer &p, const tree_body &b)
{
    const std::string name = std::to_string(p.body.size());
    BodyNode *parent = b.parent < 0 ? nullptr : p.body[(size_t)b.parent];
    BodyNode::Properties body;
    Eigen::Matrix3d J;
    J << b.I[0], b.I[3], b.I[4], b.I[3], b.I[1], b.I[5], b.I[4], b.I[5], b.I[2];
    body.mName = "b" + name;
    body.mInertia = Inertia(b.m, vec(b.c), J);
    if (b.axis == TREE_FREE_AXIS) {
        FreeJoint::Properties joint;
        joint.mName = "j" + name;
        return p.skeleton->createJointAndBodyNodePair<FreeJoint>(parent, joint, body).second;
    }
    RevoluteJoint::Properties joint;
    joint.mName = "j" + name;
    joint.mAxis = Vector3d::Unit(b.axis);
    joint.mT_ParentBodyToJoint.translation() = vec(b.t);
    return p.skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, body).second;
}

static void make_skeleton(peer &p)
{
    std::vector<tree_body> bodies((size_t)p.n);
    tree_fill(bodies.data(), p.shape, p.n);
    const double heap = tree_heap();
    p.skeleton = Skeleton::create("tree");
    p.skeleton->setGravity(Vector3d(0, 0, -9.81));
    for (const tree_body &b : bodies)
        p.body.push_back(attach(p, b));
    for (BodyNode *body : p.body)
        p.at.push_back((long)body->getParentJoint()->getIndexInSkeleton(0));
    p.skeleton->computeForwardDynamics();
    p.bytes = tree_heap() - heap;
}

// Position, velocity and acceleration of the free base, in the coordinates of DART.
static void place_base(VectorXd &q, VectorXd &v, VectorXd &a, const tree_base &base)
{
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = Eigen::Quaterniond(base.quat[0], base.quat[1], base.quat[2], base.quat[3])
                     .toRotationMatrix();
    X.translation() = vec(base.pos);
    q.head<6>() = FreeJoint::convertToPositions(X);
    tree_to_base(v.data(), &base, base.w);
    tree_to_base(v.data() + 3, &base, base.v);
    tree_base_rest(a.data(), v.data(), v.data() + 3);
}

static void make_states(peer &p)
{
    const int free = p.shape == TREE_LEGS, revolute = p.n - free;
    const long nv = (long)p.skeleton->getNumDofs();
    std::vector<double> own(3 * (size_t)p.n);
    for (int k = 0; k < tree_states(p.n); k++) {
        VectorXd q = VectorXd::Zero(nv), v = q, tau = q, a = q;
        tree_base base;
        tree_state(&base, &own[0], &own[p.n], &own[2 * p.n], revolute, k);
        if (free)
            place_base(q, v, a, base);
        for (int i = 0; i < revolute; i++) {
            const long at = p.at[i + free];
            q[at] = own[i];
            v[at] = own[p.n + i];
            tau[at] = a[at] = own[2 * p.n + i];
        }
        p.q.push_back(q);
        p.v.push_back(v);
        p.tau.push_back(tau);
        p.a.push_back(a);
    }
}

static void forward(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    p->skeleton->setPositions(p->q[k]);
    p->skeleton->setVelocities(p->v[k]);
    p->skeleton->setForces(p->tau[k]);
    p->skeleton->computeForwardDynamics();
}

static void inverse(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    p->skeleton->setPositions(p->q[k]);
    p->skeleton->setVelocities(p->v[k]);
    p->skeleton->setAccelerations(p->a[k]);
    p->skeleton->computeInverseDynamics();
}

static void mass(void *user, int k)
{
    peer *p = static_cast<peer *>(user);
    p->skeleton->setPositions(p->q[k]);
    p->skeleton->getMassMatrix();
}

static int revolute_values(double *y, const peer *p)
{
    const int first = p->shape == TREE_LEGS;
    for (int i = first; i < p->n; i++)
        y[i - first] = p->out[p->at[i]];
    return p->n - first;
}

static int forward_values(double *y, void *user)
{
    peer *p = static_cast<peer *>(user);
    p->out = p->skeleton->getAccelerations();
    return revolute_values(y, p);
}

static int inverse_values(double *y, void *user)
{
    peer *p = static_cast<peer *>(user);
    p->out = p->skeleton->getForces();
    return revolute_values(y, p);
}

static int mass_values(double *y, void *user)
{
    peer *p = static_cast<peer *>(user);
    p->out = p->skeleton->getMassMatrix() * p->v[0];
    const int n = revolute_values(y, p);
    y[n] = p->out.dot(p->v[0]);
    return n + 1;
}

int main(int argc, char **argv)
{
    static const tree_task tasks[] = {{"FD", forward, forward_values, 1},
                                      {"ID", inverse, inverse_values, 1},
                                      {"M", mass, mass_values, 1}};
    int values;
    peer p;
    tree_arguments(&p.shape, &p.n, &values, argc, argv);
    make_skeleton(p);
    make_states(p);
    const tree_case c = {"DART", p.shape, p.n, (int)p.skeleton->getNumDofs(), p.bytes, &p};
    tree_report(&c, tasks, p.n <= TREE_MOST_DENSE ? 3 : 2, values);
}
