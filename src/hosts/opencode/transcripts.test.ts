import { cpSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TranscriptBlock } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createTranscripts } from '../../sessions/index.ts';
import { opencode } from './index.ts';

const recording = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

async function show(root: string, agent: string) {
  const place = { adapter: opencode, root, forced: false };
  return (await createTranscripts([place], () => 0).read(agent)).transcript;
}

/** One line a block. */
function linesOf(content: readonly TranscriptBlock[]): readonly string[] {
  return content.map((block) => {
    if (block.type === 'tool_use')
      return `call ${block.name}: ${block.summary} ${block.sub_agent_ref?.agent_id ?? ''}`.trim();
    if (block.type === 'tool_result') return `result${block.is_error ? ' (error)' : ''}: ${block.text.split('\n')[0]}`;
    if (block.type === 'notice') return `notice ${block.kind}: ${block.title} ${block.agent_id ?? ''}`.trim();
    return 'text' in block ? `${block.type}: ${block.text}` : block.type;
  });
}

const MAIN = 'ses_e21c08e64ffeTtgLJj6TC3qX2D';

describe('a conversation', () => {
  it('has its texts, calls and results, and the door into its agents', async () => {
    const { messages, agent, usage, session_id } = await show(recording('1.18.33-single'), MAIN);
    expect([session_id, agent, usage?.output_tokens]).toEqual([MAIN, 'opencode', 77]);
    expect(messages.map(({ role, content }) => [role, ...linesOf(content)])).toEqual([
      ['user', 'text: "Please do the job. [[play:single]]"'],
      [
        'assistant',
        'text: I will delegate the search to a sub-agent.',
        'call task: Count TODO comments ses_e21c08377ffe3gIkIItqqrj57C',
        'result: <task id="ses_e21c08377ffe3gIkIItqqrj57C" state="completed">',
      ],
      ['assistant', expect.stringMatching(/^text: /)],
    ]);
  });
  it('is the same through every door', async () => {
    const whole = await show(recording('1.18.33-single'), 'ses_e21c08377');
    expect(whole.messages.length).toBeGreaterThan(2);
    for (const door of ['opencode.db', 'export', 'events.jsonl']) {
      const root = makeTemporaryFolder('door');
      cpSync(path.join(recording('1.18.33-single'), door), path.join(root, door), { recursive: true });
      expect((await show(root, 'ses_e21c08377')).messages, door).toEqual(whole.messages);
    }
  });
  it('of OpenCode 2 has its texts, calls, results and agents, the same through every door', async () => {
    const folder = recording('2.0.15-single');
    const main = 'ses_e1cd1fc73ffeo0kGiEM6fm3pju';
    const { messages } = await show(folder, main);
    expect(messages.map(({ role, content }) => [role, ...linesOf(content)])).toEqual([
      ['user', 'text: "Please do the job. [[play:single]]"'],
      [
        'assistant',
        'text: I will delegate the search to a sub-agent.',
        'call subagent: Count TODO comments ses_e1cd1f94affeokx28sn5FKamef',
        'result: <subagent sessionID="ses_e1cd1f94affeokx28sn5FKamef" state="completed">',
      ],
      ['assistant', 'text: The sub-agent found 2 TODO comments.'],
    ]);
    for (const agent of [main, 'ses_e1cd1f94a']) {
      const whole = await show(folder, agent);
      for (const door of ['opencode.db', 'export', 'events.jsonl']) {
        const root = makeTemporaryFolder('door');
        cpSync(path.join(folder, door), path.join(root, door), { recursive: true });
        expect((await show(root, agent)).messages, door).toEqual(whole.messages);
      }
    }
  });
  it('of OpenCode 2 tells of tasks in the background, of failures and of refused calls', async () => {
    const background = await show(recording('2.0.15-background'), 'ses_e1cd0f19f');
    expect(background.messages.flatMap(({ role, content }) => (role === 'system' ? linesOf(content) : []))).toEqual([
      'notice background: Background task completed: Long running check ses_e1cd0ec7affelcI760Zy1mNYRq',
    ]);
    const failed = await show(recording('2.0.15-failing'), 'ses_e0f936601');
    expect(failed.messages.at(-1)?.content).toEqual([
      expect.objectContaining({ type: 'notice', text: 'synthetic failure from the scripted model' }),
    ]);
    const refused = await show(recording('2.0.15-permission-http'), 'ses_e1ccc5d64');
    expect(refused.messages.flatMap(({ content }) => linesOf(content))).toContain(
      'result (error): Unable to execute command: rm -rf build',
    );
  });
  it('of a version with JSON files is read from them', async () => {
    const { messages, parent_session_id } = await show(recording('1.1.65-single'), 'ses_e21baa615');
    expect(parent_session_id).toBe('ses_e21baa6ddffemcsNbUv3Ocsc54');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'assistant']);
  });
  it('tells of tasks in the background, of failures and of lines that were changed', async () => {
    const background = await show(recording('1.18.33-background'), 'ses_e21bd2e01');
    const spoken = background.messages
      .filter(({ role }) => role === 'system')
      .flatMap(({ content }) => linesOf(content));
    expect(spoken).toEqual([
      'notice background: Background task completed: Long running check ses_e21bd23c8ffezWa7WmrPuQj17X',
    ]);
    const failed = await show(recording('1.18.33-failing'), 'ses_e21bfce52');
    expect(failed.messages.at(-1)?.content).toEqual([
      expect.objectContaining({ type: 'notice', text: 'synthetic failure from the scripted model' }),
    ]);
    const writer = await show(recording('1.18.33-parallel'), 'ses_e21c042a1');
    expect(writer.diff_stats).toMatchObject({ added: 1, removed: 0 });
  });
});
