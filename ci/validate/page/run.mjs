#!/usr/bin/env node
// Opens pages in a browser, and says of each test how it went: run.mjs TOOLS PAGES [SCREENSHOTS]
//
// TOOLS has puppeteer-core and axe-core in its node_modules. PAGES has pages by these names, and those
// that are missing are left out: tiny.html and hostile.html of a small library, charts.html with figures
// of every kind, import.html of a release, diff.html of two, linux.html of one and a kernel tree.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from './browser.mjs';
import { Tests } from './tests.mjs';
import * as checks from './checks.mjs';
import { hostile } from './hostile.mjs';
import { screenshots } from './screenshots.mjs';

const [tools, folder, pictures] = process.argv.slice(2);
if (!folder) {
  console.error('usage: run.mjs TOOLS PAGES [SCREENSHOTS]');
  process.exit(2);
}

const browser = await Browser.start(tools);
const tests = new Tests(browser);
console.log(`browser: ${await browser.browser.version()}`);

for (const name of ['tiny', 'hostile', 'charts', 'import', 'diff', 'linux']) {
  const file = join(folder, `${name}.html`);
  if (!existsSync(file)) continue;
  const run = (what, check, ...more) => tests.test(`${name} ${what}`, () => check(browser, file, ...more));
  const large = ['import', 'diff', 'linux'].includes(name);
  await run('opens', checks.loads);
  await run('runs no script of others', checks.policy);
  await run('is no wider than the window', checks.width);
  if (name !== 'charts') {
    await run('filters', checks.filters);
    await run('has keys', checks.keys);
    await run('has addresses', checks.links);
  }
  await run('is whole without script', checks.withoutScript);
  await run('has two themes', checks.themes);
  await run('is accessible', checks.access, { colours: !large });
  await run('can be printed', checks.print, { pdf: !large });
  if (name === 'charts') await run('draws charts', checks.charts);
  if (name === 'hostile') await hostile(tests, browser, file);
}
if (pictures) {
  mkdirSync(pictures, { recursive: true });
  await tests.test('screenshots', () => screenshots(browser, folder, pictures));
}

await browser.stop();
process.exit(tests.finish() ? 0 : 1);
