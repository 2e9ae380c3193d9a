import type { JsonObject } from '../../../lib/json.ts';
import type { BodyPlace } from '../../index.ts';

/** One message with everything in it, as it came through some door. */
export interface WholeMessage {
  readonly id: string;
  readonly info: JsonObject;
  /** In the order in which they came. */
  readonly parts: readonly WholePart[];
}

export interface WholePart {
  readonly id: string;
  readonly part: JsonObject;
}

export function placeOf(id: string, createdAt: number | undefined): BodyPlace {
  return { id, timestamp: createdAt === undefined ? null : new Date(createdAt).toISOString(), lines: [] };
}
