// Every page of the book in Chromium, opened as a file: its links and pictures are there, nothing complains, nothing is
// asked of anyone else, and no page is wider than the window.
//   BOOK=build/book CHROMIUM=chromium node browser.test.mjs
import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {join, relative} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {closeSite, isMade, openBook, until, url} from './live_site.mjs';

const {BOOK, BUILD} = process.env, browser = await openBook();
after(() => closeSite());

// Without the playground, which has a test of its own.
const pages =
    readdirSync(BOOK, {recursive: true}).filter((each) => each.endsWith('.html') && each !== 'playground.html').sort();
const asked = [];
await browser.go('about:blank');  // away from the browser's own first page
await browser.send('Network.enable');
browser.listeners.push(({method, params}) => {
  if (method === 'Network.requestWillBeSent') asked.push(params.request.url);
});

const texts = new Map();
const ids = (file) => {
  if (!texts.has(file)) {
    const text = readFileSync(file, 'utf8');
    texts.set(file, new Set([...text.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1])));
  }
  return texts.get(file);
};

// What is wrong with a link, or nothing.
function broken(link) {
  const {protocol, hash} = new URL(link);
  if (protocol !== 'file:') return ['http:', 'https:', 'mailto:'].includes(protocol) ? '' : 'neither a page nor a file';
  const file = fileURLToPath(link.replace(/[?#].*/, ''));
  if (relative(BOOK, file).startsWith('..')) return 'outside of the book';
  if (!existsSync(file)) return 'there is no such file';
  // The scripts of a page may make what its own links lead to; the browser has judged them.
  return hash.length > 1 && file.endsWith('.html') && !file.endsWith('playground.html') &&
          !ids(file).has(decodeURIComponent(hash.slice(1))) ?
      'there is no such place' :
      '';
}

for (const width of [400, 800, 1600]) {
  test(`every page, ${width} pixels wide`, async () => {
    const wrong = [];
    for (const page of pages) {
      const complain = (text) => wrong.push(`${page}: ${text}`);
      browser.console.length = asked.length = 0;
      await browser.load(url(page), {width, theme: width === 800 ? 'dark' : 'light'});
      const {links, images, wide} = await browser.value(`({
        links: [...new Set([...document.querySelectorAll('a[href]')].map((each) => each.href))],
        images: [...document.images].filter((each) => !each.complete || !each.naturalWidth).map((each) => each.src),
        wide: Math.max(...[...document.querySelectorAll('html, .content')]
          .map((each) => each.scrollWidth - each.clientWidth)),
      })`);
      for (const link of links) {
        const why = broken(link);
        if (why) complain(`the link to ${link}: ${why}`);
      }
      for (const image of images) complain(`the picture ${image} isn't there`);
      if (wide > 0) complain(`${wide} pixels wider than the window`);
      for (const message of browser.console) complain(`the browser says: ${message}`);
      for (const request of asked)
        if (!/^(file|data|blob|about):/.test(request)) complain(`asks for ${request}`);
    }
    assert.deepEqual(wrong, []);
  });
}

test('a page with all that it loads by itself stays below 1 MB', {skip: !existsSync(join(BOOK, 'live'))}, () => {
  const size = (file) => statSync(join(BOOK, file)).size,
        plain = (text) => text.replace(/&amp;/g, '&').replace(/&quot;/g, '"');
  const {runs} = JSON.parse(/^const clcBook = (.*);$/m.exec(readFileSync(join(BOOK, 'live/live.js'), 'utf8'))[1]);
  for (const page of pages.filter((each) => /^0\d_[^/]*.index/.test(each))) {
    const text = readFileSync(join(BOOK, page), 'utf8');
    const commands = [...text.matchAll(/ class="run" data-command="([^"]*)"/g)].map(([, command]) => plain(command));
    const files = commands.map((each) => `live/runs/${runs[each].file}.js`);
    const own = [...text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"?#:]*\.(?:js|css))/g)].map(
        ([, link]) => join(page, '..', link));
    const all = new Set([page, 'live/live.css', 'live/player.js', ...own, ...files]);
    const bytes = [...all].reduce((sum, file) => sum + size(file), 0);
    assert.ok(
        bytes < 1e6, `${page} needs ${bytes} bytes: ${[...all].map((file) => `${file} ${size(file)}`).join(', ')}`);
  }
});

test('Next leads from the first page through all others', async () => {
  const way = ['index.html'];
  for (let next; way.length <= pages.length; way.push(next)) {
    const link = /<link rel="next" [^>]*href="([^"]*)"/.exec(readFileSync(join(BOOK, way.at(-1)), 'utf8'))?.[1];
    if (!link) break;
    next = relative(BOOK, fileURLToPath(new URL(link, url(way.at(-1)))));
  }
  assert.deepEqual(way.sort(), pages.filter((each) => each !== 'search.html'));
});

test('the search finds a word in pages that were opened as files', async () => {
  await browser.load(`${url('search.html')}?q=mbarrier`);
  await until('document.querySelectorAll("#search-results li").length >= 6');
  for (const [words, first] of [
           ['mbarrier parity', /^03_clc_basic\/index\.html#/], ['multicast', /^04_clc_cluster\/index\.html/],
           ['grid stride', /^02_grid_stride\/index\.html/], ['preemption', /^01_fixed_work\/index\.html#the-picture$/],
           ['prologue', /^01_fixed_work/]]) {
    await browser.load(`${url('search.html')}?q=${encodeURIComponent(words)}`);
    await until('/finished/.test(document.querySelector(".search-summary")?.textContent)');
    assert.match(await browser.value('document.querySelector("#search-results li a").getAttribute("href")'), first);
  }
});

const older = existsSync(join(BUILD, 'simulator/course/playground/wasm/engine.wasm')) && !isMade &&
    'the book is older than the engine: bash common/setup.sh book';
test(
    'programs run and exercises are checked in the pages; without the engine each page says what is missing',
    {skip: older}, async () => {
      let buttons = 0;
      for (const page of pages) {
        const text = readFileSync(join(BOOK, page), 'utf8');
        assert.equal(/class="announcement-content">\s*No program runs in this copy/.test(text), !isMade, page);
        if (!isMade || !/run-output|highlight-sh|exercises/.test(text)) continue;
        await browser.load(url(page));
        await browser.value('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
        await until('document.querySelector(".live-here[open] > form:empty") === null');
        buttons += await browser.value('document.querySelectorAll(".live-run").length');  // 'Run it here', 'Check'
      }
      assert.ok(buttons >= 50 || !isMade, `${buttons} buttons`);
    });

const room = join(BOOK, 'playground.html');
test('the first page begins with its claim, and commands stand folded at the end of a page', async () => {
  await browser.load(url('index.html'));
  const folded = (id) => browser.value(`document.querySelector('details.machine #${id}')?.checkVisibility()`);
  assert.match(await browser.value('document.querySelector("h1").textContent'), /^Watch a GPU block steal/);
  assert.match(await browser.value('document.querySelector("h1 ~ .whom").textContent'), /no GPU.*hours/s);
  assert.equal(await browser.value('document.querySelector(".highlight-sh").checkVisibility()'), false);
  await browser.value('document.querySelector("a[href=\'#on-your-machine\']").click()');
  await until('document.getElementById("on-your-machine").checkVisibility()');
  await browser.load(url('01_fixed_work/index.html'));
  assert.equal(await folded('to-build-this-chapter-alone'), false);
  assert.equal(await folded('how-the-picture-was-drawn'), false);
  if (!existsSync(room)) return;
  await browser.load(url('index.html'));
  await browser.go(await browser.value('document.querySelector(".start .break").href'));
  await until('document.body.classList.contains("ready") && document.getElementById("protocol").checkVisibility()');
  assert.match(await browser.value('document.getElementById("step-task").textContent'), /^Take one proxy fence out/);
});

test('book and playground have one header and one theme', {skip: !existsSync(room)}, async () => {
  const doors = () => browser.value(`[...document.querySelectorAll('.clc-site .doors a')]
    .map((each) => [each.textContent, each.href, each.hasAttribute('aria-current')])`);
  const places = [['Book', url('index.html')], ['Playground', url('playground.html')]];
  for (const [current, page] of places) {
    await browser.load(page);
    assert.deepEqual((await doors()).slice(0, 2), places.map((each) => [...each, each[0] === current]));
  }
  const dark = await browser.value('document.documentElement.classList.contains("dark")');
  await browser.value('document.querySelector(".clc-site .theme-toggle").click()');
  await browser.load(places[0][1], {kept: true});
  assert.equal(await browser.value('document.body.dataset.theme'), dark ? 'light' : 'dark');
});
