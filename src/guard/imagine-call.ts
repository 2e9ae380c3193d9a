import path from 'node:path';
import { type HostName, toSessionId, toToolCallId } from '../core/index.ts';
import type { CallerChain, CallingAgent } from '../hosts/index.ts';
import type { GuardedCall } from './guarded-call.ts';
import { type ImaginedAgent, type ImaginedCall, kindOf } from './imagined-call.ts';
import { toCall } from './judge-call.ts';

export interface Surroundings {
  readonly home: string;
  /** The folder at hand: what a call without a folder is made in, and what relative ones stand on. */
  readonly folder: string;
  readonly host: HostName;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What the guard would be given to judge. */
export function imagineCall(imagined: ImaginedCall, around: Surroundings): GuardedCall {
  const host = imagined.host ?? around.host;
  const cwd = path.resolve(around.folder, imagined.cwd ?? '.');
  const project = path.resolve(around.folder, imagined.project ?? cwd);
  const { tool, input } = imagined;
  const call = { tool, input, spawns: false, id: toToolCallId('imagined') };
  const event = {
    host,
    name: 'imagined',
    session: toSessionId(host, ''),
    caller: { named: 'nobody' },
    cwd,
    call,
  } as const;
  return toCall(event, { ...chainOf(imagined.agent), project }, { home: around.home, at: imagined.at ?? around.at });
}

function chainOf(imagined: ImaginedAgent | null): CallerChain {
  if (imagined === null) return { agent: null, ancestors: [] };
  const { type = null, name = null, under = [] } = imagined;
  const kind = kindOf(imagined);
  if (kind === 'main') return { agent: { ...MAIN, type, name }, ancestors: [] };
  const above = under.map((one, index): CallingAgent => ({ ...MAIN, kind: 'task', type: one, depth: index + 1 }));
  return {
    agent: { id: '', kind, type, name, depth: imagined.depth ?? under.length + 1 },
    ancestors: [MAIN, ...above],
  };
}

const MAIN: CallingAgent = { id: '', kind: 'main', type: null, name: null, depth: 0 };
