% DRIFTLESS_GRADIENT  Outputs at the end of a run of a model script, with their derivatives by parameters.
%
%   [value, gradient] = driftless_gradient('crank.lua', options)
%   [value, gradient, names] = driftless_gradient('crank.lua', options)
%
% options  a struct; absent and empty fields are what the script says, else the default:
%   of       outputs or variables: 'x', or a cell array; default: all outputs
%   by       parameters, inputs, 'initial(x)' and 'initial(der(x))': a cell array; default: all parameters
%   derivatives    'direct', beside the state, or 'adjoint', one sweep backwards; default: what suits
%   error_control  'state': steps for the state alone; default: for the derivatives, too
%   set      values of parameters, inputs and settings: a struct, set.m = 2, or pairs {'arm.m', 2}
%   quiet    true: what the script prints is dropped
%   and settings of simulate{}, such as to and rtol
%
% value     a column: the outputs at the end
% gradient  one row for each output, one column for each name of `by`
% names     a struct: names.of, names.by
%
% Failures are errors with identifiers as those of geoms.
%
% See also: driftless_optimize, driftless_run

function [value, gradient, names] = driftless_gradient(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_gradient: name the model''s file, see help driftless_gradient');
    end
    if nargin < 2
        options = struct();
    end
    r = driftless_analyse('gradient', file, options, {'of', 'by', 'derivatives', 'error_control'});
    found = jsondecode(r.json, 'makeValidName', false);
    value = [found.value].';
    names.of = {found.of}.';
    names.by = fieldnames(found(1).gradient);
    gradient = zeros(numel(found), numel(names.by));
    for i = 1:numel(found)
        gradient(i, :) = [struct2cell(found(i).gradient){:}];
    end
end
