import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { writeQuietProgram } from './testing/quiet-program.ts';
import { hasTerminal, openTerminal, type Terminal } from './testing/terminal.ts';

// `troupe run` in a terminal: the keys, the tree and the way back.

const root = fileURLToPath(new URL('..', import.meta.url));
const recorded = path.join(root, 'src/sessions/stream/fixtures/claude-code-2.1.325-nested.jsonl');
const RUN = `"${process.execPath}" "${path.join(root, 'dist/troupe.js')}" run`;

let folder = '';
let terminal: Terminal;
beforeEach(() => {
  folder = makeTemporaryFolder('tty');
  const { PATH, TERM = 'xterm' } = process.env;
  terminal = openTerminal(folder, {
    PATH,
    TERM,
    HOME: folder,
    HISTFILE: '/dev/null',
    TROUPE_HOME: path.join(folder, 'state'),
  });
});
afterEach(() => {
  terminal.close();
});

function script(name: string, text: string): void {
  writeFileSync(path.join(folder, name), text);
}

describe.skipIf(!hasTerminal)('troupe run in a terminal', () => {
  it('Ctrl-C is one signal for the program, which ends as it likes', async () => {
    script(
      'trap.sh',
      `n=0
trap 'n=$((n+1)); echo "signal $n"' INT
[ -t 1 ] && echo up in a terminal
for i in $(seq 600); do [ -e end ] && break; sleep 0.05; done
exit 5`,
    );
    terminal.type(`${RUN} -- bash trap.sh; echo code $?; stty -a | grep -o '.icanon\\b'`);
    await terminal.until('up in a terminal');
    terminal.press('C-c');
    await terminal.until('signal 1');
    script('end', '');
    await terminal.until(/code 5\n icanon/);
    expect(terminal.screen()).not.toContain('signal 2');
  });

  it('a program that Ctrl-C ends takes troupe with it', async () => {
    terminal.type(`${RUN} -- bash -c 'echo up now; exec sleep 60'`);
    await terminal.until(/^up now$/m);
    terminal.press('C-c');
    terminal.type('echo code $?');
    await terminal.until('code 130');
  });

  it('the tree is drawn in place while output goes elsewhere', async () => {
    script('slow.sh', `while read -r line; do printf '%s\\n' "$line"; sleep 0.1; done < "${recorded}"`);
    terminal.type(`clear; ${RUN} --tree --no-disk -- bash slow.sh > out.jsonl; echo code $?`);
    await terminal.until('waits for a sub-agent');
    await terminal.until('code 0');
    const screen = terminal.screen();
    expect(screen).toContain('└─ ✓ Audit the repo');
    expect(screen.match(/Audit the repo/g)).toHaveLength(1);
    expect(readFileSync(path.join(folder, 'out.jsonl'), 'utf8')).toBe(readFileSync(recorded, 'utf8'));
  });

  it('draws the tree only at the end when the program prints on the same screen', async () => {
    const program = writeQuietProgram(folder);
    terminal.type(`clear; CLAUDE_CONFIG_DIR="$HOME" ${RUN} --tree -- "${program}"; echo code $?`);
    await terminal.until('line 3 of it');
    script('go', '');
    await terminal.until('code 0');
    const screen = terminal.screen();
    expect(screen).toMatch(/line 1 of it\nline 2 of it\nline 3 of it\nThe answer\.\n/);
    expect(screen).toContain('└─ ✓ Audit the repo');
    expect(screen.match(/Audit the repo/g)).toHaveLength(1);
  });
});
