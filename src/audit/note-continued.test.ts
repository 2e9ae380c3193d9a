import { cpSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import type { SessionTree } from '../core/index.ts';
import { ADAPTERS } from '../hosts/testing/all-hosts.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createSessions, listDataFolders } from '../sessions/index.ts';
import { recordResumed } from './hook-lines.ts';

const clock = (): number => Date.parse('2030-01-01');

let folder = '';
beforeEach(() => {
  folder = makeTemporaryFolder('continued');
  for (const name of ['2.1.325-single', '2.1.197-nested'])
    cpSync(
      fileURLToPath(new URL(`../hosts/claude-code/fixtures/${name}`, import.meta.url)),
      path.join(folder, 'root'),
      {
        recursive: true,
      },
    );
});

const sessions = () => {
  const roots = [path.join(folder, 'root')];
  const places = listDataFolders(
    ADAPTERS,
    { env: {}, home: '/nowhere' },
    { roots },
    { hooks: path.join(folder, 'hooks') },
  );
  return createSessions(places, { clock });
};
async function bySubAgents(): Promise<{ readonly single: SessionTree; readonly nested: SessionTree }> {
  const { trees } = await sessions().list({ limit: 10 });
  const [single, nested] = [...trees].sort((a, b) => a.agents.length - b.agents.length);
  if (!single || !nested) throw new Error('two sessions were copied');
  return { single, nested };
}

it('puts a continued session below its agent, whichever is older and however often it is noted', async () => {
  const { single, nested } = await bySubAgents();
  const agent = single.agents.find(({ kind }) => kind === 'task');
  if (!agent) throw new Error('no sub-agent');
  const continued = { session: nested.id, agent: agent.id, of: single.id };
  expect(await recordResumed(folder, continued, clock)).toBe(true);
  expect(await recordResumed(folder, continued, clock)).toBe(true);
  const { trees, total } = await sessions().list({ limit: 10 });
  expect([total, trees.map(({ id }) => id)]).toEqual([2, [single.id]]);
  const { tree } = await sessions().open(single.id.split(':')[1]);
  expect(tree.agents.map(({ id }) => id)).toEqual([...single.agents, ...nested.agents].map(({ id }) => id));
  const root = tree.agents.find(({ kind }) => kind === 'session');
  expect(root).toMatchObject({ id: nested.id, link: { parent: agent.id, evidence: 'continued', rank: 'exact' } });
});

it('notes nothing when a session would continue itself, or an id could not be read back', async () => {
  const { single, nested } = await bySubAgents();
  const [main] = single.agents;
  if (!main) throw new Error('no main agent');
  expect(await recordResumed(folder, { session: single.id, agent: main.id, of: single.id }, clock)).toBe(false);
  const odd = `${main.id}:with:colons` as typeof main.id;
  expect(await recordResumed(folder, { session: nested.id, agent: odd, of: single.id }, clock)).toBe(false);
  expect((await sessions().list({ limit: 10 })).total).toBe(2);
});
