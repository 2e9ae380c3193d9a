// The built server beside a real program: the picture at the end is what the script dictated, and every append that an
// independent watch sees is in the event stream soon after.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { computeTree } from '../../src/core/index.ts';
import type { SourceAdapter } from '../../src/hosts/index.ts';
import { isAtLeast } from '../../src/lib/version-number.ts';
import { createSessions } from '../../src/sessions/index.ts';
import { type Comparison, compareDictated } from './compare-dictated.ts';
import { dictateTo, programsIn, type RunningHost, type Script, startHost } from './host-kit.ts';
import type { HostRecipe, HostWishes } from './host-recipes.ts';
import { type WatchedServer, type Written, watchServer } from './watched-server.ts';

const PROMISED_MS = 300;

export interface HostSuite {
  readonly adapter: SourceAdapter;
  readonly recipe: HostRecipe;
  readonly written: Written;
  readonly scenarios: readonly Scenario[];
  /** By the signal that ends the program in the midst of its work, what becomes of both agents. */
  readonly endings: Readonly<Record<string, string>>;
  /** After how long. */
  readonly endAfterMs: number;
  /** The first version that keeps a record of its processes: there, it shows at once that one is gone. */
  readonly processesSince?: string;
  /** The first version with agents that the script can wait for. */
  readonly agentsSince?: string;
}

export interface Scenario extends Comparison, HostWishes {
  readonly play: string;
  readonly script: Script;
  /** The first version that has what it wishes for; said behind the play's name. */
  readonly since?: { readonly version: string; readonly what: string };
}

/** TROUPE_<HOST>_BIN: one or more programs. */
export function describeHost(suite: HostSuite): void {
  for (const program of programsIn(`TROUPE_${suite.recipe.host.toUpperCase()}_BIN`)) describeProgram(suite, program);
}

function describeProgram(suite: HostSuite, program: string): void {
  const { adapter, recipe, written } = suite;
  describe(`${adapter.title} at ${program.split(path.sep).slice(1, 4).join('/')}`, () => {
    let host: RunningHost;
    let server: WatchedServer;
    beforeAll(async () => {
      host = await startHost(recipe, program);
      mkdirSync(path.join(host.home, written.below), { recursive: true });
      server = await watchServer(host.home, written, path.join(host.home, '..', 'troupe'));
    });
    afterAll(async () => {
      server.stop();
      await host.close();
    });
    const hasAgents = (): boolean => isAtLeast(host.version, suite.agentsSince ?? '0');

    for (const { play, script, since, version2 = false, ...comparison } of suite.scenarios) {
      it(`${play}${since ? ` with ${since.what}` : ''}: the picture at the end is what the script dictated`, async ({
        skip,
      }) => {
        if (!hasAgents() && play !== 'plain') skip(`${host.version} has no agents that this script could wait for`);
        if (since && !isAtLeast(host.version, since.version)) skip(`${host.version} is without ${since.what}`);
        const before = new Set(await server.sessionIds());
        await host.run({ play, version2 });
        compareDictated(await server.settled(before), await dictateTo(script, play), play, comparison);
      });
    }

    for (const [killSignal, status] of Object.entries(suite.endings)) {
      it(`ended by ${killSignal}: ${status}`, async ({ skip }) => {
        if (!hasAgents()) skip(`${host.version} has no agents that this script could wait for`);
        const before = new Set(await server.sessionIds());
        await host.run({ play: 'hang', killAfter: suite.endAfterMs, killSignal });
        expect(await statusesOf(before)).toEqual([status, status]);
      });
    }

    async function statusesOf(before: ReadonlySet<string>): Promise<readonly string[]> {
      if (suite.processesSince !== undefined && isAtLeast(host.version, suite.processesSince)) {
        const { main, subagents } = await server.settled(before);
        return [main, ...subagents].map(({ status }) => status);
      }
      const id = (await server.sessionIds()).find((one) => !before.has(one));
      expect(id).toBeDefined();
      // It keeps no record of its processes: a last line counts as recent for five minutes.
      const clock = (): number => Date.now() + 86_400_000;
      const opened = await createSessions([{ adapter, root: host.home, forced: false }], { clock }).open(id);
      return computeTree(opened, { internal: false }).agents.map(({ status }) => status);
    }

    it(`every change is in the event stream within ${PROMISED_MS} ms (95 of 100)`, ({ skip }) => {
      if (!hasAgents()) skip(`${host.version} wrote too little`);
      server.expectPrompt(`${adapter.title} ${host.version}`, PROMISED_MS, 10);
    });
  });
}
