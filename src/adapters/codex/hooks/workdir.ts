// Where a command is to run. The hook says in which folder the thread is, and not that a call asks for another; the rollout has
// the whole call by then (seen in every version that has hooks).
import { asObject, asText } from '../../../base/json.ts';
import { parseJson } from '../../../base/parse-json.ts';
import { readPart } from '../../../io/read-part.ts';
import { callIn } from '../tools.ts';

const TAIL_BYTES = 1024 * 1024;

/** The folder that the call names; '.' where it names none; undefined where the call cannot be seen. */
export function workdirOf(call: string | undefined, rollout: string | undefined): string | undefined {
  if (call === undefined || rollout === undefined) return undefined;
  const lines = readPart(rollout, 'tail', TAIL_BYTES)?.split('\n') ?? [];
  for (const line of lines.reverse()) {
    if (!line.includes(call)) continue;
    const made = callIn(asObject(asObject(parseJson(line))?.['payload']) ?? {});
    if (made?.id === call) return folderIn(made.input);
  }
  return undefined;
}

function folderIn(input: unknown): string {
  const fields = asObject(input);
  return asText(fields?.['workdir']) ?? asText(fields?.['working_directory']) ?? '.';
}
