import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HookScope, HooksLoaded } from '../../core/index.ts';
import { hashOf } from '../../hosts/codex/hooks.ts';
import { handlersIn } from '../../hosts/shared/index.ts';
import { ADAPTERS } from '../../hosts/testing/all-hosts.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { createHooksControl, type HooksControl } from './hooks-control.ts';

// What keeps each host from running an installed guard, though its hook was called a moment ago. Every row was tried with the real
// program (docs/HOOKS.md has the versions).

let base: string;
beforeEach(() => {
  base = makeTemporaryFolder('obstacles');
  mkdirSync(at('project'), { recursive: true });
});

const at = (...parts: string[]): string => path.join(base, ...parts);

function control(): HooksControl {
  const stubs = {
    observe: at('state', 'bin', 'observe'),
    guard: at('state', 'bin', 'guard'),
    statusLine: at('state', 'bin', 'statusline'),
  };
  return createHooksControl({
    adapters: ADAPTERS,
    machine: { env: {}, home: at('home') },
    folder: at('project'),
    state: at('state'),
    version: '0.1.0',
    clock: () => Date.UTC(2026, 10, 15),
    policy: at('config', 'policy.yaml'),
    stubs,
    findEvidence: async ({ since }) => ({
      heard: [{ at: since + 1_000, session: 's', hostVersion: undefined }],
      unheard: undefined,
    }),
    longestWaitMs: async () => 0,
    writeStubs: async () => {
      mkdirSync(at('state', 'bin'), { recursive: true });
      for (const file of Object.values(stubs)) writeFileSync(file, '#!/bin/sh\n# troupe 0.1.0: x\n', { mode: 0o700 });
      return stubs;
    },
  });
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const merge = (file: string, more: object): void =>
  write(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...more }));

async function installed(host: string, scope: HookScope, change: () => void = () => undefined): Promise<HooksLoaded> {
  const versions: Record<string, string> = { 'claude-code': '2.1.325', codex: '0.166.0', opencode: '1.18.33' };
  const hostVersion = versions[host] ?? '9.9.9';
  await (await control().planInstall({ host, scope, guard: true, hostVersion })).apply();
  if (host === 'codex') trust(scope === 'user' ? at('home', '.codex') : at('project', '.codex'));
  change();
  return (await control().status({ host })).loaded;
}

/** As /hooks of Codex does. */
function trust(folder: string): void {
  const file = path.join(folder, 'hooks.json');
  const label = (event: string): string => event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  const agreed = handlersIn(readFileSync(file, 'utf8')).map(
    (handler) =>
      `[hooks.state.${JSON.stringify(`${file}:${label(handler.event)}:${handler.group}:${handler.place}`)}]\ntrusted_hash = "${hashOf(handler)}"\n`,
  );
  write(at('home', '.codex', 'config.toml'), agreed.join(''));
}

const codexConfig = (text: string) => () => {
  const file = at('home', '.codex', 'config.toml');
  write(file, `${text}\n${readFileSync(file, 'utf8')}`);
};
const projectTrust = (level: string): string =>
  `[projects.${JSON.stringify(at('project'))}]\ntrust_level = "${level}"\n`;
const geminiSettings = (): string => at('home', '.gemini', 'settings.json');
const guardOfGemini = (): string =>
  JSON.parse(readFileSync(geminiSettings(), 'utf8')).hooks.BeforeTool[0].hooks[0].command;
const distrust = (folder: string, rule = 'DO_NOT_TRUST') =>
  write(at('home', folder, 'trustedFolders.json'), JSON.stringify({ [at('project')]: rule }));
const copilotTrusts = (...folders: readonly string[]) =>
  write(at('home', '.copilot', 'config.json'), `// managed\n${JSON.stringify({ trustedFolders: folders })}`);

describe('an installed guard that was called before', () => {
  it.each(['claude-code', 'codex', 'opencode', 'copilot', 'gemini', 'qwen'])('is active in %s', async (host) => {
    expect(await installed(host, 'user')).toMatchObject({ state: 'active', role: 'guard' });
  });

  const AGAINST: readonly (readonly [what: string, host: string, scope: HookScope, change: () => void])[] = [
    [
      'disableAllHooks',
      'claude-code',
      'user',
      () => merge(at('home', '.claude', 'settings.json'), { disableAllHooks: true }),
    ],
    [
      'disableAllHooks in the project',
      'claude-code',
      'user',
      () => write(at('project', '.claude', 'settings.local.json'), '{"disableAllHooks":true}'),
    ],
    ['disableAllHooks', 'qwen', 'user', () => merge(at('home', '.qwen', 'settings.json'), { disableAllHooks: true })],
    ['hooksConfig.enabled', 'gemini', 'user', () => merge(geminiSettings(), { hooksConfig: { enabled: false } })],
    [
      'hooksConfig.disabled',
      'gemini',
      'user',
      () =>
        write(
          at('project', '.gemini', 'settings.json'),
          JSON.stringify({ hooksConfig: { disabled: [guardOfGemini()] } }),
        ),
    ],
    ['a folder that is not trusted', 'gemini', 'user', () => distrust('.gemini')],
    [
      'a folder that is not trusted',
      'qwen',
      'project',
      () => {
        distrust('.qwen');
        write(at('home', '.qwen', 'settings.json'), '{"security":{"folderTrust":{"enabled":true}}}');
      },
    ],
    ['a folder that is not trusted', 'copilot', 'project', () => copilotTrusts('/elsewhere')],
    [
      'disableAllHooks in our file',
      'copilot',
      'user',
      () => merge(at('home', '.copilot', 'hooks', 'troupe.json'), { disableAllHooks: true }),
    ],
    ['features.hooks', 'codex', 'user', codexConfig('[features]\nhooks = false # off')],
    ['features.codex_hooks', 'codex', 'user', codexConfig('[features]\nother = true\ncodex_hooks=false')],
    ['a dotted key', 'codex', 'user', codexConfig('features.hooks = false')],
    ['an inline table', 'codex', 'user', codexConfig('features = { multi_agent = true, hooks = false }')],
    [
      "the project's config.toml",
      'codex',
      'user',
      () => write(at('project', '.codex', 'config.toml'), '[features]\n"hooks" = false\n'),
    ],
    ['an untrusted project', 'codex', 'project', () => codexConfig(projectTrust('untrusted'))()],
    ['a hook that is not trusted', 'codex', 'user', () => write(at('home', '.codex', 'config.toml'), '')],
  ];

  it.each(AGAINST)('is not loaded because of %s (%s, %s)', async (_what, host, scope, change) => {
    const { state, reasons } = await installed(host, scope, change);
    expect(state).toBe('not-loaded');
    expect(reasons[0]?.remedy).not.toBe('');
  });

  const NOT_AGAINST: typeof AGAINST = [
    ['features.hooks is on', 'codex', 'user', codexConfig('[features]\nhooks = true')],
    ['hooks of another table are off', 'codex', 'user', codexConfig('[tools]\nhooks = false')],
    ['a comment says so', 'codex', 'user', codexConfig('[features]\n# hooks = false')],
    ['a trusted project', 'codex', 'project', () => codexConfig(projectTrust('trusted'))()],
    ['an untrusted project, with hooks of the person', 'codex', 'user', () => codexConfig(projectTrust('untrusted'))()],
    ['other disabled hooks', 'gemini', 'user', () => merge(geminiSettings(), { hooksConfig: { disabled: ['other'] } })],
    ['a trusted folder', 'gemini', 'user', () => distrust('.gemini', 'TRUST_FOLDER')],
    ['no folder trust at all', 'qwen', 'project', () => distrust('.qwen')],
    ['a trusted folder above', 'copilot', 'project', () => copilotTrusts(base)],
  ];

  it.each(NOT_AGAINST)('stays active: %s (%s, %s)', async (_what, host, scope, change) => {
    expect(await installed(host, scope, change)).toMatchObject({ state: 'active', reasons: [] });
  });
});
