import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { isProcessAlive, isRunning, linuxAncestry, linuxStart, variableOf } from './processes.ts';

let parent: ChildProcess | undefined;
afterEach(() => void parent?.kill('SIGKILL'));

/** A child that has ended, of a parent that does not ask how: its number. */
async function startZombie(): Promise<number> {
  parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = await new Promise<number>((resolve) => parent?.stdout?.once('data', (text) => resolve(Number(text))));
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
  return pid;
}

describe('process checks', () => {
  it.runIf(process.platform === 'linux')('read the environment that a process was started with', async () => {
    parent = spawn('sleep', ['60'], { env: { ...process.env, TROUPE_TEST: 'a=b c' } });
    const pid = parent.pid ?? 0;
    await expect.poll(() => variableOf(pid, 'TROUPE_TEST')).toBe('a=b c');
    expect(variableOf(pid, 'TROUPE_TES')).toBeUndefined();
    expect(variableOf(2 ** 30, 'PATH')).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')(
    'name a program by the first word of the title that it gave itself',
    async () => {
      const names = async (title: string) => {
        const program = `process.title = ${JSON.stringify(title)}; console.log(1); setInterval(() => {}, 1000)`;
        parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
        await new Promise((resolve) => parent?.stdout?.once('data', resolve));
        const found = linuxAncestry(parent.pid ?? 0)[0]?.names;
        parent.kill('SIGKILL');
        return found;
      };
      expect(await names('npm run check src/hosts/opencode')).not.toContain('opencode');
      expect(await names('npm run a/codex')).not.toContain('codex');
      expect(await names('claude')).toContain('claude');
      expect(await names('/opt/bin/gemini --yolo')).toContain('gemini');
    },
  );

  it('report a process as alive when number and start time match', async () => {
    const startedAt = Math.round(performance.timeOrigin);
    const procStart = await linuxStart(process.pid);
    expect(isRunning(process.pid)).toBe(true);
    expect(await isProcessAlive({ pid: process.pid, startedAt })).toBe(true);
    expect(await isProcessAlive({ pid: process.pid, startedAt: startedAt - 3_600_000 })).toBe(false);
    if (procStart !== undefined) {
      expect(await isProcessAlive({ pid: process.pid, procStart })).toBe(true);
      expect(await isProcessAlive({ pid: process.pid, procStart: `${procStart}1` })).toBe(false);
    }
    for (const pid of [0, -1, 1.5, 2 ** 22 + 1]) expect(isRunning(pid)).toBe(false);
  });

  it.runIf(process.platform === 'linux')(
    'report an ended process as not alive before its parent has collected it',
    async () => {
      const pid = await startZombie();
      const procStart = (await linuxStart(pid)) ?? '';
      expect(procStart).not.toBe('');
      expect(isRunning(pid)).toBe(false);
      expect(await isProcessAlive({ pid, procStart })).toBe(false);
      expect(await isProcessAlive({ pid, startedAt: Date.now() })).toBe(false);
    },
  );
});
