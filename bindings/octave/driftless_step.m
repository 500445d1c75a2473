% DRIFTLESS_STEP  A model script that is advanced step by step, with inputs that change.
%
%   h = driftless_step('start', 'crane.lua')            a run at its consistent start
%   h = driftless_step('start', 'crane.lua', options)   options as for driftless_run
%   why = driftless_step('advance', h, t)               to time t; '', or the event that has stopped it
%                                                       on its way, from where it may go on
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

% File, settings and values as texts NAME=VALUE, and whether the script may print, and start FMUs.
function in = start_arguments(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_step: name the model''s file');
    end
    if nargin < 2 || isempty(options)
        options = struct();
    end
    if ~isstruct(options) || numel(options) ~= 1
        error('driftless:invalid', 'driftless_step: options must be a struct');
    end
    [set, options] = take(options, 'set', struct());
    [quiet, options] = take(options, 'quiet', false);
    [allow_fmu, options] = take(options, 'allow_fmu', false);
    [~, options] = take(options, 'keep_partial', false); % a run that fails stays where it is
    in = {file, texts(options, 'options.'), texts(pairs(set), 'options.set.'), double(~quiet), ...
          double(allow_fmu)};
end

% A field, and the options without it.
function [value, options] = take(options, name, default)
    value = default;
    if isfield(options, name)
        if ~isempty(options.(name))
            value = options.(name);
        end
        options = rmfield(options, name);
    end
end

% {'NAME', VALUE; ...} of a struct or of such a cell array.
function list = pairs(set)
    if isstruct(set) && numel(set) == 1
        list = [fieldnames(set), struct2cell(set)];
    elseif iscell(set) && size(set, 2) == 2
        list = set;
    else
        error('driftless:invalid', ['driftless_step: options.set must be a struct, set.NAME = VALUE, ', ...
                                    'or a cell array of two columns, {''NAME'', VALUE}']);
    end
end

% Empty settings are those of the script.
function list = texts(values, what)
    if isstruct(values)
        values = pairs(values);
        values = values(~cellfun(@isempty, values(:, 2)), :);
    end
    list = cell(1, size(values, 1));
    for i = 1:numel(list)
        [name, value] = values{i, :};
        if ~ischar(name)
            error('driftless:invalid', 'driftless_step: options.set{%d, 1} is no name', i);
        elseif ischar(value)
            list{i} = [name, '=', value];
        elseif isscalar(value) && isreal(value) && (isnumeric(value) || islogical(value))
            list{i} = sprintf('%s=%.17g', name, value);
        else
            error('driftless:invalid', 'driftless_step: %s%s must be one number', what, name);
        end
    end
end
