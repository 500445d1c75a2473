% A pendulum whose string meets a peg: two problems that hand over to each other at an event. The string
% has length 1; a peg 0.5 below the pivot shortens it to 0.5 while the mass is on its left.
function peg()
    x = [0; 0; 0; sqrt(0.75); -0.5]; % at rest, 60 degrees to the right
    o = struct('rtol', 1e-9);
    o.event = @(t, x) [x(4); x(2)]; % the string meets or leaves the peg; the mass turns back
    o.event_kinds = struct('direction', {0, 0}, 'terminal', {true, false});
    t = 0;
    heights = zeros(1, 4);
    for swing = 1:4
        right = mod(swing, 2) == 1;
        pivot = [0; -0.5 * ~right];
        problem = struct('np', 2, 'nv', 2, 'nl', 1, ...
                         'eval', @(t, x) equations(x, pivot, 1 - 0.5 * ~right));
        [ts, xs, info] = geoms(problem, [t, t + 10], x, o);
        heights(swing) = max([xs(:, 5); info.events.x(:, 5)]);
        sides = {'left', 'right'};
        fprintf('swing %d, on the %s: %.4f s, up to y = %.6f\n', swing, sides{1 + right}, ...
                info.t - t, heights(swing));
        t = info.t;
        x = [0; info.x(2:5)]; % the force of the string jumps, position and velocity do not
        x(4) = sign(x(2)) * 1e-12; % behind the event
    end
    if max(abs(heights - heights(1))) > 1e-6
        error('energy is conserved: every swing must reach the same height');
    end
end

function out = equations(x, pivot, L)
    v = x(2:3);
    p = x(4:5) - pivot;
    out = struct('kin', v, 'f', [0; -9.81], 'g', (p' * p - L^2) / 2, 'gI', p' * v, 'W', p', ...
                 'bias', v' * v);
end
