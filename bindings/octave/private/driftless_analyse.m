% r = driftless_analyse(kind, file, options, own)  calls the gateway of an analysis. `own` are the options of this
% analysis; those that choose a state, `set`, `quiet`, `allow_fmu` and settings are common to all.
function r = driftless_analyse(kind, file, options, own)
    name = ['driftless_', kind];
    if ~isstruct(options) || numel(options) ~= 1
        error('driftless:invalid', '%s: options must be a struct', name);
    end
    words = struct();
    if ~any(strcmp(kind, {'inverse', 'gradient', 'optimize'}))
        own = [{'at', 'steady'}, own];
    end
    for field = own
        words.(field{1}) = '';
        if isfield(options, field{1})
            words.(field{1}) = one_text(name, field{1}, options.(field{1}));
            options = rmfield(options, field{1});
        end
    end
    omega = [];
    if isfield(options, 'omega')
        omega = options.omega;
        options = rmfield(options, 'omega');
        if ~isnumeric(omega) || ~isreal(omega) || ~all(isfinite(omega(:)))
            error('driftless:invalid', '%s: options.omega must be frequencies in rad/s', name);
        end
    end
    set = {};
    if isfield(options, 'set')
        set = assignments(name, 'set', options.set);
        options = rmfield(options, 'set');
    end
    [quiet, options] = take_flag(options, 'quiet');
    [allow_fmu, options] = take_flag(options, 'allow_fmu');
    [r, failure] = driftless_analyse_mex(kind, file, assignments(name, 'options', options), set, words, ...
                                         double(omega(:)), double(quiet), double(allow_fmu));
    driftless_raise(name, failure);
end

% A field that is true, and the options without it.
function [flag, options] = take_flag(options, name)
    flag = isfield(options, name) && ~isempty(options.(name)) && options.(name);
    if isfield(options, name)
        options = rmfield(options, name);
    end
end

% Names in a cell array, or values in a struct or in pairs {'der(x)', 2}, as one text with commas.
function text = one_text(name, field, value)
    if isempty(value)
        text = '';
    elseif ischar(value)
        text = value;
    elseif iscellstr(value) && strcmp(field, 'of')
        text = strjoin(value(:)', "\n");
    elseif isnumeric(value) && isscalar(value) && any(strcmp(field, {'starts', 'bootstrap', 'seed', 'threads'}))
        text = sprintf('%.17g', value);
    elseif iscellstr(value) && ~any(strcmp(field, {'at', 'state_weight', 'input_weight'}))
        text = strjoin(value(:)', ',');
    elseif any(strcmp(field, {'at', 'state_weight', 'input_weight'}))
        text = strjoin(assignments(name, field, value), ',');
    else
        error('driftless:invalid', '%s: options.%s must be a text or a cell array of names', name, field);
    end
end

% Texts NAME=VALUE of a struct, or of pairs.
function list = assignments(name, what, values)
    if isstruct(values) && numel(values) == 1
        names = fieldnames(values);
        values = struct2cell(values);
    elseif iscell(values) && (isempty(values) || size(values, 2) == 2)
        names = reshape(values(:, 1), [], 1);
        values = reshape(values(:, 2), [], 1);
    else
        error('driftless:invalid', '%s: %s must be a struct, NAME = VALUE, or a cell array of pairs {''NAME'', VALUE}', ...
              name, what);
    end
    list = {};
    for i = 1:numel(names)
        value = values{i};
        if isempty(value)
            continue
        elseif ~ischar(names{i}) || ~(ischar(value) || (isnumeric(value) || islogical(value)) && isscalar(value) && isreal(value))
            error('driftless:invalid', '%s: %s: a value must be a number or a text', name, what);
        elseif ischar(value)
            list{end + 1} = [names{i}, '=', value];
        else
            list{end + 1} = sprintf('%s=%.17g', names{i}, value);
        end
    end
end
