% DRIFTLESS_STEP  A model script that is advanced step by step, with inputs that change.
%
%   h = driftless_step('start', 'crane.lua')            a run at its consistent start
%   h = driftless_step('start', 'crane.lua', options)   options.set.NAME = value: parameters, inputs,
%                                                       settings; other fields as for driftless_run
%   driftless_step('advance', h, t)                     to time t
%   x = driftless_step('get', h, 'x')                   any column of results, input or parameter
%   driftless_step('set', h, 'F', 10)                   an input or a parameter, from now on
%   t = driftless_step('time', h)
%   names = driftless_step('names', h)                  of all values
%   b = driftless_step('save', h)                       the complete state, as bytes
%   driftless_step('restore', h, b)                     goes on from there
%   driftless_step('free', h)
%
% After 'set' the state moves onto the constraints with the least change. Failures are errors with
% identifiers as those of geoms; the run stays where it was.
%
% See also: driftless_run

function result = driftless_step(command, varargin)
    if nargin < 1
        error('driftless:invalid', 'driftless_step: give a command, see help driftless_step');
    end
    if strcmp(command, 'start')
        varargin = start_arguments(varargin{:});
    end
    [result, failure] = driftless_step_mex(command, varargin{:});
    if ~isempty(failure)
        error(failure{1}, 'driftless_step: %s', failure{2});
    end
end

% File, settings and values as texts NAME=VALUE.
function in = start_arguments(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_step: name the model''s file');
    end
    if nargin < 2
        options = struct();
    end
    set = {};
    if isfield(options, 'set')
        set = texts(options.set);
        options = rmfield(options, 'set');
    end
    in = {file, texts(options), set};
end

function list = texts(values)
    names = fieldnames(values);
    list = cell(1, numel(names));
    for i = 1:numel(names)
        value = values.(names{i});
        if ischar(value)
            list{i} = [names{i}, '=', value];
        else
            list{i} = sprintf('%s=%.17g', names{i}, value);
        end
    end
end
