import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { SessionTree } from '../../core/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createSessions } from '../../sessions/index.ts';
import { claudeCode } from './index.ts';

/** A recording of 1.0.60, in which agents speak in the session's own file; `keeps` says which lines stay. */
async function open(name: string, keeps: (record: Record<string, unknown>) => boolean): Promise<SessionTree> {
  const root = makeTemporaryFolder('reports');
  cpSync(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), root, { recursive: true });
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.jsonl')) continue;
    const file = path.join(entry.parentPath, entry.name);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(
      file,
      lines
        .filter((line) => keeps(JSON.parse(line)))
        .join('\n')
        .concat('\n'),
    );
  }
  const clock = (): number => Date.parse('2030-01-01');
  return (await createSessions([{ adapter: claudeCode, root, forced: false }], { clock }).open()).tree;
}

it('shows an agent by the result of its call when no line of it is there', async () => {
  const tree = await open('1.0.60-single', ({ isSidechain }) => isSidechain !== true);
  const [main, agent, ...others] = tree.agents;
  expect(others).toEqual([]);
  expect(agent).toMatchObject({
    kind: 'task',
    description: 'Count TODO comments',
    status: 'completed',
    link: { parent: main?.id, rank: 'exact', evidence: 'result' },
    toolCallCount: 2,
    // Of its last request: it used more than that.
    usage: { input: 12, cacheRead: 1169, cacheWrite: 150, output: 15 },
    usageIsLowerBound: true,
  });
  expect(agent?.messageCount).toBeUndefined();
  expect((agent?.completedAt ?? 0) - (agent?.startedAt ?? 0)).toBe(393);
});

it('shows no agent twice when its lines are there', async () => {
  for (const name of ['1.0.60-single', '1.0.60-nested', '1.0.60-parallel', '1.0.60-failing']) {
    const { agents } = await open(name, () => true);
    expect(agents.filter(({ id }) => id.includes('?'))).toEqual([]);
  }
});

it('shows no agent for a call that failed', async () => {
  const tree = await open('1.0.60-single', (record) => {
    const message = record['message'] as { content?: { is_error?: boolean }[] } | undefined;
    return record['isSidechain'] !== true && !('toolUseResult' in record && message !== undefined);
  });
  expect(tree.agents).toHaveLength(1);
});
