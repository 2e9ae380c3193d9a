import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../src/sessions/index.ts';
import { agentsTold } from '../../src/sessions/stream/testing/replay-stream.ts';
import { kit, root, work } from './kit.ts';

// `troupe run` around the other real programs, offline. The recording kit starts what looks like the program, and is troupe.
// TROUPE_CODEX_BIN, TROUPE_OPENCODE_BIN, TROUPE_GEMINI_BIN, TROUPE_QWEN_BIN, TROUPE_COPILOT_BIN: one program each, or more.

const HOSTS = [
  { host: 'codex', record: 'recordCodex' },
  { host: 'opencode', record: 'recordOpencode', options: { local: true } },
  { host: 'gemini', record: 'recordGemini' },
  { host: 'qwen', record: 'recordQwen' },
  { host: 'copilot', record: 'recordCopilot' },
] as const;

const programsOf = (host: string): readonly string[] =>
  (process.env[`TROUPE_${host.toUpperCase()}_BIN`] ?? '').split(path.delimiter).filter((program) => program !== '');

let runs = 0;

async function eventsOf(host: (typeof HOSTS)[number], bin: string, play: string): Promise<readonly StreamEvent[]> {
  const folder = path.join(work, `${host.host}-${++runs}`);
  mkdirSync(folder);
  const wrapper = path.join(folder, host.host);
  const troupe = `"${process.execPath}" "${path.join(root, 'dist/troupe.js')}"`;
  const events = `"${folder}/events-$$.jsonl"`;
  writeFileSync(wrapper, `#!/bin/sh\nexec ${troupe} run --host ${host.host} --events ${events} -- "${bin}" "$@"\n`);
  chmodSync(wrapper, 0o755);
  const kitModule = await import(pathToFileURL(path.join(kit, `record-${host.host}.mjs`)).href);
  const options = 'options' in host ? host.options : {};
  const place = { bin: wrapper, out: path.join(folder, 'out'), root: path.join(folder, 'projects') };
  await kitModule[host.record]({ ...place, scenario: play, play, ...options });
  // Asked for its version, the program prints no stream.
  const told = readdirSync(folder)
    .filter((name) => name.startsWith('events-'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return told
    .flatMap((text) => text.split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StreamEvent);
}

/** What the script dictates on every host: who is asked what, and how it ends. */
const PLAYS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  single: [['sub-count', 'completed']],
  parallel: [
    ['sub-list', 'completed'],
    ['sub-write', 'completed'],
  ],
  failing: [
    ['sub-apierror', 'failed'],
    ['sub-toolfail', 'completed'],
  ],
};

for (const host of HOSTS)
  for (const program of programsOf(host.host))
    describe(`${host.host} at ${path.basename(path.dirname(program))}`, () => {
      for (const [play, expected] of Object.entries(PLAYS))
        it(`${play}: the events are what the script dictated`, async () => {
          const events = await eventsOf(host, program, play);
          const told = agentsTold(events);
          for (const agent of told) expect(agent.isTidy, JSON.stringify(agent)).toBe(true);
          const seen = told.map(({ prompt, ends }) => [/\[\[play:([\w-]+)\]\]/.exec(prompt ?? '')?.[1], ends.at(-1)]);
          expect(seen.toSorted()).toEqual(expected);
          expect(told.every(({ id, depth }) => id !== null && depth === 1)).toBe(true);
          expect(events.filter(({ type }) => type === 'stream_ended')).toHaveLength(1);
        });
    });
