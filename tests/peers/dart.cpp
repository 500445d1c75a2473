/* DART (libdart-dev): velocities of balls and free bodies are in axes of the child as ours; there is no
   cylindrical joint, and the lead of a screw is per turn. */
#include "peer.h"

#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/DegreeOfFreedom.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlanarJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/ScrewJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/TranslationalJoint.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/dynamics/WeldJoint.hpp>

#include <string>
#include <vector>

using namespace dart::dynamics;
using Eigen::Vector3d;

const char *const peer_name = "DART";

bool peer_has(dfl_joint_kind kind)
{
    return kind != DFL_JOINT_CYLINDRICAL;
}

static Vector3d vec(const double *x)
{
    return Vector3d(x[0], x[1], x[2]);
}

/* Bodies have the axes and the origin of the drawing; both frames of a joint stand at its point. */
template <class J, class... Settings>
static BodyNode *attach_as(SkeletonPtr skeleton, BodyNode *parent, const dfl_joint &joint,
                           const BodyNode::Properties &body, Settings... settings)
{
    typename J::Properties named;
    named.mName = "to " + body.mName;
    auto made = skeleton->createJointAndBodyNodePair<J>(parent, named, body);
    for (size_t k = 0; k < made.first->getNumDofs(); k++)
        made.first->getDof(k)->setName(named.mName + std::to_string(k));
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.translation() = vec(joint.at);
    made.first->setTransformFromParentBodyNode(at);
    made.first->setTransformFromChildBodyNode(at);
    (settings(made.first), ...);
    return made.second;
}

static BodyNode *attach(SkeletonPtr skeleton, BodyNode *parent, const dfl_joint &joint,
                        const BodyNode::Properties &body)
{
    const Vector3d z = vec(joint.axis).normalized(), x = vec(joint.axis2).normalized();
    const auto axis = [z](auto *made) { made->setAxis(z); };
    switch (joint.kind) {
    case DFL_JOINT_FIXED:
        return attach_as<WeldJoint>(skeleton, parent, joint, body);
    case DFL_JOINT_REVOLUTE:
        return attach_as<RevoluteJoint>(skeleton, parent, joint, body, axis);
    case DFL_JOINT_PRISMATIC:
        return attach_as<PrismaticJoint>(skeleton, parent, joint, body, axis);
    case DFL_JOINT_SCREW: {
        const double turn = 2.0 * 3.14159265358979323846 * joint.lead;
        return attach_as<ScrewJoint>(skeleton, parent, joint, body, axis,
                                     [turn](ScrewJoint *made) { made->setPitch(turn); });
    }
    case DFL_JOINT_UNIVERSAL:
        return attach_as<UniversalJoint>(skeleton, parent, joint, body, [z, x](auto *made) {
            made->setAxis1(z);
            made->setAxis2(x);
        });
    case DFL_JOINT_PLANAR:
        return attach_as<PlanarJoint>(skeleton, parent, joint, body, [z, x](PlanarJoint *made) {
            made->setArbitraryPlane(x, z.cross(x));
        });
    case DFL_JOINT_TRANSLATION:
        return attach_as<TranslationalJoint>(skeleton, parent, joint, body);
    case DFL_JOINT_SPHERICAL:
        return attach_as<BallJoint>(skeleton, parent, joint, body);
    default:
        return attach_as<FreeJoint>(skeleton, parent, joint, body);
    }
}

static Eigen::VectorXd coordinates(const dfl_joint &joint, const double *p, int n)
{
    if (joint.kind != DFL_JOINT_SPHERICAL && joint.kind != DFL_JOINT_FREE)
        return Eigen::Map<const Eigen::VectorXd>(p, n);
    const double *e = joint.kind == DFL_JOINT_FREE ? p + 3 : p;
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = Eigen::Quaterniond(e[0], e[1], e[2], e[3]).normalized().toRotationMatrix();
    if (joint.kind == DFL_JOINT_SPHERICAL)
        return BallJoint::convertToPositions(X.linear());
    X.translation() = vec(p);
    return FreeJoint::convertToPositions(X);
}

int peer_compute(const peer_result *out, const dfl_multibody_description *tree, const peer_state *at)
{
    SkeletonPtr skeleton = Skeleton::create("tree");
    skeleton->setGravity(vec(tree->gravity));
    std::vector<BodyNode *> body;
    for (int i = 0; i < tree->nbodies; i++) {
        const dfl_rigid_body &b = tree->bodies[i];
        const double *J = b.inertia;
        BodyNode::Properties properties;
        Eigen::Matrix3d moment;
        moment << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
        properties.mName = "b" + std::to_string(i);
        properties.mInertia = Inertia(b.mass, vec(b.com), moment);
        const int parent = tree->joints[i].parent;
        body.push_back(attach(skeleton, parent < 0 ? nullptr : body[(size_t)parent],
                              tree->joints[i], properties));
    }
    const int n = at->nv;
    std::vector<int> ours((size_t)n); /* our velocity of each of theirs */
    Eigen::VectorXd tau(n);
    for (int i = 0; i < tree->nbodies; i++) {
        Joint *joint = body[(size_t)i]->getParentJoint();
        const int dofs = (int)joint->getNumDofs(), first = at->joint_v[i];
        if (dofs == 0)
            continue;
        joint->setPositions(coordinates(tree->joints[i], at->p + at->joint_p[i], dofs));
        joint->setVelocities(Eigen::Map<const Eigen::VectorXd>(at->v + first, dofs));
        for (int k = 0; k < dofs; k++) {
            ours[joint->getIndexInSkeleton((size_t)k)] = first + k;
            tau[(int)joint->getIndexInSkeleton((size_t)k)] = at->tau[first + k];
        }
    }
    const Eigen::MatrixXd M = skeleton->getMassMatrix();
    const Eigen::VectorXd bias = skeleton->getCoriolisAndGravityForces();
    skeleton->setForces(tau);
    skeleton->computeForwardDynamics();
    const Eigen::VectorXd a = skeleton->getAccelerations();
    for (int i = 0; i < n; i++) {
        out->bias[ours[(size_t)i]] = bias[i];
        out->a[ours[(size_t)i]] = a[i];
        for (int j = 0; j < n; j++)
            out->M[ours[(size_t)i] + ours[(size_t)j] * n] = M(i, j);
    }
    return 0;
}
