import { formatTranscript } from '../cli/format/index.ts';
import {
  type AgentReport,
  type FeedSource,
  isAtWork,
  type LiveEvent,
  type SessionDetail,
  type Transcript,
} from '../core/index.ts';
import type { Size } from '../lib/screen.ts';
import { FIRST_READER, formatReader, type ReaderView, readerHeight, readerWidth } from './draw-reader.ts';
import type { Key } from './keys.ts';
import type { WatchPaint } from './paint.ts';
import { startReading } from './read-again.ts';
import { clampTop, pressInReader } from './reader-keys.ts';
import { reasonOf } from './reason.ts';

/** A transcript that is open: it follows what is written to it. */
export interface Reader {
  press(key: Key, size: Size): 'back' | undefined;
  hear(event: LiveEvent): void;
  frame(size: Size, now: number): readonly string[];
  close(): void;
}

export interface ReaderSetup {
  readonly agent: AgentReport;
  /** As it stands now. */
  readonly session: () => SessionDetail;
  readonly paint: WatchPaint;
  readonly source: () => FeedSource;
  readonly open: () => Promise<{ readonly transcript: Transcript }>;
  readonly onChange: () => void;
  /** It could not even be opened. */
  readonly onFailure: (reason: string) => void;
}

export function openReader({ agent: first, session, paint, source, open, onChange, onFailure }: ReaderSetup): Reader {
  let agent = first;
  let opened: { readonly transcript: Transcript } | undefined;
  let view: ReaderView = FIRST_READER;
  let formatted:
    | { readonly opened: { readonly transcript: Transcript }; readonly width: number; readonly isFull: boolean }
    | undefined;

  const reading = startReading(
    open,
    (result) => {
      opened = result;
      onChange();
    },
    (error) => {
      const reason = `This transcript cannot be read: ${reasonOf(error)}`;
      if (!opened) return onFailure(reason);
      view = { ...view, message: reason };
      onChange();
    },
  );

  /** Brings the lines up to date with what was read, how wide the screen is, and what is folded. */
  const layOut = (size: Size): void => {
    const width = readerWidth(size);
    const { isFull } = view;
    if (!opened || (formatted?.opened === opened && formatted.width === width && formatted.isFull === isFull)) return;
    const lines = formatTranscript(opened.transcript, {
      paint,
      width,
      hue: agent.hue,
      full: isFull,
      from: 0,
      problems: session().problems,
    });
    view = keepPlace(view, lines, readerHeight(size), { isFirst: !formatted, isLive: isAtWork(agent.status) });
    formatted = { opened, width, isFull };
  };

  return {
    press(key, size) {
      const pressed = pressInReader(view, key, readerHeight(size));
      view = pressed.view;
      return pressed.wish;
    },
    hear(event) {
      if (concerns(event, agent)) reading.again();
    },
    frame(size, now) {
      const { id, main, subagents, project } = session();
      agent = [main, ...subagents].find((one) => one.id === agent.id) ?? agent;
      layOut(size);
      return formatReader(view, { size, now, paint, agent, project: project ?? id, source: source() });
    },
    close: () => reading.close(),
  };
}

/** After a new first picture, changes may have been missed. */
function concerns(event: LiveEvent, { id, sessionId, transcripts }: AgentReport): boolean {
  if (event.type === 'snapshot') return true;
  if (event.type !== 'change' || event.data.sessionId !== sessionId) return false;
  const { agents, sources } = event.data;
  return (
    agents.some((agent) => agent.id === id) ||
    sources.some(({ source, agentId }) => agentId === id || transcripts.includes(source))
  );
}

/** Who reads at the end stays at the end; who reads further up keeps the line that stands on top. */
function keepPlace(
  view: ReaderView,
  lines: readonly string[],
  height: number,
  { isFirst, isLive }: { readonly isFirst: boolean; readonly isLive: boolean },
): ReaderView {
  const { hit: _hit, ...rest } = view;
  const before = view.lines ?? [];
  const end = clampTop(lines.length, lines.length, height);
  if (isFirst) return { ...rest, lines, top: isLive ? end : 0 };
  const wasAtEnd = view.top + height >= before.length;
  const top = wasAtEnd ? end : clampTop(placeOf(before, view.top, lines), lines.length, height);
  // The same lines and more: what was found is still there.
  const isLonger = view.hit !== undefined && lines[view.hit] === before[view.hit];
  return { ...rest, lines, top, ...(isLonger && view.hit !== undefined && { hit: view.hit }) };
}

/** The same line in the new text: as many of its kind stand before it. */
function placeOf(before: readonly string[], top: number, after: readonly string[]): number {
  if (after[top] === before[top]) return top;
  const first = before.findIndex((line, at) => at >= top && line.trim() !== '');
  const wanted = before[first];
  if (wanted === undefined) return top;
  let left = before.slice(0, first + 1).filter((line) => line === wanted).length;
  const found = after.findIndex((line) => line === wanted && --left === 0);
  return found === -1 ? top : found - (first - top);
}
