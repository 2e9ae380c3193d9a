import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { computeSession, computeSessions, computeTree, nativeId } from '../core/index.ts';
import { ADAPTERS } from '../hosts/testing/all-hosts.ts';
import { createSessions } from './sessions.ts';

for (const adapter of ADAPTERS)
  describe(adapter.host, () => {
    const fixtures = fileURLToPath(new URL(`../hosts/${adapter.host}/fixtures/`, import.meta.url));
    const names = existsSync(fixtures) ? readdirSync(fixtures) : [];
    for (const name of names.filter((one) => statSync(path.join(fixtures, one)).isDirectory()))
      it(`says the same of each session in a list and in its tree, in ${name}`, async () => {
        const places = [{ adapter, root: path.join(fixtures, name), forced: true }];
        const sessions = createSessions(places, { clock: () => Date.UTC(2030, 0) });
        const listing = await sessions.list({ limit: 1_000 });
        const listed = computeSessions(listing).sessions;
        const opened = [];
        for (const { id } of listing.trees) {
          const { tree, ignoredFiles } = await sessions.open(nativeId(id));
          opened.push(computeTree({ tree, ignoredFiles }, { internal: false }).session);
          expect(computeSession((await sessions.openTree(nativeId(id))).tree)).toEqual(opened.at(-1));
        }
        expect(listed).toEqual(opened);
      });
  });
