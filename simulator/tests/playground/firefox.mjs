// Firefox without a window, driven by its Marionette protocol: JSON over a socket, each message after its length.
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';

export class Firefox {
  static async open(program) {
    const browser = new Firefox();
    browser.folder = mkdtempSync(join(tmpdir(), 'clc-firefox-'));
    writeFileSync(join(browser.folder, 'user.js'), 'user_pref("marionette.port", 0);\n');  // any free one
    browser.process = spawn(program, ['--headless', '--no-remote', '--marionette', '--profile', browser.folder], {stdio: 'ignore', env: {...process.env, HOME: browser.folder}});
    browser.ended = new Promise((resolve) => { browser.process.on('exit', resolve); });
    browser.socket = await browser.connection();
    browser.rest = Buffer.alloc(0);
    browser.replies = [];
    browser.socket.on('data', (data) => browser.receive(data));
    await browser.reply();  // who is there
    await browser.send('WebDriver:NewSession', {});
    return browser;
  }

  // The profile says which port it is, after a while.
  async connection() {
    for (let i = 0; i < 300; i++) {
      await wait(100);
      let port = 0;
      try {
        port = Number(readFileSync(join(this.folder, 'MarionetteActivePort'), 'utf8'));
      } catch {
        continue;
      }
      return new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => resolve(socket));
        socket.on('error', reject);
      });
    }
    throw new Error('Firefox does not answer');
  }

  receive(data) {
    this.rest = Buffer.concat([this.rest, data]);
    for (;;) {
      const colon = this.rest.indexOf(':'), length = Number(this.rest.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || this.rest.length < colon + 1 + length) return;
      this.replies.push(JSON.parse(this.rest.subarray(colon + 1, colon + 1 + length).toString()));
      this.rest = this.rest.subarray(colon + 1 + length);
      this.arrived?.();
    }
  }

  async reply() {
    while (this.replies.length === 0) await new Promise((resolve) => { this.arrived = resolve; });
    return this.replies.shift();
  }

  async send(command, parameters) {
    const text = JSON.stringify([0, 1, command, parameters]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , error, result] = await this.reply();
    if (error) throw new Error(`${command}: ${error.message}`);
    return result;
  }

  load(url) { return this.send('WebDriver:Navigate', {url}); }

  /// The value of an expression in the page.
  async value(expression) {
    return (await this.send('WebDriver:ExecuteScript', {script: `return ${expression};`, args: [], sandbox: null})).value;
  }

  async picture(file) {
    writeFileSync(file, Buffer.from((await this.send('WebDriver:TakeScreenshot', {full: true})).value, 'base64'));
  }

  async close() {
    await this.send('Marionette:Quit', {flags: ['eForceQuit']}).catch(() => {});
    await this.ended;
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}
