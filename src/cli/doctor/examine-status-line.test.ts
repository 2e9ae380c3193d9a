import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../core/index.ts';
import { writeHookStubs } from '../../hook/index.ts';
import { claudeCode } from '../../hosts/claude-code/index.ts';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { examineStatusLine } from './examine-hooks.ts';

const settings = claudeCode.hookSettings;
if (!settings?.statusLine) throw new Error('Claude Code has a status line');
const { statusLine } = settings;

/** Settings in which our line wraps one that must not be run. */
async function install() {
  const folder = makeTemporaryFolder("status-line-o'clock");
  const { statusLine: script } = await writeHookStubs(folder, {
    node: process.execPath,
    hookFile: path.resolve('dist/hook.cjs'),
  });
  const file = path.join(folder, 'settings.json');
  const before = `touch ${path.join(folder, 'ran')}; echo before`;
  const own = JSON.stringify({ statusLine: { type: 'command', command: before } });
  writeFileSync(file, statusLine.install(own, script));
  return { file, script };
}

async function examine(files: readonly string[], version = '0.1.0'): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for await (const finding of examineStatusLine(settings as never, files, version)) found.push(finding);
  return found;
}

const told = (found: readonly Finding[]) => found.map(({ code, level }) => `${level} ${code}`);

describe('the status line in doctor', () => {
  it('is tried without the command that it wraps', async () => {
    const { file } = await install();
    const found = await examine([path.join(path.dirname(file), 'none.json'), file]);
    expect(told(found)).toEqual(['good status-line']);
    expect(found[0]?.text).toContain('prints "$1.25');
    expect(found[0]?.text).not.toContain('before');
  });

  it('is a problem when its script is gone, is not ours, or fails', async () => {
    const { file, script } = await install();
    chmodSync(script, 0o600);
    expect(told(await examine([file]))).toEqual(['problem status-line-fails']);
    writeFileSync(script, '#!/bin/sh\nexit 0\n');
    expect(told(await examine([file]))).toEqual(['problem status-line-script']);
    rmSync(script);
    expect(told(await examine([file]))).toEqual(['problem status-line-script']);
  });

  it('is a warning when its script is of another version', async () => {
    const { file } = await install();
    expect(told(await examine([file], '0.2.0'))).toEqual(['warning status-line-script', 'good status-line']);
  });

  it('is not mentioned where it is not ours', async () => {
    const folder = makeTemporaryFolder('status-line');
    const file = path.join(folder, 'settings.json');
    writeFileSync(file, '{"statusLine":{"type":"command","command":"date"}}');
    expect(await examine([file])).toEqual([]);
  });
});
