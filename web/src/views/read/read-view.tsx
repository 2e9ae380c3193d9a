import { currentSession, picture, selected } from '../../store.ts';
import { Reader } from './reader.tsx';
import { keyOf } from './shelf.ts';
import './read.css';
import './message.css';
import './blocks.css';
import './prose.css';

/** The transcript of the agent that is selected; of the main agent of the session, where none is. */
export function ReadView() {
  const session = currentSession.value?.id;
  const ref = selected.value ?? (session === undefined ? undefined : { session, agent: session });
  if (!picture.value) return <p class="read-state">Reading…</p>;
  if (!ref)
    return (
      <p class="read-state">
        There is no transcript yet. When a coding agent works on this machine, what it says and does can be read here.
      </p>
    );
  return <Reader key={keyOf(ref)} session={ref.session} agent={ref.agent} />;
}
