% Rows, dense output, events, functions of a run, initial values.
1;
function stop = stop_at(t, limit)
    stop = t >= limit;
end
function count_call(t, x)
    global calls
    calls(end + 1) = t;
end

[problem, x0] = pendulum_problem();
tight = struct('rtol', 1e-10); % multipliers between steps have the error that the estimate allows

% more than two times: rows there, and only there
times = [0, 0.05, 0.3, 0.31, 0.9, 1];
[t, x, info] = geoms(problem, times, x0, tight);
check(isequal(t, times'), 'rows stand at the times of tspan');
check(abs(x - pendulum_exact(t)) < 1e-6, 'between steps the rows are exact as well');
[~, y, same] = geoms(problem, [0, 1], x0, tight);
check(isequal(x(end, :), y(end, :)), 'dense output does not change the run');
check(same.statistics.accepted == info.statistics.accepted, 'nor the steps');

% projected rows satisfy the constraint to rounding
[~, x] = geoms(problem, 0:0.05:1, x0);
[~, y] = geoms(problem, 0:0.05:1, x0, struct('project_output', true));
drift = @(x) max(abs(sum(x(:, 4:5) .^ 2, 2) - 1));
check(drift(y) < 1e-10 && drift(y) < drift(x) / 10, 'projected rows lie on the constraint');

% falling times
[t, x] = geoms(problem, [1, 0.5, 0], pendulum_exact(1), tight);
check(abs(x - pendulum_exact(t)) < 1e-6, 'times may fall');

% events: y' = 0 at the bottom, p_x = 0.5 ends the run
o = tight;
o.event = @(t, x) [x(4); x(4) + 0.5];
[~, ~, info] = geoms(problem, [0, 2], x0, o);
check(info.statistics.events == numel(info.events.t) && numel(info.events.t) == 4, 'four events');
quarter = ellipke(0.5) / sqrt(9.81);
check(abs(info.events.t(1) - quarter) < 1e-7, 'the bottom is reached after a quarter of the period');
check(isequal(info.events.event, [1; 2; 2; 1]), 'their numbers count from one');
check(isequal(info.events.direction, [-1; -1; 1; 1]), 'their directions are right');
check(abs(info.events.x(:, 4) - [0; -0.5; -0.5; 0]) < 1e-7, 'their states are there');

o.event_kinds = struct('direction', {1, 0}, 'terminal', {false, true});
[t, x, info] = geoms(problem, 0:0.1:2, x0, o);
check(strcmp(info.status, 'stopped'), 'a terminal event stops the run');
check(~isempty(strfind(info.message, 'event 2')), 'the message names it');
check(isequal(info.events.event, 2), 'the falling first event is ignored');
check(abs(x(end, 4) + 0.5) < 1e-7 && t(end) == info.t, 'the last row is the event');
check(abs(t(1:end - 1) - (0:0.1:t(end))') < 1e-12, 'all rows before it are there');
check(abs(x - pendulum_exact(t)) < 1e-6, 'and are exact');

o = struct('event', @(t, x) x(4), 'on_event', @(k, d, t, x) true);
[t, ~, info] = geoms(problem, [0, 2], x0, o);
check(t(end) < 1 && strcmp(info.status, 'stopped'), 'on_event may stop the run');

% on_step, on_output
global calls
calls = [];
[t, ~, info] = geoms(problem, [0, 1], x0, struct('every', 0.25, 'on_output', @count_call));
check(abs(calls - (0:0.25:1)) < 1e-12, 'on_output is called at the distance `every`');
[t, x, info] = geoms(problem, [0, 1], x0, struct('on_step', @(from, t, x) t > 0.3));
check(t(end) < 0.4 && strcmp(info.status, 'stopped') && ~isempty(strfind(info.message, 'on_step')), ...
      'on_step may stop the run');
[t, ~, info] = geoms(problem, [0, 1], x0, ...
                     struct('every', 0.1, 'on_output', @(t, x) stop_at(t, 0.45)));
check(t(end) < 0.6 && ~isempty(strfind(info.message, 'on_output')), 'on_output may stop the run');

% the log
calls = [];
geoms(problem, [0, 1], [0; 0; 0; 1.1; 0], struct('log', @(level, text) count_call(1, text)));
check(~isempty(calls), 'the log gets notices');

% initial values: projected, held, weighted, conditions, as given, checked
[~, ~, info] = geoms(problem, [0, 0.1], [0; 1; 1; 1.1; 0.2], tight);
p = info.initial.corrected(4:5);
check(abs(norm(p) - 1) < 1e-10 && abs(p' * info.initial.corrected(2:3)) < 1e-10, 'it is consistent');
check(abs(p - [1.1; 0.2] / norm([1.1; 0.2])) < 1e-2, 'and near what was given');
check(isequal(info.initial.given, [0; 1; 1; 1.1; 0.2]), 'which is kept');
check(~isempty(strfind(info.messages{1}, 'corrected')), 'a message says so');
[~, ~, info] = geoms(problem, [0, 0.1], [0; 1; 1; 0.6; 0.2], struct('held', 4));
check(info.initial.corrected(4) == 0.6 && abs(info.initial.corrected(5) - 0.8) < 1e-10, 'held is held');
check(isequal(info.initial.held, logical([0; 0; 0; 1; 0])), 'info says what was held');
[~, ~, also] = geoms(problem, [0, 0.1], [0; 1; 1; 0.6; 0.2], ...
                     struct('held', logical([0 0 0 1 0])));
check(isequal(also.initial, info.initial), 'flags do the same as numbers');
[~, ~, info] = geoms(problem, [0, 0.1], [0; 0; 0; 0.9; 0.6], struct('weight', [1 1 1 1e3 1]));
check(abs(info.initial.corrected(4) - 0.9) < 1e-3, 'a large weight holds nearly');
o = struct('condition', @(t, x) [x(4) - 0.6; x(2) - 1], 'unique', true);
[~, ~, info] = geoms(problem, [0, 0.1], [0; 0; 0; 1; 1], o);
check(abs(info.initial.corrected([2 4 5]) - [1; 0.6; 0.8]) < 1e-9, 'conditions are satisfied');
fails('driftless:inconsistent', '', @() geoms(problem, [0, 1], [0; 0; 0; 1.1; 0], ...
                                              struct('start', 'check')));
fails('driftless:inconsistent', '', @() geoms(problem, [0, 1], [0; 0; 0; 2; 0], struct('held', 4)));
[~, x] = geoms(problem, [0, 0.01], x0, struct('start', 'as_given'));
check(isequal(x(1, :), x0'), 'as_given changes nothing');

% a run that fails on its way
bad = problem;
bad.eval = @(t, x) setfield(problem.eval(t, x), 'f', [0; -9.81] / (t < 0.5));
[t, x, info] = geoms(bad, [0, 1], x0, struct('keep_partial', true));
check(strcmp(info.status, 'failed') && t(end) > 0.4 && t(end) <= 0.5, 'keep_partial keeps it');
check(strcmp(info.identifier, 'driftless:not_finite') && ~isempty(info.message), 'info says why');

% geoms inside a function of geoms
[~, x] = geoms(problem, [0, 0.2], x0, struct('on_step', @(from, t, x) isempty(geoms(problem, [0 0.01], x0))));
check(abs(x(end, :) - pendulum_exact(0.2)) < 1e-4, 'a function may call geoms');
