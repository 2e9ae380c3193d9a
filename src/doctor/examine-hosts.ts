import type { SourceAdapter } from '../adapters/adapter.ts';
import { askVersion } from '../io/ask-version.ts';
import type { Finding } from '../reports/doctor-shapes.ts';
import { findingsOf } from './finding.ts';

const { good, note } = findingsOf('hosts');

/** Which programs there are, and what their versions tell. */
export async function* examineHosts(adapters: readonly SourceAdapter[]): AsyncGenerator<Finding> {
  for (const adapter of adapters) {
    const { title, hookSettings } = adapter;
    if (!hookSettings) continue;
    const answer = await askVersion(hookSettings.program);
    const version = answer === undefined ? undefined : hookSettings.versionIn(answer);
    if (version === undefined) {
      yield note(
        'host-missing',
        `${title}: no program ${hookSettings.program} on the PATH answers. What it left behind is read all the same.`,
      );
      continue;
    }
    yield good('host-found', `${title} ${version}`);
    for (const { isTold, text } of adapter.factsOf?.(version) ?? [])
      yield isTold ? good('host-tells', text) : note('host-silent', text, `Update ${title}.`);
  }
}
