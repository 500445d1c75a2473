% The analyses: the same numbers as the program's, closed forms, round trips through Octave's own functions, errors.
% DRIFTLESS_PROGRAM names the program.
1;
function r = program(command, model, more)
    [status, said] = system(sprintf('"%s" %s "%s" --quiet --json %s', getenv('DRIFTLESS_PROGRAM'), command, model, more));
    check(status == 0, '%s %s: %s', command, model, said);
    r = jsondecode(said);
end
function wrong(text, f, varargin)
    fails('driftless:invalid', text, @() f(varargin{:}));
end
function z = numbers(list)
    z = complex([list.re], [list.im]).';
end

function yes = alike(a, b) % jsondecode rounds the last digit
    yes = isequal(size(a), size(b)) && all(abs(a(:) - b(:)) <= 4 * eps * abs(b(:)));
end

folder = tempname();
mkdir(folder);
crane = [folder, '/crane.lua'];
file = fopen(crane, 'w');
fputs(file, ["local M, m, g = param('M', 2), param('m', 1), 9.81\n", ...
             "local s, x, y = position('s', 'x', 'y')\n", ...
             "kinetic(M/2*velocity(s)^2 + m/2*(velocity(x)^2 + velocity(y)^2)) potential(m*g*y)\n", ...
             "constraint('rope', (x - s)^2 + y^2 - 1)\n", ...
             "force(velocity(s), input('drive', 0) - 0.3*velocity(s))\n", ...
             "output('load', x) guess{ s = 0, x = 0.3, y = -0.9 } simulate{ to = 1 }\n"]);
fclose(file);
at = struct('s', 0, 'x', 0, 'y', -1);

% equilibrium
e = driftless_equilibrium(crane, struct('at', at));
j = program('equilibrium', crane, '--at s=0,x=0,y=-1');
check(alike(e.state.lambda_rope, j.state.lambda_rope_) && abs(e.state.lambda_rope - 4.905) < 1e-12, 'the same reactions');

% equations that change are not judged
beat = [folder, '/beat.lua'];
file = fopen(beat, 'w');
fputs(file, "local x = position('x') mass(x, 1) force(x, -(4 + cos(4*time))*x) simulate{ to = 1 }\n");
fclose(file);
e = driftless_equilibrium(beat, struct());
m = driftless_modes(beat, struct());
check(strcmp(e.stability, 'not judged') && isnan(e.unstable) && strcmp(m.stability, 'not judged') && strcmp(e.kind, 'frozen'), 'what changes is not judged');
e = driftless_equilibrium(crane, struct('at', at));
check(strcmp(e.kind, 'equilibrium') && strcmp(e.stability, j.stability) && e.unstable == 0, 'and stability');
check(isequal(numel(e.names), numel(e.values), numel(fieldnames(j.state))), 'all variables and outputs');

% linearize: the program's matrices, and names
l = driftless_linearize(crane, struct('at', at, 'outputs', {{'x', 'der(s)'}}, 'set', struct('M', 3)));
j = program('linearize', crane, '--at s=0,x=0,y=-1 --outputs "x,der(s)" --set M=3');
check(alike(l.A, j.A) && alike(l.B, j.B(:)) && alike(l.C, j.C) && alike(l.D, j.D(:)), 'the same matrices');
check(isequal(l.states(:), j.states(:)) && isequal(l.outputs, {'x', 'der(s)'}) && isequal(l.inputs, {'drive'}), 'the same names');
check(isequal(l.C(1, strcmp(l.states, 'x')), 1), 'outputs are variables by name');
r = driftless_linearize(crane, struct('at', 't=0.4'));
check(strcmp(r.kind, 'frozen') && r.t == 0.4, 'at a time of a run');
check(isequal(driftless_linearize(crane, struct('at', {{'s', 0; 'x', 0; 'y', -1}})).A, driftless_linearize(crane, struct('at', at)).A), 'pairs');

% modes: those of Octave's eig, the closed form of the crane, shapes
m = driftless_modes(crane, struct('at', at));
l = driftless_linearize(crane, struct('at', at));
check(max(abs(sort(abs(m.eigenvalues)) - sort(abs(eig(l.A))))) < 1e-7, 'the eigenvalues are those of eig');
j = program('modes', crane, '--at s=0,x=0,y=-1');
check(alike(m.eigenvalues, numbers(j.eigenvalues)), 'the same as the program''s');
check(isequal(m.coordinates, {'s', 'x', 'y'}) && isequal(size(m.shapes), [3, 4]), 'shapes by coordinates');
check(abs(m.shapes(1, 4) / m.shapes(2, 4) - complex(j.shapes(4).re(1), j.shapes(4).im(1)) / ...
          complex(j.shapes(4).re(2), j.shapes(4).im(2))) < 1e-12, 'the shapes of the program');
check(isequal(m.hz, abs(imag(m.eigenvalues)) / (2 * pi)) || max(abs(m.hz - abs(imag(m.eigenvalues)) / (2 * pi))) < 1e-15, 'Hz');

% response: C (iw - A)^-1 B + D, computed here
omega = [0.5, 2, 7];
g = driftless_response(crane, struct('at', at, 'omega', omega, 'outputs', 'load,s'));
for k = 1:3
    wanted = g.C * ((1i * omega(k) * eye(4) - g.A) \ g.B) + g.D;
    check(norm(g.response(:, :, k) - wanted) < 1e-12 * norm(wanted), 'the response at %g rad/s', omega(k));
end
check(isequal(size(g.response), [2, 1, 3]) && isequal(g.omega, omega), 'by outputs, inputs, frequencies');

% lqr: the Riccati equation holds, with the gains of the program
k = driftless_lqr(crane, struct('at', at, 'state_weight', struct('s', 1, 'load', 10), 'input_weight', struct('drive', 0.1)));
j = program('lqr', crane, '--at s=0,x=0,y=-1 --state-weight s=1,load=10 --input-weight drive=0.1');
check(alike(k.K, reshape(j.K, 1, 4)) && isequal(k.inputs, {'drive'}) && k.uncontrollable == 0, 'the same gains');
check(max(abs(sort(real(k.poles)) - sort(real(eig(l.A - l.B * k.K))))) < 1e-9 && all(real(k.poles) < 0), 'poles of the closed loop');

% inverse, and its replay
push = [folder, '/push.lua'];
file = fopen(push, 'w');
fputs(file, "local x = position('x') kinetic(2/2*velocity(x)^2) force(x, input('push', 0) - 3*x) motion(x, sin(2*time)) simulate{ to = 1 }\n");
fclose(file);
i = driftless_inverse(push, struct('every', 0.01));
check(max(abs(i.columns.push - (3 - 8) * sin(2 * i.time))) < 1e-12, 'the force is that of the motion');
check(isequal(i.drives, {'push'}) && abs(i.peak - max(abs(i.columns.push))) < 1e-12 && isfield(i.columns, 'power_push'), 'drives by name');
check(numel(i.time) == 101 && isequal(size(i.values), [101, numel(i.names)]), 'rows');

% gradient: a mass that is slowed down, x(1) = a + v (1 - exp(-d)) / d; optimize finds its speed
slowed = [folder, '/slowed.lua'];
file = fopen(slowed, 'w');
fputs(file, ["local d, v = param('d', 2), param('v', 3) local x = position('x') mass(x, 1) force(x, -d*velocity(x))\n", ...
             "initial{ x = 0.5, [velocity(x)] = v } output('twice', 2*x) simulate{ to = 1, rtol = 1e-10 }\n", ...
             "optimize{ vary = { v = {1, 9} }, minimize = final((x - 4)^2) }\n"]);
fclose(file);
[value, gradient, names] = driftless_gradient(slowed, struct('of', {{'x', 'twice'}}, 'by', {{'v', 'd', 'initial(x)'}}));
slope = (1 - exp(-2)) / 2;
wanted = [slope, 3 * (exp(-2) / 2 - slope / 2), 1];
check(isequal(names.of, {'x'; 'twice'}) && isequal(names.by, {'v'; 'd'; 'initial(x)'}), 'names');
check(max(abs(value - [1; 2] * (0.5 + 3 * slope))) < 1e-9 && norm(gradient - [wanted; 2 * wanted]) < 1e-8, 'value and gradient');
[~, backwards] = driftless_gradient(slowed, struct('of', 'x', 'by', {{'v', 'd', 'initial(x)'}}, 'derivatives', 'adjoint', 'error_control', 'state'));
check(norm(backwards - wanted) < 1e-8, 'a sweep backwards');
wrong('there are auto, direct and adjoint', @driftless_gradient, slowed, struct('derivatives', 'sideways'));
[value, gradient] = driftless_gradient(slowed, struct('set', struct('v', 4)));
check(abs(value - 2 * (0.5 + 4 * slope)) < 1e-9 && isequal(size(gradient), [1, 2]), 'all outputs by all parameters');
o = driftless_optimize(slowed);
check(abs(o.best - 3.5 / slope) < 1e-6 && o.start == 3 && isequal(o.names, {'v'}) && o.converged && isnan(o.interval), 'the optimum');
check(driftless_optimize(slowed, struct('algorithm', 'bfgs', 'starts', 2)).runs > o.runs, 'options of the search');
wrong('for a fit alone', @driftless_optimize, slowed, struct('bootstrap', 20));
fitted = [folder, '/fitted.lua'];
file = fopen([folder, '/fitted.csv'], 'w');
fputs(file, "t,x\n1,2.1\n2,3.8\n3,6.1\n");
fclose(file);
file = fopen(fitted, 'w'); % x = v t, measured three times
fputs(file, ["local v = param('v', 3) local x = position('x') mass(x, 1) initial{ x = 0, [velocity(x)] = v } simulate{ to = 3 }\n", ...
             "optimize{ vary = { v = {1, 9} }, fit = { file = 'fitted.csv', x = 'x' } }\n"]);
fclose(file);
o = driftless_optimize(fitted, struct('bootstrap', 30, 'seed', 2, 'threads', 2));
check(abs(o.best - 28 / 14) < 1e-6 && o.low < o.best && o.best < o.high, 'intervals of a fit');
wrong('no parameter or input', @driftless_gradient, slowed, struct('by', 'nobody'));
wrong('says nothing about what to optimize', @driftless_optimize, push);

% files of the program: MAT and HDF5, in Octave's control package where it is installed
check(system(sprintf('"%s" linearize "%s" --at s=0,x=0,y=-1 --output "%s/l.mat"', getenv('DRIFTLESS_PROGRAM'), crane, folder)) == 0, 'written');
f = load([folder, '/l.mat']);
check(isequal(f.A, l.A) && isequal(f.B, l.B), 'a file holds the same');
if ~isempty(pkg('list', 'control'))
    pkg load control
    sys = ss(f.A, f.B, f.C, f.D);
    [magnitude, phase] = bode(sys, omega);
    check(max(abs(magnitude(:) - squeeze(g.magnitude(1, 1, :)))) < 1e-9, 'bode of the control package');
    check(norm(lqr(sys, diag([1, 10, 0, 0]), 0.1) - k.K) < 1e-6 * norm(k.K), 'lqr of the control package');
end

% errors
wrong('name the model', @driftless_modes);
wrong('name the model', @driftless_modes, 3);
wrong('cannot be opened', @driftless_modes, 'nowhere.lua');
wrong('must be a struct', @driftless_modes, crane, 3);
wrong('no variable ''z''', @driftless_linearize, crane, struct('at', struct('z', 1)));
wrong('no input ''u''', @driftless_linearize, crane, struct('inputs', 'u'));
wrong('no variable', @driftless_linearize, crane, struct('outputs', {{'load', 'nothing'}}));
wrong('there is no setting', @driftless_linearize, crane, struct('tolerance', 1));
wrong('there is no setting', @driftless_modes, crane, struct('omega_', 1));
wrong('did you mean', @driftless_modes, crane, struct('set', struct('MM', 1)));
wrong('give options.omega', @driftless_response, crane);
wrong('frequencies', @driftless_response, crane, struct('omega', 'high'));
wrong('give options.state_weight', @driftless_lqr, crane);
wrong('a number or a text', @driftless_lqr, crane, struct('state_weight', struct('s', [1, 2])));
wrong('no motion', @driftless_inverse, crane);
fails('driftless:not_converged', 'out of balance', @() driftless_equilibrium([getenv('DRIFTLESS_SOURCE'), '/tests/cli/driven.lua'], struct('set', struct('push', 1))));
for name = {'equilibrium', 'linearize', 'modes', 'response', 'lqr', 'inverse'}
    check(~isempty(strfind(evalc(['help driftless_', name{1}]), 'model script')), 'help driftless_%s', name{1});
end
confirm_recursive_rmdir(false, 'local');
rmdir(folder, 's');
