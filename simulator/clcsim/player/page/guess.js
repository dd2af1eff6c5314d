// Guess first: a question about the next event, before it is shown.
import {slotName} from './bars.js';
import {element} from './element.js';
import {requestsUnderWay, waitingBlocks} from './moments.js';
import {count} from './numbers.js';
import {blockName, types} from './record.js';

// The same question has the same answers in the same order each time one comes back to it.
function mixed(answers, seed) {
  return answers.map((answer, i) => [(seed * 7 + i * 13) % 11, answer])
      .sort((a, b) => a[0] - b[0])
      .map((pair) => pair[1]);
}

// Who gets a slot: a block that starts where another one has left or, if none does, an urgent kernel. A lane may be
// clicked on, too.
function slotQuestion(run, panel, i) {
  const {lanes, events, launches} = panel, launch = launches[events.launch[i]], block = events.block[i];
  const right = launch.laneOf.get(block), wasTaken = lanes[right].spans.some(({end}) => end <= events.time[i]);
  if (lanes.length < 2 || lanes.length > 8 || !wasTaken) return null;
  if (launch.urgent && launches.some(({urgent, total}) => !urgent && total > lanes.length)) return null;
  const name = launch.urgent ? 'The urgent kernel' : `Block ${blockName(launch, block)}`;
  const answers = lanes.map((lane, n) => ({text: slotName(run, panel, lane), right: n === right, lane: n}));
  return {question: `${name} is next, and all slots are taken. Which one becomes free for it? Click on it.`, answers};
}

/// {question, answers: [{text, right, lane}]} for an event, or null: it is no riddle. Only what one can know before it
/// is asked.
export function questionFor(run, panel, i) {
  const {events} = panel, l = events.launch[i], launch = panel.launches[l], ref = events.ref[i], {requests} = launch;
  if (types[events.type[i]] === 'starts') return requests.length > 0 ? null : slotQuestion(run, panel, i);
  if (types[events.type[i]] !== 'decided') return null;
  const granted = requests.granted[ref] === 1, asker = blockName(launch, requests.block[ref]);
  const under = requestsUnderWay(panel, l, i - 1).filter((r) => r !== ref && requests.decided[r] >= events.time[i]);
  const rivals = [...new Set(under.map((r) => requests.block[r]))].filter((block) => block !== requests.block[ref]);
  if (granted && rivals.length > 0 && ref % 2 === 0) {
    const others = rivals.slice(0, 3).map((block) => ({text: `block ${blockName(launch, block)}`, right: false}));
    const question = 'A block is taken off the queue now. Several blocks have asked: who gets it?';
    return {question, answers: mixed([{text: `block ${asker}`, right: true}, ...others], i)};
  }
  const waiting = waitingBlocks(launch, i - 1), wait = `${count(waiting, 'block')} wait${waiting === 1 ? 's' : ''}`;
  return {
    question: `Block ${asker} has asked, and ${wait}. Does the request succeed?`,
    answers: mixed([{text: 'yes, a block is cancelled', right: granted}, {text: 'no, it fails', right: !granted}], i)
  };
}

export class Guessing {
  constructor(player) {
    this.player = player;
    this.on = false;
    this.question = null;  // that waits for an answer
    this.judged = -1;      // the event whose guess the box still judges
    this.once = false;     // after one question all is shown
  }

  set(on) {
    const {player} = this;
    this.on = on;
    this.once = false;
    this.question = null;
    this.judged = -1;
    player.find('guess').checked = on;
    player.find('question').hidden = !on;
    player.show();
  }

  /// What comes is hidden until one question about it is answered, or the reader wants to see all.
  askOnce() {
    this.set(true);
    this.once = true;
    this.announce();
  }

  // The next event that is a riddle, up to one: {asked, i}; null: there is none.
  nextRiddle(last) {
    const {moment, panel} = this.player;
    for (let i = moment.event + 1; i <= last; i++) {
      const asked = questionFor(this.player.run, panel, i);
      if (asked) return {asked, i};
    }
    return null;
  }

  /// Asks about the first riddle up to an event; false: there is none, or nobody guesses.
  asksBefore(next) {
    const riddle = this.on && this.nextRiddle(next);
    if (riddle) this.ask(riddle.asked, riddle.i);
    return Boolean(riddle);
  }

  /// Between questions: when the next one comes, and a button that leads there.
  announce() {
    const {player} = this, {panel, moment} = player;
    if (!this.on || this.question || this.judged === moment.event) return;
    const {events} = panel, riddle = this.nextRiddle(events.length - 1), box = player.find('question');
    if (this.once) {
      const all = element('button', 'Show all of it', {type: 'button', onclick: () => this.set(false)});
      return box.replaceChildren(
          element('p', 'What comes is hidden. Play it: on the way you are asked what happens next.'), all);
    }
    box.replaceChildren(element('p', 'There is no further question in this run.'));
    if (!riddle) return;
    const steps = events.matters.slice(moment.event + 1, riddle.i + 1).reduce((sum, each) => sum + each, 0);
    const go = element('button', 'Ask me now', {type: 'button', onclick: () => this.ask(riddle.asked, riddle.i)});
    box.replaceChildren(element('p', `The next question comes in ${count(steps, 'step')}.`), go);
  }

  ask(asked, i) {
    const {player} = this, box = player.find('question');
    player.stop();
    this.question = {...asked, at: i};
    player.goTo(i - 1);
    box.replaceChildren(element('p', asked.question));
    asked.answers.forEach((answer, n) => {
      const onclick = () => this.choose(n);
      box.append(element('button', `${n + 1}: ${answer.text}`, {type: 'button', onclick}), ' ');
    });
  }

  choose(n) {
    const {question} = this;
    if (!question?.answers[n]) return;
    const {answers, at} = question, box = this.player.find('question');
    [...box.querySelectorAll('button')].forEach((button, k) => {
      button.disabled = true;
      if (answers[k].right)
        button.className = 'right';
      else if (k === n)
        button.className = 'wrong';
    });
    box.append(element('p', answers[n].right ? 'Yes.' : 'No: see what happens.'));
    this.question = null;
    this.judged = at;
    if (this.once) this.on = this.once = this.player.find('guess').checked = false;
    this.player.goTo(at);
  }
}
