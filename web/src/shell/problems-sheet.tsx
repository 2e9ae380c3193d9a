import { cleanLine, plural, type SessionDetail } from '../../../src/core/index.ts';
import { PairingButton } from '../asks/pairing.tsx';
import { Diagnostics, problemsText } from '../parts/diagnostics.tsx';
import { AgentLink } from '../parts/marks.tsx';
import { ReplayBar } from '../replay/replay-bar.tsx';
import { connection, picture, sessions, useBackend } from '../store.ts';
import { isProblemsOpen } from './commands.ts';
import { Sheet } from './sheet.tsx';

/** All that was not understood, session by session, each with its place. */
export function ProblemsSheet() {
  const concerned = isProblemsOpen.value
    ? sessions.value.filter(({ diagnostics }) => diagnostics.items.length > 0)
    : [];
  const ignored = picture.value?.ignoredFiles ?? 0;
  return (
    <Sheet isOpen={isProblemsOpen} title="What was not understood">
      <p>
        Nothing of it stops the reading: a line that troupe does not understand is counted, and the next one is read.
      </p>
      {ignored > 0 && <p>{plural(ignored, 'file')} in the places looked at not known to troupe.</p>}
      {concerned.map((session) => (
        <SessionProblems key={session.id} session={session} />
      ))}
      {concerned.length === 0 && <p>Everything was understood.</p>}
    </Sheet>
  );
}

function SessionProblems({ session }: { readonly session: SessionDetail }) {
  const { project, title, id, diagnostics } = session;
  return (
    <section>
      <h3>
        <AgentLink to={{ session: id, agent: id }} onGo={close}>
          {cleanLine([project, title].filter(Boolean).join(' · ')) || id.slice(0, 8)}
        </AgentLink>
      </h3>
      <Diagnostics items={diagnostics.items} />
    </section>
  );
}

function close(): void {
  isProblemsOpen.value = false;
}

const STATES = { connecting: 'connecting…', connected: 'connected', lost: 'no connection' } as const;

export function BottomBar() {
  const backend = useBackend();
  const problems = problemsText(sessions.value);
  const isReading = picture.value?.isComplete === false;
  return (
    <footer class="bottom">
      <div class="bottom-replay">
        <ReplayBar />
      </div>
      {problems !== '' && (
        <button type="button" class="quiet bottom-problems" onClick={() => openProblems()}>
          {problems}
        </button>
      )}
      <PairingButton />
      {backend.kind === 'live' && (
        <span class={`bottom-connection bottom-${connection.value}`}>
          <span class="bottom-word">
            {isReading && connection.value === 'connected' ? 'still reading' : STATES[connection.value]}
          </span>
        </span>
      )}
    </footer>
  );
}

function openProblems(): void {
  isProblemsOpen.value = true;
}
