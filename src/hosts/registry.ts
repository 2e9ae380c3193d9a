import type { HostDescription, SourceAdapter } from './adapter.ts';
import { claudeCodeHost } from './claude-code/host.ts';
import { codexHost } from './codex/host.ts';
import { copilotHost } from './copilot/host.ts';
import { geminiHost } from './gemini/host.ts';
import { opencodeHost } from './opencode/host.ts';
import { qwenHost } from './qwen/host.ts';

/**
 * Every host that troupe reads. Exactly one claims a file; the first that does wins. An adapter loads its host's code when `locate`
 * meets a data folder that may hold sessions of it, or on `load`. Until then it has no readers and no capabilities: await
 * `loadHosts` before you ask for those without having located anything.
 */
export const ADAPTERS: readonly SourceAdapter[] = [
  lazy(claudeCodeHost, async () => (await import('./claude-code/index.ts')).claudeCode),
  lazy(codexHost, async () => (await import('./codex/index.ts')).codex),
  lazy(opencodeHost, async () => (await import('./opencode/index.ts')).opencode),
  lazy(copilotHost, async () => (await import('./copilot/index.ts')).copilot),
  lazy(geminiHost, async () => (await import('./gemini/index.ts')).gemini),
  lazy(qwenHost, async () => (await import('./qwen/index.ts')).qwen),
];

export async function loadHost(name: string): Promise<SourceAdapter | undefined> {
  return ADAPTERS.find(({ host }) => host === name)?.load?.();
}

export function loadHosts(): Promise<readonly SourceAdapter[]> {
  return Promise.all(ADAPTERS.map(async (adapter) => (await adapter.load?.()) ?? adapter));
}

function lazy(description: HostDescription, importHost: () => Promise<SourceAdapter>): SourceAdapter {
  let loaded: SourceAdapter | undefined;
  const load = async (): Promise<SourceAdapter> => {
    loaded ??= await importHost();
    return loaded;
  };
  const own: Pick<SourceAdapter, keyof HostDescription | 'load' | 'locate'> = {
    ...description,
    load,
    locate: async (root) =>
      (await description.mayHold(root)) ? (await load()).locate(root) : { sessions: [], ignoredFiles: [] },
  };
  return new Proxy(own as SourceAdapter, {
    get: (target, key: keyof SourceAdapter) => (key in target ? target[key] : loaded?.[key]),
  });
}
