import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { callerText, cleanBlock, cleanLine, type HeardCall } from '../../../../src/core/index.ts';
import { useBackend } from '../../backend-context.ts';
import { inputFields } from '../../guard/input-fields.ts';
import { exactTime } from '../../parts/time-text.ts';
import { Sheet } from '../../shell/sheet.tsx';

interface Props {
  readonly call: HeardCall | undefined;
  readonly isOpen: Signal<boolean>;
}

/** All that a tool was given, as the audit keeps it: a row shows only the first line of it. */
export function CallSheet({ call, isOpen }: Props) {
  return (
    <Sheet isOpen={isOpen} title={cleanLine(`${call?.tool ?? 'The tool'} was given`)}>
      {call && <CallInput key={call.n} call={call} />}
    </Sheet>
  );
}

type Found = 'asked' | 'gone' | { readonly input: unknown } | { readonly trouble: string };

function CallInput({ call }: { readonly call: HeardCall }) {
  const backend = useBackend();
  const found = useSignal<Found>('asked');
  useEffect(() => {
    backend.input(call).then(
      (answer) => {
        found.value = answer ?? 'gone';
      },
      (error) => {
        found.value = { trouble: error instanceof Error ? error.message : String(error) };
      },
    );
  }, [backend, call.n]);
  return (
    <>
      <p class="dim">
        {exactTime(call.at)} {callerText(call.agent)}
      </p>
      <Input found={found.value} />
      <p class="dim">Secrets are masked, and long texts cut.</p>
    </>
  );
}

function Input({ found }: { readonly found: Found }) {
  if (found === 'asked') return <p>Looking into the audit…</p>;
  if (found === 'gone') return <p>It is not in the audit any more.</p>;
  if ('trouble' in found) return <p role="alert">The audit could not be read: {cleanLine(found.trouble)}</p>;
  return (
    <>
      {inputFields(found.input).map(({ name, text }) => (
        <section key={name}>
          {name !== '' && <h3>{cleanLine(name)}</h3>}
          <pre class="guard-input">{cleanBlock(text)}</pre>
        </section>
      ))}
    </>
  );
}
