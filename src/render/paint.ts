// Colour is an addition: every mark and word stands without it.

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  /** The agent's own colour, the same on every face. */
  readonly agent: (id: string, text: string) => string;
}

const same = (text: string): string => text;

export const PLAIN: Paint = { bold: same, dim: same, red: same, yellow: same, green: same, agent: (_id, text) => text };

export type ColourDepth = 'none' | '16' | '24bit';

export function createPaint(depth: ColourDepth): Paint {
  if (depth === 'none') return PLAIN;
  const sgr = (on: string, off: string) => (text: string) => (text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`);
  return {
    bold: sgr('1', '22'),
    dim: sgr('2', '22'),
    red: sgr('31', '39'),
    yellow: sgr('33', '39'),
    green: sgr('32', '39'),
    agent: (id, text) => sgr(depth === '24bit' ? `38;2;${rgbOf(id)}` : sixteenOf(id), '39')(text),
  };
}

/** Twelve hues of equal lightness that stay apart for colour-blind eyes (Okabe–Ito, filled up between). */
const HUES = [
  '86;180;233',
  '230;159;0',
  '0;158;115',
  '204;121;167',
  '213;94;0',
  '96;146;216',
  '182;172;36',
  '64;176;166',
  '176;132;216',
  '222;134;110',
  '120;178;74',
  '214;108;136',
] as const;

function rgbOf(id: string): string {
  return HUES[hueIndex(id)] ?? HUES[0];
}

function sixteenOf(id: string): string {
  return ['36', '33', '32', '35', '94', '96'][hueIndex(id) % 6] ?? '36';
}

/** From the id alone, so that it survives a restart. */
function hueIndex(id: string): number {
  let hash = 2166136261;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 16777619);
  return (hash >>> 0) % HUES.length;
}
