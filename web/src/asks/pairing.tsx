import { computed, effect, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { cleanLine, formatAge, type PairingStatus } from '../../../src/core/index.ts';
import type { Backend, Pairing } from '../backend.ts';
import { CopyButton } from '../parts/marks.tsx';
import { Sheet } from '../shell/sheet.tsx';
import { clock, picture, useBackend } from '../store.ts';
import './asks.css';

// Which browsers may allow calls, and the passphrase that pairs this one.

const status = signal<PairingStatus | undefined>(undefined);
const isPairingOpen = signal(false);
/** What this browser keeps of its own pairing: the server's files may have been replaced since. */
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
  if (now.alarms.length > 0 || pairedWith.value === undefined || pairedWith.value === now.keyId) return now.alarms;
  if (now.state === 'none')
    return ['This browser is paired with a passphrase for approvals that is not there any more.'];
  return [
    `Your passphrase for approvals was changed on ${dateText(now.setAt)}, after this browser was paired. If that was you, pair this browser again.`,
  ];
});

/** This browser may allow calls. */
export const isPaired = computed(() => status.value !== undefined && status.value.self !== null);

/** Above the views, as long as there is an alarm. */
export function PairingAlarms() {
  if (alarms.value.length === 0) return null;
  return (
    <div class="pairing-alarms" role="alert">
      {alarms.value.map((text) => (
        <p key={text}>
          <strong>Alarm:</strong> {cleanLine(text)}
        </p>
      ))}
      <button type="button" onClick={openPairing}>
        What to do
      </button>
    </div>
  );
}

/** In the last line of the page. */
export function PairingButton() {
  const now = status.value;
  if (!now || (now.state === 'none' && alarms.value.length === 0)) return null;
  const text = alarms.value.length > 0 ? 'passphrase alarm' : isPaired.value ? 'may allow calls' : 'not paired';
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
      <PairingPanel pairing={pairing} />
    </Sheet>
  );
}

/** While the sheet is open: the passphrase may be set in a terminal meanwhile. */
const LOOK_AGAIN_MS = 2_000;

function PairingPanel({ pairing }: { readonly pairing: Pairing }) {
  const now = status.value;
  const [trouble, setTrouble] = useState('');
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    const look = (): void => {
      load(pairing).catch(() => undefined);
    };
    look();
    const timer = setInterval(look, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
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
  if (!now) return <p>Loading…</p>;
  return (
    <div class="pairing">
      {alarms.value.length > 0 && <AlarmHelp />}
      {now.state === 'none' && <SetPassphrase />}
      {now.state === 'set' && now.self === null && (
        <PairForm
          setAt={now.setAt}
          isBusy={isBusy}
          onPair={(typed) =>
            attempt(async () => {
              await pairing.pair(typed);
              setSaid('Close this, and press Allow once again.');
            })
          }
        />
      )}
      {now.state === 'set' && now.self !== null && (
        <p class="pairing-done">✓ This browser may allow calls until {dateText(expiryOf(now))}.</p>
      )}
      <div role="status">{isBusy ? 'Checking…' : said}</div>
      {trouble !== '' && (
        <p class="ask-trouble" role="alert">
          {cleanLine(trouble)}
        </p>
      )}
      {now.state === 'set' && (
        <PairedBrowsers
          now={now}
          isBusy={isBusy}
          onRevoke={(id) =>
            attempt(async () => {
              await pairing.unpair(id);
              setSaid('Done. That browser can only deny calls now.');
            })
          }
        />
      )}
    </div>
  );
}

function PairForm({ setAt, isBusy, onPair }: PairFormProps) {
  const field = useRef<HTMLInputElement>(null);
  // After the sheet has opened: that moves the focus to its first button.
  useEffect(() => queueMicrotask(() => field.current?.focus()), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    const typed = field.current?.value ?? '';
    if (field.current) field.current.value = '';
    void onPair(typed).then(() => field.current?.focus());
  };
  return (
    <>
      <p class="pairing-lead">Enter your passphrase once. This browser may then allow calls for 30 days.</p>
      <form class="pairing-form" onSubmit={submit}>
        <label>
          Passphrase for approvals <input ref={field} type="password" autocomplete="off" required />
        </label>
        <button type="submit" disabled={isBusy}>
          Pair this browser
        </button>
      </form>
      <p>
        <strong>Why?</strong> Agents run as you on this machine. One of them could open this page and allow its own
        calls, but it does not know your passphrase. Denying a call never needs it.
      </p>
      <p class="dim">
        The passphrase was set in a terminal {formatAge(setAt, clock.value)}, on {dateText(setAt)}.{' '}
        <strong>If that was not you, do not allow anything:</strong> an agent may have set it. If you forgot it, see "If
        the passphrase is lost" in docs/explanation/guard-model.md.
      </p>
    </>
  );
}

interface PairFormProps {
  readonly setAt: string | null;
  readonly isBusy: boolean;
  readonly onPair: (passphrase: string) => Promise<void>;
}

const COMMAND = 'troupe server passphrase';

function SetPassphrase() {
  return (
    <>
      <p class="pairing-lead">To allow a call here, you need a passphrase, and none is set yet.</p>
      <ol>
        <li>
          In a terminal of your own, run:
          <div class="pairing-command">
            <code>{COMMAND}</code> <CopyButton text={COMMAND} what="the command" />
          </div>
        </li>
        <li>Come back. This page notices, and asks for the passphrase once.</li>
      </ol>
      <p>
        <strong>Why?</strong> Agents run as you on this machine. One of them could open this page and allow its own
        calls, but it does not know your passphrase. Denying a call never needs it.
      </p>
    </>
  );
}

function AlarmHelp() {
  return (
    <>
      {alarms.value.map((text) => (
        <p key={text} class="pairing-lead pairing-bad">
          {cleanLine(text)}
        </p>
      ))}
      <p>
        <strong>If you did not do this, an agent may have, to allow its own calls.</strong> Then:
      </p>
      <ol>
        <li>Do not enter your passphrase, and do not allow anything. You can still deny calls.</li>
        <li>
          Find out which command did it: <code>troupe guard log</code> shows what agents ran.
        </li>
        <li>Follow "If the passphrase is lost" in docs/explanation/guard-model.md.</li>
      </ol>
    </>
  );
}

function PairedBrowsers({ now, isBusy, onRevoke }: PairedBrowsersProps) {
  if (now.browsers.length === 0) return null;
  return (
    <>
      <h3>Browsers that may allow calls</h3>
      <ul class="pairing-list">
        {now.browsers.map(({ id, name, pairedAt, expiresAt }) => (
          <li key={id}>
            <span>
              <strong>{cleanLine(name)}</strong>
              {id === now.self && ' (this browser)'}
              <br />
              <span class="dim">
                paired on {dateText(pairedAt)}, until {dateText(expiresAt)}
              </span>
            </span>
            <button
              type="button"
              disabled={isBusy}
              aria-label={`Revoke ${cleanLine(name)}, paired on ${dateText(pairedAt)}`}
              onClick={() => void onRevoke(id)}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

interface PairedBrowsersProps {
  readonly now: PairingStatus;
  readonly isBusy: boolean;
  readonly onRevoke: (id: string) => Promise<void>;
}

const expiryOf = ({ browsers, self }: PairingStatus): string | null =>
  browsers.find(({ id }) => id === self)?.expiresAt ?? null;

function dateText(at: string | null): string {
  if (at === null) return 'an unknown day';
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}
