import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type * as Library from '../src/index.ts';
import { makeTemporaryFolder } from '../src/lib/testing/temporary-folder.ts';
import { until } from '../src/lib/testing/waiting.ts';

// The built library, as somebody imports it.
const root = fileURLToPath(new URL('..', import.meta.url));
const fixtures = path.join(root, 'src/hosts/claude-code/fixtures');
const troupe: typeof Library = await import(pathToFileURL(path.join(root, 'dist/index.js')).href);
const work = makeTemporaryFolder('library');

const nested = { roots: [path.join(fixtures, '2.1.325-nested')] };
const transcriptOf = (folder: string): string =>
  path.join(folder, 'projects/-home-dev-nested/fa129e54-d574-4fea-bbfe-0dd74bbd38cd.jsonl');

describe('the library', () => {
  it('lists, opens, reads and identifies', async () => {
    expect((await troupe.listSessions(nested)).sessions).toHaveLength(1);
    const session = await troupe.openSession('fa129e54', nested);
    expect(session.agents.map(({ label }) => label)).toContain('Audit the repo');
    const transcript = await session.transcript('a2ca437af9f568b24');
    expect(transcript.messages).toHaveLength(4);
    const document = await troupe.readSessionTranscript('fa129e54', nested);
    expect(troupe.readTranscriptDocument(JSON.stringify(document))).toEqual(JSON.parse(JSON.stringify(document)));
    const one: string[] = [];
    for await (const { session_id } of troupe.readTranscripts('fa129e54', nested)) one.push(session_id);
    expect(one).toEqual(session.agents.map(({ id }) => id));
    const who = await troupe.identify({ transcript: transcriptOf(nested.roots[0]!) });
    expect(who.agent_type).toBe('main');
  });

  it('throws what a caller can act on', async () => {
    await expect(troupe.openSession('zzz', nested)).rejects.toMatchObject({ code: 'session-not-found' });
    await expect(troupe.listSessions({ roots: [path.join(work, 'missing')] })).rejects.toBeInstanceOf(
      troupe.TroupeError,
    );
    await expect(troupe.listSessions({ host: 'emacs' })).rejects.toMatchObject({ code: 'unknown-host' });
  });

  it('follows a session as it grows: lines, torn lines, new agents, a file that is replaced', async () => {
    const folder = path.join(work, 'grows');
    cpSync(nested.roots[0]!, folder, { recursive: true });
    const transcript = transcriptOf(folder);
    const agents = path.join(transcript.slice(0, -'.jsonl'.length), 'subagents');
    const whole = readFileSync(transcript, 'utf8');
    const lines = whole.split('\n');
    rmSync(agents, { recursive: true });
    writeFileSync(transcript, `${lines.slice(0, 3).join('\n')}\n${lines[3]?.slice(0, 50)}`);
    const seen: Library.TreeReport[] = [];
    const watch = troupe.watchFile(transcript, (tree) => seen.push(tree), { every: 10 });
    await until(() => seen.length > 0, 'the first tree');
    expect(seen.at(-1)?.agents).toHaveLength(1);
    appendFileSync(transcript, `${lines[3]?.slice(50)}\n${lines.slice(4).join('\n')}`);
    cpSync(path.join(nested.roots[0]!, path.relative(folder, agents)), agents, { recursive: true });
    await until(() => seen.at(-1)?.agents.length === 4 && seen.at(-1)?.agents[1]?.toolCallCount === 3, 'the agents');
    expect(seen.at(-1)?.diagnostics.total).toBe(0);
    const { agents: expected } = await troupe.openSession('fa129e54', nested);
    await until(() => JSON.stringify(seen.at(-1)?.agents) === JSON.stringify(expected), 'the whole tree');
    writeFileSync(transcript, `${lines.slice(0, 3).join('\n')}\n`);
    await until(() => seen.at(-1)?.agents[0]?.messageCount === 1, 'the shorter file');
    watch.close();
  });
});

describe('docs/LIBRARY.md', () => {
  const examples = [...readFileSync(path.join(root, 'docs/LIBRARY.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(
    ([, code]) => code ?? '',
  );

  it.each(examples.map((code, index) => [index + 1, code] as const))('example %i runs', async (index, code) => {
    const file = path.join(work, `example-${index}.mjs`);
    const known = { transcript: transcriptOf(nested.roots[0]!), toolUseId: 'toolu_x' };
    const names = Object.entries(known).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
    writeFileSync(
      file,
      `${code.replace("'troupe'", JSON.stringify(pathToFileURL(path.join(root, 'dist/index.js')).href))}`.replace(
        /^(import[^\n]*\n)/,
        `$1${names.join('\n')}\n`,
      ),
    );
    process.env['CLAUDE_CONFIG_DIR'] = nested.roots[0];
    await import(pathToFileURL(file).href);
    delete process.env['CLAUDE_CONFIG_DIR'];
    expect(code).toContain("from 'troupe'");
  });
});
