import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { until } from '../src/lib/testing/waiting.ts';
import { programIn } from './testing/program.ts';
import { writeQuietProgram } from './testing/quiet-program.ts';

// The built program: what goes in comes out, what the program does happens, and events are beside it.

const root = fileURLToPath(new URL('..', import.meta.url));
const troupe = path.join(root, 'dist/troupe.js');
const recorded = path.join(root, 'src/sessions/stream/fixtures/claude-code-2.1.325-nested.jsonl');

let folder = '';
beforeEach(async () => {
  folder = makeTemporaryFolder('shadow');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ownFolders = () => ({ TROUPE_HOME: path.join(folder, 'state'), CLAUDE_CONFIG_DIR: folder });
const env = () => ({ ...process.env, HOME: folder, ...ownFolders() });

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A shell line in which `$T` is troupe. */
async function shell(line: string, args: readonly string[] = []): Promise<Ended> {
  const child = spawn('bash', ['-c', line, 'bash', ...args], {
    cwd: folder,
    env: { ...env(), T: `${process.execPath} ${troupe}`, F: recorded },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => out.push(data));
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout: Buffer.concat(out), stderr };
}

const typesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).type);

const NESTED = { subagent_spawned: 3, subagent_completed: 3, session_started: 1, result: 1, stream_ended: 1 };

function expectNested(types: readonly string[]): void {
  const counts = Object.fromEntries(
    Object.keys(NESTED).map((type) => [type, types.filter((one) => one === type).length]),
  );
  expect(counts).toEqual(NESTED);
}

describe('troupe stream', () => {
  it('writes events to stdout', async () => {
    const { stdout, code } = await shell('$T stream < "$F"');
    expect(code).toBe(0);
    expectNested(typesIn(stdout.toString()));
  });

  it('--tee passes everything through, torn and foreign lines included, and counts them', async () => {
    const input = Buffer.concat([
      Buffer.from('\u0000\uFEFFwords\r\n\n'),
      readFileSync(recorded),
      Buffer.from('{"type":"as'),
    ]);
    writeFileSync(path.join(folder, 'in'), input);
    const { stdout, stderr, code } = await shell('$T stream --tee --events 3 < in 3> events');
    expect(stdout.equals(input)).toBe(true);
    expect(code).toBe(0);
    const events = readFileSync(path.join(folder, 'events'), 'utf8');
    expectNested(typesIn(events));
    expect(events).toContain('"malformed_lines":2');
    expect(stderr).toBe('troupe: 2 of 31 lines were not understood.\n');
  });

  it('with --tee events go to stderr, and --tree takes their place', async () => {
    const events = await shell('$T stream --tee < "$F" | cmp - "$F"');
    expect(events.code).toBe(0);
    expectNested(typesIn(events.stderr));
    const tree = await shell('$T stream --tee --tree < "$F" | cmp - "$F"');
    expect(tree.stderr).toContain('└─ ✓ Audit the repo');
  });

  it('is not blocked by a reader that does not read', async () => {
    // The producer is done, and says so, while nothing of what it wrote was read.
    const line = `( for i in $(seq 400); do cat "$F"; done; touch done ) | $T stream --tee --no-disk --events /dev/null |
      ( until [ -e done ]; do sleep 0.05; done; md5sum )`;
    const { stdout, code } = await shell(line);
    expect(code).toBe(0);
    const bare = await shell('for i in $(seq 400); do cat "$F"; done | md5sum');
    expect(stdout.toString()).toBe(bare.stdout.toString());
  });

  it('says so when no line shows whose stream it is', async () => {
    const { stdout, stderr, code } = await shell('echo hello | $T stream');
    expect([stdout.toString(), code]).toEqual(['', 1]);
    expect(stderr).toContain('Name the host with --host.');
    expect((await shell('echo hello | $T stream --host nobody')).stderr).toContain('does not know the host «nobody»');
  });
});

describe('troupe run', () => {
  it('prints what the program prints, and ends with its code', async () => {
    const line = '$T run --events events -- bash -c \'cat "$F"; echo to stderr >&2; printf end; exit 7\'';
    const { stdout, stderr, code } = await shell(line);
    expect(code).toBe(7);
    expect(stdout.equals(Buffer.concat([readFileSync(recorded), Buffer.from('end')]))).toBe(true);
    expect(stderr).toBe('to stderr\n');
    expectNested(typesIn(readFileSync(path.join(folder, 'events'), 'utf8')));
  });

  it('its flags are its own', async () => {
    const { stdout } = await shell('$T run --no-disk printf "%s " --tree -- --help -x');
    expect(stdout.toString()).toBe('--tree -- --help -x ');
  });

  it('leaves a record for its owner only, without credentials', async () => {
    await shell(
      '$T run bash -c \'cat "$F"\' sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJKKKKLLLLMMMMNNNNOOOOPPPPQQQQRRRRSSSSTTTTUUUUVVVVWWWW-XXXXYYAA',
    );
    const [name = ''] = readdirSync(path.join(folder, 'state/runs'));
    const file = path.join(folder, 'state/runs', name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    const types = typesIn(text);
    expect([types[0], types.at(-1)]).toEqual(['run_started', 'run_ended']);
    expectNested(types);
    expect(text).not.toContain('AAAABBBB');
    const [session = ''] = readdirSync(path.join(folder, 'state/streams/claude-code'));
    expect(statSync(path.join(folder, 'state/streams/claude-code', session)).mode & 0o777).toBe(0o600);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s goes to the program, and troupe ends as it does',
    async (signal) => {
      const troupe = programIn(folder, { env: ownFolders(), cwd: folder });
      const { child, out, ended } = troupe.start(['run', '--', 'bash', '-c', 'echo $$; : > up; exec sleep 60']);
      await until(() => existsSync(path.join(folder, 'up')), 'the program');
      child.kill(signal);
      expect(await ended).toBe(signal);
      expect(() => process.kill(Number(out()), 0)).toThrow();
    },
  );

  it('what the program makes of a signal is what counts', async () => {
    const trapped = 'trap "exit 5" TERM; touch up; while :; do sleep 0.05; done';
    const { code } = await shell(
      '$T run -- bash -c "$1" & until [ -e up ]; do sleep 0.02; done; kill -TERM $!; wait $!',
      [trapped],
    );
    expect(code).toBe(5);
  });

  it('says so when there is no such program', async () => {
    const { stderr, code } = await shell('$T run nosuchprogram');
    expect(code).toBe(2);
    expect(stderr).toContain('«nosuchprogram» did not start: there is no such program.');
  });

  it('hands the program the id of the run', async () => {
    const { stdout } = await shell('$T run -- printenv TROUPE_RUN');
    expect(readdirSync(path.join(folder, 'state/runs'))).toEqual([`${stdout.toString().trim()}.jsonl`]);
  });

  it('without a stream, follows the files of the session that begins', async () => {
    const program = writeQuietProgram(folder, { awaited: path.join(folder, 'events') });
    writeFileSync(path.join(folder, 'go'), '');
    const { stdout, code } = await shell(`$T run --events events -- "${program}"`);
    expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/^line 1 of it\n.*The answer\.\n$/s)]);
    const events = readFileSync(path.join(folder, 'events'), 'utf8');
    const { result: _, ...counts } = NESTED;
    const types = typesIn(events);
    for (const [type, count] of Object.entries(counts)) expect(types.filter((one) => one === type)).toHaveLength(count);
    expect(events).toContain('fa129e50-d574-4fea-bbfe-0dd74bbd38cd');
  });

  it('follows none when several sessions begin', async () => {
    const program = writeQuietProgram(folder, { sessions: 2 });
    writeFileSync(path.join(folder, 'go'), '');
    const { stdout, code } = await shell(`$T run --events events -- "${program}"`);
    expect([code, stdout.toString()]).toEqual([0, expect.stringContaining('The answer.')]);
    expect(readFileSync(path.join(folder, 'events'), 'utf8')).toBe('');
  });
});
