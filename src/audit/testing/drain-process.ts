// Drains in a process of its own, to be killed. `FOLDER loop`: again and again; says when it begins. `FOLDER N`: kills itself before its
// Nth step on the file system, in the middle of it where it writes; where it has no so many steps, it says "done".
import fs, { appendFileSync } from 'node:fs';
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { drain } from '../drain.ts';
import { testOptions } from './spool-host.ts';

const [folder = '', mode = ''] = process.argv.slice(2);

if (mode === 'loop') {
  process.stdout.write('up\n');
  for (;;) {
    await drain(testOptions(folder));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
} else {
  await dieAtStep(Number(mode));
  await drain(testOptions(folder));
  process.stdout.write('done\n');
}

async function dieAtStep(step: number): Promise<void> {
  let steps = 0;
  const handle = await fsp.open('/dev/null');
  const handles = Object.getPrototypeOf(handle);
  await handle.close();
  let lastOpened = '';
  const wrap = (owner: Record<string, unknown>, name: string): void => {
    const original = owner[name] as (...args: unknown[]) => unknown;
    owner[name] = function (this: unknown, ...args: unknown[]) {
      if (name === 'open') lastOpened = String(args[0]);
      if (++steps === step) {
        // Torn in the middle: what a full disk or a kill leaves of a long write.
        if (name === 'appendFile') appendFileSync(lastOpened, String(args[0]).slice(0, String(args[0]).length * 0.7));
        process.kill(process.pid, 'SIGKILL');
        for (;;) fs.statSync('/');
      }
      return original.apply(this, args);
    };
  };
  const promises = fsp as unknown as Record<string, unknown>;
  for (const name of ['open', 'readFile', 'writeFile', 'rename', 'rm', 'link', 'readdir']) wrap(promises, name);
  wrap(fs as unknown as Record<string, unknown>, 'openSync');
  for (const name of ['appendFile', 'datasync', 'truncate']) wrap(handles, name);
  syncBuiltinESMExports();
}
