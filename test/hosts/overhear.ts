// What a program says to its model, word for word: a server on loopback that hands everything on.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Overheard {
  /** An address to give to a program in the place of its model's. */
  inFront(url: string): Promise<string>;
  /** The bodies of the requests since the last look, as texts. */
  take(): readonly string[];
  close(): void;
}

export function overhear(): Overheard {
  const bodies: string[] = [];
  const servers: http.Server[] = [];
  return {
    async inFront(url) {
      const server = http.createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const body = Buffer.concat(chunks);
          bodies.push(body.toString('utf8'));
          const { method, headers } = request;
          const on = http.request(new URL(request.url ?? '/', url), { method, headers }, (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(response);
          });
          on.on('error', () => response.destroy());
          on.end(body);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    take: () => bodies.splice(0),
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
