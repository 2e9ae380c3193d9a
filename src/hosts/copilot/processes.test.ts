import { spawn } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makeTemporaryFolder } from '../../lib/testing/temporary-folder.ts';
import { copilot } from './index.ts';

const recording = fileURLToPath(new URL('fixtures/1.0.102-plain', import.meta.url));

/** What is known of a living process with these arguments that has the session open. */
async function seenOf(...words: readonly string[]) {
  const root = makeTemporaryFolder('copilot-processes');
  cpSync(recording, root, { recursive: true });
  const program = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)', '--', ...words], { stdio: 'ignore' });
  onTestFinished(() => void program.kill());
  const [session = ''] = readdirSync(path.join(root, 'session-state'));
  writeFileSync(path.join(root, 'session-state', session, `inuse.${program.pid}.lock`), '');
  const { sessions } = await copilot.locate(root);
  return sessions
    .flatMap(({ facts }) => facts)
    .find((fact) => fact.kind === 'process-seen' && fact.pid === program.pid);
}

it.runIf(process.platform === 'linux')('ends with its turn only when it was started with a prompt', async () => {
  expect(await seenOf('-p', 'Count the files')).toMatchObject({ alive: true, endsWithTurn: true });
  expect(await seenOf('--prompt=Count the files')).toMatchObject({ alive: true, endsWithTurn: true });
  expect(await seenOf('--resume', 'ID')).not.toHaveProperty('endsWithTurn');
});
