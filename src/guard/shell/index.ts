// What a command line does: its simple commands, the files and hosts it uses, and whether all of that is known. Pure.
// Entry: `analyse`.
// May import: lib.

export * from './analyse.ts';
export * from './network.ts';
export * from './paths.ts';
export * from './scene.ts';
export * from './variables.ts';
export * from './words.ts';
