% A model script for several values of a parameter: a quarter of the pendulum's period is shorter by the root
% of gravity. usage: sweep('path/of/pendulum.lua')
function sweep(model)
    gravity = [13.75 / 4, 13.75, 13.75 * 4];
    quarter = zeros(size(gravity));
    for i = 1:numel(gravity)
        r = driftless_run(model, struct('to', 4, 'every', 0.01, 'set', struct('g', gravity(i))));
        x = r.columns.x;
        k = find(x(1:end - 1) > 0 & x(2:end) <= 0, 1); % the first passage of the bottom
        quarter(i) = r.time(k) + 0.01 * x(k) / (x(k) - x(k + 1));
        fprintf('g = %5.2f m/s^2: the bottom is passed after %.4f s\n', gravity(i), quarter(i));
    end
    if max(abs(quarter / quarter(2) - sqrt(gravity(2) ./ gravity))) > 1e-3
        error('the times do not follow the law of the pendulum');
    end
end
