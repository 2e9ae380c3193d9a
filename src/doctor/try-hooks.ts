import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { HookSettingsCapability, HooksCapability, Machine, SourceAdapter } from '../adapters/adapter.ts';
import { known } from '../base/json.ts';
import type { GuardLog } from '../faces/face.ts';
import { readText } from '../io/edit-file.ts';
import type { AuditEntry } from '../model/audit.ts';
import { formatHookCommand, type HookCommand } from '../model/hook-command.ts';
import type { Finding } from '../reports/doctor-shapes.ts';
import { findingsOf } from './finding.ts';

const { good, problem } = findingsOf('hooks');

export interface TryOptions {
  readonly adapter: SourceAdapter;
  /** Of the host. */
  readonly version: string | undefined;
  readonly machine: Machine;
  /** Whose settings count: where the person works. */
  readonly folder: string;
  readonly log: GuardLog;
}

/** Proof instead of belief: two calls through the very command that is installed, and a look whether the audit has them. */
export async function* tryHooks({ adapter, version, machine, folder, log }: TryOptions): AsyncGenerator<Finding> {
  const { hooks, hookSettings: settings, host } = adapter;
  if (!hooks || !settings) return;
  for (const command of await installedCommands(settings, machine, folder)) {
    const own = await mkdtemp(path.join(tmpdir(), 'troupe-doctor-'));
    try {
      yield await tryCommand(command, { host, hooks, version, log, own });
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }
}

/** Those in front of tool calls, each once. */
async function installedCommands(
  settings: HookSettingsCapability,
  machine: Machine,
  folder: string,
): Promise<readonly HookCommand[]> {
  const commands = new Map<string, HookCommand>();
  for (const { path: file } of settings.files(machine, folder)) {
    const { ours } = settings.inspect((await readText(file)) ?? '');
    for (const hook of ours) if (settings.isBeforeCalls(hook.event)) commands.set(`${hook.role} ${hook.file}`, hook);
  }
  return [...commands.values()];
}

interface Trial {
  readonly host: string;
  readonly hooks: HooksCapability;
  readonly version: string | undefined;
  readonly log: GuardLog;
  /** A folder for the transcript that the calls name. */
  readonly own: string;
}

async function tryCommand(command: HookCommand, trial: Trial): Promise<Finding> {
  const { host, hooks, version, log, own } = trial;
  const session = `troupe-doctor-${randomUUID()}`;
  const agent = `troupe-doctor-${randomUUID().slice(0, 8)}`;
  const transcript = path.join(own, `${session}.jsonl`);
  if (version !== undefined) await writeFile(transcript, hooks.sampleTranscript(session, version));
  const begin = performance.now();
  for (const [call, caller] of [[`${session}-main`], [`${session}-sub`, agent]] as const) {
    const payload = hooks.sampleCall({ session, transcript, call, ...known({ agent: caller }) });
    const ended = await runCommand(formatHookCommand(command, host), JSON.stringify(payload));
    if (ended.code !== 0) {
      const words = ended.stderr.trim() || `it ended with code ${ended.code}`;
      return problem('hooks-fail', `The installed ${command.role} command fails: ${words}`, 'troupe hooks install');
    }
  }
  const ms = Math.round((performance.now() - begin) / 2);
  const { entries } = await log.read({ session }, 10);
  return judge(command, entries, session, agent, hooks.namesCallers(version), ms);
}

function judge(
  { role }: HookCommand,
  entries: readonly AuditEntry[],
  session: string,
  agent: string,
  namesMain: boolean,
  ms: number,
): Finding {
  const of = (call: string): AuditEntry | undefined => entries.find((entry) => entry.call === `${session}-${call}`);
  const [main, sub] = [of('main'), of('sub')];
  if (!main || !sub) {
    const lost = [...(main ? [] : ['a call of the main agent']), ...(sub ? [] : ['a call of a sub-agent'])];
    return problem(
      'hooks-unheard',
      `${lost.join(' and ')} went through the installed ${role} command and is not in the audit.`,
      'Look into hook-errors.log in the state folder, then run: troupe hooks install',
    );
  }
  const isMainRight = main.agent.who === (namesMain ? 'main' : 'unknown');
  if (!isMainRight || sub.agent.who !== 'subagent' || sub.agent.id !== agent) {
    return problem(
      'hooks-misnamed',
      'A call is in the audit under the name of another agent.',
      'Please report this as a bug of troupe.',
    );
  }
  return good(
    'hooks-proven',
    `A call of the main agent and one of a sub-agent went through the installed ${role} command: both are in the audit, each under its name (${ms} ms a call)`,
  );
}

const PATIENCE_MS = 15_000;

/** As hosts run it: by a shell, with the payload on its input. */
function runCommand(
  command: string,
  input: string,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'pipe'], timeout: PATIENCE_MS });
    let stderr = '';
    child.stderr.on('data', (bytes) => {
      stderr += bytes;
    });
    child.on('error', (error) => resolve({ code: null, stderr: error.message }));
    child.on('close', (code) => resolve({ code, stderr }));
    // A command that does not read is told nothing, and that is for the audit to show.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
