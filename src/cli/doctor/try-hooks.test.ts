import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openGuardLog } from '../../audit/index.ts';
import { type Finding, formatHookCommand, type HooksStatus } from '../../core/index.ts';
import { writeHookStubs } from '../../hook/index.ts';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { codex } from '../../hosts/codex/index.ts';
import { copilot } from '../../hosts/copilot/index.ts';
import { gemini } from '../../hosts/gemini/index.ts';
import type { HooksCapability, SourceAdapter } from '../../hosts/index.ts';
import { qwen } from '../../hosts/qwen/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { tryHooks } from './examine-hooks.ts';

let state: string;
beforeEach(() => {
  state = makeTemporaryFolder('try');
});

/** What is found with this command in front of calls, told to the real audit. */
async function tryCommand(
  command: string,
  hostVersion: string | null,
  adapter: SourceAdapter = claudeCode,
): Promise<Finding | undefined> {
  const hooks = adapter.hooks as HooksCapability;
  const status: HooksStatus = {
    host: adapter.host,
    hostTitle: adapter.title,
    hostVersion,
    version: '0.1.0',
    events: [],
    places: [],
    shadows: [],
    doubled: [],
    beforeCalls: [{ role: 'observe', command }],
    impatient: [],
    unapproved: [],
    scripts: [],
    loaded: { state: 'active', role: 'observe', installedAt: null, lastCall: null, reasons: [] },
    isComplete: true,
  };
  const log = openGuardLog({ folder: state, places: [], clock: Date.now });
  const found: Finding[] = [];
  for await (const finding of tryHooks({ hooks, status, log })) found.push(finding);
  expect(found).toHaveLength(1);
  return found[0];
}

async function observer(host = 'claude-code'): Promise<string> {
  const { observe } = await writeHookStubs(state, { node: process.execPath, hookFile: '/nowhere/hook.cjs' });
  return formatHookCommand({ role: 'observe', file: observe, version: '0.1.0' }, host);
}

describe('a trial call', () => {
  it.each([
    { adapter: codex, version: '0.166.0', text: 'both are in the audit, each under its name' },
    { adapter: qwen, version: '0.24.4', text: 'both are in the audit, each under its name' },
    { adapter: copilot, version: '1.0.102', text: 'the other as of an unknown agent' },
    {
      adapter: gemini,
      version: '0.61.0',
      text: 'both are in the audit, as of an unknown agent: this host never says who calls',
    },
  ])('of $adapter.title proves what the host reports', async ({ adapter, version, text }) => {
    const found = await tryCommand(await observer(adapter.host), version, adapter);
    expect(found).toMatchObject({ level: 'good', code: 'hooks-proven' });
    expect(found?.text).toContain(text);
  });

  it('proves that main agent and sub-agent are named when the host names them', async () => {
    const found = await tryCommand(await observer(), '2.1.325');
    expect(found).toMatchObject({ level: 'good', code: 'hooks-proven' });
    expect(found?.text).toContain('both are in the audit, each under its name');
  });

  it.each(['2.1.68', '2.0.76', '1.0.60'])('claims only what was shown for %s', async (version) => {
    const found = await tryCommand(await observer(), version);
    expect(found).toMatchObject({ level: 'good', code: 'hooks-proven' });
    expect(found?.text).toContain("the other as the main agent's, which is a guess");
  });

  it('claims only what was shown when the version is unknown', async () => {
    const found = await tryCommand(await observer(), null);
    expect(found).toMatchObject({ level: 'good', code: 'hooks-proven' });
    expect(found?.text).not.toContain('each under its name');
  });

  it('runs the exact text of the settings', async () => {
    const command = (await observer()).replace(/exec .* # /, 'exec /bin/true # ');
    const found = await tryCommand(command, '2.1.325');
    expect(found).toMatchObject({ level: 'problem', code: 'hooks-unheard' });
    expect(found?.text).toBe(
      'A call of the main agent and a call of a sub-agent went through the installed observe command, but are not in the audit.',
    );
  });

  it('shows the output of a command that fails', async () => {
    const found = await tryCommand('echo no such luck >&2; exit 3', '2.1.325');
    expect(found).toMatchObject({ level: 'problem', code: 'hooks-fail', remedy: 'troupe hooks install' });
    expect(found?.text).toContain('no such luck');
    expect((await tryCommand('exit 3', '2.1.325'))?.text).toContain('it ended with code 3');
  });

  it('reports it when one of the two calls is lost', async () => {
    const file = path.join(state, 'once');
    writeFileSync(
      file,
      `#!/bin/sh\nif [ -e ${state}/seen ]; then exit 0; fi\n: > ${state}/seen\n${await observer()}\n`,
    );
    chmodSync(file, 0o700);
    const found = await tryCommand(file, '2.1.325');
    expect(found?.text).toBe(
      'A call of a sub-agent went through the installed observe command, but is not in the audit.',
    );
  });

  it('says why the audit log does not accept it', async () => {
    const command = await observer();
    writeFileSync(path.join(state, 'audit'), 'not a folder');
    expect(await tryCommand(command, '2.1.325')).toMatchObject({ level: 'problem', code: 'hooks-unheard' });
  });
});
