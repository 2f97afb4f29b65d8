'use strict';
// Filters, keys and addresses of lines. The page is whole without it.
(() => {
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  root.classList.remove('no-js');

  const files = [...document.querySelectorAll('details.file')];
  const changes = [...document.querySelectorAll('.change')];
  const fileOf = new Map();
  for (const file of files) {
    for (const change of file.querySelectorAll('.change')) fileOf.set(change, file);
  }
  const words = (text) => (text ? text.split(' ') : []);
  const kindOf = (rule) => rule.split('/')[0];
  const noise = ['includes', 'comments'];

  // Filters

  const form = $('filter');
  const kinds = form ? [...form.querySelectorAll('[name=kind]')] : [];
  const value = (id) => ($(id) ? $(id).value : '');
  const texts = new Map();
  const textOf = (change) => {
    if (!texts.has(change)) {
      const path = fileOf.get(change).dataset.path;
      texts.set(change, `${path} ${change.dataset.rules || ''} ${change.textContent}`.toLowerCase());
    }
    return texts.get(change);
  };

  const wanted = () => {
    const on = new Set(kinds.filter((box) => box.checked).map((box) => box.value));
    const [text, rule, file, cause] = ['search', 'by-rule', 'by-file', 'by-cause'].map(value);
    const onlyCode = $('only-code') && $('only-code').checked;
    const needle = text.trim().toLowerCase();
    return (change) => {
      const rules = words(change.dataset.rules);
      if (rules.length && !rules.some((one) => on.has(kindOf(one)))) return false;
      if (rule && !rules.includes(rule)) return false;
      if (file && fileOf.get(change).dataset.path !== file) return false;
      if (cause && !words(change.dataset.cause).includes(cause)) return false;
      if (onlyCode && 'plain' in change.dataset) return false;
      return !needle || textOf(change).includes(needle);
    };
  };

  const number = (count) => count.toLocaleString('en');

  // What stands around changes is of use only beside one that is shown.
  const surroundings = (file, all) => {
    const bodies = [...file.querySelectorAll('.d > tbody')];
    const is = (body, name) => body && body.classList.contains(name);
    const live = (body) => is(body, 'change') && !body.hidden;
    const seen = (body) => is(body, 'x') && !body.hidden;
    for (const [at, body] of bodies.entries()) {
      if (is(body, 'x')) body.hidden = !all && !live(bodies[at - 1]) && !live(bodies[at + 1]);
    }
    let below = false;
    for (const body of [...bodies].reverse()) {
      below ||= live(body);
      if (is(body, 'h')) [body.hidden, below] = [!all && !below, false];
    }
    // Of some gaps with nothing shown between, the first stands for all.
    let said = false;
    for (const [at, body] of bodies.entries()) {
      if (!is(body, 'g')) {
        if (!body.hidden) said = false;
        continue;
      }
      const [before, after] = [bodies[at - 1], bodies[at + 1]].map((other) => !other || seen(other));
      body.hidden = !all && (said || !(before || after));
      body.classList.toggle('cut', !all && !(before && after));
      if (!body.hidden) said = true;
    }
    file.hidden = !all && !bodies.some(live);
  };

  const filter = () => {
    if (!form) return;
    const shows = wanted();
    let shown = 0;
    for (const change of changes) {
      change.hidden = !shows(change);
      if (!change.hidden) shown += 1;
    }
    const all = shown === changes.length;
    for (const file of files) surroundings(file, all);
    $('shown').textContent = all
      ? `${number(shown)} changes`
      : `${number(shown)} of ${number(changes.length)} changes shown`;
    const essential = $('essential');
    if (essential) {
      const isOff = (box) => box.checked !== noise.includes(box.value);
      essential.setAttribute('aria-pressed', String(kinds.some((box) => !box.checked) && kinds.every(isOff)));
    }
  };

  const toggleEssential = () => {
    const pressed = $('essential').getAttribute('aria-pressed') === 'true';
    for (const box of kinds) box.checked = pressed || !noise.includes(box.value);
    filter();
  };

  if (form) {
    form.addEventListener('input', filter);
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => setTimeout(filter));
    if ($('essential')) $('essential').addEventListener('click', toggleEssential);
    $('unfold').addEventListener('click', () => {
      const open = files.some((file) => !file.hidden && !file.open);
      for (const file of files) if (!file.hidden) file.open = open;
    });
  }

  // From change to change

  // Sizes of what was never drawn are guesses: once it is, the place is another.
  const show = (element, block) => {
    element.scrollIntoView({ block });
    requestAnimationFrame(() => requestAnimationFrame(() => element.scrollIntoView({ block })));
  };
  let here = null;
  const reveal = (element) => {
    for (let up = element; up; up = up.parentElement) {
      if (up.tagName === 'DETAILS') up.open = true;
      if (up.hidden) up.hidden = false;
    }
  };
  const goTo = (change) => {
    if (here) here.classList.remove('here');
    here = change;
    reveal(change);
    change.classList.add('here');
    change.tabIndex = -1;
    change.focus({ preventScroll: true });
    const isLong = change.getBoundingClientRect().height > innerHeight / 2;
    show(change, isLong ? 'start' : 'center');
  };
  // Where nothing was visited yet, the first change that stands below the top of the window.
  const nearest = () => changes.findIndex((change) => {
    const at = change.getBoundingClientRect();
    return !change.hidden && at.height > 0 && at.top > 0;
  });
  const step = (by) => {
    let at = here ? changes.indexOf(here) + by : Math.max(0, nearest());
    while (changes[at] && changes[at].hidden) at += by;
    if (changes[at]) goTo(changes[at]);
  };
  $('next').addEventListener('click', () => step(1));
  $('previous').addEventListener('click', () => step(-1));
  if (!changes.length) $('next').hidden = $('previous').hidden = true;

  // Addresses: #made/PATH, #made/PATH:LINE, #changes/PATH:LINE, #rule/KIND/ID

  const rowOf = (file, line) => {
    // The number of the new text stands last; that of a removed file is alone.
    let best = null;
    for (const row of file.querySelectorAll('.d tr')) {
      const cells = row.querySelectorAll('th');
      const shown = cells.length ? Number(cells[cells.length - 1].textContent || cells[0].textContent) : 0;
      if (shown && shown <= line) best = row;
      if (shown > line) break;
    }
    return best;
  };
  let marked = null;
  const follow = () => {
    if (marked) marked.classList.remove('here');
    marked = null;
    let name = location.hash.slice(1);
    try { name = decodeURIComponent(name); } catch { /* as it is */ }
    if (!name) return;
    const line = /^(.*):(\d+)(?:\.\d+)?$/.exec(name);
    const target = $(name);
    if (target && target.classList.contains('change')) return goTo(target);
    const file = !target && line && $(line[1]);
    if (file && file.tagName === 'DETAILS') {
      reveal(file);
      const row = rowOf(file, Number(line[2]));
      if (!row) return show(file, 'start');
      reveal(row);
      marked = row;
      row.classList.add('here');
      const change = row.closest('.change');
      if (change) here = change;
      return show(row, 'center');
    }
    if (!target) return;
    reveal(target);
    show(target, 'start');
  };
  addEventListener('hashchange', follow);
  document.addEventListener('click', (event) => {
    const cell = event.target.closest('.d tbody th');
    if (cell && cell.textContent) {
      const row = cell.parentElement;
      const last = row.querySelectorAll('th')[1];
      const line = (last && last.textContent) || cell.textContent;
      location.hash = `${row.closest('details.file').id}:${line}`;
      return;
    }
    // The same address twice is no change of it.
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) follow();
  });

  // Reasons, also where a label stands without one

  const why = new Map();
  for (const row of document.querySelectorAll('.rules tr[id]')) {
    why.set(`#${row.id}`, row.cells[1].textContent);
  }
  document.addEventListener('mouseover', (event) => {
    const link = event.target.closest('.r a');
    if (link && !link.title) link.title = why.get(link.getAttribute('href')) || '';
  });

  // Theme

  const toggleTheme = () => {
    const now = root.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  };
  $('theme').addEventListener('click', toggleTheme);

  // Keys

  const help = $('help');
  const search = $('search');
  $('keys').addEventListener('click', () => help.showModal());
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    '/': () => { if (search) { search.focus(); search.select(); } },
    '?': () => help.showModal(),
    o: () => { const file = here && fileOf.get(here); if (file) file.open = !file.open; },
    e: () => { if ($('essential')) toggleEssential(); },
    t: toggleTheme,
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'checkbox';
    if (typing) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (help.open || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

  filter();
  follow();
})();
