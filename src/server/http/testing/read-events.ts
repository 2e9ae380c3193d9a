// A client of /api/events that can be as slow as a test wants, and keeps the picture that it would show.

import * as http from 'node:http';
import { applyEvent, type LiveEvent, type LiveSnapshot } from '../../../core/index.ts';

export interface EventReader {
  readonly events: readonly (LiveEvent & { readonly id: string })[];
  picture(): LiveSnapshot | undefined;
  readonly headers: Promise<http.IncomingHttpHeaders>;
  pause(): void;
  resume(): void;
  readonly ended: Promise<void>;
  /** When this has come true; tried after everything that arrives. */
  until(isThere: () => boolean): Promise<void>;
  close(): void;
}

export function readEvents(port: number, token: string, headers: http.OutgoingHttpHeaders = {}): EventReader {
  const events: (LiveEvent & { readonly id: string })[] = [];
  let picture: LiveSnapshot | undefined;
  let response: http.IncomingMessage | undefined;
  let isPaused = false;
  let rest = '';
  const waiting = new Set<() => void>();
  const request = http.get({
    host: '127.0.0.1',
    port,
    path: '/api/events',
    headers: { Authorization: `Bearer ${token}`, ...headers },
    agent: false,
  });
  request.on('error', () => undefined);
  const head = new Promise<http.IncomingHttpHeaders>((resolve) => {
    request.on('response', (incoming) => {
      response = incoming;
      if (isPaused) incoming.pause();
      incoming.setEncoding('utf8');
      incoming.on('data', take);
      incoming.on('error', () => undefined);
      resolve(incoming.headers);
    });
  });
  const take = (chunk: string): void => {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const [, id = '', type, data = ''] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(part) ?? [];
      if (!type) continue;
      const event = { id, type, data: JSON.parse(data) } as LiveEvent & { id: string };
      events.push(event);
      if (type !== 'audit') picture = applyEvent(picture, event);
    }
    for (const check of waiting) check();
  };
  return {
    events,
    picture: () => picture,
    headers: head,
    ended: new Promise((resolve) => request.on('close', () => resolve())),
    pause() {
      isPaused = true;
      response?.pause();
    },
    resume() {
      isPaused = false;
      response?.resume();
    },
    until(isThere) {
      return new Promise((resolve) => {
        const check = (): void => {
          if (!isThere()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
    close: () => request.destroy(),
  };
}
