/**
 * Runs inside OpenCode (Bun), 1.1.65 to 1.18.33. Above it stand `spawn`, functions of `node:fs`, `commands`, `address` (of our
 * server) and `longest` (milliseconds). Whatever goes wrong in front of a call stops it: the program takes silence for consent.
 */
export const PLUGIN_BODY = `
// The same plugin may be loaded for the person and for the project: each call and each question is told once.
const told = (globalThis[Symbol.for('troupe.opencode')] ??= { calls: new WeakMap(), questions: new Set() });

export const Troupe = async ({ client, directory }) => {
  const sessions = new Map();
  const agents = new Map();
  const calls = new Map();
  const open = new Map();
  let servers;

  const sessionOf = async (id) => {
    if (!sessions.has(id)) {
      const { data } = await client.session.get({ path: { id } });
      if (!data?.id) return undefined;
      const { parentID: parent, agent = agents.get(id), title, directory } = data;
      sessions.set(id, { id, parent, agent, title, directory });
    }
    return sessions.get(id);
  };
  // From the session that calls up to the main one, as far as the program itself knows them.
  const lineOf = async (id) => {
    const line = [];
    for (let at = id; at && !line.some((one) => one.id === at); at = line.at(-1).parent) {
      const session = await sessionOf(at).catch(() => undefined);
      if (!session) break;
      line.push(session);
    }
    return line;
  };
  // A server that does not start must not hold up calls of others: then those count that were known before.
  const serversNow = async () => {
    if (servers && Date.now() - servers.at < 30_000) return servers.names;
    const known = servers?.names ?? [];
    const asked = (async () => client.mcp.status())().catch(() => undefined);
    const answer = await Promise.race([asked, pause(2_000)]);
    servers = { at: Date.now(), names: answer?.data ? Object.keys(answer.data) : known };
    return servers.names;
  };
  const describe = async (hook, session, more) => ({
    hook,
    session,
    line: await lineOf(session),
    directory,
    servers: await serversNow(),
    ...more,
  });

  const before = async ({ tool, sessionID, callID }, output) => {
    const told = describe('tool.execute.before', sessionID, { tool, call: callID, args: output.args });
    // Whoever only observes stops nothing, whatever goes wrong.
    if (!commands.guard)
      return void (await told.then((payload) => run(commands.observe, payload, directory).ended).catch(() => {}));
    const payload = await told;
    const answer = toAnswer(await run(commands.guard, payload, directory).ended);
    calls.set(sessionID + ' ' + callID, { tool, args: output.args, decision: answer.decision });
    if (answer.decision === 'deny' || answer.decision === 'ask') throw new Error(answer.reason);
    Object.assign(output.args, answer.args);
  };

  const reply = async ({ id, sessionID }, { reply, message }) => {
    const headers = { 'content-type': 'application/json' };
    const body = message === undefined ? { reply } : { reply, message };
    const sent = await client._client.post({ url: '/permission/{requestID}/reply', path: { requestID: id }, body, headers });
    if (sent.response?.ok || sent.response?.status !== 404) return;
    const path = { id: sessionID, permissionID: id };
    await client.postSessionIdPermissionsPermissionId?.({ path, body: { response: reply } });
  };
  const listed = async () => (await client._client.get({ url: '/permission' })).data;
  // Requests of plugins may reach a second instance of the program for the same folder, which knows nothing of the first (1.15.13).
  const isListed = async (id) => {
    for (let tries = 1; ; tries++) {
      const all = await listed();
      if (!Array.isArray(all) || all.some((one) => one.id === id)) return true;
      if (tries >= 10) return false;
      await pause(100);
    }
  };
  // Put to troupe for as long as nobody has answered it; the program itself goes on asking, too.
  const ask = async (question) => {
    const { id, sessionID, permission, patterns, metadata, tool: of } = question;
    const call = calls.get(sessionID + ' ' + of?.callID) ?? { tool: permission, args: metadata };
    if (call.decision === 'allow') return reply(question, { reply: 'once' });
    const { tool, args } = call;
    const facts = { tool, args, call: of?.callID, permission: { id, permission, patterns } };
    const payload = await describe('permission.asked', sessionID, facts);
    const asked = { isOpen: true, isListed: false, payload, stop() {} };
    open.set(id, asked);
    void run(commands.observe, payload, directory);
    asked.isListed = await isListed(id);
    // Nobody would hear our answer. Where the program is a server, troupe hears the question there as well.
    if (!asked.isListed) return;
    while (asked.isOpen && commands.guard) {
      if (isServed()) {
        const { ended, stop } = run(commands.guard, { ...payload, hook: 'permission.question' }, directory);
        asked.stop = stop;
        const said = toJson((await ended).out);
        if (asked.isOpen && said?.reply) return reply(question, said);
      }
      await pause(1_000);
    }
  };
  const settle = (id) => {
    const asked = open.get(id);
    if (!asked) return;
    open.delete(id);
    asked.isOpen = false;
    asked.stop();
    void run(commands.observe, { ...asked.payload, hook: 'permission.replied' }, directory);
  };
  // A session that is stopped takes its questions with it without a word.
  const look = async () => {
    if (open.size === 0) return;
    const all = await listed();
    if (!Array.isArray(all)) return;
    for (const [id, { isListed }] of open) if (isListed && !all.some((one) => one.id === id)) settle(id);
  };
  setInterval(() => void look().catch(() => {}), 2_000).unref?.();

  return {
    'chat.message': async ({ sessionID, agent }, output) => {
      agents.set(sessionID, output?.message?.agent ?? agent);
    },
    'tool.execute.before': (input, output) => {
      const own = told.calls.get(output) ?? new Map();
      told.calls.set(output, own);
      const command = commands.guard ?? commands.observe;
      if (!own.has(command)) own.set(command, before(input, output));
      return own.get(command);
    },
    'tool.execute.after': async ({ sessionID, callID }) => {
      calls.delete(sessionID + ' ' + callID);
    },
    event: async ({ event: { type, properties } }) => {
      if (type === 'permission.asked' && !told.questions.has(properties.id)) {
        told.questions.add(properties.id);
        void ask(properties).catch(() => {});
      }
      if (type === 'permission.replied') settle(properties.requestID);
    },
  };
};

const pause = (ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/** Our server says where it is, as long as it runs; one that was killed still does. */
function isServed() {
  let file;
  try {
    // A FIFO in its place would otherwise keep all of OpenCode waiting for its writer.
    file = openSync(address, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile()) return false;
    const line = new Uint8Array(400);
    const [pid, port] = new TextDecoder().decode(line.subarray(0, readSync(file, line, 0, 400, 0))).split(' ');
    return port !== undefined && process.kill(Number(pid), 0);
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function toJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toAnswer({ code, out, words }) {
  // 1: the guard is gone, and there is no policy that it could hold.
  if ((code === 0 && out === '') || code === 1) return { decision: 'none' };
  const answer = code === 0 ? toJson(out) : undefined;
  if (answer?.decision) return answer;
  return { decision: 'deny', reason: words.trim() || 'The guard of troupe could not be asked. See: troupe doctor' };
}

function run(command, payload, folder) {
  let child;
  const ended = new Promise((resolve) => {
    let [out, words] = ['', ''];
    const end = (code) => resolve({ code, out, words });
    try {
      const cwd = existsSync(folder) ? folder : '/';
      child = spawn('/bin/sh', ['-c', command], { cwd, stdio: 'pipe' });
      const late = setTimeout(() => child.kill('SIGKILL'), longest);
      late.unref?.();
      child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text) => (words += text));
      child.on('error', (error) => {
        words ||= String(error);
        end(null);
      });
      child.on('close', (code) => {
        clearTimeout(late);
        end(code);
      });
      // Whoever does not read has an answer all the same, or none.
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify(payload));
    } catch (error) {
      words = String(error);
      end(null);
    }
  });
  return { ended, stop: () => void child?.kill('SIGTERM') };
}
`;
