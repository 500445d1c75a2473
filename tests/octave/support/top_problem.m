% The heavy top in quaternions with |q| = 1 as invariant: problems/top.c. x = [lambda; v; p]
function [problem, x0] = top_problem()
    problem = struct('np', 7, 'nv', 6, 'nl', 3, 'nep', 1, 'eval', @blocks, ...
                     'mass', [1 1 1 1 1 0.4], 'autonomous', true);
    x0 = [0; 0; 0; 0; 0; 0; 0; 0; 20; 0; -0.2397127693021015; 0.4387912809451864; ...
          0.9689124217106448; 0.2474039592545229; 0; 0];
end

function out = blocks(t, x)
    v = x(4:6);
    w = x(7:9);
    q = x(13:16);
    [a, b, n] = axes_of(q);
    out.kin = [v; rate(q, w)];
    out.f = [0; 0; -9.81; 0.6 * w(2) * w(3); -0.6 * w(1) * w(3); 0];
    out.g = x(10:12) - 0.5 * n;
    out.ep = q' * q - 1;
    out.gI = v + 0.5 * (w(1) * b - w(2) * a);
    out.W = [eye(3), 0.5 * b, -0.5 * a, zeros(3, 1)];
    out.bias = 0.5 * ((w(1)^2 + w(2)^2) * n - w(3) * (w(1) * a + w(2) * b));
end

% The columns of the rotation matrix.
function [a, b, n] = axes_of(q)
    a = [q(1)^2 + q(2)^2 - q(3)^2 - q(4)^2; 2 * (q(2) * q(3) + q(1) * q(4)); ...
         2 * (q(2) * q(4) - q(1) * q(3))];
    b = [2 * (q(2) * q(3) - q(1) * q(4)); q(1)^2 - q(2)^2 + q(3)^2 - q(4)^2; ...
         2 * (q(3) * q(4) + q(1) * q(2))];
    n = [2 * (q(2) * q(4) + q(1) * q(3)); 2 * (q(3) * q(4) - q(1) * q(2)); ...
         q(1)^2 - q(2)^2 - q(3)^2 + q(4)^2];
end

function d = rate(q, w)
    d = 0.5 * [-q(2) * w(1) - q(3) * w(2) - q(4) * w(3); q(1) * w(1) + q(3) * w(3) - q(4) * w(2); ...
               q(1) * w(2) + q(4) * w(1) - q(2) * w(3); q(1) * w(3) + q(2) * w(2) - q(3) * w(1)];
end
