import { EventEmitter } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { type AgentId, type LiveTrees, mainAgentOf, toAgentId, toSessionId } from '../core/index.ts';
import { claudeCode } from '../hosts/claude-code/index.ts';
import { MUCH_LATER } from '../hosts/testing/feed.ts';
import { makeTemporaryFolder } from '../lib/testing/temporary-folder.ts';
import { until } from '../lib/testing/waiting.ts';
import { joinLive } from './live-feed.ts';
import { filesBelow } from './testing/files-below.ts';
import { dumps, freshDumps } from './testing/fresh-read.ts';
import { startTracker } from './tracker.ts';

const NESTED = fileURLToPath(new URL('../hosts/claude-code/fixtures/2.1.325-nested', import.meta.url));
const SESSION = toSessionId('claude-code', 'fa129e54-d574-4fea-bbfe-0dd74bbd38cd');

/** Watches that never report anything. */
const silent = (() => Object.assign(new EventEmitter(), { close() {} })) as unknown as typeof watch;

let live: LiveTrees | undefined;
afterEach(() => live?.close());

/** The recording line by line, in the order of its times: what stands beside an agent comes right before its first line. */
function linesOf(root: string): readonly Written[] {
  const lines = filesBelow(path.join(NESTED, 'projects')).flatMap((file) => {
    const id = /agent-([^./]+)\.(?:meta\.json|jsonl)$/.exec(file)?.[1];
    const agent = id === undefined ? mainAgentOf(SESSION) : toAgentId('claude-code', id);
    const timed = file.replace('.meta.json', '.jsonl');
    let at = /"timestamp":"([^"]*)"/.exec(readFileSync(timed, 'utf8'))?.[1] ?? '';
    return (readFileSync(file, 'utf8').match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
      at = JSON.parse(line).timestamp ?? at;
      return { line, file: path.join(root, path.relative(NESTED, file)), agent, at };
    });
  });
  const isSidecar = ({ file }: Written): number => Number(file.endsWith('.meta.json'));
  return lines.toSorted((a, b) => (a.at === b.at ? isSidecar(b) - isSidecar(a) : a.at < b.at ? -1 : 1));
}

interface Written {
  readonly line: string;
  readonly file: string;
  /** Whose it is. */
  readonly agent: AgentId;
  readonly at: string;
}

const write = ({ file, line }: Written): void => {
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, line);
};

it.each([
  ['no watch reports anything', silent],
  ['watches report what they see', watch],
])('gives after each line what a fresh read finds when %s', async (_, watched) => {
  const root = makeTemporaryFolder('read-now');
  const places = [{ adapter: claudeCode, root, forced: false }];
  const [first, ...lines] = linesOf(root);
  if (first) write(first);
  const window = { ms: Number.POSITIVE_INFINITY, sessions: 100 };
  const options = { clock: () => MUCH_LATER, window, sweepEveryMs: 3_600_000, watch: watched };
  const trees = joinLive(startTracker(places, options));
  live = trees;
  await until(() => trees.listing().isComplete, 'the first reading');
  for (const one of lines) {
    write(one);
    expect(dumps(await trees.readNow(SESSION, one.agent))).toEqual(await freshDumps(places));
  }
  expect(lines.length).toBeGreaterThan(30);
});
