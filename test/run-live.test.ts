import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentReport } from '../src/core/index.ts';
import { createProgramHome } from './testing/program.ts';
import { accessTo } from './testing/server-access.ts';

// `troupe run` beside the running server: page and watch know what only the stream has told so far.

const SESSION = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const AUDIT = 'a2ca437af9f568b24';
const recorded = fileURLToPath(
  new URL('../src/sessions/stream/fixtures/claude-code-2.1.325-nested.jsonl', import.meta.url),
);

const home = createProgramHome();
const at = (name: string): string => path.join(home.home, name);
let address = '';
let headers = {};

beforeAll(async () => {
  // Of the session's own files, as they are when it has just begun: the person's prompt, and no agent.
  const transcript = at(`.claude/projects/-home-dev-nested/${SESSION}.jsonl`);
  const lines = readFileSync(transcript, 'utf8').split('\n').slice(0, 20);
  expect(lines.join('\n')).not.toContain('"tool_use"');
  writeFileSync(transcript, `${lines.join('\n')}\n`);
  rmSync(at(`.claude/projects/-home-dev-nested/${SESSION}`), { recursive: true });
  writeFileSync(
    at('slow.sh'),
    `head -n 14 "${recorded}"; for i in $(seq 600); do [ -e "${at('go')}" ] && break; sleep 0.05; done; tail -n +15 "${recorded}"\n`,
  );
  const server = home.start(['--no-open', '--json']);
  await vi.waitFor(() => expect(server.out().trimEnd()).toMatch(/}$/), { timeout: 30_000 });
  ({ origin: address, headers } = accessTo(home.state));
});
afterAll(() => home.end(), 60_000);

const agents = async (): Promise<readonly AgentReport[]> => {
  const answer = await fetch(`${address}/api/sessions/${SESSION}`, { headers });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { readonly subagents: readonly AgentReport[] }).subagents;
};
const audit = async (): Promise<AgentReport | undefined> => (await agents()).find(({ id }) => id === AUDIT);

describe('the running server', () => {
  it('shows a run while it runs, on the page and in watch, and how it ended', async () => {
    expect(await agents()).toEqual([]);
    const watch = home.start(['watch', '--json']);
    const run = home.start(['run', '--', 'bash', at('slow.sh')]);
    const found = await vi.waitUntil(audit, { timeout: 30_000 });
    expect(found).toMatchObject({ description: 'Audit the repo', evidence: { rank: 'exact' } });
    await vi.waitUntil(() => watch.out().includes('Audit the repo'), { timeout: 30_000 });
    expect(existsSync(at('go'))).toBe(false);
    writeFileSync(at('go'), '');
    expect(await run.ended).toBe(0);
    expect(run.out()).toBe(readFileSync(recorded, 'utf8'));
    await vi.waitUntil(async () => (await audit())?.status === 'completed', { timeout: 30_000 });
    await vi.waitUntil(async () => (await agents()).length === 3, { timeout: 30_000 });
  });
});
