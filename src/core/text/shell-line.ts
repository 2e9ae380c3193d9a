import type { AttachCommand, AttachWish } from '../reports/attach-shapes.ts';
import { cleanBlock } from './clean-text.ts';

/** As a person would type it in a shell of the Unix kind; clean, so that what is copied is what was read. */
export function shellLine({ program, args, env, cwd, takesText }: AttachCommand): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const words = [...variables, ...[program, ...args].map(quoted)].join(' ');
  const line = takesText ? `${words} < handover.txt` : words;
  return cwd === null ? line : `cd ${quoted(cwd)} && ${line}`;
}

/** The same by troupe, which notes whom the new session goes on from. */
export function attachLine(agent: string, { message, host, fork }: AttachWish): string {
  const flags = [
    ...(message === undefined ? [] : ['--message', message]),
    ...(host === undefined ? [] : ['--host', host]),
    ...(fork ? ['--fork'] : []),
  ];
  return ['troupe', 'attach', agent, ...flags].map(quoted).join(' ');
}

/** A folder of linked pages. Where the session is found by default, nothing is said of it. */
export function exportLine(
  session: string,
  where: { readonly roots: readonly string[]; readonly host?: string },
): string {
  const flags = [
    ...where.roots.flatMap((root) => ['--root', root]),
    ...(where.host === undefined ? [] : ['--host', where.host]),
  ];
  return ['troupe', 'export', session, ...flags, '--out-dir', './share'].map(quoted).join(' ');
}

function quoted(word: string): string {
  const clean = cleanBlock(word);
  return /^[\w@%+=:,./-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", `'\\''`)}'`;
}
