import type { Count } from './counts.ts';

/** What a person sees of the page while another one is in front: who needs them, else who is stuck, else who works. */
export function titleText(counts: readonly Count[], isLost: boolean): string {
  if (isLost) return 'no connection · troupe';
  const count = (['needs-you', 'silent', 'working'] as const)
    .map((name) => counts.find((one) => one.name === name))
    .find((one) => one !== undefined);
  return count ? `${count.mark} ${count.count} ${count.word} · troupe` : 'troupe';
}
