// Pictures for people: what a test can't see.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the picture, page, address within it, width, theme. */
const PICTURES = [
  ['import-top', 'import', '', 1280, 'light'],
  ['import-top-dark', 'import', '', 1280, 'dark'],
  ['import-top-narrow', 'import', '', 390, 'light'],
  ['import-file', 'import', 'details.file', 1440, 'light'],
  ['import-file-dark', 'import', 'details.file', 1440, 'dark'],
  ['diff-top', 'diff', '', 1280, 'light'],
  ['diff-causes', 'diff', '#causes', 1280, 'dark'],
  ['diff-file', 'diff', '#changes details.file', 1440, 'light'],
  ['diff-file-narrow', 'diff', '#changes details.file', 390, 'dark'],
  ['linux-top', 'linux', '', 1280, 'light'],
  ['hostile-file', 'hostile', '#changes details.file', 1280, 'light'],
  ['hostile-narrow', 'hostile', '#changes details.file', 390, 'light'],
  ['charts-cost', 'charts', '#cost', 1280, 'light'],
  ['charts-cost-dark', 'charts', '#cost', 1280, 'dark'],
  ['charts-speed', 'charts', '#speed', 1280, 'light'],
  ['charts-speed-narrow', 'charts', '#speed', 390, 'dark'],
  ['help', 'tiny', 'help', 1280, 'light'],
];

export async function screenshots(browser, folder, pictures) {
  let count = 0;
  for (const [name, of, place, width, scheme] of PICTURES) {
    const file = join(folder, `${of}.html`);
    if (!existsSync(file)) continue;
    const page = await browser.page(file, { width, scheme, height: 1100 });
    if (place === 'help') {
      await page.keyboard.press('?');
    } else if (place) {
      await page.$eval(place, (element) => {
        if (element.tagName === 'DETAILS') element.open = true;
        element.scrollIntoView({ block: 'start' });
      });
    }
    await page.screenshot({ path: join(pictures, `${name}.png`) });
    await page.close();
    count += 1;
  }
  return `${count} in ${pictures}`;
}
