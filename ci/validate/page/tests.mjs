// One line a test, with its time; a test that fails doesn't end the run.

export class Tests {
  constructor(browser) {
    this.browser = browser;
    this.passed = 0;
    this.failed = 0;
    this.begin = Date.now();
  }

  /** Runs `body`, which may answer a few words to stand behind the name. */
  async test(name, body) {
    const begin = Date.now();
    const wrong = [];
    let words;
    try {
      words = await body();
    } catch (error) {
      wrong.push(error instanceof Wrong ? error.message : error.stack);
    }
    try {
      wrong.push(...(await this.browser.settle()));
    } catch (error) {
      wrong.push(error.stack);
    }
    const time = `${String(Date.now() - begin).padStart(6)} ms`;
    if (wrong.length) this.failed += 1;
    else this.passed += 1;
    console.log(`${wrong.length ? 'FAIL' : 'ok  '} ${time}  ${name}${words ? `: ${words}` : ''}`);
    for (const text of wrong.slice(0, 20)) console.log(text.replace(/^/gm, '     | '));
  }

  finish() {
    const seconds = Math.round((Date.now() - this.begin) / 1000);
    console.log(`page: ${this.passed} passed, ${this.failed} failed, ${seconds} s`);
    return this.failed === 0;
  }
}

class Wrong extends Error {}

/** Fails with `message` unless `holds`. */
export function hold(holds, message) {
  if (!holds) throw new Wrong(message);
}

/** Fails unless both are the same as JSON. */
export function same(found, wanted, what) {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value));
  hold(one === other, `${what}: ${one}, not ${other}`);
}

/** Fails unless the list of faults is empty. */
export function none(faults, what) {
  const more = faults.length > 12 ? `\n... ${faults.length} in all` : '';
  hold(faults.length === 0, `${what}:\n${faults.slice(0, 12).join('\n')}${more}`);
}
