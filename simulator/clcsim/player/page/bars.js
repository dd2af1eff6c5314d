// What a bar is, in the words of the course's chapters.
import {grouped} from './numbers.js';
import {blockName} from './record.js';
import {meetingsOf, waitAt} from './waits.js';
import {kernelName, reasonWords, stolenName} from './words.js';

/// "slot 4", "SM 1", "slot 4 of SM 1"
export function slotName({sms}, {slots}, {sm, slot}) {
  return [...(slots > 1 ? [`slot ${slot}`] : []), ...(sms > 1 || slots === 1 ? [`SM ${sm}`] : [])].join(' of ');
}

// ", while SM 1 idled", of who had nothing to do before a time.
function idlers(run, panel, time) {
  const idle = panel.lanes.filter(({spans}) => !spans.some(({begin, end}) => begin < time && time <= end));
  if (idle.length === 0) return '';
  return ` while ${idle.length > 1 ? `${idle.length} slots` : slotName(run, panel, idle[0])} idled`;
}

/// Of a stretch of a lane, at a time: [headline, rest]. hidden: what comes from this time on is not told.
export function barWords(run, panel, {launch: l, row, begin, end}, time, hidden = Infinity) {
  const launch = panel.launches[l], {rows, requests} = launch, block = rows.block[row], name = blockName(launch, block);
  const cycle = (at) => grouped(at - panel.begin), tile = (at) => blockName(launch, rows.tile[at]),
        isOver = end <= hidden;
  const length = `${grouped(end - begin)} cycles, from ${cycle(begin)}`, wait = waitAt(panel, l, block, time);
  if (rows.tiles[row] > 1) return [`Block ${name}: ${grouped(rows.tiles[row])} tiles joined`, `, ${length}.`];
  if (launch.urgent)
    return [
      `Block ${name} of ${kernelName(launch)}`,
      ` starts at ${cycle(begin)}${isOver ? ` and ends at ${cycle(end)}` : ''}.`
    ];
  const forWhat = requests.length > 0 && wait?.reason === 'mbarrier' ? 'for the response to its request' :
                                                                       reasonWords[wait?.reason];
  const waits = wait ?
      ` At ${cycle(time)} the block waits ${forWhat}${wait.to <= hidden ? `, until ${cycle(wait.to)}` : ''}.` :
                                                                          '';
  const request = rows.request[row] - 1, prologue = rows.prologue[row];
  if (request < 0) {
    const works = meetingsOf(launch).length > 0 ? 'It works until' : 'Its own tile is done at';
    const slot = slotName(run, panel, panel.lanes[launch.laneOf.get(block)]);
    const setup = prologue > 0 && begin + prologue <= hidden ? ` Its prologue takes ${grouped(prologue)} cycles.` : '';
    return [
      `Block ${name} starts on ${slot} at ${cycle(begin)}`.replace('on slot', 'in slot'),
      `.${setup}${isOver ? ` ${works} ${cycle(end)}.` : ''}${waits}`
    ];
  }
  const decided = requests.decided[request], isOwn = requests.block[request] === block;
  const before = row > 0 && rows.block[row - 1] === block && rows.end[row - 1] === begin;
  const behind = before && begin > decided ? ` behind tile ${tile(row - 1)}${idlers(run, panel, begin)}` : '';
  return [
    `${isOwn ? `Block ${name}` : `The cluster of block ${name}`} stole ${
        stolenName(launch, requests.stolen[request])} at ${cycle(decided)}`,
    `. Tile ${tile(row)} waits ${grouped(begin - decided)} cycles${behind}, and needs no prologue.${
        isOver ? ` It is done at ${cycle(end)}.` : ''}${waits}`
  ];
}
