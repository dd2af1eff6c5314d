// The source beside the PTX: the file of the line under the cursor.
import {element} from '../../../clcsim/player/page/element.js';
import {scrollToRow, sourceRow} from '../../../clcsim/player/page/source.js';

export class SourceView {
  /// chosen(file, line): somebody wants to see the PTX of a line.
  constructor(place, chosen) {
    this.place = place;
    this.chosen = chosen;
    this.file = '';
    this.rows = [];
  }

  /// The files of a program, and which of their lines have PTX: a Set of "file:line".
  open(sources, withPtx) {
    this.sources = sources;
    this.withPtx = withPtx;
    this.file = '';
    this.rows = [];
    this.place.replaceChildren();
  }

  showFile(file) {
    if (file === this.file || this.sources[file] === undefined) return;
    this.file = file;
    this.rows = this.sources[file].replace(/\n$/, '').replace(/(-{20})-+$/gm, '$1').split('\n').map((text, i) => {
      const known = this.withPtx.has(`${file}:${i + 1}`);
      return sourceRow(i + 1, text, 'show its PTX', known && (() => this.chosen(file, i + 1)));
    });
    this.list = element('ol', '', {class: 'source', 'aria-label': file, tabindex: '0'}, ...this.rows);
    this.place.replaceChildren(element('p', file, {class: 'file'}), this.list);
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
    scrollToRow(this.list, row);
  }
}
