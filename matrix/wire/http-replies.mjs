// Helpers of the API formats.

let last = 0;
/** An id with the prefix and length that an API gives its objects. */
export const newId = (prefix) =>
  `${prefix}01${String(++last).padStart(8, '0')}${Date.now().toString(36).padEnd(12, 'x')}`;

/** Hosts may add calls of their own to a conversation. */
export const isNewId = (id) => /01\d{8}/.test(id);

export function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  return endWith(response, JSON.stringify(body));
}

/** Resolves when the text was handed to the system or the connection is gone. */
export function endWith(response, text = '') {
  return new Promise((resolve) => {
    response.on('close', resolve);
    response.end(text, resolve);
  });
}

/** Two halves, so that hosts see a stream of deltas. */
export function halves(text) {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}

export const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');
