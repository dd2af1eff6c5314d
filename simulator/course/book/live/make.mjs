// node make.mjs SITE BUILD: writes SITE/live/, what runs inside the pages of SITE, which name their commands:
//   <figure class="run" data-command="build/bin/clcsim --timeline six.svg ...">   a picture of a run
//   <div class="run-output" data-command="build/bin/clcsim ... | key lines">       what a command prints
//   <div class="highlight-sh"><pre>build/bin/clcsim ... --broken                  a command to try
// Each picture's run is recorded for the player, once for all pages. A command gets a button where the playground's
// engine prints what the program prints; without the engine (cmake --build build --target playground) there are no
// buttons.
import {execFileSync, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

import {Lanes} from '../../../clcsim/player/page/lanes.js';
import {openPanel, readRecord} from '../../../clcsim/player/page/record.js';
import {lapsOf, sixOf} from '../race/picture.mjs';

import {makeExercises} from './exercises.mjs';
import {loopsOf, plain} from './hand.mjs';
import {commandsToTry, kOneFile, printed, requestOf, smallOf, valueOf} from './terminal.mjs';

const [site, build] = process.argv.slice(2).map((path) => resolve(path));
const live = join(site, 'live'), folder = fileURLToPath(new URL('.', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'clc-book-'));

function stop(sentence) {
  console.error(sentence);
  process.exit(2);
}

/// The commands of all pages, by the class of the element that names them.
function commandsOf(pages) {
  const found = {run: new Set(), 'run-output': new Set()};
  for (const html of pages) {
    for (const [, kind, command] of html.matchAll(/<(?:figure|div) class="(run|run-output)" data-command="([^"]*)"/g))
      found[kind].add(plain(command));
    for (const [, block] of html.matchAll(/<div class="highlight-sh.*?<pre>(.*?)<\/pre>/gs))
      commandsToTry(plain(block)).forEach((command) => found['run-output'].add(command));
  }
  return found;
}

const words = (command) => command.trim().split(/\s+/);

/// The words of a command, to be run where the programs are.
const here = (command) => words(command).map((word) => word.replace(/^build\//, `${build}/`));

/// Whether the build has a command's programs: some pages have the reader compile one.
const isBuilt = (command) => here(command).every((word) => !word.startsWith(`${build}/`) || existsSync(word));

/// What the page of a run holds for the player; paths of this machine don't belong into it.
function record(command) {
  const page = join(temporary, 'run.html'), all = here(command), at = all.indexOf('--timeline');
  all[at + 1] = page;
  const {status, stderr, error} = spawnSync(all[0], all.slice(1), {encoding: 'utf8'});
  if (error || ![0, 1, 86].includes(status)) stop(`${command}: ${error?.message ?? stderr}`);
  const [, text] = readFileSync(page, 'utf8').match(/ id="record">(.*?)<\/script>/s);
  return text.replaceAll(`${build}/bin/`, '').replaceAll(`${build}/`, 'build/').replaceAll(kOneFile, 'build/');
}

// The height of a run's rows, as the player draws them first.
function heightOf(text, launch) {
  const run = readRecord(JSON.parse(text));
  const at = run.panels.findIndex(({launches}) => launches.some(({serial}) => serial === launch));
  return new Lanes(run, openPanel(run, Math.max(0, at))).height;
}

function makeRun(command) {
  const file = createHash('sha256').update(command).digest('hex').slice(0, 12), text = record(command);
  writeFileSync(join(live, 'runs', `${file}.js`), `clcBook.records['${file}'] = ${text};\n`);
  const all = words(command), number = (name) => Number(all[all.indexOf(name) + 1] || 0) || 0;
  const launch = number('--timeline-launch');
  return {file, cycles: number('--timeline-cycles'), launch, rows: heightOf(text, launch)};
}

const kPlayground = join(build, 'simulator/course/playground');
const parts = {
  program: `${kPlayground}/clcsim_playground`,
  catalogue: `${kPlayground}/catalogue.json`,
  glue: `${kPlayground}/wasm/engine.js`,
  wasm: `${kPlayground}/wasm/engine.wasm`
};

const kThreads = 1024, kBlocks = 8;  // of an SM of mini

/// Where the playground shows a run, as its page/state.js reads it: '#program=...', or '' where the playground has no
/// such GPU.
function roomOf(asked) {
  const {request, kernel} = asked,
                  options = Object.keys(kernel.options).map((name) => `${name}=${valueOf(asked, name)}`);
  const parts = [`program=${request.program}`, `kernel=${kernel.id}`, ...options];
  const [gpu, sms] = request.gpu.split(':');
  if (sms && gpu !== 'mini') return '';
  if (sms) {
    const threads = valueOf(asked, 'threads') ?? kernel.threads;
    parts.push('gpu=own', `sms=${sms}`, `slots=${Math.min(kBlocks, Math.floor(kThreads / threads))}`);
  } else {
    parts.push(`gpu=${gpu}`);
  }
  if (request.seed) parts.push(`seed=${request.seed}`);
  return `#${parts.join('&')}`;
}

/// Those commands for which the engine prints what the programs print.
function repeatable(commands, catalogue) {
  const asked = commands.map((command) => [command, requestOf(command, catalogue)]).filter(([, known]) => known);
  const input = asked.map(([, {request}]) => `${JSON.stringify(request)}\n`).join('');
  const answers =
      execFileSync(parts.program, [parts.catalogue], {input, encoding: 'utf8', maxBuffer: 1 << 30}).split('\n');
  return asked.filter(([command, each], i) => {
    const {report, output} = printed(each, JSON.parse(answers[i]), catalogue);
    const [program, ...rest] = here(command.split(' | ')[0]);
    const {stdout, stderr} = spawnSync(program, rest, {encoding: 'utf8'});
    if (report === stderr && output === stdout) return true;
    console.log(`no button: the engine prints something else than ${command}`);
    return false;
  });
}

/// The options of a run that a reader can change where it stands, with its values.
function knobsOf(asked) {
  const names = ['prologue', 'skew'].filter((name) => asked.kernel.options[name]);
  return {seed: asked.request.seed, ...Object.fromEntries(names.map((name) => [name, valueOf(asked, name)]))};
}

/// What the pages' buttons need to know.
function makeButtons(commands, catalogue) {
  const outputs = {}, pitfalls = {};
  const kernels = catalogue.programs.flatMap((program) => program.kernels);
  for (const {pitfall} of kernels.filter((kernel) => kernel.pitfall))
    pitfalls[pitfall] = {seed: 0, room: roomOf(requestOf(`clcsim 05_ub_pitfalls ${pitfall}`, catalogue))};
  for (const [command, asked] of repeatable(commands, catalogue)) {
    outputs[command] = {knobs: knobsOf(asked), room: roomOf(asked)};
    if (asked.kernel.pitfall) pitfalls[asked.kernel.pitfall].seed ||= asked.request.seed;
  }
  return {outputs, pitfalls};
}

/// The file that the first button loads: engine and catalogue, before the script that runs them.
function packEngine() {
  const packed = (file) => gzipSync(readFileSync(file), {level: 9}).toString('base64');
  const engine = {
    glue: readFileSync(parts.glue, 'utf8'),
    worker: readFileSync(join(folder, '../../playground/page/worker.js'), 'utf8'),
    packed: {catalogue: packed(parts.catalogue), wasm: packed(parts.wasm)}
  };
  prepend('engine.js', `clcBook.engine = ${JSON.stringify(engine)};\n`);
}

function prepend(name, text) {
  const file = join(live, name);
  writeFileSync(file, text + readFileSync(file, 'utf8'));
}

// A page is painted when the scripts have added what stands in it, so nothing moves.
function paintLate(file) {
  const html = readFileSync(file, 'utf8'),
        [tag, at] = /<script [^>]*src="([^"]*)live\/live\.js".*?<\/script>/.exec(html) ?? [];
  const early =
      `<link rel="stylesheet" href="${at}live/live.css">\n<script defer blocking="render" src="${at}live/live.js">`;
  writeFileSync(file, tag ? html.replace(tag, '').replace('</head>', `${early}</script>\n</head>`) : html);
  return html;
}

const names = readdirSync(site, {recursive: true}).filter((name) => name.endsWith('.html'));
const pages = names.map((name) => paintLate(join(site, name))), commands = commandsOf(pages);
rmSync(live, {recursive: true, force: true});
mkdirSync(join(live, 'runs'), {recursive: true});
execFileSync('cmake', ['-D', `OUT=${live}`, '-P', join(folder, 'join.cmake')]);

const catalogue = existsSync(parts.catalogue) ? JSON.parse(readFileSync(parts.catalogue)) : null;
const playable = Object.values(parts).every((file) => existsSync(file));
let buttons = {outputs: {}, pitfalls: {}};
if (playable) {
  buttons = makeButtons([...commands['run-output']], catalogue);
  packEngine();
} else {
  console.log('The pages have no run buttons, since the playground is not built.');
}
const found = pages.map((html) => ({html, commands: [...commandsOf([html]).run]}));
const runs = {};
for (const command of [...commands.run].filter(isBuilt)) {
  runs[command] = makeRun(command);
  const asked = playable && requestOf(command, catalogue);
  if (asked) runs[command].room = roomOf(asked);
}
// The mistakes of which a chapter's text leads to the catalogue: both forms on one SM.
for (const [, name] of pages.join('').matchAll(/In the catalogue:\s*<a [^>]*PITFALLS\.html#([\w-]+)"/g)) {
  const command = `build/bin/clcsim --gpu mini:1 --timeline run.html build/bin/05_ub_pitfalls ${name}`;
  if (isBuilt(command))
    (buttons.pitfalls[name] ??= {}).runs = ['--broken', '--fixed'].map((form) => makeRun(`${command} ${form}`));
}
const small = {};
for (const command of commands['run-output']) {
  const own = smallOf(command);
  if (own && isBuilt(own)) small[command] = makeRun(own);
}
prepend('live.js', `const clcBook = ${JSON.stringify({
          ...buttons,
          loops: catalogue ? loopsOf(found, catalogue) : {},
          numbered: makeExercises(live, build, playable),
          runs,
          small,
          records: {}
        })};
clcBook.at = new URL('.', document.currentScript.src).href;
`);
if (pages.some((html) => html.includes('<div class="race')))
  prepend('race.js', `clcBook.race = ${JSON.stringify({
            six: sixOf(build),
            laps: lapsOf(build),
            soonest: lapsOf(build, 0).map(({urgent}) => urgent.at),
            playable
          })};\n`);
rmSync(temporary, {recursive: true});
console.log(`${live}: ${Object.keys(runs).length} of ${commands.run.size} runs, buttons for ${
    Object.keys(buttons.outputs).length} of ${commands['run-output'].size} commands`);
