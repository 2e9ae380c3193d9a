/** Sessions of one prompt and one answer, in the shape of Claude Code, over a year and forty projects: below a folder that is its data folder. */
export function writeShortSessions(root: string, count: number): void;
