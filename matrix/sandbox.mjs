// A throw-away home and project, and processes that never outlive them.
import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Every process of a sandbox inherits this variable; by it they are found and ended. */
const OWNER = 'TROUPE_MATRIX_SANDBOX';

const PROJECT_FILES = {
  'src/app.js': "// TODO: handle errors\nexport const app = () => 'hi';\n",
  'src/util.js': '// TODO: add tests\nexport const add = (a, b) => a + b;\n',
};

export class Sandbox {
  /** @param PATH with the folder of another Node in front, if the host needs one */
  constructor({ PATH = process.env.PATH } = {}) {
    this.base = mkdtempSync(path.join(os.tmpdir(), 'troupe-matrix-'));
    for (const name of ['home', 'project', 'temp', 'state', 'out']) {
      this[name] = path.join(this.base, name);
      mkdirSync(this[name]);
    }
    // Nothing is inherited but the PATH: no real key, proxy or setting can reach a host.
    this.env = { PATH, HOME: this.home, TMPDIR: this.temp, LANG: 'C.UTF-8', TERM: 'dumb', [OWNER]: this.base };
    this.processes = [];
    this.endings = [];
    for (const [name, text] of Object.entries(PROJECT_FILES)) this.write(path.join(this.project, name), text);
    this.git(['init', '-q', '-b', 'main'], ['add', '-A'], ['commit', '-q', '-m', 'start']);
    sandboxes.add(this);
  }

  write(file, text) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Starts a program in a process group of its own. @returns { pid, stdout, ended, kill } */
  start({ command, args, env, name, cwd = this.project, timeoutMs = 120_000 }) {
    const stdout = path.join(this.out, `${name}.stdout`);
    const startedAt = Date.now();
    const options = {
      cwd,
      env: { ...this.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    };
    const child = spawn(command, args, options);
    child.stdout.pipe(createWriteStream(stdout));
    child.stderr.pipe(createWriteStream(path.join(this.out, `${name}.stderr`)));
    const running = {
      pid: child.pid,
      name,
      startedAt,
      endedAt: null,
      stdout,
      kill: (signal) => killGroup(child.pid, signal),
    };
    this.processes.push(running);
    running.ended = new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        running.timedOut = true;
        killGroup(child.pid, 'SIGKILL');
      }, timeoutMs);
      child.on('error', reject);
      // 'close' comes after the last byte of output.
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        running.endedAt = Date.now();
        resolve({ code, signal, timedOut: running.timedOut === true });
      });
    });
    return running;
  }

  /** Ends with the sandbox: servers and terminals, which are not programs of the host. */
  atEnd(end) {
    this.endings.push(end);
  }

  git(...commands) {
    const who = { GIT_AUTHOR_NAME: 'matrix', GIT_AUTHOR_EMAIL: 'matrix@example.invalid' };
    const env = { ...this.env, ...who, GIT_COMMITTER_NAME: 'matrix', GIT_COMMITTER_EMAIL: 'matrix@example.invalid' };
    for (const args of commands)
      execFileSync('git', args, { cwd: this.project, env: { ...env, GIT_CONFIG_NOSYSTEM: '1' } });
  }

  /** Ends every process that was started here, also those that left their group. */
  endAll() {
    for (const end of this.endings) safely(end);
    for (const { pid, endedAt } of this.processes) if (pid && endedAt === null) killGroup(pid, 'SIGKILL');
    for (const pid of findOwned(this.base)) kill(pid, 'SIGKILL');
  }

  remove() {
    this.endAll();
    sandboxes.delete(this);
    rmSync(this.base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

const sandboxes = new Set();

/** For Ctrl-C: no process and no folder of a running cell stays behind. */
export function removeAll() {
  for (const sandbox of [...sandboxes]) sandbox.remove();
}

/** Linux only; elsewhere the process groups have to do. */
function findOwned(base) {
  const wanted = `${OWNER}=${base}\0`;
  const pids = safely(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name))) ?? [];
  return pids
    .filter((pid) => safely(() => readFileSync(`/proc/${pid}/environ`, 'latin1').includes(wanted)))
    .map(Number);
}

const killGroup = (pid, signal) => kill(-pid, signal);

function kill(pid, signal) {
  safely(() => process.kill(pid, signal));
}

/** Processes may end between two lines of this file: errors mean that there is nothing left to do. */
function safely(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}
