// The built troupe, as a command and as a server.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const program = path.join(root, 'dist/troupe.js');

/** Everything that the build reads. */
const SOURCES = ['src', 'web', 'scripts', 'package.json'];

/** Builds troupe if a source is newer than the build. A build takes the program away from another run for a moment. */
export function ensureBuilt() {
  const builtAt = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (SOURCES.every((name) => newestIn(path.join(root, name)) < builtAt)) return;
  execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function newestIn(entry) {
  const stats = statSync(entry);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(entry).map((name) => newestIn(path.join(entry, name))));
}

export class Troupe {
  /** It sees the home of the sandbox and nothing else. */
  constructor(sandbox) {
    this.sandbox = sandbox;
    this.env = { ...sandbox.env, TROUPE_HOME: sandbox.state };
  }

  /** @returns { code, stdout, stderr } */
  run(args, input) {
    return new Promise((resolve) => {
      const options = { env: this.env, cwd: this.sandbox.project, maxBuffer: 256 << 20, timeout: 60_000 };
      const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
        resolve({ code: error ? (error.code ?? 1) : 0, stdout, stderr }),
      );
      child.stdin.on('error', () => {});
      child.stdin.end(input);
    });
  }

  async json(args) {
    const { code, stdout, stderr } = await this.run([...args, '--json']);
    if (code !== 0) throw new Error(`troupe ${args.join(' ')} failed (exit code ${code}): ${stderr.trim()}`);
    return JSON.parse(stdout);
  }

  /** @returns { url, token, stop } */
  async serve() {
    const { env } = this;
    const child = spawn(process.execPath, [program, '--no-open', '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.sandbox.atEnd(() => child.kill('SIGKILL'));
    const ended = new Promise((resolve) => child.on('close', resolve));
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    let printed = '';
    for await (const chunk of child.stdout) {
      printed += chunk;
      if (printed.trimEnd().endsWith('}')) break;
    }
    const file = path.join(this.sandbox.state, 'daemon.json');
    if (!existsSync(file)) throw new Error(`The troupe server did not start: ${errors.trim()}`);
    const { port, token } = JSON.parse(readFileSync(file, 'utf8'));
    const stop = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    return { url: `http://127.0.0.1:${port}`, token, stop };
  }
}
