// The queue: blocks that wait, those that have started, those that were stolen. A cluster is one box.
import {countUpTo} from './numbers.js';
import {clusterNumber} from './record.js';

const kCell = 14, kStep = 16;

// How many boxes fit beside each other, and how wide one is.
function measures(launch, width) {
  const box = launch.clusterSize * kCell, step = box + kStep - kCell;
  return {box, step, perRow: Math.max(1, Math.floor(width / step))};
}

export function queueHeight(launch, width) {
  const rows = Math.ceil(launch.total / launch.clusterSize / measures(launch, width).perRow);
  return rows > 6 ? 18 : rows * kStep;
}

function drawBar(ctx, width, height, share, colours) {
  ctx.fillStyle = colours.idle;
  ctx.fillRect(0, 0, width, height);
  ctx.fillStyle = colours.block[0];
  ctx.fillRect(width * share, 0, width - width * share, height);
  ctx.strokeStyle = colours.ink;
  ctx.strokeRect(0.5, 0.5, width - 1, height - 1);
}

// A cross: stolen; a triangle: started.
function drawGone(ctx, x, y, stolen, latest, colours) {
  ctx.strokeStyle = latest ? colours.mark : colours.soft;
  ctx.lineWidth = latest ? 2 : 1;
  ctx.beginPath();
  if (stolen) {
    ctx.moveTo(x + 4, y + 4);
    ctx.lineTo(x + 10, y + 10);
    ctx.moveTo(x + 10, y + 4);
    ctx.lineTo(x + 4, y + 10);
  } else {
    ctx.moveTo(x + 5, y + 3);
    ctx.lineTo(x + 11, y + 7);
    ctx.lineTo(x + 5, y + 11);
    ctx.closePath();
  }
  ctx.stroke();
  ctx.lineWidth = 1;
}

/// After event `index`. Where there are too many, a bar.
export function drawQueue(ctx, width, height, launch, index, colours) {
  ctx.clearRect(0, 0, width, height);
  const clusters = launch.total / launch.clusterSize, gone = countUpTo(launch.leftAt, index);
  const {box, step, perRow} = measures(launch, width);
  if (Math.ceil(clusters / perRow) * kStep > height) {
    drawBar(ctx, width, height, gone / clusters, colours);
    return;
  }
  const away = new Map(launch.left.slice(0, gone).map((each) => [clusterNumber(launch, each.first), each]));
  for (let i = 0; i < clusters; i++) {
    const x = i % perRow * step, y = Math.floor(i / perRow) * kStep, left = away.get(i);
    ctx.fillStyle = colours.block[0];
    if (!left) ctx.fillRect(x, y, box, kCell);
    ctx.strokeStyle = left ? colours.line : colours.ink;
    ctx.strokeRect(x + 0.5, y + 0.5, box - 1, kCell - 1);
    for (let k = 0; k < launch.clusterSize; k++) {
      if (k > 0) ctx.strokeRect(x + k * kCell + 0.5, y + 4.5, 0, kCell - 9);
      if (left) drawGone(ctx, x + k * kCell, y, left.by >= 0, left === launch.left[gone - 1], colours);
    }
  }
}
