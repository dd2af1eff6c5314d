// The book, or a site of its own with the book's scripts, in Chromium: for the tests of what runs in the pages.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';

import {Chromium} from '../player/chromium.mjs';

const {BOOK, SOURCE, BUILD, CHROMIUM} = process.env;
const index = join(BOOK, 'index.html'), engine = join(BUILD, 'simulator/course/playground/wasm/engine.wasm');
let browser;

/// Whether the book was made where the engine is. A book that is older than the engine may have been made without it.
export const isMade = existsSync(engine) && existsSync(index) && statSync(engine).mtimeMs < statSync(index).mtimeMs;
export const withoutEngine =
    isMade ? false : 'the book was not made where the engine is, or before: bash common/setup.sh book';

/// Opens the browser. Where there is no book, that is said, and the test skipped.
export async function openBook() {
  if (!existsSync(index)) {
    console.log('skipped: there is not the book: bash common/setup.sh book');
    process.exit(77);
  }
  browser = await Chromium.open(CHROMIUM);
  return browser;
}

export const url = (page) => pathToFileURL(join(BOOK, page)).href;

/// Puts the scripts and runs beside the pages of `site`, and returns the browser.
export async function openSite(site) {
  execFileSync('node', [join(SOURCE, 'simulator/course/book/live/make.mjs'), site, BUILD], {stdio: 'inherit'});
  browser = await Chromium.open(CHROMIUM);
  return browser;
}

export async function closeSite(folder) {
  await browser?.close();
  if (folder) rmSync(folder, {recursive: true, force: true});
}

export const value = (expression) => browser.value(expression);

/// On a loaded machine a second's work takes ten: what never comes is rare, so that is waited for long.
export async function until(expression, seconds = 120) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await wait(25))
    if (await value(expression)) return;
  assert.fail(`never: ${expression}; the page says: ${
      await value('[...document.querySelectorAll(".live-sorry")].map((each) => each.textContent).join()')}`);
}

// The page has said nothing since the last time.
export const silent = () => assert.deepEqual(browser.console.splice(0), []);
