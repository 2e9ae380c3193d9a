import { expect, it } from 'vitest';
import { CREDENTIAL_RULES, PERSONAL_RULES } from './rules/all-rules.ts';

it('docs/REDACTION-KINDS.md lists every kind (written anew by `npx vitest run` on this file with `-u` behind it)', async () => {
  const rules = [...CREDENTIAL_RULES, ...PERSONAL_RULES];
  const groups = [...new Set(rules.map(({ group }) => group))];
  const tables = groups.map((group) => {
    const rows = rules
      .filter((rule) => rule.group === group)
      .map(({ id, what }) => `| \`${id}\` | ${what.replaceAll('|', '\\|')} |`);
    const title = group === 'personal' ? 'personal (only if asked for)' : group;
    return `## ${title}\n\n| kind | what it is |\n|---|---|\n${rows.join('\n')}\n`;
  });
  const text = `# Kinds of secrets that redaction knows\n\n${rules.length} kinds, generated from the rules; [REDACTION.md](REDACTION.md) says how they are found.\n\n${tables.join('\n')}`;
  await expect(text).toMatchFileSnapshot('../../docs/REDACTION-KINDS.md');
});
