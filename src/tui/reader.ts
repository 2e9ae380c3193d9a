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
import { reasonOf } from './help.ts';
import { editText, type Key, type KeyName } from './keys.ts';
import { type WatchPaint, withoutColours } from './paint.ts';

export type Reader = ReturnType<typeof openReader>;

type Opened = { readonly transcript: Transcript };

interface ReaderSources {
  readonly agent: AgentReport;
  /** As it stands now. */
  readonly session: () => SessionDetail;
  readonly paint: WatchPaint;
  readonly source: () => FeedSource;
  readonly open: () => Promise<Opened>;
  readonly onChange: () => void;
  /** It could not even be opened. */
  readonly onFailure: (reason: string) => void;
}

/** A transcript that is open: it follows what is written to it. */
export function openReader({ agent: first, session, paint, source, open, onChange, onFailure }: ReaderSources) {
  let agent = first;
  let opened: Opened | undefined;
  let view: ReaderView = FIRST_READER;
  let formatted: { readonly opened: Opened; readonly width: number; readonly isFull: boolean } | undefined;

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
    const { problems } = session();
    const lines = formatTranscript(opened.transcript, {
      paint,
      width,
      hue: agent.hue,
      full: isFull,
      problems,
    });
    view = keepPlace(view, lines, readerHeight(size), { isFirst: !formatted, isLive: isAtWork(agent.status) });
    formatted = { opened, width, isFull };
  };

  return {
    press(key: Key, size: Size): 'back' | undefined {
      const pressed = pressInReader(view, key, readerHeight(size));
      if (pressed === 'back') return 'back';
      view = pressed;
      return undefined;
    },
    handleEvent(event: LiveEvent): void {
      if (concerns(event, agent)) reading.again();
    },
    frame(size: Size, now: number): readonly string[] {
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

/** What a key does in a transcript. */
function pressInReader(view: ReaderView, key: Key, height: number): ReaderView | 'back' {
  const { message: _said, ...quiet } = view;
  if (view.showsHelp) return { ...quiet, showsHelp: false };
  if (view.isTyping) return typeFind(quiet, key, height);
  if (key.kind === 'pasted') return quiet;
  const name = key.kind === 'named' ? key.name : LIKE[key.text];
  if (name === 'left' || (name === 'escape' && view.find === '')) return 'back';
  if (name !== undefined) return name === 'escape' ? forgetFind(quiet) : scrollBy(quiet, name, height);
  switch (key.kind === 'typed' ? key.text : '') {
    case 'q':
      return 'back';
    case '?':
      return { ...quiet, showsHelp: true };
    case '/':
      return { ...forgetFind(quiet), isTyping: true };
    case 'n':
      return findNext(quiet, 1, height);
    case 'N':
      return findNext(quiet, -1, height);
    case 'f':
      return { ...quiet, isFull: !view.isFull };
    default:
      return quiet;
  }
}

const LIKE: Readonly<Record<string, KeyName>> = {
  j: 'down',
  k: 'up',
  h: 'left',
  g: 'home',
  G: 'end',
  ' ': 'pagedown',
  b: 'pageup',
};

function scrollBy(view: ReaderView, name: KeyName, height: number): ReaderView {
  const total = view.lines?.length ?? 0;
  const page = Math.max(1, height - 2);
  const steps: Partial<Record<KeyName, number>> = {
    up: -1,
    down: 1,
    enter: 1,
    pageup: -page,
    pagedown: page,
    home: -total,
    end: total,
  };
  return { ...view, top: clampTop(view.top + (steps[name] ?? 0), total, height) };
}

function clampTop(top: number, total: number, height: number): number {
  return Math.max(0, Math.min(top, total - height));
}

function forgetFind(view: ReaderView): ReaderView {
  const { hit: _hit, ...rest } = view;
  return { ...rest, find: '' };
}

function typeFind(view: ReaderView, key: Key, height: number): ReaderView {
  if (key.kind === 'named' && key.name === 'enter') return { ...view, isTyping: false };
  if (key.kind === 'named' && key.name === 'escape') return { ...forgetFind(view), isTyping: false };
  const find = editText(view.find, key);
  if (find === undefined) return key.kind === 'named' ? scrollBy(view, key.name, height) : view;
  // From what is in sight on, as the word grows.
  const from = view.hit ?? view.top;
  return find === '' ? forgetFind(view) : jump({ ...view, find }, from, 1, height);
}

function findNext(view: ReaderView, step: 1 | -1, height: number): ReaderView {
  if (view.find === '') return { ...view, message: 'Nothing to find yet: press / and type a word' };
  return jump(view, view.hit === undefined ? view.top : view.hit + step, step, height);
}

/** To the next line that has it, around the end where there is none before. */
function jump(view: ReaderView, from: number, step: 1 | -1, height: number): ReaderView {
  const { lines = [], find } = view;
  const wanted = find.toLowerCase();
  for (let tried = 0; tried < lines.length; tried++) {
    const at = (from + tried * step + lines.length) % lines.length;
    const line = withoutColours(lines[at] ?? '').toLowerCase();
    if (line.includes(wanted)) return show({ ...view, hit: at }, at, height);
  }
  const { hit: _none, ...rest } = view;
  const more = view.isFull ? '' : '; f unfolds long things';
  return view.isTyping ? rest : { ...rest, message: `No line has «${find}»${more}` };
}

/** In sight already: nothing moves. */
function show(view: ReaderView, line: number, height: number): ReaderView {
  if (line >= view.top && line < view.top + height) return view;
  return { ...view, top: clampTop(line - Math.floor(height / 3), view.lines?.length ?? 0, height) };
}

/** Long enough that a busy agent does not keep us reading all the time. */
const PAUSE_MS = 700;

/** Reads now, and after each `again`: never twice at a time, and with a pause between. */
function startReading<T>(read: () => Promise<T>, onRead: (result: T) => void, onFailure: (error: unknown) => void) {
  let isClosed = false;
  let isReading = false;
  let isWanted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const readOnce = async (): Promise<void> => {
    isReading = true;
    isWanted = false;
    try {
      const result = await read();
      if (!isClosed) onRead(result);
    } catch (error) {
      if (!isClosed) onFailure(error);
    }
    if (!isClosed) timer = setTimeout(rest, PAUSE_MS);
  };
  const rest = (): void => {
    isReading = false;
    if (isWanted) void readOnce();
  };
  void readOnce();
  return {
    /** There is more: read once more, soon. */
    again(): void {
      isWanted = true;
      if (!isReading && !isClosed) void readOnce();
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
