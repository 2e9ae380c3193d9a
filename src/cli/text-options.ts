import { createPaint } from '../core/index.ts';
import { known } from '../lib/json.ts';
import type { FaceContext } from './face.ts';
import type { TextOptions } from './format/index.ts';

export function textOptionsOf({ terminal, clock }: FaceContext): TextOptions {
  return {
    paint: createPaint(terminal.colours),
    now: clock(),
    ...known({ width: terminal.width }),
  };
}
