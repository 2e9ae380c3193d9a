import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { AgentToSteer, Steered, SteeringCapability } from '../core/index.ts';
import { asText, isObject, parseJsonBytes } from '../lib/json.ts';
import { codeOf } from '../lib/user-error.ts';
import { listDoors, type RunDoor, removeDoor } from './door-file.ts';

/** The run of a session, where `troupe run` has started it and it still goes on; by the host's own id. */
export async function findRun(folder: string, session: string): Promise<SteeringCapability | undefined> {
  for (const { file, door } of await listDoors(folder)) {
    if (door.session !== session) continue;
    if (await isThere(door)) return steeringAt(door);
    await removeDoor(file, door);
  }
  return undefined;
}

function steeringAt(door: RunDoor): SteeringCapability {
  const agentIn = ({ agent, session }: AgentToSteer): { readonly agent?: string } =>
    agent === session ? {} : { agent };
  const ended = ({ agent, session, isAtWork }: AgentToSteer): boolean => agent !== session && !isAtWork;
  return {
    send: async (agent, message) =>
      ended(agent)
        ? { whyNot: 'it has ended; troupe attach goes on from it.' }
        : request(door, { act: 'send', message, ...agentIn(agent) }),
    stop: async (agent) =>
      ended(agent) ? { whyNot: 'it is not at work.' } : request(door, { act: 'stop', ...agentIn(agent) }),
  };
}

/** Nobody listens at the socket of a run that was killed. */
function isThere({ address }: RunDoor): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(!GONE.has(codeOf(error))));
  });
}

const GONE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);

function request({ address }: RunDoor, said: object): Promise<Steered> {
  return new Promise((resolve) => {
    const over = (): void => resolve({ whyNot: 'its run has ended.' });
    const socket = connect(address, () => socket.write(`${JSON.stringify(said)}\n`));
    const lines = createInterface({ input: socket });
    lines.on('error', over).once('line', (line) => resolve(steeredIn(line)));
    socket.once('error', over).once('close', over);
  });
}

function steeredIn(line: string): Steered {
  const said = parseJsonBytes(Buffer.from(line));
  const [words, whyNot] = isObject(said) ? [asText(said['words']), asText(said['whyNot'])] : [];
  return words === undefined ? { whyNot: whyNot ?? 'its run gave no answer.' } : { words };
}
