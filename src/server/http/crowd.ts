import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Crowd {
  /** This connection is asking something now, and is left alone until it has its answer. */
  serves(request: IncomingMessage, response: ServerResponse): void;
}

/** From here on, newcomers take the places of those who hold a connection and ask nothing. */
const NEARLY_FULL = 0.9;

/**
 * No more than `max` connections at once. Whoever opens hundreds and leaves them idle gets their oldest ones closed, so
 * that there is room for those who ask.
 */
export function limitConnections(server: Server, max: number): Crowd {
  server.maxConnections = max;
  const all = new Set<Socket>();
  /** Who came, or was answered, first stands first. */
  const idle = new Set<Socket>();

  server.on('connection', (socket) => {
    all.add(socket);
    idle.add(socket);
    socket.once('close', () => {
      all.delete(socket);
      idle.delete(socket);
    });
    const [oldest] = idle;
    if (all.size <= max * NEARLY_FULL || !oldest || oldest === socket) return;
    // Its place is free at once: the system takes a moment to tell.
    all.delete(oldest);
    idle.delete(oldest);
    oldest.destroy();
  });
  return {
    serves({ socket }, response) {
      idle.delete(socket);
      response.once('close', () => {
        if (all.has(socket)) idle.add(socket);
      });
    },
  };
}
