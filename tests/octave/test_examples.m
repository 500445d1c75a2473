% The examples compare themselves with what is known; build.m makes a gateway that works.
source = getenv('DRIFTLESS_SOURCE');
addpath(fullfile(source, 'bindings', 'octave', 'examples'));
pendulum();
peg();
sweep(fullfile(source, 'examples', 'pendulum.lua'));
