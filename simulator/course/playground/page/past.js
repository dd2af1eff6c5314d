// The texts that a kernel has had in this visit, for Undo and Redo. The browser's own forgets them when a button
// changes the text.
const kMost = 300;
const kPause = 700;  // milliseconds: letters typed without a longer one are undone together

const same = (a, b) => a.length === b.length && a.every((line, i) => line === b[i]);

export class Past {
  constructor(lines) {
    this.texts = [lines];
    this.at = 0;
    this.typed = -Infinity;  // when the newest text last changed by hand
  }

  get now() { return this.texts[this.at]; }
  get undoable() { return this.at > 0; }
  get redoable() { return this.at + 1 < this.texts.length; }

  /// Another text; byHand: at that time, in milliseconds.
  put(lines, byHand = null) {
    if (same(lines, this.now)) return;
    const joins = byHand !== null && byHand - this.typed < kPause && !this.redoable;
    this.typed = byHand ?? -Infinity;
    if (joins) {
      this.texts[this.at] = lines;
      return;
    }
    this.texts.splice(++this.at, Infinity, lines);
    if (this.texts.length <= kMost) return;
    this.texts.splice(1, 1);  // the first is the course's own
    this.at--;
  }

  /// The text before, or after; undefined where there is none.
  undo() { return this.step(-1); }
  redo() { return this.step(1); }
  step(by) {
    const lines = this.texts[this.at + by];
    if (lines) [this.at, this.typed] = [this.at + by, -Infinity];
    return lines;
  }
}
