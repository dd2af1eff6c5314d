// node bundle.mjs SHELL CATALOGUE ENGINE_JS ENGINE_WASM OUT: puts the engine and the catalogue into the page.
import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';

const kMost = 8_000_000;  // bytes of the page
const [shell, catalogue, glue, wasm, out] = process.argv.slice(2);
const packed = path => gzipSync(readFileSync(path), {level: 9}).toString('base64');
const script = (id, text) => `<script type="text/plain" id="${id}">${text}</script>`;
// No text may end its script.
const inert = text => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

let page = readFileSync(shell, 'utf8');
const put = (place, text) => {
  const parts = page.split(place);
  if (parts.length !== 2) throw new Error(`${shell} has ${place} ${parts.length - 1} times, not once`);
  page = parts.join(text);
};
put('<!-- catalogue -->', script('catalogue', packed(catalogue)));
put('<!-- engine -->', script('engine', inert(readFileSync(glue, 'utf8'))) + script('wasm', packed(wasm)));
if (page.length > kMost) throw new Error(`the page has ${page.length} bytes, more than ${kMost}`);
writeFileSync(`${out}.new`, page);
renameSync(`${out}.new`, out);
console.log(`${out}: ${(Buffer.byteLength(page) / 1e6).toFixed(1)} MB`);
