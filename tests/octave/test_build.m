% The gateway compiles with the interpreter's own `mex`, from the sources and the static library alone.
source = getenv('DRIFTLESS_SOURCE');
folder = tempname();
mkdir(folder);
here = pwd();
cd(folder); % object files of mex are written here
unwind_protect
    addpath(fullfile(source, 'bindings', 'octave'));
    build(getenv('DRIFTLESS_LIBRARY'), {}, folder);
    rmpath(fullfile(source, 'bindings', 'octave'));
    addpath(folder);
    check(strcmp(fileparts(which('geoms')), folder), 'the new gateway is used');
    [problem, x0] = pendulum_problem();
    [t, x] = geoms(problem, [0, 1], x0, struct('rtol', 1e-9));
    check(abs(x - pendulum_exact(t)) < 1e-7, 'and works');
unwind_protect_cleanup
    cd(here);
    confirm_recursive_rmdir(false, 'local');
    rmdir(folder, 's');
end_unwind_protect
