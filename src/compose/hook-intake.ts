import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ADAPTERS } from '../adapters/registry.ts';
import { isDraftOf, settleSpooled } from '../audit/settle-spooled.ts';
import { parseSpooled } from '../audit/spool-file.ts';
import { configFolder } from '../config/config-folder.ts';
import type { HookKeys } from '../daemon/hook-address.ts';
import type { HookIntake } from '../faces/face.ts';
import { judgeCall } from '../judge/judge-call.ts';
import { loadPolicy } from '../policy/load-policy.ts';
import { thisMachine } from '../tracker/this-machine.ts';

/** Calls of hooks: judged by the policy of their project, and kept in the spool of this folder with what was decided. */
export function createHookIntake(folder: string, keys: HookKeys): HookIntake {
  const { env, home } = thisMachine();
  const where = { home, configFolder: configFolder(env, home), stateFolder: folder };
  return {
    ...keys,
    async take({ host: name, draft, ppid, since }) {
      const host = ADAPTERS.find((adapter) => adapter.host === name)?.hooks;
      if (!host || !isDraftOf(name, draft)) return undefined;
      const bytes = await readFile(path.join(folder, 'spool', draft)).catch(() => undefined);
      if (!bytes) return undefined;
      const payload = parseSpooled(bytes)?.payload;
      const project = host.callerOf(payload).project ?? host.read(payload)?.cwd ?? '/';
      const { policy } = await loadPolicy({ ...where, folder: project });
      const { printed, ...decided } = judgeCall(payload, { host, policyFor: () => policy, home, at: Date.now() });
      return settleSpooled(folder, draft, { ppid, ...decided }, since) ? printed : undefined;
    },
  };
}
