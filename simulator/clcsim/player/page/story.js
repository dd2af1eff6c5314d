// A finding: what is wrong, its cause, rule and fix, the lines that are broken, and how it came to this.
import {element, linkButton} from './element.js';
import {blockOf, eventAt} from './moments.js';
import {grouped, ranges} from './numbers.js';
import {blockName, clusterBlocks, kinds, mbarrierKinds, types} from './record.js';
import {brokenLines, isNamedBroken} from './source.js';
import {lineName, sentence} from './words.js';

const kEventsBefore = 5;
const toldKinds =
    new Set([...mbarrierKinds, 'query', 'decode', 'fence', 'copy', 'product', 'cluster_done', 'bar_done']);

/// Lines that a finding speaks of: [{file, line, label}], each line once.
export function guiltyLines(run, finding) {
  const lines = new Map();
  const add = (place, label) => {
    const key = `${place?.file}:${place?.line}`;
    if (place?.line && !lines.has(key)) lines.set(key, {file: place.file, line: place.line, label});
  };
  const [file, line] = run.lines[finding.line - 1] ?? [];
  add({file: run.files[file]?.name, line}, 'here');
  add(finding.use, 'read');
  for (const detail of finding.details ?? []) add(detail, detail.label);
  return [...lines.values()];
}

/// The few events before a finding, of its block and of those beside it in the cluster: indices.
export function eventsBefore(panel, at) {
  const {events} = panel, launch = panel.launches[events.launch[at]], block = events.block[at];
  const near = new Set(block < 0 ? [] : clusterBlocks(launch, block)), found = [];
  for (let i = at - 1; i >= 0 && found.length < kEventsBefore; i--) {
    if (events.launch[i] !== events.launch[at] || (block >= 0 && !near.has(events.block[i]))) continue;
    const told = types[events.type[i]] === 'operation' && events.block[i] === block &&
        toldKinds.has(kinds[launch.operations.kind[events.ref[i]]]);
    if (events.matters[i] || told) found.unshift(i);
  }
  return found;
}

const titleOf = ({kind, name, what}) =>
    `${{note: 'Note: ', accepted: 'Accepted: '}[kind] ?? ''}${name ? `[${name}] ` : ''}${what}`;

function row(name, ...parts) {
  return element('div', '', {class: 'fact'}, element('dt', name), element('dd', '', {}, ...parts));
}

// The lines of the kernel's broken form, as they stand in the source.
function brokenRow(run, panel) {
  const lines = brokenLines(run, panel).filter(({text}) => text.trim() !== '');
  const [missing, broken] = [true, false].map((out) => lines.filter((line) => line.out === out));
  const where = (some) => `line${some.length > 1 ? 's' : ''} ${ranges(some.map(({number}) => number))}`;
  const text = (some) => some.map((line) => line.text.trim()).join('\n');
  if (missing.length > 0 && text(missing) === text(broken))
    return [row('moved', `${where(missing)} should run, not ${where(broken)}: `, element('code', text(broken)))];
  const rows = [['broken', broken], [broken.length > 0 ? 'right' : 'missing', missing]];
  return rows.filter(([, some]) => some.length > 0)
      .map(([name, some]) => row(name, `${where(some)}: `, element('code', text(some))));
}

/// Fills `place` for a run that breaks no rule: the lines of the kernel's broken form. Whether it is one.
export function showBroken(place, run, panel, level) {
  const rows = brokenRow(run, panel), inKernel = rows.length > 0;
  if (!inKernel && !isNamedBroken(panel)) return false;
  const facts = element(
      'dl', '', {},
      row('mistake',
          inKernel ?
              'this kernel is a broken form; clcsim sees no rule broken, so only results or times show it' :
              'it is not in the kernel, but in how the host launches it, or in what checks the result: look at what ' +
                  'the program prints'),
      ...rows);
  const what = inKernel ? 'a kernel with a mistake' : 'a launch with a mistake';
  place.replaceChildren(element(`h${level}`, `No finding, but ${what}`, {class: 'part'}), facts);
  return true;
}

/// Fills `place` with finding number `chosen`. actions: goTo(event), goToPlace(), choose(number).
export function showStory(place, run, panel, chosen, at, actions, level) {
  const finding = run.findings[chosen], launch = panel.launches.find((each) => each.serial === finding.launch);
  const head = element(`h${level}`, titleOf(finding), {class: 'part'}), facts = element('dl');
  const where = lineName(run, finding.line);
  const go = linkButton(where || 'where it happens', () => actions.goToPlace());
  const who = finding.block >= 0 && launch ? `, block ${blockName(launch, finding.block)}` : '';
  const warp = finding.warp ? `, warp ${finding.warp - 1}` : '';
  const many = finding.count > 1 ? `; the first of ${grouped(finding.count)} such findings` : '';
  facts.append(row('where', go, `${who}${warp}, cycle ${grouped(finding.time - panel.begin)}${many}`));
  const details = (finding.details ?? []).filter(({text}) => text);
  const cause = details.filter(({label}) => label === 'cause');
  for (const {label, text} of cause.length > 0 ? cause : details) facts.append(row(label, text));
  facts.append(...brokenRow(run, panel));
  if (finding.fix) facts.append(row('fix', finding.fix));
  if (finding.rule) facts.append(row('rule', finding.rule));
  const text = element('pre', finding.text, {tabindex: '0'});
  const report = element('details', '', {}, element('summary', 'As the terminal prints it'), text);
  const told = [...before(run, panel, finding, at, actions), ...others(run, chosen, actions)];
  const halves = [[facts, report], told].map((parts) => element('div', '', {}, ...parts));
  place.replaceChildren(head, element('div', '', {class: 'halves'}, ...halves));
}

/// Accesses that a finding's details name, such as a read: [{time, event, label, text}], each where its warp was last
/// at the line.
export function accessesBefore(run, panel, finding, at) {
  const {events} = panel, launch = panel.launches[events.launch[at]], [x, y] = launch.grid;
  return (finding.details ?? []).flatMap(({label, file, line, block, thread}) => {
    const number = run.lines.findIndex(([of, at]) => run.files[of].name === file && at === line) + 1;
    if (!thread || !block || number === 0) return [];
    const index = block[0] + x * (block[1] + y * block[2]), {steps} = launch;
    const [width, height] = launch.block, [i, j, k] = thread, warp = Math.floor((i + width * (j + height * k)) / 32);
    const history = blockOf(panel, events.launch[at], index).warps.get(warp)?.steps ?? [];
    const times = history.filter((step) => steps.line[step] === number && steps.time[step] <= finding.time)
                      .map((step) => steps.time[step]);
    if (times.length === 0) return [];
    const time = Math.max(...times), who = `Thread (${thread.join(',')}) of block ${blockName(launch, index)}`;
    return [{time, label, event: eventAt(panel, time), text: `${who} is at ${lineName(run, number)}: the ${label}.`}];
  });
}

function before(run, panel, finding, at, actions) {
  if (at < 0) return [];
  const list = element('ol', '', {class: 'before'}), {time} = panel.events;
  const told = eventsBefore(panel, at).map((i) => ({time: time[i], event: i, text: sentence(run, panel, i)}));
  const asked = told.some(({event}) => types[panel.events.type[event]] === 'request');
  const more = accessesBefore(run, panel, finding, at).filter(({label}) => label !== 'request' || !asked);
  const all = [...more, ...told].sort((a, b) => a.time - b.time);
  const where = finding.line ? `The finding, at ${lineName(run, finding.line)}.` : 'The finding.';
  for (const each of [...all, {time: time[at], event: at, text: where}]) {
    const go = linkButton(`cycle ${grouped(each.time - panel.begin)}`, () => actions.goTo(each.event));
    list.append(element('li', '', {}, go, ` ${each.text}`));
  }
  return [element('p', 'How it came to this:', {class: 'note'}), list];
}

function others(run, chosen, actions) {
  if (run.findings.length < 2) return [];
  const items = run.findings.map(titleOf).map(
      (text, i) =>
          element('li', '', {}, i === chosen ? element('b', text) : linkButton(text, () => actions.choose(i))));
  return [element('p', `${items.length} findings:`, {class: 'note'}), element('ul', '', {class: 'others'}, ...items)];
}
