// The PTX of the chosen kernel: the editor with the source beside it, the protocol's lines, Undo.
import {element, linkButton} from '../../../clcsim/player/page/element.js';
import {count} from '../../../clcsim/player/page/numbers.js';

import {find} from './dom.js';
import {Editor} from './editor.js';
import {explanationsOf} from './explain.js';
import {compose, difference, edited, openKernel, ownPlace} from './kernel.js';
import {markOf, toggled} from './marks.js';
import {Past} from './past.js';
import {SourceView} from './source.js';

const kPanes = ['source', 'editor', 'protocol'];

export class KernelText {
  /// changed(byReader) after each change of the text; kept(key, lines): edits of these lines that were kept.
  constructor(changed, kept) {
    this.changed = changed;
    this.kept = kept;
    this.pasts = new Map();  // of each kernel that was open
    this.given = [];         // the text as a button or the page last set it
    this.editor = new Editor(
        find('editor'),
        {changed: () => this.take(true), moved: (line) => this.showPlace(line), step: (by) => this.step(by)});
    this.source = new SourceView(find('source'), (file, line) => {
      const at = this.lines.findIndex((_, i) => this.placeOf(i)?.join(':') === `${file}:${line}`);
      if (at >= 0) this.goTo(at);
    });
    for (const name of kPanes) find(`tab-${name}`).addEventListener('click', () => this.openPane(name));
    this.openPane('source');
    find('undo').addEventListener('click', () => this.step(-1));
    find('redo').addEventListener('click', () => this.step(1));
    find('reset').addEventListener('click', () => this.set(this.original));
  }

  /// Shows the C++ (source), the PTX (editor), or what the protocol has of it.
  openPane(name) {
    for (const each of kPanes) {
      find(each).hidden = each !== name;
      find(`tab-${each}`).setAttribute('aria-pressed', String(each === name));
    }
    if (this.whole) this.showPlace(this.editor.current);
    this.editor.show(this.editor.current);
  }

  get lines() { return this.editor.lines; }
  get original() { return this.kernel.shown.map((line) => line.text); }

  /// Opens a kernel of a program of the catalogue. `edits`: of its text; null: as the reader left it. False if these
  /// edits are for another version of the text.
  open(program, entry, edits) {
    this.sources = program.sources ?? {};
    this.key = `${program.id} ${entry.id}`;
    this.kernel = openKernel(entry.ptx, entry.symbol);
    const {original} = this;
    if (!this.pasts.has(this.key)) {
      const past = new Past(original), lines = edited(original, this.kept(this.key, original) ?? []);
      if (lines) past.put(lines);
      this.pasts.set(this.key, past);
    }
    const past = this.pasts.get(this.key), wanted = edits === null ? past.now : edited(original, edits);
    past.put(wanted ?? original);
    const withPtx = new Set();
    for (const line of this.kernel.shown) {
      const place = ownPlace(line.chain, this.sources);
      if (place) withPtx.add(place.join(':'));
    }
    this.source.open(this.sources, withPtx);
    this.editor.setLines(this.given = past.now);
    this.take();
    const request = this.lines.findIndex((line) => markOf(line)?.kind === 'request');
    const from = request >= 0 ? request : this.lines.findIndex((_, i) => this.placeOf(i));
    this.editor.box.scrollTop = 0;
    this.editor.current = Math.max(from, 0);
    if (this.edits.length > 0 && find('source').checkVisibility()) this.openPane('editor');
    if (from >= 0) {
      this.showPlace(from);
      this.source.showFunction(this.placeOf(from)[1]);
    } else {
      this.source.showFile(this.homeFile());
    }
    return wanted !== null;
  }

  /// Another text, in place of what stands there; Undo brings that back.
  set(lines) {
    this.editor.setLines(this.given = lines);
    this.take(false);
  }

  /// Whether the reader has written an instruction of a kind by hand.
  written(kind) {
    const count = (lines) => lines.filter((line) => markOf(line)?.kind === kind && !markOf(line).removed).length;
    return count(this.lines) > count(this.given);
  }

  /// Undoes (-1), or does again (1).
  step(by) {
    const before = this.lines, lines = this.pasts.get(this.key).step(by);
    if (!lines) return;
    this.set(lines);
    this.goToChange(before, {scroll: false});
  }

  /// To the first line that another text had otherwise.
  goToChange(before, how) {
    const line = this.lines.findIndex((text, i) => text !== before[i]);
    if (line >= 0) this.goTo(line, how);
  }

  forget() { this.pasts.clear(); }

  // The file in which the kernel itself stands: what it calls may be in others.
  homeFile() {
    const lines = new Map();
    for (const {chain} of this.kernel.shown) {
      const place = ownPlace([...chain].reverse(), this.sources);
      if (place) lines.set(place[0], (lines.get(place[0]) ?? 0) + 1);
    }
    return [...lines].sort((a, b) => b[1] - a[1])[0]?.[0] ?? Object.keys(this.sources)[0];
  }

  /// The course's own place of a line of the editor: [file, line], or null.
  placeOf(line) { return ownPlace(this.whole.chains[line] ?? [], this.sources); }

  // byHand: true, false by a button; undefined: the text was opened.
  take(byHand) {
    const {lines, original} = this, past = this.pasts.get(this.key);
    if (byHand !== undefined) past.put(lines, byHand ? Date.now() : null);
    this.edits = difference(original, lines);
    if (lines[this.wrong] !== this.wrongText) this.showMistake(null);
    this.whole = compose(this.kernel, lines);
    const own = this.homeFile();
    let before = '';
    this.editor.setPlaces(lines.map((_, i) => {
      const place = this.placeOf(i);
      if (!place) return null;
      const name = place.join(':'), text = place[0] === own ? String(place[1]) : name.replace(/^.*\//, '');
      const shown = name === before ? '' : text;
      before = name;
      return [shown, name];
    }));
    const differ = this.edits.reduce((sum, [, gone, come]) => sum + Math.max(gone, come.length), 0);
    find('edits').textContent =
        differ ? `${count(differ, 'line')} ${differ === 1 ? 'differs' : 'differ'} from the course\u2019s.` : '';
    find('reset').disabled = !differ;
    find('undo').disabled = !past.has(-1);
    find('redo').disabled = !past.has(1);
    this.editor.highlight('edited', lines.flatMap((_, i) => (this.whole.origin[i] < 0 ? [i] : [])));
    this.showProtocol();
    this.changed(byHand !== undefined);
  }

  showPlace(line) {
    const place = this.placeOf(line);
    if (place) this.source.mark('current', ...place);
    this.editor.highlight('current', [line]);
    this.explain(line);
  }

  // What the line is for in the protocol, and what its instructions do.
  explain(line) {
    if (line === this.wrong) return;  // the mistake above says more
    const text = this.lines[line] ?? '', mark = markOf(text), all = explanationsOf(text);
    const parts =
        all.flatMap(({name, says, section}) => [element('code', name), ` ${says}.`, section ? ` ${section}. ` : ' ']);
    if (mark?.removed) parts.push('This instruction is taken away.');
    find('explain').replaceChildren(
        element('b', `Line ${line + 1}`), ' ', ...(parts.length > 0 ? parts : ['has no instruction.']));
  }

  goTo(line, {scroll = true} = {}) {
    if (find('editor').hidden) this.openPane('editor');
    this.editor.goTo(line);
    this.showPlace(line);
    if (scroll) find('editor').scrollIntoView({block: 'nearest'});
  }

  showProtocol() {
    const marked = this.lines.map((text, line) => ({text, line, mark: markOf(text)})).filter((each) => each.mark);
    find('protocol-count').textContent = count(marked.length, 'line');
    find('protocol').replaceChildren(...marked.map(({line, mark}) => this.protocolItem(line, mark)));
  }

  protocolItem(line, mark) {
    const place = this.placeOf(line), go = linkButton(`line ${line + 1}`, () => this.goTo(line));
    const words = element(
        'span', '', {class: 'what'}, element('b', `${mark.name}:`), ` ${explanationsOf(mark.code)[0]?.says}.`,
        place ? ` (${place[0].replace(/^.*\//, '')}:${place[1]})` : '');
    const item = element('li', '', {class: `marked ${mark.removed ? 'removed' : mark.kind}`}, go, words);
    if (!mark.removable && !mark.removed) return item;
    const button = element(
        'button', mark.removed ? 'Put back' : 'Remove',
        {type: 'button', 'aria-label': `${mark.removed ? 'put back' : 'remove'} ${mark.name}, line ${line + 1}`});
    button.addEventListener('click', () => {
      const at = [...find('protocol').children].indexOf(item);
      this.set(this.lines.map((text, i) => (i === line ? toggled(text) : text)));
      this.showPlace(line);
      this.editor.show(line);
      find('protocol').children[at]?.querySelector('button:not(.link)')?.focus({preventScroll: true});
    });
    item.append(button);
    return item;
  }

  /// Why the simulator would not even read the text, as a mistake; null if it may.
  get unreadable() {
    if (this.lines.some((line) => /\.entry\b/.test(line))) return null;
    const says = 'the text has no kernel: its .entry line is missing. Undo or Reset brings it back';
    return {line: 1, column: 1, says, word: ''};
  }

  /// Shows a mistake with its line and a caret; null: there is none.
  showMistake(mistake) {
    this.editor.highlight('wrong', []);
    this.wrong = -1;  // the line of the mistake
    this.wrongText = undefined;
    const place = find('code-error');
    place.replaceChildren();
    if (!mistake?.line) return;
    this.wrong = mistake.line - 1;
    this.wrongText = this.lines[this.wrong];
    const {line, column, says, word} = mistake, text = this.lines[line - 1] ?? '';
    const flat = (part) => part.replace(/\t/g, '  ');
    place.append(element('p', `Line ${line}${column ? `, column ${column}` : ''}: ${says}.`));
    if (column) {
      const caret = `${' '.repeat(flat(text.slice(0, column - 1)).length)}${'^'.repeat(Math.max(1, word.length))}`;
      place.append(element('pre', `${flat(text)}\n${caret}`));
    }
    this.openPane('editor');
    find('explain').replaceChildren();  // what the line does matters less
    this.editor.highlight('wrong', [line - 1]);
    this.editor.show(line - 1);
  }
}
