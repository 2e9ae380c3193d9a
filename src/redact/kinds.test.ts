import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { SecretRule } from './rule.ts';
import { CREDENTIAL_RULES, PERSONAL_RULES } from './rules/all-rules.ts';
import { compareKinds, type OtherScanners } from './testing/compare-kinds.ts';

const rules = [...CREDENTIAL_RULES, ...PERSONAL_RULES];

it('docs/REDACTION-KINDS.md lists every kind (`npx vitest run src/redact/kinds.test.ts -u` writes it)', async () => {
  const groups = [...new Set(rules.map(({ group }) => group))];
  const tables = groups.map((group) => {
    const rows = rules.filter((rule) => rule.group === group).map(formatRow);
    const title = group === 'personal' ? 'personal (only if asked for)' : group;
    return `## ${title}\n\n| kind | what it is | begins with | source | noted |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  const text = `# Kinds of secrets that redaction knows

${rules.length} kinds, generated from the rules; [REDACTION.md](REDACTION.md) says how they are found. Source: who published the shape, and
the day on which that was noted. Check sums are not required, so that a mistyped token is redacted, too; only card numbers must pass theirs.

${tables.join('\n')}
${formatComparison()}`;
  await expect(text).toMatchFileSnapshot('../../docs/REDACTION-KINDS.md');
});

it('has a source for each kind, and a day for each source', () => {
  for (const { id, source, date } of rules) {
    expect([id, source.length > 3]).toEqual([id, true]);
    expect([id, date === null ? source : date]).toEqual([
      id,
      date === null ? 'not recorded' : expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
    ]);
  }
  // Write the source of a new rule; this number may only fall.
  expect(rules.filter(({ source }) => source === 'not recorded').length).toBeLessThanOrEqual(18);
});

function formatRow({ id, what, prefixes = [], source, date, checksum }: SecretRule): string {
  const begins = prefixes.map((prefix) => `\`${prefix}\``).join(' ');
  const cells = [`\`${id}\``, checksum ? `${what} (check sum: ${checksum})` : what, begins, source, date ?? ''];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function formatComparison(): string {
  const scanners: OtherScanners = JSON.parse(
    readFileSync(new URL('testing/other-scanners.json', import.meta.url), 'utf8'),
  );
  const compared = compareKinds(scanners);
  const counts = Object.entries(scanners).map(([scanner, { version, date }]) => {
    const own = compared.filter((kind) => kind.scanner === scanner);
    const found = own.filter(({ rules }) => rules.length > 0).length;
    return `- ${scanner} ${version}, compared on ${date}: ${own.length} kinds, ${found} found.`;
  });
  const left = compared
    .filter(({ left }) => left !== undefined)
    .map(({ scanner, kind, left = '' }) => `| ${scanner} | \`${kind}\` | ${left} |`);
  return `## Compared with other scanners

By names of kinds and published beginnings only (\`node scripts/compare-kinds.mjs\`; a test holds it).

${counts.join('\n')}

Not redacted:

| scanner | kind | why |
|---|---|---|
${left.join('\n')}
`;
}
