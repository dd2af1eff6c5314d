// Chromium without a window, driven by its own protocol over a pipe: nothing but Node is needed.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

// All text against what lies behind it. The text of an editor is painted by the lines behind it.
const kFaint = `(() => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const [r, g, b, a = 1] = numbers(getComputedStyle(e).backgroundColor);
      if (a === 1) return [r, g, b];
    }
    return matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0] : [255, 255, 255];
  };
  const seen = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let checked = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.data.trim() ||
        element.closest('script, option, textarea, dialog:not([open])') || !element.checkVisibility()) continue;
    const style = getComputedStyle(element), front = numbers(element.closest('svg') ? style.fill : style.color);
    const a = light(front), b = light(behind(element)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    checked++;
    if (ratio < (large ? 3 : 4.5) && !element.closest('button:disabled'))
      seen.add(node.data.trim().slice(0, 40) + ': ' + ratio.toFixed(2));
  }
  return {checked, seen: [...seen]};
})()`;

export class Chromium {
  static async open(program = 'chromium') {
    const browser = new Chromium();
    browser.folder = mkdtempSync(join(tmpdir(), 'clc-chromium-'));
    browser.process = spawn(
        program,
        [
          '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run',
          '--disable-dev-shm-usage', `--user-data-dir=${browser.folder}`, '--remote-debugging-pipe'
        ],
        {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    browser.ended = new Promise((resolve) => {
      browser.process.on('exit', resolve);
    });
    browser.waiting = new Map();
    browser.listeners = [];
    browser.number = 0;
    let rest = '';
    browser.process.stdio[4].on('data', (data) => {
      const messages = (rest + data).split('\0');
      rest = messages.pop();
      for (const text of messages) browser.receive(JSON.parse(text));
    });
    browser.process.stdio[3].on('error', () => {});
    const {targetInfos} = await browser.send('Target.getTargets');
    const {targetId} = targetInfos.find((each) => each.type === 'page') ??
        await browser.send('Target.createTarget', {url: 'about:blank'});
    browser.session = (await browser.send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
    browser.console = [];  // what a page complained of
    for (const domain of ['Page', 'Runtime', 'Log']) await browser.send(`${domain}.enable`);
    // As on a slow machine, where somebody asks for it.
    if (process.env.SLOWER) await browser.send('Emulation.setCPUThrottlingRate', {rate: Number(process.env.SLOWER)});
    // Without a window a page may count as one in the background, which may not write to the clipboard.
    await browser.send('Emulation.setFocusEmulationEnabled', {enabled: true});
    browser.listeners.push(({method, params}) => {
      if (method === 'Runtime.exceptionThrown')
        browser.console.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type))
        browser.console.push(params.args.map((each) => each.value ?? each.description).join(' '));
      if (method === 'Log.entryAdded') browser.console.push(params.entry.text);
    });
    return browser;
  }

  receive(message) {
    if (message.id === undefined) {
      for (const listener of [...this.listeners]) listener(message);
      return;
    }
    const {resolve, reject, method} = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error)
      reject(new Error(`${method}: ${message.error.message}`));
    else
      resolve(message.result);
  }

  send(method, params = {}) {
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject, method});
      this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId: this.session}) + '\0');
    });
  }

  async go(url) {
    const loaded = new Promise((resolve) => {
      const listener = ({method}) => {
        if (method !== 'Page.loadEventFired') return;
        this.listeners.splice(this.listeners.indexOf(listener), 1);
        resolve();
      };
      this.listeners.push(listener);
    });
    await this.send('Page.navigate', {url});
    await loaded;
  }

  /// `theme`: light or dark, as the reader's system says. It asks for no animations, for which tests would wait.
  /// `kept`: whether the page finds what this one has stored, or nothing. A busy Chromium was seen to hand an older
  /// state of the storage to the page that comes next, so that page gets what this one sees.
  async load(file, {width = 1200, height = 900, theme = 'light', touch = false, kept} = {}) {
    const same = kept ? `Object.assign(localStorage, ${await this.value('JSON.stringify(localStorage)')});` : '';
    const source = kept === undefined ? '' : `try { localStorage.clear(); ${same} } catch {}`;
    const {identifier} = await this.send('Page.addScriptToEvaluateOnNewDocument', {source});
    await this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});
    const features = [{name: 'prefers-color-scheme', value: theme}, {name: 'prefers-reduced-motion', value: 'reduce'}];
    await this.send('Emulation.setEmulatedMedia', {features});
    await this.send('Emulation.setTouchEmulationEnabled', {enabled: touch});
    await this.go('about:blank');
    await this.go(/^[a-z]+:/.test(file) ? file : pathToFileURL(file).href);
    await this.send('Page.removeScriptToEvaluateOnNewDocument', {identifier});
    await this.frame();
  }

  /// The value of an expression in the page; a promise is waited for.
  async value(expression) {
    const {result, exceptionDetails} =
        await this.send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails)
      throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  frame() {
    return this.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))');
  }

  async key(key, {shift = false} = {}) {
    const text = key.length === 1 ? key : undefined;
    const params = {
      key,
      modifiers: shift ? 8 : 0,
      text,
      code: key === ' ' ? 'Space' : undefined,
      windowsVirtualKeyCode: {
        Tab: 9,
        Enter: 13,
        ' ': 32,
        ArrowLeft: 37,
        ArrowUp: 38,
        ArrowRight: 39,
        ArrowDown: 40,
        Home: 36,
        End: 35,
        PageUp: 33,
        PageDown: 34
      }[key]
    };
    if (key === 'Enter') params.text = '\r';
    await this.send('Input.dispatchKeyEvent', {type: params.text ? 'keyDown' : 'rawKeyDown', ...params});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', ...params, text: undefined});
  }

  async click(x, y) {
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.send('Input.dispatchMouseEvent', {type, x, y, button: 'left', buttons: 1, clickCount: 1});
  }

  /// Fingers: each of `moves` is a list of [x, y], one for each finger.
  async touch(moves) {
    const points = (move) => move.map(([x, y], id) => ({x, y, id}));
    await this.send('Input.dispatchTouchEvent', {type: 'touchStart', touchPoints: points(moves[0])});
    for (const move of moves.slice(1))
      await this.send('Input.dispatchTouchEvent', {type: 'touchMove', touchPoints: points(move)});
    await this.send('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
  }

  /// Where an element is, in the window.
  box(selector, within = 'document') {
    return this.value(`(() => { const r = ${within}.querySelector(${
        JSON.stringify(
            selector)}).getBoundingClientRect(); return {x: r.x, y: r.y, width: r.width, height: r.height}; })()`);
  }

  /// {checked, seen}: how many texts of the page there are, and those that are too faint: WCAG 2.2, 1.4.3.
  faint() { return this.value(kFaint); }

  /// {all, nameless}: what the accessibility tree has of these roles, and what of it has no name.
  async names(roles) {
    const {nodes} = await this.send('Accessibility.getFullAXTree');
    const all = nodes.filter(({ignored, role}) => !ignored && roles.includes(role?.value));
    const nameless = all.filter(({name}) => !name?.value);
    return {all, nameless: nameless.map(({role, backendDOMNodeId}) => `${role.value} ${backendDOMNodeId}`)};
  }

  async picture(file, {whole = false} = {}) {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png', captureBeyondViewport: whole});
    writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await this.ended;
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}
