import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Recorded, readPlaces } from '../../audit/testing/recorded-sessions.ts';
import { FIRST_VIEW, PLAIN } from '../../core/index.ts';
import { renderMarkdownPages } from '../../export/markdown/render-markdown.ts';
import { renderAgentPages } from '../../export/pages/render-pages.ts';
import { ADAPTERS } from '../../hosts/testing/all-hosts.ts';
import { formatFrame } from '../../tui/frame.ts';
import { createWatchPaint } from '../../tui/paint.ts';
import { pictureOf } from '../../tui/testing/recorded.ts';
import { settleView } from '../../tui/tree.ts';
import { formatSessions } from './session-table.ts';
import { formatTranscript } from './transcript-lines.ts';
import { formatTree } from './tree-lines.ts';

// A session without sub-agents looks the same whichever program it was: no empty sections, no labels, no extra noise.

const NOW = Date.parse('2027-01-01T00:00:00Z');

/** The same play, recorded with each host. */
const RECORDINGS = {
  'claude-code': '../../hosts/claude-code/fixtures/2.1.325-plain',
  codex: '../../hosts/codex/fixtures/0.166.0-plain',
  copilot: '../../hosts/copilot/fixtures/1.0.102-plain',
  gemini: '../../hosts/gemini/fixtures/0.61.0-plain',
  opencode: '../../../test/fixtures/all-hosts/.local/share/opencode',
  qwen: '../../hosts/qwen/fixtures/0.24.4-plain',
};
type Host = keyof typeof RECORDINGS;

async function read(host: Host): Promise<Recorded> {
  const root = fileURLToPath(new URL(RECORDINGS[host], import.meta.url));
  const adapters = ADAPTERS.filter((adapter) => adapter.host === host);
  const [recorded] = await readPlaces(adapters.map((adapter) => ({ adapter, root, forced: false })));
  if (!recorded) throw new Error(`no session of ${host}`);
  return recorded;
}

const FACES: Readonly<Record<string, (recorded: Recorded) => string>> = {
  ls: ({ shared: { session } }) =>
    formatSessions(
      { sessions: [session], total: 1, more: 0, emptySessions: 0, ignoredFiles: 0 },
      { paint: PLAIN, now: NOW },
    ).join('\n'),
  tree: ({ shared: { session, agents } }) =>
    formatTree(
      { session, agents, diagnostics: { total: 0, ignoredFiles: 0, items: [] } },
      { paint: PLAIN, now: NOW },
    ).join('\n'),
  watch({ detail }) {
    const [size, picture] = [{ columns: 150, rows: 10 }, pictureOf([detail])];
    const { rows, view } = settleView(picture, FIRST_VIEW, { size, now: NOW, keepsOpen: true });
    const source = { text: 'test', isLost: false };
    return formatFrame(picture, rows, view, {
      size,
      now: NOW,
      paint: createWatchPaint('none'),
      source,
      version: '1',
    }).join('\n');
  },
  show: ({ transcripts }) =>
    transcripts
      .map((transcript) =>
        formatTranscript(transcript, { paint: PLAIN, hue: null, full: false, problems: 0 }).join('\n'),
      )
      .join('\n'),
  markdown: ({ shared, plan, transcripts }) =>
    transcripts
      .flatMap((one) => [...renderMarkdownPages(shared, plan, one)].flatMap(({ chunks }) => [...chunks]))
      .join(''),
  html: ({ shared, plan, transcripts }) =>
    transcripts
      .flatMap((one) => [...renderAgentPages(shared, plan, one)].flatMap(({ chunks }) => [...chunks]))
      .join('')
      .replace(/<head>[\s\S]*<\/head>/, ''),
};

/** What the host itself put into the conversation is shown by every UI, in one form; not every host does. */
function withoutHostWords({ transcripts, plan, ...rest }: Recorded): Recorded {
  const spoken = transcripts.map((one) => ({ ...one, messages: one.messages.filter(({ role }) => role !== 'system') }));
  // Rows leave out a cost that is not known.
  const agents = rest.shared.agents.map((agent) => ({ ...agent, cost: NO_COST }));
  return { ...rest, shared: { ...rest.shared, agents }, plan, transcripts: spoken };
}

const NO_COST = { usd: 0, isLowerBound: false, unpricedModels: [] };

const ASKED = /"?Please do the job\. \\?\[\\?\[play:plain\\?\]\\?\]"?|Scripted title/g;

/** Without what is this very session's: its names and numbers, and how wide they make a column. */
function neutral(text: string, host: Host, { shared: { session, agents } }: Recorded): string {
  // Gemini CLI and OpenCode write down no branch, Gemini CLI no version.
  const texts = [
    session.branch === null ? '' : ' · main',
    session.hostVersion === null ? '' : ` ${session.hostVersion}`,
  ];
  const own = [session.id, session.cwd, agents[0]?.model].flatMap((word) => word ?? []);
  const words = [...texts.filter((word) => word !== ''), ...own];
  return words
    .reduce((all, word) => all.replaceAll(word, word.startsWith(' ') ? '' : 'OWN'), text.replaceAll(ASKED, 'ASKED'))
    .replaceAll(new RegExp(`${session.hostTitle}|${host}`, 'g'), 'HOST')
    .replaceAll(new RegExp(`(completed|·|>) *${session.project}\\b`, 'g'), '$1 PROJECT')
    .replaceAll(/\b(?:[0-9a-f]{8}|ses_\w{8})\b/g, 'ID')
    .replaceAll('no price for OWN', '$0')
    .replaceAll(/\d{4}-\d\d-\d\d|\d\d:\d\d(:\d\d)?|[$≥]?\b\d+([.,]\d+)*k?( ?%)?( (s|ms|min|h|d))?( ago)?/g, 'N')
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/N N\b/g, 'N');
}

describe('a session without sub-agents', () => {
  it.each(Object.entries(FACES))('looks the same for every host: %s', async (_name, face) => {
    const shown = async (host: Host): Promise<string> => {
      const recorded = withoutHostWords(await read(host));
      return neutral(face(recorded), host, recorded);
    };
    const first = await shown('claude-code');
    expect(first).toMatchSnapshot();
    for (const host of Object.keys(RECORDINGS) as Host[]) expect(await shown(host), host).toBe(first);
  });

  it('names its host as its adapter does', async () => {
    for (const { host, title } of ADAPTERS.filter((adapter) => adapter.host in RECORDINGS)) {
      const { session } = (await read(host as Host)).shared;
      expect([session.host, session.hostTitle]).toEqual([host, title]);
    }
  });
});
