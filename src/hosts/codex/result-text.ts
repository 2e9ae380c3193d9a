// What a call gave back, without the host's lines around it.
import { asAmount, asObject } from '../../lib/json.ts';
import { parseJson } from './record.ts';

/**
 * The output of a command stands behind a few lines about it; up to about 0.5x both were fields of a JSON text. An exit
 * that was no success stays, as a line of its own in front.
 */
export function outputIn(text: string): string {
  const old = text.startsWith('{"output":') ? asObject(parseJson(text)) : undefined;
  if (old && typeof old['output'] === 'string')
    return withExit(old['output'], asAmount(asObject(old['metadata'])?.['exit_code']));
  const [header, ...rest] = text.split(/^Output:\n?/m);
  const isAboutCommand = /^(?:Command: |Chunk ID: |Wall time: |Exit code: )/.test(text);
  if (!isAboutCommand || rest.length === 0) return text;
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)/m.exec(header ?? '')?.[1];
  const output = rest.join('Output:\n');
  // A patch inside of a command has lines about both.
  return /^Exit code: /.test(output) ? outputIn(output) : withExit(output, code === undefined ? 0 : Number(code));
}

function withExit(output: string, code: number | undefined): string {
  return code === undefined || code === 0 ? output : `Exit code ${code}\n${output}`;
}
