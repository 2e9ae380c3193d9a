// Ending what a benchmark started, before its folder is removed: whoever still writes there would make that fail (ENOTEMPTY).
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/** Ends a child process, and waits until it has ended. */
export async function stopProcess(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/**
 * Waits for every process that names the folder in its command line, then removes the folder. Hooks have the spool read
 * in the background, by a process that outlives them and that nobody hands us.
 */
export async function removeFolder(folder) {
  const until = performance.now() + PATIENCE_MS;
  for (let using = processesNaming(folder); using.length > 0; using = processesNaming(folder)) {
    if (performance.now() > until) throw new Error(`cannot remove ${folder}: still in use by ${using.join('; ')}`);
    await sleep(50);
  }
  rmSync(folder, { recursive: true, force: true });
}

function processesNaming(folder) {
  return commandLines().filter((line) => line.includes(folder));
}

/** `PID WORDS…` of each process but this one. */
function commandLines() {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' });
    return (stdout ?? '').split('\n').filter((line) => !line.trimStart().startsWith(`${process.pid} `));
  }
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`];
    } catch {
      // It ended meanwhile, or is none of ours to look at.
      return [];
    }
  });
}
