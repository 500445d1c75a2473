% DRIFTLESS_MODES  Eigenvalues of a model script near a state, with frequency, damping and shapes.
%
%   r = driftless_modes('crane.lua')
%   r = driftless_modes('crane.lua', options)
%
% options  a struct; absent and empty fields are what the script says, else the default:
%   at       where: a struct of values by name, at.x = 0.1, pairs {'der(x)', 2}, 't=0.5' (of a run) or 'equilibrium';
%            default: the consistent start of the script
%   steady   coordinates whose speeds are kept, a steady motion: 'yaw', or a cell array
%   set      values of parameters, inputs and settings: a struct, set.m = 2, or pairs {'arm.m', 2}
%   quiet    true: what the script prints is dropped
%   and settings of simulate{}, such as rtol
%
% r.eigenvalues   a column, by |imaginary part|, then real part
% r.hz, r.damping frequency, and damping ratio (NaN for an eigenvalue 0)
% r.shapes        how all positions move, one column for each mode, 1 for the one that moves most; r.coordinates are their names
% r.stability     'stable', 'indifferent', 'unstable' or 'not judged'; r.unstable is the number of growing modes or NaN
% r.states, r.t, r.kind   as of driftless_linearize
%
% Failures are errors with identifiers as those of geoms.
%
% See also: driftless_linearize, driftless_equilibrium

function r = driftless_modes(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_modes: name the model''s file, see help driftless_modes');
    end
    if nargin < 2
        options = struct();
    end
    r = driftless_analyse('modes', file, options, {});
    r.eigenvalues = complex(r.re, r.im);
    r.shapes = complex(r.shapes_re, r.shapes_im);
    r = rmfield(r, {'re', 'im', 'shapes_re', 'shapes_im'});
end
