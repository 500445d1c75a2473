% Every option reaches the solver: each of these changes what a run computes or how.
1;
function [Sp, Sv] = free_directions(nfp, nfv, t, x)
    p = x(4:5)';
    Sp = null(p)';
    Sv = Sp(1:nfv, :);
end

function c = run_trace(problem, x0, o)
    [t, x, info] = geoms(problem, [0, 1], x0, o);
    s = rmfield(info.statistics, {'seconds', 'longest_step'});
    c = {x(end, :), cell2mat(struct2cell(s)), numel(t)};
end

[problem, x0] = pendulum_problem();
trace = @(o) run_trace(problem, x0, o);
half = @(o) nthargout(2, @geoms, problem, [0, 0.5], x0, o); % before y turns back at the lowest point
usual = trace(struct());

changes = {'rtol', 1e-8; 'rtol', 1e-7 * ones(5, 1); 'atol', 1e-9; 'atol', [1e-3 1e-9 1e-9 1e-9 1e-9]; ...
           'order', 5; 'order', 13; 'form', 'psi1'; 'form', 'ggl'; 'form', 'partition'; 'integrator', 'bdf'; ...
           'integrator', 'explicit-pair'; 'selectors', 'unit'; 'algebraic', 'lu'; 'algebraic', 'svd'; ...
           'differential', 'qr'; 'rounding', 1e-10; 'reference', 'start'; 'reference', 'stage3'; ...
           'prediction', 'constant'; 'control', 'classical'; 'newton_iterations', 2; ...
           'newton_tolerance', 1e-6; 'multiplier_weight', 1e-3; 'jacobian_reuse', -1; ...
           'first_step', 2e-4; 'max_step', 0.01; 'fixed_step', 0.02; 'safety', 0.5; ...
           'min_factor', 0.8; 'max_factor', 1.5; 'carry_accelerations', true};
for i = 1:size(changes, 1)
    found = trace(struct(changes{i, 1}, {changes{i, 2}}));
    check(~isequal(found, usual), 'options.%s has an effect', changes{i, 1});
    check(abs(found{1}(4:5) - usual{1}(4:5)) < 1e-2, 'options.%s still gives the motion', changes{i, 1});
end

kept = struct('reference', 'start', 'jacobian_reuse', 0.5);
check(~isequal(trace(setfield(kept, 'keep_high', 3)), trace(kept)), 'options.keep_high has an effect');
check(~isequal(trace(setfield(kept, 'keep_low', 0.3)), trace(kept)), 'options.keep_low has an effect');

baumgarte = struct('form', 'baumgarte');
for option = {{'baumgarte_alpha', 3}, {'baumgarte_beta', 4}}
    check(~isequal(trace(setfield(baumgarte, option{1}{:})), trace(baumgarte)), ...
          'options.%s has an effect', option{1}{1});
end
check(~isequal(trace(struct('form', 'pinv', 'lagged', true)), trace(struct('form', 'pinv'))), ...
      'options.lagged has an effect');
partition = struct('form', 'partition', 'fixed_step', 0.001);
x = half(setfield(partition, 'independent', [3 5]));
y = half(setfield(partition, 'independent', logical([0 0 1 0 1])));
fails('driftless:singular', 'p(2) do not determine', @() trace(setfield(partition, 'independent', [3 5])));
check(isequal(x, y), 'options.independent as numbers and as flags');
fails('driftless:invalid', 'independent', ...
      @() geoms(problem, [0, 1], x0, struct('form', 'partition', 'independent', 9)));

% empty and default values are the default
check(isequal(trace(struct('rtol', [], 'max_step', [])), usual), 'empty means the default');
same = {'form', 'psf'; 'selectors', 'orthogonal'; 'renewal', 'always'; 'algebraic', 'auto'; ...
        'norm', 'rms'; 'reference', 'default'; 'rtol', 1e-6; 'safety', 0.9; 'newton_updates', 1};
for i = 1:size(same, 1)
    check(isequal(trace(struct(same{i, :})), usual), 'options.%s = its default changes nothing', same{i, 1});
end
check(isequal(trace([]), usual), 'no options at all are the default');

% what some of them do
[~, ~, info] = geoms(problem, [0, 1], x0, struct('order', 9));
check(info.order == 9, 'the order is that of the option');
[t, ~, info] = geoms(problem, [0, 1], x0, struct('fixed_step', 0.02));
check(abs(diff(t) - 0.02) < 1e-12, 'fixed steps have their size');
[t, ~] = geoms(problem, [0, 1], x0, struct('max_step', 0.01));
check(diff(t) <= 0.01 + 1e-12, 'no step is longer than max_step');
[t, ~] = geoms(problem, [0, 1], x0, struct('first_step', 1e-3));
check(abs(t(2) - 1e-3) < 1e-12, 'the first step has its size');
[~, ~, info] = geoms(problem, [0, 1], x0, struct('form', 'psi1'));
check(isnan(info.max_residual.acceleration), 'psi1 has no acceleration level');
errors = [];
for rtol = [1e-4, 1e-6, 1e-8]
    [t, x] = geoms(problem, [0, 1], x0, struct('rtol', rtol));
    errors(end + 1) = max(abs(x(end, :) - pendulum_exact(1)));
end
check(errors(2) < errors(1) / 10 && errors(3) < errors(2) / 10, 'the error follows rtol');

% selectors of the user: an orthonormal basis of the free directions, as the default's
[~, x] = geoms(problem, [0, 1], x0, struct('selectors', 'user', 'select', @free_directions));
check(abs(x(end, :) - usual{1}) < 1e-4, 'selectors of the user are used');

% problem: flags, names, bodies, pattern
p = problem;
p.trivial_kinematics = true;
p.eval = @(t, x) rmfield(problem.eval(t, x), 'kin');
check(abs(run_trace(p, x0, struct()){1} - usual{1}) < 1e-5, 'with trivial kinematics kin is not needed');
p = problem;
p.bodies = struct('first_v', 1, 'nv', 2, 'first_p', 1, 'np', 2);
check(~isequal(run_trace(p, x0, struct('norm', 'body')), usual), 'the norm by bodies is used');
p = problem;
p.pattern = sparse([0 1 1 1 1; 0 1 1 1 1; 0 0 0 1 1; 1 0 0 1 1; 1 0 0 1 1; 0 1 0 0 0; 0 0 1 0 0]);
check(abs(run_trace(p, x0, struct()){1} - usual{1}) < 1e-6, 'a pattern gives the same motion');
p = problem;
p.no_bias = true;
p.eval = @(t, x) rmfield(problem.eval(t, x), 'bias');
check(abs(run_trace(p, x0, struct('form', 'psi1')){1}(4:5) - usual{1}(4:5)) < 1e-4, ...
      'psi1 needs no bias');
p = problem;
p.mass = [2; 2];
q = problem;
q.mass = @(t, x) [2; 2];
q.mass_diagonal = true;
q.mass_constant = true;
check(isequal(run_trace(p, x0, struct()){1}, run_trace(q, x0, struct()){1}), ...
      'the diagonal as numbers and as a function');
p = problem;
p.names = struct('g', {{'rod'}}, 'p', {{'px', 'py'}});
fails('driftless:inconsistent', 'px', @() geoms(p, [0, 1], [0; 0; 0; 2; 0.5], struct('held', 4)));
fails('driftless:inconsistent', 'rod', @() geoms(p, [0, 1], [0; 0; 0; 2; 0], struct('held', 4)));
