// The queue: a numbered chip for each block, or cluster, of a launch. Those that wait are full, the others show where
// they went.
import {rect} from './element.js';
import {write} from './lanes.js';
import {countUpTo} from './numbers.js';
import {blockName} from './record.js';

const kHeight = 18, kStep = 20, kMostRows = 2;

// The first block of a cluster.
function firstOf({grid: [x, y], cluster: [cx, cy, cz]}, number) {
  const across = x / cx, down = y / cy;
  return number % across * cx +
      x * (Math.floor(number / across) % down * cy + y * Math.floor(number / across / down) * cz);
}

// "3", or "4\u20135" for a cluster of a line of blocks; of others the first.
function nameOf(launch, number) {
  const [x] = launch.grid, first = firstOf(launch, number);
  const name = blockName(launch, first), inLine = x === launch.total && launch.clusterSize > 1;
  return inLine ? `${name}\u2013${first + launch.clusterSize - 1}` : name;
}

// How many chips fit beside each other, and how wide one is.
function measures(launch, width) {
  const chip = 10 + 7 * nameOf(launch, launch.total / launch.clusterSize - 1).length;
  return {chip, perRow: Math.max(1, Math.floor(width / (chip + 2)))};
}

export function queueHeight(launch, width) {
  const rows = Math.ceil(launch.total / launch.clusterSize / measures(launch, width).perRow);
  return rows > kMostRows ? kHeight : rows * kStep;
}

// One chip at (x, y): `left`: how it has left the queue, or undefined; `latest`: it did so with the event that is
// shown.
function drawChip(ctx, x, y, wide, text, left, latest, colours) {
  if (!left) rect(ctx, colours.chip, x, y, wide, kHeight);
  ctx.strokeStyle = latest ? colours.mark : colours.line;
  ctx.lineWidth = latest ? 2.5 : 1;
  ctx.strokeRect(x + 1, y + 1, wide - 2, kHeight - 2);
  if (left?.by >= 0) {  // stolen: struck out
    ctx.beginPath();
    ctx.moveTo(x + 2, y + kHeight - 2);
    ctx.lineTo(x + wide - 2, y + 2);
    ctx.stroke();
  }
  ctx.lineWidth = 1;
  const ink = left && !latest ? colours.soft : colours.text;
  write(ctx, text, x + wide / 2, y + kHeight / 2 + 0.5, ink, 'center');
}

/// After event `index`, from `left` on, `width` wide. Where there are too many, a bar.
export function drawQueue(ctx, left, width, launch, index, colours) {
  const clusters = launch.total / launch.clusterSize, gone = countUpTo(launch.leftAt, index);
  const {chip, perRow} = measures(launch, width), latest = launch.left[gone - 1];
  ctx.clearRect(0, 0, left + width, queueHeight(launch, width));
  ctx.textBaseline = 'middle';
  write(ctx, 'queue', 4, kHeight / 2, colours.soft);
  if (clusters > kMostRows * perRow) {
    const went = width * gone / clusters;
    rect(ctx, colours.idle, left, 0, went, kHeight);
    return rect(ctx, colours.soft, left + went, 0, width - went, kHeight);
  }
  const away = new Map(launch.left.slice(0, gone).map((each) => [each.first, each]));
  for (let i = 0; i < clusters; i++) {
    const x = left + i % perRow * (chip + 2), y = Math.floor(i / perRow) * kStep, each = away.get(firstOf(launch, i));
    const isLatest = each !== undefined && each === latest && each.event === index;
    drawChip(ctx, x, y, chip, nameOf(launch, i), each, isLatest, colours);
  }
}
