// The time axis: what it shows, zoom and pan, ticks.

/// Step between ticks, 1, 2 or 5 times a power of ten, so that at most `most` of them fit.
export function tickStep(length, most) {
  for (let step = 1;; step *= 10) {
    for (const times of [1, 2, 5])
      if (length / (step * times) < most) return step * times;
  }
}

/// A stretch of time on so many pixels, within the bounds of a run.
export class Axis {
  constructor(begin, end) {
    this.bounds = [begin, Math.max(end, begin + 1)];
    [this.from, this.to] = this.bounds;
    this.left = 0;
    this.width = 1;
  }
  get right() { return this.left + this.width; }
  has(x) { return x >= this.left && x <= this.right; }
  x(time) { return this.left + (time - this.from) / (this.to - this.from) * this.width; }
  time(x) { return this.from + (x - this.left) / this.width * (this.to - this.from); }

  /// First and last pixel of a stretch, as far as it is in sight.
  ends(from, to) { return [Math.max(this.left, this.x(from)), Math.min(this.right, this.x(to))]; }

  show(from, to) {
    const [begin, end] = this.bounds;
    const length = Math.min(Math.max(to - from, 20), end - begin);
    this.from = Math.min(Math.max(from, begin), end - length);
    this.to = this.from + length;
  }
  /// factor < 1 shows less; `time` stays where it is.
  zoom(factor, time) { this.show(time - (time - this.from) * factor, time + (this.to - time) * factor); }
  pan(share) {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }
  /// Moves the stretch so that a time is in it.
  reveal(time) {
    const length = this.to - this.from;
    if (time < this.from || time > this.to) this.show(time - length / 3, time + length * 2 / 3);
  }
  /// Counted from the begin of the run.
  ticks(most) {
    const [begin] = this.bounds, step = tickStep(this.to - this.from, most), result = [];
    for (let tick = Math.ceil((this.from - begin) / step) * step; begin + tick <= this.to; tick += step)
      result.push(tick);
    return result;
  }
}
