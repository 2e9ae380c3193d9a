import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Steered } from '../core/index.ts';
import { reportTrouble } from '../lib/report-trouble.ts';
import { ensureStateFolder, stateFolder } from '../lib/state-folder.ts';
import { type StreamEvent, thisMachine } from '../sessions/index.ts';
import { type OpenDoor, openDoor, type RunSteering } from './open-door.ts';
import type { Steering } from './steer.ts';

/** A run whose agents can be told something, or stopped, from another terminal. */
export interface ReachableRun {
  /** Events of the run: they say whose session it is. */
  take(events: readonly StreamEvent[]): void;
  close(): Promise<void>;
}

/** Where the door cannot be opened, that is said, and the program runs all the same. */
export function reachable(run: string, child: ChildProcess, steering: Steering | undefined): ReachableRun {
  const open = openFor(run, steering ? steered(steering) : bySignal(child)).catch(reportTrouble);
  return {
    take(events) {
      for (const event of events)
        if (event.type === 'session_started' && event.session_id !== null) {
          const { session_id: session } = event;
          void open.then((door) => door?.name(session)).catch(reportTrouble);
        }
    },
    close: async () => void (await (await open)?.close().catch(reportTrouble)),
  };
}

async function openFor(run: string, steering: RunSteering): Promise<OpenDoor> {
  const folder = stateFolder(thisMachine());
  await ensureStateFolder(folder);
  return openDoor(folder, run, steering);
}

/** So long whoever sends waits for the agent to hear it. */
const HEARD_WITHIN_MS = 20_000;

function steered(steering: Steering): RunSteering {
  return {
    async send(agent, message) {
      if (!steering.isOpen) return OVER;
      if (agent === undefined) {
        steering.say(message);
        return { words: 'The program has the message: the main agent reads it when its call, or its turn, is over.' };
      }
      const isHeard = await Promise.race([
        steering.tellAgent(agent, message),
        sleep(HEARD_WITHIN_MS, undefined, QUIET),
      ]);
      if (isHeard === false) return { whyNot: 'it ended before it could read the message.' };
      return {
        words: isHeard
          ? 'The agent has the message.'
          : 'It reads the message with its next call, or when it is about to end.',
      };
    },
    async stop(agent) {
      if (!steering.isOpen) return OVER;
      try {
        if (agent === undefined) {
          await steering.interrupt();
          return { words: 'Its turn was interrupted.' };
        }
        const isEnded = await steering.stopAgent(agent);
        return isEnded ? { words: 'The program has stopped it.' } : GOES_ON;
      } catch (error) {
        return { whyNot: `the program refused: ${error instanceof Error ? error.message : String(error)}.` };
      }
    },
  };
}

const QUIET = { ref: false };
const GOES_ON: Steered = { whyNot: 'the program said yes, but the agent goes on: this version cannot stop it.' };
const OVER: Steered = { whyNot: 'its run is over.' };

/** Nobody stands between the program and its input: only the whole of it can be reached. */
function bySignal(child: ChildProcess): RunSteering {
  return {
    send: async () => WITHOUT_INTERCEPT,
    async stop(agent) {
      if (agent !== undefined) return WITHOUT_INTERCEPT;
      return child.kill('SIGINT') ? { words: 'The program was interrupted, as by Ctrl-C.' } : OVER;
    },
  };
}

const WITHOUT_INTERCEPT: Steered = {
  whyNot: 'its run was started without --intercept, and only with it troupe can speak to its agents.',
};
