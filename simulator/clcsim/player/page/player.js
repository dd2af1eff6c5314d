// A player: one moment of a run, shown everywhere inside an element; and what moves it.
import {readAddress, writeAddress} from './address.js';
import {comparison, differences, firstDifference} from './compare.js';
import {element, showFocus} from './focus.js';
import {questionFor} from './guess.js';
import {answerKey} from './keys.js';
import {drawQueue, readColours} from './lanes.js';
import {markup} from './markup.js';
import {blockOf, eventAt, isSteal, search, waitingBlocks} from './moments.js';
import {count, grouped} from './numbers.js';
import {listenToPointers} from './pointer.js';
import {blockName, kinds, openPanel, readRecord, types} from './record.js';
import {nextExecution, Source} from './source.js';
import {showTable} from './table.js';
import {sized, View} from './view.js';
import {label, lineName, sentence} from './words.js';

/// Builds a player inside `root` (an element of the page, at its end; several may stand in one page).
///   record   the object that --timeline puts into a page
///   compare  another one, to watch beside it
///   level    of its heading: 1 to 4
///   title    false: it has none of its own
///   compact  true: queue, block and source are folded away at first
///   cycles   that the time axis has room for, so that several players have one scale
///   keys     who listens to the keyboard: `document`, or by default the player, while the focus is in it
///   address  {read(), write(text)}: where the moment is kept as a text like "#panel=1&event=57"; by default nowhere
///   theme    'light' or 'dark': the page decides; 'system': the reader's system does; by default that, and a button
///   themed(dark)  is called when it becomes light or dark
/// Returns the player: destroy(), open(address), setTheme('light' | 'dark'), focus(), name.
export function mount(root, record, options = {}) { return new Player(root, record, options); }

export class Player {
  constructor(
      root, record,
      {compare = null, level = 1, title = level !== 0, compact = false, cycles = 0, keys, address, theme, themed} =
          {}) {
    this.run = readRecord(record);
    this.other = compare && readRecord(compare);
    this.level = level || 1;
    this.cycles = cycles;
    this.address = address;
    this.themed = themed;
    // All that is shown follows from these.
    this.moment = {panel: 0, event: 0, time: 0, launch: 0, block: -1, line: 0};
    this.panel = this.axis = this.source = this.question = null;
    this.views = [];  // of this run, and of the other one
    this.playing = this.painting = 0;
    this.guessing = false;
    this.search = null;
    this.ending = new AbortController();

    this.box = element('div', '', {class: 'clc-player'});
    this.box.innerHTML = markup(this.level, compact);
    this.parts = new Map([...this.box.querySelectorAll('[data-part]')].map((each) => [each.dataset.part, each]));
    root.append(this.box);
    this.find('title').hidden = !title;
    this.find('link').hidden = !address;
    this.find('theme').hidden = theme !== undefined;  // the page decides
    const {signal} = this.ending;
    const system = matchMedia('(prefers-color-scheme: dark)');
    this.setTheme(theme && theme !== 'system' ? theme : system.matches ? 'dark' : 'light');
    if (!theme || theme === 'system')
      system.addEventListener('change', () => this.setTheme(system.matches ? 'dark' : 'light'), {signal});
    (keys ?? this.box).addEventListener('keydown', (event) => answerKey(this, event), {signal});
    this.resizing = new ResizeObserver(() => this.paint());
    this.resizing.observe(this.box);
    this.start();
  }

  destroy() {
    this.stop();
    this.ending.abort();
    this.search = null;
    this.resizing.disconnect();
    cancelAnimationFrame(this.painting);
    this.box.remove();
  }

  find(part) { return this.parts.get(part); }
  focus() { this.find('sentence').focus(); }

  // ---- what is shown ----

  paint() {
    if (!this.panel) return;
    this.painting ||= requestAnimationFrame(() => {
      this.painting = 0;
      if (this.box.clientWidth === 0) return;  // nobody sees it
      for (const view of this.views) view.paint(this.colours);
      const {panel, moment} = this, width = this.find('queue-section').clientWidth;
      if (width === 0) return;
      const launch = panel.launches[moment.launch];
      const rows = Math.ceil(launch.total / launch.clusterSize / Math.max(1, Math.floor(width / 16)));
      const height = rows > 6 ? 18 : rows * 16;
      drawQueue(
          sized(this.find('queue'), width, height), width, height, panel, moment.launch, moment.time, this.colours);
    });
  }

  // The line that the event is about.
  lineOfEvent() {
    const {moment, panel} = this;
    if (moment.line) return moment.line;
    const {events} = panel, i = moment.event;
    if (events.time[i] !== moment.time || events.block[i] !== moment.block || events.launch[i] !== moment.launch)
      return 0;
    const launch = panel.launches[events.launch[i]], type = types[events.type[i]];
    if (type === 'request') return launch.requests.line[events.ref[i]];
    if (type === 'operation') return launch.operations.line[events.ref[i]];
    if (type === 'finding') return this.run.findings[events.ref[i]].line;
    return 0;
  }

  show() {
    const {run, panel, moment, axis} = this, {events} = panel, launch = panel.launches[moment.launch];
    this.find('sentence').textContent = moment.line ?
        `Block ${blockName(launch, moment.block)} runs ${lineName(run, moment.line)}. Before that: ${
            sentence(run, panel, moment.event)}` :
        sentence(run, panel, moment.event);
    this.find('clock').textContent = `cycle ${grouped(moment.time - panel.begin)} of ${
        grouped(panel.end - panel.begin)}, event ${grouped(moment.event + 1)} of ${grouped(events.length)}`;
    const waiting = waitingBlocks(launch, moment.time);
    const words = `${count(waiting, 'block')} of ${grouped(launch.total)} wait${waiting === 1 ? 's' : ''} to start`;
    this.find('queue-words').textContent = words;
    this.find('queue').setAttribute('aria-label', words);
    this.find('block').value = `${moment.launch}:${moment.block}`;
    showFocus(
        this.find('focus'), run, panel, moment, moment.event,
        (line) => this.source.mark(panel, moment, moment.time, line));
    this.source.mark(panel, moment, moment.time, this.lineOfEvent());
    if (this.find('table-section').open) this.fillTable();
    this.address?.write(writeAddress(
        {...moment, ...(axis.to - axis.from < axis.bounds[1] - axis.bounds[0] ? {from: axis.from, to: axis.to} : {})}));
    this.paint();
  }

  fillTable() {
    const {moment} = this;
    showTable(
        this.find('events'), this.run, this.panel, moment.event, this.guessing ? moment.event + 1 : Infinity,
        (i) => this.goTo(i, {follow: true}));
  }

  say(text) { this.find('hint').textContent = text; }

  setTheme(theme) {
    const dark = theme === 'dark';
    this.box.classList.toggle('dark', dark);
    this.find('theme').textContent = dark ? 'Light' : 'Dark';
    this.colours = readColours(this.box);
    this.themed?.(dark);
    this.paint();
  }

  // ---- the moment ----

  goTo(event, {time, follow = false, quiet = false} = {}) {
    const {moment, panel} = this, {events} = panel;
    moment.event = Math.max(0, Math.min(event, events.length - 1));
    moment.time = time ?? events.time[moment.event] ?? panel.begin;
    moment.line = 0;
    if (follow && events.block[moment.event] >= 0) {
      moment.launch = events.launch[moment.event];
      moment.block = events.block[moment.event];
    }
    if (!quiet) this.axis.reveal(moment.time);
    this.show();
  }

  goToTime(time) {
    const {panel} = this, begin = panel.events.time[0] ?? panel.begin;
    const at = Math.max(begin, Math.min(time, panel.end));
    this.goTo(Math.max(0, eventAt(panel, at)), {time: at, quiet: true});
  }

  goToEnd() {
    if (this.guessing)
      this.say('The end is hidden while you guess.');
    else
      this.goTo(this.panel.events.length - 1);
  }

  // To where the block in focus is at a line.
  goToLine(line, time) {
    this.goToTime(time);
    this.axis.reveal(this.moment.time);
    this.moment.line = line;
    this.show();
  }

  setFocus(launch, block) {
    Object.assign(this.moment, {launch, block});
    this.show();
  }

  changeBlock(by) {
    const {moment} = this, choices = [...this.find('block').options].map((option) => option.value);
    const at = choices.indexOf(`${moment.launch}:${moment.block}`);
    this.setFocus(...choices[(at + by + choices.length) % choices.length].split(':').map(Number));
  }

  /// A place of a view's rows was tapped.
  choosePlace(view, x, y) {
    const {moment, panel} = this, time = view.timeAt(view.axis, x);
    if (this.question || (time > moment.time && this.guessing)) return;
    const span = view.lanes.spanAt(x, y, view.seen);
    if (view.panel === panel && span) {
      moment.launch = span.launch;
      moment.block = panel.launches[span.launch].rows.block[span.row];
    }
    this.goToTime(time);
    this.say(view.lanes.explain(x, y, view.seen));  // for fingers, which point at nothing before
  }

  zoom(factor) {
    const {axis, moment} = this;
    axis.zoom(factor, moment.time >= axis.from && moment.time <= axis.to ? moment.time : (axis.from + axis.to) / 2);
    this.show();
  }
  zoomOut() {
    this.axis.show(...this.axis.bounds);
    this.show();
  }
  pan(share) {
    this.axis.pan(share);
    this.show();
  }

  // ---- steps ----

  nextIndex(direction, unit) {
    const {panel, moment} = this, {events} = panel, i = moment.event;
    switch (unit) {
      case 'block':
        return search(
            panel, i, direction, (j) => events.block[j] === moment.block && events.launch[j] === moment.launch);
      case 'steal':
        return search(panel, i, direction, (j) => isSteal(panel, j));
      case 'finding':
        return search(panel, i, direction, (j) => types[events.type[j]] === 'finding');
      default:
        return search(panel, i, direction, () => true);
    }
  }

  stepLine(direction) {
    const {panel, moment} = this, {steps} = panel.launches[moment.launch];
    let best = null;
    for (const warp of blockOf(panel, moment.launch, moment.block).warps.values()) {
      for (const step of warp.steps) {
        if (kinds[steps.kind[step]] !== 'runs' || !steps.line[step]) continue;
        const away = (steps.time[step] - moment.time) * direction;
        if (away > 0 && (best === null || away < (steps.time[best] - moment.time) * direction)) best = step;
      }
    }
    if (best === null)
      this.say('There is no further line of this block.');
    else
      this.goToLine(steps.line[best], steps.time[best]);
  }

  step(direction, unit = this.find('unit').value) {
    if (this.question) return;
    if (unit === 'line') {
      this.stepLine(direction);
      return;
    }
    const next = this.nextIndex(direction, unit);
    if (next < 0) {
      this.say(direction > 0 ? 'There is no further one.' : 'There is no earlier one.');
      return;
    }
    if (direction > 0 && this.guessing) {
      for (let i = this.moment.event + 1; i <= next; i++) {
        const asked = questionFor(this.panel, i);
        if (!asked) continue;
        this.ask(asked, i);
        return;
      }
    }
    this.goTo(next, {follow: unit !== 'event'});
  }

  stop() {
    clearTimeout(this.playing);
    this.playing = 0;
    this.find('play').textContent = '\u25B6 Play';
  }

  play() {
    if (this.playing) {
      this.stop();
      return;
    }
    const {moment} = this;
    if (moment.event >= this.panel.events.length - 1) this.goTo(0);
    this.find('play').textContent = '\u25A0 Stop';
    const tick = () => {
      const before = moment.event, at = moment.time;
      this.step(1);
      if (this.question || (moment.event === before && moment.time === at))
        this.stop();
      else
        this.playing = setTimeout(tick, 900 / Number(this.find('speed').value));
    };
    this.playing = setTimeout(tick, 0);
  }

  // ---- guess first ----

  ask(asked, i) {
    this.stop();
    this.question = {...asked, at: i};
    this.goTo(i - 1);
    const box = this.find('question');
    box.hidden = false;
    box.replaceChildren(element('p', asked.question));
    asked.answers.forEach((answer, n) => {
      const button = element('button', `${n + 1}: ${answer.text}`, {type: 'button'});
      button.addEventListener('click', () => this.choose(n));
      box.append(button, ' ');
    });
  }

  choose(n) {
    const {question} = this;
    if (!question?.answers[n]) return;
    const {answers, at} = question, box = this.find('question');
    [...box.querySelectorAll('button')].forEach((button, k) => {
      button.disabled = true;
      if (answers[k].right)
        button.className = 'right';
      else if (k === n)
        button.className = 'wrong';
    });
    box.append(element('p', answers[n].right ? 'Yes.' : 'No: see what happens.'));
    this.question = null;
    this.goTo(at, {follow: true});
  }

  setGuessing(on) {
    this.guessing = on;
    this.find('guess').checked = on;
    this.question = null;
    this.find('question').hidden = true;
    this.show();
  }

  // ---- links and search ----

  copyLink() {
    if (!this.address) return;
    const text = `${this.title}, cycle ${grouped(this.moment.time - this.panel.begin)}: ${location.href}`;
    const done = () => this.say(`Copied: ${text}`);
    if (navigator.clipboard?.writeText)
      navigator.clipboard.writeText(text).then(done, () => this.say(text));
    else
      this.say(text);
  }

  openSearch() {
    this.find('table-section').open = true;
    this.find('words').focus();
  }

  // A little at a time, so that nothing stands still meanwhile.
  async searchWords() {
    const {run, panel, moment} = this, wanted = this.find('words').value.toLowerCase(), mine = {};
    const {length} = panel.events, from = moment.event;
    this.search = mine;
    this.find('found').textContent = 'searching';
    let since = performance.now();
    for (let away = 1; away <= length; away++) {
      const i = (from + away) % length;
      if (`${label(run, panel, i)} ${sentence(run, panel, i)}`.toLowerCase().includes(wanted)) {
        this.find('found').textContent = '';
        this.goTo(i, {follow: true});
        return;
      }
      if (performance.now() - since < 20) continue;
      await new Promise((next) => setTimeout(next));
      if (this.search !== mine || this.panel !== panel) return;
      since = performance.now();
    }
    this.find('found').textContent = 'not found';
  }

  // ---- the run around it ----

  openLaunch(index, wish = {}) {
    this.stop();
    const {run, other, moment} = this, panel = this.panel = openPanel(run, index);
    moment.panel = index;
    this.find('panel').value = index;
    this.views = [new View(this, run, panel, other ? `This run: ${run.command}` : '')];
    const axis = this.axis = this.views[0].axis;
    const match = other && openPanel(other, Math.min(index, other.panels.length - 1));
    if (match) this.openOther(match);
    this.makeRoom(this.cycles);
    this.find('facts').textContent = panel.facts.map((fact) => `${fact}.`).join(' ');
    this.find('runs').replaceChildren(...this.views.map((view) => view.box));
    for (const view of this.views) listenToPointers(this, view);
    const options = [];
    panel.launches.forEach((launch, l) => {
      const many = panel.launches.length > 1 ? ` of ${launch.kernel}` : '';
      for (const block of [...launch.blocks.index].sort((a, b) => a - b).slice(0, 2000)) {
        options.push(element('option', blockName(launch, block) + many, {value: `${l}:${block}`}));
      }
    });
    this.find('block').replaceChildren(...options);
    const known = wish.launch !== undefined && panel.launches[wish.launch]?.rowOfBlock.has(wish.block);
    const [launch, block] = (options[0]?.value ?? '0:-1').split(':').map(Number);
    Object.assign(moment, known ? {launch: wish.launch, block: wish.block} : {launch, block});
    if (wish.from !== undefined) axis.show(wish.from, wish.to);
    this.goTo(wish.event ?? 0, {quiet: true});
  }

  // The time axis has room for so many cycles at least.
  makeRoom(cycles) {
    const {panel, axis} = this;
    axis.bounds = [panel.begin, Math.max(axis.bounds[1], panel.begin + cycles)];
    axis.show(...axis.bounds);
    this.views[0].whole.bounds = axis.bounds;
  }

  openOther(match) {
    const {panel, views} = this;
    views.push(new View(this, this.other, match, `The other run: ${this.other.command}`));
    this.makeRoom(match.end - match.begin);
    const differ = differences(panel, match);
    for (const view of views) view.lanes.differs = differ;
    this.find('compare-section').hidden = false;
    this.find('comparison').replaceChildren(...comparison(panel, match).map((cells) => {
      const row = element('tr');
      row.append(element('th', cells[0], {scope: 'row'}), element('td', cells[1]), element('td', cells[2]));
      return row;
    }));
    this.find('difference').textContent =
        `${firstDifference(panel, match)} Tiles that another block does in the other run are underlined in red.`;
  }

  /// To the moment that an address names.
  open(address) {
    const {run, moment} = this, wish = readAddress(address, run.panels);
    if (!this.panel) return;
    if (wish.panel !== undefined && wish.panel !== moment.panel) {
      this.openLaunch(wish.panel, wish);
      return;
    }
    if (wish.from !== undefined) this.axis.show(wish.from, wish.to);
    if (wish.launch !== undefined && this.panel.launches[wish.launch]?.rowOfBlock.has(wish.block))
      Object.assign(moment, {launch: wish.launch, block: wish.block});
    this.goTo(wish.event ?? moment.event, {quiet: true});
  }

  start() {
    const {run} = this;
    const program = run.command.split(' ').find((word) => word.includes('/')) ?? run.command;
    this.name = program.replace(/.*\//, '');
    this.title = `${this.name}, a run on clcsim`;
    this.find('title').textContent = `${this.name}: who ran what when`;
    this.find('about').textContent = `${run.command} \u2014 simulated, GPU ${run.gpu} (${count(run.sms, 'SM')}), ` +
        (run.seed ? `hostile schedule of seed ${run.seed}` : 'natural schedule') + '; times are cycles of a model';
    this.find('notes').textContent = run.notes.join(' ');
    this.connect();
    const shown = run.panels.filter((each) => each.repeats < 0);
    if (shown.length === 0) {
      this.find('sentence').textContent = 'No kernel ran.';
      return;
    }
    this.find('panel').replaceChildren(...run.panels.map((each) => {
      const option = element(
          'option',
          each.repeats < 0 ? each.title : `${each.title} (like ${run.panels[each.repeats].title.split(':')[0]})`,
          {value: each.index});
      option.disabled = each.repeats >= 0;
      return option;
    }));
    this.find('panel-label').hidden = run.panels.length === 1;
    this.source = new Source(this.find('source'), run, (line) => {
      const time = nextExecution(this.panel, this.moment, line, this.moment.time);
      if (time >= 0)
        this.goToLine(line, time);
      else
        this.say(`Block ${
            blockName(
                this.panel.launches[this.moment.launch],
                this.moment.block)} never runs this line, or it was not kept.`);
    });
    this.showFindings();
    const wish = this.address ? readAddress(this.address.read(), run.panels) : {};
    this.openLaunch(wish.panel ?? shown[0].index, wish);
  }

  showFindings() {
    const {run} = this;
    this.find('findings-section').hidden = run.findings.length === 0;
    run.findings.forEach((finding, i) => {
      const item = element('li'),
            go = element(
                'button', `${finding.name ? `[${finding.name}] ` : ''}${finding.what}`,
                {type: 'button', class: 'link'});
      go.addEventListener('click', () => {
        const index = run.panels.findIndex((each) => each.launches.some((launch) => launch.serial === finding.launch));
        if (index < 0) return;
        if (index !== this.moment.panel) this.openLaunch(index);
        const {panel} = this;
        const at = search(panel, -1, 1, (j) => types[panel.events.type[j]] === 'finding' && panel.events.ref[j] === i);
        if (at >= 0) this.goTo(at, {follow: true});
      });
      const text = element('details');
      text.append(
          element('summary', finding.count > 1 ? `the report; ${grouped(finding.count)} times` : 'the report'),
          element('pre', finding.text));
      item.append(go, text);
      this.find('findings').append(item);
    });
  }

  connect() {
    const on = (part, action, event = 'click') => this.find(part).addEventListener(event, action);
    on('theme', () => this.setTheme(this.box.classList.contains('dark') ? 'light' : 'dark'));
    on('help-button', () => this.find('help').showModal());
    on('help-close', () => this.find('help').close());
    const withRun = (part, action, event) => on(part, (...all) => {
      if (this.panel) action(...all);
    }, event);
    withRun('panel', () => this.openLaunch(Number(this.find('panel').value)), 'change');
    withRun('block', () => this.setFocus(...this.find('block').value.split(':').map(Number)), 'change');
    withRun('first', () => this.goTo(0));
    withRun('last', () => this.goToEnd());
    withRun('back', () => this.step(-1));
    withRun('forward', () => this.step(1));
    withRun('play', () => this.play());
    withRun('guess', () => this.setGuessing(this.find('guess').checked), 'change');
    withRun('link', () => this.copyLink());
    withRun('zoom-in', () => this.zoom(0.6));
    withRun('zoom-out', () => this.zoom(1 / 0.6));
    withRun('zoom-all', () => this.zoomOut());
    withRun('pan-left', () => this.pan(-0.25));
    withRun('pan-right', () => this.pan(0.25));
    withRun('table-section', () => this.fillTable(), 'toggle');
    if (this.find('more')) withRun('more', () => this.paint(), 'toggle');
    on('search', (event) => {
      event.preventDefault();
      if (this.panel) this.searchWords();
    }, 'submit');
  }
}
