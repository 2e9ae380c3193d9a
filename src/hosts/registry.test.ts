import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SourceAdapter } from './adapter.ts';
import { ADAPTERS } from './testing/all-hosts.ts';

// Lists of hosts in documents: one is generated, and the tables that say more than an adapter knows have a row for each.

const document = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const mark = (has: unknown): string => (has ? 'yes' : '–');
const HEAD = [
  'host',
  '`--host`',
  'data',
  'its stream',
  'hooks, guard',
  'answers to what it asks',
  'going on',
  'telling, stopping',
];

function rowOf({
  host,
  title,
  roots,
  stream,
  printing: command,
  hooks,
  questions,
  resume: continuing,
  steering,
}: SourceAdapter): readonly string[] {
  const folders = roots({ env: {}, home: '~' }).map((folder) => `\`${folder}\``);
  const printing = stream ? `\`${command}\`` : '–';
  const answers = mark(questions ?? hooks?.formatReply);
  return [title, `\`${host}\``, folders.join(', '), printing, mark(hooks), answers, mark(continuing), mark(steering)];
}

it('docs/HOSTS.md lists every host (written anew by `npx vitest run` on this file with `-u` behind it)', async () => {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const text = [
    '# Hosts',
    '',
    'Generated from the adapters. What each version tells stands in the README of the host, in `src/hosts`.',
    '',
    line(HEAD),
    `|${'---|'.repeat(HEAD.length)}`,
    ...ADAPTERS.map((adapter) => line(rowOf(adapter))),
    '',
  ].join('\n');
  await expect(text).toMatchFileSnapshot('../../docs/HOSTS.md');
});

/** Who has to stand in a table, by what the table is about. */
const TABLES: Readonly<Record<string, { readonly head: string; has(adapter: SourceAdapter): unknown }>> = {
  'README.md': { head: '| host | versions recorded', has: () => true },
  'docs/STREAM.md': { head: '| host | stream |', has: ({ stream }) => stream },
  'docs/GUARD.md': { head: '| host | who calls', has: ({ hooks }) => hooks },
  'docs/ATTACH.md': { head: '| host | ', has: ({ resume: continuing }) => continuing },
};

describe('the table of hosts has a row for each, and for nobody else', () => {
  it.each(Object.entries(TABLES))('%s', (name, { head, has }) => {
    const [, table = ''] = document(name).split(`\n${head}`, 2);
    const rows = table.split('\n\n', 1)[0]?.split('\n').slice(2) ?? [];
    const titles = ADAPTERS.filter(has).map(({ title }) => title);
    const titleIn = (row: string): string => titles.find((title) => row.startsWith(`| ${title}`)) ?? row;
    expect([...new Set(rows.map(titleIn))].toSorted()).toEqual(titles.toSorted());
  });
});
