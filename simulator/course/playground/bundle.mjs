// node bundle.mjs PAGE JOINED CATALOGUE ENGINE_JS ENGINE_WASM OUT: puts all parts into page.html of the folder PAGE.
// JOINED.js and JOINED.css are what page/join.cmake makes.
import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';

const kMost = 8_000_000;  // bytes of the page
const [folder, joined, catalogue, glue, wasm, out] = process.argv.slice(2);
const read = (path) => readFileSync(path, 'utf8');
const packed = (path) => gzipSync(readFileSync(path), {level: 9}).toString('base64');
// No text may end its script.
const script = (attributes, text) =>
    `<script ${attributes}>${text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')}</script>`;
const plain = (id, text) => script(`type="text/plain" id="${id}"`, text);

let page = read(`${folder}/page.html`);
for (const [place, text] of Object.entries({
       style: `<style>\n${read(`${joined}.css`)}</style>`,
       catalogue: plain('catalogue', packed(catalogue)),
       engine: plain('engine', read(glue)) + plain('wasm', packed(wasm)),
       worker: plain('worker', read(`${folder}/worker.js`)),
       script: script('type="module"', `\n${read(`${joined}.js`)}`),
     })) {
  const parts = page.split(`<!-- ${place} -->`);
  if (parts.length !== 2) throw new Error(`page.html has ${place} ${parts.length - 1} times, not once`);
  page = parts.join(text);
}
if (page.length > kMost) throw new Error(`the page has ${page.length} bytes, more than ${kMost}`);
writeFileSync(`${out}.new`, page);
renameSync(`${out}.new`, out);
console.log(`${out}: ${(Buffer.byteLength(page) / 1e6).toFixed(1)} MB`);
