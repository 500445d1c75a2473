/* two_ways.h: mechanisms for the tests of both ways of evaluation, and scripts loaded for one of
   them. */
#ifndef DFL_TESTS_TWO_WAYS_H
#define DFL_TESTS_TWO_WAYS_H

#include "../scripted.h"

/* A mechanism in space with three kinds of joints; k is a parameter of its masses and lengths. */
#define SPACE                                                                                      \
    "local k = param('k', 1.3)\n gravity{0.5, -9.81, 0.3}\n"                                       \
    "local a = body('a', {mass = 2*k, com = {k/2, 0.1, 0},\n"                                      \
    "  inertia = {0.4, 0.5, 0.6, 0.02, 0.01, -0.03}})\n"                                           \
    "local b = body('b', {mass = 1, com = {1.4, 0, 0.2}, inertia = {0.3, 0.3, 0.4*k}})\n"          \
    "local c = body('c', {mass = 1.5, com = {2.2, 0.3, 0}, inertia = {0.2, 0.3, 0.4}})\n"          \
    "local ja = revolute('ja', ground, a, {at = {0, 0, 0}, axis = {0.2, 0.3, 1}})\n"               \
    "local jb = spherical('jb', a, b, {at = {k, 0, 0}})\n"                                         \
    "local jc = cylindrical('jc', b, c, {at = {2, 0, 0}, axis = {0, 1, 0.3}})\n"                   \
    "initial{[ja.q] = 0, [ja.qd] = 0}\n"

/* One in the plane. */
#define PLANE                                                                                      \
    "planar()\n gravity{0, -9.81}\n"                                                               \
    "local a = body('a', {mass = 2, com = {0.5, 0}, inertia = 0.3})\n"                             \
    "local b = body('b', {mass = 1, com = {1.5, 0.2}, inertia = 0.2})\n"                           \
    "local c = body('c', {mass = 1, com = {2, 0.5}, inertia = 0.1})\n"                             \
    "local ja = revolute('ja', ground, a, {at = {0, 0}})\n"                                        \
    "local jb = revolute('jb', a, b, {at = {1, 0}})\n"                                             \
    "local jc = prismatic('jc', b, c, {at = {2, 0}, axis = {1, 2}})\n"

/* A leaf without mass. */
#define MASSLESS                                                                                   \
    "local a = body('a', {mass = 1, com = {0, 1, 0}, inertia = {1, 1, 1}})\n"                      \
    "local b = body('b', {})\n gravity{1, 2, 3}\n"                                                 \
    "local j = revolute('j', ground, a, {at = {0, 0, 0}, axis = {0, 0, 1}})\n"                     \
    "local h = revolute('h', a, b, {at = {0, 0, 0}, axis = {0, 1, 0}})\n"                          \
    "torsion('t', h, {stiffness = 3, damping = 1})\n"                                              \
    "spring('s', ground, b, {from = {3, 1, 2}, to = {1, 0, 0}, stiffness = 2, damping = 0.3})\n"

static inline scripted load(const char *text, dfl_dynamics dynamics, const char *set)
{
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.dynamics = dynamics, .nset = set != NULL, .set = &set};
    scripted_expect(
        &s, dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), &options));
    scripted_expect(&s, scripted_prepare(&s));
    return s;
}

#endif
