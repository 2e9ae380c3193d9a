import { cleanLine, DECISION_TEXTS } from '../../../../src/core/index.ts';
import { DECISION_MARKS } from '../../guard/call-words.ts';
import { ALL, isNarrowed, wish, wishFor } from '../../guard/wish.ts';
import { agentsOf, currentSession, selectedAgent } from '../../store.ts';
import { seen } from './guard-state.ts';

/** What can be chosen, each a switch: the session or all of them, one agent, a decision, a tool. */
export function GuardChips() {
  const { isEverywhere, tool, decision } = wish.value;
  const { tools, decisions } = seen.value;
  return (
    <div class="guard-chips" role="toolbar" aria-label="Which calls">
      <Chip isOn={!isEverywhere} onClick={() => wishFor({ isEverywhere: false })}>
        This session
      </Chip>
      <Chip isOn={isEverywhere} onClick={() => wishFor({ isEverywhere: true })}>
        All sessions
      </Chip>
      <AgentChip />
      {decisions.length > 1 &&
        decisions.map((one) => (
          <Chip
            key={one}
            isOn={decision === one}
            title={DECISION_TEXTS[one]}
            onClick={() => wishFor({ decision: decision === one ? undefined : one })}
          >
            <span aria-hidden="true">{DECISION_MARKS[one]}</span> {one}
          </Chip>
        ))}
      {tools.length > 1 &&
        tools.map((one) => (
          <Chip
            key={`tool ${one}`}
            isOn={tool === one}
            onClick={() => wishFor({ tool: tool === one ? undefined : one })}
          >
            {cleanLine(one)}
          </Chip>
        ))}
      {isNarrowed(wish.value) && (
        <button type="button" class="quiet guard-clear" onClick={() => wishFor({ ...ALL, isEverywhere })}>
          clear
        </button>
      )}
    </div>
  );
}

/** The agent whose calls are shown alone, else the selected one: to choose it takes one click. */
function AgentChip() {
  const { isEverywhere, agent } = wish.value;
  const session = currentSession.value;
  if (isEverywhere || !session) return null;
  const wanted = agent?.session === session.id ? agent.agent : undefined;
  const offered = wanted ?? selectedAgent.value?.id;
  const found = agentsOf(session).find(({ id }) => id === offered);
  if (!found) return null;
  const ref = { session: session.id, agent: found.id };
  return (
    <Chip isOn={wanted !== undefined} onClick={() => wishFor({ agent: wanted === undefined ? ref : undefined })}>
      only {found.kind === 'main' ? 'main' : cleanLine(found.label)}
    </Chip>
  );
}

interface ChipProps {
  readonly isOn: boolean;
  readonly title?: string;
  readonly onClick: () => void;
  readonly children: preact.ComponentChildren;
}

function Chip({ isOn, title, onClick, children }: ChipProps) {
  return (
    <button type="button" class="chip guard-chip" aria-pressed={isOn} title={title} onClick={onClick}>
      <span class="chip-text">{children}</span>
    </button>
  );
}
