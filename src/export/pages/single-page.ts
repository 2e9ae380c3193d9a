import type { AgentReport, FlatTranscript, LiveSnapshot, TimelineReport } from '../../core/index.ts';
import { cleanMessage } from '../../core/transcript/index.ts';
import { html, type Markup } from './document.ts';
import type { Outline } from './page-plan.ts';
import { renderPlainMap } from './session-map.ts';

/** What the page of one file is made of: the live page, with a snapshot in the place of a server. */
interface SinglePage {
  readonly session: string;
  readonly title: string;
  readonly snapshot: LiveSnapshot;
  /** By session. */
  readonly timelines: Readonly<Record<string, TimelineReport>>;
  /** One after the other: all of them need not be there at once. */
  readonly transcripts: AsyncIterable<FlatTranscript> | Iterable<FlatTranscript>;
  /** In the order of the tree, for those without script. */
  readonly agents: readonly AgentReport[];
  readonly outlines: readonly Outline[];
}

/** Places in the built page that are filled in here. The build puts them there (`scripts/build-single-page.mjs`). */
const SLOTS = ['<!--troupe:title-->', '<!--troupe:fallback-->', '<!--troupe:data-->'] as const;

/** One file with everything in it: tree, race, replay, transcripts. `template` is the built page. */
export async function* renderSinglePage(template: string, page: SinglePage): AsyncGenerator<string> {
  const [beforeTitle, beforeFallback, beforeData, rest] = cutTemplate(template);
  yield `${beforeTitle}${html`${page.title}`.text}${beforeFallback}${renderFallback(page).text}${beforeData}`;
  const { session, snapshot, timelines } = page;
  yield `{"snapshot":${scriptJson(snapshot)},"timelines":${scriptJson(timelines)},"transcripts":{`;
  let comma = '';
  for await (const { transcript } of page.transcripts) {
    yield `${comma}${scriptJson(`${session} ${transcript.session_id}`)}:{"title":${scriptJson(transcript.title)},"messages":[`;
    for (const [index, message] of transcript.messages.entries())
      yield `${index === 0 ? '' : ','}${scriptJson(cleanMessage(message))}`;
    yield ']}';
    comma = ',';
  }
  yield `}}${rest}`;
}

/** Without script nothing moves: who did what, and what to do. */
function renderFallback({ title, agents, outlines }: SinglePage): Markup {
  const byAgent = new Map(outlines.map((outline) => [outline.agent, outline]));
  return html`<main><h1>${title}</h1><p>The tree, the race and the conversations of this page need JavaScript. Pages that need none are made by <code>troupe export --format html</code>.</p>${renderPlainMap(agents, (agent) => byAgent.get(agent))}</main>`;
}

function cutTemplate(template: string): readonly [string, string, string, string] {
  const pieces: string[] = [];
  let rest = template;
  for (const slot of SLOTS) {
    const at = rest.indexOf(slot);
    if (at === -1) throw new Error(`troupe: the built page has no place ${slot}`);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at + slot.length);
  }
  return [pieces[0] ?? '', pieces[1] ?? '', pieces[2] ?? '', rest];
}

/**
 * JSON that cannot end the script element it stands in, nor begin a comment there: in JSON, `<` only stands in strings,
 * and may be spelled out. So may the two line breaks of Unicode, which some readers take for the end of a line.
 */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
