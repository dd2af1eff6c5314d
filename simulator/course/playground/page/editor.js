// The editor: a text field, transparent, over the same text in colours; beside each line its number, its place in the
// source, and what it is for.
import {element} from '../../../clcsim/player/page/element.js';

import {markOf, piecesOfPtx} from './marks.js';

function painted(text) {
  const line = element('div', '', {class: 'line'});
  for (const [kind, piece] of piecesOfPtx(text)) line.append(kind ? element('span', piece, {class: kind}) : piece);
  if (text === '') line.append('\u200b');
  const mark = markOf(text);
  if (mark) line.classList.add('marked', mark.removed ? 'removed' : mark.kind);
  return line;
}

export class Editor {
  /// changed() after each edit by hand; moved(line) when the cursor is in another line, from 0; step(-1 or 1) when the
  /// browser's menu shall undo or do again.
  constructor(place, {changed, moved, step}) {
    this.lines = [];
    this.rows = [];
    this.gutter = element('div', '', {class: 'gutter', 'aria-hidden': 'true'});
    this.paint = element('div', '', {class: 'paint', 'aria-hidden': 'true'});
    this.field = element('textarea', '', {
      spellcheck: 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      wrap: 'off',
      'aria-label': 'PTX of the kernel'
    });
    const sheet = element('div', '', {class: 'sheet'}, this.paint, this.field);
    this.box = element('div', '', {class: 'editor'}, this.gutter, sheet);
    place.replaceChildren(this.box);
    this.field.addEventListener('input', () => {
      this.draw(this.field.value.split('\n'));
      changed();
      this.current = -1;  // the same line says something else
      tell();
      this.scrollBack();
    });
    this.field.addEventListener('beforeinput', (event) => {
      if (event.inputType !== 'historyUndo' && event.inputType !== 'historyRedo') return;
      event.preventDefault();
      step(event.inputType === 'historyUndo' ? -1 : 1);
    });
    this.current = -1;
    const tell = () => {
      const line = this.field.value.slice(0, this.field.selectionStart).split('\n').length - 1;
      if (line === this.current) return;
      this.current = line;
      moved(line);
    };
    for (const event of ['keyup', 'click', 'select', 'focus']) this.field.addEventListener(event, tell);
    this.field.addEventListener('blur', () => this.box.scrollLeft = 0);
  }

  // To where lines begin, if the cursor can be seen from there.
  scrollBack() {
    const {box, field, gutter} = this, [before] = field.value.slice(0, field.selectionStart).match(/.*$/);
    const at = before.replace(/\t/g, '  ').length / field.cols * field.clientWidth;
    if (at < box.clientWidth - gutter.offsetWidth - 40) box.scrollLeft = 0;
  }

  /// Another text.
  setLines(lines) {
    this.field.value = lines.join('\n');
    this.draw(lines);
  }

  draw(lines) {
    this.lines = lines;
    this.rows = lines.map(painted);
    this.paint.replaceChildren(...this.rows);
    this.field.rows = lines.length;
    this.field.cols = Math.max(20, ...lines.map((line) => line.replace(/\t/g, '  ').length)) + 1;
  }

  /// What stands beside each line: places[i] is [text, title], or null.
  setPlaces(places) {
    this.gutter.replaceChildren(...this.lines.map((text, i) => {
      const mark = markOf(text), kind = mark?.removed ? 'removed' : mark?.kind, [place, title] = places[i] ?? ['', ''];
      return element(
          'div', '', {class: mark ? `line marked ${kind}` : 'line'}, element('span', String(i + 1), {class: 'number'}),
          element('span', place, {class: 'place', title}),
          element('span', mark?.removed ? 'removed' : mark?.name, {class: 'role'}));
    }));
  }

  /// Marks lines with a class, and no others.
  highlight(name, lines) {
    for (const rows of [this.rows, [...this.gutter.children]]) {
      rows.forEach((row) => row.classList.remove(name));
      for (const line of lines) rows[line]?.classList.add(name);
    }
  }

  /// Scrolls so that a line can be seen from its begin; only inside the editor.
  show(line) {
    const row = this.rows[line];
    if (!row) return;
    this.box.scrollLeft = 0;
    const top = row.offsetTop, {box} = this;
    if (top < box.scrollTop + 40 || top > box.scrollTop + box.clientHeight - 60)
      box.scrollTop = Math.max(0, top - box.clientHeight / 3);
  }

  /// The cursor at the begin of a line.
  goTo(line) {
    const at = this.lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
    this.field.setSelectionRange(at, at);
    this.current = line;
    this.show(line);
  }
}
