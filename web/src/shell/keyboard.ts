import { isHelpOpen, run } from './commands.ts';
import { commandOf } from './keys.ts';

/** Keys that work anywhere on the page, unless they are typed into a field or a view has used them. */
export function startKeyboard(target: Window): () => void {
  const onKey = (event: KeyboardEvent): void => {
    // What is in front of the page has the keys to itself; the browser closes it on escape.
    if (document.querySelector('dialog:modal') && !(isHelpOpen.value && event.key === '?')) return;
    const command = commandOf({
      key: event.key,
      ctrlKey: event.ctrlKey,
      metaKey: event.metaKey,
      altKey: event.altKey,
      altGraph: event.getModifierState('AltGraph'),
      isTyping: event.isComposing || isField(event.target),
      isTaken: event.defaultPrevented,
    });
    if (!command) return;
    event.preventDefault();
    run(command);
  };
  target.addEventListener('keydown', onKey);
  return () => target.removeEventListener('keydown', onKey);
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button'].includes(target.type);
}
