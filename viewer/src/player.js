// Buttons and keys that move the time.
import { h } from "./dom.js";
import { number } from "./format.js";

const steps = 1000; // of the slider

export function makePlayer(clock, times) {
  const play = h("button", { class: "play", id: "play", type: "button", title: "Play or pause (space)", onclick: clock.toggle });
  const back = h("button", { type: "button", title: "To the start (Home)", "aria-label": "to the start", onclick: () => clock.set(clock.start) }, "|◀");
  const slider = h("input", {
    type: "range", id: "time", min: 0, max: steps, step: 1, value: 0, "aria-label": "time",
    oninput: () => clock.set(clock.start + ((clock.end - clock.start) * slider.value) / steps),
  });
  const shown = h("output", { for: "time", class: "time" });
  const player = h("div", { class: "player", role: "group", "aria-label": "animation" }, back, play, slider, shown, speedChoice(clock));

  clock.onChange(update);
  update();
  listenToKeys(clock, times);
  return player;

  function update() {
    play.textContent = clock.playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", clock.playing ? "pause" : "play");
    const length = clock.end - clock.start;
    slider.value = length > 0 ? Math.round((steps * (clock.time - clock.start)) / length) : 0;
    slider.setAttribute("aria-valuetext", `${number(clock.time)} seconds`);
    shown.textContent = `${fixed(clock.time, length)} s`;
    player.dataset.time = clock.time;
  }
}

// As many digits as the length of the run needs.
function fixed(time, length) {
  const digits = length > 0 ? Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(length)))) : 3;
  return time.toFixed(digits);
}

function speedChoice(clock) {
  const factors = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8].map((f) => f * clock.speed);
  const choice = h(
    "select",
    { id: "speed", title: "Speed against real time", "aria-label": "speed", onchange: () => (clock.speed = Number(choice.value)) },
    factors.map((f) => h("option", { value: f, selected: f === clock.speed }, `${number(f, 3)}×`)),
  );
  return choice;
}

function listenToKeys(clock, times) {
  const keys = {
    " ": clock.toggle,
    k: clock.toggle,
    Home: () => clock.set(clock.start),
    End: () => clock.set(clock.end),
    ArrowRight: () => clock.set(neighbour(times, clock.time, 1)),
    ArrowLeft: () => clock.set(neighbour(times, clock.time, -1)),
  };
  document.addEventListener("keydown", (event) => {
    const at = event.target.closest?.("input, select, button, summary, textarea, a, canvas, [role=button]");
    if (event.ctrlKey || event.altKey || event.metaKey || at || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}

// The next or previous row.
function neighbour(times, time, direction) {
  let i = direction > 0 ? times.findIndex((t) => t > time) : times.findLastIndex((t) => t < time);
  if (i < 0) i = direction > 0 ? times.length - 1 : 0;
  return times[i];
}
