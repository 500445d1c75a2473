/* quaternion.c: rotation matrix and kinematics of a quaternion, with derivatives. */
#include "quaternion.h"

#include <string.h>

void quaternion_axes(double R[9], const double q[4])
{
    const double q00 = q[0] * q[0], q11 = q[1] * q[1], q22 = q[2] * q[2], q33 = q[3] * q[3];
    R[0] = q00 + q11 - q22 - q33;
    R[1] = 2.0 * (q[1] * q[2] + q[0] * q[3]);
    R[2] = 2.0 * (q[1] * q[3] - q[0] * q[2]);
    R[3] = 2.0 * (q[1] * q[2] - q[0] * q[3]);
    R[4] = q00 - q11 + q22 - q33;
    R[5] = 2.0 * (q[2] * q[3] + q[0] * q[1]);
    R[6] = 2.0 * (q[1] * q[3] + q[0] * q[2]);
    R[7] = 2.0 * (q[2] * q[3] - q[0] * q[1]);
    R[8] = q00 - q11 - q22 + q33;
}

void quaternion_axes_derivative(double dR[3][12], const double q[4])
{
    const double q0 = 2.0 * q[0], q1 = 2.0 * q[1], q2 = 2.0 * q[2], q3 = 2.0 * q[3];
    const double all[3][12] = {{q0, q3, -q2, q1, q2, q3, -q2, q1, -q0, -q3, q0, q1},
                               {-q3, q0, q1, q2, -q1, q0, q1, q2, q3, -q0, -q3, q2},
                               {q2, -q1, q0, q3, -q0, -q1, q0, q3, -q2, q1, q2, q3}};
    memcpy(dR, all, sizeof all);
}

void quaternion_rate(double dq[4], const double q[4], const double w[3])
{
    dq[0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
    dq[1] = 0.5 * (q[0] * w[0] - q[3] * w[1] + q[2] * w[2]);
    dq[2] = 0.5 * (q[3] * w[0] + q[0] * w[1] - q[1] * w[2]);
    dq[3] = 0.5 * (-q[2] * w[0] + q[1] * w[1] + q[0] * w[2]);
}

void quaternion_rate_matrix(double Q[12], const double q[4])
{
    const double q0 = 0.5 * q[0], q1 = 0.5 * q[1], q2 = 0.5 * q[2], q3 = 0.5 * q[3];
    const double all[12] = {-q1, q0, q3, -q2, -q2, -q3, q0, q1, -q3, q2, -q1, q0};
    memcpy(Q, all, sizeof all);
}

void quaternion_rate_derivative(double D[16], const double w[3])
{
    const double w0 = 0.5 * w[0], w1 = 0.5 * w[1], w2 = 0.5 * w[2];
    const double all[16] = {0.0, w0, w1,  w2,  -w0, 0.0, -w2, w1,
                            -w1, w2, 0.0, -w0, -w2, -w1, w0,  0.0};
    memcpy(D, all, sizeof all);
}
