import type { LiveSnapshot, TimelineReport, TranscriptMessage } from '../../../src/core/index.ts';
import type { Backend } from '../backend.ts';

/** What a page that stands alone carries in `<script type="application/json" id="troupe-data">`. */
interface EmbeddedData {
  readonly snapshot: LiveSnapshot;
  /** By session. */
  readonly timelines: Readonly<Record<string, TimelineReport>>;
  /** By session and agent: `<session> <agent>`. */
  readonly transcripts: Readonly<
    Record<string, { readonly title: string | null; readonly messages: readonly TranscriptMessage[] }>
  >;
}

export function createStaticBackend(data: EmbeddedData): Backend {
  return {
    kind: 'static',
    subscribe(onEvent, onState) {
      onState('connected');
      onEvent({ type: 'snapshot', data: data.snapshot });
      return () => {};
    },
    session: async (id) => data.snapshot.sessions.find((session) => session.id === id),
    timeline: async (id) => data.timelines[id],
    heard: async () => undefined,
    input: async () => undefined,
    explain: async () => undefined,
    coverage: async () => undefined,
    answer: async () => ({ outcome: 'unknown' }),
    async transcript(agent, session, { from, limit }) {
      const whole = data.transcripts[`${session} ${agent}`];
      if (!whole) return undefined;
      const messages = whole.messages.slice(from, from + limit);
      return { title: whole.title, messages, from, total: whole.messages.length };
    },
  };
}

/** What is embedded in this page, if anything. */
export function embeddedData(page: Document): EmbeddedData | undefined {
  const text = page.getElementById('troupe-data')?.textContent;
  return text ? JSON.parse(text) : undefined;
}
