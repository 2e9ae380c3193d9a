import { known } from '../../base/json.ts';
import { createPaint } from '../../render/paint.ts';
import type { TextOptions } from '../../render/session-table.ts';
import type { FaceContext } from '../face.ts';

export function textOptionsOf({ terminal, clock }: FaceContext): TextOptions {
  return {
    paint: createPaint(terminal.colours),
    now: clock(),
    ...known({ width: terminal.width }),
  };
}
