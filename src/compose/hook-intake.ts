import { ADAPTERS } from '../adapters/registry.ts';
import { isDraftOf, settleSpooled } from '../audit/settle-spooled.ts';
import type { HookKeys } from '../daemon/hook-address.ts';
import type { HookIntake } from '../faces/face.ts';

/** Calls of hooks, kept in the spool of this folder. There is no opinion about them yet. */
export function createHookIntake(folder: string, keys: HookKeys): HookIntake {
  return {
    ...keys,
    async take({ host, draft, ppid, since }) {
      const isKnown = ADAPTERS.some((adapter) => adapter.host === host);
      if (!isKnown || !isDraftOf(host, draft)) return undefined;
      return settleSpooled(folder, draft, { ppid, decision: 'none' }, since) ? '' : undefined;
    },
  };
}
