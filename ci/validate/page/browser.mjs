// A browser, and pages in it that are watched: what goes wrong in one is known behind each test.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

/** Waits that long at most for anything, in milliseconds: machines of CI are slow. */
const PATIENCE = 60_000;

export class Browser {
  static async start(tools) {
    const require = createRequire(join(tools, 'x.js'));
    const { default: puppeteer } = await import(
      pathToFileURL(require.resolve('puppeteer-core')).href
    );
    const browser = await puppeteer.launch({
      executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
      pipe: true,
      protocolTimeout: PATIENCE,
      args: [
        // Root has no sandbox; what is opened here was made by the program under test.
        '--no-sandbox',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--force-color-profile=srgb',
      ],
    });
    const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
    return new Browser(browser, axe);
  }

  constructor(browser, axe) {
    this.browser = browser;
    this.axe = axe;
    this.open = new Set();
  }

  /** Opens a file in a context of its own. `trouble` of the page lists all that went wrong. */
  async page(file, { hash = '', script = true, scheme = 'light', width = 1280, height = 900 } = {}) {
    const context = await this.browser.createBrowserContext();
    this.open.add(context);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.trouble = [];
    page.requests = [];
    const note = (text) => page.trouble.push(text);
    page.on('console', (message) => note(`console, ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => note(`uncaught: ${error.message}`));
    page.on('dialog', (dialog) => {
      note(`a dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on('request', (request) => page.requests.push(request.url()));
    await page.setJavaScriptEnabled(script);
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    if (script) {
      await page.evaluateOnNewDocument(() => {
        window.violations = [];
        document.addEventListener('securitypolicyviolation', (event) => {
          window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
        });
      });
    }
    page.address = pathToFileURL(file).href + hash;
    await page.goto(page.address, { waitUntil: 'load' });
    return page;
  }

  /** Closes all that was opened since the last time; answers what went wrong there. */
  async settle() {
    const trouble = [];
    for (const context of this.open) {
      for (const page of await context.pages()) trouble.push(...(page.trouble || []));
      await context.close();
    }
    this.open.clear();
    return trouble;
  }

  async stop() {
    await this.browser.close();
  }
}
