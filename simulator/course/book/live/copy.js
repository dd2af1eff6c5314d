// Buttons that copy a text.
import {element} from '../../../clcsim/player/page/element.js';

export function copyButton(text, attributes = {}) {
  const button = element('button', 'Copy', {type: 'button', ...attributes});
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {  // a page that isn't in front, or not from a secure address
      getSelection().selectAllChildren(button.parentElement.querySelector('pre'));
      button.textContent = 'Press Ctrl+C';
    }
    setTimeout(() => button.textContent = 'Copy', 2000);
  });
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
