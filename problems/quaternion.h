/* quaternion.h: rotations by a quaternion q = (q0, q1, q2, q3), scalar first, not necessarily of
   length 1: R(q) is then |q|^2 times a rotation. w is the angular velocity in the body frame. */
#ifndef DFL_PROBLEMS_QUATERNION_H
#define DFL_PROBLEMS_QUATERNION_H

/* R (3 x 3, column-major): its columns are the body axes. */
void quaternion_axes(double R[9], const double q[4]);

/* dR[k]: the derivative of column k of R with respect to q, 3 x 4, column-major. */
void quaternion_axes_derivative(double dR[3][12], const double q[4]);

/* q' = Q(q) w, which keeps |q|, and R' = R w~. */
void quaternion_rate(double dq[4], const double q[4], const double w[3]);

/* Q(q), 4 x 3, column-major. */
void quaternion_rate_matrix(double Q[12], const double q[4]);

/* The derivative of Q(q) w with respect to q, 4 x 4, column-major. */
void quaternion_rate_derivative(double D[16], const double w[3]);

#endif
