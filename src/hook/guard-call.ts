import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDraftOf, settleSpooled } from '../audit/settle-spooled.ts';
import { MAX_SPOOL_BYTES, parseSpooled } from '../audit/spool-file.ts';
import { putSpoolFile } from '../audit/spool-writer.ts';
import { readRegularSync } from '../lib/regular-file.ts';

/** What the guard stub hands on: it has put the payload into a draft of the spool already. */
export interface StubCall {
  readonly host: string;
  /** The name of the draft. */
  readonly draft: string;
  readonly ppid: number;
  /** Epoch milliseconds; not every shell can tell. */
  readonly since?: number;
}

export interface Guarding {
  /** What is decided about a call, and what is to be printed. Never throws. */
  judge(host: string, payload: unknown, ppid: number): { readonly printed: string; readonly input?: unknown } & object;
  /** Something went wrong that does not change the decision. */
  onError(error: unknown): void;
}

/** Decides about a call where no server runs. Gives what is to be printed: whether it could be kept does not change that. */
export function guardStubCall(folder: string, call: StubCall, { judge, onError }: Guarding): string {
  const { host, draft, ppid, since } = call;
  if (!isDraftOf(host, draft)) throw new Error(`no draft of ${host}: ${draft}`);
  const bytes = readRegularSync(path.join(folder, 'spool', draft), MAX_SPOOL_BYTES);
  const { printed, input: _given, ...decided } = judge(host, parseSpooled(bytes)?.payload, ppid);
  attempt(() => settleSpooled(folder, draft, { ppid, ...startedBy(), ...decided }, since), onError);
  return printed;
}

/** The same for a call that is told on stdin, where no shell stands between the host and us. */
export function guardStdin(folder: string, host: string, { judge, onError }: Guarding, ppid: number): string {
  if (!/^[a-z0-9-]{1,64}$/.test(host)) throw new Error(`no name of a host: ${host}`);
  if (process.stdin.isTTY) return '';
  const payload = readFileSync(0);
  // There is nothing to keep; a host that goes on all the same must hear something.
  if (payload.length === 0) return judge(host, undefined, ppid).printed;
  const { printed, input: _given, ...decided } = judge(host, parseSpooled(payload)?.payload, ppid);
  const ms = Math.round(process.uptime() * 10_000) / 10;
  attempt(() => putSpoolFile(folder, host, payload, { ppid, ...startedBy(), ...decided, ms }), onError);
  return printed;
}

/** Who started the host that runs us, where an agent did (guard/tell-identity.ts). */
function startedBy(): { readonly parent?: string } {
  const parent = process.env['TROUPE_PARENT'];
  return parent ? { parent } : {};
}

function attempt(keep: () => unknown, onError: (error: unknown) => void): void {
  try {
    keep();
  } catch (error) {
    onError(error);
  }
}
