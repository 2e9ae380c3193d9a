// Many listeners of the event stream in one process: they count what they hear.
import http from 'node:http';

process.once('message', async ({ port, token, clients }) => {
  let events = 0;
  const headers = { authorization: `Bearer ${token}` };
  const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY });
  await Promise.all(
    Array.from({ length: clients }, () => {
      return new Promise((resolve, reject) => {
        const request = http.get({ host: '127.0.0.1', port, path: '/api/events', headers, agent }, (response) => {
          response.once('data', resolve);
          response.on('data', (chunk) => {
            if (chunk.includes('event: change')) events++;
          });
        });
        request.on('error', reject);
      });
    }),
  );
  process.send('ready');
  process.once('message', () => process.send({ events }, () => process.exit(0)));
});
