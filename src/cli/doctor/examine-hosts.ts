import type { Finding } from '../../core/index.ts';
import type { SourceAdapter } from '../../hosts/index.ts';
import { findingsOf } from './finding.ts';

const { good, note } = findingsOf('hosts');

/** Which program there is, and what its version tells. */
export function* examineHost(adapter: SourceAdapter, version: string | null): Generator<Finding> {
  const { title } = adapter;
  if (version === null) {
    yield note('host-missing', `${title}: no program of it answers here. What it left behind is read all the same.`);
    return;
  }
  yield good('host-found', `${title} ${version}`);
  for (const { isTold, text } of adapter.factsOf?.(version) ?? [])
    yield isTold ? good('host-tells', text) : note('host-silent', text, `Update ${title}.`);
}
