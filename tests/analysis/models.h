/* models.h: scripts that several tests of analyses use. */
#ifndef DFL_TESTS_ANALYSIS_MODELS_H
#define DFL_TESTS_ANALYSIS_MODELS_H

/* Two masses 1 on rods of length 1, in Cartesian coordinates; horizontal forces as inputs. */
static const char *const double_pendulum =
    "local g = param('g', 9.81)\n"
    "local x1, y1, x2, y2 = position('x1', 'y1', 'x2', 'y2')\n"
    "kinetic((velocity(x1)^2 + velocity(y1)^2 + velocity(x2)^2 + velocity(y2)^2)/2)\n"
    "potential(g*(y1 + y2))\n"
    "constraint('upper', x1^2 + y1^2 - 1)\n"
    "constraint('lower', (x2 - x1)^2 + (y2 - y1)^2 - 1)\n"
    "force(velocity(x1), input('F1', 0)) force(velocity(x2), input('F2', 0))\n"
    "output('a', x1) output('b', x2)\n"
    "guess{ x1 = 0, y1 = -1, x2 = 0, y2 = -2 }\n";

/* shared problem slidercrank, with a spring of 50 N/m at rest at x = 0.3, a damper of 0.5 Ns/m, and
   a force on the slider and a torque on the crank as inputs; the crank's angle is alpha + beta -
   pi. */
static const char *const slider_crank =
    "local l1, l2, m1, m2, m3, g = 0.15, 0.30, 0.36, 0.151104, 0.075552, 9.81\n"
    "local x, al, be = position('x', 'alpha', 'beta')\n"
    "local xd, ad, bd = velocity(x), velocity(al), velocity(be)\n"
    "local vx, vy = xd - l2*sin(al)*ad, l2*cos(al)*ad\n"
    "local rx, ry = xd - l2/2*sin(al)*ad, l2/2*cos(al)*ad\n"
    "local cx, cy = vx - l1/2*sin(al + be)*(ad + bd), vy + l1/2*cos(al + be)*(ad + bd)\n"
    "kinetic(m3/2*xd^2 + m2/2*(rx^2 + ry^2) + m2*l2^2/24*ad^2 + m1/2*(cx^2 + cy^2)\n"
    "        + m1*l1^2/24*(ad + bd)^2)\n"
    "local k = param('k', 50)\n"
    "potential(m2*g*l2/2*sin(al) + m1*g*(l2*sin(al) + l1/2*sin(al + be)) + k/2*(x - 0.3)^2)\n"
    "force(xd, -param('c', 0.5)*xd + input('F', 0))\n"
    "local T = input('T', 0)\n"
    "force(ad, T) force(bd, T)\n"
    "local gx = constraint('cx', x + l2*cos(al) + l1*cos(al + be))\n"
    "constraint('cy', l2*sin(al) + l1*sin(al + be))\n"
    "output('slider', x) output('crank', al + be - math.pi)\n"
    "guess{ x = 0.3, alpha = 3.6, beta = -1.8 }\n";

/* A mass 1 on a sphere of radius 1 in cylindrical coordinates, circling at the angle theta. */
#define SPHERICAL_PENDULUM(theta)                                                                  \
    "local r, z, phi = position('rho', 'z', 'phi')\n"                                              \
    "kinetic((velocity(r)^2 + velocity(z)^2 + r^2*velocity(phi)^2)/2)\n"                           \
    "potential(9.81*z)\n"                                                                          \
    "constraint('ball', r^2 + z^2 - 1)\n"                                                          \
    "local th = " theta "\n"                                                                       \
    "initial{ rho = math.sin(th), phi = 0.3, ['der(phi)'] = math.sqrt(9.81/math.cos(th)),\n"       \
    "         ['der(rho)'] = 0 }\n"                                                                \
    "guess{ z = -math.cos(th) }\n"

#endif
