% The Chaplygin sleigh on a knife edge, nonholonomic: problems/sleigh.c. x = [mu; x' y' phi'; x y phi]
function [problem, x0] = sleigh_problem()
    problem = struct('np', 3, 'nv', 3, 'nm', 1, 'eval', @blocks, 'mass', @mass, ...
                     'trivial_kinematics', true);
    x0 = [0; 1; 0; 1; 0; 0; 0];
end

function out = blocks(t, x, need)
    s = sin(x(7));
    c = cos(x(7));
    out = struct();
    if need.force
        out.f = 0.3 * x(4)^2 * [c; s; 0];
    end
    if need.velocity
        out.hv = c * x(3) - s * x(2);
    end
    if need.directions
        out.W = sparse([-s, c, 0]);
    end
    if need.bias
        out.bias = -(c * x(2) + s * x(3)) * x(4);
    end
end

function M = mass(t, x)
    s = 0.3 * sin(x(7));
    c = 0.3 * cos(x(7));
    M = [1, 0, -s; 0, 1, c; -s, c, 0.59];
end
