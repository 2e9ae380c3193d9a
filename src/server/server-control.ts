import type { GuardLog } from '../audit/index.ts';
import type { GuardExplanation, MessageRange, PairingStatus } from '../core/index.ts';
import { type ExplainPastOptions, explainPast, type HookReply } from '../guard/index.ts';
import type { HookKeys } from '../hook/index.ts';
import type { Live, SessionScope, TranscriptPage } from '../sessions/index.ts';
import type { Daemon } from './daemon-file.ts';
import type { FollowRequest } from './follow.ts';

/** The server of this person: one at most that others find. */
export interface ServerControl {
  /** Serves in this process, or finds the server that runs already. Throws a `UserError` where neither can be. */
  serve(request: ServeRequest): Promise<Serving>;
  /** Starts one that outlives this process, or finds the one that runs. */
  start(request: Omit<ServeRequest, 'demoSpeed'>): Promise<RunningServer>;
  stop(): Promise<StopReport>;
  status(): Promise<ServerState | undefined>;
  /** A link that logs a browser in at the running server, once and within a minute; undefined if no server runs. */
  login(): Promise<string | undefined>;
  readonly passphrase: PassphraseControl;
  /** What the running server follows, where it is what was asked for; `onState`, as the connection comes and goes. */
  feed(where: SessionScope, onState: (state: ConnectionState) => void): Promise<RemoteFeed | undefined>;
}

/** The passphrase for approvals, and the browsers that were paired with it. */
export interface PassphraseControl {
  status(): Promise<Omit<PairingStatus, 'alarms'> & { readonly alarm: string | null }>;
  /** Throws a `UserError` if a coding agent started this process. */
  assertPerson(): Promise<void>;
  /** Throws a `UserError` if the old passphrase is wrong, or the new one weak; and as `assertPerson`. */
  set(passphrase: string, old: string | undefined): Promise<void>;
  /** Throws a `UserError` if there is no such browser. */
  unpair(id: string): Promise<void>;
}

export interface ServeRequest extends FollowRequest {
  /** A free one where none is given. */
  readonly port?: number;
}

export interface Serving {
  readonly server: RunningServer;
  /** Another process serves. */
  readonly isFound: boolean;
  /** It is not the person's one server (`--demo`, `--root` beside that one): other commands do not find it. */
  readonly isAlone: boolean;
  /** A link that logs a browser in, once and within a minute; undefined if the server gives us none. */
  login(): Promise<string | undefined>;
  /** When it is over: by a signal, or because another server took over. Never, where another process serves. */
  readonly ended: Promise<'stopped' | 'replaced'>;
}

/** What hooks tell the server while their host waits. */
export interface HookIntake extends HookKeys {
  /** Keeps the call and gives what the hook is to print; undefined where it is not ours to keep. */
  take(call: HookCallNotice): Promise<HookReply | undefined>;
}

export interface HookCallNotice {
  readonly host: string;
  /** The name of the file in the spool that holds what the hook was told. */
  readonly draft: string;
  readonly ppid?: number;
  /** Which agent started the host, as the hook's environment says (`TROUPE_PARENT`). */
  readonly parent?: string;
  /** That agent and those above it, by their names (`TROUPE_AGENT`). */
  readonly above?: string;
  /** Epoch milliseconds: when the hook began. */
  readonly since?: number;
  /** Nobody asks but us: what a policy wants to be asked is held here (`policy`), or the call in any case (`always`). */
  readonly asks?: 'policy' | 'always';
}

export interface RunningServer extends Pick<Daemon, 'pid' | 'port' | 'version' | 'startedAt'> {
  /** The page. A browser has to log in first (`troupe open`). */
  readonly url: string;
  /** Where it looks. */
  readonly places: readonly string[];
}

export interface ServerState {
  readonly server: RunningServer;
  /** `paused`, `stuck`: it is there, but does not answer. */
  readonly state: 'running' | 'paused' | 'stuck';
}

export interface StopReport {
  /**
   * `silent`: a process that does not answer, and was not touched. `stopping`: told to, but still there. `killed`: it did
   * not answer, nor end when told to.
   */
  readonly outcome: 'none' | 'stopped' | 'stopping' | 'killed' | 'silent';
  readonly server?: RunningServer;
}

/** `port`: of the server that we are connected to, or were. */
export interface ConnectionState {
  readonly isLost: boolean;
  readonly port: number;
}

export interface RemoteFeed extends Pick<Live, 'subscribe' | 'timeline' | 'close'> {
  readonly port: number;
  /** Asks: such a server runs and answers, on whatever port. */
  isServed(): Promise<boolean>;
  transcript(agent: string, range: MessageRange, session: string): Promise<TranscriptPage | undefined>;
}

/** What the server answers about the guard with. */
export interface ServedGuard extends GuardLog {
  /** Why a call of the audit was, or would be, decided so: by its number, or the host's id of it. Throws a `UserError` for others. */
  explain(call: string): Promise<GuardExplanation>;
}

/** The audit, and why calls in it were decided as they were: the same as `troupe guard explain`. */
export function createServedGuard(log: GuardLog, options: ExplainPastOptions): ServedGuard {
  return {
    ...log,
    async explain(call) {
      await log.drain();
      return explainPast(call, options);
    },
  };
}
