/** The colours and fonts of the page, as a canvas needs them: it knows no CSS variables. */
export interface Palette {
  readonly ground: string;
  readonly raised: string;
  readonly sunken: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly textDim: string;
  readonly textFaint: string;
  readonly accent: string;
  readonly focus: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
  readonly warnGround: string;
  readonly badGround: string;
  readonly hues: readonly string[];
  readonly small: string;
  readonly smallBold: string;
  readonly body: string;
  readonly bodyBold: string;
}

export function readPalette(root: Element): Palette {
  const style = getComputedStyle(root);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  const font = (size: string, weight: string): string => `${weight} ${value(size)} ${value('--sans')}`;
  return {
    ground: value('--ground'),
    raised: value('--raised'),
    sunken: value('--sunken'),
    line: value('--line'),
    lineStrong: value('--line-strong'),
    text: value('--text'),
    textDim: value('--text-dim'),
    textFaint: value('--text-faint'),
    accent: value('--accent'),
    focus: value('--focus'),
    good: value('--good'),
    warn: value('--warn'),
    bad: value('--bad'),
    warnGround: value('--warn-ground'),
    badGround: value('--bad-ground'),
    hues: Array.from({ length: 12 }, (_, hue) => value(`--hue-${hue}`)),
    small: font('--small', '400'),
    smallBold: font('--small', '600'),
    body: font('--body', '400'),
    bodyBold: font('--body', '600'),
  };
}

/** The main agent is neutral. */
export function colourOf({ hues, textDim }: Palette, hue: number | null): string {
  return hue === null ? textDim : (hues[hue % hues.length] ?? textDim);
}

/** Calls back whenever the theme changes, by the system or by the person. */
export function onThemeChange(root: Element, changed: () => void): () => void {
  const media = matchMedia('(prefers-color-scheme: dark)');
  media.addEventListener('change', changed);
  const observer = new MutationObserver(changed);
  observer.observe(root, { attributes: true, attributeFilter: ['data-theme', 'class', 'style'] });
  return () => {
    media.removeEventListener('change', changed);
    observer.disconnect();
  };
}
