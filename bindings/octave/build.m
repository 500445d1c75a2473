% BUILD  Compiles the gateway of geoms with the interpreter's own `mex`, in Octave or Matlab.
%
%   build                             with ../../build/libdriftless.a
%   build(library, libraries, folder)
%
% library    the static library of Driftless, built with -fPIC (as CMake does)
% libraries  a cell array of what it needs; default {'-lklu', '-lbtf', '-lamd', '-lcolamd', '-lsuitesparseconfig', '-llapacke', '-llapack', '-lblas'}
% folder     where geoms.m and private/ go; default: here
%
% CMake does the same for Octave by itself, and builds driftless_run as well.
function build(library, libraries, folder)
    here = fileparts(mfilename('fullpath'));
    root = fullfile(here, '..', '..');
    if nargin < 1 || isempty(library)
        library = fullfile(root, 'build', 'libdriftless.a');
    end
    if nargin < 2 || isempty(libraries)
        libraries = {'-lklu', '-lbtf', '-lamd', '-lcolamd', '-lsuitesparseconfig', '-llapacke', '-llapack', '-lblas'};
    end
    if nargin < 3
        folder = here;
    end
    parts = {'gateway', 'arrays', 'fields', 'statistics', 'geoms_mex', 'problem', 'geoms_options', 'model', ...
             'observe', 'report'};
    sources = cellfun(@(part) fullfile(here, [part, '.c']), parts, 'UniformOutput', false);
    if ~exist(fullfile(folder, 'private'), 'dir')
        mkdir(fullfile(folder, 'private'));
    end
    if ~strcmp(folder, here)
        copyfile(fullfile(here, 'geoms.m'), folder);
        copyfile(fullfile(here, 'private', '*.m'), fullfile(folder, 'private'));
    end
    mex('-output', fullfile(folder, 'private', ['geoms_mex.', mexext()]), ...
        ['-I', fullfile(root, 'include')], ['-I', fullfile(root, 'src')], sources{:}, library, libraries{:});
end
