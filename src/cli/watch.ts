import { known } from '../lib/json.ts';
import { type SharedFlags, whereOf } from './flags.ts';
import type { CliContext } from './run-cli.ts';

export interface WatchFlags extends SharedFlags {
  readonly demo: boolean;
  readonly speed: number;
  readonly plain: boolean;
  readonly lines: boolean;
}

export async function watch(this: CliContext, flags: WatchFlags, session?: string): Promise<void> {
  const demoSpeed = flags.demo ? flags.speed : undefined;
  await this.face.watch({
    where: whereOf(flags),
    json: flags.json,
    plain: flags.plain,
    lines: flags.lines,
    ...known({ demoSpeed, session }),
  });
}
