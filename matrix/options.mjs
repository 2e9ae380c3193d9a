// The command line.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { HOSTS } from './hosts/index.mjs';
import { isAtLeast } from './hosts/versions.mjs';
import { PLAYS } from './plays.mjs';
import { root } from './troupe.mjs';

export const HELP = `Usage: npm run matrix -- [options]

Runs real versions of the hosts against a scripted model on this machine, with troupe beside them, and compares
what troupe shows with what happened.

Options:
  --host HOST        only this host; may be repeated
  --version VERSION  this version instead of the listed ones; needs one --host; may be repeated
  --plays A,B        only these plays
  --list             list hosts, versions and plays, and stop
  --keep DIR         keep a recording of each cell in DIR; grey cells are played, too
  --cache DIR        folder with installed hosts, DIR/<host>-<version>/node_modules (default: node_modules/.matrix)
  --node22 PATH      program or folder of Node 22, for hosts that need it
  --jobs N           play N cells at once (default: 1); on a busy machine live states come late
  --json             print the results as JSON
  --no-page          do not write docs/reference/compatibility.md and matrix/results.json
  --help             print this text

Exit codes: 0 no red cell, 1 a red cell, 2 wrong usage, or a host that could not be installed.

Examples:
  npm run matrix -- --host claude-code --plays one,parallel
  npm run matrix -- --host claude-code --version 2.1.325 --keep /tmp/recordings
  npm run matrix -- --host codex --cache ~/hosts --json
`;

export class UsageError extends Error {}

export function readOptions(args) {
  const { values } = parse(args);
  const hosts = values.host ? values.host.map(findHost) : HOSTS;
  if (values.version && hosts.length !== 1) throw new UsageError('--version needs exactly one --host.');
  const names = values.plays?.split(',').filter(Boolean) ?? Object.keys(PLAYS);
  for (const name of names)
    if (!PLAYS[name]) throw new UsageError(`There is no play "${name}". Plays: ${Object.keys(PLAYS).join(', ')}.`);
  const jobs = Number(values.jobs ?? 1);
  if (!Number.isInteger(jobs) || jobs < 1) throw new UsageError('--jobs needs a whole number from 1 up.');
  return {
    ...values,
    jobs,
    cells: hosts.flatMap((host) => {
      const versions = values.version ?? host.versions;
      return versions.flatMap((version) =>
        names.filter((name) => isFor(PLAYS[name], host, version)).map((name) => ({ host, version, name })),
      );
    }),
    cache: path.resolve(values.cache ?? path.join(root, 'node_modules/.matrix')),
    keep: values.keep && path.resolve(values.keep),
  };
}

function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        host: { type: 'string', multiple: true },
        version: { type: 'string', multiple: true },
        plays: { type: 'string' },
        list: { type: 'boolean' },
        keep: { type: 'string' },
        cache: { type: 'string' },
        node22: { type: 'string' },
        jobs: { type: 'string' },
        json: { type: 'boolean' },
        'no-page': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(error.message);
  }
}

function findHost(name) {
  const host = HOSTS.find((one) => one.name === name);
  if (!host) throw new UsageError(`There is no host "${name}". Hosts: ${HOSTS.map((one) => one.name).join(', ')}.`);
  return host;
}

/** Plays about one host, or about some of its versions, have no cell elsewhere. */
function isFor({ hosts, versions, since }, host, version) {
  if (hosts && !hosts.includes(host.name)) return false;
  if (versions && !versions.includes(version)) return false;
  return !since || isAtLeast(version, since);
}

export function listAll() {
  const longest = Math.max(...Object.keys(PLAYS).map(({ length }) => length)) + 2;
  const hosts = HOSTS.map(({ name, versions }) => `  ${name.padEnd(14)}${versions.join(', ')}`);
  const plays = Object.entries(PLAYS).map(
    ([name, { about, hosts: only }]) => `  ${name.padEnd(longest)}${about}${only ? ` (${only.join(', ')})` : ''}`,
  );
  return ['Hosts and versions:', ...hosts, '', 'Plays:', ...plays, ''].join('\n');
}
