% DRIFTLESS_OPTIMIZE  Searches what optimize{} of a model script wants.
%
%   r = driftless_optimize('throw.lua')
%   r = driftless_optimize('throw.lua', options)
%
% options  a struct; absent and empty fields are what the script says, else the default:
%   algorithm  'lm', 'bfgs', or one of NLopt; default: what suits
%   derivatives  'direct' or 'adjoint', as in driftless_gradient
%   starts     searches from so many places
%   bootstrap  of a fit: so many fits to resampled residuals, for intervals; seed: a whole number
%   threads    how many of these searches run at once; default: as many as there are processors
%   set        values of parameters, inputs and settings: a struct, set.m = 2, or pairs {'arm.m', 2}
%   quiet      true: what the script prints is dropped
%   and settings of simulate{}, such as rtol
%
% r.names       what was varied; r.start, r.best: columns of their values
% r.deviation, r.interval   of a fit: standard deviations, and half widths of 95 % intervals; NaN otherwise
% r.low, r.high   with bootstrap: ends of 95 % intervals
% r.objective, r.objective_at_start, r.runs, r.iterations
% r.converged   false: the search ended before it had converged
%
% Failures are errors with identifiers as those of geoms.
%
% See also: driftless_gradient, driftless_run

function r = driftless_optimize(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_optimize: name the model''s file, see help driftless_optimize');
    end
    if nargin < 2
        options = struct();
    end
    made = driftless_analyse('optimize', file, options, {'algorithm', 'derivatives', 'starts', 'bootstrap', 'seed', 'threads'});
    found = jsondecode(made.json, 'makeValidName', false);
    r.names = fieldnames(found.best);
    for field = {'start', 'best', 'deviation', 'interval'}
        r.(field{1}) = cellfun(@number, struct2cell(found.(field{1})));
    end
    if isstruct(found.bootstrap)
        for field = {'low', 'high'}
            r.(field{1}) = cellfun(@number, struct2cell(found.bootstrap.(field{1})));
        end
    end
    for field = {'objective', 'objective_at_start', 'runs', 'iterations'}
        r.(field{1}) = found.(field{1});
    end
    r.converged = made.completed ~= 0;
end

% null is no number
function value = number(value)
    if isempty(value)
        value = NaN;
    end
end
