import type { Backend, TranscriptPart } from '../../backend.ts';
import type { AgentRef } from '../../store.ts';

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
