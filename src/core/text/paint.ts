// Colour is an addition: every mark and word stands without it.

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  /** An agent's own colour by its hue, the same on every face; neutral without one. */
  readonly agent: (hue: number | null, text: string) => string;
}

const same = (text: string): string => text;

export const PLAIN: Paint = {
  bold: same,
  dim: same,
  red: same,
  yellow: same,
  green: same,
  agent: (_hue, text) => text,
};

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
    agent: (hue, text) => {
      if (hue === null) return text;
      return sgr(
        depth === '24bit' ? `38;2;${RGB[hue] ?? RGB[0]}` : (SIXTEEN[hue % SIXTEEN.length] ?? '36'),
        '39',
      )(text);
    },
  };
}

/** Twelve hues of equal lightness that stay apart for colour-blind eyes (Okabe–Ito, filled up between). */
const RGB = [
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

const SIXTEEN = ['36', '33', '32', '35', '94', '96'] as const;
