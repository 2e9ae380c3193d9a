import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 1500;

/** Copies a text, and says whether it did. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState<'copied' | 'not copied' | undefined>(undefined);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    // Without a clipboard (an insecure address, a refusal) the text can still be marked by hand.
    Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))).then(
      () => setSaid('copied'),
      () => setSaid('not copied'),
    );
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <span role="status">{said ?? 'copy'}</span>
    </button>
  );
}
