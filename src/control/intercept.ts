import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { queueEvent } from '../audit/index.ts';
import { createTerminalPrompt, findResult, type GivenResult, readResultsFile, toCall } from '../guard/index.ts';
import type { ControlAnswer } from '../hosts/index.ts';
import { loadHost, loadHosts } from '../hosts/registry.ts';
import { known } from '../lib/json.ts';
import { createLineSplitter } from '../lib/lines.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import type { SharedScreen } from '../lib/screen.ts';
import { ensureStateFolder, stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { thisMachine, waitForCaller } from '../sessions/index.ts';
import type { CreateCallBroker, RunRequest } from './requests.ts';
import { Steering, type WaitingCall } from './steer.ts';

/** A program that will be steered. */
export interface Interception {
  /** In place of the person's own. */
  readonly command: RunRequest['command'];
  /** Takes over both ends. What is to be printed goes to `print`. */
  attach(child: ChildProcess, print: (bytes: Uint8Array) => void): Steering;
}

export async function prepareInterception(
  { command: [program, ...args], where, inject }: RunRequest,
  screen: SharedScreen,
  createCallBroker: CreateCallBroker,
): Promise<Interception> {
  const adapter = await steeredBy(program, where.host);
  const plan = adapter.control.plan(args);
  const folder = stateFolder(thisMachine());
  await ensureStateFolder(folder);
  const given = inject === undefined ? undefined : createGivenResults(inject, { folder, host: adapter.host });
  const askAtTerminal = createTerminalPrompt(screen);
  const judge = createCallBroker({ folder, host: adapter.host, ...(askAtTerminal && { askAtTerminal }) });
  return {
    command: [program, ...plan.args],
    attach(child, print) {
      const decide = async ({ payload, call, isQuestion, signal }: WaitingCall): Promise<ControlAnswer> => {
        const result = isQuestion ? undefined : await given?.(payload, child.pid);
        if (result) return result;
        const asks = isQuestion ? 'always' : 'policy';
        return { kind: 'printed', printed: await judge({ payload, call, process: child.pid, asks, signal }) };
      };
      const steering = new Steering({
        ...{ control: adapter.control, plan, print, decide, onError: reportTrouble },
        send: (text) => void child.stdin?.write(text),
        endInput: () => void child.stdin?.end(),
      });
      // It may end before it has heard everything.
      child.stdin?.on('error', () => {});
      void feed(steering, plan).catch(reportTrouble);
      return steering;
    },
  };
}

async function steeredBy(program: string, host: string | undefined) {
  const adapters = await loadHosts();
  const named = path.basename(program).replace(/\.(?:exe|cmd|js)$/, '');
  for (const adapter of adapters) {
    const isMeant = host === undefined ? adapter.programs.includes(named) : adapter.host === host;
    if (isMeant && adapter.control) return { host: adapter.host, control: adapter.control };
  }
  const known = adapters.filter((adapter) => adapter.control).map(({ title, host: name }) => `${title} (${name})`);
  throw new UserError(
    'not-steered',
    `troupe cannot steer «${program}».`,
    `Leave out --intercept, or name the host with --host. It works with ${known.join(', ')}.`,
  );
}

/** As the program itself: so long it waits for a stdin that says nothing, where it has a prompt already. */
const SILENT_MS = 3_000;

async function feed(steering: Steering, { input, prompt }: { readonly input: string; readonly prompt?: string }) {
  const { stdin } = process;
  if (input === 'lines') {
    const splitter = createLineSplitter({ maxLineBytes: Number.MAX_SAFE_INTEGER });
    for await (const chunk of stdin) for (const line of splitter.push(chunk as Buffer)) passLine(steering, line.bytes);
    const rest = splitter.rest();
    if (rest) passLine(steering, rest.bytes);
  } else {
    const text = stdin.isTTY ? '' : await textOn(stdin, prompt === undefined ? undefined : SILENT_MS);
    const whole = [prompt, text].filter((part) => part).join('\n');
    if (whole !== '') steering.say(whole);
  }
  steering.finishInput();
}

function passLine(steering: Steering, bytes: Uint8Array): void {
  if (bytes.length > 0) steering.passLine(bytes);
}

async function textOn(stdin: NodeJS.ReadStream, silentMs: number | undefined): Promise<string> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const timer = silentMs === undefined ? undefined : setTimeout(resolve, silentMs);
    stdin.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stdin.once('end', resolve);
    stdin.once('error', () => resolve());
  });
  stdin.pause();
  // A pipe that stays open would keep us alive.
  stdin.unref?.();
  return Buffer.concat(chunks).toString('utf8');
}

interface GivenResultsOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  readonly host: string;
}

/** The result that a file gives to a call in place of its own, written down in the audit. Throws where the file is not right. */
function createGivenResults(
  file: string,
  { folder, host }: GivenResultsOptions,
): (payload: unknown, process: number | undefined) => Promise<ControlAnswer | undefined> {
  const { home } = thisMachine();
  const results = read(path.resolve(file), home);
  return async (payload, process) => {
    const since = performance.now();
    const hooks = (await loadHost(host))?.hooks;
    const event = hooks?.read(payload, process);
    if (!hooks || !event?.call) return undefined;
    const look = () => hooks.callerOf(payload, process);
    const caller = await waitForCaller(look, look());
    const result = findResult(results, toCall(event, caller, { home, at: Date.now() }));
    if (!result) return undefined;
    const ms = Math.round((performance.now() - since) * 10) / 10;
    const decided = { decision: 'deny', rule: result.rule.id, reason: reasonOf(result), ms };
    const noted = { ...decided, via: 'intercept', ...known({ ppid: process }) };
    try {
      queueEvent(folder, host, Buffer.from(JSON.stringify(payload)), noted);
    } catch (error) {
      // A full disk does not change what the agent is to see.
      reportTrouble(error);
    }
    return { kind: 'result', text: result.text, isError: result.isError };
  };
}

function reasonOf({ rule: { name, place } }: GivenResult): string {
  const where = place ? `${path.basename(place.file)}:${place.line}` : 'a file';
  return `It did not run: its result was given by ${where}${name === null ? '' : `, ${name}`}.`;
}

function read(file: string, home: string): readonly GivenResult[] {
  const found = readResultsFile(file, home);
  if (!found) throw new UserError('no-results', `There is no file ${file}.`, 'Name the file of results with --inject.');
  const errors = found.problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return found.results;
  const lines = errors.map(({ line, column, message, remedy }) => {
    const what = remedy === null ? message : `${message} ${remedy}`;
    return `  ${path.basename(file)}:${line}:${column} ${what}`;
  });
  throw new UserError(
    'bad-results',
    `The file of results cannot be used:\n${lines.join('\n')}`,
    'Nothing was started. docs/INTERCEPT.md has what the file may say.',
  );
}
