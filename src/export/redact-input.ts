// The redactor of exports, and `troupe redact`: any text, from files or standard input, through it.

import { hostname, userInfo } from 'node:os';
import { isWrongFile, readRegular } from '../lib/regular-file.ts';
import { codeOf, UserError } from '../lib/user-error.ts';
import { createRedactor, type Redactor } from '../redact/index.ts';
import { readOwnSettings, thisMachine } from '../sessions/index.ts';
import type { ValueDecisions } from './decisions.ts';

export interface RedactRequest {
  /** `-` is standard input. */
  readonly files: readonly string[];
  readonly input: AsyncIterable<Uint8Array>;
  readonly pii: boolean;
}

/** One secret in one file; says nothing of the secret itself. */
export interface InputFinding {
  readonly file: string;
  readonly rule: string;
  readonly what: string;
  readonly why: string;
  readonly placeholder: string;
  /** From 1: of its first place in the file. */
  readonly line: number;
  readonly count: number;
}

export interface RedactedInput {
  /** In the order of the files, in their own encoding. */
  readonly texts: readonly Uint8Array[];
  /** Of the files, in the same order, redacted as well. */
  readonly names: readonly string[];
  readonly findings: readonly InputFinding[];
  /** Files that are not valid UTF-8; what is not ASCII in them is kept byte for byte. */
  readonly notUtf8: readonly string[];
}

/** All of it is in memory, so that a key of many lines, or a value that is known from further down, is found. */
const MOST_BYTES = 64 * 1024 * 1024;

export async function redactInput({ files, input, pii }: RedactRequest): Promise<RedactedInput> {
  if (files.filter((file) => file === '-').length > 1)
    throw new UserError('redact-input-twice', 'Standard input is named twice.', 'Name - once.');
  const read: { readonly file: string; readonly text: string; readonly encoding: 'utf8' | 'latin1' }[] = [];
  // Nothing is written before everything was read: a missing file leaves no half of an output.
  for (const file of files) {
    const bytes = file === '-' ? await readInput(input) : await readFileBytes(file);
    if (bytes.subarray(0, 65_536).includes(0))
      throw new UserError(
        'redact-binary',
        `${nameOf(file)} is not UTF-8 text.`,
        'Convert it to UTF-8, or leave it out.',
      );
    read.push({ file: nameOf(file), ...decode(bytes) });
  }
  const redactor = await createUserRedactor(pii);
  const texts = Object.fromEntries(read.map(({ text }, index) => [`file${index}`, text]));
  redactor.scan(texts);
  const redacted = redactor.redactValue(texts);
  return {
    texts: read.map(({ encoding }, index) => Buffer.from(redacted[`file${index}`] ?? '', encoding)),
    names: read.map(({ file }) => redactor.replaceOnly(file)),
    findings: redactor.findings().map(({ rule, what, why, placeholder, field, line, count }) => {
      const { file = '' } = read[Number(/^file(\d+)/.exec(field)?.[1])] ?? {};
      return { file, rule, what, why, placeholder, line, count };
    }),
    notUtf8: read.filter(({ encoding }) => encoding === 'latin1').map(({ file }) => file),
  };
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

function decode(bytes: Uint8Array): { readonly text: string; readonly encoding: 'utf8' | 'latin1' } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), encoding: 'utf8' };
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), encoding: 'latin1' };
  }
}

async function readInput(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.length;
    if (size > MOST_BYTES) throw tooLarge('standard input');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'it does not exist'],
  ['EACCES', 'its permissions do not allow it'],
]);

async function readFileBytes(file: string): Promise<Uint8Array> {
  try {
    return await readRegular(file, MOST_BYTES);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EFBIG') throw tooLarge(file);
    const why = isWrongFile(error) ? error.why : (REASONS.get(String(code)) ?? String(code ?? error));
    throw new UserError(
      'redact-unreadable',
      `${file} cannot be read: ${why}.`,
      'Nothing was written. Name another file.',
    );
  }
}

function tooLarge(name: string): UserError {
  return new UserError(
    'redact-too-large',
    `${name} is larger than 64 MB.`,
    'Split it (for example with split -C 60m), and pass all parts in one command.',
  );
}

export interface RedactorUse {
  readonly decisions?: ValueDecisions;
  readonly isReviewed?: boolean;
}

/** By the person's own settings. `pii`: more than they say. */
export async function createUserRedactor(
  pii: boolean,
  { decisions, isReviewed = false }: RedactorUse = {},
): Promise<Redactor> {
  const { home } = thisMachine();
  const { redact } = await readOwnSettings();
  return createRedactor({
    home,
    users: userNames(),
    hosts: [hostname()],
    pii: pii || (redact?.pii ?? false),
    patterns: redact?.patterns ?? [],
    allow: redact?.allow ?? [],
    isReviewed,
    ...(decisions && { decide: decisions.decide }),
  });
}

/** A container may have a user without a name. */
function userNames(): readonly string[] {
  try {
    return [userInfo().username];
  } catch {
    return [];
  }
}
