import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentId, OpenedTranscripts } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { createRedactor } from '../redact/index.ts';
import { fillSample } from '../redact/testing/fill-sample.ts';
import { createSessions, createSessionTranscripts } from '../sessions/index.ts';
import {
  createAgentWork,
  createScanCache,
  type ExportOptions,
  type SurveyedAgent,
  surveyConversation,
} from './agent-work.ts';
import { surveySession } from './survey-session.ts';

const root = mkdtempSync(path.join(tmpdir(), 'troupe-survey-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

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

/** All but the main agent, by one who knows nothing of the tree. */
async function aheadOf(opened: OpenedTranscripts): Promise<ReadonlyMap<number, SurveyedAgent>> {
  const own = options();
  const done = new Map<number, SurveyedAgent>();
  let index = 0;
  for await (const { transcript } of opened.read()) {
    const { session_id, messages, left_out } = transcript;
    if (index > 0)
      done.set(index, surveyConversation({ session_id, messages, left_out, edition: undefined }, own, true));
    index++;
  }
  return done;
}

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
  const how = { scan: true, scanCache: createScanCache(), onAgent: () => {} };
  await surveySession(withHidden, mine, how);
  expect(mine.redactor?.memory().known?.map(({ value }) => value)).toContain(secret);
});

it('gives the same names, and tells of each agent once, whoever has surveyed some of them ahead', async () => {
  const opened = await open();
  const surveyed = async (ahead: ReadonlyMap<number, SurveyedAgent> | undefined) => {
    const mine = options();
    let told = 0;
    const work = {
      ...createAgentWork(opened, options(), { scanCache: createScanCache() }),
      prepareSurvey: async () => ahead ?? new Map(),
    };
    const pool = { workers: [{ work, isUp: () => true }], owners: new Map() };
    const starting = ahead && { begin: async () => pool, close: async () => {} };
    const onAgent = () => void told++;
    await surveySession(opened, mine, { scan: true, scanCache: createScanCache(), starting, onAgent });
    return { known: mine.redactor?.memory().known, told };
  };
  const alone = await surveyed(undefined);
  expect(alone.told).toBe(opened.agents.length);
  // Each task is a key, and its title a piece of it.
  expect(alone.known?.filter(({ id }) => id === 'anthropic-key').length).toBeGreaterThan(3);
  expect(await surveyed(await aheadOf(opened))).toEqual(alone);
});
