import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { callHook, recordedCalls } from './testing/host-call.ts';
import { programIn } from './testing/program.ts';

let base: string;
beforeEach(() => {
  base = makeTemporaryFolder('hooks');
  for (const folder of ['home', 'project', 'bin']) mkdirSync(path.join(base, folder));
});

interface Outcome {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program in a project, on a machine of its own; `claude` is whatever lies in `bin`. */
const troupe = (...args: readonly string[]): Promise<Outcome> => troupeWith({}, ...args);

async function troupeWith(other: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Outcome> {
  const env = {
    PATH: `${path.join(base, 'bin')}:/usr/bin:/bin`,
    HOME: path.join(base, 'home'),
    TROUPE_HOME: path.join(base, 'state'),
    ...other,
  };
  const program = programIn(path.join(base, 'home'), { env, cwd: path.join(base, 'project') });
  const { code, out, errors } = await program.run(['hooks', ...args]);
  return { code, stdout: out, stderr: errors };
}

function hostSays(words: string): void {
  const file = path.join(base, 'bin', 'claude');
  writeFileSync(file, `#!/bin/sh\necho '${words}'\n`);
  chmodSync(file, 0o755);
}

const own = (): string => path.join(base, 'home', '.claude', 'settings.json');
const readOwn = (): { hooks: Record<string, { hooks: { command: string }[] }[]> } =>
  JSON.parse(readFileSync(own(), 'utf8'));

describe('troupe hooks', () => {
  it('shows the change and writes nothing without a yes', async () => {
    hostSays('2.0.76 (Claude Code)');
    const { code, stdout, stderr } = await troupe('install');
    expect(code).toBe(2);
    expect(stdout).toContain(`--- /dev/null\n+++ ${own()}\n@@ -0,0 +1,`);
    expect(stdout).toContain('+    "SubagentStart": [');
    expect(stderr).toContain('there is nobody to ask');
    expect(existsSync(own())).toBe(false);
    expect((await troupe('install', '--dry-run')).code).toBe(0);
    expect(existsSync(own())).toBe(false);
  });

  it('installs what the version on the PATH knows, and takes it out again', async () => {
    hostSays('2.0.76 (Claude Code)');
    mkdirSync(path.dirname(own()));
    writeFileSync(own(), '{\n    "model": "opus"\n}\n');
    const { code, stdout } = await troupe('install', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('+    "model": "opus",');
    expect(readOwn().hooks).toHaveProperty('PermissionRequest');
    expect(readOwn().hooks).not.toHaveProperty('PostToolBatch');
    const before = await troupe('status');
    expect(before.stdout).toContain('! Installed, not yet seen working: No call of Claude Code has been recorded');
    expect(before.stdout).not.toContain('✓');
    expect(before.code).toBe(0);
    const [call = {}] = recordedCalls('2.0.76-parallel');
    callHook(own(), call);
    const after = await troupe('status');
    expect(after.stdout).toContain('✓ Active: Claude Code last called our hooks at ');
    expect(after.stdout).toContain('Everything that can be observed is.');
    expect((await troupe('install', '--yes')).stdout).toContain('there already');
    expect((await troupe('uninstall', '--yes')).code).toBe(0);
    expect(readFileSync(own(), 'utf8')).toBe('{\n    "model": "opus"\n}\n');
    expect((await troupe('status')).code).toBe(1);
  });

  it('says that an older host ignores hooks of a newer one, and repairs them', async () => {
    hostSays('2.1.50 (Claude Code)');
    await troupe('install', '--yes', '--scope', 'project', '--guard', '--host-version', '2.1.325');
    const { code, stdout } = await troupe('status');
    expect(code).toBe(1);
    expect(stdout).toContain('is not read by the host: Claude Code 2.1.50 does not know PermissionDenied');
    expect(stdout).toContain('Mend it with: troupe hooks install --scope project --guard');
    await troupe('install', '--yes', '--scope', 'project', '--guard');
    expect((await troupe('status')).code).toBe(0);
    // Newer ones leave out the event, and take the rest.
    hostSays('2.1.101 (Claude Code)');
    await troupe('install', '--yes', '--scope', 'project', '--guard', '--host-version', '2.1.325');
    expect((await troupe('status')).code).toBe(0);
  });

  it('installs what the oldest version supports when the version is unknown', async () => {
    const { stderr } = await troupe('install', '--yes');
    expect(stderr).toContain('--host-version');
    expect(Object.keys(readOwn().hooks)).not.toContain('SessionStart');
    await troupe('install', '--yes', '--host-version', '2.1.325');
    expect(Object.keys(readOwn().hooks)).toContain('StopFailure');
  });

  it('writes JSON for programs', async () => {
    hostSays('2.1.325 (Claude Code)');
    const { stdout } = await troupe('install', '--scope', 'local', '--guard', '--yes', '--json');
    const file = path.join(base, 'project', '.claude', 'settings.local.json');
    expect(JSON.parse(stdout)).toMatchObject({
      host: 'claude-code',
      version: '2.1.325',
      applied: true,
      changes: [{ scope: 'local', file, before: null, after: readFileSync(file, 'utf8') }],
    });
    const status = JSON.parse((await troupe('status', '--json')).stdout);
    expect(status).toMatchObject({ isComplete: true, shadows: [] });
    expect(status.places[2]).toMatchObject({ scope: 'local', guard: true });
  });

  it('lets an event reach the spool by the command that it wrote', async () => {
    await troupe('install', '--yes', '--host-version', '2.1.325');
    const command = readOwn().hooks['SubagentStart']?.[0]?.hooks[0]?.command ?? '';
    const child = promisify(execFile)('sh', ['-c', command], { env: { PATH: '/usr/bin:/bin' } });
    child.child.stdin?.end('{"hook_event_name":"SubagentStart"}');
    expect(await child).toEqual({ stdout: '', stderr: '' });
    const spool = path.join(base, 'state', 'spool');
    const [name = ''] = readdirSync(spool).filter((file) => file.endsWith('.json'));
    expect(name).toMatch(/^claude-code\.\d+\.\d+\.json$/);
    expect(readFileSync(path.join(spool, name), 'utf8')).toBe(
      `{"hook_event_name":"SubagentStart"}\n{"ppid":${process.pid}}\n`,
    );
  });

  it('says that a guard would only observe, and which of two entries to take out', async () => {
    hostSays('2.1.325 (Claude Code)');
    await troupe('install', '--yes', '--guard');
    expect((await troupe('install', '--dry-run')).stderr).toContain('without --guard it will only observe');
    await troupe('install', '--yes', '--scope', 'project');
    const { code, stdout } = await troupe('status');
    expect(code).toBe(1);
    expect(stdout).toContain('Mend it with: troupe hooks uninstall --scope project');
    await troupe('uninstall', '--yes', '--scope', 'project');
    expect((await troupe('status')).code).toBe(0);
  });

  it('says that nothing changed when there was nothing to do', async () => {
    expect(JSON.parse((await troupe('uninstall', '--yes', '--json')).stdout)).toMatchObject({
      applied: false,
      changes: [],
    });
  });

  it('does not take the folder at hand for the home folder', async () => {
    const { stdout } = await troupeWith({ HOME: '', TROUPE_HOME: '' }, 'status', '--json');
    const [user, project] = JSON.parse(stdout).places;
    expect([user.scope, path.isAbsolute(user.file)]).toEqual(['user', true]);
    expect(user.file).not.toBe(project.file);
  });

  it('refuses in words that help', async () => {
    mkdirSync(path.dirname(own()));
    writeFileSync(own(), '{ // mine\n}');
    const { code, stderr } = await troupe('install', '--yes');
    expect(code).toBe(2);
    expect(stderr).toContain('ignores such a file as a whole');
    expect((await troupe('install', '--host', 'cursor')).stderr).toContain('It does for: claude-code');
    expect((await troupe('install', '--host-version', 'new')).code).toBe(2);
    const tooOld = await troupe('install', '--host-version', '0.2.9', '--scope', 'project');
    expect(tooOld).toMatchObject({ code: 2, stderr: expect.stringContaining('Claude Code 0.2.9 has no hooks.') });
  });
});
