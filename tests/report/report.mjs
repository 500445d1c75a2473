// Reports in a browser: no error, no request, something to see, time that runs, and the numbers of the CSV.
// usage: node report.mjs BUILD WORK BROWSER [IMAGES]
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [build, work, executablePath, images, few] = process.argv.slice(2); // few: not what only the page itself does
const here = dirname(fileURLToPath(import.meta.url));
const examples = join(here, "..", "..", "examples");
const { chromium } = createRequire(join(work, "package.json"))("playwright-core");
const flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-sandbox"];
const megabyte = 1024 * 1024;
let failures = 0;

function check(condition, text) {
  if (!condition) failures++;
  console.log(`${condition ? "ok" : "FAILED"}: ${text}`);
}

function driftless(...args) {
  return execFileSync(join(build, "driftless"), args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function readCsv(path) {
  const [head, ...lines] = readFileSync(path, "utf8").trim().split("\n");
  const rows = lines.map((line) => line.split(",").map(Number));
  return { names: head.split(","), rows };
}

// Opens a page and keeps its complaints and requests.
async function open(browser, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  const url = pathToFileURL(path).href;
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.stack));
  page.on("request", (request) => request.url() !== url && !/^(data|blob):/.test(request.url()) && troubles.push(`request ${request.url()}`));
  const before = Date.now();
  await page.goto(url);
  await page.waitForSelector("html[data-ready]");
  await page.waitForTimeout(300);
  return { page, context, troubles, milliseconds: Date.now() - before };
}

const time = (page) => page.evaluate(() => driftless.clock.time);

// How many different colours the scene has, on a grid of points.
const colours = (page) =>
  page.evaluate(() => {
    const canvas = document.getElementById("scene");
    const copy = Object.assign(document.createElement("canvas"), { width: 160, height: 100 });
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0, 160, 100);
    const data = new Uint32Array(context.getImageData(0, 0, 160, 100).data.buffer);
    return new Set(data).size;
  });

// The largest difference between the page's curves and the CSV, and how many curves were compared.
const compare = (page, csv) =>
  page.evaluate(({ names, rows }) => {
    const { variables, rows: table } = driftless.report;
    const at = (column, i) => (typeof column === "object" && column ? column[i] : column);
    const curves = [...document.querySelectorAll("figure.plot")].flatMap(({ plot }) => plot.series.slice(1).map((s, i) => [s.label, plot.data[i + 1]]));
    let largest = Math.abs(table.time.length - rows.length);
    let drawn = 0;
    for (const { name, values } of variables) {
      const k = names.indexOf(name);
      const curve = curves.find(([label]) => label === name)?.[1];
      drawn += curve !== undefined;
      rows.forEach((row, i) => (largest = Math.max(largest, Math.abs(at(values, i) - row[k]), Math.abs(curve[i] - row[k]), Math.abs(table.time[i] - row[0]))));
    }
    return { largest, drawn, wanted: names.length - 1 };
  }, csv);

async function useReport(browser, name, options) {
  const html = join(work, `${name}.html`);
  const csvFile = join(work, `${name}.csv`);
  driftless("run", join(examples, `${name}.lua`), "--quiet", "--report", html, "--output", csvFile);
  check(statSync(html).size < 1.2 * megabyte, `${name}: the page has ${(statSync(html).size / 1e6).toFixed(2)} MB`);
  const { page, context, troubles } = await open(browser, html, options);
  check((await colours(page)) > 3, `${name}: something is drawn`);
  const { largest, drawn, wanted } = await compare(page, readCsv(csvFile));
  check(largest === 0 && drawn === wanted, `${name}: ${drawn} of ${wanted} curves have the numbers of the CSV`);
  await play(page, name);
  await page.evaluate(() => driftless.clock.set(driftless.clock.start + 0.42 * (driftless.clock.end - driftless.clock.start)));
  await page.waitForTimeout(400);
  await picture(page, name);
  check(troubles.length === 0, `${name}: no errors and no requests ${troubles.join("; ")}`);
  await context.close();
}

// The button starts, the marker moves with the time, and the button stops.
async function play(page, name) {
  const marker = () => page.evaluate(() => document.querySelector(".marker").style.transform);
  const [start, place] = [await time(page), await marker()];
  await page.click("#play");
  await page.waitForTimeout(700);
  const later = await time(page);
  check(later > start && (await marker()) !== place, `${name}: play moves the time (${start} to ${later.toPrecision(4)}) and the marker`);
  await page.click("#play");
  const stopped = await time(page);
  await page.waitForTimeout(200);
  check((await time(page)) === stopped, `${name}: pause stops it`);
}

async function useKeys(browser) {
  const { page, context, troubles } = await open(browser, join(work, "slider-crank.html"));
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  check(Math.abs((await time(page)) - 0.01) < 1e-12, "keys: an arrow goes to the next row");
  await page.keyboard.press("End");
  check((await time(page)) === 2, "keys: End goes to the end");
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await page.waitForTimeout(300);
  check((await time(page)) > 0, "keys: space plays");
  await page.keyboard.press("Space");
  await page.keyboard.press("+");
  await page.waitForTimeout(100);
  const zoomed = await page.evaluate(() => [...document.querySelectorAll("figure.plot")].map(({ plot }) => plot.scales.x.max - plot.scales.x.min));
  check(zoomed.every((width) => Math.abs(width - 1) < 1e-9), "keys: plus zooms all plots");
  await page.keyboard.press("0");
  await page.waitForTimeout(100);
  check(await page.evaluate(() => document.querySelector("figure.plot").plot.scales.x.max === 2), "keys: 0 shows everything again");
  await page.focus(".u-legend .u-series:nth-child(2) th");
  await page.keyboard.press("Enter");
  check(await page.evaluate(() => !document.querySelector("figure.plot").plot.series[1].show), "keys: Enter on a name hides its curve");
  const reached = await page.evaluate(() => [...document.querySelectorAll("button, select, input, #scene")].every((e) => e.tabIndex >= 0));
  check(reached, "keys: every control can be reached");
  await page.emulateMedia({ media: "print" });
  const pdf = await page.pdf();
  check(pdf.length > 20000, "the page can be printed");
  check(troubles.length === 0, `keys: no errors ${troubles.join("; ")}`);
  await context.close();
}

// A click in a plot sets the time; a drag zooms all plots and leaves the time; the scene turns.
async function useMouse(browser) {
  const { page, context, troubles } = await open(browser, join(work, "rolling-disk.html"));
  const over = await page.locator("figure.plot .u-over").first().boundingBox();
  const [x, y] = [over.x + over.width / 4, over.y + over.height / 2];
  await page.mouse.click(x, y);
  check(Math.abs((await time(page)) - 1.25) < 0.02, "mouse: a click in a plot sets the time");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + over.width / 2, y, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(200);
  const widths = await page.evaluate(() => [...document.querySelectorAll("figure.plot")].map(({ plot }) => plot.scales.x.max - plot.scales.x.min));
  check(widths.every((width) => Math.abs(width - 2.5) < 0.05), "mouse: a drag zooms all plots");
  check(Math.abs((await time(page)) - 1.25) < 0.02, "mouse: a drag leaves the time");
  const values = await page.evaluate(() => [...document.querySelectorAll(".u-legend .u-value")].every((e) => e.textContent !== "–"));
  check(values, "mouse: the legends have values");
  const scene = await page.locator("#scene").boundingBox();
  const before = await page.locator("#scene").screenshot();
  await page.mouse.move(scene.x + 100, scene.y + 100);
  await page.mouse.down();
  await page.mouse.move(scene.x + 200, scene.y + 140, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(300);
  check(!before.equals(await page.locator("#scene").screenshot()), "mouse: the scene turns");
  check(troubles.length === 0, `mouse: no errors ${troubles.join("; ")}`);
  await context.close();
}

async function useHostile(browser) {
  const html = join(work, "hostile.html");
  driftless("run", join(here, "hostile.lua"), "--quiet", "--report", html);
  const { page, context, troubles } = await open(browser, html);
  check((await page.title()) === "hostile - Driftless", "hostile names and comments do nothing");
  check((await page.locator("img, iframe, object, link").count()) === 0, "hostile names make no elements");
  check((await page.textContent("#model code")) === readFileSync(join(here, "hostile.lua"), "utf8"), "the model's text is shown as it is");
  check(troubles.length === 0, `hostile: no errors and no requests ${troubles.join("; ")}`);
  await context.close();
}

// Mechanisms that draw themselves: the shapes are in the page, are seen, and move; the plots have units.
async function useMechanism(browser, script, planar, shapes, unit) {
  const name = basename(script, ".lua");
  const html = join(work, `${name}.html`);
  driftless("run", script, "--quiet", "--report", html);
  const { page, context, troubles } = await open(browser, html);
  const scene = await page.evaluate(() => ({ planar: driftless.report.scene.planar, shapes: driftless.report.scene.shapes.map(({ kind, name }) => `${kind} ${name}`) }));
  const missing = shapes.filter((shape) => !scene.shapes.includes(shape));
  check(missing.length === 0, `${name}: ${shapes.length} shapes of ${scene.shapes.length} are as expected ${missing.join(", ")}`);
  check(scene.planar === planar, `${name}: the scene is ${planar ? "planar" : "in space"}`);
  check((await colours(page)) > 6, `${name}: something is drawn`);
  const before = await page.locator("#scene").screenshot();
  await page.evaluate(() => driftless.clock.set(driftless.clock.start + 0.42 * (driftless.clock.end - driftless.clock.start)));
  await page.waitForTimeout(200);
  check(!before.equals(await page.locator("#scene").screenshot()), `${name}: it moves`);
  const units = await page.evaluate(() => [...document.querySelectorAll("figure.plot .unit")].map((e) => e.textContent.trim()));
  check(units.includes(unit), `${name}: a plot is ${unit}`);
  if (dirname(script) === examples) await picture(page, name);
  check(troubles.length === 0, `${name}: no errors and no requests ${troubles.join("; ")}`);
  await context.close();
}

// A beam that is bent in the same way on both sides: how red it is left and right of the middle.
async function useMoments(browser) {
  const html = join(work, "bent.html");
  driftless("run", join(here, "bent.lua"), "--quiet", "--report", html);
  const { page, context } = await open(browser, html);
  const [left, right] = await page.evaluate(() => {
    const canvas = document.getElementById("scene");
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const sides = [0, 0];
    for (let k = 0; k < data.length; k += 4) sides[Math.floor((k / 4 % copy.width) / copy.width * 2)] += Math.max(0, data[k] - data[k + 2] - 8);
    return sides;
  });
  check(left > 1000 && Math.abs(left - right) < 0.05 * right, `bent: moments have the same colours on both sides (${left}, ${right})`);
  await context.close();
}

async function picture(page, name) {
  if (!images) return;
  mkdirSync(images, { recursive: true });
  await page.screenshot({ path: join(images, `report-${name}.png`) });
}

// The stored result gives the same page.
async function useStored(browser) {
  const stored = join(work, "four-bar.h5");
  driftless("run", join(examples, "four-bar.lua"), "--quiet", "--output", stored);
  driftless("view", stored, "--quiet");
  const { page, context, troubles } = await open(browser, join(work, "four-bar.html"));
  const { largest, drawn, wanted } = await compare(page, readCsv(join(work, "four-bar.csv")));
  check(largest === 0 && drawn === wanted, "view: the page of a stored result has the numbers of the CSV");
  check(troubles.length === 0, `view: no errors ${troubles.join("; ")}`);
  await context.close();
}

// A million rows stay small, quick and complete in their extrema.
async function useLong(browser) {
  const html = join(work, "long.html");
  const script = join(here, "long.lua");
  const output = driftless("run", script, "--quiet", "--json", "--report", html);
  check(JSON.parse(output).status === "completed", "long: the run is complete");
  const size = statSync(html).size / megabyte;
  check(size < 12, `long: a million rows make a page of ${size.toFixed(1)} MB`);
  const { page, context, troubles, milliseconds } = await open(browser, html);
  check(milliseconds < 20000, `long: the page opens in ${milliseconds} ms`);
  const { seen, peak } = await page.evaluate(() => {
    const { rows, variables } = driftless.report;
    return { seen: rows.seen, peak: Math.max(...variables.find(({ name }) => name === "spike").values) };
  });
  check(seen === 1000001 && peak > 0.999, `long: of ${seen} rows the one with the peak ${peak.toPrecision(4)} is shown`);
  const before = await time(page);
  const start = Date.now();
  await page.click("#play");
  await page.waitForTimeout(1000);
  check((await time(page)) > before && Date.now() - start < 4000, "long: it plays without freezing");
  check(troubles.length === 0, `long: no errors ${troubles.join("; ")}`);
  await context.close();
}

// Curves that leave no room for ticks, and tables with one row and with none.
async function useDegenerate(browser) {
  driftless("run", join(here, "ulp.lua"), "--quiet", "--report", join(work, "ulp.html"));
  const last = await open(browser, join(work, "ulp.html"));
  const labels = await last.page.evaluate(() => [...document.querySelectorAll("figure.plot")].find(({ plot }) => plot.series[1].label === "one").plot.axes[1]._values);
  check(labels.length > 1 && last.troubles.length === 0, `ulp: ticks ${labels.join(", ")}; no errors ${last.troubles.join("; ")}`);
  await last.context.close();
  const script = join(here, "degenerate.lua");
  const [html, csv, svg] = ["html", "csv", "svg"].map((ending) => join(work, `degenerate.${ending}`));
  driftless("run", script, "--quiet", "--report", html, "--output", csv, "--plot", svg);
  const { page, context, troubles } = await open(browser, html);
  const { names } = readCsv(csv);
  const plots = await page.evaluate(() => [...document.querySelectorAll("figure.plot")].map(({ plot }) => ({
    labels: plot.series.slice(1).map(({ label }) => label),
    // of a logarithmic axis some ticks have no text
    ticks: plot.axes.slice(0, 2).map((axis) => (axis._values ?? []).filter(Boolean)),
    texts: plot.axes.slice(0, 2).map((axis) => new Set((axis._values ?? []).filter(Boolean)).size),
  })));
  const drawn = plots.flatMap(({ labels }) => labels);
  check(names.slice(1).every((name) => drawn.includes(name)), `degenerate: all of ${names.slice(1).join(", ")} have curves`);
  check(plots.every(({ ticks }) => ticks.every((axis) => axis.length > 1 && axis.length < 30)), "degenerate: every axis has ticks");
  check(plots.every(({ ticks, texts }) => ticks.every((axis, i) => axis.length === texts[i])), "degenerate: no two ticks of an axis have the same text");
  const legend = await page.evaluate(() => [...document.querySelectorAll("figure.plot")].flatMap(({ plot }) => plot.series.map((s) => [s.label, s])).filter(([label]) => label === "huge").length);
  check(legend === 1, "degenerate: the huge curve is there once");
  check(!/nan|inf/i.test(readFileSync(svg, "utf8").replace(/<title>.*?<\/title>/s, "")), "degenerate: the plot has only numbers");
  const damped = await page.textContent("dl.facts");
  check(damped.includes("energy change") && damped.includes("forces or time act on it") && !damped.includes("energy drift"), "degenerate: the energy is said to change");
  check(troubles.length === 0, `degenerate: no errors ${troubles.join("; ")}`);
  await context.close();
  for (const rows of [1, 0]) {
    const stored = join(work, `rows-${rows}.h5`);
    driftless("run", script, "--quiet", "--output", stored);
    execFileSync("/usr/bin/python3", ["-c", "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\nfor n in ('time', 'steps/time'): f[n].resize(int(sys.argv[2]), axis=0)", stored, rows]);
    driftless("view", stored, "--quiet");
    const few = await open(browser, join(work, `rows-${rows}.html`));
    check((await few.page.evaluate(() => driftless.report.rows.time.length)) === rows, `${rows} rows: the page has them`);
    check(few.troubles.length === 0, `${rows} rows: no errors ${few.troubles.join("; ")}`);
    await few.context.close();
  }
}

// Modes in motion, root loci, Bode and Nyquist diagrams.
async function useAnalyses(browser) {
  const path = (name) => join(work, `${name}.html`);
  const crane = join(here, "hanging.lua");
  driftless("modes", crane, "--at", "s=0,x=0,y=-1", "--quiet", "--output", path("modes"));
  driftless("modes", crane, "--at", "s=0,x=0,y=-1", "--over", "d=0:4:9", "--quiet", "--output", path("loci"));
  driftless("response", crane, "--at", "s=0,x=0,y=-1", "--from", "0.1", "--to", "100", "--points", "100", "--log", "--quiet", "--output", path("bode"));
  const modes = await open(browser, path("modes"));
  const look = () => modes.page.evaluate(() => driftless.frames.columns.map((column) => [Math.min(...column), Math.max(...column)]));
  const oscillating = await look();
  // columns: the rope from (s, 0) to (x, y), then the load; both ends move against each other
  const swing = (k) => oscillating[k][1] - oscillating[k][0];
  const ends = await modes.page.evaluate(() => driftless.frames.columns.map((column) => column[0]));
  const [a, b] = await modes.page.evaluate(() => [driftless.data.base, driftless.data.base].map((base, i) => driftless.frames.columns.findIndex((c, k) => k >= 2 * i && Math.abs(c[0] - base[k]) > 1e-6)));
  const { re, im } = await modes.page.evaluate(() => driftless.data.result.eigenvalues.find((e) => e.im > 0));
  const wanted = 9.81 / Math.hypot(re * re - im * im + 9.81, 2 * re * im); // x'' = -g (x - s) makes x/s = g / (e^2 + g)
  check(Math.abs(swing(b) / swing(a) - wanted) < 1e-3, `modes: the load moves ${wanted} times as far as the trolley (${swing(b) / swing(a)})`);
  check((ends[a] - 0) * (ends[b] - 0) < 0, "modes: and against it");
  check((await modes.page.locator("figure.chart circle[r='3.2']").count()) === 4, "modes: every eigenvalue has its point");
  const before = await time(modes.page);
  await modes.page.waitForTimeout(400);
  check((await time(modes.page)) !== before, "modes: the animation runs");
  await modes.page.locator("#scale").fill("6");
  const larger = await look();
  check(Math.abs((larger[a][1] - larger[a][0]) / swing(a) - 10 ** 0.3) < 1e-3, "modes: the scale acts");
  await modes.page.locator("#decay").check();
  const decaying = await modes.page.evaluate((k) => [driftless.frames.columns[k][0], driftless.frames.columns[k][96]], a);
  check(Math.abs(decaying[1]) < 0.96 * Math.abs(decaying[0]), "modes: decay is shown");
  await modes.page.locator("#mode").selectOption({ index: 0 });
  check(JSON.stringify(await look()) !== JSON.stringify(larger), "modes: another mode moves otherwise");
  check((await colours(modes.page)) > 3, "modes: there is something to see");
  check(modes.troubles.length === 0, `modes: no errors ${modes.troubles.join("; ")}`);
  if (images) await modes.page.screenshot({ path: join(images, "modes.png") });
  await modes.context.close();
  driftless("modes", join(examples, "blade.lua"), "--over", "speed=0:3:4", "--quiet", "--output", path("campbell"));
  const campbell = await open(browser, path("campbell"));
  check((await campbell.page.locator("figure[aria-label='Campbell diagram']").count()) === 1, "campbell: a diagram of frequencies over the speed");
  check((await campbell.page.textContent("figure[aria-label='Campbell diagram'] p")).includes("orders 1, 2"), "campbell: lines of multiples");
  check(campbell.troubles.length === 0, `campbell: no errors ${campbell.troubles.join("; ")}`);
  if (images) await campbell.page.screenshot({ path: join(images, "campbell.png") });
  const loci = await open(browser, path("loci"));
  check((await loci.page.locator("figure[aria-label='Campbell diagram']").count()) === 0, "loci: no Campbell diagram without a speed");
  check((await loci.page.locator("figure.chart circle[r='3.2']").count()) === 36, "loci: nine values of four eigenvalues");
  check((await loci.page.textContent("figure.chart p")).includes("0 of 9 values"), "loci: damping makes nothing grow");
  check(loci.troubles.length === 0, `loci: no errors ${loci.troubles.join("; ")}`);
  if (images) await loci.page.screenshot({ path: join(images, "loci.png") });
  await loci.context.close();
  const bode = await open(browser, path("bode"));
  const titles = await bode.page.locator("figure.chart h3").allTextContents();
  check(titles.join() === "Magnitude,Phase,Nyquist diagram", `bode: ${titles.join()}`);
  const curves = () => bode.page.locator("figure.chart >> nth=0 >> path").count();
  check((await curves()) === 2, "bode: a curve for each output");
  await bode.page.locator("figure.chart >> nth=0 >> .legend button >> nth=1").click();
  check((await curves()) === 1, "bode: the legend hides one");
  const box = await bode.page.locator("figure.chart svg >> nth=0").boundingBox();
  const line = await bode.page.evaluate(() => document.querySelector("figure.chart path").getAttribute("d").match(/M([\d.]+) ([\d.]+)/).slice(1).map(Number));
  await bode.page.mouse.move(box.x + (line[0] / 640) * box.width, box.y + (line[1] / 300) * box.height);
  const told = await bode.page.textContent("figure.chart .told");
  check(told.includes("rad/s 0.1,"), `bode: the pointer tells values (${told})`);
  check(bode.troubles.length === 0, `bode: no errors ${bode.troubles.join("; ")}`);
  if (images) await bode.page.screenshot({ path: join(images, "bode.png") });
  await bode.context.close();
}

// Sliders of a gradient: the scene and the curves follow by the derivatives that the CSV has, also from the stored result.
async function useSliders(browser) {
  const path = (end) => join(work, `gradient${end}`);
  driftless("gradient", join(examples, "pendulum.lua"), "--of", "x", "--by", "g,initial(der(y))", "--quiet", "--to", "1", "--every", "0.02", "--output", path(".html"), "--output", path(".h5"), "--output", path(".csv"));
  driftless("view", path(".h5"), "--quiet", "--output", path("-view.html"));
  const { names, rows } = readCsv(path(".csv"));
  const [x, slope] = ["x", "d(x)/d(g)"].map((name) => rows.map((row) => row[names.indexOf(name)]));
  for (const end of [".html", "-view.html"]) {
    const { page, context, troubles } = await open(browser, path(end));
    const look = () => page.evaluate(() => driftless.report.frames.columns.filter((column) => typeof column === "object").map((column) => [...column]));
    const before = await look();
    const k = before.findIndex((column) => column.every((v, i) => Math.abs(v - x[i]) < 1e-6 * (1 + Math.abs(x[i]))));
    check(k >= 0, `gradient${end}: the scene has the motion of the CSV`);
    await page.locator("input[data-parameter='g']").fill("50");
    const after = await look();
    const change = Number(await page.evaluate(() => document.querySelector("input[data-parameter='g']").parentElement.querySelector("output").textContent)) - 13.75;
    check(Math.abs(change - 1.375) < 1e-9, `gradient${end}: half way is a tenth of g`);
    check(after[k].every((v, i) => Math.abs(v - x[i] - change * slope[i]) < 1e-5), `gradient${end}: the scene follows to first order`);
    const curve = await page.evaluate(() => [...document.querySelectorAll("figure.plot")][0].plot.data[2]);
    check(Object.values(curve).every((v, i) => Math.abs(v - x[i] - change * slope[i]) < 1e-9), `gradient${end}: and the curve`);
    if (images && end === ".html") await page.screenshot({ path: join(images, "gradient.png") });
    await page.locator("#reset").click();
    check(JSON.stringify(await look()) === JSON.stringify(before), `gradient${end}: reset goes back`);
    check(troubles.length === 0, `gradient${end}: no errors ${troubles.join("; ")}`);
    await context.close();
  }
}

// The page of an optimization: both motions in the scene, the search, the fit and its residuals.
async function useOptimum(browser) {
  const path = (end) => join(work, `optimum${end}`);
  copyFileSync(join(here, "measured.csv"), join(work, "measured.csv"));
  copyFileSync(join(here, "fit.lua"), path(".lua"));
  driftless("optimize", path(".lua"), "--quiet", "--bootstrap", "30", "--output", path(".html"), "--output", path(".csv"), "--output", path(".json"));
  const { names, rows } = readCsv(path(".csv"));
  const best = JSON.parse(readFileSync(path(".json"), "utf8"));
  const { page, context, troubles } = await open(browser, path(".html"));
  const columns = await page.evaluate(() => driftless.frames.columns.map((column) => [...column]));
  const last = rows.at(-1)[names.indexOf("x")];
  check(columns.length === 2 && Math.abs(columns[1].at(-1) - last) < 1e-5, "optimum: the motion after is that of the best run");
  check(Math.abs(columns[0].at(-1) - columns[1].at(-1)) > 0.01, "optimum: the motion before is another one");
  const titles = await page.locator("figure.chart h3").allTextContents();
  check(titles.join() === "Search,x,x: residuals", `optimum: ${titles.join()}`);
  const told = await page.textContent("section[aria-label='what was found']");
  check(told.includes("by 30 resamples") && told.includes("…"), `optimum: the table has intervals by the bootstrap (${told})`);
  check(told.includes("k") && told.includes("±") && told.includes(`${best.runs} runs`), `optimum: the table has intervals (${told})`);
  check((await colours(page)) > 3, "optimum: there is something to see");
  check(troubles.length === 0, `optimum: no errors ${troubles.join("; ")}`);
  if (images) await page.screenshot({ path: join(images, "optimum.png") });
  await context.close();
}

// A click on a case shows a command; typed, it opens the motion of that case.
async function useStudy(browser) {
  const path = (end) => join(work, `study${end}`);
  driftless("sweep", join(examples, "slider-crank.lua"), "--over", "g=1.6,5,9.81,12", "--over", "m3=0.05,0.1", "--to", "0.3", "--set", "l2=0.31", "--quiet", "--replace", "--output", path(".h5"), "--csv", path(".csv"));
  driftless("view", path(".h5"), "--quiet", "--output", path(".html"));
  const lines = readFileSync(path(".csv"), "utf8").trim().split("\n").map((line) => line.split(","));
  const { page, context, troubles } = await open(browser, path(".html"));
  const figures = await page.locator("figure.chart h3").allTextContents();
  check(["Scatter plot", "Histogram", "Heat map"].every((title) => figures.includes(title)), `study: ${figures.join()}`);
  const points = page.locator("figure[aria-label='Scatter plot'] circle.case");
  check((await points.count()) === 8, "study: a point per case");
  check((await page.locator("figure[aria-label='Heat map'] rect").count()) === 8, "study: a cell per pair of values");
  await points.nth(4).click({ force: true });
  const command = await page.textContent("#command");
  const row = lines[5];
  check(command.includes(`--set g=${Number(row[0])}`) && command.includes(`--set m3=${Number(row[1])}`) && command.includes("--set l2=0.31"), `study: ${command}`);
  execFileSync("sh", ["-c", command.replace(/^driftless/, join(build, "driftless")) + " --quiet --output case.csv"], { cwd: work });
  const { names, rows } = readCsv(join(work, "case.csv"));
  const final = Number(row[lines[0].indexOf("pin-force.final")]);
  check(rows.at(-1)[names.indexOf("pin-force")] === final, "study: the command runs that case");
  const motion = await open(browser, join(work, "case4.html"));
  check((await colours(motion.page)) > 3, "study: its motion is shown");
  check(troubles.length + motion.troubles.length === 0, `study: no errors ${[...troubles, ...motion.troubles].join("; ")}`);
  await motion.context.close();
  await context.close();
}

// Cases that have failed, lack a number, or are alone: a page of each, with a line per case that has run.
async function useOddStudies(browser) {
  const path = (end) => join(work, `odd${end}`);
  writeFileSync(path(".lua"), "local a, b = param('a', 1), setting('b', 1) if b < 0 then error('no') end local x = position('x') mass(x, 1)\n" +
    "output('f', log(a)*x) output('g', 1e20) event('never', x - 100) event('late', time - a) initial{ x = 1 } simulate{ to = 1 }\n");
  const studies = [[["a=1"], 1, 0], [["b=-1,-2"], 0, 2], [["a=-1,0.5,2"], 3, 0], [["a=0.5,2", "b=-1,1"], 2, 2]];
  for (const [over, lines, failed] of studies) {
    const { status } = spawnSync(join(build, "driftless"), ["sweep", path(".lua"), ...over.flatMap((text) => ["--over", text]), "--quiet", "--replace", "--output", path(".h5")]);
    check(status === (lines > 0 ? 0 : 1), `odd study: status ${status} of ${over}`);
    driftless("view", path(".h5"), "--quiet", "--output", path(".html"));
    const { page, context, troubles } = await open(browser, path(".html"));
    check((await page.locator("figure[aria-label='Parallel coordinates'] path.case").count()) === lines, `odd study: lines of ${over}`);
    check((await page.locator("#failures tbody tr").count()) === failed, `odd study: failures of ${over}`);
    const numbers = await page.locator("svg [d], svg [cx]").evaluateAll((all) => all.map((one) => `${one.getAttribute("d")} ${one.getAttribute("cx")} ${one.getAttribute("cy")}`));
    check(!numbers.some((text) => /NaN|Infinity/.test(text)), `odd study: numbers of ${over}`);
    for (const select of await page.locator("select").all())
      for (const option of await select.locator("option").all()) await select.selectOption(await option.getAttribute("value"));
    check(troubles.length === 0, `odd study: no errors ${troubles.join("; ")}`);
    await context.close();
  }
}

// Marks, lanes and impulses, of a run and of its stored result.
async function useSwitches(browser) {
  const path = (name, end) => join(work, `${name}${end}`);
  for (const name of ["clutch", "ball"]) {
    driftless("run", join(examples, `${name}.lua`), "--quiet", "--report", path(name, ".html"), "--output", path(name, ".h5"));
    driftless("view", path(name, ".h5"), "--quiet", "--output", path(name, "-stored.html"));
  }
  for (const end of [".html", "-stored.html"]) {
    const clutch = await open(browser, path("clutch", end));
    const words = (at) =>
      clutch.page.evaluate((t) => {
        driftless.clock.set(t);
        return [...document.querySelectorAll("figure[aria-label=Modes] .u-value")].slice(1).map(({ textContent }) => textContent).join();
      }, at);
    check((await words(3)) === "slips,< 0", `switches${end}: the clutch slips at 3 s`);
    check((await words(7)) === "sticks,< 0" && (await words(9)) === "sticks,> 0", `switches${end}: it sticks at 7 s and 9 s`);
    check((await words(12.5)) === "slips,> 0", `switches${end}: it slips at 12.5 s`);
    // a point of a lane, or just above the axis, at some time
    const pixel = (label, t, part) =>
      clutch.page.evaluate(([which, at, height]) => {
        const { plot } = which ? document.querySelector(`figure[aria-label=${which}]`) : document.querySelector("figure.plot");
        const { top, height: whole } = plot.bbox;
        const copy = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
        copy.drawImage(plot.ctx.canvas, -Math.round(plot.valToPos(at, "x", true)), -Math.round(top + height * whole));
        return [...copy.getImageData(0, 0, 1, 1).data].join();
      }, [label, t, part]);
    check((await pixel("Modes", 4, 0.25)) !== (await pixel("Modes", 7, 0.25)), `switches${end}: lanes change their colour`);
    check((await pixel("Modes", 7, 0.25)) === (await pixel("Modes", 9.5, 0.25)), `switches${end}: and keep it with the mode`);
    check((await pixel("", 60 / 11, 0.5)) !== (await pixel("", 60 / 11 + 0.3, 0.5)), `switches${end}: plots mark the time of an event`);
    if (images) await clutch.page.screenshot({ path: join(images, `clutch${end}.png`), fullPage: true });
    check(clutch.troubles.length === 0, `switches${end}: no errors ${clutch.troubles.join("; ")}`);
    await clutch.context.close();
    const ball = await open(browser, path("ball", end));
    const [hit] = await ball.page.evaluate(() => driftless.report.switches.filter(({ kind }) => kind === "impact"));
    const speed = Math.sqrt(2 * 9.81 * 0.9);
    check(Math.abs(hit.impulses[0].value - 1.7 * speed) < 1e-6 && hit.impulses[0].name === "floor", `switches${end}: an impact has its impulse`);
    const push = 0.2 * 1.7 * speed; // by friction, which slows the ball and its spin: slip stays positive
    const lost = 0.5 * (0.51 * speed ** 2 + 2 ** 2 - (2 - push) ** 2 + 0.004 * (40 ** 2 - (40 - (push * 0.1) / 0.004) ** 2));
    check(Math.abs(hit.energy + lost) < 1e-6, `switches${end}: and its change of energy`);
    const line = await ball.page.textContent("#switches tbody tr");
    check(line.includes("impact") && line.includes("floor 7.14364") && line.includes("−9.50295"), `switches${end}: the table lists it (${line})`);
    check(ball.troubles.length === 0, `switches${end}: no errors ${ball.troubles.join("; ")}`);
    await ball.context.close();
  }
}

async function useDarkAndNarrow(browser) {
  const options = { colorScheme: "dark", viewport: { width: 420, height: 800 } };
  const { page, context, troubles } = await open(browser, join(work, "slider-crank.html"), options);
  const { background, wide } = await page.evaluate(() => ({
    background: getComputedStyle(document.body).backgroundColor,
    wide: document.documentElement.scrollWidth,
  }));
  check(background === "rgb(18, 22, 27)", "the page follows the system's dark colours");
  check(wide <= 420, `a narrow window needs no scrolling sideways (${wide})`);
  check(troubles.length === 0, `dark: no errors ${troubles.join("; ")}`);
  await context.close();
}

const browser = await chromium.launch({ executablePath, args: flags });
try {
  await useReport(browser, "slider-crank");
  await useReport(browser, "four-bar");
  if (!few) await useReport(browser, "spherical-pendulum");
  await useReport(browser, "rolling-disk", { colorScheme: "dark" });
  if (!few) await useReport(browser, "andrews");
  await useMechanism(browser, join(examples, "slider-crank-bodies.lua"), true, ["line bearing.ground", "line guide", "line crank", "line rod", "box slider", "cylinder pin"], "in rad");
  await useMechanism(browser, join(here, "spatial.lua"), false, ["line crank", "line coupler", "cylinder bearing", "sphere ball", "line pivot.ground", "spring return", "frame tool"], "in rad/s");
  await useMechanism(browser, join(here, "rolling.lua"), false, ["cylinder roll", "sphere rollball", "spring link"], "in m/s");
  if (!few) await useMoments(browser);
  if (!few) await useKeys(browser);
  if (!few) await useMouse(browser);
  await useHostile(browser);
  await useDegenerate(browser);
  await useStored(browser);
  await useAnalyses(browser);
  await useSliders(browser);
  await useOptimum(browser);
  await useStudy(browser);
  await useOddStudies(browser);
  await useSwitches(browser);
  if (!few) await useDarkAndNarrow(browser);
  await useLong(browser);
} finally {
  await browser.close();
}
console.log(failures === 0 ? "all as expected" : `${failures} failures`);
process.exit(failures === 0 && existsSync(work) ? 0 : 1);
