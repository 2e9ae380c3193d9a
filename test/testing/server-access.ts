// How tests reach a running server: as a program does (the token in daemon.json), or as a browser does (a login link).

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ChannelKeys } from '../../src/core/index.ts';
import { AGENT_VARIABLES, findAgentAbove } from '../../src/sessions/identify.ts';

/** For servers under test. A developer may run the tests in a coding agent, whose processes may not answer approvals. */
export const OUTSIDE_AGENTS: Readonly<Record<string, string>> = (await findAgentAbove(process.pid))
  ? leaveAgents()
  : {};

function leaveAgents(): Readonly<Record<string, string>> {
  for (const name of AGENT_VARIABLES) delete process.env[name];
  return {
    NODE_OPTIONS: `--import ${new URL('outside-agents.mjs', import.meta.url)}`,
    TROUPE_TEST_RUNNER: String(process.pid),
  };
}

export interface ServerAccess {
  readonly origin: string;
  readonly port: number;
  readonly token: string;
  readonly keys: ChannelKeys;
  readonly headers: { readonly authorization: string };
  /** An address that logs a browser in, once. */
  createLink(): Promise<string>;
  /** The headers of a browser that is logged in. */
  logIn(): Promise<{ readonly cookie: string; readonly origin: string }>;
}

/** Of the server that wrote `daemon.json` in this folder. */
export function accessTo(stateFolder: string): ServerAccess {
  const { port, token, keys } = JSON.parse(readFileSync(path.join(stateFolder, 'daemon.json'), 'utf8'));
  const origin = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}` };
  const createLink = async (): Promise<string> => {
    const answer = await fetch(`${origin}/api/login`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    });
    if (answer.status !== 200) throw new Error(`no login link: ${await answer.text()}`);
    return `${origin}${(await answer.json()).path}`;
  };
  return {
    ...{ origin, port, token, keys, headers, createLink },
    async logIn() {
      return { cookie: await followLink(await createLink()), origin };
    },
  };
}

/** The cookie that a login link gives. */
export async function followLink(link: string): Promise<string> {
  const { headers } = await fetch(link, { redirect: 'manual' });
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}
