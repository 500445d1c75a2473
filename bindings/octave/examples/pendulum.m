% A pendulum in Cartesian coordinates, beside its exact solution. Run it with: octave-cli pendulum.m
% after addpath of the folder with geoms.m.
function pendulum()
    problem = struct('np', 2, 'nv', 2, 'nl', 1, 'eval', @equations);
    x0 = [0; 0; 0; 1; 0]; % lambda, velocity, position: at rest, the rod horizontal
    [t, x, info] = geoms(problem, linspace(0, 2, 5), x0, struct('rtol', 1e-9));

    % theta = 2 asin(k sn(K - w t)), k = sin(pi/4), w^2 = g / L
    sn = ellipj(ellipke(0.5) - sqrt(9.81) * t, 0.5);
    theta = 2 * asin(sqrt(0.5) * sn);
    fprintf('   t        x          y     rod force  error of x\n');
    fprintf('%4.1f %10.6f %10.6f %11.6f %10.1e\n', ...
            [t, x(:, 4:5), 2 * x(:, 1), abs(x(:, 4) - sin(theta))]');
    fprintf('largest violation of the constraint: %.1e\n', info.max_residual.position);
    if max(abs(x(:, 4) - sin(theta))) > 1e-7
        error('the solution is wrong');
    end
end

% p' = v, v' = f - W' lambda, 0 = g and its derivatives: gI = W v, 0 = W a + bias
function out = equations(t, x)
    v = x(2:3);
    p = x(4:5);
    out.kin = v;
    out.f = [0; -9.81];
    out.g = p' * p - 1;
    out.gI = 2 * (p' * v);
    out.W = 2 * p';
    out.bias = 2 * (v' * v);
end
