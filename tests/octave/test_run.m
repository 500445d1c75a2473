% driftless_run: the same numbers as the program's, bit by bit; options, events, errors.
% DRIFTLESS_PROGRAM and DRIFTLESS_SOURCE name the program and the source tree.
1;
function [names, data] = program_csv(program, model, more)
    file = [tempname(), '.csv'];
    [status, said] = system(sprintf('"%s" run "%s" --quiet --output "%s" %s 2>&1', program, model, file, more));
    check(status == 0, '%s runs %s: %s', program, model, said);
    text = fopen(file);
    names = strsplit(fgetl(text), ',');
    fclose(text);
    data = dlmread(file, ',', 1, 0);
    unlink(file);
end
function wrong(text, varargin)
    fails('driftless:invalid', text, @() driftless_run(varargin{:}));
end

program = getenv('DRIFTLESS_PROGRAM');
source = getenv('DRIFTLESS_SOURCE');
examples = glob([source, '/examples/*.lua']);
check(numel(examples) > 10, 'there are examples');
for i = 1:numel(examples)
    r = driftless_run(examples{i}, struct('quiet', true));
    [names, data] = program_csv(program, examples{i}, '');
    check(isequal(names(2:end), r.names), '%s: the columns have the same names', examples{i});
    check(isequal(data(:, 1), r.time) && isequaln(data(:, 2:end), r.values), ...
          '%s: the same numbers', examples{i});
end

% options
pendulum = [source, '/examples/pendulum.lua'];
o = struct('to', 1.5, 'rtol', 1e-5, 'atol', 1e-7, 'every', 0.5, 'interpolate', true, 'form', 'psi1', 'method', 'radau5', ...
           'set', struct('m', 2, 'g', 9.81), 'evaluation', 'tape', 'max_step', 0.1, 'first_step', 1e-3);
r = driftless_run(pendulum, o);
[~, data] = program_csv(program, pendulum, ['--to 1.5 --rtol 1e-5 --atol 1e-7 --every 0.5 --interpolate --method radau5 ', ...
    '--form psi1 --set m=2 --set g=9.81 --evaluation tape --max-step 0.1 --first-step 1e-3']);
check(isequal(data, [r.time, r.values]), 'options are those of the program');
check(isequal(r.columns.x, r.values(:, 1)) && isequal(r.columns.der_y, r.values(:, 4)) && ...
      isequal(r.columns.lambda_rod, r.values(:, 5)), 'columns have names');
check(strcmp(r.form, 'psi1') && strcmp(r.method, 'radau5') && strcmp(r.model, 'pendulum'), 'r says how');
check(isnan(r.max_residual.acceleration) && r.max_residual.position < 1e-5, 'and how well');
check(r.statistics.accepted > 10 && strcmp(r.status, 'completed') && isempty(r.message), 'and that it ended');
check(isequal(r.initial.given, [1 0 0 0 0]) && isequal(r.initial.held, logical([1 1 0 0 0])) && ...
      isequal(r.initial.corrected, r.values(1, :)), 'initial values are there');
usual = driftless_run(pendulum, rmfield(o, 'set'));
check(max(abs(usual.columns.x - r.columns.x)) > 0.1, 'parameters are set');
s = driftless_run(pendulum, setfield(o, 'set', {'m', 2; 'g', 9.81}));
check(isequal(s.values, r.values), 'pairs set parameters as well');
s = driftless_run(pendulum, struct('to', 0.1, 'fixed_step', 0.01, 'every', []));
check(s.statistics.accepted == 10, 'fixed_step is used, empty is silent');
s = driftless_run(pendulum, struct('from', 1, 'to', 2, 'every', 0.5));
check(isequal(s.time, [1; 1.5; 2]), 'from is used');

% an event
r = driftless_run([source, '/tests/cli/events.lua'], struct('quiet', true));
check(numel(r.events.time) == numel(r.events.name) && ~isempty(r.events.name), 'events have names');

% errors
wrong('name the model', 3);
wrong('name the model', '');
wrong('cannot be opened', 'nowhere.lua');
wrong('did you mean options.rtol', pendulum, struct('rtl', 1));
wrong('options.rtol is -1', pendulum, struct('rtol', -1));
wrong('rtol is 2', pendulum, struct('rtol', 2));
wrong('options.to is NaN', pendulum, setfield(struct(), 'to', NaN));
wrong('options.form: there is no ''psg''', pendulum, struct('form', 'psg'));
wrong('give a text', pendulum, struct('form', 3));
wrong('whole number', pendulum, struct('max_steps', 1.5));
wrong('options.set LL=1', pendulum, struct('set', struct('LL', 1)));
wrong('did you mean ''L''', pendulum, struct('set', struct('LL', 1)));
wrong('options.set', pendulum, struct('set', 3));
wrong('options.set: L', pendulum, struct('set', struct('L', 'long')));
wrong('no length', pendulum, struct('to', 0));
wrong('broken.lua:', [source, '/tests/cli/broken.lua']);
fails('driftless:too_many_steps', '', @() driftless_run(pendulum, struct('max_steps', 5)));
r = driftless_run(pendulum, struct('max_steps', 5, 'keep_partial', true));
check(strcmp(r.status, 'failed') && numel(r.time) > 0 && strcmp(r.identifier, 'driftless:too_many_steps'), ...
      'keep_partial keeps what there is');
fails('driftless:inconsistent', '', @() driftless_run([source, '/tests/cli/conflict.lua'], struct('to', 1)));

% help texts are found
check(~isempty(strfind(evalc('help geoms'), 'without drift')), 'help geoms');
check(~isempty(strfind(evalc('help driftless_run'), 'model script')), 'help driftless_run');
