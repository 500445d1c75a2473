/* Simbody (libsimbody-dev): every joint has its mobilizer. Speeds of balls and free bodies are in axes
   of the parent there: u = R v, so that M and the forces are transformed, and R v of a free body has
   the rate R (v' + omega x v). */
#include "peer.h"

#include <Simbody.h>

#include <cmath>
#include <vector>

using namespace SimTK;

const char *const peer_name = "Simbody";

bool peer_has(dfl_joint_kind)
{
    return true;
}

static Vec3 vec(const double *x)
{
    return Vec3(x[0], x[1], x[2]);
}

/* Axes with `first` along axis and `second` along axis2, or any where axis2 is zero. */
static Rotation axes(const dfl_joint &joint, CoordinateAxis first, CoordinateAxis second)
{
    const Vec3 a = vec(joint.axis), b = vec(joint.axis2);
    if (a.norm() == 0.0)
        return Rotation();
    return b.norm() > 0.0 ? Rotation(UnitVec3(a), first, b, second) : Rotation(UnitVec3(a), first);
}

static MobilizedBody attach(MobilizedBody &parent, const Body &body, const dfl_joint &joint)
{
    const Vec3 at = vec(joint.at);
    const Transform along_z(axes(joint, ZAxis, XAxis), at), plain(at);
    switch (joint.kind) {
    case DFL_JOINT_FIXED:
        return MobilizedBody::Weld(parent, plain, body, plain);
    case DFL_JOINT_REVOLUTE:
        return MobilizedBody::Pin(parent, along_z, body, along_z);
    case DFL_JOINT_PRISMATIC: {
        const Transform along_x(axes(joint, XAxis, YAxis), at);
        return MobilizedBody::Slider(parent, along_x, body, along_x);
    }
    case DFL_JOINT_SCREW:
        return MobilizedBody::Screw(parent, along_z, body, along_z, joint.lead);
    case DFL_JOINT_CYLINDRICAL:
        return MobilizedBody::Cylinder(parent, along_z, body, along_z);
    case DFL_JOINT_UNIVERSAL: {
        const Transform cross(axes(joint, XAxis, YAxis), at);
        return MobilizedBody::Universal(parent, cross, body, cross);
    }
    case DFL_JOINT_PLANAR:
        return MobilizedBody::Planar(parent, along_z, body, along_z);
    case DFL_JOINT_TRANSLATION:
        return MobilizedBody::Translation(parent, plain, body, plain);
    case DFL_JOINT_SPHERICAL:
        return MobilizedBody::Ball(parent, plain, body, plain);
    default:
        return MobilizedBody::Free(parent, plain, body, plain);
    }
}

/* One joint of a state: coordinates are set; its part of T (u = T v) and of the rate T' v is filled. */
static void place(State &state, const MobilizedBody &body, const dfl_joint &joint,
                  const double *p, const double *v, int first, Matrix &T, Vector &turning)
{
    const int u = body.getFirstUIndex(state), n = body.getNumU(state);
    if (n == 0)
        return;
    const bool ball = joint.kind == DFL_JOINT_SPHERICAL, free = joint.kind == DFL_JOINT_FREE;
    const bool planar = joint.kind == DFL_JOINT_PLANAR; /* there: angle, x, y */
    for (int i = 0; i < n && !ball && !free; i++) {
        const int own = planar ? (i + 2) % 3 : i;
        body.setOneQ(state, i, p[own]);
        T(u + i, first + own) = 1.0;
    }
    if (!ball && !free)
        return;
    const double *e = free ? p + 3 : p;
    const Rotation R(Quaternion(Vec4(e[0], e[1], e[2], e[3])));
    body.setQToFitRotation(state, R);
    if (free)
        body.setQToFitTranslation(state, vec(p));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            T(u + i, first + k) = R[i][k];
            if (free)
                T(u + 3 + i, first + 3 + k) = R[i][k];
        }
    const Vec3 rate = free ? R * (vec(v) % vec(v + 3)) : Vec3(0);
    for (int i = 0; i < 3 && free; i++)
        turning[u + 3 + i] = rate[i];
}

static void compute(const peer_result &out, const dfl_multibody_description &tree, const peer_state &at)
{
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Force::Gravity gravity(forces, matter, vec(tree.gravity));
    std::vector<MobilizedBody> body;
    for (int i = 0; i < tree.nbodies; i++) {
        const dfl_rigid_body &b = tree.bodies[i];
        const Vec3 com = vec(b.com);
        const Inertia J(b.inertia[0], b.inertia[1], b.inertia[2], b.inertia[3], b.inertia[4],
                        b.inertia[5]);
        const Body::Rigid rigid(MassProperties(b.mass, com, J.shiftFromMassCenter(com, b.mass)));
        const int parent = tree.joints[i].parent;
        MobilizedBody root = matter.updGround();
        body.push_back(attach(parent < 0 ? root : body[(size_t)parent], rigid, tree.joints[i]));
    }
    State state = system.realizeTopology();
    system.realizeModel(state);
    const int n = at.nv;
    Matrix T(n, n, 0.0), M;
    Vector turning(n, 0.0), v(n, at.v), tau(n, at.tau), none(n, 0.0);
    for (int i = 0; i < tree.nbodies; i++)
        place(state, body[(size_t)i], tree.joints[i], at.p + at.joint_p[i], at.v + at.joint_v[i],
              at.joint_v[i], T, turning);
    state.updU() = T * v;
    system.realize(state, Stage::Dynamics);
    const Vector_<SpatialVec> &weight = gravity.getBodyForces(state);
    Vector bias, udot;
    Vector_<SpatialVec> accelerations;
    matter.calcM(state, M);
    matter.calcResidualForceIgnoringConstraints(state, none, weight, turning, bias);
    /* T is orthogonal: the force on v is T^T times that on u */
    matter.calcAccelerationIgnoringConstraints(state, T * tau, weight, udot, accelerations);
    const Matrix mass = ~T * M * T;
    const Vector own_bias = ~T * bias, own_a = ~T * (udot - turning);
    for (int i = 0; i < n; i++) {
        out.bias[i] = own_bias[i];
        out.a[i] = own_a[i];
        for (int j = 0; j < n; j++)
            out.M[i + j * n] = mass(i, j);
    }
}

int peer_compute(const peer_result *out, const dfl_multibody_description *tree, const peer_state *at)
{
    try {
        compute(*out, *tree, *at);
    } catch (const std::exception &failure) {
        std::printf("%s\n", failure.what());
        return 1;
    }
    return 0;
}
