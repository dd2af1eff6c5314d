// Play: the run's own time, with a stop at each steal that is long enough to read what it says; in a run without steals
// at each thing that matters.
import {isSteal} from './moments.js';

// Seconds: of the way, of a stop, and of all stops at steals or at other events.
const kSeconds = 12, kReading = 3, kSteals = 120, kOthers = 18;

export class Playing {
  constructor(player) {
    const {panel} = player, {events} = panel;
    this.player = player;
    const all = Array.from({length: events.length}, (_, i) => i), steals = all.filter((i) => isSteal(panel, i));
    const read = steals.length > 0 ? steals : all.filter((i) => events.matters[i]);
    this.stop = Math.min(kReading, (steals.length > 0 ? kSteals : kOthers) / Math.max(1, read.length));
    this.stops = new Set(read);
    this.rate = (panel.end - panel.begin) / kSeconds;  // cycles a second
    this.rest = 0;                                     // seconds of the stop
    this.before = performance.now();
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  end() { cancelAnimationFrame(this.frame); }

  tick(now) {
    const {player} = this;
    const goesOn = this.move(Math.min(0.25, Math.max(0, now - this.before) / 1000));
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
      [event, time, arrived] = [next, events.time[next], true];
      this.rest = this.stops.has(next) ? this.stop : 0;
    }
    if (arrived)
      player.goTo(event, {time, playing: true});
    else
      player.passTime(time);
    return true;
  }
}
