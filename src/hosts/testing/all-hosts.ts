import { loadHosts } from '../registry.ts';

/** All of them, loaded: tests ask for capabilities without having located anything. */
export const ADAPTERS = await loadHosts();
