import type { IncomingMessage } from 'node:http';
import { findClients, listAncestry } from '../lib/processes.ts';
import { findAgentAbove } from '../sessions/index.ts';
import type { Refusal } from './http/answers.ts';
import type { AnswerCheck } from './http/approval-routes.ts';

/**
 * Refuses answers to approvals, and login links, if the client was started by a coding agent: an agent must not approve its own
 * calls. This only ever refuses; a process that an agent has hidden well still needs a credential.
 */
export const refuseAgents: AnswerCheck = async ({ socket }, channel) => {
  const clients = await findClients(socket);
  for (const pid of clients) {
    const found = await findAgentAbove(pid);
    if (found) return report(fromAgent(found), socket);
  }
  // A browser may be behind a forwarded port, and has shown its cookie; every other client runs here, as this user.
  return clients.length === 0 && channel !== 'page' ? report(UNKNOWN_CLIENT, socket) : undefined;
};

/**
 * It comes from elsewhere: another machine or user (a forwarded port), or a container. A process that the system does not show is taken
 * for such a one.
 */
export async function isRemote({ socket }: IncomingMessage): Promise<boolean> {
  const clients = await findClients(socket);
  if (clients.length === 0) return true;
  const names = await Promise.all(clients.map(async (pid) => [...((await listAncestry(pid))[0]?.names ?? [])]));
  return names.flat().some((name) => FORWARDERS.has(name));
}

const FORWARDERS: ReadonlySet<string> = new Set(['sshd', 'sshd-session', 'dropbear', 'docker-proxy', 'rootlessport']);

/** A person should see that an agent tried: the server's log keeps it. */
function report(refusal: Refusal, { remotePort }: IncomingMessage['socket']): Refusal {
  process.stderr.write(`troupe: refused a request from port ${remotePort}: ${refusal.message}\n`);
  return refusal;
}

function fromAgent(found: string): Refusal {
  return {
    status: 403,
    code: 'from-agent',
    message: `Only a person can do this: ${found}.`,
    remedy: 'Use the page, Telegram, or a terminal that no coding agent started.',
  };
}

const UNKNOWN_CLIENT: Refusal = {
  status: 403,
  code: 'unknown-process',
  message: 'troupe cannot tell which process sent this request, so it may be an agent.',
  remedy: 'Answer on the page, or from a process of the same user on this machine.',
};
