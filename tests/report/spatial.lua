-- A crank about z drives a rocker about x through a coupler with ball joints: nothing is drawn by the script.
gravity{0, 0, -9.81}
local crank = body("crank", { mass = 1, com = {0.2, 0, 0}, inertia = {0.001, 0.02, 0.02} })
local coupler = body("coupler", { mass = 1, com = {0.4, 0.5, 0.25}, inertia = {0.1, 0.05, 0.1} })
local rocker = body("rocker", { mass = 1, com = {0.4, 1, 0.25}, inertia = {0.03, 0.03, 0.001} })
local bearing = revolute("bearing", ground, crank, { at = {0, 0, 0}, axis = {0, 0, 1} })
local ball = spherical("ball", crank, coupler, { at = {0.4, 0, 0} })
revolute("pivot", ground, rocker, { at = {0.4, 1, 0}, axis = {1, 0, 0} })
spherical("ball2", coupler, rocker, { at = {0.4, 1, 0.5} })
spring("return", ground, rocker, { from = {0.4, 1.6, 0}, to = {0.4, 1, 0.5}, stiffness = 20, damping = 1 })
frame("tool", rocker, { at = {0.4, 1, 0.5}, axis = {0, 1, 0} })
initial{ [bearing.qd] = 3 }
simulate{ to = 1, every = 0.02 }
