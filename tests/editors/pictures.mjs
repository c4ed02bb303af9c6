// The pictures of docs/editors, cut from those that the tests leave: of the sample, and of real code where that was drawn.
// usage: node pictures.mjs SHOTS
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const docs = path.join(here, "../../docs/editors/pictures");
const shots = path.resolve(process.argv[2]);
const { chromium } = createRequire(path.join(here, "../../editors/vscode/package.json"))("playwright-core");

const PICTURES = {
  "neovim-neighbourhood": ["neovim-neighbourhood", { x: 0, y: 0, width: 900, height: 540 }],
  "vscode-graph": ["graph-expanded-dark", { x: 0, y: 0, width: 1440, height: 900 }],
  "vscode-hover": ["hover-dark", { x: 348, y: 80, width: 732, height: 560 }],
  "vscode-findings": ["findings-dark", { x: 0, y: 30, width: 1000, height: 610 }],
  "vscode-tour": ["tour-light", { x: 0, y: 30, width: 900, height: 870 }],
  "vscode-impact": ["impact-dark", { x: 894, y: 30, width: 546, height: 870 }],
};

/** Half of a window, as `PARTS=real` leaves it. */
const HALF = { x: 894, y: 30, width: 546, height: 844 };
const REAL = {
  flask: "pallets-flask",
  django: "django-5-2-19",
  hono: "honojs-hono",
  excalidraw: "excalidraw-excalidraw",
};
const THEMES = { light: "Default-Light-Modern", dark: "Default-Dark-Modern" };
for (const [name, folder] of Object.entries(REAL)) {
  for (const [shade, theme] of Object.entries(THEMES)) {
    for (const part of ["near", "map"])
      PICTURES[`real-${name}-${part}-${shade}`] = [`real-${folder}-${theme}-${part}`, HALF];
  }
}
PICTURES["real-django-db-light"] = ["real-django-5-2-19-Default-Light-Modern-unfolded", HALF];
PICTURES["real-django-near-contrast"] = ["real-django-5-2-19-Default-High-Contrast-near", HALF];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
let count = 0;
for (const [name, [shot, clip]] of Object.entries(PICTURES)) {
  if (!existsSync(path.join(shots, `${shot}.png`))) continue;
  count += 1;
  const image = readFileSync(path.join(shots, `${shot}.png`)).toString("base64");
  await page.setContent(`<body style="margin:0"><img src="data:image/png;base64,${image}"></body>`);
  await page.waitForFunction(() => document.images[0]?.naturalWidth > 0);
  await page.screenshot({ path: path.join(docs, `${name}.png`), clip });
}
await browser.close();
console.log(`${count} pictures in ${path.relative(process.cwd(), docs)}`);
