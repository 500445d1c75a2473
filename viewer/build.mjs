// Bundles the page's program and style sheet and writes them as one C file.
// usage: node viewer/build.mjs FOLDER     (FOLDER has node_modules; gets viewer.c)
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? "build/viewer");
const packages = join(folder, "node_modules");
const esbuild = createRequire(join(folder, "package.json"))("esbuild");

await esbuild.build({
  entryPoints: [join(here, "src", "start.js")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  legalComments: "inline",
  nodePaths: [packages],
  outfile: join(folder, "page.js"),
  logLevel: "warning",
});

const files = { css: "page.css", js: "page.js" };
let text = '#include "report/report_internal.h"\n';
for (const [name, file] of Object.entries(files)) {
  const bytes = readFileSync(join(folder, file));
  if (/<\/(script|style)/i.test(bytes)) throw new Error(`${file} would end its element early`);
  text += `const unsigned char dfl_viewer_${name}[] = {\n${array(bytes)}};\n`;
  text += `const size_t dfl_viewer_${name}_length = ${bytes.length};\n`;
}
writeFileSync(join(folder, "viewer.c"), text);

function array(bytes) {
  const lines = [];
  for (let i = 0; i < bytes.length; i += 32) lines.push(Array.from(bytes.subarray(i, i + 32)).join() + ",\n");
  return lines.join("");
}
