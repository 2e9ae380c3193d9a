import { buildCommand } from '@stricli/core';
import { EXPORT_FORMATS, type ExportFormat } from '../core/index.ts';
import { sessionArgument, sharedFlags, toCount, toWord } from './flags.ts';
import { toWhen } from './when.ts';

export const exportCommand = buildCommand({
  loader: async () => (await import('./export.ts')).exportSessions,
  parameters: {
    flags: {
      ...sharedFlags,
      json: { ...sharedFlags.json, brief: 'Say as JSON what was written (docs/JSON.md has the names)' },
      outDir: {
        kind: 'parsed',
        parse: toWord,
        optional: true,
        placeholder: 'DIR',
        brief: 'Where the pages go; without it, one format goes to standard output',
      },
      format: {
        kind: 'parsed',
        parse: toFormat,
        variadic: ',',
        optional: true,
        placeholder: 'html,md,json',
        brief: 'One or several; default: html',
      },
      singleFile: {
        kind: 'boolean',
        default: false,
        brief: 'One page that holds everything: tree, race, replay and all transcripts',
      },
      allSessions: { kind: 'boolean', default: false, brief: 'Every session, with an index over them' },
      project: {
        kind: 'parsed',
        parse: toWord,
        optional: true,
        placeholder: 'DIR',
        brief: 'Every session of this project: its folder, or a part of its path',
      },
      since: {
        kind: 'parsed',
        parse: toWhen,
        optional: true,
        placeholder: 'TIME',
        brief: 'Every session with something newer: 2h, 3d, today, 2026-11-15',
      },
      compact: {
        kind: 'boolean',
        default: false,
        brief: 'Shorten thinking, large results and repetitions; every cut is marked',
      },
      pageSize: {
        kind: 'parsed',
        parse: toCount,
        optional: true,
        placeholder: 'N',
        brief: 'At most N messages on a page; longer transcripts are split',
      },
      redact: {
        kind: 'parsed',
        parse: toRedaction,
        optional: true,
        placeholder: 'pii',
        brief: 'Also e-mail addresses, phone and card numbers, IP addresses; secrets are redacted in any case',
      },
      noRedact: {
        kind: 'boolean',
        default: false,
        withNegated: false,
        brief: 'Look for nothing: passwords and keys of the session will stand in what is written',
      },
      images: {
        kind: 'boolean',
        default: false,
        brief: 'Also images: nobody can look inside them for secrets',
      },
      review: { kind: 'boolean', default: false, brief: 'First list everything that was found, and ask' },
      yes: { kind: 'boolean', default: false, brief: 'Write without asking, also after --review' },
      force: {
        kind: 'boolean',
        default: false,
        brief: 'Also into a folder that is not empty and not an export; what is not ours stays',
      },
    },
    aliases: { o: 'outDir', f: 'format', y: 'yes' },
    positional: sessionArgument,
  },
  docs: {
    brief: 'Write a session as linked pages to share: HTML, Markdown or JSON, without its secrets',
    fullDescription: [
      'Writes one page for the session (index.html) and one for each sub-agent at any depth, linked with each other. They need no',
      'script, load nothing from anywhere and can be read from a folder, a disk or any web server. Passwords, keys, your name and',
      'the path of your home are replaced in all of them (docs/REDACTION.md); redactions.json beside them says what and where.',
      'The folder is replaced as a whole, or not at all; files in it that are not ours stay.',
      '',
      'Examples:',
      '  troupe export --out-dir ./share',
      '  troupe export fa129e54 --out-dir ./share --format html,md,json --compact',
      '  troupe export fa129e54 --single-file > race.html',
      '  troupe export fa129e54 --format md | less',
      '  troupe export --all-sessions --since 7d --out-dir ~/sessions --review',
    ].join('\n'),
  },
});

function toFormat(text: string): ExportFormat {
  const format = EXPORT_FORMATS.find((one) => one === text.trim().toLowerCase());
  if (!format) throw new SyntaxError(`«${text}» is not one of ${EXPORT_FORMATS.join(', ')}`);
  return format;
}

function toRedaction(text: string): 'pii' | 'secrets' {
  if (text === 'pii' || text === 'secrets') return text;
  throw new SyntaxError(`«${text}» is not pii (secrets are redacted in any case)`);
}
