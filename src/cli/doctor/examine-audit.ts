import type { GuardLog } from '../../audit/index.ts';
import type { Finding } from '../../core/index.ts';
import { counted, findingsOf, wordsOf } from './finding.ts';

const { good, note, problem } = findingsOf('audit');
const MAX_NAMED = 5;

export async function* examineAudit(log: GuardLog): AsyncGenerator<Finding> {
  try {
    const { entries, files, problems } = await log.verify();
    if (entries === 0 && problems.length === 0) yield note('audit-empty', 'No tool call was heard of so far.');
    else if (problems.length === 0)
      yield good('audit-whole', `${counted(entries, 'tool call')} in ${counted(files, 'file')}, the chain is whole`);
    for (const { file, line, what } of problems.slice(0, MAX_NAMED))
      yield problem('audit-broken', `${file}:${line}: ${what}`, 'troupe guard log --verify has all of it.');
    if (problems.length > MAX_NAMED) yield problem('audit-broken', `${problems.length - MAX_NAMED} more such places`);
  } catch (error) {
    yield problem(
      'audit-unwritable',
      `The audit cannot be kept: ${wordsOf(error)}`,
      'Make room, or give troupe back its rights.',
    );
  }
}
