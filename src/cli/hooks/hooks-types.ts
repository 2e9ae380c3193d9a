import type { HookScope, HooksStatus, LoadReason, SettingsChange } from '../../core/index.ts';

/** Our entries in the settings of a host. Each throws a `UserError` where the person has to do something first. */
export interface HooksControl {
  /** What installing would change. Nothing is written before `apply`. */
  planInstall(request: InstallRequest): Promise<InstallPlan>;
  /** Without a scope: wherever ours are. */
  planUninstall(request: UninstallRequest): Promise<HooksPlan>;
  status(request: { readonly host?: string }): Promise<HooksStatus>;
}

export interface InstallRequest {
  readonly host?: string;
  readonly scope: HookScope;
  readonly guard: boolean;
  /** In place of what the host's program says of itself. */
  readonly hostVersion?: string;
}

export interface UninstallRequest {
  readonly host?: string;
  readonly scope?: HookScope;
}

export interface HooksPlan {
  readonly host: string;
  readonly hostTitle: string;
  /** Only files in which something changes. */
  readonly changes: readonly SettingsChange[];
  /** Writes them: by what stands in them by then. Gives the folders in which the old texts lie. */
  apply(): Promise<readonly string[]>;
}

export interface InstallPlan extends HooksPlan {
  /** Null: nobody could say it, and only what the oldest version knows is written. */
  readonly hostVersion: string | null;
  readonly events: readonly string[];
  /** Of these we would be told twice: other entries of ours stand in another file that counts here. */
  readonly doubled: readonly string[];
  /** The guard that stands in the file would only observe from then on. */
  readonly dropsGuard: boolean;
  /** What the person has to do in the host before it runs them, in words. */
  readonly approval?: string;
  /** Why this host will not run them, where that is known beforehand. */
  readonly notLoaded?: LoadReason;
}
