import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatTranscript } from '../cli/format/index.ts';
import { type MessageRange, PLAIN } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { createTranscripts } from './transcripts.ts';

const fixtures = fileURLToPath(new URL('../hosts/claude-code/fixtures/', import.meta.url));
const open = (name: string, agent: string, range?: MessageRange) =>
  createTranscripts([{ adapter: claudeCode, root: path.join(fixtures, name), forced: false }], () =>
    Date.parse('2030-01-01'),
  ).read(agent, undefined, range);

const text = async (
  name: string,
  agent: string,
  { full = false, range }: { full?: boolean; range?: MessageRange } = {},
) => {
  const { transcript, total } = await open(name, agent, range);
  const part = { from: range?.from ?? 0, total };
  return formatTranscript(transcript, { paint: PLAIN, hue: null, full, width: 80, ...part }).join('\n');
};

describe('transcripts', () => {
  it('show speakers, results behind their calls, and links to sub-agents', async () => {
    expect(await text('2.1.325-nested', 'a2ca437a')).toMatchInlineSnapshot(`
      "Audit the repo
      a2ca437af9f568b24 · asked by fa129e54 · claude-sonnet-4-5 · 4 messages · 177 ou…

      parent 06:50:17
      ┃ Audit this repository; delegate file checks to another agent.
      ┃ [[play:sub-audit]]

      claude-sonnet-4-5 06:50:17
      │ ▸ Bash ls
      │   build
      │   src

      claude-sonnet-4-5 06:50:17
      │ I will delegate one file.
      │ ▸ Agent Check app.js
      │   → Check app.js (general-purpose)  troupe show ab4c7b9a30ff9f65c
      │   The file looks fine.
      │ ▸ Agent Check util.js
      │   → Check util.js (general-purpose)  troupe show ad90f91f7ddfd4e83
      │   The file looks fine.

      claude-sonnet-4-5 06:50:18
      │ Audit: two files checked, no problems."
    `);
  });

  it('find an agent by the beginning of its id or by its name, and a session by its id', async () => {
    expect((await open('2.1.325-custom', 'rev-1')).transcript.title).toBe('Review code');
    expect((await open('2.1.325-nested', 'fa129e54')).transcript).toMatchObject({
      parent_session_id: null,
      agent: 'claude',
    });
    await expect(open('2.1.325-nested', 'a')).rejects.toMatchObject({ code: 'agent-ambiguous' });
    await expect(open('2.1.325-nested', 'nobody')).rejects.toMatchObject({ code: 'agent-not-found' });
  });

  it('read every generation', async () => {
    for (const [name, agent, calls] of [
      ['1.0.60-parallel', 'inline-453a19d5', 2],
      ['2.0.76-single', 'ae6ea6f', 2],
      ['2.1.325-inter-team', 'aalice', 3],
      ['2.1.325-orphan-forked', 'ae9570ef', 1],
      ['derived-2.1.39-tmux-team', 'data-layer-dev', 2],
    ] as const) {
      const { transcript } = await open(name, agent);
      const blocks = transcript.messages.flatMap(({ content }) => content);
      expect(
        blocks.filter(({ type }) => type === 'tool_use'),
        name,
      ).toHaveLength(calls);
    }
  });

  it('show a part, and how much is left', async () => {
    const part = await text('2.1.325-nested', 'a2ca437a', { range: { from: 1, limit: 1 } });
    expect(part).toContain('… 1 message before this');
    expect(part).toContain('go on with --from 2');
  });

  it('strip control sequences', async () => {
    const all = await text('2.1.325-xss', 'a7930099', { full: true });
    expect(all).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
});
