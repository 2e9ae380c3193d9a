import type { ApprovalRequest, SessionDetail } from '../../core/index.ts';
import { NOW } from './recorded.ts';

/** Of the third agent of that session; `id` is a letter. */
export function makeAsk(id: string, session: SessionDetail, over: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const agent = session.subagents[1];
  return {
    id: id.repeat(32),
    at: new Date(NOW).toISOString(),
    expiresAt: new Date(NOW + 300_000).toISOString(),
    otherwise: 'deny',
    host: 'claude-code',
    session: session.id,
    agent: {
      who: 'subagent',
      id: agent?.id ?? null,
      type: 'general-purpose',
      name: null,
      kind: 'task',
      depth: 2,
      path: ['main', 'Audit the repo', 'Check app.js'],
      evidence: 'exact',
      reason: null,
    },
    tool: 'Bash',
    call: 't',
    summary: 'git push origin main',
    input: { command: 'git push origin main' },
    cwd: '/p',
    rule: 'user:1',
    reason: 'It leaves this machine.',
    end: null,
    ...over,
  };
}
