% Wrong inputs give errors with identifiers that say what to do; errors of the user come out as they are.
1;
function varargout = broken(varargin)
    error('user:broken', 'broken at %d', nargin);
end
function fails_with(problem, x0, field, value, text)
    problem.(field) = value;
    fails('driftless:callback', text, @() geoms(problem, [0, 1], x0));
end
function misfits(problem, x0, block, value, text)
    changed = problem;
    changed.eval = @(t, x) setfield(problem.eval(t, x), block, value);
    fails('driftless:callback', text, @() geoms(changed, [0, 1], x0));
end

[problem, x0] = pendulum_problem();
wrong = @(text, varargin) fails('driftless:invalid', text, @() geoms(varargin{:}));
option = @(text, varargin) fails('driftless:invalid', text, ...
                                 @() geoms(problem, [0, 1], x0, struct(varargin{:})));

% arguments
wrong('give a problem');
wrong('give a problem', problem, [0, 1]);
wrong('must be one struct', 3, [0, 1], x0);
wrong('must be one struct', [problem, problem], [0, 1], x0);
wrong('1 entries', problem, 1, x0);
wrong('tspan(2) is nan', problem, [0, NaN], x0);
wrong('tspan(3)', problem, [0, 1, 1], x0);
wrong('tspan(2)', problem, [1, 1], x0);
wrong('is cell', problem, {0, 1}, x0);
wrong('x0 is 4 x 1; it must be 5 x 1', problem, [0, 1], x0(1:4));
wrong('x0(2) is nan', problem, [0, 1], [0 NaN 0 1 0]);
wrong('complex', problem, [0, 1], [0 1i 0 1 0]);
wrong('is cell', problem, [0, 1], {1});
wrong('must be one struct', problem, [0, 1], x0, 'rtol');

% the problem
wrong('did you mean problem.trivial_kinematics', setfield(problem, 'trivial_kinematic', 1), [0, 1], x0);
wrong('there is no problem.zzzz', setfield(problem, 'zzzz', 1), [0, 1], x0);
wrong('problem.eval is missing', rmfield(problem, 'eval'), [0, 1], x0);
wrong('give a function handle', setfield(problem, 'eval', 'pendulum'), [0, 1], x0);
wrong('problem.np is -1', setfield(problem, 'np', -1), [0, 1], x0);
wrong('give a whole number', setfield(problem, 'np', 1.5), [0, 1], x0);
wrong('problem.nl is NaN', setfield(problem, 'nl', NaN), [0, 1], x0);
wrong('problem.mass must be', setfield(problem, 'mass', eye(3)), [0, 1], x0);
wrong('''native'' or ''geoms''', setfield(problem, 'contract', 'fortran'), [0, 1], x0);
wrong('true or false', setfield(problem, 'autonomous', 2), [0, 1], x0);
wrong('cell array of texts', setfield(problem, 'names', struct('p', 'xy')), [0, 1], x0);
wrong('problem.names.pp', setfield(problem, 'names', struct('pp', 1)), [0, 1], x0);
wrong('sparse', setfield(problem, 'pattern', ones(7, 5)), [0, 1], x0);
wrong('problem.bodies', setfield(problem, 'bodies', struct('firstv', 1)), [0, 1], x0);
wrong('', setfield(setfield(problem, 'mass', eye(2)), 'mass_times', @(t, x, a) a), [0, 1], x0);
wrong('psi1', setfield(problem, 'no_bias', true), [0, 1], x0);

% options
option('did you mean options.rtol', 'rtoll', 1);
option('did you mean options.max_step', 'maxstep', 1);
option('there is no options.qqqqqq', 'qqqqqq', 1);
option('rtol is 2', 'rtol', 2);
option('options.rtol(1) is -1', 'rtol', -1);
option('options.rtol(1) is nan', 'rtol', NaN);
option('options.rtol is 1 x 3; it must be 5 x 1, or one number', 'rtol', [1 1 1] * 1e-6);
option('options.atol(3)', 'atol', [1 1 0 1 1]);
option('options.safety is NaN', 'safety', NaN);
option('safety is 2', 'safety', 2);
option('give real numbers', 'safety', 'high');
option('''psf'', ''psi1'', ''eom''', 'form', 'gll');
option('''psf'', ''psi1'', ''eom''', 'form', 3);
option('''radau'', ''bdf''', 'integrator', 'rado');
option('whole number', 'newton_iterations', 2.5);
option('options.held', 'held', 6);
option('options.held', 'held', logical([1 0]));
option('options.weight(2)', 'weight', [1 0 1 1 1]);
option('options.weight is', 'weight', [1 2]);
option('function handle', 'event', 'name');
option('needs options.event', 'on_event', @(k, d, t, x) false);
option('options.event_kinds must be', 'event', @(t, x) x(4), 'event_kinds', struct('direction', {1, 1}));
option('options.event_kinds.terminall', 'event', @(t, x) x(4), 'event_kinds', struct('terminall', 1));
option('options.on_output', 'every', 0.1);
option('selectors = ''user''', 'select', @(varargin) 1);
option('select', 'selectors', 'user');
option('needs options.condition', 'start', 'conditions');
option('bodies', 'norm', 'body');

% results of the user's functions
misfits(problem, x0, 'g', [1; 2], 'the block g that problem.eval returns is 2 x 1; it must be 1 x 1');
misfits(problem, x0, 'W', [1; 2], 'the block W that problem.eval returns is 2 x 1; it must be 1 x 2');
misfits(problem, x0, 'f', {1}, 'the block f');
misfits(problem, x0, 'f', 1i * [1; 2], 'complex');
misfits(problem, x0, 'bias', 'a', 'the block bias');
fails_with(problem, x0, 'eval', @(t, x) 1, 'must return a struct of blocks');
fails_with(problem, x0, 'eval', @(t, x) struct('kin', [0; 0], 'ff', 1), 'returns no block');
fails_with(problem, x0, 'mass', @(t, x) eye(3), 'problem.mass returns is 3 x 3');
fails_with(problem, x0, 'mass_times', @(t, x, a) 1, 'problem.mass_times returns is 1 x 1');
fails_with(problem, x0, 'jacobian', @(t, x, a) struct('acc', zeros(1, 5)), 'problem.jacobian returns no block');
fails_with(problem, x0, 'jacobian', @(t, x, a) struct('acc', 1), 'the block acc');
missing = @(t, x) struct('kin', [0; 0], 'f', [0; 0], 'g', 0, 'gi', 0, 'W', [1 0], 'bias', 0);
fails_with(problem, x0, 'eval', missing, 'no block gI; did you mean it by gi?');
never = setfield(problem, 'eval', @(t, x) setfield(problem.eval(t, x), 'f', [NaN; 0]));
fails('driftless:not_finite', 'NaN', @() geoms(never, [0, 1], x0));
fails('driftless:callback', 'options.event', @() geoms(problem, [0, 1], x0, struct('event', @(t, x) {1})));
fails('driftless:callback', 'event 1 is nan', @() geoms(problem, [0, 1], x0, struct('event', @(t, x) NaN)));
fails('driftless:callback', 'options.event returns is', ...
      @() geoms(problem, [0, 1], x0, struct('event', @(t, x) ones(1 + (t > 0.1), 1))));
fails('driftless:callback', 'options.select', @() geoms(problem, [0, 1], x0, ...
      struct('selectors', 'user', 'select', @(nfp, nfv, t, x) deal(1, 1))));

% failures of the run
fails('driftless:too_many_steps', '', @() geoms(problem, [0, 1], x0, struct('max_steps', 5)));
fails('driftless:invalid', 'gI', @() geoms(setfield(problem, 'eval', ...
      @(t, x) setfield(problem.eval(t, x), 'gI', x(4:5)' * x(2:3))), [0, 1], [0 0 1 1 0.1], ...
      struct('self_check', true)));

% errors in the user's functions: the same identifier, the same text, and all is usable afterwards
for field = {'eval', 'mass', 'mass_times', 'residual', 'jacobian'}
    fails('user:broken', 'broken at', @() geoms(setfield(problem, field{1}, @broken), [0, 1], x0));
end
for field = {'on_step', 'event', 'condition', 'log'}
    fails('user:broken', 'broken at', @() geoms(problem, [0, 1], [0 0 0 1.1 0], struct(field{1}, @broken)));
end
fails('user:broken', 'broken at 2', @() geoms(problem, [0, 1], x0, struct('every', 0.1, 'on_output', @broken)));
fails('user:broken', 'broken at 4', @() geoms(problem, [0, 1], x0, ...
      struct('event', @(t, x) x(4) - 0.5, 'on_event', @broken)));
fails('user:broken', 'broken at 4', @() geoms(problem, [0, 1], x0, ...
      struct('selectors', 'user', 'select', @broken)));
late = setfield(problem, 'eval', @(t, x) problem.eval(t, x(1:5 - (t > 0.5))));
try
    geoms(late, [0, 1], x0);
catch raised
    check(~isempty(strfind(raised.message, 'index (5')) || ~isempty(strfind(raised.message, 'out of bound')), ...
          'an error in the middle of a run comes out');
    check(~isempty(raised.stack), 'with the place where it happened');
end
[~, x] = geoms(problem, [0, 1], x0);
check(abs(x(end, :) - pendulum_exact(1)) < 1e-4, 'after all that a run still works');

% nothing is kept after errors: the process does not grow (one leaked solver has 20 KiB, 400 of them 8 MiB)
pages = @() str2double(strsplit(fileread('/proc/self/statm'), ' '){2});
if exist('/proc/self/statm', 'file')
    for k = 1:250
        if k == 50
            before = pages();
        end
        try, geoms(problem, [0, 1], x0, struct('on_step', @(from, t, x) error('stop'))); end
        try, geoms(problem, [0, 1], x0, struct('rtoll', 1)); end
    end
    check(pages() - before < 500, 'errors leave no memory behind');
end
