import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createKeyReader, type Key } from '../tui/keys.ts';
import { createEmulator } from '../tui/testing/emulator.ts';
import { type Host, hasScreen, openScreen } from './screen.ts';

/** A process with a terminal, as far as a screen can tell. */
function createHost(platform = 'linux') {
  const terminal = createEmulator({ columns: 20, rows: 5 });
  const kills: (readonly [number, string])[] = [];
  const raw: boolean[] = [];
  const line = { isRaw: false };
  const setRawMode = (on: boolean): void => {
    // As libuv: what it believes to be so already, it does not set.
    if (on !== (raw.at(-1) ?? false)) line.isRaw = on;
    raw.push(on);
  };
  const stdin = Object.assign(new PassThrough(), { setRawMode });
  const stdout = { columns: 20, rows: 5, write: terminal.write };
  const events = new EventEmitter();
  const host = Object.assign(events, {
    stdin,
    stdout,
    pid: 4711,
    platform,
    kill(pid: number, signal: string) {
      if (signal === 'SIGWINCH') changeSize();
      else kills.push([pid, signal]);
    },
  });
  const window = { columns: 20, rows: 5 };
  /** As Node: only this signal makes it look at the window again. */
  const changeSize = (): void => {
    Object.assign(stdout, window);
    events.emit('SIGWINCH');
  };
  const fresh = [...terminal.modes()];
  return {
    host: host as unknown as Host & EventEmitter,
    terminal,
    kills,
    raw,
    line,
    window,
    changeSize,
    stdin,
    isAsFound: () =>
      raw.at(-1) === false &&
      fresh.length === terminal.modes().size &&
      fresh.every((mode) => terminal.modes().has(mode)),
    listeners: () => events.eventNames().length + stdin.listenerCount('data'),
  };
}

function open(platform?: string) {
  const made = createHost(platform);
  const keys: Key[] = [];
  const screen = openScreen(createKeyReader, made.host);
  screen.onKey((key) => keys.push(key));
  let resizes = 0;
  screen.onResize(() => resizes++);
  return { ...made, screen, keys, resizes: () => resizes };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('createScreen', () => {
  it('uses the alternate screen in raw mode, without cursor and wrapping, with pastes marked', () => {
    const { terminal, raw } = open();
    expect([...terminal.modes()].sort((a, b) => a - b)).toEqual([1049, 2004].sort((a, b) => a - b));
    expect(raw).toEqual([true]);
  });

  it('restores the terminal once on close', () => {
    const { screen, isAsFound, listeners, raw, terminal } = open();
    screen.close();
    screen.close();
    expect([isAsFound(), listeners()]).toEqual([true, 0]);
    expect(raw).toEqual([true, false]);
    screen.write('\u001b[1;1Hlate');
    expect(terminal.lines().join('')).toBe('');
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGQUIT'])(
    'restores the terminal on %s, which then ends the process as usual',
    (signal) => {
      const { host, kills, isAsFound } = open();
      host.emit(signal);
      expect(isAsFound()).toBe(true);
      expect(kills).toEqual([[4711, signal]]);
    },
  );

  it('leaves signals to other listeners when there are any', () => {
    const { host, kills, isAsFound } = open();
    host.on('SIGTERM', () => {});
    host.emit('SIGTERM');
    expect([isAsFound(), kills]).toEqual([true, []]);
  });

  it.each(['exit', 'uncaughtExceptionMonitor'])('restores the terminal on %s', (event) => {
    const { host, isAsFound } = open();
    host.emit(event);
    expect(isAsFound()).toBe(true);
  });

  it('restores the terminal on ctrl-z, stops the whole group, and redraws when it comes back', () => {
    const { screen, host, kills, isAsFound, terminal, raw, resizes } = open();
    screen.suspend();
    expect(kills).toEqual([[0, 'SIGTSTP']]);
    host.emit('SIGTSTP');
    expect(isAsFound()).toBe(true);
    expect(kills.at(-1)).toEqual([4711, 'SIGSTOP']);
    screen.write('\u001b[1;1Hnot now');
    expect(terminal.lines().join('')).toBe('');
    host.emit('SIGCONT');
    expect([terminal.modes().has(1049), raw.at(-1), resizes()]).toEqual([true, true, 1]);
  });

  it('uses the current window size when it comes back', () => {
    const { screen, host, window, resizes } = open();
    const sizes: unknown[] = [];
    screen.onResize(() => sizes.push(screen.size()));
    host.emit('SIGTSTP');
    Object.assign(window, { columns: 60, rows: 15 });
    host.emit('SIGCONT');
    expect([sizes, resizes()]).toEqual([[{ columns: 60, rows: 15 }], 0]);
  });

  it('takes the keyboard back when it was stopped without a signal it could see', () => {
    const { host, line, terminal } = open();
    // What a shell does when a job of it has stopped.
    line.isRaw = false;
    terminal.write('\u001b[1;1H$ fg');
    host.emit('SIGCONT');
    expect([line.isRaw, terminal.lines().join('')]).toEqual([true, '']);
  });

  it('ignores ctrl-z on Windows', () => {
    const { screen, kills } = open('win32');
    screen.suspend();
    expect(kills).toEqual([]);
  });

  it('reports changes of its size, and assumes one when the size is unknown', () => {
    const { screen, window, changeSize, resizes } = open();
    expect(screen.size()).toEqual({ columns: 20, rows: 5 });
    Object.assign(window, { columns: undefined, rows: 0 });
    changeSize();
    expect([resizes(), screen.size()]).toEqual([1, { columns: 80, rows: 24 }]);
  });

  it('reads keys, also characters whose bytes arrive one by one', async () => {
    const { stdin, keys } = open();
    stdin.write('\u001b[A');
    for (const byte of Buffer.from('日')) stdin.write(Buffer.from([byte]));
    await settled();
    expect(keys).toEqual([
      { kind: 'named', name: 'up' },
      { kind: 'typed', text: '日' },
    ]);
  });

  it('treats an interrupt from outside and a lost keyboard as ctrl-c', async () => {
    const { host, stdin, keys } = open();
    host.emit('SIGINT');
    stdin.end();
    await settled();
    expect(keys).toEqual([
      { kind: 'named', name: 'ctrl-c' },
      { kind: 'named', name: 'ctrl-c' },
    ]);
  });
});

describe('hasScreen', () => {
  const asks = (env: NodeJS.ProcessEnv, platform = 'linux', isTTY = true) =>
    hasScreen({ stdin: { isTTY }, stdout: { isTTY: true }, env, platform } as unknown as NodeJS.Process);

  it('is true when input and output are terminals that can move the cursor', () => {
    expect(asks({ TERM: 'xterm-256color' })).toBe(true);
    expect(asks({ TERM: 'xterm-256color' }, 'linux', false)).toBe(false);
  });

  it.each([{ TERM: 'dumb' }, { TERM: '' }, {}])('is false with %j', (env) => {
    expect(asks(env)).toBe(false);
  });

  it('is true on Windows, whose terminals have no name', () => {
    expect([asks({}, 'win32'), asks({ TERM: 'dumb' }, 'win32')]).toEqual([true, false]);
  });
});
