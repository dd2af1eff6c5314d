// The texts that a kernel has had in this visit, for Undo and Redo. The browser's own forgets them when a button
// changes the text.
const kPause = 700;  // milliseconds: letters typed without a longer one are undone together

const same = (a, b) => a.length === b.length && a.every((line, i) => line === b[i]);

export class Past {
  constructor(lines) {
    this.texts = [lines];
    this.at = 0;
    this.typed = -Infinity;  // when the newest text last changed by hand
  }

  get now() { return this.texts[this.at]; }
  /// Whether there is a text before (-1) or after (1) this one.
  has(by) { return this.texts[this.at + by] !== undefined; }

  /// Another text; byHand: at that time, in milliseconds.
  put(lines, byHand = null) {
    if (same(lines, this.now)) return;
    const joins = byHand !== null && byHand - this.typed < kPause && !this.has(1);
    this.typed = byHand ?? -Infinity;
    if (joins) {
      this.texts[this.at] = lines;
      return;
    }
    this.texts.splice(++this.at, Infinity, lines);
  }

  /// To that text; undefined where there is none.
  step(by) {
    if (!this.has(by)) return undefined;
    [this.at, this.typed] = [this.at + by, -Infinity];
    return this.now;
  }
}
