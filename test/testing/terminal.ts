// A real terminal, with a shell in it that a test types into.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';

export const hasTerminal = spawnSync('tmux', ['-V']).status === 0;

export interface Terminal {
  /** Keys as tmux names them; texts as they are. */
  press(...keys: readonly string[]): void;
  type(line: string): void;
  /** What it shows now, without the empty lines at its end. */
  screen(): string;
  until(text: string | RegExp, timeout?: number): Promise<void>;
  close(): void;
}

export function openTerminal(cwd: string, env: Readonly<Record<string, string | undefined>>): Terminal {
  const name = `troupe-test-${randomBytes(6).toString('hex')}`;
  const tmux = (...args: readonly string[]): string =>
    spawnSync('tmux', ['-L', name, ...args], { cwd, env: { ...env, PS1: '$ ' }, encoding: 'utf8' }).stdout ?? '';
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '110', '-y', '40', 'bash --norc --noprofile');
  const screen = (): string => tmux('capture-pane', '-p').trimEnd();
  return {
    press: (...keys) => void tmux('send-keys', ...keys),
    type(line) {
      tmux('send-keys', '-l', line);
      tmux('send-keys', 'Enter');
    },
    screen,
    async until(text, timeout = 60_000) {
      const isThere = (): boolean => (typeof text === 'string' ? screen().includes(text) : text.test(screen()));
      await vi.waitUntil(isThere, { timeout, interval: 50 }).catch((error: unknown) => {
        throw new Error(`«${text}» did not come:\n${screen()}`, { cause: error });
      });
    },
    close: () => void tmux('kill-server'),
  };
}
