import {
  cleanLine,
  cutTo,
  formatAge,
  formatBytes,
  type MessageHit,
  type Paint,
  plural,
  type SearchReport,
  type SessionHits,
  shortId,
  type TextIndexReport,
  uniqueLength,
} from '../../core/index.ts';
import type { TextOptions } from './session-table.ts';

interface SearchTextOptions extends TextOptions {
  /** The person named where to look: the command that opens a message needs it, too. */
  readonly isElsewhere: boolean;
  /** The address of the page, if a server runs. */
  readonly page?: string | undefined;
}

/** `troupe search` for people: sessions, and below each the best of its messages. */
export function formatSearch(report: SearchReport, options: SearchTextOptions): readonly string[] {
  const { paint } = options;
  const idLength = uniqueLength(report.sessions.map(({ id }) => id));
  const lines = report.sessions.flatMap((session) => [...formatSession(session, idLength, options), '']);
  return [...lines, ...notesOn(report).map((note) => paint.dim(note))];
}

function formatSession(session: SessionHits, idLength: number, options: SearchTextOptions): readonly string[] {
  const { paint, now } = options;
  const about = [
    session.project,
    session.hostTitle,
    formatAge(session.lastActivityAt, now),
    plural(session.hits, 'message'),
  ];
  const title = paint.bold(cleanLine(session.title ?? '–'));
  const head = `${paint.dim(shortId(session.id, idLength))}  ${title}  ${paint.dim(about.flatMap((one) => (one === null ? [] : cleanLine(one))).join(' · '))}`;
  return [head, ...session.messages.flatMap((hit) => formatHit(session, hit, options))];
}

function formatHit(
  session: SessionHits,
  hit: MessageHit,
  { paint, width, isElsewhere, page, now }: SearchTextOptions,
): readonly string[] {
  const who = cleanLine(hit.agentLabel ?? shortId(hit.agentId));
  const kind =
    hit.tool === null ? KINDS[hit.kind] : `${cleanLine(hit.tool)} ${hit.kind === 'result' ? 'output' : 'call'}`;
  const path = ['›', hit.agentId === session.id ? 'main' : who, '›', kind, formatAge(hit.at, now)].join(' ');
  const room = width === undefined ? undefined : width - 4;
  const snippet = formatSnippet(hit, paint, room);
  const where = isElsewhere ? ['--root', quote(session.root)] : [];
  const command = ['troupe show', quote(hit.agentId), '--from', String(hit.index), ...where].join(' ');
  const link =
    page === undefined
      ? []
      : [`    ${page}#/read/${[session.id, hit.agentId, hit.index].map((one) => encodeURIComponent(one)).join('/')}`];
  return [
    `  ${paint.dim(path)}`,
    ...snippet.map((line) => `    ${line}`),
    paint.dim(`    ${command}`),
    ...link.map(paint.dim),
  ];
}

const KINDS: Readonly<Record<MessageHit['kind'], string>> = {
  prompt: 'prompt',
  answer: 'answer',
  thinking: 'thinking',
  summary: 'summary',
  notice: 'notice',
  call: 'call',
  result: 'output',
};

function formatSnippet({ snippet }: MessageHit, paint: Paint, room: number | undefined): readonly string[] {
  if (snippet.length === 0) return [paint.dim('(the message is not there any more)')];
  let left = room ?? Number.POSITIVE_INFINITY;
  const parts: string[] = [];
  for (const { text, isMatch } of snippet) {
    const shown = Number.isFinite(left) ? cutTo(text, left) : text;
    left -= shown.length;
    if (shown !== '') parts.push(isMatch ? paint.bold(paint.yellow(shown)) : shown);
    if (left <= 0) break;
  }
  return [parts.join('')];
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function notesOn({ index, hits, matchingSessions, sessions, isRedacted }: SearchReport): readonly string[] {
  const found = `${plural(hits, 'message')} in ${plural(matchingSessions, 'session')}`;
  const more =
    matchingSessions > sessions.length ? `; the last active ${sessions.length} are shown (more with -n)` : '';
  return [
    hits === 0 ? 'Nothing found.' : `${found}${more}.`,
    ...(index.isComplete
      ? []
      : [
          `The index is being built: ${index.indexedSessions} of ${plural(index.sessions, 'session')} were searched. Wait for all of them with --wait.`,
        ]),
    ...(index.problem === null ? [] : [cleanLine(`The index cannot be brought up to date: ${index.problem}`)]),
    ...(isRedacted ? ['Secrets are redacted, because the output does not go to a terminal, or an agent asked.'] : []),
  ];
}

/** Of `troupe index status` and `troupe index text`. */
export function formatTextIndex(report: TextIndexReport): readonly string[] {
  const { state, file, bytes, messages, indexedSessions, sessions, excludedProjects, problem } = report;
  const excluded = excludedProjects.length === 0 ? [] : [cleanLine(`Left out: ${excludedProjects.join(', ')}`)];
  switch (state) {
    case 'undecided':
      return ['The text of your sessions is not indexed. Search needs it; allow it with: troupe index text on'];
    case 'off':
      return ['The text of your sessions is not indexed, as you wished. Allow it with: troupe index text on'];
    case 'unusable':
      return [cleanLine(`The text index cannot be used: ${problem}`)];
    default:
      return [
        `Text of ${indexedSessions} of ${plural(sessions, 'session')}, ${plural(messages, 'message')}, ${formatBytes(bytes)}: ${cleanLine(file)}`,
        ...excluded,
      ];
  }
}
