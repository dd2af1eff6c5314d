// Elements of the page, and what is drawn on its canvases. The race, which comes before a player, has these, too.

/// An element with text, attributes and listeners: element('button', 'Run', {type: 'button', onclick: run}).
export function element(name, text = '', attributes = {}, ...children) {
  const result = document.createElement(name);
  result.textContent = text;
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on'))
      result.addEventListener(key.slice(2), value);
    else
      result.setAttribute(key, value);
  }
  result.append(...children);
  return result;
}

/// Texts that may break between the parts of a long name, but not within a word.
export const breakable = (text) => text.split(/(?<=\S{12}(?:::|[\w>][(_.]))(?=[a-z_])/i)
                                       .flatMap((part, i) => (i > 0 ? [element('wbr'), part] : [part]));

/// A canvas's context, with the canvas at a size in pixels of the page.
export function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1, wide = Math.round(width * ratio), high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, {width: wide, height: high});
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext('2d');
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}

/// A filled one.
export function rect(ctx, colour, ...place) {
  ctx.fillStyle = colour;
  ctx.fillRect(...place);
}

/// The lines that `draw` makes.
export function stroke(ctx, colour, width, draw, dashes = []) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(dashes);
  ctx.beginPath();
  draw();
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.lineWidth = 1;
}

/// Stolen work. Lines of neighbours meet.
export function hatch(ctx, colour, x, y, width, height, step) {
  ctx.globalAlpha = 0.3;
  stroke(ctx, colour, 1, () => {
    for (let at = Math.floor(x / step) * step; at < x + width + height; at += step) {
      ctx.moveTo(at, y);
      ctx.lineTo(at - height, y + height);
    }
  });
  ctx.globalAlpha = 1;
}

/// The style's colours of these names.
export function coloursOf(element, names) {
  const style = getComputedStyle(element);
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/// A button that looks like a link.
export const linkButton = (text, onclick, attributes = {}) =>
    element('button', text, {type: 'button', class: 'link', onclick, ...attributes});

/// A paragraph, or what `name` is, of texts and links {text, ...}; `follow(link)`: one was clicked.
export function sentenceWithLinks(parts, follow, attributes = {}, name = 'p') {
  const made = element(name, '', attributes);
  for (const part of parts) made.append(typeof part === 'string' ? part : linkButton(part.text, () => follow(part)));
  return made;
}
