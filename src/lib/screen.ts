// The whole screen of a terminal, with its keyboard, and the way back: whatever ends the process, the person gets the
// terminal as it was.
import type { KeyReader, Screen } from './screen-types.ts';

/** Of the process: all that is touched. */
export type Host = Pick<
  NodeJS.Process,
  'stdin' | 'stdout' | 'on' | 'off' | 'listenerCount' | 'kill' | 'pid' | 'platform'
>;

/** Somebody sits at a terminal on which a cursor can be moved. */
export function hasScreen({ stdin, stdout, ...rest }: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'env' | 'platform'>) {
  return stdin.isTTY === true && stdout.isTTY === true && !isDumb(rest);
}

/** A terminal that shows lines, one below the other, and nothing else. Windows names none, and knows all we write. */
export function isDumb({ env, platform }: Pick<NodeJS.Process, 'env' | 'platform'>): boolean {
  const name = env['TERM'] ?? '';
  return name === 'dumb' || (name === '' && platform !== 'win32');
}

/**
 * Alternate screen, no cursor, no line wrap, pasted text marked as such. The modes are set one by one: not every
 * terminal takes several at once.
 */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J';
const LEAVE = '\u001b[?2026l\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l';

/** The other end of the terminal is gone, or somebody wants us to end: both end us once the terminal is restored. */
const ENDS = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export function openScreen<Key>(
  createKeys: (emit: (key: Key) => void) => KeyReader,
  host: Host = process,
): Screen<Key> {
  const { stdin, stdout } = host;
  let onKey: (key: Key) => void = () => {};
  let onResize = (): void => {};
  let isOurs = false;
  const keys = createKeys((key) => onKey(key));

  const enter = (): void => {
    // Stopped without a word (SIGSTOP), we still believe in a mode that the shell has undone: set, it would stay undone.
    if (isOurs) stdin.setRawMode(false);
    isOurs = true;
    stdin.setRawMode(true);
    stdin.resume();
    stdout.write(ENTER);
  };
  const leave = (): void => {
    if (!isOurs) return;
    isOurs = false;
    stdout.write(LEAVE);
    stdin.setRawMode(false);
    stdin.pause();
  };

  const listeners: Readonly<Record<string, () => void>> = {
    exit: leave,
    uncaughtExceptionMonitor: leave,
    // Stops after the terminal is restored; SIGSTOP, because SIGTSTP would only come here again.
    SIGTSTP: () => {
      leave();
      host.kill(host.pid, 'SIGSTOP');
    },
    // From outside: the key itself is no signal here.
    SIGINT: () => keys.read('\u0003'),
    // While we were stopped, nobody told us of another size: this makes Node look, and then us draw.
    SIGCONT: () => {
      enter();
      host.kill(host.pid, 'SIGWINCH');
    },
    // Behind Node's own listener, which has the size by now. Drawn also where it is as before: the screen is empty.
    SIGWINCH: () => onResize(),
    ...Object.fromEntries(
      ENDS.map((signal) => [
        signal,
        () => {
          close();
          // Ends as if we had never listened, unless somebody else wants to say how it ends.
          if (host.listenerCount(signal) === 0) host.kill(host.pid, signal);
        },
      ]),
    ),
  };
  const onChunk = (chunk: string): void => keys.read(chunk);
  // Nobody can press a key any more.
  const onEnd = (): void => keys.read('\u0003');

  const close = (): void => {
    leave();
    onKey = () => {};
    onResize = () => {};
    keys.close();
    stdin.off('data', onChunk).off('end', onEnd);
    for (const [event, listener] of Object.entries(listeners)) host.off(event, listener);
  };

  stdin.setEncoding('utf8');
  stdin.on('data', onChunk).on('end', onEnd);
  for (const [event, listener] of Object.entries(listeners)) host.on(event, listener);
  enter();

  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    onResize(listener) {
      onResize = listener;
    },
    onKey(listener) {
      onKey = listener;
    },
    write(text) {
      // While the terminal is somebody else's, nothing of ours belongs on it.
      if (isOurs) stdout.write(text);
    },
    suspend() {
      // The whole group: the shell waits for the one who started us, too. Windows has nothing like it.
      if (host.platform !== 'win32') host.kill(0, 'SIGTSTP');
    },
    close,
  };
}
