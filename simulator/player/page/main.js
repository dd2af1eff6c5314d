// The page: one moment, shown everywhere; and what moves it.
import {grouped, count} from './numbers.js';
import {blockName, openPanel, readRecord, types} from './record.js';
import {blockOf, eventAt, isSteal, search, waitingBlocks} from './moments.js';
import {label, lineName, sentence} from './words.js';
import {readAddress, writeAddress} from './address.js';
import {Axis} from './axis.js';
import {Lanes, drawQueue, kAxisHeight, kStripHeight, labelWidth, readColours} from './lanes.js';
import {element, showFocus} from './focus.js';
import {Source, nextExecution} from './source.js';
import {comparison, differences, firstDifference} from './compare.js';
import {questionFor} from './guess.js';
import {showTable} from './table.js';

const find = (id) => document.getElementById(id);
const run = readRecord(JSON.parse(find('record').textContent));
const other = find('earlier') ? readRecord(JSON.parse(find('earlier').textContent)) : null;

// The moment: all that the page shows follows from these.
const moment = {panel: 0, event: 0, time: 0, launch: 0, block: -1, line: 0};
let panel, axis, source, playing = 0, guessing = false, question = null, colours;
const views = [];  // of this run, and of the other one

// ---- lanes on their canvases ----

class View {
  constructor(itsRun, itsPanel, title) {
    this.run = itsRun;
    this.panel = itsPanel;
    this.lanes = new Lanes(itsRun, itsPanel);
    this.box = element('div', '', {class: 'run'});
    if (title) this.box.append(element('h2', title));
    this.strip = element('canvas', '', {class: 'strip', title: 'The whole run. Drag to move through time; the frame is what the rows show'});
    this.scale = element('canvas', '');
    this.rows = element('canvas', '', {role: 'img'});
    this.scroll = element('div', '', {class: 'rows', tabindex: '0', role: 'region', 'aria-label': 'rows of the SMs'});
    this.space = element('div', '');
    this.scroll.append(this.rows, this.space);
    this.box.append(this.strip, this.scale, this.scroll);
    this.axis = new Axis(itsPanel.begin, itsPanel.end);
    this.whole = new Axis(itsPanel.begin, itsPanel.end);
    this.scroll.addEventListener('scroll', () => paint());
    listen(this);
  }
  get height() { return Math.min(this.lanes.height + 2, Math.max(120, Math.min(440, innerHeight * 0.56))); }

  // The same moment in this view's run: cycles since the launch are one clock.
  get time() { return moment.time - panel.begin + this.panel.begin; }
  get index() { return this.panel === panel ? moment.event : eventAt(this.panel, this.time); }

  paint() {
    const width = this.box.clientWidth;
    for (const each of [this.axis, this.whole]) Object.assign(each, {left: labelWidth, width: Math.max(50, width - labelWidth - 12)});
    if (this.panel !== panel) {
      const shift = this.panel.begin - panel.begin;
      this.axis.bounds = [this.panel.begin, Math.max(this.panel.begin + axis.bounds[1] - axis.bounds[0], this.panel.end)];
      this.whole.bounds = this.axis.bounds;
      [this.axis.from, this.axis.to] = [axis.from + shift, axis.to + shift];
    }
    [this.whole.from, this.whole.to] = this.whole.bounds;
    const hidden = guessing ? this.time + 0.5 : Infinity;
    const view = {axis: this.axis, index: this.index, time: this.time, scroll: this.scroll.scrollTop, width, height: this.height,
      focus: this.panel === panel ? {launch: moment.launch, block: moment.block} : null, hidden};
    this.view = view;
    this.scroll.style.height = `${this.height}px`;
    this.space.style.height = `${Math.max(0, this.lanes.height - this.height)}px`;
    this.lanes.drawStrip(sized(this.strip, width, kStripHeight), view, this.whole, colours);
    this.lanes.drawAxis(sized(this.scale, width, kAxisHeight), view, colours);
    this.lanes.draw(sized(this.rows, width, this.height), view, colours);
    this.rows.setAttribute('aria-label', `${count(this.panel.lanes.length, 'row')}, from cycle ${grouped(view.axis.from - this.panel.begin)} to ` +
      `${grouped(view.axis.to - this.panel.begin)}; the table below has the same in words`);
  }
}

function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext('2d');
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}

let painting = 0;
function paint() {
  painting ||= requestAnimationFrame(() => {
    painting = 0;
    for (const view of views) view.paint();
    const launch = panel.launches[moment.launch], width = find('queue-section').clientWidth;
    const rows = Math.ceil(launch.total / launch.clusterSize / Math.max(1, Math.floor(width / 16)));
    const height = rows > 6 ? 18 : rows * 16;
    drawQueue(sized(find('queue'), width, height), width, height, panel, moment.launch, moment.time, colours);
  });
}

// ---- the moment ----

function goTo(event, {time, follow = false, quiet = false} = {}) {
  moment.event = Math.max(0, Math.min(event, panel.events.length - 1));
  moment.time = time ?? panel.events.time[moment.event] ?? panel.begin;
  moment.line = 0;
  const {events} = panel;
  if (follow && events.block[moment.event] >= 0) {
    moment.launch = events.launch[moment.event];
    moment.block = events.block[moment.event];
  }
  if (!quiet) axis.reveal(moment.time);
  show();
}

function goToTime(time) {
  const begin = panel.events.time[0] ?? panel.begin;
  const at = Math.max(begin, Math.min(time, panel.end));
  goTo(Math.max(0, eventAt(panel, at)), {time: at, quiet: true});
}

function setFocus(launch, block) {
  moment.launch = launch;
  moment.block = block;
  show();
}

// The line that the event is about.
function lineOfEvent() {
  if (moment.line) return moment.line;
  const {events} = panel, i = moment.event;
  if (events.time[i] !== moment.time || events.block[i] !== moment.block || events.launch[i] !== moment.launch) return 0;
  const launch = panel.launches[events.launch[i]], type = types[events.type[i]];
  if (type === 'request') return launch.requests.line[events.ref[i]];
  if (type === 'operation') return launch.operations.line[events.ref[i]];
  if (type === 'finding') return run.findings[events.ref[i]].line;
  return 0;
}

function show() {
  const {events} = panel, launch = panel.launches[moment.launch];
  find('sentence').textContent = moment.line
    ? `Block ${blockName(launch, moment.block)} runs ${lineName(run, moment.line)}. Before that: ${sentence(run, panel, moment.event)}`
    : sentence(run, panel, moment.event);
  find('clock').textContent = `cycle ${grouped(moment.time - panel.begin)} of ${grouped(panel.end - panel.begin)}, event ${grouped(moment.event + 1)} of ${grouped(events.length)}`;
  const waiting = waitingBlocks(launch, moment.time);
  find('queue-words').textContent = `${count(waiting, 'block')} of ${grouped(launch.total)} wait${waiting === 1 ? 's' : ''} to start`;
  find('block').value = `${moment.launch}:${moment.block}`;
  showFocus(find('focus'), run, panel, moment, moment.event, (line) => source.mark(panel, moment, moment.time, line));
  source.mark(panel, moment, moment.time, lineOfEvent());
  if (find('table-section').open) fillTable();
  history.replaceState(null, '', writeAddress({...moment, ...(axis.to - axis.from < axis.bounds[1] - axis.bounds[0] ? {from: axis.from, to: axis.to} : {})}));
  paint();
}

function fillTable() {
  showTable(find('events'), run, panel, moment.event, guessing ? moment.event + 1 : Infinity, (i) => goTo(i, {follow: true}));
}

// ---- steps ----

function nextIndex(direction, unit) {
  const {events} = panel, i = moment.event;
  switch (unit) {
    case 'block': return search(panel, i, direction, (j) => events.block[j] === moment.block && events.launch[j] === moment.launch);
    case 'steal': return search(panel, i, direction, (j) => isSteal(panel, j));
    case 'finding': return search(panel, i, direction, (j) => types[events.type[j]] === 'finding');
    default: return search(panel, i, direction, () => true);
  }
}

function stepLine(direction) {
  const {steps} = panel.launches[moment.launch];
  let best = null;
  for (const warp of blockOf(panel, moment.launch, moment.block).warps.values()) {
    for (const step of warp.steps) {
      if ((steps.what[step] & 3) !== 0 || !steps.line[step]) continue;
      const away = (steps.time[step] - moment.time) * direction;
      if (away > 0 && (best === null || away < (steps.time[best] - moment.time) * direction)) best = step;
    }
  }
  if (best === null) return say('There is no further line of this block.');
  goToTime(steps.time[best]);
  axis.reveal(moment.time);
  moment.line = steps.line[best];
  show();
}

function step(direction, unit = find('unit').value) {
  if (question) return;
  if (unit === 'line') return stepLine(direction);
  const next = nextIndex(direction, unit);
  if (next < 0) return say(direction > 0 ? 'There is no further one.' : 'There is no earlier one.');
  if (direction > 0 && guessing) {
    for (let i = moment.event + 1; i <= next; i++) {
      const asked = questionFor(panel, i);
      if (asked) return ask(asked, i);
    }
  }
  goTo(next, {follow: unit !== 'event'});
}

function say(text) {
  find('hint').textContent = text;
}

// ---- guess first ----

function ask(asked, i) {
  stop();
  question = asked;
  goTo(i - 1);
  const box = find('question');
  box.hidden = false;
  box.replaceChildren(element('p', asked.question));
  asked.answers.forEach((answer, n) => {
    const button = element('button', `${n + 1}: ${answer.text}`, {type: 'button'});
    button.addEventListener('click', () => choose(n, i));
    box.append(button, ' ');
  });
  asked.at = i;
}

function choose(n, i) {
  if (!question?.answers[n]) return;
  const answers = question.answers, box = find('question');
  [...box.querySelectorAll('button')].forEach((button, k) => {
    button.disabled = true;
    if (answers[k].right) button.className = 'right';
    else if (k === n) button.className = 'wrong';
  });
  box.append(element('p', answers[n].right ? 'Yes.' : 'No: see what happens.'));
  question = null;
  goTo(i, {follow: true});
}

function setGuessing(on) {
  guessing = on;
  find('guess').checked = on;
  question = null;
  find('question').hidden = true;
  show();
}

// ---- play ----

function stop() {
  clearTimeout(playing);
  playing = 0;
  find('play').textContent = '\u25B6 Play';
}

function play() {
  if (playing) return stop();
  if (moment.event >= panel.events.length - 1) goTo(0);
  find('play').textContent = '\u25A0 Stop';
  const tick = () => {
    const before = moment.event, at = moment.time;
    step(1);
    if (question || (moment.event === before && moment.time === at)) return stop();
    const speed = Number(find('speed').value);
    playing = setTimeout(tick, 900 / speed);
  };
  playing = setTimeout(tick, 0);
}

// ---- pointer and touch ----

function listen(view) {
  const pointers = new Map();
  let moved = false, start = 0, spread = 0;
  const scrub = (event) => goToTime(view.whole.time(event.offsetX) - view.panel.begin + panel.begin);
  view.strip.addEventListener('pointerdown', (event) => {
    view.strip.setPointerCapture(event.pointerId);
    stop();
    scrub(event);
  });
  view.strip.addEventListener('pointermove', (event) => { if (event.buttons && !question) scrub(event); });
  view.strip.addEventListener('pointerup', () => { axis.reveal(moment.time); show(); });

  view.rows.addEventListener('pointerdown', (event) => {
    view.rows.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event.offsetX);
    moved = false;
    start = event.offsetX;
    if (pointers.size === 2) spread = Math.abs([...pointers.values()][0] - [...pointers.values()][1]);
  });
  view.rows.addEventListener('pointermove', (event) => {
    if (!pointers.has(event.pointerId)) {
      if (view.view) say(view.lanes.explain(event.offsetX, event.offsetY, view.view));
      return;
    }
    const before = pointers.get(event.pointerId);
    pointers.set(event.pointerId, event.offsetX);
    if (Math.abs(event.offsetX - start) > 4) moved = true;
    if (!moved) return;
    if (pointers.size === 2) {
      const [one, two] = pointers.values(), now = Math.max(8, Math.abs(one - two));
      axis.zoom(spread / now, axis.time((one + two) / 2));
      spread = now;
    } else {
      axis.pan((before - event.offsetX) / axis.width);
    }
    paint();
  });
  const release = (event) => {
    const known = pointers.delete(event.pointerId);
    if (!known || moved || event.type === 'pointercancel') return known && show();
    const span = view.lanes.spanAt(event.offsetX, event.offsetY, view.view);
    const time = view.axis.time(event.offsetX) - view.panel.begin + panel.begin;
    if (question || time > moment.time && guessing) return undefined;
    if (view.panel === panel && span) {
      moment.launch = span.launch;
      moment.block = panel.launches[span.launch].rows.block[span.row];
    }
    return goToTime(time);
  };
  view.rows.addEventListener('pointerup', release);
  view.rows.addEventListener('pointercancel', release);
  view.rows.addEventListener('pointerleave', () => say(''));
  view.rows.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) axis.zoom(Math.exp(event.deltaY / 300), axis.time(event.offsetX));
    else axis.pan(event.deltaX / axis.width);
    show();
  }, {passive: false});
}

// ---- keys ----

function changeBlock(by) {
  const choices = [...find('block').options].map((option) => option.value);
  const at = choices.indexOf(`${moment.launch}:${moment.block}`);
  const [launch, block] = choices[(at + by + choices.length) % choices.length].split(':').map(Number);
  setFocus(launch, block);
}

function zoom(factor) {
  const middle = moment.time >= axis.from && moment.time <= axis.to ? moment.time : (axis.from + axis.to) / 2;
  axis.zoom(factor, middle);
  show();
}

function copyLink() {
  const text = `${document.title}, cycle ${grouped(moment.time - panel.begin)}: ${location.href}`;
  const done = () => say(`Copied: ${text}`);
  if (navigator.clipboard?.writeText) navigator.clipboard.writeText(text).then(done, () => say(text));
  else say(text);
}

const keys = {
  ArrowRight: (shift) => step(1, shift ? 'block' : undefined),
  ArrowLeft: (shift) => step(-1, shift ? 'block' : undefined),
  PageDown: () => step(1),
  PageUp: () => step(-1),
  ArrowDown: () => changeBlock(1),
  ArrowUp: () => changeBlock(-1),
  Home: () => goTo(0),
  End: () => (guessing ? say('The end is hidden while you guess.') : goTo(panel.events.length - 1)),
  ' ': play,
  t: (shift) => step(shift ? -1 : 1, 'steal'),
  l: (shift) => stepLine(shift ? -1 : 1),
  f: (shift) => step(shift ? -1 : 1, 'finding'),
  b: () => goTo(moment.event, {follow: true}),
  w: () => zoom(0.6), '+': () => zoom(0.6), '=': () => zoom(0.6),
  s: () => zoom(1 / 0.6), '-': () => zoom(1 / 0.6),
  a: () => { axis.pan(-0.25); show(); },
  d: () => { axis.pan(0.25); show(); },
  0: () => { axis.show(...axis.bounds); show(); },
  g: () => setGuessing(!guessing),
  c: copyLink,
  '/': () => { find('table-section').open = true; find('words').focus(); },
  '?': () => find('help').showModal(),
};

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || find('help').open) return;
  const inField = event.target.closest('input:not([type=checkbox]), select, textarea');
  if (inField) return;
  if (event.key === ' ' && event.target.closest('button, summary, input')) return;
  if (['ArrowDown', 'ArrowUp'].includes(event.key) && event.target.closest('.scroll, .source')) return;
  if (question && /^[1-4]$/.test(event.key)) return choose(Number(event.key) - 1, question.at);
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return undefined;
  event.preventDefault();
  return action(event.shiftKey);
});

// ---- the page around it ----

function openLaunch(index, wish = {}) {
  stop();
  panel = openPanel(run, index);
  moment.panel = index;
  find('panel').value = index;
  views.length = 0;
  find('runs').replaceChildren();
  views.push(new View(run, panel, other ? `This run: ${about(run)}` : ''));
  axis = views[0].axis;
  const match = other && openPanel(other, Math.min(index, other.panels.length - 1));
  if (match) {
    views.push(new View(other, match, `The other run: ${about(other)}`));
    const length = Math.max(panel.end - panel.begin, match.end - match.begin);
    axis.bounds = [panel.begin, panel.begin + length];
    axis.show(...axis.bounds);
    views[0].whole.bounds = axis.bounds;
    const differ = differences(panel, match);
    for (const view of views) view.lanes.differs = differ;
    find('compare-section').hidden = false;
    find('comparison').replaceChildren(...comparison(panel, match).map((cells) => {
      const row = element('tr');
      row.append(element('th', cells[0], {scope: 'row'}), element('td', cells[1]), element('td', cells[2]));
      return row;
    }));
    find('difference').textContent = `${firstDifference(panel, match)} Tiles that another block does in the other run are underlined in red.`;
  }
  for (const view of views) find('runs').append(view.box);
  const options = [];
  panel.launches.forEach((launch, l) => {
    const many = panel.launches.length > 1 ? ` of ${launch.kernel}` : '';
    for (const block of [...launch.blocks.index].sort((a, b) => a - b).slice(0, 2000)) {
      options.push(element('option', blockName(launch, block) + many, {value: `${l}:${block}`}));
    }
  });
  find('block').replaceChildren(...options);
  const known = wish.launch !== undefined && panel.launches[wish.launch]?.rowOfBlock.has(wish.block);
  const [launch, block] = (options[0]?.value ?? '0:-1').split(':').map(Number);
  Object.assign(moment, known ? {launch: wish.launch, block: wish.block} : {launch, block});
  if (wish.from !== undefined) axis.show(wish.from, wish.to);
  goTo(wish.event ?? 0, {quiet: true});
}

function about(itsRun) {
  return `${itsRun.command}`;
}

function setTheme(dark) {
  document.documentElement.classList.toggle('dark', dark);
  find('theme').textContent = dark ? 'Light' : 'Dark';
  colours = readColours(document.documentElement);
  if (panel) paint();
}

function start() {
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches);
  const program = run.command.split(' ').find((word) => word.includes('/')) ?? run.command;
  const name = program.replace(/.*\//, '');
  document.title = `${name}, a run on clcsim`;
  find('title').textContent = `${name}: who ran what when`;
  find('about').textContent = `${run.command} \u2014 simulated, GPU ${run.gpu} (${count(run.sms, 'SM')}), ` +
    (run.seed ? `hostile schedule of seed ${run.seed}` : 'natural schedule') + '; times are cycles of a model';
  find('notes').textContent = run.notes.join(' ');
  const shown = run.panels.filter((each) => each.repeats < 0);
  if (shown.length === 0) {
    find('sentence').textContent = 'No kernel ran.';
    return;
  }
  find('panel').replaceChildren(...run.panels.map((each) => {
    const option = element('option', each.repeats < 0 ? each.title : `${each.title} (like ${run.panels[each.repeats].title.split(':')[0]})`, {value: each.index});
    option.disabled = each.repeats >= 0;
    return option;
  }));
  find('panel-label').hidden = run.panels.length === 1;
  source = new Source(find('source'), run, (line) => {
    const time = nextExecution(panel, moment, line, moment.time);
    if (time < 0) return say(`Block ${blockName(panel.launches[moment.launch], moment.block)} never runs this line, or it was not kept.`);
    goToTime(time);
    axis.reveal(moment.time);
    moment.line = line;
    return show();
  });
  showFindings();
  connect();
  const wish = readAddress(location.hash, run.panels);
  openLaunch(wish.panel ?? shown[0].index, wish);
}

function showFindings() {
  find('findings-section').hidden = run.findings.length === 0;
  run.findings.forEach((finding, i) => {
    const item = element('li'), go = element('button', `${finding.name ? `[${finding.name}] ` : ''}${finding.what}`, {type: 'button', class: 'link'});
    go.addEventListener('click', () => {
      const index = run.panels.findIndex((each) => each.launches.some((launch) => launch.serial === finding.launch));
      if (index < 0) return;
      if (index !== moment.panel) openLaunch(index);
      const at = search(panel, -1, 1, (j) => types[panel.events.type[j]] === 'finding' && panel.events.ref[j] === i);
      if (at >= 0) goTo(at, {follow: true});
    });
    const text = element('details');
    text.append(element('summary', finding.times > 1 ? `the report; ${grouped(finding.times)} times` : 'the report'), element('pre', finding.text));
    item.append(go, text);
    find('findings').append(item);
  });
}

function connect() {
  const on = (id, action, event = 'click') => find(id).addEventListener(event, action);
  on('panel', () => openLaunch(Number(find('panel').value)), 'change');
  on('block', () => setFocus(...find('block').value.split(':').map(Number)), 'change');
  on('first', () => goTo(0));
  on('last', keys.End);
  on('back', () => step(-1));
  on('forward', () => step(1));
  on('play', play);
  on('guess', () => setGuessing(find('guess').checked), 'change');
  on('link', copyLink);
  on('zoom-in', () => zoom(0.6));
  on('zoom-out', () => zoom(1 / 0.6));
  on('zoom-all', keys[0]);
  on('pan-left', keys.a);
  on('pan-right', keys.d);
  on('theme', () => setTheme(!document.documentElement.classList.contains('dark')));
  on('help-button', () => find('help').showModal());
  on('help-close', () => find('help').close());
  on('table-section', fillTable, 'toggle');
  find('search').addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = find('words').value.toLowerCase();
    const matches = (i) => `${label(run, panel, i)} ${sentence(run, panel, i)}`.toLowerCase().includes(wanted);
    let at = search(panel, moment.event, 1, matches);
    if (at < 0) at = search(panel, -1, 1, matches);
    find('found').textContent = at < 0 ? 'not found' : '';
    if (at >= 0) goTo(at, {follow: true});
  });
  addEventListener('resize', paint);
  addEventListener('hashchange', () => {
    const wish = readAddress(location.hash, run.panels);
    if (wish.panel !== undefined && wish.panel !== moment.panel) return openLaunch(wish.panel, wish);
    if (wish.from !== undefined) axis.show(wish.from, wish.to);
    if (wish.launch !== undefined && panel.launches[wish.launch]?.rowOfBlock.has(wish.block)) Object.assign(moment, {launch: wish.launch, block: wish.block});
    return goTo(wish.event ?? moment.event, {quiet: true});
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => setTheme(event.matches));
}

start();
