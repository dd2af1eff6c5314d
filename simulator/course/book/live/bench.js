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

/// A button that shows a run on a stage.
export class Watcher {
  constructor(title, stage = new Stage()) {
    this.stage = stage;
    const onclick = async () => {
      const record = await this.record();
      if (record) await stage.show(record);
    };
    this.button = element('button', title, {type: 'button', hidden: '', onclick});
  }

  /// record(): gives the run's record, or a promise of it; null: there is no run.
  offer(record) {
    this.stage.clear();
    this.record = record;
    this.button.hidden = !record;
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

/// What one command says: {box, run(knobs)}. Its player stands below that, or on a stage elsewhere, where its `watcher`
/// has the button. `above`: what the page says that it prints.
export class Screen {
  constructor(command, {title = 'Watch this run', stage, above = ''} = {}) {
    this.command = command;
    this.above = above;
    this.card = element('div', '', {class: 'live-card', 'aria-live': 'polite', hidden: ''});
    this.watcher = new Watcher(title, stage);
    this.box = element('div', '', {class: 'live-screen'}, this.card);
    if (!stage) this.box.append(this.watcher.button, this.watcher.stage.place);
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
    this.watcher.offer(null);
    this.say('Running \u2026');
    try {
      const {run} = await engine(), ran = await run(this.command, knobs);
      this.show(ran);
      this.watcher.offer(ran.reply.record && (() => ran.reply.record));
    } catch (error) {
      this.say(`It can\u2019t run here: ${error.message}.`);
    }
  }
}

/// The button and the fields that run `screens`, with a link to the playground if there is one.
export function controls(title, screens, knobs, room) {
  const fields = Object.entries(knobs).map(
      ([name, value]) => element('input', '', {type: 'number', min: 0, max: 1000000, value, name}));
  const values = () => Object.fromEntries(fields.map(({name, value}) => [name, Math.max(0, Math.round(value))]));
  const button = element('button', title, {type: 'button', class: 'live-run'});
  button.addEventListener('click', async () => {
    button.disabled = true;
    await Promise.all(screens.map((screen) => screen.run(values())));
    button.disabled = false;
  });
  const labels = fields.map((field) => element('label', `${field.name} `, {}, field));
  const bar = element('div', '', {class: 'live-bar'}, button, ...labels);
  if (room) bar.append(roomLink(room));
  return bar;
}
