// A site of its own with the book's scripts, in Chromium: for the tests of what runs in the pages.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';

import {Chromium} from '../player/chromium.mjs';

const {SOURCE, BUILD, CHROMIUM} = process.env;
let browser;

// Puts the scripts and runs beside the pages of `site`, and returns the browser.
export async function openSite(site) {
  execFileSync('node', [join(SOURCE, 'simulator/course/book/live/make.mjs'), site, BUILD], {stdio: 'inherit'});
  browser = await Chromium.open(CHROMIUM);
  return browser;
}

export async function closeSite(folder) {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
}

export const value = (expression) => browser.value(expression);

export async function until(expression, seconds = 20) {
  for (let i = 0; i < seconds * 40; i++) {
    if (await value(expression)) return;
    await wait(25);
  }
  assert.fail(`never: ${expression}`);
}

// The page has said nothing since the last time.
export const silent = () => assert.deepEqual(browser.console.splice(0), []);
