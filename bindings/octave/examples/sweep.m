% A model script for several values of a parameter: the period of the pendulum grows with the root of its
% length. usage: sweep('path/of/pendulum.lua')
function sweep(model)
    lengths = [0.25, 1, 4];
    for i = 1:numel(lengths)
        % the script holds x = 1 and y = 0; gravity scales as the length does
        r = driftless_run(model, struct('to', 4, 'every', 0.01, 'set', struct('g', 13.75 / lengths(i))));
        turn = find(r.columns.x(1:end - 1) > 0 & r.columns.x(2:end) <= 0, 1);
        quarter(i) = interp1(r.columns.x(turn:turn + 1), r.time(turn:turn + 1), 0);
        fprintf('L = %4.2f m: a quarter of the period takes %.4f s\n', lengths(i), quarter(i));
    end
    if max(abs(quarter ./ quarter(2) - sqrt(lengths))) > 1e-3
        error('the periods do not follow the law of the pendulum');
    end
end
