% The exact motion, one row per time: theta = 2 asin(k sn(K - w t)), k = sin(45 degrees), Landau and
% Lifshitz, Mechanics, section 11.
function x = pendulum_exact(t)
    t = t(:);
    m = 0.5;
    w = sqrt(9.81);
    [sn, cn, dn] = ellipj(ellipke(m) - w * t, m);
    theta = 2 * asin(sqrt(m) * sn);
    rate = -2 * w * sqrt(m) * cn;
    p = [sin(theta), -cos(theta)];
    v = [cos(theta), sin(theta)] .* rate;
    lambda = (sum(v .^ 2, 2) - 9.81 * p(:, 2)) / 2;
    x = [lambda, v, p];
end
