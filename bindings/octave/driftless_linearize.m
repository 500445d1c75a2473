% DRIFTLESS_LINEARIZE  The linear equations y' = A y + B u, outputs = C y + D u of a model script near a state.
%
%   r = driftless_linearize('crane.lua')
%   r = driftless_linearize('crane.lua', options)
%
% options  a struct; absent and empty fields are what the script says, else the default:
%   at       where: a struct of values by name, at.x = 0.1, pairs {'der(x)', 2}, 't=0.5' (of a run) or 'equilibrium';
%            default: the consistent start of the script
%   steady   coordinates whose speeds are kept, a steady motion: 'yaw', or a cell array
%   set      values of parameters, inputs and settings: a struct, set.m = 2, or pairs {'arm.m', 2}
%   quiet    true: what the script prints is dropped
%   and settings of simulate{}, such as rtol
%   inputs, outputs   names, a text with commas or a cell array; default: all inputs; all outputs or, without any, all positions
%
% r.A, r.B, r.C, r.D
% r.states, r.inputs, r.outputs   the names of y, u and the outputs
% r.names, r.values   all variables and outputs at the state, r.state the same by name
% r.t, r.kind         'equilibrium', 'steady' or 'frozen' (neither: derivatives at this instant)
%
% Failures are errors with identifiers as those of geoms.
%
% See also: driftless_modes, driftless_response, driftless_lqr

function r = driftless_linearize(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_linearize: name the model''s file, see help driftless_linearize');
    end
    if nargin < 2
        options = struct();
    end
    r = driftless_analyse('linearize', file, options, {'inputs', 'outputs'});
    r.state = driftless_columns(r.names, r.values);
end
