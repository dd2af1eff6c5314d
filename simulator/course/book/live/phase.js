// A table of an mbarrier's phases, as they go on in a run: the values are the run's, a row leads to its moment, and the
// moment to its rows.
import {element} from '../../../clcsim/player/page/element.js';

import {changeCells, isPhaseTable} from './change.mjs';
import {recordOf, reserve, sorry, whenNear} from './load.js';
import {watch} from './watch.js';

class Phases {
  constructor(table, run, {command, block}) {
    Object.assign(this, {table, run, block});
    const [, seed] = /--seed (\d+)/.exec(command);
    this.note = element(
        'p',
        `The run of the table is another one than the loop\u2019s: under seed ${seed} block ${block}\u2019s ` +
            'mbarrier goes through all these rows.',
        {class: 'live-note'});
    this.place = element('div', '', {class: 'live live-phases-run'});
    reserve(this.place, run);
    this.rows = [...table.tBodies[0].rows];
    table.tHead.rows[0].append(element('th', 'in a run', {scope: 'col', class: 'live-moment'}));
    for (const row of this.rows) row.append(element('td', '', {class: 'live-moment'}));
    (table.closest('.table-wrapper') ?? table).after(this.note, this.place);
  }

  async open() {
    const record = await recordOf(this.run);
    const wanted = (_, i) => this.changes?.some(({event}) => event === i);
    const player = await watch(this.place, record, {
      ...this.run,
      steps: {name: 'change of the mbarrier', wanted},
      shown: () => this.player && this.show(),
    });
    const {panel} = player, known = clcPlayer.blockOf(panel, 0, this.block);
    const [mbarrier] = known.mbarriers.keys();
    this.changes = clcPlayer.changesOf(known, panel.launches[0], mbarrier);
    this.changes.forEach((change, i) => {
      const row = this.rows[i], cycle = clcPlayer.grouped(panel.events.time[change.event] - panel.begin);
      changeCells(change).forEach((text, at) => {
        (row.cells[at + 1].querySelector('p') ?? row.cells[at + 1]).textContent = text;
      });
      const button = element('button', `cycle ${cycle}`, {type: 'button', title: 'Show this moment of the run'});
      row.cells[row.cells.length - 1].append(button);
      row.addEventListener('click', () => this.go(change.event));
    });
    this.table.classList.add('live-phases');
    this.player = player;
    player.light(this.changes.map(({event}) => event));
    this.go(this.changes[0].event);
  }

  go(event) {
    const {player} = this;
    player.stop();
    Object.assign(player.moment, {launch: 0, block: this.block, warp: -1, chosen: true});
    player.goTo(event);
  }

  // What holds at the moment; where a change ends a phase, its rows are two.
  show() {
    const {player, changes, rows} = this, {event} = player.moment;
    const last = changes.findLast((change) => change.event <= event);
    rows.forEach((row, i) => {
      const isNow = last && (changes[i] === last || (changes[i].event === event && last.event === event));
      row.ariaCurrent = isNow ? 'step' : null;
    });
  }
}

/// phases: for the command of a page's picture, that of the run that goes through the table, and the block that does.
export function playPhases(phases, runs) {
  const table = [...document.querySelectorAll('table')].find(
      ({tHead}) => isPhaseTable([...tHead?.rows[0]?.cells ?? []].map(({textContent}) => textContent.trim())));
  if (!table) return;
  for (const {dataset} of document.querySelectorAll('figure.run[data-command]')) {
    const known = phases[dataset.command];
    if (!known) continue;
    const played = new Phases(table, runs[known.command], known);
    whenNear(table, () => played.open().catch((error) => played.place.replaceChildren(sorry(error))));
    return;
  }
}
