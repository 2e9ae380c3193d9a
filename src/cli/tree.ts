import {
  computeExplanation,
  computeTree,
  createPaint,
  ledgerFor,
  nativeId,
  type OpenedSession,
} from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import { type SharedFlags, whereOf, writeJson, writeLines } from './flags.ts';
import { formatExplanation, formatTree } from './format/index.ts';
import type { CliContext } from './run-cli.ts';
import { textOptionsOf } from './text-options.ts';

export interface TreeFlags extends SharedFlags {
  readonly internal: boolean;
  readonly orDemo: boolean;
  readonly explain?: string;
}

export async function tree(this: CliContext, flags: TreeFlags, session?: string): Promise<void> {
  const opened = await open(this, flags, session);
  for (const problem of opened.problems) this.face.terminal.note(problem);
  if (flags.explain !== undefined) return explain(this, flags, opened, flags.explain);
  const report = computeTree(opened, { internal: flags.internal });
  if (flags.json) return writeJson(this, report);
  writeLines(this, formatTree(report, textOptionsOf(this.face)));
}

function explain(context: CliContext, { json }: TreeFlags, opened: OpenedSession, wanted: string): void {
  const { tree } = opened;
  const hits = tree.agents.filter((agent) => nativeId(agent.id).startsWith(wanted) || agent.name === wanted);
  const agent = hits.find(({ id }) => nativeId(id) === wanted) ?? hits[0];
  if (!agent || (hits.length > 1 && nativeId(agent.id) !== wanted)) {
    const found = hits.length === 0 ? 'No agent of this session begins' : `${hits.length} agents of this session begin`;
    throw new UserError('agent-not-found', `${found} with «${wanted}».`, 'See the ids with: troupe tree --json');
  }
  const report = computeExplanation(agent, ledgerFor(agent, opened));
  if (json) writeJson(context, report);
  else writeLines(context, formatExplanation(report, createPaint(context.face.terminal.colours)));
}

async function open({ face }: CliContext, flags: TreeFlags, session: string | undefined): Promise<OpenedSession> {
  try {
    return await face.sessions(whereOf(flags)).open(session);
  } catch (error) {
    const nothingThere = error instanceof UserError && error.code === 'no-sessions';
    if (!flags.orDemo || !nothingThere) throw error;
    face.terminal.note(`${error.message} This is the recording that ships with troupe:\n`);
    return face.demo().open();
  }
}
