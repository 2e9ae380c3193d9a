import type { Finding } from '../../core/index.ts';
import { daemonState } from '../../server/index.ts';
import { findingsOf } from './finding.ts';

const { good, note, warning, problem } = findingsOf('server');

export async function* examineServer(folder: string, version: string): AsyncGenerator<Finding> {
  const found = await daemonState(folder);
  if (found.state === 'none') {
    yield note('server-none', 'No server runs. Hooks are kept until somebody looks.', 'troupe start');
    return;
  }
  const { daemon } = found;
  const where = `process ${daemon.pid}, port ${daemon.port}`;
  if (found.state !== 'running') {
    yield problem(
      'server-silent',
      `A server is there, but does not answer (${where}).`,
      'troupe stop, then troupe start',
    );
    return;
  }
  yield good('server-runs', `A server of troupe ${daemon.version} runs (${where})`);
  if (daemon.version !== version)
    yield warning(
      'server-old',
      `It is of troupe ${daemon.version}; this is ${version}.`,
      'troupe stop, then troupe start',
    );
}
