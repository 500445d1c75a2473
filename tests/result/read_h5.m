% Reads the file that test_hdf5.c writes, as a user of Octave would.
s = load(argv(){1});
assert(size(s.state), [6 10]); % a row in the file is a column in Octave
assert(s.time(:)', 0.5 * (0:9));
assert(s.state(1, :), 0.4 + (0:9), 1e-12);
assert(s.outputs(:)', -(0:9));
assert(strtrim(s.meta.names.state(6, :)), "lambda(rod)");
assert(s.meta.status, "completed");
assert(s.meta.options.rtol, 1e-8);
assert(s.meta.parameters.values(:)', [2 9.81]);
assert(double(s.steps.order(:)'), 5 * ones(1, 10));
assert(s.events.time(:)', [0.5 2.5 4.5]);
assert(double(s.initial.held(:)'), [1 0 0 0 0 0]);
assert(s.meta.statistics.energy_drift, 2e-9);
