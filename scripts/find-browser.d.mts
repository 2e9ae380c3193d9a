/** How to start a Chromium with playwright-core. */
export function findBrowser(): Promise<{ readonly executablePath: string; readonly args: string[] }>;
