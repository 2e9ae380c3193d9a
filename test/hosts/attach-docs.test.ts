import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPlays } from './across-kit.ts';
import { type AttachHosts, startAttachHosts } from './attach-kit.ts';

import { commandsIn } from './docs-kit.ts';
import { programsIn } from './host-kit.ts';

// Every command of docs/ATTACH.md, as it stands there, on the real programs. TROUPE_CLAUDE_BIN, TROUPE_CODEX_BIN, TROUPE_OPENCODE_BIN.

const commands = commandsIn('ATTACH.md');
const [claude] = programsIn('TROUPE_CLAUDE_BIN');
const [codex] = programsIn('TROUPE_CODEX_BIN');
const [opencode] = programsIn('TROUPE_OPENCODE_BIN');

/** What a shell makes of it: words, some in double quotes. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe.skipIf(!claude || !codex || !opencode)('the commands of docs/ATTACH.md', () => {
  let at: AttachHosts;
  let agent = '';
  beforeAll(async () => {
    const programs = { claude, codex, opencode };
    at = await startAttachHosts('attach-docs', new Map(Object.entries(programs) as [string, string][]));
    await addPlays(({ say }) => ({ 'sub-count': [{ items: [say('There are 2 TODO comments in src/.')] }] }));
    const job = ['-p', 'Please do the job. [[play:single]]', '--model', 'claude-sonnet-4-5'];
    await at.hosts.run('claude', [...job, '--allowedTools', 'Bash,Read,Agent,Task']);
    agent = (await at.agentOf('claude-code')).id;
  }, 240_000);
  afterAll(() => at?.close());

  it('are all here', () => {
    expect(commands.length).toBeGreaterThanOrEqual(8);
    expect(commands.every((command) => command.startsWith('troupe '))).toBe(true);
  });

  for (const command of commands)
    it(command, async () => {
      const [, ...args] = wordsOf(command);
      const { code, out, err } = await at.troupe(...args.map((word) => (word === 'AGENT' ? agent : word)));
      const isSteering = args[0] === 'send' || args[0] === 'stop';
      // Claude Code takes no messages from outside: the sentence that says so is the answer.
      expect({ code, err }).toMatchObject({ code: isSteering ? 1 : 0 });
      if (isSteering) expect(out).toMatch(/^It was not (?:told|stopped): Claude Code takes no messages from outside/);
      else expect(out + err).not.toBe('');
      if (args.includes('--json')) expect(JSON.parse(out)).toMatchObject({ agent: { id: agent } });
    });
});
