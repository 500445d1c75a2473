% Whole runs of geoms against exact and reference solutions.

% the pendulum follows its exact solution: 1e-9 asked for, ten times that allowed over 2 s
[problem, x0] = pendulum_problem();
[t, x, info] = geoms(problem, [0, 2], x0, struct('rtol', 1e-9));
check(abs(x - pendulum_exact(t)) < 1e-7, 'every step of the pendulum is exact');
check(strcmp(info.status, 'completed') && t(end) == 2 && info.t == 2, 'it comes to the end');
check(numel(t) == info.statistics.accepted + 1, 'every step makes a row');
check(info.max_residual.position < 1e-10 && info.max_residual.velocity < 1e-7, 'it does not drift');
check(isequal(info.x, x(end, :)'), 'info.x is the last row');

% with its Jacobian no differences are taken, and the result is the same
problem.jacobian = @pendulum_jacobian;
[~, y, with] = geoms(problem, [0, 2], x0, struct('rtol', 1e-9, 'self_check', true));
check(with.statistics.difference_evaluations == 0, 'the Jacobian is used');
check(abs(y(end, :) - x(end, :)) < 1e-8, 'with the Jacobian the result is the same');

% backwards in time it comes back
[~, z] = geoms(problem, [2, 0], y(end, :), struct('rtol', 1e-9));
check(abs(z(end, 4:5) - [1, 0]) < 1e-7, 'the way back leads to the start');

% GEOMS's contract: forces of constraints in f, gII without accelerations
other = struct('np', 2, 'nv', 2, 'nl', 1, 'contract', 'geoms');
other.eval = @(t, x) struct('kin', x(2:3), 'f', [0; -9.81] - 2 * x(4:5) * x(1), ...
    'g', x(4:5)' * x(4:5) - 1, 'gI', 2 * x(4:5)' * x(2:3), ...
    'bias', 2 * x(4:5)' * ([0; -9.81] - 2 * x(4:5) * x(1)) + 2 * x(2:3)' * x(2:3));
[t, x] = geoms(other, [0, 1], x0, struct('rtol', 1e-9));
check(abs(x(end, :) - pendulum_exact(1)) < 1e-7, 'in the contract of GEOMS it is the same motion');

% M a and M a - f instead of M
times = rmfield(problem, 'jacobian');
times.mass_times = @(t, x, a) 3 * a;
[~, x] = geoms(times, [0, 1], x0);
heavy = rmfield(problem, 'jacobian');
heavy.mass = 3 * eye(2);
[~, y] = geoms(heavy, [0, 1], x0);
rest = rmfield(problem, 'jacobian');
rest.residual = @(t, x, a) 3 * a - [0; -9.81];
[~, z] = geoms(rest, [0, 1], x0);
check(abs(x(end, :) - y(end, :)) < 1e-6 & abs(z(end, :) - y(end, :)) < 1e-6, ...
      'mass, mass_times and residual say the same');

% the sleigh, nonholonomic, with W sparse: exact formulas of problems/sleigh.c
[problem, x0] = sleigh_problem();
[t, x, info] = geoms(problem, [0, 5], x0, struct('rtol', 1e-9));
V = sqrt(1 + 0.59);
d = atanh(1 / V);
check(abs(x(:, 4) - V / sqrt(0.59) ./ cosh(0.3 * V / 0.59 * t + d)) < 1e-7, 'the sleigh is exact');
check(abs(x(end, 5:7) - [2.027355835257945, 5.192610570775463, 1.606536865702769]) < 1e-7, ...
      'it ends where it must');
check(info.max_residual.nonholonomic < 1e-9, 'it does not slip');

% the top in quaternions: reference of problems/top.c at t = 0.5
[problem, x0] = top_problem();
[~, x, info] = geoms(problem, [0, 0.5], x0, struct('rtol', 1e-9));
check(abs(x(end, 10:16) - [0.08100784910099496, -0.2771138268962732, 0.4082225561221878, ...
      0.2914421622911466, 0.007993834766400183, 0.3028424383793323, -0.9073499998133293]) < 1e-7, ...
      'the top is where the reference is');
check(info.max_residual.invariant < 1e-9, 'the quaternion keeps its length');

% redundant constraints: the rod twice, the second time three times as large
[single, x0] = pendulum_problem();
double_rod = struct('np', 2, 'nv', 2, 'nl', 2);
double_rod.eval = @(t, x) setfield(setfield(setfield(setfield(single.eval(t, x(2:6)), ...
    'g', [1; 3] * (x(5:6)' * x(5:6) - 1)), 'gI', [1; 3] * 2 * x(5:6)' * x(3:4)), ...
    'W', [1; 3] * 2 * x(5:6)'), 'bias', [1; 3] * 2 * x(3:4)' * x(3:4));
[t, x, info] = geoms(double_rod, [0, 1], [0; x0], struct('rtol', 1e-9));
y = pendulum_exact(t);
check(abs(x(:, 3:6) - y(:, 2:5)) < 1e-7, 'a doubled rod changes nothing');
check(abs(x(:, 1) + 3 * x(:, 2) - y(:, 1)) < 1e-5, 'the forces add up');
check(info.statistics.rank_position == 1, 'the rank is one');
check(~isempty(strfind(info.messages{end}, 'redundant')), 'and info says so');
