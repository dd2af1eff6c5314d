// The source beside the PTX: the file of the line under the cursor.
import {element} from '../../../clcsim/player/page/element.js';
import {coloured} from '../../../clcsim/player/page/source.js';

export class SourceView {
  /// chosen(file, line): somebody wants to see the PTX of a line.
  constructor(place, chosen) {
    this.place = place;
    this.chosen = chosen;
    this.file = '';
    this.rows = [];
  }

  /// The files of a program, and which of their lines have PTX: a Set of "file:line". switched(text): lines of a file
  /// that a switch takes and leaves (forms.js); turn: {title, act()}, for who turns it.
  open(sources, withPtx, switched, turn) {
    this.sources = sources;
    this.withPtx = withPtx;
    this.switched = switched;
    this.turn = turn;
    this.file = '';
    this.rows = [];
    this.place.replaceChildren();
  }

  showFile(file) {
    if (file === this.file || this.sources[file] === undefined) return;
    this.file = file;
    const list = element('ol', '', {class: 'source', 'aria-label': file, tabindex: '0'});
    const switched = this.switched(this.sources[file]);
    this.rows = this.sources[file].replace(/\n$/, '').split('\n').map((text, i) => {
      const row = element('li', '', {value: i + 1});
      const known = this.withPtx.has(`${file}:${i + 1}`);
      const number = element(known ? 'button' : 'span', String(i + 1), {class: 'number'});
      if (known) {
        number.type = 'button';
        number.title = 'Show the PTX of this line';
        number.setAttribute('aria-label', `line ${i + 1}: show its PTX`);
        number.addEventListener('click', () => this.chosen(file, i + 1));
      }
      row.append(number, coloured(text));
      const how = switched.get(i + 1);
      if (how === 'switch') {
        const turn = element('button', 'switch', {type: 'button', title: this.turn.title});
        turn.addEventListener('click', () => this.turn.act());
        row.append(turn);
      } else if (how) {
        row.classList.add(how);
      }
      list.append(row);
      return row;
    });
    this.list = list;
    this.place.replaceChildren(element('p', file, {class: 'file'}), list);
  }

  /// Scrolls to the begin of the function that a line is of, and of what stands right above it.
  showFunction(line) {
    const lines = this.sources[this.file].split('\n');
    let first = line - 1;
    while (first > 0 && !/^[a-z_]/i.test(lines[first])) first--;
    while (first > 0 && lines[first - 1].trim() !== '') first--;
    this.list.scrollTop = this.rows[first].offsetTop;
  }

  /// Marks a line; name is 'current' or 'found'.
  mark(name, file, line) {
    this.showFile(file);
    this.rows.forEach((row) => row.classList.remove(name));
    const row = file === this.file ? this.rows[line - 1] : undefined;
    if (!row) return;
    row.classList.add(name);
    const {list} = this, top = row.offsetTop;
    if (top < list.scrollTop + 30 || top > list.scrollTop + list.clientHeight - 50)
      list.scrollTop = top - list.clientHeight / 3;
  }
}
