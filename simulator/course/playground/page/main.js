// The page: the state, what it looks like, and what happens when somebody presses a button.
import {grouped} from '../../../clcsim/player/page/numbers.js';
import {mount} from '../../../clcsim/player/page/player.js';

import {element, find} from './dom.js';
import {Editor} from './editor.js';
import {ownGpu} from './gpu.js';
import {Guide} from './guide.js';
import {compose, difference, edited, openKernel, ownName, ownPlace} from './kernel.js';
import {Knobs, threadsOf} from './knobs.js';
import {instructionsRemoved, markOf, toggled} from './marks.js';
import {showOutcome} from './outcome.js';
import {unpacked} from './packed.js';
import {lineOfFinding} from './places.js';
import {headline} from './results.js';
import {Runner} from './runner.js';
import {SourceView} from './source.js';
import {carriedOver, entryOf, firstState, readState, writeState} from './state.js';

const catalogueText = await unpacked('catalogue').then((bytes) => new TextDecoder().decode(bytes));
const catalogue = JSON.parse(catalogueText);
const wasm = unpacked('wasm');

const kLimits = {
  cycles: 50_000_000,
  seconds: 20
};
const kSeeds = 50;
const kMostRuns = 60;        // that are remembered for the tasks; of those before, the last two have their record
const kMostAddress = 60000;  // characters: longer ones are refused by some browsers

let state, kernel, whole;  // of the chosen kernel: as it came, and with the edits
const runs = [];
let player = null, dark = false, addressWaits = 0;

const runner = new Runner(() => {
  const address = URL.createObjectURL(
      new Blob([find('engine').textContent, '\n', find('worker').textContent], {type: 'text/javascript'}));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  const {program, kernel, options} = firstState(catalogue);
  const warmUp = {
    program,
    kernel,
    options: {...options, elements: 6 * options.tile},
    seed: 0,
    checks: true,
    record: true,
    ...kLimits
  };
  wasm.then((bytes) => worker.postMessage({start: {wasm: bytes, catalogue: catalogueText, warmUp}}));
  return worker;
});

// ---- the kernel and its text ----

const entry = () => entryOf(catalogue, state.program, state.kernel);
const shownTexts = () => kernel.shown.map((line) => line.text);
const sources = () => entry().program.sources ?? {};

function openText() {
  find('here').textContent = '';
  kernel = openKernel(entry().kernel.ptx, entry().kernel.symbol);
  const lines = edited(shownTexts(), state.edits);
  if (!lines) say('The edits in the link are for another version of this kernel; the PTX is the course\u2019s own.');
  if (!lines) state.edits = [];
  const withPtx = new Set();
  for (const line of kernel.shown) {
    const place = ownPlace(line.chain, sources());
    if (place) withPtx.add(place.join(':'));
  }
  source.open(sources(), withPtx);
  editor.setLines(lines ?? shownTexts());
  find('code-error').textContent = '';
  takeText();
  const request = editor.lines.findIndex((line) => markOf(line)?.kind === 'request');
  const from = request >= 0 ? request : editor.lines.findIndex((_, i) => placeOf(i));
  editor.box.scrollTop = 0;
  if (from >= 0) showPlace(from);
  if (from >= 0)
    editor.show(from);
  else
    source.showFile(homeFile());
}

// The file in which the kernel itself stands: what it calls may be in others.
function homeFile() {
  const lines = new Map();
  for (const {chain} of kernel.shown) {
    const place = ownPlace([...chain].reverse(), sources());
    if (place) lines.set(place[0], (lines.get(place[0]) ?? 0) + 1);
  }
  return [...lines].sort((a, b) => b[1] - a[1])[0]?.[0] ?? Object.keys(sources())[0];
}

// The course's own place of a line of the editor: [file, line], or null.
function placeOf(line) { return ownPlace(whole.chains[line] ?? [], sources()); }

function takeText() {
  const {lines} = editor;
  state.edits = difference(shownTexts(), lines);
  whole = compose(kernel, lines);
  const own = homeFile();
  let before = '';
  editor.setPlaces(lines.map((_, i) => {
    const place = placeOf(i);
    if (!place) return null;
    const name = place.join(':'), text = place[0] === own ? String(place[1]) : name.replace(/^.*\//, '');
    const shown = name === before ? '' : text;
    before = name;
    return [shown, name];
  }));
  const changed = state.edits.reduce((sum, [, gone, come]) => sum + Math.max(gone, come.length), 0);
  find('edits').textContent = changed === 0 ? '' :
      changed === 1                         ? '1 line differs from the course\u2019s.' :
                                              `${changed} lines differ from the course\u2019s.`;
  find('reset').disabled = changed === 0;
  editor.highlight('edited', lines.flatMap((_, i) => (whole.origin[i] < 0 ? [i] : [])));
  showProtocol();
  keepAddress();
}

function showPlace(line) {
  const place = placeOf(line);
  if (place) source.mark('current', ...place);
  editor.highlight('current', [line]);
}

function showProtocol() {
  const marked = editor.lines.map((text, line) => ({text, line, mark: markOf(text)})).filter((each) => each.mark);
  find('protocol-count').textContent =
      marked.length === 0 ? 'this kernel has none of its instructions' : `${marked.length} lines`;
  find('protocol').replaceChildren(...marked.map(({line, mark}) => {
    const item = element('li', '', {class: `marked ${mark.removed ? 'removed' : mark.kind}`}), place = placeOf(line);
    const go = element('button', `line ${line + 1}`, {type: 'button', class: 'link'});
    go.addEventListener('click', () => goTo(line));
    const words = element('span', '', {class: 'what'});
    words.append(
        element('b', mark.name), ` ${mark.says}.`, place ? ` (${place[0].replace(/^.*\//, '')}:${place[1]})` : '');
    item.append(go, words);
    if (mark.removable || mark.removed) {
      const button = element(
          'button', mark.removed ? 'Put back' : 'Remove',
          {type: 'button', 'aria-label': `${mark.removed ? 'put back' : 'remove'} ${mark.name}, line ${line + 1}`});
      button.addEventListener('click', () => {
        editor.setLines(editor.lines.map((text, i) => (i === line ? toggled(text) : text)));
        takeText();
        showPlace(line);
        editor.show(line);
        find('protocol')
            .querySelectorAll('li')[marked.findIndex((each) => each.line === line)]
            ?.querySelector('button:not(.link)')
            ?.focus({preventScroll: true});
      });
      item.append(button);
    }
    return item;
  }));
}

function goTo(line) {
  editor.goTo(line);
  showPlace(line);
  find('editor').scrollIntoView({block: 'nearest'});
}

const editor = new Editor(find('editor'), takeText, showPlace);
const source = new SourceView(find('source'), (file, line) => {
  const at = editor.lines.findIndex((_, i) => placeOf(i)?.join(':') === `${file}:${line}`);
  if (at >= 0) goTo(at);
});

// ---- running ----

// What the simulator is asked, and what the page has to know of it afterwards: the reader may go on to another kernel
// meanwhile.
function request() {
  const {kernel: chosen} = entry();
  const about = {broken: chosen.broken, removed: instructionsRemoved(shownTexts(), state.edits), lineOf: whole.lineOf};
  const asked = {
    program: state.program,
    kernel: state.kernel,
    ptx: state.edits.length > 0 ? whole.text : null,
    options: {...state.options},
    gpu: state.gpu === 'own' ? ownGpu(state, threadsOf(state, chosen)) : state.gpu,
    seed: state.seed,
    checks: state.checks,
    record: true,
    ...kLimits
  };
  return {asked, about};
}

function say(text) { find('status').textContent = text; }

function setBusy(busy) {
  find('stop').disabled = !busy;
  for (const id of ['run', 'run-here', 'explore', 'first-run']) find(id).disabled = busy;
  for (const each of document.querySelectorAll('#choose .fields')) each.inert = busy;
  find('step-start').disabled = busy;
  find('result').setAttribute('aria-busy', String(busy));
}

const progressed = (progress) =>
    say(`Running: cycle ${grouped(progress.cycles ?? 0)}, ${grouped(progress.started ?? 0)} blocks started.`);

async function runOnce({asked, about}, explored) {
  const reply = await runner.run(asked, progressed);
  if (reply.error?.line)
    Object.assign(
        reply.error,
        {message: withoutPlace(reply.error.message), line: about.lineOf[reply.error.line - 1] + 1 || null});
  if (reply.stopped) return say('Stopped.');
  say('');
  const before = runs[runs.length - 1];
  const run = {...asked, ...about, reply, explored};
  runs.push(run);
  if (runs.length > kMostRuns) runs.shift();
  runs.slice(0, -2).forEach((each) => {
    each.reply.record = null;
  });
  showRun(run, before);
  guide.judge(runs);
  if (!guide.judged) return;
  const {done, says} = guide.judged, judged = done ? 'The task is done' : 'The task is not done yet';
  find('here').append(` ${judged}.`);
  say(`${judged}: ${says}`);  // beside the button, since the task may be out of sight
}

// Nothing else may begin until `work` is done, however it ends.
async function busily(work) {
  if (runner.busy || refused()) return;
  setBusy(true);
  try {
    await work();
  } finally {
    setBusy(false);
    find('progress').hidden = true;
  }
}

const run = () => busily(async () => {
  say('Running \u2026');
  await runOnce(request());
});

const explore = () => busily(async () => {
  const bar = find('progress'), {asked, about} = request();
  Object.assign(bar, {hidden: false, max: kSeeds, value: 0});
  const explored = await runner.explore(asked, kSeeds, (seed) => {
    bar.value = seed;
    say(`Seed ${seed} of 0 to ${kSeeds - 1} \u2026`);
  });
  bar.hidden = true;
  if (explored.stopped) {
    say(`Stopped after ${explored.tried} seeds, which showed nothing.`);
    return;
  }
  if (explored.failed !== undefined) state.seed = explored.failed;
  await runOnce({asked: {...asked, seed: state.seed}, about}, explored);
  knobs.show(state);
  keepAddress();
});

// The sentence has a line of the whole module.
const withoutPlace = (message) => message.replace(/^PTX line \d+, column \d+: /, '');

function refused() {
  if (knobs.complaint) find('complaint').scrollIntoView({block: 'nearest'});
  return knobs.complaint !== '';
}

function showRun(run, before) {
  const pitfalls = catalogue.programs.find((each) => each.kernels.some((kernel) => kernel.broken !== undefined));
  const formOf = (name) => pitfalls?.kernels.find((each) => each.pitfall === name && each.broken);
  showOutcome(find('outcome'), run, before, {
    showFinding: (index) => showFinding(run, run.reply.findings[index]),
    openPitfall: (name) => formOf(name) && (() => knobs.choose(pitfalls.id, formOf(name).id)),
  });
  editor.highlight('wrong', []);
  const {kind, title} = headline(run.reply), [finding] = run.reply.findings;
  find('here').className = kind;
  find('here').textContent = `${title}${finding?.name ? `: [${finding.name}]` : '.'}`;
  const {error} = run.reply;
  find('code-error').textContent = '';
  if (error && error.line && run.ptx !== null && isHere(run)) {
    find('code-error').textContent = `Line ${error.line}: ${error.message}`;
    editor.highlight('wrong', [error.line - 1]);
    editor.show(error.line - 1);
  }
  editor.highlight('found', run.reply.findings.map((finding) => findingLine(run, finding)).filter((line) => line >= 0));
  showPlayer(run, before);
}

const isHere = (run) => run.program === state.program && run.kernel === state.kernel;

const findingLine = (run, finding) =>
    (!isHere(run) ? -1 :
                    lineOfFinding(finding, run.lineOf, editor.lines, (line) => whole.chains[line] ?? [], sources()));

function showFinding(run, finding) {
  if (!isHere(run)) return say('That was another kernel\u2019s run.');
  const line = findingLine(run, finding);
  if (line >= 0) {
    goTo(line);
    editor.highlight('found', [line]);
  }
  const name = finding.file ? ownName(finding.file, sources()) : null;
  if (name) source.mark('found', name, finding.line);
  find('editor').scrollIntoView({block: 'center'});
  if (line >= 0) editor.field.focus({preventScroll: true});
  return undefined;
}

function showPlayer(run, before) {
  player?.destroy();
  player = null;
  find('watch').hidden = !run.reply.record;
  find('beside-label').hidden = !before?.reply.record;
  if (!run.reply.record) return;
  const compare = find('beside').checked ? before?.reply.record ?? null : null;
  player = mount(
      find('player'), run.reply.record,
      {compare, level: 3, title: false, compact: true, theme: dark ? 'dark' : 'light'});
  const together = run.reply.record.panels.findIndex((panel) => panel.launches.length > 1);
  if (together > 0) player.open(`#panel=${together + 1}`);  // where the urgent kernel is
}

// ---- the page around it ----

// Browsers refuse to be told of every key.
function keepAddress() {
  clearTimeout(addressWaits);
  addressWaits = setTimeout(() => {
    const address = writeState(state, catalogue);
    if (address.length < kMostAddress) history.replaceState(null, '', address);
  }, 200);
}

function copyLink() {
  const address = writeState({...state, done: []}, catalogue);
  if (address.length >= kMostAddress) return say('The edits are too long for a link.');
  const link = location.href.replace(/#.*$/, '') + address,
        done = () => say('The link is copied: it holds kernel, knobs, seed and edits.');
  if (navigator.clipboard?.writeText)
    return navigator.clipboard.writeText(link).then(done, () => say('The link is this page\u2019s address.'));
  return say('The link is this page\u2019s address.');
}

function setTheme(isDark) {
  dark = isDark;
  document.documentElement.classList.toggle('dark', dark);
  find('theme').textContent = dark ? 'Light' : 'Dark';
  player?.setTheme(dark ? 'dark' : 'light');
}

// A task's kernel and knobs; what it does not name is as at first.
function setUp(start) {
  const chosen = entryOf(catalogue, start.program, start.kernel) ?? {kernel: entry().program.kernels[0]};
  const {options, ...rest} = start, {step, done} = state;
  state = Object.assign(firstState(catalogue), rest, {kernel: chosen.kernel.id, step, done, edits: []});
  state.options = carriedOver(options, chosen.kernel, chosen.kernel);
  showState();
}

function showState() {
  guide.state = state;
  guide.show();
  knobs.show(state);
  openText();
}

const knobs = new Knobs(catalogue, (what) => {
  if (what === 'kernel') openText();
  keepAddress();
});
let guide;

function start() {
  const read = readState(location.hash, catalogue);
  state = read.state;
  guide = new Guide(state, setUp, keepAddress);
  const system = matchMedia('(prefers-color-scheme: dark)');
  setTheme(system.matches);
  system.addEventListener('change', () => setTheme(system.matches));
  showState();
  if (read.notes.length > 0) say(read.notes.join(' '));
  const on = (id, action) => find(id).addEventListener('click', action);
  on('run', run);
  on('run-here', run);
  on('explore', explore);
  on('stop', () => runner.stop());
  on('link', copyLink);
  on('theme', () => setTheme(!dark));
  on('reset', () => {
    editor.setLines(shownTexts());
    takeText();
  });
  on('first-run', () => {
    const {step, done} = state;
    state = Object.assign(firstState(catalogue), {step, done});
    showState();
    run().then(
        () => find('result').scrollIntoView(
            {block: 'start', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'}));
  });
  find('beside').addEventListener('change', () => showPlayer(runs[runs.length - 1], runs[runs.length - 2]));
  addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    document.activeElement?.dispatchEvent?.(new Event('change', {bubbles: true}));
    run();
  });
  addEventListener('hashchange', () => {
    const again = readState(location.hash, catalogue);
    state = again.state;
    showState();
    say(again.notes.join(' '));
  });
}

start();
runner.prepare();
