// The time that animation and plots share: playing, paused, or moved by hand.
export function makeClock(start, end) {
  const listeners = new Set();
  const clock = {
    start,
    end,
    time: start,
    playing: false,
    speed: defaultSpeed(end - start),
    onChange: (listener) => listeners.add(listener),
    set,
    play,
    toggle: () => play(!clock.playing),
  };
  let before = 0;

  function announce() {
    for (const listener of listeners) listener(clock);
  }

  function set(time) {
    clock.time = Math.min(Math.max(time, start), end);
    announce();
  }

  function play(on) {
    if (on && clock.time >= end) clock.time = start;
    clock.playing = on && end > start;
    before = performance.now();
    if (clock.playing) requestAnimationFrame(tick);
    announce();
  }

  function tick(now) {
    if (!clock.playing) return;
    clock.time += Math.max(0, now - before) * 1e-3 * clock.speed;
    before = now;
    if (clock.time >= end) {
      clock.time = end;
      clock.playing = false;
    }
    announce();
    if (clock.playing) requestAnimationFrame(tick);
  }
  return clock;
}

// Real time if the run then takes 3 to 30 seconds, else a round factor that makes it about eight.
function defaultSpeed(length) {
  if (!(length > 0) || (length >= 1.5 && length <= 30)) return 1;
  const factor = length / 8;
  const power = 10 ** Math.floor(Math.log10(factor));
  return [1, 2, 5, 10].reduce((best, f) => (Math.abs(f * power - factor) < Math.abs(best - factor) ? f * power : best), power);
}
