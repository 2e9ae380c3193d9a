import { useEffect, useState } from 'preact/hooks';
import { read } from '../../actions.ts';
import { isPlain } from '../../parts/place-link.tsx';
import { hashOf } from '../../route.ts';
import type { AgentRef } from '../../store.ts';

const SAID_MS = 1500;

/** The number of a message: its address. A click goes there and copies it. */
export function MessageLink({ to, index }: { readonly to: AgentRef; readonly index: number }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const href = hashOf({ view: 'read', ref: to, message: index });
  const copy = (event: MouseEvent): void => {
    if (!isPlain(event)) return;
    event.preventDefault();
    read(to, index);
    // Without the token that may stand in the address: it belongs to this person.
    const address = `${location.protocol}//${location.host}${location.pathname}${href}`;
    const copied = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => setSaid('link copied'),
      () => setSaid('the address bar has the link'),
    );
  };
  return (
    <span class="read-link">
      <span role="status">{said}</span>
      <a
        href={href}
        onClick={copy}
        title="Copy the link to this message"
        aria-label={`Copy the link to message ${index + 1}`}
      >
        {index + 1}
      </a>
    </span>
  );
}
