// Buttons that copy a text.
import {element} from '../../../clcsim/player/page/element.js';

export function copyButton(text, attributes = {}) {
  const button = element('button', 'Copy', {type: 'button', ...attributes});
  button.addEventListener('click', () => navigator.clipboard?.writeText(text).then(() => {
    button.textContent = 'Copied';
    setTimeout(() => button.textContent = 'Copy', 2000);
  }, () => {}));
  return button;
}

/// On code and commands; what a command prints and a diff have none.
export function offerCopies() {
  for (const block of document.querySelectorAll(
           '[class*="highlight-"]:not(.highlight-text, .highlight-diff) > .highlight')) {
    const text = block.querySelector('pre').textContent;
    block.append(copyButton(text, {class: 'live-copy', 'aria-label': 'Copy this code'}));
  }
}
