// A program in a terminal, as a person uses it. tmux is the terminal; its server belongs to the sandbox.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const COLUMNS = '140';
const ROWS = '50';
/** The screen of a program that waits for input stays the same for this long. */
const STILL_MS = 1_000;

export const hasTmux = () => {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

export class Terminal {
  /** @param seesTmux the program may open panes of its own */
  constructor({ sandbox, command, args, env, name, seesTmux = false }) {
    this.sandbox = sandbox;
    this.name = name;
    this.socket = path.join(sandbox.base, `${name}.sock`);
    this.exitFile = path.join(sandbox.out, `${name}.exit`);
    this.env = { ...sandbox.env, ...env, TERM: 'xterm-256color' };
    // A first session keeps the server alive after the program has ended, so that its screen can still be read.
    this.tmux('new-session', '-d', '-s', 'keep', '-x', COLUMNS, '-y', ROWS, 'sleep', '3600');
    this.tmux('set-option', '-g', 'remain-on-exit', 'on');
    const hidden = seesTmux ? [] : ['env', '-u', 'TMUX', '-u', 'TMUX_PANE'];
    const shell = ['sh', '-c', '"$@"; echo $? > "$0"', this.exitFile, ...hidden, command, ...args];
    const size = ['-x', COLUMNS, '-y', ROWS, '-c', sandbox.project];
    // The program may open more panes and make another one active.
    this.pane = this.tmux('new-session', '-d', '-s', 'run', ...size, '-P', '-F', '#{pane_id}', ...shell).trim();
    /** The same shape as the processes of the sandbox. */
    this.process = { name, startedAt: Date.now(), endedAt: null };
    sandbox.processes.push(this.process);
    sandbox.atEnd(() => this.tmux('kill-server'));
  }

  tmux(...words) {
    const options = { env: this.env, cwd: this.sandbox.project, stdio: ['ignore', 'pipe', 'pipe'] };
    return execFileSync('tmux', ['-u', '-S', this.socket, '-f', '/dev/null', ...words], options).toString();
  }

  screen() {
    return this.tmux('capture-pane', '-p', '-t', this.pane);
  }

  press(key) {
    this.tmux('send-keys', '-t', this.pane, key);
  }

  /** Types a line. Enter is pressed once the text is on the screen. */
  async enter(text) {
    const bare = (string) => string.replace(/\s+/g, '');
    this.tmux('send-keys', '-t', this.pane, '-l', '--', text);
    await until(() => bare(this.screen()).includes(bare(text)), 5_000);
    await sleep(400);
    this.press('Enter');
  }

  /** The screen shows something, and has stayed the same for a moment. */
  async still(ms = STILL_MS) {
    let last = null;
    let since = Date.now();
    await until(() => {
      const now = withoutClocks(this.screen());
      if (now !== last || now.trim() === '') since = Date.now();
      last = now;
      return this.hasEnded() || Date.now() - since >= ms;
    }, 30_000);
  }

  hasEnded() {
    if (!existsSync(this.exitFile)) return false;
    this.process.endedAt ??= Date.now();
    return true;
  }

  /** @returns whether the program has ended in time */
  untilEnded(ms) {
    return until(() => this.hasEnded(), ms);
  }

  /** Ends the program and the shell that waits for it. */
  kill(signal) {
    const pid = Number(this.tmux('display-message', '-p', '-t', this.pane, '#{pane_pid}'));
    process.kill(-pid, signal);
    this.process.endedAt = Date.now();
  }

  close() {
    try {
      writeFileSync(path.join(this.sandbox.out, `${this.name}.screen`), this.screen());
      this.tmux('kill-server');
    } catch {
      // The server has ended before.
    }
    this.process.endedAt ??= Date.now();
  }
}

/** Counters and spinners move as long as a sub-agent works in the background. */
const withoutClocks = (screen) => screen.replace(/[\d✢✳✶✻✽·∙●○◐◓◑◒⠁-⣿]+|\b[hms]\b/g, '');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition, ms) {
  const end = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > end) return false;
    await sleep(100);
  }
  return true;
}
