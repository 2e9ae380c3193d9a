import { useComputed } from '@preact/signals';
import { useState } from 'preact/hooks';
import {
  type AgentReport,
  cleanLine,
  formatCount,
  isBusy,
  linkText,
  outputText,
  timeText,
} from '../../../../src/core/index.ts';
import { read } from '../../actions.ts';
import type { Backend, TranscriptPart } from '../../backend.ts';
import { Ago, hueOf, isPlain, PlaceLink, StatusMark, wallTime } from '../../parts/marks.tsx';
import { hashOf } from '../../route.ts';
import { type AgentRef, askerName, nowShown, replayAt, useBackend } from '../../store.ts';
import { agentIn, ancestorsOf, nameOf, sessionOf, typeOf } from './reader-state.tsx';

/** Who speaks in this transcript, and the way back to who asked. Always in sight. */
export function ReaderHead({ at, title, total }: HeadProps) {
  const agent = useComputed(() => agentIn(at.session, at.agent)).value;
  return (
    <>
      <Crumbs at={at} agent={agent} title={title} />
      <p class="read-facts">
        {agent && <Facts at={at} agent={agent} />}
        {replayAt.value !== undefined ? (
          <span>replay, {wallTime(replayAt.value)}: later messages are hidden</span>
        ) : (
          total !== undefined && <span>{total === 1 ? '1 message' : `${formatCount(total)} messages`}</span>
        )}
      </p>
    </>
  );
}

interface HeadProps {
  readonly at: AgentRef;
  /** Of the transcript: where nothing else is known of the agent. */
  readonly title: string;
  readonly total: number | undefined;
}

function Crumbs({
  at,
  agent,
  title,
}: {
  readonly at: AgentRef;
  readonly agent: AgentReport | undefined;
  readonly title: string;
}) {
  const path = useComputed(() => ancestorsOf(at)).value;
  const project = useComputed(() => sessionOf(at.session)?.project ?? undefined).value;
  return (
    <nav class="read-crumbs" aria-label="Who asked whom">
      <ol>
        {path.map((one) => (
          <li key={one.id} style={{ '--crumb': hueOf(one.hue) }}>
            <PlaceLink in="read" to={{ session: at.session, agent: one.id }} title={crumbTitle(one, project)}>
              {nameOf(one)}
            </PlaceLink>
          </li>
        ))}
        <li aria-current="page" style={{ '--crumb': hueOf(agent?.hue ?? null) }}>
          <b title={agent ? crumbTitle(agent, project) : undefined}>
            {agent ? nameOf(agent) : title || cleanLine(at.agent)}
          </b>
          {agent && <span class="read-type">{agent.kind === 'main' ? cleanLine(project ?? '') : typeOf(agent)}</span>}
        </li>
      </ol>
    </nav>
  );
}

function crumbTitle(agent: AgentReport, project: string | undefined): string {
  return agent.kind === 'main'
    ? `main agent${project === undefined ? '' : ` of ${cleanLine(project)}`}`
    : nameOf(agent);
}

function Facts({ at, agent }: { readonly at: AgentRef; readonly agent: AgentReport }) {
  const reason = agent.status === 'completed' ? null : (agent.runs.at(-1)?.reason ?? null);
  const doubt = linkText(agent);
  return (
    <>
      <span class="read-fact-status">
        <StatusMark agent={agent} word />
        {reason !== null && <span title={cleanLine(reason)}>: {cleanLine(reason)}</span>}
      </span>
      <AskedBy at={at} agent={agent} />
      {doubt !== '' && <span title={cleanLine(agent.evidence?.text ?? '')}>{cleanLine(doubt)}</span>}
      {agent.model !== null && <span>{cleanLine(agent.model)}</span>}
      <span>
        began <Ago at={agent.startedAt} />
      </span>
      <span>
        {isBusy(agent) ? 'at work for ' : 'took '}
        {timeText(agent, nowShown.value)}
      </span>
      <span title="Tokens that it wrote">{outputText(agent)} tokens written</span>
    </>
  );
}

/** To the very message in which it was asked. Where that stands, the other transcript has to be asked first. */
function AskedBy({ at, agent }: { readonly at: AgentRef; readonly agent: AgentReport }) {
  const backend = useBackend();
  const [isLooking, setLooking] = useState(false);
  const parent = useComputed(() => (agent.parentId === null ? undefined : agentIn(at.session, agent.parentId))).value;
  if (agent.kind === 'main') return <span>asked by {askerName()}</span>;
  if (!parent) return <span>asked by somebody not known</span>;
  const to = { session: at.session, agent: parent.id };
  const go = (event: MouseEvent): void => {
    if (!isPlain(event)) return;
    event.preventDefault();
    setLooking(true);
    findCall(backend, to, agent.toolUseId, agent.startedAt).then(
      (index) => read(to, index),
      () => read(to),
    );
  };
  return (
    <span>
      asked by{' '}
      <a href={hashOf({ view: 'read', ref: to, message: undefined })} onClick={go} aria-busy={isLooking} data-asked-by>
        {nameOf(parent)}
      </a>
    </span>
  );
}

const STEP = 20;
const SCAN = 200;

/** The message in which a call was made; undefined where it is not to be found. */
export async function findCall(
  backend: Pick<Backend, 'transcript'>,
  { session, agent }: AgentRef,
  call: string | null,
  at: string | null,
): Promise<number | undefined> {
  if (call === null) return undefined;
  const read = (from: number, limit: number): Promise<TranscriptPart | undefined> =>
    backend.transcript(agent, session, { from, limit });
  const near = at === null ? undefined : await nearTime(read, call, at);
  return near ?? scan(read, call);
}

type Read = (from: number, limit: number) => Promise<TranscriptPart | undefined>;

/** Messages stand nearly in the order of time: halving leads there in a few short answers. */
async function nearTime(read: Read, call: string, at: string): Promise<number | undefined> {
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  for (let from = 0; low < high; ) {
    const part = await read(from, STEP);
    const found = part && indexIn(part, call);
    if (!part || found !== undefined || part.messages.length === 0) return found;
    high = Math.min(high, part.total);
    const first = part.messages[0]?.timestamp ?? '';
    if (first <= at) low = from + part.messages.length;
    else high = from;
    from = Math.max(low, Math.floor((low + high - STEP) / 2));
  }
  return undefined;
}

async function scan(read: Read, call: string): Promise<number | undefined> {
  for (let from = 0; ; from += SCAN) {
    const part = await read(from, SCAN);
    const found = part && indexIn(part, call);
    if (!part || found !== undefined || from + SCAN >= part.total) return found;
  }
}

function indexIn({ messages, from }: TranscriptPart, call: string): number | undefined {
  const at = messages.findIndex(({ content }) =>
    content.some((block) => block.type === 'tool_use' && block.tool_use_id === call),
  );
  return at === -1 ? undefined : from + at;
}
