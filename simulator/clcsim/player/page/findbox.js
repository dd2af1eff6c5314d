// The box that finds anything: answers stand under it, with their number; Enter goes to the first, then to the next.
import {element, linkButton} from './element.js';
import {find, readQuery, whatThereIs} from './find.js';
import {grouped} from './numbers.js';

const kShown = 5;

export class FindBox {
  constructor(player) {
    this.player = player;
    this.field = player.find('find');
    this.list = player.find('answers');
    this.number = player.find('found');
    this.clear();
    this.field.addEventListener('input', () => this.search());
    this.field.addEventListener('keydown', (event) => this.key(event));
  }

  clear() {
    this.search_ = {};
    [this.hits, this.at, this.done] = [[], -1, true];
    this.list.replaceChildren();
    this.number.textContent = '';
  }

  open(text = '') {
    this.field.focus();
    if (text) {
      this.field.value = text;
      this.search();
    } else {
      this.field.select();
    }
  }

  close() {
    this.field.value = '';
    this.clear();
    this.player.focus();
  }

  search() {
    const {player} = this, query = readQuery(this.field.value), mine = {};
    this.clear();
    this.search_ = mine;
    if (!query || !player.panel) return;
    const context = {run: player.run, panel: player.panel, moment: {...player.moment, blockName: player.blockName()}};
    find(context, query, (hits, done) => {
      if (this.search_ !== mine) return;
      [this.hits, this.done] = [hits, done];
      this.show(done && hits.length === 0 ? whatThereIs(context, query) : '');
    }, () => this.search_ === mine && player.panel === context.panel);
  }

  key(event) {
    const moves = {Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1};
    if (event.key === 'Escape') {
      event.preventDefault();
      this.close();
    } else if (moves[event.key] && this.hits.length > 0) {
      event.preventDefault();
      this.go(this.next(moves[event.key]));
    }
  }

  // Words: at first the one that comes next in the run.
  next(by) {
    const {hits, at} = this, now = this.player.moment.event;
    if (at >= 0) return (at + by + hits.length) % hits.length;
    if (hits[0].event === undefined || hits.length < 3) return 0;
    return Math.max(0, hits.findIndex((hit) => hit.event > now));
  }

  go(number) {
    this.at = number;
    this.player.goToHit(this.hits[number]);
    this.show();
  }

  show(instead = '') {
    const {hits, at, done} = this, first = Math.max(0, Math.min(at - 2, hits.length - kShown));
    const which = at < 0 ? '' : `${grouped(at + 1)} of `;
    const total = hits.length > 0 ? `${which}${grouped(hits.length)} found` :
        done ? `nothing found${instead}` :
               'searching';
    this.number.textContent = total + (done || hits.length === 0 ? '' : ' so far');
    this.list.replaceChildren(...hits.slice(first, first + kShown).map((hit, i) => {
      const current = first + i === at ? {'aria-current': 'true'} : {};
      return element('li', '', current, linkButton(hit.text, () => this.go(first + i)));
    }));
  }
}
