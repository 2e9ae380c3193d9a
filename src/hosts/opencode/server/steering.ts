// Telling an agent something, or stopping it, through the server that runs it.

import type { AgentToSteer, Steered, SteeringCapability } from '../../../core/index.ts';
import { isObject } from '../../../lib/json.ts';
import { findServers } from '../find-servers.ts';
import { getJson, isAddress, post } from './request.ts';

export const steering: SteeringCapability = {
  send: (agent, message) =>
    atServer(agent, async (address, route) => {
      const status = await post(address, route('prompt_async'), { parts: [{ type: 'text', text: message }] });
      return status < 300
        ? { words: `The server at ${address} has the message: the agent reads it in its next turn.` }
        : { whyNot: `the server at ${address} answered ${status}.` };
    }),
  stop: (agent) =>
    atServer(agent, async (address, route) => {
      if (!agent.isAtWork) return { whyNot: 'it is not at work.' };
      const status = await post(address, route('abort'), {});
      return status < 300
        ? { words: `The server at ${address} has stopped it.` }
        : { whyNot: `the server at ${address} answered ${status}.` };
    }),
};

type Act = (address: string, route: (what: string) => string) => Promise<Steered>;

/** A server that works on the same data, and knows the session: one that only has the file open does not run the agent. */
async function atServer({ root, agent, cwd }: AgentToSteer, act: Act): Promise<Steered> {
  const folder = cwd === undefined ? '' : `?directory=${encodeURIComponent(cwd)}`;
  const path = `/session/${encodeURIComponent(agent)}`;
  const addresses = isAddress(root) ? [root] : await findServers(root);
  for (const address of addresses) {
    const found = await getJson(address, path + folder).catch(() => undefined);
    if (!isObject(found) || found['id'] !== agent) continue;
    try {
      return await act(address, (what) => `${path}/${what}${folder}`);
    } catch {
      return { whyNot: `the server at ${address} does not answer any more.` };
    }
  }
  return {
    whyNot:
      'no server of OpenCode that runs it was found. A terminal without --port listens nowhere; a server elsewhere is named with --root ADDRESS.',
  };
}
