import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createPaint } from '../../core/index.ts';
import { hashOf } from '../../hosts/codex/hooks.ts';
import { handlersIn } from '../../hosts/shared/index.ts';
import { ADAPTERS } from '../../hosts/testing/all-hosts.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { formatHooksStatus } from '../format/index.ts';
import { createHooksControl, type HooksControl } from './hooks-control.ts';

// A host that runs hooks only after its person has agreed to them there.

let base: string;
beforeEach(() => {
  base = makeTemporaryFolder('approval');
});

const at = (...parts: string[]): string => path.join(base, ...parts);
const host = 'codex';

function control(): HooksControl {
  mkdirSync(at('project'), { recursive: true });
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
    findEvidence: async () => ({ heard: [], unheard: undefined }),
    longestWaitMs: async () => 0,
    writeStubs: async () => {
      mkdirSync(at('state', 'bin'), { recursive: true });
      for (const file of Object.values(stubs)) writeFileSync(file, '#!/bin/sh\n# troupe 0.1.0: x\n', { mode: 0o700 });
      return stubs;
    },
  });
}

it('the need for approval is shown on install, and reported until it is given', async () => {
  const plan = await control().planInstall({ host, scope: 'user', guard: true, hostVersion: '0.166.0' });
  expect(plan.approval).toContain('/hooks');
  await plan.apply();
  const file = at('home', '.codex', 'hooks.json');
  const before = await control().status({ host });
  expect(before).toMatchObject({
    isComplete: false,
    unapproved: [{ file, events: ['PreToolUse', 'PermissionRequest', 'SessionEnd'] }],
  });
  const lines = formatHooksStatus(before, createPaint('none'));
  expect(lines).toContain(`! Not run yet: PreToolUse, PermissionRequest, SessionEnd of ${file}.`);
  expect(before.loaded).toMatchObject({ state: 'not-loaded', reasons: [{ kind: 'unapproved' }] });
  expect(lines.at(-2)).toContain(
    `GUARD NOT LOADED, tool calls run UNGUARDED: Codex does not trust the hooks in ${file} yet.`,
  );
  expect(lines.at(-1)).toContain('start codex, type /hooks');

  const agreed = handlersIn(readFileSync(file, 'utf8')).map((handler) => {
    const label = { PreToolUse: 'pre_tool_use', PermissionRequest: 'permission_request', SessionEnd: 'session_end' }[
      handler.event
    ];
    return `[hooks.state."${file}:${label}:0:0"]\ntrusted_hash = "${hashOf(handler)}"\n`;
  });
  writeFileSync(at('home', '.codex', 'config.toml'), agreed.join('\n'));
  expect(await control().status({ host })).toMatchObject({ unapproved: [], loaded: { state: 'unproven' } });
});
