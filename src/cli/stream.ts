import type { ShadowRequest } from '../control/index.ts';
import { known } from '../lib/json.ts';
import { UserError } from '../lib/user-error.ts';
import type { CliContext } from './run-cli.ts';

export interface ShadowFlags {
  readonly root?: readonly string[];
  readonly host?: string;
  readonly disk: boolean;
  readonly tree: boolean;
  readonly events?: string;
}

export interface RunFlags extends ShadowFlags {
  readonly intercept: boolean;
  readonly inject?: string;
}

export async function stream(this: CliContext, flags: ShadowFlags & { readonly tee: boolean }): Promise<void> {
  const { host, lines, malformedLines } = await this.face.stream({ ...requestOf(flags), tee: flags.tee });
  const { note } = this.face.terminal;
  if (host === undefined) {
    note(`troupe: nothing in ${lines} lines told whose stream it is. Name the host with --host.`);
    return this.endWith(1);
  }
  if (malformedLines > 0) note(`troupe: ${malformedLines} of ${lines} lines were not understood.`);
}

/** Ends as the program does. */
export async function run(this: CliContext, flags: RunFlags, ...command: readonly string[]): Promise<void> {
  const [program, ...args] = command;
  if (program === undefined) return;
  const { intercept, inject } = flags;
  if (inject !== undefined && !intercept)
    throw new UserError(
      'inject-alone',
      '--inject needs --intercept.',
      'Add --intercept: only then troupe stands between.',
    );
  const steered = { intercept, ...known({ inject }) };
  const outcome = await this.face.run({ ...requestOf(flags), command: [program, ...args], ...steered });
  if (outcome.kind === 'exited') this.endWith(outcome.code);
}

function requestOf({ root, host, disk, tree, events }: ShadowFlags): ShadowRequest {
  return { where: { roots: root ?? [], ...known({ host }) }, disk, tree, ...known({ events }) };
}
