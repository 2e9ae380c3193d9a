import { cleanLine, plural, type SessionDetail } from '../../../src/core/index.ts';
import { Diagnostics } from '../parts/diagnostics.tsx';
import { AgentLink } from '../parts/place-link.tsx';
import { picture, sessions } from '../store.ts';
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
