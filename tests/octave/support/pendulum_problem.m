% A point mass on a rod of length 1: x = [lambda; v; p], let go from the horizontal.
function [problem, x0] = pendulum_problem()
    problem = struct('np', 2, 'nv', 2, 'nl', 1, 'eval', @blocks, 'autonomous', true);
    x0 = [0; 0; 0; 1; 0];
end

function out = blocks(t, x)
    v = x(2:3);
    p = x(4:5);
    out.kin = v;
    out.f = [0; -9.81];
    out.g = p' * p - 1;
    out.gI = 2 * (p' * v);
    out.W = 2 * p';
    out.bias = 2 * (v' * v);
end
