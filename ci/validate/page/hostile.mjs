// A source that wants to be more than text. ci/page writes it, between lines that a release has.

import * as inside from './inside.mjs';
import { hold, none, same } from './tests.mjs';

export async function hostile(tests, browser, file) {
  const text = (page) => page.$eval('#main', (main) => main.textContent);

  await tests.test('hostile text is text', async () => {
    const page = await browser.page(file);
    const shown = await text(page);
    for (const part of [
      '</script><script>document.title="pwned"</script>',
      '</td></tr></table><img src=x onerror=document.title="pwned">',
      '&lt;not a tag&gt; &amp; &#x202e;',
      "<style>body{display:none}</style>",
      '--><!--[if x]>]]>',
    ]) {
      hold(shown.includes(part), `it does not show ${part}`);
    }
    same(await page.$$eval('main script, main style, main img', (all) => all.length), 0, 'elements');
    hold(!/pwned/.test(await page.title()), 'a script of the text ran');
    const size = await page.$eval('main', (main) => main.getBoundingClientRect().height);
    hold(size > 100, 'the text hid the page');
  });

  await tests.test('hostile characters are shown', async () => {
    const page = await browser.page(file);
    none(await page.evaluate(inside.oddCharacters), 'characters that act or hide');
    const odd = await page.$$eval('.odd', (all) => all.map((one) => `${one.title} ${one.textContent}`));
    for (const part of ['U+202E ', 'U+2066 ', 'U+200B ', 'U+0085 ', '⟨FF⟩', 'U+FFFD ', '␛']) {
      hold(odd.some((one) => one.includes(part)), `nothing marks ${part}`);
    }
  });

  await tests.test('hostile lines stay in bounds', async () => {
    const page = await browser.page(file);
    const longest = await page.$$eval('td', (all) =>
      all.reduce((most, cell) => Math.max(most, cell.textContent.length), 0));
    hold(longest > 1_000, `no long line is there: ${longest}`);
    hold(longest < 20_000, `a line of ${longest} characters`);
    same(await page.$$eval('[title*="longer"]', (all) => all.length > 0), true, 'it says what is cut');
  });
}
