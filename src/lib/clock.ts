/** The only place that may ask for the time; everything else is handed a clock, so that tests can stop it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
