// A place in the page where a command runs: its button, its knobs, what it prints, and its player.
import {element} from '../../../clcsim/player/page/element.js';

import {load, roomLink} from './load.js';
import {chipOf, findingsOf, kindOf, rawOf} from './report.js';
import {watch} from './watch.js';

/// What runs commands: run() of engine.js.
export async function engine() {
  await load('player.js');  // whose numbers the engine's page writes, too
  await load('engine.js');
  return clcBook.engine.ready;
}

/// A field for a whole number.
export function knob(name, value) {
  const field = element('input', '', {type: 'number', min: 0, max: 1000000, value, name});
  return element('label', `${name} `, {}, field);
}

/// A place for a player, one at a time.
export class Stage {
  constructor() {
    this.place = element('div', '', {class: 'live'});
    this.clear();
  }

  clear() {
    this.player?.destroy();
    this.player = null;
    this.place.hidden = true;
  }

  async show(record) {
    this.clear();
    this.place.hidden = false;
    this.player = await watch(this.place, record);
    this.place.scrollIntoView({block: this.place.offsetHeight < innerHeight ? 'nearest' : 'start'});
  }
}

const valuesOf = (text) => new Map([...text.matchAll(/^(\w+): (.*)$/gm)].map(([, ...each]) => each));

// What a run prints otherwise than the page does.
function changesOf(above, output) {
  const was = valuesOf(above), now = valuesOf(output), rows = [];
  for (const [name, value] of was) {
    if (now.get(name) === undefined || now.get(name) === value) continue;
    const mark = element('td', '', {}, element('mark', now.get(name)));
    rows.push(element('tr', '', {}, element('th', name, {scope: 'row'}), mark, element('td', `above: ${value}`)));
  }
  if (rows.length > 0) return element('table', '', {class: 'live-changes'}, element('tbody', '', {}, ...rows));
  return was.size > 0 ? element('p', 'It prints what stands above.') : '';
}

/// What one command says: {box, run(knobs)}. Its player stands below that, or on a stage elsewhere, for which
/// `watcher` is the button. `above`: what the page says that it prints.
export class Screen {
  constructor(command, {title = 'Watch this run', stage = null, above = ''} = {}) {
    this.command = command;
    this.above = above;
    this.card = element('div', '', {class: 'live-card', 'aria-live': 'polite', hidden: ''});
    this.watcher = element('button', title, {type: 'button', hidden: '', onclick: () => this.watch()});
    this.stage = stage ?? new Stage();
    this.box = element('div', '', {class: 'live-screen'}, this.card);
    if (!stage) this.box.append(this.watcher, this.stage.place);
  }

  say(...parts) {
    this.card.hidden = false;
    this.card.className = 'live-card';
    this.card.replaceChildren(...parts);
  }

  show({error, report, output}) {
    const [, verdict] = /^verdict: (.*)$/m.exec(output) ?? [], isLuck = / clcsim: error /.test(report);
    const words = verdict === 'PASS' && isLuck ? 'PASS, by luck' : verdict;
    const rest = output.split('\n').filter((line) => line && !/^\w+: /.test(line));
    this.say(
        element('p', '', {}, ...(words ? [chipOf(words)] : []), ...rest.map((line) => ` ${line}`), error ?? ''),
        ...findingsOf(report), error ? '' : changesOf(this.above, output),
        rawOf(error ? `${report}${error}\n` : report + output));
    this.card.classList.add(kindOf(words ?? ''));
  }

  async run(knobs) {
    this.stage.clear();
    this.watcher.hidden = true;
    this.say('Running \u2026');
    try {
      const {run} = await engine(), ran = await run(this.command, knobs);
      this.show(ran);
      this.record = ran.reply.record;
      this.watcher.hidden = !this.record;
    } catch (error) {
      this.say(`It can\u2019t run here: ${error.message}.`);
    }
  }

  watch() { return this.stage.show(this.record); }
}

/// The button and the fields that run `screens`, with a link to the playground if there is one.
export function controls(title, screens, knobs, room) {
  const fields = Object.entries(knobs).map(([name, value]) => knob(name, value));
  const values = () => Object.fromEntries(fields.map((label) => {
    const field = label.querySelector('input');
    return [field.name, Math.max(0, Math.round(Number(field.value)))];
  }));
  const button = element('button', title, {type: 'button', class: 'live-run'});
  button.addEventListener('click', async () => {
    button.disabled = true;
    await Promise.all(screens.map((screen) => screen.run(values())));
    button.disabled = false;
  });
  const bar = element('div', '', {class: 'live-bar'}, button, ...fields);
  if (room) bar.append(roomLink(room));
  return bar;
}
