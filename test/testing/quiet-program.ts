// A program that prints no stream and leaves a recorded session behind, as of now: what `troupe run` finds by its files.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { retime } from '../../src/hosts/claude-code/replay.ts';

const recording = fileURLToPath(
  new URL('../../src/hosts/claude-code/fixtures/2.1.325-nested/projects', import.meta.url),
);

/**
 * Puts a program `claude` there. It moves the session into `CLAUDE_CONFIG_DIR` once a file `go` lies beside it, then prints
 * `The answer.` `sessions`: how many it moves at once. The answer waits until the file `awaited` has content.
 */
export function writeQuietProgram(folder: string, { sessions = 1, awaited = '' } = {}): string {
  const texts = readdirSync(recording, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.jsonl?$/.test(file))
    .map((file) => ({ file, text: readFileSync(path.join(recording, file), 'utf8') }));
  const first = Math.min(...texts.flatMap(({ text }) => timesIn(text)));
  // In the future: agents that began before the program did are not its own, and a busy machine may start it late.
  const shift = Date.now() + 30_000 - first;
  for (let index = 0; index < sessions; index++)
    for (const { file, text } of texts) {
      const rename = (words: string): string => words.replaceAll('fa129e54', `fa129e5${index}`);
      const target = path.join(folder, 'ready', rename(file));
      mkdirSync(path.dirname(target), { recursive: true });
      const lines = rename(text).split('\n');
      writeFileSync(target, lines.map((line) => retime(line, (at) => at + shift)).join('\n'));
    }
  const program = path.join(folder, 'claude');
  const lines = [
    '#!/bin/sh',
    `for i in 1 2 3; do echo "line $i of it"; sleep 0.4; done`,
    `until [ -e "${folder}/go" ]; do sleep 0.05; done`,
    `mkdir -p "$CLAUDE_CONFIG_DIR" && mv "${folder}/ready" "$CLAUDE_CONFIG_DIR/projects"`,
    ...(awaited === '' ? [] : [`until [ -s "${awaited}" ]; do sleep 0.05; done`]),
    'echo The answer.',
  ];
  writeFileSync(program, `${lines.join('\n')}\n`);
  chmodSync(program, 0o755);
  return program;
}

function timesIn(text: string): readonly number[] {
  return [...text.matchAll(/"timestamp":"([^"]+)"/g)].map(([, at]) => Date.parse(at ?? ''));
}
