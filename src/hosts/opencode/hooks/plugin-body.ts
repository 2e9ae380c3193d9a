/** By which OpenCode 2 lists it. */
export const PLUGIN_ID = 'troupe';

/**
 * Runs inside OpenCode (Bun), 1.1.65 to 1.18.34 and 2.0.15. Above it stand `spawn`, functions of `node:fs`, `commands`, `address` (of our
 * server) and `longest` (milliseconds). Whatever goes wrong in front of a call stops it: the program takes silence for consent.
 */
export const PLUGIN_BODY = `
// The same plugin may be loaded for the person and for the project: each call and each question is told once.
const told = (globalThis[Symbol.for('troupe.opencode')] ??= { calls: new WeakMap(), questions: new Set() });

// 'host': what this version of the program can be asked, and how it is answered.
const connect = ({ directory, getSession, getServers, listed, reply }) => {
  const sessions = new Map();
  const calls = new Map();
  const open = new Map();
  let servers;

  const sessionOf = async (id) => {
    if (!sessions.has(id)) {
      const session = await getSession(id);
      if (!session?.id) return undefined;
      sessions.set(id, session);
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
    const asked = getServers().catch(() => undefined);
    const names = await Promise.race([asked, pause(2_000)]);
    servers = { at: Date.now(), names: names ?? known };
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

  // 'number': of a call that the code of another one makes, which has the same id.
  const before = async ({ tool, sessionID, callID, number }, output) => {
    const call = number ? callID + '#' + number : callID;
    const within = number ? 'execute' : undefined;
    const told = describe('tool.execute.before', sessionID, { tool, call, within, args: output.args });
    // Whoever only observes stops nothing, whatever goes wrong.
    if (!commands.guard)
      return void (await told.then((payload) => run(commands.observe, payload, directory).ended).catch(() => {}));
    const payload = await told;
    const answer = toAnswer(await run(commands.guard, payload, directory).ended);
    if (!number) calls.set(sessionID + ' ' + callID, { tool, args: output.args, decision: answer.decision, reason: answer.reason, note: answer.note });
    if (answer.decision === 'deny' || answer.decision === 'ask') throw new Error(answer.reason);
    Object.assign(output.args, answer.args);
  };

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
    const { id, sessionID, permission, patterns, metadata, callID } = question;
    const call = calls.get(sessionID + ' ' + callID) ?? { tool: permission, args: metadata };
    if (call.decision === 'allow') return reply(question, { reply: 'once' });
    const { tool, args } = call;
    const facts = { tool, args, call: callID, permission: { id, permission, patterns } };
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

  const once = (key, input, output) => {
    const own = told.calls.get(key) ?? new Map();
    told.calls.set(key, own);
    const command = commands.guard ?? commands.observe;
    if (!own.has(command)) own.set(command, before(input, output));
    return own.get(command);
  };
  const question = (asked) => {
    if (told.questions.has(asked.id)) return;
    told.questions.add(asked.id);
    void ask(asked).catch(() => {});
  };
  return { before: once, question, settle, calls };
};

export const Troupe = async ({ client, directory }) => {
  const agents = new Map();
  const getSession = async (id) => {
    const { data } = await client.session.get({ path: { id } });
    if (!data?.id) return undefined;
    const { parentID: parent, agent = agents.get(id), title, directory } = data;
    return { id, parent, agent, title, directory };
  };
  const getServers = async () => {
    const { data } = await client.mcp.status();
    return data ? Object.keys(data) : undefined;
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
  const { before, question, settle, calls } = connect({ directory, getSession, getServers, listed, reply });
  return {
    'chat.message': async ({ sessionID, agent }, output) => {
      agents.set(sessionID, output?.message?.agent ?? agent);
    },
    'tool.execute.before': (input, output) => before(output, input, output),
    'tool.execute.after': async ({ sessionID, callID }, output) => {
      const { note } = calls.get(sessionID + ' ' + callID) ?? {};
      if (note && typeof output?.output === 'string') output.output += '\\n\\n' + note;
      calls.delete(sessionID + ' ' + callID);
    },
    event: async ({ event: { type, properties } }) => {
      if (type === 'permission.asked') question({ ...properties, callID: properties.tool?.callID });
      if (type === 'permission.replied') settle(properties.requestID);
    },
  };
};

// OpenCode 2. 1.18.34 calls this, too, with nothing to hook into: there the function above does it.
const setup = async (ctx) => {
  if (!ctx?.tool?.hook || !ctx.session?.get) {
    // A version without these hooks must not look as if it were guarded: it says that this plugin failed.
    if (ctx?.app?.version) throw new Error('this version of OpenCode has no hook in front of tool calls');
    return;
  }
  const directory = ctx.location?.directory ?? '/';
  const sessions = new Set();
  const getSession = async (sessionID) => {
    const said = await ctx.session.get({ sessionID });
    const info = said?.data ?? said;
    const { id, parentID: parent, agent, title, location } = info ?? {};
    if (!id) return undefined;
    sessions.add(id);
    return { id, parent, agent, title, directory: location?.directory };
  };
  const getServers = async () => {
    const said = await ctx.mcp?.list?.();
    const list = said?.data ?? said;
    if (!Array.isArray(list)) return list ? Object.keys(list) : undefined;
    return list.map((one) => one?.name ?? one?.id ?? one).filter((name) => typeof name === 'string');
  };
  const listed = async () => {
    const all = [];
    for (const sessionID of sessions) {
      const said = await ctx.permission.list({ sessionID }).catch(() => []);
      all.push(...(said?.data ?? said ?? []));
    }
    return all;
  };
  const reply = ({ id, sessionID }, { reply: decision, message }) =>
    ctx.permission.reply({ sessionID, requestID: id, decision, ...(message === undefined ? {} : { message }) });
  const { before, question, settle, calls } = connect({ directory, getSession, getServers, listed, reply });
  // Calls that the code of 'execute' makes have its id: how many there were so far, by session and id.
  const running = new Map();
  const keyOf = ({ sessionID, id }) => sessionID + ' ' + id;
  const registered = [
    ctx.tool.hook('execute.before', async (event) => {
      const { tool, sessionID, id, input } = event;
      if (sessionID === undefined || tool === undefined) throw new Error(UNKNOWN_CALL);
      const inner = running.get(keyOf(event));
      const number = inner === undefined ? undefined : inner + 1;
      if (number !== undefined) running.set(keyOf(event), number);
      else if (tool === 'execute') running.set(keyOf(event), 0);
      const output = { args: input ?? {} };
      const isObject = typeof input === 'object' && input !== null;
      try {
        await before(isObject ? input : event, { tool, sessionID, callID: id, number }, output);
      } catch (error) {
        if (number === undefined) running.delete(keyOf(event));
        throw error;
      }
      if (!isObject) event.input = output.args;
    }),
    ctx.tool.hook('execute.after', async (event) => {
      if (event.tool === 'execute') running.delete(keyOf(event));
      if (!running.has(keyOf(event))) calls.delete(keyOf(event));
    }),
    // A call that was refused before stays refused, whatever other plugins do with its error.
    ctx.permission?.hook?.('evaluate', async (event) => {
      const { decision, reason } = calls.get(event.sessionID + ' ' + event.source?.id) ?? {};
      if (decision !== 'deny' && decision !== 'ask') return;
      event.effect = 'deny';
      event.message = reason;
    }),
  ];
  await Promise.all(registered);
  // The answer about 'execute' is none about the calls of its code.
  const callOf = ({ sessionID, source }) => (running.has(sessionID + ' ' + source?.id) ? undefined : source?.id);
  const listen = async () => {
    for await (const { type, data } of ctx.event.subscribe()) {
      if (type === 'permission.asked')
        question({ ...data, permission: data.action, patterns: data.resources, callID: callOf(data) });
      if (type === 'permission.replied') settle(data.requestID);
    }
  };
  void listen().catch(() => {});
};

export default { id: '${PLUGIN_ID}', server: Troupe, setup };

const UNKNOWN_CALL = 'The guard of troupe was not told which call this is. See: troupe doctor';

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
