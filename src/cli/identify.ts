import { cleanLine, computeIdentity, type IdentityReport, toToolCallId } from '../core/index.ts';
import { known } from '../lib/json.ts';
import { type SharedFlags, writeJson, writeLines } from './flags.ts';
import type { CliContext } from './run-cli.ts';

export interface IdentifyFlags extends Pick<SharedFlags, 'json' | 'host'> {
  readonly transcript?: string;
  readonly toolUseId?: string;
}

export async function identify(this: CliContext, flags: IdentifyFlags): Promise<void> {
  const identity = await this.face.identifier().identify({
    ...known({
      host: flags.host,
      transcript: flags.transcript,
      toolCall: flags.toolUseId === undefined ? undefined : toToolCallId(flags.toolUseId),
    }),
  });
  const report = computeIdentity(identity);
  if (flags.json) writeJson(this, report);
  else writeLines(this, inWords(report));
}

function inWords(report: IdentityReport): readonly string[] {
  const { agent_type: who, evidence, reason, candidates } = report;
  const name =
    who === 'subagent'
      ? ` ${report.subagent_name ?? ''} «${report.subagent_description ?? ''}» ${report.agent_id ?? ''}`
      : '';
  const how = evidence.rank === 'none' ? (reason ?? 'nothing to go by') : `${evidence.rank}: ${evidence.source}`;
  const list = candidates.map(
    (one) => `  may be ${one.subagent_name ?? 'main'} «${one.subagent_description ?? ''}» ${one.agent_id ?? ''}`,
  );
  return [`${who}${name} (${how})`, ...list].map(cleanLine);
}
