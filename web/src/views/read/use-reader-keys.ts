import { useEffect } from 'preact/hooks';
import { type ReaderAct, readerActOf } from './reader-keys.ts';

/** Keys of the reader come before those of the page. */
export function useReaderKeys(isFinding: () => boolean, run: (act: ReaderAct) => boolean): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const act = readerActOf({ key, ctrlKey, metaKey, altKey, isTyping: isField(target), isFinding: isFinding() });
      if (act && run(act)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  });
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
