import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type AgentNode,
  addTo,
  addUsage,
  computeCost,
  type ModelUsage,
  NO_USAGE,
  nativeId,
  type SessionTree,
  selectTotalByModel,
  selectTotalUsage,
  type Usage,
} from '../core/index.ts';
import { readDatabase } from '../lib/sqlite.ts';
import { createSessions } from '../sessions/index.ts';
import { ADAPTERS } from './testing/all-hosts.ts';

// Every total that a host itself wrote down, read here without the adapters, against ours. TROUPE_CAPTURES may name a folder
// with more of them, HOST/…/RECORDING.

type Sum = Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>;
type Json = { readonly [key: string]: Json } & { readonly [index: number]: Json };

interface Totals {
  /** Of a whole session, by its id. */
  readonly sessions?: ReadonlyMap<string, Sum>;
  /** Sessions whose total is without what they inherited. */
  readonly fresh?: ReadonlySet<string>;
  /** By session, replies of a process before, which was killed and wrote no total (2.1.325-orphan-resumed). */
  readonly earlier?: ReadonlyMap<string, Sum>;
  /** Of one agent, by its id. */
  readonly agents?: ReadonlyMap<string, Sum>;
  /** What the host says that all of them cost; left out if it says nothing. */
  readonly usd?: number;
}

const HOSTS: Readonly<Record<string, (root: string) => Totals | Promise<Totals>>> = {
  'claude-code': readCostStates,
  codex: readTokenCounts,
  copilot: readShutdowns,
  opencode: readSessionRows,
};

for (const [host, readTotals] of Object.entries(HOSTS)) {
  describe(host, () => {
    for (const root of recordingsOf(host)) {
      it(`has the totals of the host in ${path.basename(root)}`, async () => {
        const { sessions = new Map(), agents = new Map(), fresh = new Set(), earlier, usd } = await readTotals(root);
        if (sessions.size + agents.size === 0) return;
        const trees = await readTrees(host, root);
        const shown = trees.filter(({ id }) => sessions.has(nativeId(id)));
        // By recording, not by session: after `/clear`, an agent of the old session counts in the total of the new one.
        const ours = shown.map((tree) => withoutInherited(tree, fresh.has(nativeId(tree.id))));
        // A fork that goes on with the total of its original lacks the same replies; one with a total of its own has none before it.
        const before = shown.flatMap(({ id, forkedFrom }) =>
          forkedFrom && fresh.has(nativeId(id)) ? [] : (earlier?.get(nativeId(forkedFrom ?? id)) ?? []),
        );
        expect(sumOf(ours)).toEqual(sumOf([...sessions.values(), ...before]));
        if (usd !== undefined) {
          const cost = (used: readonly ModelUsage[]): number => computeCost(used, false).usd;
          const copied = shown.flatMap((tree) => (fresh.has(nativeId(tree.id)) ? [] : inheritedIn(tree)));
          const own = shown.length > 0 ? shown : trees;
          const model = own.flatMap(selectTotalByModel).find((one) => one.usage.output > 0)?.model ?? '';
          const unwritten = before.map((sum) => ({ model, usage: { ...NO_USAGE, ...sum } }));
          const all = cost(own.flatMap(selectTotalByModel)) + cost(copied) - cost(unwritten);
          expect(Math.abs(all - usd), `${all} of ${usd} dollars`).toBeLessThanOrEqual(0.01 * usd);
        }
        for (const agent of trees.flatMap((tree) => tree.agents))
          if (agents.has(nativeId(agent.id))) expect(ownOf(agent), agent.id).toEqual(agents.get(nativeId(agent.id)));
      });
    }
  });
}

/** The recordings with forks use one model. */
function inheritedIn({ inheritedUsage, agents }: SessionTree): readonly ModelUsage[] {
  const model = agents.flatMap(({ usageByModel }) => usageByModel).find(({ usage }) => usage.output > 0)?.model;
  return inheritedUsage && model !== undefined ? [{ model, usage: inheritedUsage }] : [];
}

function recordingsOf(host: string): readonly string[] {
  const fixtures = fileURLToPath(new URL(`${host}/fixtures/`, import.meta.url));
  const named = readdirSync(fixtures).filter((name) => !name.endsWith('.md') && !name.startsWith('derived-'));
  const more = process.env['TROUPE_CAPTURES'];
  const folder = more === undefined ? undefined : path.join(more, host);
  return [...named.map((name) => fixtures + name), ...(folder && existsSync(folder) ? recordingsBelow(folder) : [])];
}

function recordingsBelow(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((version) =>
    readdirSync(path.join(folder, version)).map((name) => {
      const root = path.join(folder, version, name);
      return ['config', 'home'].map((inner) => path.join(root, inner)).find(existsSync) ?? root;
    }),
  );
}

async function readTrees(host: string, root: string): Promise<readonly SessionTree[]> {
  const adapter = ADAPTERS.find((one) => one.host === host);
  if (!adapter) throw new Error(`There is no host ${host}.`);
  const sessions = createSessions([{ adapter, root, forced: true }], { clock: () => Date.UTC(2030, 0) });
  const { trees } = await sessions.list({ limit: 1_000 });
  return Promise.all(trees.map(async ({ id }) => (await sessions.open(nativeId(id))).tree));
}

function sumOf(all: readonly Sum[]): Sum {
  const { input, output, cacheRead, cacheWrite } = all
    .map((one) => ({ ...NO_USAGE, ...one }))
    .reduce(addUsage, NO_USAGE);
  return { input, output, cacheRead, cacheWrite };
}

function withoutInherited(tree: SessionTree, isFresh: boolean): Sum {
  const inherited = isFresh ? (tree.inheritedUsage ?? NO_USAGE) : NO_USAGE;
  return addTo({ ...selectTotalUsage(tree) }, inherited, -1);
}

function ownOf({ usage }: AgentNode): Sum | undefined {
  return usage && sumOf([usage]);
}

function linesBelow(root: string, name: RegExp): ReadonlyMap<string, readonly Json[]> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(root, file))
    .filter((file) => name.test(file) && statSync(file).isFile());
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8').split('\n').flatMap(parse)]));
}

function parse(line: string): readonly Json[] {
  try {
    return [JSON.parse(line) as Json];
  } catch {
    return [];
  }
}

const amount = (value: unknown): number => (typeof value === 'number' ? value : 0);

/**
 * The last `cost-state` of a transcript. A fork goes on with the total of its original, and keeps its `startTime`, if the original
 * had ended; `/branch`, and a fork of a session at work, begin at 0.
 */
function readCostStates(root: string): Totals {
  const sessions = new Map<string, Sum>();
  const begun = new Map<string, number>();
  let usd = 0;
  const earlier = new Map<string, Sum>();
  const transcripts = [...linesBelow(root, /[\\/]projects[\\/].+\.jsonl$/)];
  for (const [file, lines] of transcripts) {
    if (!/[\\/]projects[\\/][^\\/]+[\\/][^\\/]+$/.test(file)) continue;
    const last = lines.findLast(({ type }) => (type as unknown) === 'cost-state');
    if (!last) continue;
    const models = Object.values(last['modelUsage'] as unknown as Record<string, Json>);
    const sums = models.map((of) => ({
      input: amount(of['inputTokens']),
      output: amount(of['outputTokens']),
      cacheRead: amount(of['cacheReadInputTokens']),
      cacheWrite: amount(of['cacheCreationInputTokens']),
    }));
    const [id, from] = [path.basename(file, '.jsonl'), amount(last['startTime'])];
    sessions.set(id, sumOf(sums));
    usd += amount(last['totalCostUSD']);
    begun.set(id, from);
    const own = transcripts.filter(([name]) => name.includes(id)).flatMap(([, all]) => all);
    earlier.set(id, sumOf(repliesBefore(from, own)));
  }
  const starts = [...begun.values()];
  const isAlone = ([, at]: readonly [string, number]): boolean => starts.indexOf(at) === starts.lastIndexOf(at);
  return { sessions, earlier, usd, fresh: new Set([...begun].filter(isAlone).map(([id]) => id)) };
}

function repliesBefore(time: number, lines: readonly Json[]): readonly Sum[] {
  const replies = lines.filter(({ timestamp, message }) => message?.['usage'] && Date.parse(String(timestamp)) < time);
  return [...new Map(replies.map(({ message }) => [message?.['id'], message?.['usage']])).values()].map((usage) => ({
    input: amount(usage?.['input_tokens']),
    output: amount(usage?.['output_tokens']),
    cacheRead: amount(usage?.['cache_read_input_tokens']),
    cacheWrite: amount(usage?.['cache_creation_input_tokens']),
  }));
}

/** The last sum of a thread. That of a fork begins with the sum of the thread that it copied, which counts there. */
function readTokenCounts(root: string): Totals {
  const agents = new Map<string, Sum>();
  for (const lines of linesBelow(root, /rollout-.*\.jsonl$/).values()) {
    const { id, forked_from_id: isFork } = lines[0]?.['payload'] ?? {};
    const sums = lines.flatMap(
      ({ payload }) => payload?.['thread_token_usage'] ?? payload?.['info']?.['total_token_usage'] ?? [],
    );
    const last = sums.at(-1);
    if (!last || isFork) continue;
    const [cacheRead, cacheWrite] = [amount(last['cached_input_tokens']), amount(last['cache_write_input_tokens'])];
    const input = amount(last['input_tokens']) - cacheRead - cacheWrite;
    agents.set(String(id), { input, output: amount(last['output_tokens']), cacheRead, cacheWrite });
  }
  return { agents };
}

/** `session.shutdown`, if nothing was written after it. */
function readShutdowns(root: string): Totals {
  const sessions = new Map<string, Sum>();
  for (const [file, lines] of linesBelow(root, /events\.jsonl$/)) {
    const last = lines.at(-1);
    if ((last?.['type'] as unknown) !== 'session.shutdown' || !last?.['data']?.['agentMetrics']) continue;
    const models = Object.values((last['data']['modelMetrics'] ?? {}) as unknown as Record<string, Json>);
    const sums = models.map(({ usage: of }) => {
      const [cacheRead, cacheWrite] = [amount(of?.['cacheReadTokens']), amount(of?.['cacheWriteTokens'])];
      const input = amount(of?.['inputTokens']) - cacheRead - cacheWrite;
      return { input, output: amount(of?.['outputTokens']), cacheRead, cacheWrite };
    });
    sessions.set(path.basename(path.dirname(file)), sumOf(sums));
  }
  return { sessions };
}

/** Rows of `session` (1.1x and later); thoughts are part of the output there. */
async function readSessionRows(root: string): Promise<Totals> {
  const file = path.join(root, 'opencode.db');
  if (!existsSync(file)) return {};
  const agents = new Map<string, Sum>();
  const columns = 'id, tokens_input, tokens_output, tokens_reasoning, tokens_cache_read, tokens_cache_write';
  const second = await readDatabase(file, (database) =>
    database.all(`select ${columns}, cost, parent_id, fork_session_id from session_v2 where version not glob '[01].*'`),
  ).catch(() => []);
  if (second.length > 0) return { ...sumTrees(second), ...usdIn(second) };
  const rows = await readDatabase(file, (database) => database.all(`select ${columns}, cost from session`)).catch(
    () => [],
  );
  for (const row of rows) {
    agents.set(String(row['id']), sumIn(row));
  }
  return { agents, ...usdIn(rows) };
}

/** Sums of sessions that OpenCode 1 began are of its own kind. OpenCode 2 counts the request for a title, which is no agent's, in the row of its session; a fork counts from zero. */
function sumTrees(rows: readonly Readonly<Record<string, unknown>>[]): Totals {
  const parents = new Map(rows.map((row) => [row['id'], row['parent_id']]));
  const sessions = new Map<string, Sum>();
  for (const row of rows) {
    let top = row['id'];
    for (let above = parents.get(top); above; above = parents.get(top)) top = above;
    sessions.set(String(top), sumOf([sessions.get(String(top)), sumIn(row)].filter((sum) => sum !== undefined)));
  }
  return { sessions, fresh: new Set(rows.filter((row) => row['fork_session_id']).map((row) => String(row['id']))) };
}

/** Zero: it knows no price. */
function usdIn(rows: readonly Readonly<Record<string, unknown>>[]): Pick<Totals, 'usd'> {
  const usd = rows.reduce((sum, row) => sum + amount(row['cost']), 0);
  return usd > 0 ? { usd } : {};
}

function sumIn(row: Readonly<Record<string, unknown>>): Sum {
  const output = amount(row['tokens_output']) + amount(row['tokens_reasoning']);
  const [cacheRead, cacheWrite] = [amount(row['tokens_cache_read']), amount(row['tokens_cache_write'])];
  return { input: amount(row['tokens_input']), output, cacheRead, cacheWrite };
}
