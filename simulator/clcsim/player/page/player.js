// A player: one moment of a run, shown everywhere inside an element; and what moves it.
import {readAddress, writeAddress} from './address.js';
import {barWords} from './bars.js';
import {coloursOf, element, sized} from './element.js';
import {showFocus} from './focus.js';
import {Guessing} from './guess.js';
import {answerKey} from './keys.js';
import {kColours, labelWidth} from './lanes.js';
import {showLegend} from './legend.js';
import {markup} from './markup.js';
import {eventAt, isSteal, lineOf, search, waitingBlocks} from './moments.js';
import {count, grouped} from './numbers.js';
import {Playing} from './play.js';
import {listenToPointers} from './pointer.js';
import {drawQueue, queueHeight} from './queue.js';
import {blockName, openPanel, readRecord, types, workerOf} from './record.js';
import {brokenLines, nextExecution, nextLine, Source} from './source.js';
import {guiltyLines, showBroken, showStory} from './story.js';
import {showTable} from './table.js';
import {View} from './view.js';
import {headlined, kernelName, lineName, programName, sentence} from './words.js';

const kBlocksListed = 2000;
const kMeasured = 400;  // sentences of a run
const kSteadyParts = ['focus', 'source'];

/// Builds a player inside `root` (an element of the page, at its end; several may stand in one page).
///   record   the object that --timeline puts into a page
///   level    of its heading: 1 to 4
///   compact  true: inside a text, without a title and small at first, with a button for the rest
///   cycles   that the time axis has room for, so that several players have one scale
///   keys     who listens to the keyboard: `document`, or by default the player, while the focus is in it
///   address  {read(), write(text)}: where the view is kept as a text like "#panel=1&event=57"; by default nowhere
///   edited   true: the kernel that ran isn't the source's, so the lines of its broken form say nothing of it
///   theme    'light' or 'dark': the page decides; by default the reader's system does, and a button
///   themed(dark)  is called when it becomes light or dark
///   shown(player)  is called when another moment is shown
///   steps    {name, wanted(player, event)}: what one step is at first
/// Returns the player: destroy(), open(address), setTheme('light' | 'dark'), focus(), light(events), point(what),
/// title.
export function mount(root, record, options = {}) { return new Player(root, record, options); }

export class Player {
  constructor(root, record, {keys, theme, level = 1, compact = false, cycles = 0, ...rest}) {
    Object.assign(this, {level, cycles, lit: [], ...rest});
    this.run = readRecord(record);
    // All that is shown follows from these. chosen: the reader has chosen the block, which stays then.
    this.moment = {panel: 0, event: 0, time: 0, launch: 0, block: -1, warp: -1, line: 0, chosen: false};
    this.panel = this.axis = this.source = this.playing = null;
    this.painting = 0;
    this.guess = new Guessing(this);
    this.ending = new AbortController();
    this.asked = null;  // the stretch of a lane that the reader has clicked on

    this.box = element('div', '', {class: 'clc-player'});
    this.box.innerHTML = markup(this.level);
    this.parts = new Map([...this.box.querySelectorAll('[data-part]')].map((each) => [each.dataset.part, each]));
    root.append(this.box);
    this.find('title').hidden = compact;
    this.find('theme').hidden = theme !== undefined;  // the page decides
    this.find('more').hidden = !compact;
    this.fold(compact);
    const {signal} = this.ending;
    const system = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => this.setTheme(system.matches ? 'dark' : 'light');
    if (theme) {
      this.setTheme(theme);
    } else {
      follow();
      system.addEventListener('change', follow, {signal});
    }
    (keys ?? this.box).addEventListener('keydown', (event) => answerKey(this, event), {signal});
    this.resizing = new ResizeObserver(() => this.resized());
    this.resizing.observe(this.box);
    this.growing = new ResizeObserver((parts) => parts.forEach(({target}) => this.keepRoom(target)));
    for (const part of kSteadyParts) this.growing.observe(this.find(part));
    this.start();
  }

  destroy() {
    this.stop();
    this.ending.abort();
    this.resizing.disconnect();
    this.growing.disconnect();
    cancelAnimationFrame(this.painting);
    this.box.remove();
  }

  find(part) { return this.parts.get(part); }
  focus() { this.find('sentence').focus({preventScroll: true}); }

  // ---- what is shown ----

  resized() {
    if (this.box.clientWidth !== this.width)
      for (const part of kSteadyParts) this.find(part).style.minHeight = '';
    this.width = this.box.clientWidth;
    this.paint();
  }

  // What stands below doesn't move from step to step: a part keeps the height that it has once had at this width.
  keepRoom(target) {
    const {height} = target.getBoundingClientRect();
    if (height > (parseFloat(target.style.minHeight) || 0)) target.style.minHeight = `${height}px`;
  }

  paint() {
    if (!this.panel) return;
    this.painting ||= requestAnimationFrame(() => {
      this.painting = 0;
      if (this.box.clientWidth === 0) return;  // nobody sees it
      this.drawn.paint(this.colours);
      const {panel, moment} = this;
      const launch = panel.launches.find(({urgent}) => !urgent) ?? panel.launches[0];
      const width = this.find('queue-section').clientWidth, room = this.drawn.axis.width;
      drawQueue(
          sized(this.find('queue'), width, queueHeight(launch, room)), labelWidth, room, launch, moment.event,
          this.colours);
    });
  }

  // The line that the event is about.
  lineOfEvent() {
    const {moment, panel} = this;
    if (moment.line) return moment.line;
    const {events} = panel, i = moment.event;
    if (events.time[i] !== moment.time || events.block[i] !== moment.block || events.launch[i] !== moment.launch)
      return 0;
    return lineOf(this.run, panel, i);
  }

  blockName() { return blockName(this.panel.launches[this.moment.launch], this.moment.block); }

  // The moment of the block that does the work of the block in focus: of that itself, or of its thief.
  get worker() {
    const {panel, moment} = this;
    return {...moment, block: workerOf(panel, moment.launch, moment.block)};
  }

  show() {
    const {run, panel, moment, worker} = this, launch = panel.launches[moment.launch];
    const [headline, rest] = headlined(run, panel, moment.event);
    const [said, more] = this.asked ?
        barWords(run, panel, this.asked, moment.time, this.guess.on ? moment.time : Infinity) :
        moment.line ?
        [`Block ${this.blockName()} runs ${lineName(run, moment.line)}`, `. Before that: ${headline}${rest}`] :
        [headline, rest];
    this.find('sentence').replaceChildren(element('b', said), more);
    this.showClock();
    const waiting = waitingBlocks(launch, moment.event);
    const words = `${count(waiting, 'block')} of ${grouped(launch.total)} wait${waiting === 1 ? 's' : ''}`;
    this.find('queue').setAttribute('aria-label', words);
    this.nameBlock();
    showFocus(this.find('focus'), run, panel, moment, worker, (link) => this.followLink(link));
    this.source.mark(panel, worker, moment.time, this.lineOfEvent());
    if (this.find('table-section').open) this.fillTable();
    if (!this.playing) this.address?.write(writeAddress(this.view()));
    this.guess.announce();
    this.paint();
    this.shown?.(this);
  }

  // The lane of {slot} or {SM}, where that is all that a lane is called; -1: none.
  laneNamed({slot, SM: sm}) {
    const {run, panel} = this;
    return panel.lanes.findIndex(
        (each) => (run.sms === 1 && each.slot === slot) || (panel.slots === 1 && each.sm === sm));
  }

  /// Whether the run has what a text speaks of: {slot}, {SM} or {block}, its number.
  has(what) { return what.block < this.pointable.total || this.laneNamed(what) >= 0; }
  get pointable() { return this.panel.launches.find(({urgent}) => !urgent); }

  /// Shows it.
  point(what) {
    const {panel, pointable: launch} = this, l = panel.launches.indexOf(launch);
    if (this.guess.on) this.guess.set(false);
    if (this.moment.event === 0) this.goToEnd();  // where all of it is past, and bright
    if (what.block !== undefined) {
      const {rows, rowOfTile} = launch, row = rowOfTile.get(what.block);
      this.asked = row === undefined ? null : {launch: l, row, begin: rows.begin[row], end: rows.end[row]};
      return this.setFocus(l, what.block);
    }
    this.pointed = this.laneNamed(what);
    const done = panel.lanes[this.pointed].spans.filter((each) => each.launch === l);
    const [[name, number]] = Object.entries(what),
                  tiles = done.map(({row}) => blockName(launch, launch.rows.tile[row]));
    this.say(`${name.replace('slot', 'Slot')} ${number} does the tiles ${tiles.join(', ')}.`);
    this.paint();
  }

  /// Events that are marked in the rows; a tap on a mark leads to its event.
  light(events) {
    this.lit = events;
    this.paint();
  }

  // What a link brings back.
  view() {
    const {moment, axis} = this;
    return {
      ...moment,
      line: moment.line || undefined,
      warp: moment.warp < 0 ? undefined : moment.warp,
      chosen: moment.chosen ? 1 : undefined,
      ...(axis.to - axis.from < axis.bounds[1] - axis.bounds[0] ? {from: axis.from, to: axis.to} : {})
    };
  }

  showClock() {
    const {panel, moment} = this, {events} = panel, every = ['event', 'own'].includes(this.find('unit').value);
    const told = events.told ??= Int32Array.from(events.matters, ((sum) => (each) => (sum += each))(0));
    const [at, all] = every ? [moment.event + 1, events.length] : [told[moment.event], told[events.length - 1]];
    const clock = (time, step) => `cycle ${grouped(time - panel.begin)} of ${grouped(panel.end - panel.begin)}, ${
        every ? 'event' : 'step'} ${grouped(step)} of ${grouped(all ?? 0)}`;
    this.find('clock').textContent = clock(moment.time, at ?? 0);
    this.find('clock').style.minWidth = `min(100%, ${clock(panel.end, all ?? 0).length * 0.86}ch)`;
  }

  // The block in the list; one that is not among those listed comes to it.
  nameBlock() {
    const {moment, panel} = this, list = this.find('block'), value = `${moment.launch}:${moment.block}`;
    list.value = value;
    if (list.value !== value && moment.block >= 0) {
      list.append(this.optionOf(panel.launches[moment.launch], moment.launch, moment.block));
      list.value = value;
    }
    this.find('let-go').hidden = !moment.chosen;
  }

  optionOf(launch, l, block) {
    const many = this.panel.launches.length > 1 ? ` of ${kernelName(launch)}` : '';
    const stolen = launch.stolenBy.has(block) ? ' (stolen)' : '';
    return element('option', blockName(launch, block) + stolen + many, {value: `${l}:${block}`});
  }

  fillTable() {
    const {moment} = this, every = this.find('unit').value === 'event', {matters} = this.panel.events;
    showTable(
        this.find('events'), this.run, this.panel, moment.event, (i) => every || matters[i] === 1,
        this.guess.on ? moment.event + 1 : Infinity, (i) => this.goTo(i));
  }

  // Until the next moment is shown.
  say(text) { this.find('sentence').replaceChildren(element('b', text)); }

  setTheme(theme) {
    const dark = theme === 'dark';
    this.box.classList.toggle('dark', dark);
    this.find('theme').textContent = dark ? 'Light' : 'Dark';
    this.colours = coloursOf(this.box, kColours);
    this.themed?.(dark);
    this.paint();
  }

  // ---- the moment ----

  /// To an event. The focus follows, unless the reader has chosen a block.
  goTo(event, {time, quiet = false, playing = false} = {}) {
    const {moment, panel} = this, {events} = panel;
    moment.event = Math.max(0, Math.min(event, events.length - 1));
    moment.time = time ?? events.time[moment.event] ?? panel.begin;
    moment.line = 0;
    this.asked = null;
    this.pointed = -1;
    if (!moment.chosen && events.block[moment.event] >= 0)
      Object.assign(moment, {launch: events.launch[moment.event], block: events.block[moment.event], warp: -1});
    if (!quiet) this.axis.reveal(moment.time);
    if (!quiet && !playing) this.drawn.scrollTo(moment.launch, moment.block);
    this.show();
  }

  goToTime(time) {
    const {panel} = this, begin = panel.events.time[0] ?? panel.begin;
    const at = Math.max(begin, Math.min(time, panel.end));
    this.goTo(Math.max(0, eventAt(panel, at)), {time: at, quiet: true});
  }

  // Between two events: only the time goes on.
  passTime(time) {
    this.moment.time = time;
    this.axis.reveal(time);
    this.showClock();
    this.paint();
  }

  goToEnd() {
    if (this.guess.once) this.guess.set(false);
    if (this.guess.on)
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

  // To where a line runs next.
  goToNext(line) {
    const time = nextExecution(this.panel, this.worker, line, this.moment.time);
    if (time >= 0)
      this.goToLine(line, time);
    else
      this.say(`Block ${this.blockName()} never runs this line, or it was not kept.`);
  }

  setFocus(launch, block, warp = -1) {
    Object.assign(this.moment, {launch, block, warp, chosen: true});
    this.drawn.scrollTo(launch, block);
    this.show();
  }

  letGo() {
    const {moment} = this;
    Object.assign(moment, {chosen: false, warp: -1});
    this.goTo(moment.event, {time: moment.time});
    this.focus();
  }

  changeBlock(by) {
    const {moment} = this, choices = [...this.find('block').options].map((option) => option.value);
    const at = choices.indexOf(`${moment.launch}:${moment.block}`);
    this.setFocus(...choices[(at + by + choices.length) % choices.length].split(':').map(Number));
  }

  /// A place of a view's rows was tapped: the block whose work lies there, stolen or not.
  choosePlace(view, x, y) {
    const {moment, panel} = this, time = view.axis.time(x);
    const {question} = this.guess, lane = Math.floor((y + view.scrolled) / view.lanes.rowHeight);
    if (question) this.guess.choose(question.answers.findIndex((each) => each.lane === lane));
    if (question || (time > moment.time && this.guess.on)) return;
    const lit = view.lanes.litAt(x, y, view.seen), {events} = panel;
    if (lit !== undefined) {
      Object.assign(moment, {launch: events.launch[lit], block: events.block[lit], warp: -1, chosen: true});
      this.goTo(lit, {quiet: true});
      return;
    }
    const span = view.lanes.awaitedAt(x, y, view.seen) ?? view.lanes.spanAt(x, y, view.seen);
    if (span) {
      const {rows} = panel.launches[span.launch], one = rows.tiles[span.row] === 1;
      Object.assign(
          moment, {launch: span.launch, block: (one ? rows.tile : rows.block)[span.row], warp: -1, chosen: true});
    }
    this.goToTime(time);
    this.asked = span;
    this.show();
    if (!span) this.say(view.lanes.explain(x, y, view.seen));
  }

  /// A link of a sentence: {time, block, warp, line}, each where it is meant.
  followLink({time, block, warp, line}) {
    const {moment} = this;
    this.stop();
    if (block !== undefined || warp !== undefined)
      Object.assign(moment, {block: block ?? moment.block, warp: warp ?? -1, chosen: true});
    if (time !== undefined) {
      this.goToTime(time);
      this.axis.reveal(this.moment.time);
    }
    this.show();
    if (line) this.showLine(line);
  }

  // Where the page has the source below the fold, a click on a line brings it into sight.
  showLine(line) {
    this.fold(false);
    this.source.mark(this.panel, this.moment, this.moment.time, line);
    this.find('source').scrollIntoView({block: 'nearest'});
  }

  // `small`: only the moment, the rows and their legend are shown.
  fold(small) {
    this.box.classList.toggle('small', small);
    this.find('more').textContent = small ? 'More' : 'Less';
    this.find('more').setAttribute('aria-expanded', !small);
    this.paint();
  }

  // ---- the box that finds ----

  openFind() {
    this.fold(false);
    this.find('find').select();
  }

  // Whether the sentence of an event has the words of the box; a number is not a part of another one.
  isFound(i) {
    const plain = (text) => text.toLowerCase().replace(/(\d),(?=\d{3})/g, '$1');
    const words = plain(this.find('find').value.trim()).replace(/[^\w\s]/g, '\\$&');
    return new RegExp(`(?<!\\d)${words}(?!\\d)`).test(plain(sentence(this.run, this.panel, i)));
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
    const {panel, moment, worker} = this, {events} = panel;
    const wanted = {
      story: (j) => events.matters[j] === 1,
      block: (j) => events.matters[j] === 1 && events.block[j] === worker.block && events.launch[j] === moment.launch,
      steal: (j) => isSteal(panel, j),
      finding: (j) => types[events.type[j]] === 'finding',
      found: (j) => this.isFound(j),
      event: () => true,
      own: (j) => this.steps.wanted(this, j),
    };
    return search(panel, moment.event, direction, wanted[unit]);
  }

  step(direction, unit = this.find('unit').value) {
    if (this.guess.question) return;
    this.stop();
    if (unit === 'line') {
      const next = nextLine(this.panel, this.worker, direction);
      if (next)
        this.goToLine(next.line, next.time);
      else
        this.say('There is no further line of this block.');
      return;
    }
    const next = this.nextIndex(direction, unit);
    if (next < 0) {
      this.say(direction > 0 ? 'There is no further one.' : 'There is no earlier one.');
      return;
    }
    if (direction > 0 && this.guess.asksBefore(next)) return;
    this.goTo(next);
  }

  stop() {
    if (!this.playing) return;
    this.playing.end();
    this.playing = null;
    this.address?.write(writeAddress(this.view()));
    this.find('play').textContent = '\u25B6 Play';
    this.find('sentence').setAttribute('aria-live', 'polite');
  }

  play() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.guess.question) return;
    if (this.moment.event >= this.panel.events.length - 1) this.goTo(0);
    this.find('play').textContent = '\u25A0 Stop';
    this.find('sentence').setAttribute('aria-live', 'off');  // too fast to be read aloud
    this.playing = new Playing(this);
  }

  // ---- the run around it ----

  openLaunch(index, wish = {}) {
    this.stop();
    const {run, moment} = this, panel = this.panel = openPanel(run, index);
    moment.panel = index;
    this.find('panel').value = index;
    this.drawn = new View(this, panel);
    const axis = this.axis = this.drawn.axis;
    axis.bounds = [panel.begin, Math.max(axis.bounds[1], panel.begin + this.cycles)];
    axis.show(...axis.bounds);
    this.drawn.whole.bounds = axis.bounds;
    this.find('facts').textContent = panel.facts.map((fact) => `${fact}.`).join(' ');
    this.find('runs').replaceChildren(this.drawn.box);
    listenToPointers(this, this.drawn);
    this.keepSentenceRoom();
    this.listBlocks();
    showLegend(this.find('legend'), panel, moment, (text, event) => {
      if (!this.guess.on) this.goTo(event);
      this.say(text);
    });
    const [launch, block] = (this.find('block').options[0]?.value ?? '0:-1').split(':').map(Number);
    Object.assign(moment, {launch, block, warp: -1, chosen: false});
    this.restore({event: 0, ...wish});
  }

  // The sentence's place is as high as the longest of the run needs, so that nothing below it moves.
  keepSentenceRoom() {
    const {run, panel} = this, told = [...panel.events.matters.keys()].filter((i) => panel.events.matters[i]);
    const few = told.filter((_, at) => at % Math.ceil(told.length / kMeasured) === 0);
    this.find('longest').textContent =
        few.map((i) => sentence(run, panel, i)).reduce((a, b) => (b.length > a.length ? b : a), '');
  }

  listBlocks() {
    const options = [];
    this.panel.launches.forEach((launch, l) => {
      const all =
          launch.total <= kBlocksListed ? [...launch.blocks.index, ...launch.stolenBy.keys()] : launch.blocks.index;
      for (const block of [...all].sort((a, b) => a - b).slice(0, kBlocksListed))
        options.push(this.optionOf(launch, l, block));
    });
    this.find('block').replaceChildren(...options);
  }

  // The view that an address names.
  restore(wish) {
    const {moment, panel} = this, launch = panel.launches[wish.launch];
    if (wish.from !== undefined) this.axis.show(wish.from, wish.to);
    const known = launch && wish.block < launch.total;
    if (known) Object.assign(moment, {launch: wish.launch, block: wish.block, warp: wish.warp ?? -1, chosen: true});
    const time = wish.time >= panel.begin && wish.time <= panel.end ? wish.time : undefined;
    this.goTo(wish.event ?? moment.event, {time, quiet: wish.from !== undefined});
    if (known) moment.chosen = wish.chosen === 1;
    if (wish.line > 0 && wish.line <= this.run.lines.length) moment.line = wish.line;
    this.show();
  }

  /// To the view that an address names.
  open(address) {
    const {run, moment} = this, wish = readAddress(address, run.panels);
    if (!this.panel) return;
    if (wish.panel !== undefined && wish.panel !== moment.panel)
      this.openLaunch(wish.panel, wish);
    else
      this.restore(wish);
  }

  start() {
    const {run} = this;
    const name = programName(run.command);
    this.title = `${name}, a run on clcsim`;
    this.find('title').textContent = `${name}: who ran what when`;
    this.find('about').textContent = `${run.command} \u2014 simulated, GPU ${run.gpu} (${count(run.sms, 'SM')}), ` +
        (run.seed ? `hostile schedule of seed ${run.seed}` : 'natural schedule') + '; times are cycles of a model';
    this.find('notes').textContent = run.notes.join(' ');
    this.connect();
    if (this.steps) this.find('unit').append(element('option', this.steps.name, {value: 'own', selected: ''}));
    const shown = run.panels.filter((each) => each.repeats < 0);
    if (shown.length === 0) {
      this.find('sentence').textContent = 'No kernel ran. What the program prints says why.';
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
    this.source = new Source(this.find('source'), run, (line) => this.goToNext(line));
    const wish = this.address ? readAddress(this.address.read(), run.panels) : {};
    this.openLaunch(wish.panel ?? shown[0].index, wish);
    this.showFinding(0, wish.event === undefined);
  }

  /// A finding's story; `go`: the moment is that of the finding.
  showFinding(number, go) {
    const {run} = this, finding = run.findings[number];
    if (!finding) {
      this.find('story').hidden = this.edited || !showBroken(this.find('story'), run, this.panel, this.level + 1);
      this.source.accuse([], this.edited ? [] : brokenLines(run, this.panel));
      this.show();
      return;
    }
    const index = run.panels.findIndex((each) => each.launches.some(({serial}) => serial === finding.launch));
    const panel = index < 0 ? this.panel : openPanel(run, index), {events} = panel;
    const at = search(panel, -1, 1, (j) => types[events.type[j]] === 'finding' && events.ref[j] === number);
    const goTo = (event) => {
      if (event < 0) return;
      if (this.moment.panel !== index) this.openLaunch(index);
      this.moment.chosen = false;
      this.goTo(event);
    };
    const goToPlace = () => {
      goTo(at);
      this.find('source').scrollIntoView({block: 'nearest'});
    };
    this.find('story').hidden = false;
    const actions = {goTo, goToPlace, choose: (other) => this.showFinding(other, true)};
    showStory(this.find('story'), run, panel, number, at, actions, this.level + 1);
    this.source.accuse(guiltyLines(run, finding), brokenLines(run, panel));
    if (go)
      goTo(at);
    else
      this.show();
  }

  connect() {
    const on = (part, action, event = 'click') => this.find(part).addEventListener(event, action);
    on('theme', () => this.setTheme(this.box.classList.contains('dark') ? 'light' : 'dark'));
    on('help-button', () => this.find('help').showModal());
    on('help-close', () => this.find('help').close());
    on('more', () => this.fold(!this.box.classList.contains('small')));
    const withRun = (part, action, event) => on(part, (...all) => {
      if (this.panel) action(...all);
    }, event);
    withRun('panel', () => this.openLaunch(Number(this.find('panel').value)), 'change');
    withRun('block', () => this.setFocus(...this.find('block').value.split(':').map(Number)), 'change');
    withRun('unit', () => this.show(), 'change');
    withRun('let-go', () => this.letGo());
    withRun('first', () => this.goTo(0));
    withRun('last', () => this.goToEnd());
    withRun('back', () => this.step(-1));
    withRun('forward', () => this.step(1));
    withRun('play', () => this.play());
    withRun('guess', () => this.guess.set(this.find('guess').checked), 'change');
    withRun('find', (event) => {
      if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1, 'found');
      if (event.key === 'Escape') this.focus();
    }, 'keydown');
    withRun('zoom-in', () => this.zoom(0.6));
    withRun('zoom-out', () => this.zoom(1 / 0.6));
    withRun('zoom-all', () => this.zoomOut());
    withRun('table-section', () => this.fillTable(), 'toggle');
  }
}
