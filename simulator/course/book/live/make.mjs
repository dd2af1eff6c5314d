// node make.mjs SITE BUILD: writes SITE/live/, what runs inside the pages of SITE, which name their commands:
//   <figure class="run" data-command="build/bin/clcsim --timeline six.svg ...">   a picture of a run
// Each picture's run is recorded for the player, once for all pages.
import {execFileSync, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';

const [site, build] = process.argv.slice(2).map((path) => resolve(path));
const live = join(site, 'live');
const temporary = mkdtempSync(join(tmpdir(), 'clc-book-'));

function stop(sentence) {
  console.error(sentence);
  process.exit(2);
}

const entities = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': '\''
};
const unescaped = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name]);

/// The commands of all pages, by the class of the element that names them.
function commandsOf(pages) {
  const found = {run: new Set(), 'run-output': new Set()};
  for (const page of pages)
    for (const [, kind, command] of readFileSync(page, 'utf8')
             .matchAll(/<(?:figure|div) class="(run|run-output)" data-command="([^"]*)"/g))
      found[kind].add(unescaped(command));
  return found;
}

const words = (command) => command.trim().split(/\s+/);

/// The words of a command, to be run where the programs are.
const here = (command) => words(command).map((word) => word.replace(/^build\//, `${build}/`));

/// What the page of a run holds for the player; paths of this machine don't belong into it.
function record(command) {
  const page = join(temporary, 'run.html'), all = here(command), at = all.indexOf('--timeline');
  all[at + 1] = page;
  const {status, stderr, error} = spawnSync(all[0], all.slice(1), {encoding: 'utf8'});
  if (error || (status !== 0 && status !== 86)) stop(`${command}: ${error?.message ?? stderr}`);
  const [, text] = readFileSync(page, 'utf8').match(/ id="record">(.*?)<\/script>/s);
  return text.replaceAll(`${build}/bin/`, '');
}

function makeRun(command) {
  const file = createHash('sha256').update(command).digest('hex').slice(0, 12);
  writeFileSync(join(live, 'runs', `${file}.js`), `clcBook.records['${file}'] = ${record(command)};\n`);
  const all = words(command), cycles = all.indexOf('--timeline-cycles');
  return {file, cycles: cycles < 0 ? 0 : Number(all[cycles + 1])};
}

const pages =
    readdirSync(site, {recursive: true}).filter((name) => name.endsWith('.html')).map((name) => join(site, name));
const commands = commandsOf(pages);
rmSync(live, {recursive: true, force: true});
mkdirSync(join(live, 'runs'), {recursive: true});
execFileSync('cmake', ['-D', `OUT=${live}`, '-P', join(import.meta.dirname, 'join.cmake')]);
const runs = {};
for (const command of commands.run) runs[command] = makeRun(command);

const known = `const clcBook = ${JSON.stringify({
  runs,
  records: {}
})};
clcBook.at = new URL('.', document.currentScript.src).href;
`;
writeFileSync(join(live, 'live.js'), known + readFileSync(join(live, 'live.js'), 'utf8'));
rmSync(temporary, {recursive: true});
console.log(`${live}: ${commands.run.size} runs`);
