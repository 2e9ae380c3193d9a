import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { AgentId, OpenedTranscripts } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { createRedactor } from '../redact/index.ts';
import { fillSample } from '../redact/testing/fill-sample.ts';
import { createSessions, createSessionTranscripts } from '../sessions/index.ts';
import { createAgentWork, type ExportOptions, ScanCache } from './agent-work.ts';
import { surveySession } from './survey-session.ts';

const root = makeTemporaryFolder('survey');

/** Agents without a description, whose tasks are so long that their titles end in the middle of a key. */
function plant(): void {
  cpSync(path.join(import.meta.dirname, '../hosts/claude-code/fixtures/2.1.325-parallel'), root, {
    recursive: true,
  });
  for (const [index, name] of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort().entries()) {
    if (!/\.jsonl?$/.test(name)) continue;
    const file = path.join(root, name);
    const said = readFileSync(file, 'utf8').replaceAll(/"description":"[^"]*"/g, `"name":"one${index}"`);
    const task = `${'x '.repeat(990)}${fillSample('sk-ant-api03-{w:93}AA', index).text}${' y'.repeat(1800)}`;
    const first = '"message":{"role":"user","content":"';
    writeFileSync(file, name.includes('agent-') ? said.replace(first, `${first}${task}`) : said);
  }
}

beforeAll(plant);

const options = (): ExportOptions => ({
  formats: ['html'],
  isCompact: false,
  withImages: false,
  redactor: createRedactor(),
});

async function open(): Promise<OpenedTranscripts> {
  const places = [{ adapter: claudeCode, root, forced: false }];
  const sessions = createSessions(places, { clock: () => Date.parse('2030-01-01'), named: true });
  return createSessionTranscripts(places, sessions).open(undefined);
}

it('knows what the doors to agents say that are not listed', async () => {
  const opened = await open();
  const [main, first] = opened.tree.agents;
  if (!main || !first) throw new Error('nobody is there');
  const secret = fillSample('ghp_{an:36}').text;
  const hidden = { ...first, id: `${first.id}-hidden` as AgentId, kind: 'internal', description: secret } as const;
  const withHidden = { ...opened, tree: { ...opened.tree, agents: [...opened.tree.agents, hidden] } };
  const mine = options();
  const how = { scan: true, scanCache: new ScanCache(), onAgent: () => {} };
  await surveySession(withHidden, mine, how);
  expect(mine.redactor?.memory().known?.map(({ value }) => value)).toContain(secret);
});

it('gives the same placeholders, and reports each agent once, with and without another worker', async () => {
  const opened = await open();
  const surveyWith = async (others: number) => {
    const mine = options();
    let count = 0;
    const workers = Array.from({ length: others }, () => ({
      work: createAgentWork(opened, options(), new ScanCache()),
      isUp: () => true,
    }));
    const starting = { begin: async () => ({ workers, owners: new Map() }), close: async () => {} };
    const onAgent = () => void count++;
    await surveySession(opened, mine, { scan: true, scanCache: new ScanCache(), starting, onAgent });
    return { known: mine.redactor?.memory().known, count };
  };
  const alone = await surveyWith(0);
  expect(alone.count).toBe(opened.agents.length);
  // Each task is a key, and its title a piece of it.
  expect(alone.known?.filter(({ id }) => id === 'anthropic-key').length).toBeGreaterThan(3);
  expect(await surveyWith(1)).toEqual(alone);
});
