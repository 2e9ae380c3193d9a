/**
 * Keys that nobody has the focus for: a view takes them while it is shown. Where somebody types or moves a slider they
 * are left alone. `take` says whether it knew the key. Returns how to stop.
 */
export function watchLooseKeys(page: Document, take: (event: KeyboardEvent) => boolean): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const isHeld = event.altKey || event.ctrlKey || event.metaKey;
    if (event.defaultPrevented || isHeld || isTaken(event.target)) return;
    if (take(event)) event.preventDefault();
  };
  page.addEventListener('keydown', onKey);
  return () => page.removeEventListener('keydown', onKey);
}

/** Whoever is at something that has keys of its own. */
function isTaken(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, select, textarea, button, a, [role=dialog], li, pre') !== null
  );
}
