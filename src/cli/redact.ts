import { buildCommand } from '@stricli/core';
import { cleanLine, formatAge, plural } from '../core/index.ts';
import { UserError } from '../lib/user-error.ts';
import { type CliContext, writeJson, writeLines } from './context.ts';
import { helpText, toggle } from './flags.ts';

interface RedactFlags {
  readonly json: boolean;
  readonly check: boolean;
  readonly pii: boolean;
  readonly decisions: boolean;
  readonly forget?: readonly string[];
}

export const redactCommand = buildCommand({
  func: redact,
  parameters: {
    flags: {
      json: toggle('Write the findings as JSON in place of the text; never the values'),
      check: toggle('Write no text; exit with 1 if something was found'),
      pii: toggle('Also e-mail addresses, phone and card numbers, IP addresses'),
      decisions: toggle('List what was decided in reviews of exports and is kept'),
      forget: {
        kind: 'parsed',
        parse: String,
        variadic: ',',
        optional: true,
        placeholder: 'ID',
        brief: 'Remove kept decisions, by the IDs that --decisions lists',
      },
    },
    positional: {
      kind: 'array',
      parameter: { parse: String, placeholder: 'FILE', brief: 'Text in UTF-8; - or none is standard input' },
    },
  },
  docs: helpText(
    'Take secrets, your name and your home folder out of any text',
    [
      'troupe redact server.log > server.redacted.log',
      'kubectl describe pod api | troupe redact',
      'git diff | troupe redact --check',
      'troupe redact --json .env notes.md',
    ],
    'Writes the text with placeholders to standard output and what was replaced to standard error. The same secret has the same',
    'placeholder in all files; of several files, each has a line with its name before it. No file is changed. At most 64 MB each (docs/REDACTION.md says what is found).',
  ),
});

async function redact(
  this: CliContext<'redactor' | 'decisions'>,
  flags: RedactFlags,
  ...files: readonly string[]
): Promise<void> {
  const { terminal, redactor } = this;
  if (flags.decisions || flags.forget) return manageDecisions.call(this, flags, files);
  if (files.length === 0 && terminal.isInputTyped)
    throw new UserError('redact-no-input', 'There is no input.', 'Name a file, or pipe a text into troupe redact.');
  const { texts, names, findings, notUtf8 } = await redactor.redact({
    files: files.length === 0 ? ['-'] : files,
    pii: flags.pii,
  });
  const places = findings.reduce((sum, { count }) => sum + count, 0);
  const different = new Set(findings.map(({ placeholder }) => placeholder)).size;
  if (flags.json) writeJson(this, { format: 'troupe-redact', version: 1, places, different, notUtf8, findings });
  else if (!flags.check)
    for (const [index, text] of texts.entries()) {
      if (texts.length > 1) await terminal.send(`${index > 0 ? '\n' : ''}==> ${cleanLine(names[index] ?? '')} <==\n`);
      await terminal.send(text);
    }
  for (const file of notUtf8) terminal.note(`troupe: ${file} is not valid UTF-8; only its ASCII text was searched.`);
  if (!flags.json) terminal.note(summary(places, different, findings));
  if (flags.check && places > 0) this.endWith(1);
}

async function manageDecisions(
  this: CliContext<'decisions'>,
  { forget, json }: RedactFlags,
  files: readonly string[],
): Promise<void> {
  if (files.length > 0)
    throw new UserError('redact-flags', 'Files and kept decisions are two commands.', 'Leave out the files.');
  const removed = forget ? await this.decisions.forget(forget) : [];
  const decisions = await this.decisions.list();
  if (json) return writeJson(this, { format: 'troupe-redact-decisions', version: 1, decisions, removed });
  const now = this.clock();
  const lines = decisions.map(
    ({ id, project, decision, what, at }) =>
      `${id}  ${decision === 'show' ? 'always show' : 'always redact everywhere'}  ${cleanLine(what)}  ${cleanLine(project)}  ${formatAge(at, now)}`,
  );
  writeLines(this, [
    ...(forget ? [`${plural(removed.length, 'decision')} removed.`] : []),
    ...(lines.length > 0 ? lines : ['No decisions are kept.']),
  ]);
}

function summary(
  places: number,
  different: number,
  findings: readonly { readonly what: string; readonly count: number }[],
): string {
  if (places === 0) return 'troupe: no secrets found.';
  const kinds = new Map<string, number>();
  for (const { what, count } of findings) kinds.set(what, (kinds.get(what) ?? 0) + count);
  const list = [...kinds].map(([what, count]) => `${count} × ${what}`).join(', ');
  return `troupe: redacted ${plural(places, 'place')}, ${different} different: ${list}.`;
}
