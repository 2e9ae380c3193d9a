import { signal } from '@preact/signals';

/** The tokens of the page as values: a canvas knows no variables. */
export interface Colours {
  readonly hues: readonly string[];
  readonly text: string;
  readonly dim: string;
  readonly line: string;
  readonly ground: string;
  readonly sunken: string;
  readonly accent: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
}

export const colours = signal<Colours | undefined>(undefined);

/** Reads them, and again whenever the theme changes. Returns how to stop. */
export function watchColours(): () => void {
  const read = (): void => {
    const style = getComputedStyle(document.documentElement);
    const value = (name: string): string => style.getPropertyValue(name).trim();
    colours.value = {
      hues: Array.from({ length: 12 }, (_, hue) => value(`--hue-${hue}`)),
      text: value('--text'),
      dim: value('--text-dim'),
      line: value('--line'),
      ground: value('--ground'),
      sunken: value('--sunken'),
      accent: value('--accent'),
      good: value('--good'),
      warn: value('--warn'),
      bad: value('--bad'),
    };
  };
  read();
  const changes = new MutationObserver(read);
  changes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class'] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', read);
  return () => {
    changes.disconnect();
    dark.removeEventListener('change', read);
  };
}

/** The main agent is neutral. */
export function colourOf({ hues, dim }: Colours, hue: number | null): string {
  return hue === null ? dim : (hues[hue % 12] ?? dim);
}

/** As many dots as the screen has. */
export function preparePen(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const dots = devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * dots), Math.round(height * dots)];
  if (canvas.width !== wide || canvas.height !== high) {
    [canvas.width, canvas.height] = [wide, high];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
  }
  const pen = canvas.getContext('2d') ?? undefined;
  pen?.setTransform(dots, 0, 0, dots, 0, 0);
  return pen;
}
