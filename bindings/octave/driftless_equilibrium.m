% DRIFTLESS_EQUILIBRIUM  A state of rest of a model script, or a steady motion, and whether it is stable.
%
%   r = driftless_equilibrium('crane.lua')
%   r = driftless_equilibrium('crane.lua', options)
%
% options  a struct; absent and empty fields are what the script says, else the default:
%   at       where: a struct of values by name, at.x = 0.1, pairs {'der(x)', 2}, as guesses
%   steady   coordinates whose speeds are kept, a steady motion: 'yaw', or a cell array
%   set      values of parameters, inputs and settings: a struct, set.m = 2, or pairs {'arm.m', 2}
%   quiet    true: what the script prints is dropped
%   and settings of simulate{}, such as rtol
%
% r.names, r.values   all variables and outputs there, as the columns of results; r.state the same by name: r.state.x, r.state.der_x
% r.stability         'stable', 'indifferent', 'unstable' or 'not judged'; r.unstable is the number of growing modes or NaN
% r.eigenvalues       of the linear equations there, a column
% r.iterations, r.residual, r.t, r.kind ('equilibrium' or 'steady')
%
% Failures are errors with identifiers as those of geoms.
%
% See also: driftless_linearize, driftless_modes

function r = driftless_equilibrium(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_equilibrium: name the model''s file, see help driftless_equilibrium');
    end
    if nargin < 2
        options = struct();
    end
    r = driftless_analyse('equilibrium', file, options, {});
    r.eigenvalues = complex(r.re, r.im);
    r = rmfield(r, {'re', 'im', 'hz', 'damping'});
    r.state = driftless_columns(r.names, r.values);
end
