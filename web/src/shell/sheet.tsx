import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import './sheet.css';

/** Something to read in front of the page. Escape, its button or a press beside it closes it; focus goes back by itself. */
export function Sheet({
  isOpen,
  title,
  children,
}: {
  readonly isOpen: Signal<boolean>;
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = isOpen.value;
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open && dialog.current?.open) dialog.current.close();
  });
  // The close event comes later than the closing: a key that opens the sheet again in between would be undone by it.
  const close = (): void => {
    dialog.current?.close();
    isOpen.value = false;
  };
  useEffect(() => {
    const onPress = ({ target }: MouseEvent): void => {
      if (target === dialog.current) close();
    };
    dialog.current?.addEventListener('click', onPress);
    return () => dialog.current?.removeEventListener('click', onPress);
  }, []);
  return (
    <dialog ref={dialog} class="sheet" aria-label={title} onCancel={close}>
      <div class="sheet-body">
        <header class="sheet-head">
          <h2>{title}</h2>
          <button type="button" onClick={close}>
            Close
          </button>
        </header>
        {open && children}
      </div>
    </dialog>
  );
}
