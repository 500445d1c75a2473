% DRIFTLESS_RESPONSE  The frequency response G(iw) = C (iw - A)^-1 B + D of a model script near a state.
%
%   r = driftless_response('crane.lua', struct('omega', logspace(-1, 2, 50)))
%
% options  a struct; absent and empty fields are what the script says, else the default:
%   at       where: a struct of values by name, at.x = 0.1, pairs {'der(x)', 2}, 't=0.5' (of a run) or 'equilibrium';
%            default: the consistent start of the script
%   steady   coordinates whose speeds are kept, a steady motion: 'yaw', or a cell array
%   set      values of parameters, inputs and settings: a struct, set.m = 2, or pairs {'arm.m', 2}
%   quiet    true: what the script prints is dropped
%   and settings of simulate{}, such as rtol
%   omega             frequencies in rad/s
%   inputs, outputs   names, a text with commas or a cell array
%
% r.omega      a row
% r.response   outputs x inputs x frequencies, complex; NaN where a frequency is an undamped pole
% r.magnitude, r.phase   the same, phase in rad without jumps
% r.A, r.B, r.C, r.D, r.states, r.inputs, r.outputs, r.t, r.kind   as of driftless_linearize
%
% Failures are errors with identifiers as those of geoms.
%
% See also: driftless_linearize

function r = driftless_response(file, options)
    if nargin < 1
        error('driftless:invalid', 'driftless_response: name the model''s file, see help driftless_response');
    end
    if nargin < 2
        options = struct();
    end
    if ~isstruct(options) || ~isfield(options, 'omega') || isempty(options.omega)
        error('driftless:invalid', 'driftless_response: give options.omega, the frequencies in rad/s');
    end
    r = driftless_analyse('response', file, options, {'inputs', 'outputs'});
    r.omega = double(options.omega(:))';
    r.response = reshape(complex(r.re, r.im), numel(r.outputs), numel(r.inputs), numel(r.omega));
    r.magnitude = abs(r.response);
    r.phase = unwrap(angle(r.response), pi, 3);
    r = rmfield(r, {'re', 'im'});
end
