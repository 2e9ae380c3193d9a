import path from 'node:path';
import { putSpoolFile } from '../audit/index.ts';
import { findResult, type GivenResult, readResultsFile, toCall } from '../guard/index.ts';
import type { ControlAnswer } from '../hosts/index.ts';
import { ADAPTERS } from '../hosts/registry.ts';
import { known } from '../lib/json.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { UserError } from '../lib/user-error.ts';
import { callerSoon, thisMachine } from '../sessions/index.ts';

export interface GivenResultsOptions {
  /** Where troupe keeps its state. */
  readonly folder: string;
  readonly host: string;
}

/** The result that a file gives to a call in place of its own, written down in the audit. Throws where the file is not right. */
export function createGivenResults(
  file: string,
  { folder, host }: GivenResultsOptions,
): (payload: unknown, process: number | undefined) => Promise<ControlAnswer | undefined> {
  const { home } = thisMachine();
  const results = read(path.resolve(file), home);
  const hooks = ADAPTERS.find((adapter) => adapter.host === host)?.hooks;
  return async (payload, process) => {
    const since = performance.now();
    const event = hooks?.read(payload, process);
    if (!hooks || !event?.call) return undefined;
    const look = () => hooks.callerOf(payload, process);
    const caller = await callerSoon(look, look());
    const result = findResult(results, toCall(event, caller, { home, at: Date.now() }));
    if (!result) return undefined;
    const ms = Math.round((performance.now() - since) * 10) / 10;
    const decided = { decision: 'deny', rule: result.rule.id, reason: reasonOf(result), ms };
    const noted = { ...decided, via: 'intercept', ...known({ ppid: process }) };
    try {
      putSpoolFile(folder, host, Buffer.from(JSON.stringify(payload)), noted);
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
