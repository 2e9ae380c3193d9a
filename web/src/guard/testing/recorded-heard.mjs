// The audit of recorded sessions, as the server would give it. Plain JavaScript: the types of the page know no Node.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openGuardLog } from '../../../../src/audit/guard-log.ts';
import { fillSpool, recordedHooks, recordedRoot } from '../../../../src/audit/testing/recorded-spool.ts';
import { claudeCode } from '../../../../src/hosts/claude-code/index.ts';

export function recordedHeard(name) {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-heard-'));
  const calls = recordedHooks(name).filter(({ payload }) => payload.hook_event_name === 'PreToolUse');
  const places = [{ adapter: claudeCode, root: recordedRoot(name), forced: false }];
  const log = openGuardLog({ folder, places, clock: Date.now });
  let told = 0;
  return {
    total: calls.length,
    backend: { heard: (filter, limit) => log.read(filter, limit) },
    async happen(count) {
      fillSpool(folder, calls.slice(told, told + count));
      told += count;
      const { entries } = await log.read({}, count);
      return entries.map(({ input: _, ...call }) => call);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
