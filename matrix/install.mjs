// Installs one version of a host into the cache and finds its program.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @returns { program } or { problem } */
export async function install({ host, version, cache }) {
  const folder = path.join(cache, `${host.name}-${version}`);
  const known = findProgram(host, folder);
  if (known) return { program: known };
  mkdirSync(folder, { recursive: true });
  for (const name of host.packages?.(version) ?? [host.package]) {
    const { error, stderr } = await npmInstall(folder, `${name}@${version}`);
    if (error) return { problem: describeFailure(`${name}@${version}`, stderr || String(error)) };
  }
  const program = findProgram(host, folder);
  return program
    ? { program }
    : { problem: `${host.package}@${version} has no program for ${process.platform}-${process.arch}` };
}

function npmInstall(folder, spec) {
  // Install scripts are not needed by any host.
  const args = [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
    spec,
  ];
  return new Promise((resolve) => {
    execFile('npm', args, { timeout: 600_000, maxBuffer: 16 << 20 }, (error, _stdout, stderr) =>
      resolve({ error, stderr }),
    );
  });
}

function describeFailure(spec, text) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT/.test(text))
    return `Cannot install ${spec}: npm cannot reach its registry. Check the network, or give a folder with installed hosts (--cache DIR).`;
  if (/E404|ETARGET|notarget/.test(text)) return `Cannot install ${spec}: npm has no such version.`;
  return `Cannot install ${spec}: ${text.trim().split('\n').at(-1)}`;
}

function findProgram(host, folder) {
  const modules = path.join(folder, 'node_modules');
  for (const [name, file] of host.nativePrograms?.() ?? []) {
    const native = path.join(modules, name, file);
    if (existsSync(native)) return native;
  }
  const manifest = path.join(modules, host.package, 'package.json');
  if (!existsSync(manifest)) return undefined;
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const file = typeof bin === 'string' ? bin : bin?.[host.program];
  return file && existsSync(path.join(modules, host.package, file))
    ? path.join(modules, host.package, file)
    : undefined;
}

/** The folder to put in front of the PATH: what --node22 names, else undefined if this Node will do. */
export function findNode22(given) {
  if (given)
    return path.basename(given) === 'node' ? path.dirname(path.resolve(given)) : binFolder(path.resolve(given));
  return Number(process.versions.node.split('.')[0]) >= 22 ? path.dirname(process.execPath) : undefined;
}

/** Accepts the folder of the program, of an unpacked release, or of the npm package `node`. */
function binFolder(folder) {
  const candidates = ['', 'bin', 'node_modules/node/bin', 'node_modules/.bin'].map((part) => path.join(folder, part));
  return candidates.find((one) => existsSync(path.join(one, 'node')));
}
