// The words that plays are written in. They belong to no host: hosts/*.mjs turns each item into a tool call of its host.

/** One answer of the model. */
export const turn = (...items) => ({ items });

/** Answers only after the person called `release(name)`. */
export const hold = (name, held) => ({ ...held, hold: name });

/** Answers with an API error that no host retries. */
export const apiError = (message = 'scripted failure') => ({ items: [], error: { status: 400, message } });

/** Answers the first requests for the turn with an API error that hosts retry. */
export const overloaded = (times, served) => ({ ...served, overloaded: times });

/** An answer after which the host sees its context as full. */
export const full = (served) => ({ ...served, context: 190_000 });

/** Sends the start of the answer and never its end. */
export const hang = (text) => ({ items: [say(text)], hang: true });

export const say = (text) => ({ do: 'say', text });
export const think = (text) => ({ do: 'think', text });
export const shell = (command) => ({ do: 'shell', command });
export const read = (path) => ({ do: 'read', path });
export const write = (path, content) => ({ do: 'write', path, content });

/**
 * Starts a sub-agent that plays another script.
 * Options: type ('general', 'explore' or a type of the host), background, name, team, and
 * refused: true if the host must turn the call down.
 */
export const spawn = (script, description, options = {}) => ({ do: 'spawn', script, description, ...options });

/** Gives the sub-agent that was started last (or the one with this name) another script to play; refused: as above. */
export const message = (script, options = {}) => ({ do: 'message', script, ...options });

/** A teammate agrees to the message that asks it to shut down. */
export const leave = () => ({ do: 'leave' });

/** Stops the sub-agent that was started last. */
export const stop = () => ({ do: 'stop' });

/** A call of a tool that only one host has; left out if the version does not offer it. */
export const tool = (name, input) => ({ do: 'tool', name, input });

export const times = (count, make) => Array.from({ length: count }, (_, index) => make(index + 1));
