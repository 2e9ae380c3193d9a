// The whole screen of a terminal, with its keyboard, and the way back: whatever ends the process, the person gets the
// terminal as it was.

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

// A terminal of which we have the whole screen: what draws on it and what opens it know no more of each other.

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Screen<Key> {
  size(): Size;
  /** When it has another size, or what was on it is lost: everything has to be drawn again. */
  onResize(listener: () => void): void;
  onKey(listener: (key: Key) => void): void;
  write(text: string): void;
  /** Gives the terminal back until the person comes back (ctrl-z); then `onResize` is called. */
  suspend(): void;
  /** Leaves the terminal as it was found. May be called twice; no listener is called any more. */
  close(): void;
}

/** Makes keys of what the keyboard sends. */
export interface KeyReader {
  /** As it comes, decoded; a sequence may be torn anywhere. */
  read(chunk: string): void;
  /** What is left over is dropped. */
  close(): void;
}

/** The terminal on which the tree is drawn in place, and on which questions stand and output comes as well. */
export interface SharedScreen {
  /** Somebody writes below what was drawn: it stays as it is until the way back is taken, and is drawn anew below. */
  take(): () => void;
  readonly isTaken: boolean;
  /** Whoever draws hears of it before anything is written, and when all have gone. */
  subscribe(listener: { onTaken(): void; onFree(): void }): void;
}

export function createSharedScreen(): SharedScreen {
  const listeners: Parameters<SharedScreen['subscribe']>[0][] = [];
  let takers = 0;
  return {
    take() {
      takers++;
      for (const { onTaken } of listeners) onTaken();
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        takers--;
        if (takers === 0) for (const { onFree } of listeners) onFree();
      };
    },
    get isTaken() {
      return takers > 0;
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}
