// What every page has to keep, whatever it shows.

import { statSync } from 'node:fs';
import * as inside from './inside.mjs';
import { hold, none, same } from './tests.mjs';

/** Most of a page, in bytes: it should fit into a mail. */
const MAX_BYTES = 5_000_000;
/** Longest time to open a page, in milliseconds; a second is meant, but machines of CI are slow. */
const MAX_LOAD = 5_000;
/** Longest time that a filter may take. */
const MAX_FILTER = 3_000;

/** Until all that was to be drawn is. */
const settled = (page) => page.evaluate(() => new Promise((done) => {
  setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 100);
}));

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;

/** It opens, quickly, without asking for anything, and its policy holds. */
export async function loads(browser, file) {
  const page = await browser.page(file);
  const size = statSync(file).size;
  hold(size <= MAX_BYTES, `it has ${size} bytes`);
  same(page.requests.filter((url) => !url.startsWith('data:')), [page.address], 'requests');
  none(await page.evaluate(() => window.violations), 'against its policy');
  const policy = await page.$eval('meta[http-equiv="Content-Security-Policy"]', (meta) => meta.content);
  hold(/default-src 'none'/.test(policy) && !/unsafe/.test(policy), `its policy: ${policy}`);
  same(await page.$$eval('script', (all) => all.length), 1, 'scripts');
  same(await page.$$eval('img, iframe, object, embed, base, link:not([href="data:,"])',
    (all) => all.map((one) => one.outerHTML)), [], 'elements that could load');
  hold(!/pwned/.test(await page.title()), 'a script of the text ran');
  const load = await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd);
  hold(load > 0 && load < MAX_LOAD, `it took ${seconds(load)} to open`);
  return `${seconds(load)}, ${Math.ceil(size / 1000)} kB`;
}

/** No script but its own runs, even where one gets into it. */
export async function policy(browser, file) {
  const page = await browser.page(file);
  const ran = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    const image = document.createElement('img');
    image.setAttribute('onerror', 'window.ran = true');
    image.src = 'https://example.invalid/x.png';
    document.body.append(image);
    await new Promise((done) => setTimeout(done, 200));
    return Boolean(window.ran);
  });
  const violations = await page.evaluate(() => window.violations);
  // That is what was asked for.
  page.trouble = [];
  hold(!ran, 'a script of others ran');
  const kinds = violations.map((one) => one.replace(/^([a-z]+)-[a-z-]*/, '$1'));
  for (const kind of ['script: inline', 'img: https://example.invalid/x.png']) {
    hold(kinds.includes(kind), `its policy holds back ${JSON.stringify(violations)}, not ${kind}`);
  }
}

/** Nothing is wider than the window. */
export async function width(browser, file) {
  for (const size of [1440, 1280, 768, 390]) {
    const page = await browser.page(file, { width: size });
    // As if all were open: what is closed has no width.
    await page.$$eval('main section:not(#made, #changes) details, main details.file', (all) => {
      all.slice(0, 60).forEach((one) => { one.open = true; });
    });
    const [whole, window, widest] = await page.evaluate(() => {
      const limit = document.documentElement.clientWidth;
      const clipped = (one) => {
        for (let up = one.parentElement; up !== document.body; up = up.parentElement) {
          if (getComputedStyle(up).overflowX !== 'visible') return true;
        }
        return false;
      };
      const wide = [...document.querySelectorAll('body *')].filter((one) => {
        const { left, right } = one.getBoundingClientRect();
        return left < limit && right > limit + 1;
      }).find((one) => !clipped(one));
      const name = wide ? `${wide.tagName}.${wide.className} in ${wide.parentElement.className}` : '';
      return [document.documentElement.scrollWidth, limit, name];
    });
    hold(whole <= window, `${size} wide, it needs ${whole}: ${widest}`);
    await page.close();
  }
}

/** What is shown after each choice, and how many are said to be, are those that the data has. */
export async function filters(browser, file) {
  const page = await browser.page(file);
  const all = await page.evaluate(inside.allChanges);
  hold(all.length > 0, 'it has no changes');
  const kindOf = (rule) => rule.split('/')[0];
  let slowest = 0;
  let tried = 0;
  const expect = async (what, holds) => {
    const wanted = all.filter(holds).map((one) => one.id);
    const [shown, said] = [await page.evaluate(inside.shownChanges), await page.evaluate(inside.saidCount)];
    same(said, wanted.length, `${what}: the number that it says`);
    const extra = shown.filter((id) => !wanted.includes(id));
    const lost = wanted.filter((id) => !shown.includes(id));
    hold(!extra.length && !lost.length, `${what}: shown too much ${extra.slice(0, 5)}, too little ${lost.slice(0, 5)}`);
    tried += 1;
  };
  const timed = async (body) => {
    const time = await page.evaluate(body.run, ...body.with);
    slowest = Math.max(slowest, time);
    hold(time < MAX_FILTER, `a filter took ${seconds(time)}`);
  };
  const set = (id, value) => timed({
    run: (id, value) => {
      const begin = performance.now();
      const field = document.getElementById(id);
      field.value = value;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      document.body.getBoundingClientRect();
      return performance.now() - begin;
    },
    with: [id, value],
  });
  const options = (id) => page.$$eval(`#${id} option`, (found) => found.map((one) => one.value));
  const reset = async () => {
    await page.$eval('#reset', (button) => button.click());
    await page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
  };

  await expect('at first', () => true);
  const choices = { 'by-rule': 'rules', 'by-file': 'file', 'by-cause': 'causes' };
  for (const [id, field] of Object.entries(choices)) {
    if (!(await page.$(`#${id}`))) continue;
    const values = (await options(id)).filter(Boolean);
    hold(values.length > 0, `#${id} has no choice`);
    const some = [0, 0.5, 0.99].map((at) => values[Math.floor(at * values.length)]);
    for (const value of new Set(some)) {
      await set(id, value);
      await expect(`${id} ${value}`, (one) => [one[field]].flat().includes(value));
    }
    // Each choice finds something, or it would be none.
    const idle = values.filter((value) => !all.some((one) => [one[field]].flat().includes(value)));
    none(idle, `choices of #${id} that nothing has`);
    await set(id, '');
    await expect(`${id} taken back`, () => true);
  }
  if (await page.$('#by-rule')) {
    const [rule] = all.flatMap((one) => one.rules);
    const { file: path } = all.findLast((one) => one.rules.includes(rule));
    await set('by-rule', rule);
    await set('by-file', path);
    await expect('rule and file', (one) => one.rules.includes(rule) && one.file === path);
    await reset();
    await expect('all taken back', () => true);
  }
  if (await page.$('#essential')) {
    const noise = ['includes', 'comments'];
    const essential = (one) => !one.rules.length || one.rules.some((rule) => !noise.includes(kindOf(rule)));
    await page.$eval('#essential', (button) => button.click());
    await expect('except includes and comments', essential);
    same(await page.$eval('#essential', (button) => button.ariaPressed), 'true', 'it says so');
    await page.$eval('#essential', (button) => button.click());
    await expect('with them again', () => true);
    const kind = kindOf(all.find((one) => one.rules.length).rules[0]);
    const box = `#filter input[value="${kind}"]`;
    await page.$eval(box, (found) => found.click());
    await expect(`without ${kind}`, (one) => !one.rules.length || one.rules.some((rule) => kindOf(rule) !== kind));
    await reset();
  }
  const word = all.map((one) => /[a-z_]{6,}/.exec(one.text)).find(Boolean)[0];
  const has = (one) => `${one.file} ${one.rules.join(' ')} ${one.text}`.toLowerCase().includes(word);
  await set('search', word.toUpperCase());
  await expect(`search for ${word}`, has);
  await set('search', 'no such text in any change');
  await expect('search for nothing', () => false);
  await reset();
  await expect('all back', () => true);
  return `${tried} choices, the slowest took ${seconds(slowest)}`;
}

/** j, k, /, ?, Escape; and Tab begins at a link to the text. */
export async function keys(browser, file) {
  const page = await browser.page(file);
  const here = () => page.$$eval('.change.here', (all) => all.map((one) => one.id));
  const shown = await page.evaluate(inside.shownChanges);
  const at = async (id, what) => {
    same(await here(), [id], what);
    await settled(page);
    same(await page.evaluate(inside.inView, id), '', `${what}: ${id} in view`);
    same(await page.evaluate(() => document.activeElement.id), id, `${what}: focus`);
  };
  await page.keyboard.press('j');
  const [first] = await here();
  const start = shown.indexOf(first);
  hold(start >= 0, `j goes to ${first}`);
  if (start + 2 < shown.length) {
    await page.keyboard.press('j');
    await at(shown[start + 1], 'j again');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await at(shown[start + 1], 'j and k');
  }
  // Those that a filter hides are left out.
  if (await page.$('#essential')) {
    await page.keyboard.press('e');
    const left = await page.evaluate(inside.shownChanges);
    if (left.length) {
      for (let step = 0; step < 5; step += 1) {
        await page.keyboard.press('j');
        const [id] = await here();
        hold(left.includes(id) || step > left.length - 2, `j goes to ${id}, which is hidden`);
      }
    }
    await page.keyboard.press('e');
  }
  const before = await here();
  await page.keyboard.press('/');
  same(await page.evaluate(() => document.activeElement.id), 'search', 'focus after /');
  await page.keyboard.type('jk?e');
  same(await page.$eval('#search', (field) => field.value), 'jk?e', 'what was typed');
  same(await here(), before, 'the place while typing');
  same(await page.$eval('#help', (dialog) => dialog.open), false, 'help while typing');
  await page.keyboard.press('Escape');
  hold((await page.evaluate(() => document.activeElement.id)) !== 'search', 'Escape stays');
  await page.keyboard.press('?');
  same(await page.$eval('#help', (dialog) => dialog.open), true, 'help after ?');
  await page.keyboard.press('Escape');
  same(await page.$eval('#help', (dialog) => dialog.open), false, 'help after Escape');

  const fresh = await browser.page(file);
  await fresh.keyboard.press('Tab');
  const focused = await fresh.evaluate(() => {
    const { activeElement: now } = document;
    const { top, bottom, left, width: wide } = now.getBoundingClientRect();
    const seen = top >= 0 && bottom <= innerHeight && left >= 0 && wide > 20;
    const style = getComputedStyle(now);
    return [now.getAttribute('href'), seen, style.outlineStyle !== 'none' || style.boxShadow !== 'none'];
  });
  same(focused, ['#main', true, true], 'the first Tab: skip link, in view, with a frame');
  await fresh.keyboard.press('Enter');
  same(await fresh.evaluate(() => document.activeElement.id), 'main', 'focus after the skip link');
}

/** Addresses of files, lines and rules open what they name. */
export async function links(browser, file) {
  const first = await browser.page(file);
  const ids = await first.evaluate(() => {
    const found = {};
    for (const part of ['made', 'changes']) {
      const files = [...document.querySelectorAll(`#${part} details.file`)];
      if (!files.length) continue;
      const changes = [...document.querySelectorAll(`#${part} .change`)];
      found[`file in #${part}`] = files.at(-1).id;
      found[`change in #${part}`] = changes.at(-1).id;
      found[`change amid #${part}`] = changes[Math.floor(changes.length / 2)].id;
    }
    const rules = [...document.querySelectorAll('[id^="rule/"]')];
    if (rules.length) found.rule = rules.at(-1).id;
    return found;
  });
  hold(Object.keys(ids).length > 0, 'there is nothing to link to');
  for (const [what, id] of Object.entries(ids)) {
    const page = await browser.page(file, { hash: `#${id}` });
    await settled(page);
    same(await page.evaluate(inside.inView, id), '', `${what}, #${id}, when opened with it`);
    await page.close();
    await first.evaluate((name) => { location.hash = name; }, id);
    await settled(first);
    same(await first.evaluate(inside.inView, id), '', `${what}, #${id}, when followed`);
  }
  // A line in the midst of a file, by its number in the new text.
  const line = await first.evaluate(() => {
    const last = [...document.querySelectorAll('details.file')].at(-1);
    const heads = [...last.querySelectorAll('tr')].map((row) => [...row.querySelectorAll('th')].at(-1));
    const numbers = heads.map((head) => (head ? Number(head.textContent) : 0)).filter(Boolean);
    return [last.id, numbers[Math.floor(numbers.length / 2)]];
  });
  const page = await browser.page(file, { hash: `#${line.join(':')}` });
  await settled(page);
  const seen = await page.evaluate((id, number) => {
    const rows = [...document.getElementById(id).querySelectorAll('tr')];
    const row = rows.find((one) => {
      const head = [...one.querySelectorAll('th')].at(-1);
      return head && Number(head.textContent) === number;
    });
    const { top, height } = row.getBoundingClientRect();
    return height > 0 && top >= 0 && top < innerHeight;
  }, ...line);
  hold(seen, `line ${line.join(':')} is not in view`);
  return `${Object.keys(ids).length + 1} kinds of address`;
}

/** Without scripts all is there, and nothing that needs one. */
export async function withoutScript(browser, file) {
  const usual = await browser.page(file);
  const wanted = await usual.evaluate(inside.allChanges);
  const sections = await usual.$$eval('main section', (all) => all.map((one) => one.id));
  const page = await browser.page(file, { script: false });
  same((await page.evaluate(inside.shownChanges)).length, wanted.length, 'changes that are shown');
  same(await page.$$eval('main section', (all) => all.map((one) => one.id)), sections, 'sections');
  const texts = await page.evaluate(inside.allChanges);
  same(texts.map((one) => one.text.length), wanted.map((one) => one.text.length), 'texts of changes');
  const idle = await page.evaluate(() => {
    const controls = '#filter, #shown, button, input, select';
    return [...document.querySelectorAll(controls)]
      .filter((one) => one.getClientRects().length > 0)
      .map((one) => one.outerHTML.slice(0, 80));
  });
  none(idle, 'controls that do nothing');
  // A file opens by a click, as the browser has it.
  if (wanted.length) {
    const opened = await page.evaluate(() => {
      const file = document.querySelector('details.file:not([open])') || document.querySelector('details.file');
      file.open = false;
      file.querySelector('summary').click();
      return file.open && file.querySelector('.change').getBoundingClientRect().height > 0;
    });
    hold(opened, 'a file does not open');
  }
}

/** Both themes, by the system's wish and by the button; in both, texts can be read. */
export async function themes(browser, file) {
  const faint = [];
  const grounds = {};
  let looked = 0;
  for (const scheme of ['light', 'dark']) {
    const page = await browser.page(file, { scheme });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    grounds[scheme] = await ground();
    const found = await page.evaluate(inside.faintTexts);
    looked += found.looked;
    faint.push(...found.faint.map((text) => `${scheme}: ${text}`));
    await page.$eval('#theme', (button) => button.click());
    grounds[`${scheme}, switched`] = await ground();
    await page.close();
  }
  hold(grounds.light !== grounds.dark, `both themes have ${grounds.light}`);
  same(grounds['light, switched'], grounds.dark, 'light, switched');
  same(grounds['dark, switched'], grounds.light, 'dark, switched');
  none(faint, 'contrast');
  return `${looked} kinds of text`;
}

/** Landmarks, headings, labels; and what axe finds. */
export async function access(browser, file, { colours = false } = {}) {
  const page = await browser.page(file);
  none(await page.evaluate(inside.structure), 'structure');
  await page.evaluate(browser.axe);
  const found = await page.evaluate(async (withColours) => {
    const options = { resultTypes: ['violations'], rules: { 'color-contrast': { enabled: withColours } } };
    const { violations, passes } = await window.axe.run(document, options);
    const bad = violations.filter((one) => ['serious', 'critical', 'moderate'].includes(one.impact));
    const told = bad.map((one) => `${one.impact} ${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join('\n    ')}`);
    return [told, passes.length];
  }, colours);
  none(found[0], 'axe');
  hold(found[1] > 20, `axe tried ${found[1]} rules only`);
  return `${found[1]} rules of axe pass`;
}

/** On paper: no controls, dark on light, and a document comes out. */
export async function print(browser, file, { pdf = false } = {}) {
  const page = await browser.page(file, { scheme: 'dark' });
  await page.emulateMediaType('print');
  const seen = await page.$$eval('#filter, #files, #sections, button, .skip', (all) =>
    all.filter((one) => one.getClientRects().length > 0).map((one) => one.outerHTML.slice(0, 80)));
  none(seen, 'on paper');
  const { faint } = await page.evaluate(inside.faintTexts);
  none(faint, 'contrast on paper');
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  hold(['rgb(255, 255, 255)', 'rgba(0, 0, 0, 0)'].includes(ground), `paper is ${ground}`);
  if (!pdf) return '';
  const document = await page.pdf();
  hold(document.length > 5_000, 'an empty document');
  return `${Math.ceil(document.length / 1000)} kB as PDF`;
}

/** Charts: each has a name, and no text lies over another. */
export async function charts(browser, file) {
  let looked = 0;
  for (const size of [1280, 390]) {
    const page = await browser.page(file, { width: size });
    const found = await page.evaluate(inside.badCharts);
    none(found.wrong, `${size} wide`);
    looked = found.looked;
  }
  hold(looked > 0, 'there is none');
  return `${looked} charts`;
}
