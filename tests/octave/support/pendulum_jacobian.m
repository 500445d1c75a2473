% The derivatives of the pendulum's blocks.
function J = pendulum_jacobian(t, x, a)
    v = x(2:3);
    p = x(4:5);
    J.acc = [0, 4 * v', 2 * a'];
    J.vel = [2 * p', 2 * v'];
    J.pos = 2 * p';
    J.dyn = [-2 * p, zeros(2), -2 * x(1) * eye(2)];
    J.kin = [eye(2), zeros(2)];
end
