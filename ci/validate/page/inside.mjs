// What is asked of a page from inside of it. Each function is sent there as text, so it knows nothing
// of what stands around it; nor does it know how the page's own script works.

/** Changes that a reader could see, by the style that counts; one in a closed file is one. */
export function shownChanges() {
  const gone = new Map();
  const isGone = (element) => {
    if (!element) return false;
    if (!gone.has(element)) {
      const own = getComputedStyle(element).display === 'none';
      gone.set(element, own || isGone(element.parentElement));
    }
    return gone.get(element);
  };
  return [...document.querySelectorAll('.change')].filter((one) => !isGone(one)).map((one) => one.id);
}

/** All changes: by what one can filter. */
export function allChanges() {
  const words = (text) => (text ? text.split(' ') : []);
  return [...document.querySelectorAll('.change')].map((one) => ({
    id: one.id,
    rules: words(one.dataset.rules),
    causes: words(one.dataset.cause),
    file: one.closest('details.file').dataset.path,
    text: one.textContent.toLowerCase(),
  }));
}

/** What the page says of the number of changes: the first number in it. */
export function saidCount() {
  const said = document.getElementById('shown').textContent;
  const number = /[\d,]+/.exec(said);
  return number ? Number(number[0].replaceAll(',', '')) : -1;
}

/** Whether the element by this id is open to the eye and, at least its beginning, in the window. */
export function inView(id) {
  const element = document.getElementById(id);
  if (!element) return `there is no #${id}`;
  for (let up = element; up; up = up.parentElement) {
    if (up.tagName === 'DETAILS' && !up.open && up !== element) return `${up.id} is closed`;
  }
  const at = element.getBoundingClientRect();
  if (at.height === 0) return 'it has no height';
  if (at.bottom < 0 || at.top > innerHeight) return `it is at ${at.top} of ${innerHeight}`;
  return '';
}

/** Texts whose contrast is below what WCAG asks for: 4.5, or 3 for large ones. */
export function faintTexts() {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const brush = canvas.getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const parse = (color) => {
    if (!known.has(color)) {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = color;
      brush.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
      known.set(color, [r, g, b, a / 255]);
    }
    return known.get(color);
  };
  const over = (top, below) =>
    [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
  const background = (element) => {
    const layers = [];
    for (let up = element; up; up = up.parentElement) {
      const layer = parse(getComputedStyle(up).backgroundColor);
      if (layer[3] > 0) layers.push(layer);
      if (layer[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const light = ([r, g, b]) => {
    const part = (value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const signature = (element) => {
    const names = [];
    for (let up = element; up && names.length < 7; up = up.parentElement) {
      names.push(`${up.tagName}.${up.getAttribute('class') || ''}`);
    }
    return names.join(' < ');
  };
  const seen = new Set();
  const faint = [];
  let looked = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || element.closest('script, style, title, desc')) continue;
    const name = signature(element);
    if (seen.has(name)) continue;
    seen.add(name);
    looked += 1;
    const style = getComputedStyle(element);
    const inChart = element.namespaceURI.endsWith('/svg');
    const color = [...parse(inChart ? style.fill : style.color)];
    for (let up = element; up; up = up.parentElement) color[3] *= Number(getComputedStyle(up).opacity);
    const below = background(element);
    const [one, other] = [light(over(color, below)), light(below)].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5)) {
      faint.push(`${contrast.toFixed(2)} ${name}: ${texts.currentNode.data.trim().slice(0, 40)}`);
    }
  }
  return { faint, looked };
}

/** What is wrong with landmarks, headings, labels and ids. */
export function structure() {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const expect = (holds, text) => holds || wrong.push(text);
  expect(document.documentElement.lang, 'no language');
  expect(document.compatMode === 'CSS1Compat', 'quirks mode');
  expect(all('main#main').length === 1, 'not one main');
  expect(all('header[role=banner], body > header').length === 1, 'not one banner');
  expect(all('h1').length === 1, 'not one h1');
  all('nav').forEach((nav) => expect(nav.getAttribute('aria-label'), 'a nav without a label'));
  let level = 0;
  for (const heading of all('h1, h2, h3, h4, h5, h6')) {
    if (heading.closest('dialog')) continue;
    const next = Number(heading.tagName[1]);
    expect(next <= level + 1, `h${next} below h${level}: ${heading.textContent.slice(0, 40)}`);
    expect(heading.textContent.trim(), `an empty h${next}`);
    level = next;
  }
  all('main section').forEach((one) => {
    expect(one.id && one.querySelector('h2'), `section ${one.id} without id or h2`);
  });
  for (const control of all('input, select, textarea, button')) {
    const name = control.getAttribute('aria-label') || control.textContent.trim();
    const labelled = control.labels && control.labels.length > 0;
    const isButton = control.tagName === 'BUTTON';
    expect(labelled || (isButton && name) || control.ariaLabel, `no label: ${control.outerHTML}`);
  }
  const ids = new Set();
  for (const element of all('[id]')) {
    expect(!ids.has(element.id), `twice: #${element.id}`);
    ids.add(element.id);
  }
  for (const link of all('a[href^="#"]')) {
    const id = decodeURIComponent(link.getAttribute('href').slice(1));
    const line = /^(.*):\d+$/.exec(id);
    expect(ids.has(id) || (line && ids.has(line[1])), `leads nowhere: #${id}`);
  }
  all('a:not([href^="#"])').forEach((link) => wrong.push(`leads away: ${link.outerHTML.slice(0, 80)}`));
  all('table').forEach((table) => {
    const bare = table.closest('.file') || table.caption || table.getAttribute('aria-label');
    expect(bare || table.querySelector('th'), 'a table without caption and heads');
  });
  return wrong;
}

/** Charts in which texts overlap or stick out, and those without a name. */
export function badCharts() {
  const wrong = [];
  let looked = 0;
  for (const chart of document.querySelectorAll('svg.chart')) {
    for (let up = chart; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
    looked += 1;
    const title = chart.querySelector(':scope > title');
    const words = title ? title.textContent : '';
    if (!words || !chart.querySelector(':scope > desc') || chart.getAttribute('role') !== 'img') {
      wrong.push(`a chart without name, description or role: ${words}`);
    }
    const frame = chart.getBoundingClientRect();
    const boxes = [...chart.querySelectorAll('text')].map((text) => ({
      text: text.textContent,
      at: text.getBoundingClientRect(),
    }));
    boxes.sort((one, other) => one.at.left - other.at.left);
    boxes.forEach((one, index) => {
      const { at } = one;
      const inside = at.left >= frame.left - 1 && at.right <= frame.right + 1
        && at.top >= frame.top - 1 && at.bottom <= frame.bottom + 1;
      if (!inside) wrong.push(`${words}: \`${one.text}\` sticks out`);
      for (let next = index + 1; next < boxes.length; next += 1) {
        const other = boxes[next].at;
        if (other.left >= at.right) break;
        // Lines of text may share a bit of their leading.
        if (other.top < at.bottom - 3 && at.top < other.bottom - 3) {
          wrong.push(`${words}: \`${one.text}\` and \`${boxes[next].text}\` overlap`);
        }
      }
    });
  }
  return { wrong, looked };
}

/** Characters in text and attributes that turn the reading direction, control or hide. */
export function oddCharacters() {
  const odd = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;
  const found = [];
  const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ALL);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (node.nodeType === 3 && odd.test(node.data)) found.push(node.data.slice(0, 60));
    if (node.nodeType !== 1) continue;
    for (const { value } of node.attributes) if (odd.test(value)) found.push(value.slice(0, 60));
  }
  return found.map((text) => JSON.stringify(text));
}
