import type { PolicyFileScope } from '../../core/index.ts';

/** A file of a policy, as it was read. */
export interface PolicySource {
  readonly scope: PolicyFileScope;
  readonly file: string;
  /** What relative folders in it are relative to; null for the person's own, which belongs to no project. */
  readonly root: string | null;
  readonly content: Uint8Array | { readonly trouble: string };
}

/** A policy of a thousand rules has a fifth of it. */
export const MAX_BYTES = 1024 * 1024;
