import { afterEach, describe, expect, it } from 'vitest';
import type { AttachReport } from '../../core/index.ts';
import { UserError } from '../../lib/user-error.ts';
import type { ServedAttach } from './routes.ts';
import { recordedLive } from './testing/recorded-live.ts';
import { type Served, serve } from './testing/serve.ts';
import { misfits } from './testing/validate.ts';

const NESTED = 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd';
const AGENT = 'a2ca437af9f568b24';
const REPORT: AttachReport = {
  agent: { id: AGENT, sessionId: NESTED, host: 'claude-code', label: 'Audit the repo', status: 'completed' },
  way: 'handover',
  words: 'A new session is told.',
  limits: [],
  reasons: ['It cannot go on itself.'],
  host: 'codex',
  hosts: [{ host: 'codex', title: 'Codex' }],
  command: { program: 'codex', args: ['exec', '-'], env: { A: 'b' }, cwd: null, takesText: true },
  text: 'All of it.',
  tokens: 3,
  leftOut: [],
  redacted: [{ what: 'a token', count: 1 }],
  begins: { sessionId: null },
};

let server: Served;
afterEach(() => server.close());

async function serveAttach(attach: ServedAttach): Promise<void> {
  server = await serve(await recordedLive('2.1.325-nested'), { attach });
}

describe('/api/agents/:id/attach', () => {
  it('returns how to continue from an agent, as requested', async () => {
    const asked: Parameters<ServedAttach>[] = [];
    await serveAttach(async (...args) => {
      asked.push(args);
      return REPORT;
    });
    const address = `/api/agents/${AGENT}/attach`;
    const report = await server.json(`${address}?session=${NESTED}&message=Why%3F&host=codex&fork=1&budget=500`);
    expect(report).toEqual(REPORT);
    expect(misfits('attach', report)).toBe('');
    await server.json(address);
    expect(asked.map(([{ id, ownSessionId }, wish]) => [id, ownSessionId, wish])).toEqual([
      [AGENT, NESTED, { message: 'Why?', host: 'codex', fork: true, budget: 500 }],
      [AGENT, NESTED, { fork: false, budget: 8_000 }],
    ]);
  });

  it('is not found for an unknown agent, invalid parameters, or without the service', async () => {
    await serveAttach(async () => {
      throw new UserError('attach-at-work', 'It is at work.', 'Follow it.');
    });
    const statusOf = async (path: string): Promise<number> => (await server.get(path)).status;
    expect(await statusOf('/api/agents/nobody/attach')).toBe(404);
    expect(await statusOf(`/api/agents/${AGENT}/attach?fork=maybe`)).toBe(400);
    expect(await statusOf(`/api/agents/${AGENT}/attach?budget=0`)).toBe(400);
    expect(await statusOf(`/api/agents/${AGENT}/attach?message=${'x'.repeat(4001)}`)).toBe(400);
    const refused = await server.get(`/api/agents/${AGENT}/attach`);
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([400, 'attach-at-work']);
    await server.close();
    server = await serve(await recordedLive('2.1.325-nested'));
    expect(await statusOf(`/api/agents/${AGENT}/attach`)).toBe(404);
  });
});
