import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { toSessionId } from '../core/index.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { identityOf, withIdentity } from './identity.ts';

const agent = (fields: object) => ({
  id: 'a1b2c3d4e5f6',
  kind: 'task',
  type: 'coder',
  name: null,
  depth: 2,
  ...fields,
});
const main = agent({ id: 's', kind: 'main', type: null, depth: 0 });
const event = {
  host: 'claude-code',
  name: 'PreToolUse',
  session: toSessionId('claude-code', '8f6e5c34'),
  caller: { named: 'nobody' },
} as const;
const IDENTITY = 'claude-code:8f6e5c34:a1b2c3d4e5f6:main/planner/coder';

describe('who an agent is', () => {
  it('is one word with four parts, and empty when the agent is unknown', () => {
    const ancestors = [main, agent({ id: 'p', type: 'planner' })];
    expect(identityOf(event, { agent: agent({}), ancestors })).toBe(IDENTITY);
    expect(identityOf(event, { agent: main, ancestors: [] })).toBe('claude-code:8f6e5c34:s:main');
    expect(identityOf(event, { agent: agent({ name: 'é 日本' }), ancestors: [] })).toMatch(/:é_日本$/);
    const partly = { agent: agent({}), ancestors: [main], reason: 'not all agents above it are known' };
    expect(identityOf(event, partly)).toMatch(/:main\/\?\/coder$/);
    expect(identityOf(event, { agent: null, ancestors: [] })).toBeUndefined();
  });

  it.each([
    "x'; touch hacked; '",
    '$(touch hacked)',
    '`touch hacked`',
    'a\nb\ntouch hacked',
    '\\',
    'a:b/c',
    '\0',
    '\u2028',
    'x'.repeat(10_000),
  ])('a hostile name stays a name: %j', (name) => {
    const identity = identityOf({ ...event }, { agent: agent({ name, id: name }), ancestors: [main] }) ?? '';
    expect(identity).toMatch(/^claude-code:8f6e5c34:[\p{L}\p{N}._@-]{1,80}:main\/[\p{L}\p{N}._@-]{1,80}$/u);
  });
});

describe('a command with the identity of its agent', () => {
  let folder = '';
  beforeEach(() => {
    folder = realpathSync(makeTemporaryFolder('identity'));
    mkdirSync(path.join(folder, 'sub dir'));
    for (const args of [
      ['init', '-q'],
      ['config', 'user.name', 'Jane Doe'],
      ['config', 'user.email', 'jane@example.com'],
    ])
      execFileSync('git', args, { cwd: folder });
    writeFileSync(path.join(folder, 'a'), 'a');
  });

  const told = (command: string, identity = IDENTITY): string =>
    (withIdentity('Bash', { command, timeout: 5 }, identity) as { readonly command: string }).command;
  const shells = ['bash', 'dash', 'sh'].filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0);
  const run = (shell: string, command: string) => {
    const { status, stdout, stderr } = spawnSync(shell, ['-c', command], { cwd: folder, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it.each([
    'echo one && echo two; echo three | cat',
    'cd "sub dir" && pwd',
    'cat <<EOF\n$HOME is "here"\n  EOF\nEOF',
    "cat <<'EOF' | tr a-z A-Z\nit's $x\nEOF",
    'echo a # a comment at the end',
    '# a comment at the beginning\necho b',
    'echo a \\\n  b \\\n  c',
    'sleep 0.01 & wait; echo done',
    '(exit 3)',
    'set -e; false; echo never',
    'f() { echo "in $1"; }; f x',
    'for i in 1 2; do echo $i; done > out; cat out',
    'if [ -e a ]; then echo yes; fi',
    '! true',
    '{ echo x; } 2>&1',
    'echo "unfinished',
    '',
    '\n\necho blank lines before',
    'exec echo replaced',
    'x=$(echo $((1 + 2))); echo "$x"',
    'FOO=1 env | grep ^FOO=',
    'sh -c "exit 4"',
    'echo $0 $# $?',
  ])('does what it did: %j', (command) => {
    for (const shell of shells) {
      const [before, after] = [run(shell, command), run(shell, told(command))];
      expect([after.status, after.stdout]).toEqual([before.status, before.stdout]);
      // A shell that finds a mistake names the line.
      expect(after.stderr.replace(/\d+/g, '')).toBe(before.stderr.replace(/\d+/g, ''));
    }
  });

  it('finds it in its environment, and so does what it starts', () => {
    const asked = `env | grep ^TROUPE_ | sort; sh -c 'echo $TROUPE_AGENT'`;
    for (const shell of shells)
      expect(run(shell, told(asked)).stdout.split('\n')).toEqual([
        `TROUPE_AGENT=${IDENTITY}`,
        'TROUPE_PARENT=claude-code:8f6e5c34:a1b2c3d4e5f6',
        IDENTITY,
        '',
      ]);
  });

  it('a commit has the agent as its author, with the person’s address, and the person as its committer', () => {
    const commit = `git add a && git commit -q -m "one
two" && git log --format='%an <%ae> %cn <%ce> %s'`;
    expect(run('bash', told(commit)).stdout).toBe(
      'coder (agent a1b2c3d4) <jane@example.com> Jane Doe <jane@example.com> one two\n',
    );
    const later = 'git commit -q --amend -m again && git log --format=%an';
    expect(run('bash', later).stdout).toBe('coder (agent a1b2c3d4)\n');
  });

  it('other tools, and calls without a command, stay as they are', () => {
    expect(withIdentity('Edit', { command: 'x' }, IDENTITY)).toBeUndefined();
    expect(withIdentity('Bash', { command: 1 }, IDENTITY)).toBeUndefined();
    expect(withIdentity('Bash', null, IDENTITY)).toBeUndefined();
    expect(withIdentity('Bash', { command: 'ls', timeout: 5 }, IDENTITY)).toMatchObject({ timeout: 5 });
  });

  it('also names the call when the host numbers its calls', () => {
    expect(withIdentity('Bash', { command: 'ls' }, IDENTITY, 'toolu_01')).toMatchObject({
      command: expect.stringContaining("TROUPE_PARENT='claude-code:8f6e5c34:a1b2c3d4e5f6:toolu_01'"),
    });
  });
});
