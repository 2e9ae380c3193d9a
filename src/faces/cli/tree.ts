import { UserError } from '../../base/user-error.ts';
import type { OpenedSession } from '../../model/ports.ts';
import { formatTree } from '../../render/tree-lines.ts';
import { computeTree } from '../../reports/compute-tree.ts';
import { type SharedFlags, whereOf, writeJson, writeLines } from './flags.ts';
import type { CliContext } from './run-cli.ts';
import { textOptionsOf } from './text-options.ts';

export interface TreeFlags extends SharedFlags {
  readonly internal: boolean;
  readonly orDemo: boolean;
}

export async function tree(this: CliContext, flags: TreeFlags, session?: string): Promise<void> {
  const opened = await open(this, flags, session);
  const report = computeTree(opened, { internal: flags.internal });
  if (flags.json) return writeJson(this, report);
  writeLines(this, formatTree(report, textOptionsOf(this.face)));
}

async function open({ face }: CliContext, flags: TreeFlags, session: string | undefined): Promise<OpenedSession> {
  try {
    return await face.sessions(whereOf(flags, face)).open(session);
  } catch (error) {
    const nothingThere = error instanceof UserError && error.code === 'no-sessions';
    if (!flags.orDemo || !nothingThere) throw error;
    face.terminal.note(`${error.message} This is the recording that ships with troupe:\n`);
    return face.demo().open();
  }
}
