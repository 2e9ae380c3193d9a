import { computed, effect, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { cleanLine, type PairingStatus } from '../../../src/core/index.ts';
import type { Backend, Pairing } from '../backend.ts';
import { Sheet } from '../shell/sheet.tsx';
import { picture, useBackend } from '../store.ts';
import './asks.css';

// Which browsers may allow calls, and the passphrase that pairs this one.

const status = signal<PairingStatus | undefined>(undefined);
const isPairingOpen = signal(false);
/** Since this page was loaded, or the status was last read. */
const pairedWith = signal<string | undefined>(undefined);

export function openPairing(): void {
  isPairingOpen.value = true;
}

const LOOK_MS = 20_000;

/** Reads the status now, with each new call that waits, and now and then: what was changed behind the person's back is shown unasked. */
export function startPairing({ pairing }: Backend): () => void {
  if (!pairing) return () => {};
  const look = (): void => {
    load(pairing).catch(() => undefined);
  };
  const ids = computed(() => picture.value?.asks.map(({ id }) => id).join() ?? '');
  const stop = effect(() => {
    ids.value;
    look();
  });
  const timer = setInterval(look, LOOK_MS);
  return () => {
    stop();
    clearInterval(timer);
  };
}

async function load(pairing: Pairing): Promise<void> {
  status.value = await pairing.status();
  pairedWith.value = pairing.pairedWith();
}

/** Sentences that the person has to see. */
const alarms = computed<readonly string[]>(() => {
  const now = status.value;
  if (!now) return [];
  const isOther = now.state === 'set' && pairedWith.value !== undefined && pairedWith.value !== now.keyId;
  const other = `The passphrase for approvals is not the one that this browser was paired with. It was set on ${timeText(now.setAt)}. If that was not you, an agent may have done it: see "If the passphrase is lost" in docs/explanation/guard-model.md.`;
  return [...now.alarms, ...(isOther ? [other] : [])];
});

/** Above the views, as long as there is an alarm. */
export function PairingAlarms() {
  if (alarms.value.length === 0) return null;
  return (
    <div class="pairing-alarms" role="alert">
      {alarms.value.map((text) => (
        <p key={text}>
          <strong>Alarm.</strong> {cleanLine(text)}
        </p>
      ))}
    </div>
  );
}

/** In the last line of the page. */
export function PairingButton() {
  const now = status.value;
  if (!now || now.state === 'none') return null;
  const isPaired = pairedWith.value !== undefined && pairedWith.value === now.keyId;
  const text = now.state === 'alarm' ? 'passphrase alarm' : isPaired ? 'paired' : 'not paired';
  return (
    <button type="button" class="quiet" onClick={openPairing} title="Which browsers may allow calls">
      {text}
    </button>
  );
}

export function PairingSheet() {
  const { pairing } = useBackend();
  if (!pairing) return null;
  return (
    <Sheet isOpen={isPairingOpen} title="Allow calls from this browser">
      <PairingForm pairing={pairing} />
    </Sheet>
  );
}

function PairingForm({ pairing }: { readonly pairing: Pairing }) {
  const now = status.value;
  const field = useRef<HTMLInputElement>(null);
  const [trouble, setTrouble] = useState('');
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    load(pairing).catch(() => undefined);
  }, []);
  useEffect(() => field.current?.focus(), [now?.state]);
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setTrouble('');
    setSaid('');
    try {
      await act();
      await load(pairing);
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const typed = field.current?.value ?? '';
    if (field.current) field.current.value = '';
    void attempt(async () => {
      await pairing.pair(typed);
      setSaid('This browser is paired. Close this, and press Allow once again.');
    }).then(() => field.current?.focus());
  };
  if (!now || now.state === 'alarm') return <p>{now ? alarms.value.map(cleanLine).join(' ') : 'Loading…'}</p>;
  if (now.state === 'none')
    return (
      <p>
        The policy says that agents must keep their hands off the guard, so a call can only be allowed with a
        passphrase, and none is set. In a terminal that no coding agent started, run:{' '}
        <code>troupe server passphrase</code>. You can deny calls without it.
      </p>
    );
  return (
    <>
      <p>
        A call can only be allowed by somebody who knows your passphrase for approvals. It was set on{' '}
        {timeText(now.setAt)}. If that was not you, do not allow anything. You can deny calls without it.
      </p>
      <form class="pairing" onSubmit={submit}>
        <label>
          Passphrase for approvals <input ref={field} type="password" autocomplete="off" required />
        </label>
        <button type="submit" disabled={isBusy}>
          Pair this browser
        </button>
      </form>
      <div role="status">{isBusy ? 'Checking…' : said}</div>
      {trouble !== '' && (
        <p class="ask-trouble" role="alert">
          {cleanLine(trouble)}
        </p>
      )}
      <h3>Paired browsers</h3>
      {now.browsers.length === 0 && <p>None.</p>}
      <ul class="pairing-list">
        {now.browsers.map(({ id, name, pairedAt, expiresAt }) => (
          <li key={id}>
            {cleanLine(name)}, paired on {timeText(pairedAt)}, until {timeText(expiresAt)}{' '}
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Revoke ${cleanLine(name)}, paired on ${timeText(pairedAt)}`}
              onClick={() =>
                void attempt(async () => {
                  await pairing.unpair(id);
                  setSaid('The pairing is revoked.');
                })
              }
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function timeText(at: string | null): string {
  return at === null ? 'an unknown day' : new Date(at).toLocaleString();
}
