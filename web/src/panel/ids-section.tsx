import { cleanLine } from '../../../src/core/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { AgentLink } from '../parts/place-link.tsx';
import { type AgentProps, Section } from './section.tsx';

/** Where it works, and what it is called by machines: to be copied. */
export function IdsSection({ session, agent }: AgentProps) {
  const isMain = agent.kind === 'main';
  return (
    <Section title="Where and which">
      <dl class="panel-ids">
        <CopyFact name="Folder" what="the folder" text={agent.cwd ?? session.cwd} />
        <CopyFact name="Branch" what="the branch" text={agent.branch ?? session.branch} />
        {agent.worktree !== null && <CopyFact name="Worktree" what="the worktree" text={agent.worktree} />}
        <CopyFact name="Session" what="the id of the session" text={session.id} />
        {!isMain && <CopyFact name="Agent" what="the id of the agent" text={agent.id} />}
        {!isMain && <CopyFact name="Made by call" what="the id of the call that made it" text={agent.toolUseId} />}
        {session.forkedFrom !== null && isMain && (
          <div>
            <dt>Forked from</dt>
            <dd>
              <AgentLink to={{ session: session.forkedFrom, agent: session.forkedFrom }}>
                <code>{cleanLine(session.forkedFrom)}</code>
              </AgentLink>
            </dd>
          </div>
        )}
        {agent.transcripts.map((source) => (
          <CopyFact key={source} name="File" what="the path of the transcript" text={source} />
        ))}
      </dl>
    </Section>
  );
}

function CopyFact({
  name,
  what,
  text,
}: {
  readonly name: string;
  readonly what: string;
  readonly text: string | null;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {text === null ? (
          <span class="dim">not known</span>
        ) : (
          <>
            <code>{cleanLine(text)}</code>
            <CopyButton text={text} what={what} />
          </>
        )}
      </dd>
    </div>
  );
}
