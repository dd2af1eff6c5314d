// Play: the run's own time, so that a whole run takes half a minute, with a short stop at each thing that matters.

const kSeconds = 30, kLongestStop = 0.8;  // at normal speed

export class Playing {
  /// `player` moves; `speed()` is read at each picture.
  constructor(player, speed) {
    const {panel} = player, {events} = panel;
    this.player = player;
    this.speed = speed;
    let stops = 0;
    for (let i = 0; i < events.length; i++) stops += events.matters[i];
    this.stop = Math.min(kLongestStop, kSeconds / 2 / Math.max(1, stops));
    this.rate = (panel.end - panel.begin) / (kSeconds - stops * this.stop);  // cycles a second
    this.rest = 0;                                                           // seconds of the stop
    this.before = performance.now();
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  end() { cancelAnimationFrame(this.frame); }

  tick(now) {
    const {player} = this;
    const goesOn = this.move(Math.min(0.25, Math.max(0, now - this.before) / 1000) * this.speed());
    this.before = now;
    if (goesOn)
      this.frame = requestAnimationFrame((next) => this.tick(next));
    else
      player.stop();
  }

  /// So many seconds on; false: the run is over, or a question is asked.
  move(seconds) {
    const {player} = this, {panel} = player, {events} = panel;
    let {event, time} = player.moment, left = seconds, arrived = false;
    while (left > 0) {
      const used = Math.min(left, this.rest);
      this.rest -= used;
      left -= used;
      if (left <= 0) break;
      let next = event + 1;
      while (next < events.length && !events.matters[next]) next++;
      const end = next >= events.length, way = Math.max(0, (end ? panel.end : events.time[next]) - time) / this.rate;
      if (way > left) {
        time += left * this.rate;
        break;
      }
      if (end) {
        player.goTo(events.length - 1);
        return false;
      }
      if (player.guess.asksBefore(next)) return false;
      left -= way;
      [event, time, arrived, this.rest] = [next, events.time[next], true, this.stop];
    }
    if (arrived)
      player.goTo(event, {time, playing: true});
    else
      player.passTime(time);
    return true;
  }
}
