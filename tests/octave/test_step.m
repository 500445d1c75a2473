% driftless_step: a run that lives between calls.
1;
source = getenv('DRIFTLESS_SOURCE');
pendulum = [source, '/examples/pendulum.lua'];

% the same states as a run with rows there
h = driftless_step('start', pendulum, struct('rtol', 1e-9, 'every', 0.5, 'to', 2, 'set', struct('g', 9.81)));
r = driftless_run(pendulum, struct('rtol', 1e-9, 'every', 0.5, 'to', 2, 'set', struct('g', 9.81)));
check(driftless_step('time', h) == 0, 'it begins at 0');
driftless_step('advance', h, 2);
check(driftless_step('get', h, 'x') == r.columns.x(end), 'the same bits as driftless_run');
check(driftless_step('get', h, 'g') == 9.81, 'parameters can be read');
check(any(strcmp(driftless_step('names', h), 'lambda(rod)')), 'names are those of results');

% saved and restored
b = driftless_step('save', h);
driftless_step('advance', h, 3);
x = driftless_step('get', h, 'x');
driftless_step('restore', h, b);
check(driftless_step('time', h) == 2, 'restored in time');
driftless_step('advance', h, 3);
check(driftless_step('get', h, 'x') == x, 'it goes on with the same bits');

% a parameter that changes: the rod stays a rod
driftless_step('set', h, 'L', 1.1);
check(abs(hypot(driftless_step('get', h, 'x'), driftless_step('get', h, 'y')) - 1.1) < 1e-12, 'on the rod');

% the options of driftless_run
k = driftless_step('start', pendulum, struct('set', {{'g', 1.62; 'm', 3}}, 'quiet', true, 'interpolate', true, ...
                                             'evaluation', 'tape', 'rtol', [], 'keep_partial', true));
check(driftless_step('get', k, 'g') == 1.62, 'set as a cell array');
driftless_step('free', k);
fails('driftless:invalid', 'one number', @() driftless_step('start', pendulum, struct('rtol', [1 2])));
fails('driftless:invalid', 'options.set', @() driftless_step('start', pendulum, struct('set', 3)));
fails('driftless:invalid', 'is no name', @() driftless_step('start', pendulum, struct('set', {{1, 2}})));

% an event stops a run, which is no error
file = [tempname(), '.lua'];
out = fopen(file, 'w');
fprintf(out, 'local x = position("x") mass(x, 1) initial{ x = 0, [velocity(x)] = 1 }\n');
fprintf(out, 'event("there", x - 1, { stop = true })\n');
fclose(out);
k = driftless_step('start', file);
check(~isempty(strfind(driftless_step('advance', k, 2), 'event ''there'' stopped')), 'stopped by an event');
check(abs(driftless_step('time', k) - 1) < 1e-9, 'where the event is');
check(isempty(driftless_step('advance', k, 2)) && driftless_step('time', k) == 2, 'and it goes on');
driftless_step('free', k);
delete(file);

% errors leave the run as it is
fails('driftless:invalid', 'no value', @() driftless_step('get', h, 'nothing'));
fails('driftless:invalid', 'neither an input nor a parameter', @() driftless_step('set', h, 'x', 1));
fails('driftless:invalid', 'which time', @() driftless_step('advance', h));
fails('driftless:invalid', 'no such command', @() driftless_step('dance', h));
fails('driftless:invalid', 'saved run', @() driftless_step('restore', h, uint8(zeros(1, 40))));
fails('driftless:invalid', 'setting', @() driftless_step('start', pendulum, struct('tolerance', 1)));
driftless_step('advance', h, 4);
driftless_step('free', h);
fails('driftless:invalid', 'no such run', @() driftless_step('time', h));
