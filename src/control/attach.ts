import { randomUUID } from 'node:crypto';
import { recordResumed } from '../audit/index.ts';
import {
  type AgentToSteer,
  type AttachControl,
  hostOf,
  isAtWork,
  momentText,
  nativeId,
  type OpenedTranscript,
  type SessionId,
  type Steered,
  type SteeringCapability,
  type Transcripts,
} from '../core/index.ts';
import { createUserRedactor } from '../export/index.ts';
import type { Machine, SourceAdapter } from '../hosts/index.ts';
import { loadHosts } from '../hosts/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { known } from '../lib/json.ts';
import { findVersion } from '../lib/processes.ts';
import { ensureStateFolder, stateFolder } from '../lib/state-folder.ts';
import { UserError } from '../lib/user-error.ts';
import { createTranscripts, dataFoldersFor, type SessionScope, thisMachine } from '../sessions/index.ts';
import { type HostProgram, type PlanContext, planAttach, runPlan } from './plan-attach.ts';
import { type EndedRun, findEndedRun } from './run-record.ts';
import { findRun } from './run-socket.ts';

export interface AttachOptions extends Pick<PlanContext, 'adapters' | 'machine' | 'createRedactor'> {
  readonly transcripts: Transcripts;
  /** Where troupe keeps its state. */
  readonly folder: string;
  /** The run that troupe itself has started for a session: it knows a way to its agents that the host does not have. */
  findRun?(session: string): Promise<SteeringCapability | undefined>;
  /** The same, if it is over. */
  findEndedRun?(session: string): Promise<EndedRun | undefined>;
}

export function createAttach(options: AttachOptions): AttachControl {
  const { adapters, machine, transcripts, folder } = options;
  const steer = async (
    wanted: string,
    session: string | undefined,
    act: (by: SteeringCapability, agent: AgentToSteer) => Promise<Steered>,
  ) => {
    const opened = await transcripts.read(wanted, session);
    const agent = toSteer(opened);
    const own = adapters.find(({ host }) => host === hostOf(opened.tree.id));
    const run = await options.findRun?.(agent.session);
    let last: Steered = {
      whyNot: whyOutOfReach(agent, own?.title ?? 'its host', await options.findEndedRun?.(agent.session)),
    };
    for (const way of [run, own?.steering]) {
      if (way) last = await act(way, agent);
      if (!('whyNot' in last)) break;
    }
    return last;
  };
  return {
    async plan(wanted, wish, { mayAsk, session }) {
      const opened = await transcripts.read(wanted, session);
      const plan = await planAttach(opened, wish, {
        ...options,
        newId: randomUUID,
        findProgram: async (adapter) => (mayAsk ? findProgram(adapter, machine) : undefined),
      });
      const { agent, session: of } = plan;
      const noteContinued = async (started: SessionId): Promise<void> => {
        await ensureStateFolder(folder);
        const isKept = await recordResumed(folder, { session: started, agent, of }, systemClock);
        if (!isKept)
          throw new UserError(
            'attach-not-noted',
            'troupe could not note which agent the new session goes on from.',
            'Try again; troupe doctor says what is in the way.',
          );
      };
      return { report: plan.report, run: (write) => runPlan(plan, { env: process.env, noteContinued, write }) };
    },
    send: (agent, message, session) => steer(agent, session, (way, one) => way.send(one, message)),
    stop: (agent, session) => steer(agent, session, (way, one) => way.stop(one)),
  };
}

/** Why neither a run of troupe nor the host itself takes a message for the agent, and what to do instead. */
function whyOutOfReach(
  { agent, isAtWork: isWorking }: AgentToSteer,
  host: string,
  ended: EndedRun | undefined,
): string {
  if (ended === undefined)
    return `${host} takes no messages from outside, and the session was not started by troupe run.`;
  const when = ended.endedAt === null ? 'was killed' : `ended at ${momentText(ended.endedAt, systemClock())}`;
  const since = isWorking ? ` It now works without troupe, and ${host} takes no messages from outside.` : '';
  return `its run ${when}.${since} Continue with: troupe attach ${agent}`;
}

async function findProgram({ hookSettings }: SourceAdapter, machine: Machine): Promise<HostProgram | undefined> {
  const found = await findVersion(hookSettings?.programs(machine) ?? []);
  return found && { program: found.program, ...known({ version: hookSettings?.versionIn(found.said) }) };
}

function toSteer({ tree, agent, root }: OpenedTranscript): AgentToSteer {
  const node = tree.agents.find(({ id }) => id === agent);
  return {
    root,
    session: nativeId(tree.id),
    agent: nativeId(agent),
    isAtWork: node !== undefined && isAtWork(node.status),
    ...known({ cwd: node?.cwd ?? tree.cwd }),
  };
}

export async function attachTo(where: SessionScope): Promise<AttachControl> {
  const machine = thisMachine();
  const folder = stateFolder(machine);
  return createAttach({
    adapters: await loadHosts(),
    machine,
    transcripts: createTranscripts(dataFoldersFor(where), systemClock),
    folder,
    findRun: (session) => findRun(folder, session),
    findEndedRun: (session) => findEndedRun(folder, session),
    createRedactor: () => createUserRedactor(false),
  });
}
