// The plays. README.md says how to add one.
import path from 'node:path';
import {
  apiError,
  full,
  hang,
  hold,
  leave,
  message,
  overloaded,
  read,
  say,
  shell,
  spawn,
  stop,
  think,
  times,
  tool,
  turn,
  write,
} from './script.mjs';

const leaf = [turn(shell('wc -l src/app.js; sleep 0.2')), turn(say('The file looks fine.'))];

const word = [turn(say('Only a word.'))];

const oneAgent = [turn(spawn('leaf', 'Check one file')), turn(say('It is done.'))];

const broken = [turn(shell('echo before the error')), apiError()];

const backgroundScripts = {
  main: [
    turn(spawn('slow', 'Run the slow check', { background: true })),
    turn(shell('echo the main agent goes on')),
    turn(say('I will report when it is done.')),
  ],
  // Some hosts refuse a command that begins with a sleep.
  slow: [turn(shell('echo begun; sleep 2')), turn(say('The slow check passed.'))],
};

const stuckScripts = {
  main: [turn(spawn('stuck', 'Wait for the model')), turn(say('never played'))],
  stuck: [turn(shell('echo begun')), hang('This answer never')],
};

async function playSignal(person, signal) {
  const started = await person.start('main');
  await person.reached('stuck', 1);
  await person.quiet();
  await person.kill(started, signal);
}

const TEAMS = { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' };

const mate = { team: 'crew', kind: 'teammate', background: true };

/** Up to 2.1.161; later, the first teammate makes the team. */
const makeTeam = turn(shell('ls src'), tool('TeamCreate', { team_name: 'crew', description: 'readers' }));

const teamScripts = {
  main: [
    makeTeam,
    turn(
      spawn('reader', 'Read part A', { name: 'alice', ...mate }),
      spawn('counter', 'Read part B', { name: 'bob', ...mate }),
    ),
    turn(say('Waiting for the team.')),
  ],
  reader: [turn(shell('wc -l src/app.js; sleep 1')), turn(say('A is read.'))],
  counter: [turn(shell('wc -l src/util.js; sleep 1')), turn(shell('echo b')), turn(say('B is read.'))],
  more: [turn(message('again', { to: 'alice' })), turn(say('Asked alice again.'))],
  again: [turn(shell('echo part C')), turn(say('C is read.'))],
};

async function playTeam(person, options, timesAsked = 1) {
  const desk = await person.terminal(options);
  await desk.ask('main');
  await Promise.all([person.served('reader', 1), person.served('counter', 2)]);
  await desk.settled();
  for (let asked = 1; asked <= timesAsked; asked++) {
    await desk.ask('more');
    await person.servedTimes('again', 1, asked);
    await desk.settled();
  }
  await desk.exit();
  return desk.session;
}

const fourScripts = {
  main: [
    makeTeam,
    turn(
      spawn('reader', 'Read part A', { name: 'alice', ...mate }),
      spawn('broken', 'Read part B', { name: 'bob', ...mate }),
      spawn('reader', 'Read part C', { name: 'carol', ...mate }),
      spawn('teller', 'Read part D', { name: 'dave', ...mate }),
    ),
    turn(say('Waiting for the team.')),
  ],
  reader: [turn(shell('wc -l src/app.js; sleep 1')), turn(say('A is read.'))],
  broken,
  teller: [turn(shell('sleep 1')), hold('tell', turn(message('again', { to: 'alice' }))), turn(say('Told alice.'))],
  again: [turn(shell('echo part C')), turn(say('C is read.'))],
  end: [turn(message('bye', { to: 'carol', shutdown: true })), turn(say('Asked carol to leave.'))],
  bye: [turn(leave())],
  dissolve: [turn(shell('ls src'), tool('TeamDelete', {})), turn(say('Deleted.'))],
};

async function playFour(person, options) {
  const desk = await person.terminal(options);
  await desk.ask('main');
  await Promise.all([person.servedTimes('reader', 1, 2), person.served('broken', 1), person.reached('teller', 1)]);
  await person.quiet();
  person.release('tell');
  await person.served('again', 1);
  await desk.settled();
  await desk.ask('end');
  await person.served('bye', 0);
  await desk.settled();
  await desk.ask('dissolve');
  await desk.settled();
  await desk.exit();
}

const auditing = [
  turn(spawn('audit', 'Run the long audit', { background: true })),
  turn(say('Waiting for the audit.')),
];

const audit = [turn(shell('echo first half')), hold('go on', turn(shell('echo second half'))), turn(say('Passed.'))];

const nestedAudit = {
  main: [turn(spawn('outer', 'Audit all', { background: true })), turn(say('Waiting for the audit.'))],
  outer: [turn(spawn('audit', 'Run the long audit')), turn(shell('echo outer')), turn(say('All passed.'))],
  audit,
};

const held = [turn(shell('echo begun')), hold('go on', turn(say('Fine.')))];

const oneHeldAgent = [turn(spawn('held', 'Check one file')), turn(say('It is done.'))];

/** Opens a terminal and gives a prompt; its sub-agent `audit` works in the background then, until "go on". */
async function startAudit(person, options) {
  const desk = await person.terminal(options);
  await desk.ask('main');
  await person.served('main', 1);
  await person.reached('audit', 1);
  return desk;
}

async function finishAudit(person, desk) {
  person.release('go on');
  await person.served('audit', 2);
  await desk.settled();
  await desk.exit();
}

/** @type {Record<string, import('./cell.mjs').Play>} */
export const PLAYS = {
  plain: {
    about: 'no sub-agent',
    scripts: { main: [turn(say('Nothing to hand over.'))] },
  },

  one: {
    about: 'one sub-agent',
    scripts: {
      main: [turn(say('An agent will count.'), spawn('count', 'Count the TODO comments')), turn(say('There are two.'))],
      count: [turn(think('grep will do.'), shell('grep -rn TODO src')), turn(read('src/app.js')), turn(say('Two.'))],
    },
  },

  parallel: {
    about: 'two sub-agents at once',
    scripts: {
      main: [turn(spawn('list', 'List the sources'), spawn('note', 'Write a note')), turn(say('Both are done.'))],
      list: [turn(shell('ls src; sleep 0.4')), turn(say('Two files.'))],
      note: [turn(write('NOTES.md', 'hello\n')), turn(shell('cat NOTES.md; sleep 0.2')), turn(say('Written.'))],
    },
  },

  ten: {
    about: 'ten sub-agents at once',
    scripts: { main: [turn(...times(10, (n) => spawn('leaf', `Check part ${n}`))), turn(say('All are done.'))], leaf },
  },

  nested: {
    about: 'a sub-agent with two sub-agents of its own',
    needs: ['nesting'],
    scripts: {
      main: [turn(spawn('audit', 'Audit the project')), turn(say('The audit is done.'))],
      audit: [
        turn(shell('ls')),
        turn(spawn('leaf', 'Check app.js'), spawn('leaf', 'Check util.js')),
        turn(say('Two files, no problem.')),
      ],
      leaf,
    },
  },

  background: {
    about: 'a sub-agent in the background; its result wakes the main agent',
    needs: ['wake'],
    scripts: backgroundScripts,
  },

  failing: {
    about: 'an API error, a failing tool, an unknown type of agent',
    scripts: {
      main: [
        turn(spawn('broken', 'Meet an API error')),
        turn(spawn('clumsy', 'Run a failing command')),
        turn(spawn('absent', 'Ask for an unknown type', { type: 'no-such-type', refused: true })),
        turn(say('One failed, one did not exist.')),
      ],
      broken,
      clumsy: [turn(shell('echo oops >&2; exit 3')), turn(read('does-not-exist.txt')), turn(say('Nothing worked.'))],
      absent: [turn(say('never played'))],
    },
  },

  again: {
    about: 'a sub-agent that gets a second task',
    needs: ['message'],
    scripts: {
      main: [turn(spawn('first', 'Do the first pass')), turn(message('second')), turn(say('Asked for a second pass.'))],
      first: [turn(shell('echo pass one')), turn(say('First pass done.'))],
      second: [turn(shell('echo pass two; sleep 0.3')), turn(say('Second pass done.'))],
    },
  },

  'again-background': {
    about: 'a sub-agent in the background that gets a second task after its end',
    needs: ['wake', 'late-message'],
    hosts: ['claude-code', 'copilot', 'qwen'],
    scripts: {
      main: [
        turn(spawn('first', 'Do the first pass', { background: true })),
        hold('first pass', turn(message('second'))),
        turn(say('Asked for a second pass.')),
      ],
      first: [turn(shell('echo pass one')), turn(say('First pass done.'))],
      second: [turn(shell('echo pass two; sleep 0.3')), turn(say('Second pass done.'))],
    },
    async person(person) {
      const started = await person.start('main');
      await person.served('first', 1);
      await person.quiet();
      person.release('first pass');
      await person.ended(started);
    },
  },

  left: {
    about: 'a main agent that ends while its sub-agent works',
    hosts: ['codex', 'opencode'],
    needs: ['background'],
    scripts: {
      main: [
        turn(spawn('endless', 'Wait for a long time', { background: true })),
        hold('begun', turn(say('I leave.'))),
      ],
      endless: [turn(shell('echo begun')), hold('never', turn(say('never played')))],
    },
    async person(person) {
      const started = await person.start('main');
      await person.reached('endless', 1);
      person.release('begun');
      await person.ended(started);
      person.giveUp('interrupted');
    },
  },

  resumed: {
    about: 'a session that is resumed, with a sub-agent in each run',
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const session = await person.print('main');
      await person.print('main', { resume: session });
    },
  },

  continued: {
    about: 'the last session of the project is continued, with a sub-agent in each run',
    needs: ['headless-continue'],
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const session = await person.print('main');
      await person.print('main', { latest: session });
    },
  },

  together: {
    about: 'two sessions at once in one project, each with a sub-agent',
    scripts: { main: oneAgent, leaf: [turn(shell('echo begun')), hold('both', turn(say('The file looks fine.')))] },
    async person(person) {
      const first = await person.start('main');
      // Two first starts of OpenCode 1.18.33 at once may hang: both create the database.
      await person.reached('main');
      const started = [first, await person.start('main')];
      await person.reachedTimes('leaf', 1, 2);
      person.release('both');
      for (const one of started) await person.ended(one);
    },
  },

  custom: {
    about: 'a type of agent that the person defines',
    needs: ['custom-agents'],
    agents: [{ name: 'reviewer', description: 'Reviews one file', instructions: 'You review one file.' }],
    scripts: {
      main: [turn(spawn('leaf', 'Review one file', { type: 'reviewer' })), turn(say('Reviewed.'))],
      leaf,
    },
  },

  served: {
    about:
      'a run that is attached to a server; a sub-agent in the background wakes the main agent after the run has ended',
    hosts: ['opencode'],
    since: '1.14.51',
    scripts: backgroundScripts,
    async person(person) {
      await person.print('main', { server: await person.serve() });
      await person.served('slow', 1);
      await person.served('main', backgroundScripts.main.length);
    },
  },

  stopped: {
    about: 'a sub-agent that the main agent stops',
    needs: ['stop'],
    scripts: {
      main: [
        turn(spawn('endless', 'Wait for a long time', { background: true })),
        hold('begun', turn(stop())),
        turn(say('I stopped it.')),
      ],
      endless: [turn(shell('echo begun')), hold('never', turn(say('never played')))],
    },
    async person(person) {
      const started = await person.start('main');
      await person.reached('endless', 1);
      person.release('begun');
      await person.ended(started);
    },
  },

  killed: {
    about: 'the host is killed while a sub-agent waits for the model',
    needs: ['process-record'],
    scripts: stuckScripts,
    person: (person) => playSignal(person, 'SIGKILL'),
  },

  interrupted: {
    about: 'Ctrl-C (SIGINT) while a sub-agent waits for the model',
    needs: ['interrupt-record'],
    scripts: stuckScripts,
    person: (person) => playSignal(person, 'SIGINT'),
  },

  terminated: {
    about: 'the host is ended (SIGTERM) while a sub-agent waits for the model',
    needs: ['process-record'],
    scripts: stuckScripts,
    person: (person) => playSignal(person, 'SIGTERM'),
  },

  'fork-plain': {
    about: 'a fork of a session that has a sub-agent',
    needs: ['fork'],
    scripts: { main: oneAgent, leaf, word },
    async person(person) {
      const original = await person.print('main');
      await person.print('word', { fork: original });
    },
  },

  'fork-own-agent': {
    about: 'a fork that starts a sub-agent of its own',
    needs: ['fork'],
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const original = await person.print('main');
      await person.print('main', { fork: original });
    },
  },

  'fork-then-wake': {
    about: 'the sub-agent of the original gets a second task after the fork',
    needs: ['fork', 'message'],
    hosts: ['claude-code'],
    scripts: { main: oneAgent, leaf, word, wake: [turn(message('leaf')), turn(say('Asked once more.'))] },
    async person(person) {
      const original = await person.print('main');
      await person.print('word', { fork: original });
      await person.print('wake', { resume: original });
    },
  },

  'fork-of-fork': {
    about: 'a fork of a fork, each with a sub-agent',
    needs: ['fork'],
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const original = await person.print('main');
      const fork = await person.print('main', { fork: original });
      await person.print('main', { fork });
    },
  },

  'fork-wakes': {
    about: "a fork has no transcript of its original's sub-agent, and cannot give it a second task",
    needs: ['fork', 'message'],
    hosts: ['claude-code'],
    scripts: { main: oneAgent, leaf, wake: [turn(message('leaf', { refused: true })), turn(say('It is gone.'))] },
    async person(person) {
      const original = await person.print('main');
      await person.print('wake', { fork: original });
    },
  },

  'fork-goes-on': {
    about: 'the original starts another sub-agent after the fork',
    needs: ['fork'],
    scripts: { main: oneAgent, leaf, word },
    async person(person) {
      const original = await person.print('main');
      await person.print('word', { fork: original });
      await person.print('main', { resume: original });
    },
  },

  'fork-busy': {
    about: 'a fork while a sub-agent of the original works',
    needs: ['fork', 'wake'],
    scripts: { main: auditing, audit, word },
    async person(person) {
      const started = await person.start('main');
      await person.served('main', 1);
      await person.reached('audit', 1);
      await person.named(started);
      await person.quiet();
      await person.print('word', { fork: started.session });
      person.release('go on');
      await person.ended(started);
    },
  },

  'fork-terminal': {
    about: 'a fork in a terminal, with a sub-agent of its own',
    needs: ['fork', 'terminal'],
    hosts: ['claude-code'],
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const original = await person.print('main');
      const desk = await person.terminal({ fork: original });
      await desk.ask('main');
      await person.servedTimes('leaf', 1, 2);
      await desk.settled();
      await desk.exit();
    },
  },

  branch: {
    about: '/branch in a terminal, with a sub-agent on either side',
    needs: ['terminal'],
    hosts: ['claude-code'],
    since: '2.1.39',
    scripts: { main: oneAgent, leaf, word },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('leaf', 1);
      await desk.settled();
      await desk.branch();
      await desk.ask('main');
      await person.servedTimes('leaf', 1, 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-busy': {
    about: '/clear while a sub-agent works',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      await desk.clear();
      await desk.ask('after');
      await finishAudit(person, desk);
    },
  },

  'clear-idle': {
    about: '/clear while nothing runs',
    needs: ['terminal', 'typed-history'],
    hosts: ['claude-code'],
    scripts: { main: word, after: word },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await desk.settled();
      await desk.clear();
      await desk.ask('after');
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-twice': {
    about: '/clear twice in one terminal',
    needs: ['terminal', 'typed-history'],
    hosts: ['claude-code'],
    scripts: { main: word, after: word },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await desk.settled();
      for (const script of ['after', 'after']) {
        await desk.clear();
        await desk.ask(script);
        await desk.settled();
      }
      await desk.exit();
    },
  },

  'clear-two': {
    about: '/clear while two sub-agents work; one ends before the next prompt, one after it',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: {
      main: [
        turn(
          spawn('early', 'Run the short audit', { background: true }),
          spawn('audit', 'Run the long audit', { background: true }),
        ),
        turn(say('Waiting for both.')),
      ],
      early: [turn(shell('echo early')), hold('early', turn(shell('echo early end'))), turn(say('Early passed.'))],
      audit,
      after: word,
    },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('main', 1);
      await person.reached('early', 1);
      await person.reached('audit', 1);
      await desk.clear();
      person.release('early');
      await person.served('early', 2);
      await desk.ask('after');
      await finishAudit(person, desk);
    },
  },

  'clear-exit': {
    about: '/clear and exit while a sub-agent works',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit },
    async person(person) {
      const desk = await startAudit(person);
      await desk.clear();
      person.sessions.pop();
      await desk.exit();
      person.giveUp('interrupted');
    },
  },

  'clear-nested': {
    about: '/clear while a sub-agent of a sub-agent works',
    needs: ['terminal', 'background', 'typed-history', 'nesting'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { ...nestedAudit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      await desk.clear();
      await desk.ask('after');
      person.release('go on');
      await person.served('audit', 2);
      await person.served('outer', 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-then-resume': {
    about: '/clear while a sub-agent works; meanwhile the old session is resumed elsewhere',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: word, word },
    async person(person) {
      const desk = await startAudit(person);
      const old = desk.session;
      desk.name();
      await desk.clear();
      await desk.ask('after');
      await desk.settled(['audit']);
      await person.print('word', { resume: old });
      await finishAudit(person, desk);
    },
  },

  'clear-then-fork': {
    about: 'a fork of a session that /clear began, while a sub-agent of the session before works',
    needs: ['terminal', 'background', 'typed-history', 'fork'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: oneAgent, leaf },
    async person(person) {
      const desk = await startAudit(person);
      await desk.clear();
      await desk.ask('after');
      await person.served('leaf', 1);
      await desk.settled(['audit']);
      desk.name();
      await person.print('after', { fork: desk.session });
      await finishAudit(person, desk);
    },
  },

  'fork-then-clear': {
    about: '/clear in a fork, while a sub-agent of the fork works',
    needs: ['terminal', 'background', 'typed-history', 'fork'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { first: oneAgent, leaf, main: auditing, audit, after: word },
    async person(person) {
      const original = await person.print('first');
      const desk = await startAudit(person, { fork: original });
      await desk.clear();
      await desk.ask('after');
      await finishAudit(person, desk);
    },
  },

  'clear-beside': {
    about: 'two terminals in one folder, each with a sub-agent at work; one types /clear',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const other = await startAudit(person);
      const desk = await person.terminal();
      await desk.ask('main');
      await person.reachedTimes('audit', 1, 2);
      await desk.clear();
      await desk.ask('after');
      await other.ask('after');
      person.release('go on');
      await person.servedTimes('audit', 2, 2);
      await desk.settled();
      await other.settled();
      await desk.exit();
      await other.exit();
    },
  },

  'continued-killed': {
    about: 'a session is continued after its host was killed while a sub-agent worked',
    needs: ['process-record'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { ...stuckScripts, next: oneAgent, leaf },
    async person(person) {
      const started = await person.start('main');
      await person.reached('stuck', 1);
      await person.quiet();
      await person.kill(started, 'SIGKILL');
      await person.observer.settled();
      await person.print('next', { latest: started.session });
    },
  },

  'fork-twice': {
    about: 'two forks at once of one session, each with a sub-agent, while the original goes on',
    needs: ['fork'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: oneAgent, leaf, more: oneHeldAgent, held },
    async person(person) {
      const original = await person.print('main');
      const started = [await person.start('more', { fork: original }), await person.start('more', { fork: original })];
      await person.reachedTimes('held', 1, 2);
      started.push(await person.start('more', { resume: original }));
      await person.reachedTimes('held', 1, 3);
      person.release('go on');
      for (const one of started) await person.ended(one);
    },
  },

  'fork-nested': {
    about: 'a fork while a sub-agent of a sub-agent works',
    needs: ['fork', 'wake', 'nesting'],
    hosts: ['claude-code'],
    scripts: { ...nestedAudit, next: oneAgent, leaf },
    async person(person) {
      const started = await person.start('main');
      await person.served('main', 1);
      await person.reached('audit', 1);
      await person.named(started);
      await person.quiet();
      await person.print('next', { fork: started.session });
      person.release('go on');
      await person.ended(started);
    },
  },

  'resume-switch': {
    about: '/resume of another session in the same terminal, while a sub-agent works',
    needs: ['terminal', 'background'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { first: oneAgent, leaf, main: auditing, audit, after: word },
    async person(person) {
      const other = await person.print('first');
      const desk = await startAudit(person);
      await desk.type(`/resume ${other.id}`);
      desk.enterSession(other);
      await desk.ask('after');
      await finishAudit(person, desk);
    },
  },

  'branch-busy': {
    about: '/branch while a sub-agent works',
    needs: ['terminal', 'background'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      await desk.branch();
      await desk.ask('after');
      await finishAudit(person, desk);
    },
  },

  'typed-fork-busy': {
    about: '/fork in a terminal while a sub-agent works',
    needs: ['terminal', 'background'],
    hosts: ['claude-code'],
    since: '2.1.220',
    scripts: { main: auditing, audit, after: word, look: [turn(shell('echo in the fork')), turn(say('Looked.'))] },
    async person(person) {
      const desk = await startAudit(person);
      await desk.fork('look');
      await person.served('look', 1);
      await desk.ask('after');
      await finishAudit(person, desk);
    },
  },

  'typed-fork': {
    about: '/fork in a terminal',
    needs: ['terminal'],
    hosts: ['claude-code'],
    since: '2.1.220',
    scripts: {
      main: [turn(shell('ls')), turn(say('Ready.'))],
      look: [turn(shell('echo in the fork')), turn(say('Looked.'))],
    },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await desk.settled();
      await desk.fork('look');
      await person.served('look', 1);
      await desk.settled();
      await desk.exit();
    },
  },

  team: {
    about: 'two teammates in the process of their lead',
    needs: ['terminal'],
    hosts: ['claude-code'],
    since: '2.1.88',
    scripts: teamScripts,
    person: (person) => playTeam(person, { env: TEAMS }),
  },

  'team-panes': {
    about: 'two teammates in panes of tmux',
    needs: ['terminal'],
    hosts: ['claude-code'],
    versions: ['2.1.39'],
    scripts: teamScripts,
    person: (person) => playTeam(person, { env: TEAMS, seesTmux: true }),
  },

  'team-again': {
    about: 'a teammate that is asked three more times',
    needs: ['terminal'],
    hosts: ['claude-code'],
    since: '2.1.88',
    scripts: teamScripts,
    person: (person) => playTeam(person, { env: TEAMS }, 3),
  },

  'team-resumed': {
    about: 'a team whose lead is resumed later',
    needs: ['terminal'],
    hosts: ['claude-code'],
    // In 2.1.161 `--continue` ends with exit code 1 in the folder of such a session.
    since: '2.1.220',
    scripts: { ...teamScripts, word },
    async person(person) {
      const session = await playTeam(person, { env: TEAMS });
      const desk = await person.terminal({ resume: session, env: TEAMS });
      await desk.ask('word');
      await desk.settled();
      await desk.exit();
    },
  },

  'team-nested': {
    about: 'a teammate with a sub-agent of its own',
    needs: ['terminal'],
    hosts: ['claude-code'],
    since: '2.1.220',
    scripts: {
      main: [
        turn(shell('ls src')),
        turn(spawn('reader', 'Read part A', { name: 'alice', ...mate })),
        turn(say('Waiting for alice.')),
      ],
      reader: [turn(spawn('leaf', 'Check app.js')), turn(say('A is read.'))],
      leaf,
    },
    async person(person) {
      const desk = await person.terminal({ env: TEAMS });
      await desk.ask('main');
      await Promise.all([person.served('reader', 1), person.served('leaf', 1)]);
      await desk.settled();
      await desk.exit();
    },
  },

  compact: {
    about: '/compact between two sub-agents',
    needs: ['terminal'],
    hosts: ['claude-code'],
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('leaf', 1);
      await desk.settled();
      await desk.type('/compact');
      await desk.settled();
      await desk.ask('main');
      await person.servedTimes('leaf', 1, 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'compact-twice': {
    about: '/compact twice while a sub-agent works in the background',
    needs: ['terminal', 'wake'],
    hosts: ['claude-code'],
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      await desk.type('/compact');
      await person.servedHidden(/no script/, 1);
      await desk.ask('after');
      await person.served('after');
      await desk.type('/compact');
      await person.servedHidden(/no script/, 2);
      await finishAudit(person, desk);
    },
  },

  titled: {
    about: 'a session that the host asks its model to name',
    needs: ['terminal'],
    hosts: ['claude-code'],
    scripts: { main: oneAgent, leaf },
    async person(person) {
      // Names are part of what this switches off.
      const desk = await person.terminal({ env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '' } });
      await desk.ask('main');
      await person.served('leaf', 1);
      await desk.settled();
      await desk.exit();
    },
  },

  'local-commands': {
    about: 'a session that ends in a command of the host',
    needs: ['terminal'],
    hosts: ['claude-code'],
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('leaf', 1);
      await desk.settled();
      await desk.type('/cost');
      await desk.press('Escape');
      await desk.exit();
    },
  },

  ghost: {
    about: 'a terminal without a prompt: no session is listed',
    needs: ['terminal'],
    hosts: ['claude-code'],
    scripts: { main: word },
    async person(person) {
      const desk = await person.terminal();
      await desk.type('/cost');
      await desk.press('Escape');
      await desk.exit();
      person.sessions.pop();
    },
  },

  retried: {
    about: 'API errors that the host retries, in main and in a sub-agent',
    hosts: ['claude-code'],
    scripts: {
      main: [overloaded(2, turn(spawn('flaky', 'Meet a busy model'))), overloaded(1, turn(say('It is done.')))],
      flaky: [overloaded(2, turn(shell('echo one'))), overloaded(1, turn(say('Done at last.')))],
    },
  },

  'failing-one': {
    about: 'an API error in one of two sub-agents in the background',
    needs: ['wake'],
    hosts: ['claude-code'],
    scripts: {
      main: [
        turn(
          spawn('broken', 'Meet an API error', { background: true }),
          spawn('slow', 'Run the slow check', { background: true }),
        ),
        turn(say('Waiting.')),
      ],
      broken,
      slow: backgroundScripts.slow,
    },
  },

  'failing-twice': {
    about: 'a sub-agent that fails twice and gets another task each time',
    needs: ['message', 'wake'],
    hosts: ['claude-code'],
    scripts: {
      main: [
        turn(spawn('broken', 'Meet an API error', { background: true })),
        hold('once', turn(message('broken'))),
        hold('twice', turn(message('leaf'))),
        turn(say('Waiting.')),
      ],
      broken,
      leaf,
    },
    async person(person) {
      const started = await person.start('main');
      for (const [index, name] of ['once', 'twice'].entries()) {
        await person.servedTimes('broken', 1, index + 1);
        await person.quiet();
        person.release(name);
      }
      await person.ended(started);
    },
  },

  'shell-wakes': {
    about: 'the end of a command in the background wakes the main agent',
    hosts: ['claude-code'],
    // Before, nothing says that a headless main agent is busy.
    since: '2.1.286',
    scripts: {
      main: [
        turn(tool('Bash', { command: 'echo a; sleep 2', description: 'Run a command', run_in_background: true })),
        turn(say('Waiting.')),
      ],
    },
  },

  'exit-early': {
    about: '/exit before the answer to the first prompt',
    needs: ['terminal', 'process-record'],
    hosts: ['claude-code'],
    scripts: { main: [hold('never', turn(say('never played')))] },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await desk.exit();
      person.giveUp('interrupted');
    },
  },

  'escape-early': {
    about: 'Escape before the answer to the first prompt',
    needs: ['terminal', 'process-record'],
    hosts: ['claude-code'],
    scripts: { main: [hold('never', turn(say('never played')))] },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await desk.press('Escape');
      person.giveUp('interrupted');
      // The prompt is back in the input.
      await desk.press('C-u');
      await desk.exit();
    },
  },

  'team-four': {
    about: 'four teammates: one fails, one writes to another, one is shut down',
    needs: ['terminal'],
    hosts: ['claude-code'],
    since: '2.1.88',
    scripts: fourScripts,
    person: (person) => playFour(person, { env: TEAMS }),
  },

  'team-four-panes': {
    about: 'the same four teammates in panes of tmux',
    needs: ['terminal'],
    hosts: ['claude-code'],
    versions: ['2.1.39'],
    scripts: fourScripts,
    person: (person) => playFour(person, { env: TEAMS, seesTmux: true }),
  },

  'team-killed': {
    about: 'the lead of a team is killed while a teammate works',
    needs: ['terminal'],
    hosts: ['claude-code'],
    since: '2.1.88',
    scripts: {
      ...teamScripts,
      main: [...teamScripts.main.slice(0, 2), hang('This answer never')],
      counter: stuckScripts.stuck,
    },
    async person(person) {
      const desk = await person.terminal({ env: TEAMS });
      await desk.ask('main');
      await Promise.all([person.served('reader', 1), person.reached('counter', 1)]);
      await person.quiet();
      desk.kill('SIGKILL');
    },
  },

  'team-namesake': {
    about: 'a teammate with the name of one that was shut down',
    needs: ['terminal'],
    hosts: ['claude-code'],
    // Up to 2.1.161 both have the same id: for the host they are one.
    since: '2.1.220',
    scripts: {
      main: [turn(spawn('reader', 'Read part A', { name: 'alice', ...mate })), turn(say('Waiting for alice.'))],
      reader: teamScripts.reader,
      end: [turn(message('bye', { to: 'alice', shutdown: true })), turn(say('Asked alice to leave.'))],
      bye: fourScripts.bye,
    },
    async person(person) {
      const desk = await person.terminal({ env: TEAMS });
      await desk.ask('main');
      await person.served('reader', 1);
      await desk.settled();
      await desk.ask('end');
      await person.served('bye');
      await desk.settled();
      await desk.ask('main');
      await person.servedTimes('reader', 1, 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'compact-nested': {
    about: '/compact between two sub-agents that have sub-agents of their own',
    needs: ['terminal', 'nesting'],
    hosts: ['claude-code'],
    scripts: {
      main: [turn(spawn('audit', 'Audit the project')), turn(say('The audit is done.'))],
      audit: [turn(spawn('leaf', 'Check app.js'), spawn('leaf', 'Check util.js')), turn(say('No problem.'))],
      leaf,
    },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('audit', 1);
      await desk.settled();
      await desk.type('/compact');
      await desk.settled();
      await desk.ask('main');
      await person.servedTimes('audit', 1, 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'compact-branch': {
    about: '/compact before and after /branch',
    needs: ['terminal'],
    hosts: ['claude-code'],
    // A branch of 2.1.161 holds only what the compaction left: not the sub-agent, and a part of main.
    since: '2.1.287',
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const desk = await person.terminal();
      for (const count of [1, 2]) {
        await desk.ask('main');
        await person.servedTimes('leaf', 1, count);
        await desk.settled();
        await desk.type('/compact');
        await desk.settled();
        if (count === 1) await desk.branch();
      }
      await desk.exit();
    },
  },

  'compact-auto': {
    about: 'main and a sub-agent whose contexts are full: the host compacts both',
    hosts: ['claude-code'],
    scripts: {
      main: [turn(spawn('long', 'Do a lot')), full(turn(shell('echo full'))), turn(say('Done.'))],
      long: [turn(shell('echo one')), full(turn(shell('echo two'))), turn(say('Did a lot.'))],
    },
    // Without them, 2.1.325 does not compact conversations as short as these.
    person: (person) =>
      person.print('main', {
        env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50', CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' },
      }),
  },

  'clear-twice-busy': {
    about: '/clear twice in a row while a sub-agent works',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      for (const script of ['after', 'after']) {
        await desk.clear();
        await desk.ask(script);
        await desk.settled(['audit']);
      }
      await finishAudit(person, desk);
    },
  },

  'clear-back': {
    about: '/clear while a sub-agent works, then /resume of the session before in the same terminal',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      const before = desk.session;
      desk.name();
      await desk.clear();
      await desk.ask('after');
      await desk.settled(['audit']);
      await desk.type(`/resume ${before.id}`);
      desk.enterSession(before);
      await desk.ask('after');
      await finishAudit(person, desk);
    },
  },

  'clear-team': {
    about: '/clear while a teammate works',
    needs: ['terminal', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: {
      main: [makeTeam, turn(spawn('held', 'Read part A', { name: 'alice', ...mate })), turn(say('Waiting for alice.'))],
      held,
      after: word,
    },
    async person(person) {
      const desk = await person.terminal({ env: TEAMS });
      await desk.ask('main');
      await person.served('main', 2);
      await person.reached('held', 1);
      await desk.clear();
      await desk.ask('after');
      person.release('go on');
      await person.served('held', 1);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-compact': {
    about: '/compact in a session that /clear began, while a sub-agent of the session before works',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: oneAgent, leaf },
    async person(person) {
      const desk = await startAudit(person);
      await desk.clear();
      await desk.ask('after');
      await person.served('leaf', 1);
      await desk.settled(['audit']);
      await desk.type('/compact');
      await person.servedHidden(/no script/, 1);
      await desk.settled(['audit']);
      await finishAudit(person, desk);
    },
  },

  'compact-fork': {
    about: 'a fork of a session after /compact, with a sub-agent on either side',
    needs: ['terminal', 'fork'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: oneAgent, leaf },
    // The copy begins with the summary: it does not name the sub-agent, and its copied reply has no usage.
    expects(truth) {
      const fork = truth.find(({ forkedFrom }) => forkedFrom);
      fork.agents = fork.agents.filter(({ isInherited }) => !isInherited);
      Object.assign(fork.agents[0], { calls: 1, inherited: 0 });
    },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('leaf', 1);
      await desk.settled();
      await desk.type('/compact');
      await desk.settled();
      desk.name();
      await person.print('main', { fork: desk.session });
      await desk.ask('main');
      await person.servedTimes('leaf', 1, 3);
      await desk.settled();
      await desk.exit();
    },
  },

  'branch-wakes-both': {
    about: 'an idle sub-agent that gets another task on both sides of a /branch',
    needs: ['terminal', 'message'],
    hosts: ['claude-code'],
    scripts: { main: oneAgent, leaf, wake: [turn(message('leaf')), turn(say('It was asked again.'))] },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('leaf', 1);
      await desk.settled();
      desk.name();
      const original = desk.session;
      await desk.branch();
      await desk.ask('wake');
      await person.servedTimes('leaf', 1, 2);
      await desk.settled();
      await person.print('wake', { resume: original });
      await desk.settled();
      await desk.exit();
    },
  },

  'branch-busy-wakes': {
    about: '/branch while a sub-agent works, which gets another task on the other side after its end',
    needs: ['terminal', 'background', 'message'],
    hosts: ['claude-code'],
    scripts: {
      main: auditing,
      audit,
      after: word,
      leaf,
      wake: [turn(message('leaf')), turn(say('It was asked again.'))],
    },
    async person(person) {
      const desk = await startAudit(person);
      await desk.branch();
      await desk.ask('after');
      await desk.settled(['audit']);
      person.release('go on');
      await person.served('audit', 2);
      await desk.settled();
      await desk.ask('wake');
      await person.served('leaf', 1);
      await desk.settled();
      await desk.exit();
    },
  },

  'nested-failing': {
    about: 'a sub-agent of a sub-agent in the background fails while the session is resumed elsewhere',
    needs: ['terminal', 'background', 'nesting'],
    hosts: ['claude-code'],
    scripts: {
      ...nestedAudit,
      audit: [turn(shell('echo first half')), { ...apiError(), hold: 'go on' }],
      word,
    },
    async person(person) {
      const desk = await startAudit(person);
      desk.name();
      await desk.settled(['audit']);
      await person.print('word', { resume: desk.session });
      person.release('go on');
      await person.served('outer', 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-then-branch': {
    about: '/clear while a sub-agent works, then /branch of the new session',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: oneAgent, leaf, word },
    async person(person) {
      const desk = await startAudit(person);
      await desk.clear();
      await desk.ask('after');
      await person.served('leaf', 1);
      await desk.settled(['audit']);
      await desk.branch();
      await desk.ask('word');
      await desk.settled(['audit']);
      await finishAudit(person, desk);
    },
  },

  'branch-then-clear': {
    about: '/branch while a sub-agent works, then /clear',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      await desk.branch();
      await desk.ask('after');
      await desk.settled(['audit']);
      await desk.clear();
      await desk.ask('after');
      await desk.settled(['audit']);
      await finishAudit(person, desk);
    },
  },

  'clear-killed': {
    about: '/clear while a sub-agent works, then the host is killed',
    needs: ['terminal', 'background', 'typed-history', 'process-record'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      await desk.clear();
      await desk.ask('after');
      await desk.settled(['audit']);
      await person.quiet();
      desk.kill('SIGKILL');
    },
  },

  'clear-exit-back': {
    about: '/clear and exit while a sub-agent works; the session before is resumed later',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    // 2.1.161 wakes main as it exits, and does not write down the answer.
    since: '2.1.287',
    scripts: { main: auditing, audit, after: word, next: oneAgent, leaf },
    async person(person) {
      const desk = await startAudit(person);
      const old = desk.session;
      desk.name();
      await desk.clear();
      await desk.ask('after');
      await desk.settled(['audit']);
      await desk.exit();
      person.giveUp('interrupted');
      await person.observer.settled();
      await person.print('next', { resume: old });
    },
  },

  'killed-forked': {
    about: 'a session whose host was killed while a sub-agent worked is forked, then resumed',
    needs: ['process-record', 'fork'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { ...stuckScripts, next: oneAgent, leaf },
    async person(person) {
      const started = await person.start('main');
      await person.reached('stuck', 1);
      await person.quiet();
      await person.kill(started, 'SIGKILL');
      await person.observer.settled();
      await person.print('next', { fork: started.session });
      await person.print('next', { resume: started.session });
    },
  },

  'stopped-outer': {
    about: 'a sub-agent in the background is stopped while one of its own works',
    needs: ['stop', 'nesting'],
    hosts: ['claude-code'],
    scripts: {
      main: [
        turn(spawn('outer', 'Audit all', { background: true })),
        hold('begun', turn(stop())),
        turn(say('I stopped it.')),
      ],
      outer: [turn(spawn('endless', 'Wait for a long time')), turn(say('never played'))],
      endless: [turn(shell('echo begun')), hold('never', turn(say('never played')))],
    },
    async person(person) {
      const started = await person.start('main');
      await person.reached('endless', 1);
      await person.quiet();
      person.release('begun');
      await person.ended(started);
    },
  },

  'team-fork': {
    about: 'a fork of a session with a team, elsewhere, while a teammate works',
    needs: ['terminal', 'fork'],
    hosts: ['claude-code'],
    since: '2.1.220',
    scripts: {
      main: [turn(spawn('held', 'Read part A', { name: 'alice', ...mate })), turn(say('Waiting for alice.'))],
      held,
      word,
    },
    async person(person) {
      const desk = await person.terminal({ env: TEAMS });
      await desk.ask('main');
      await person.served('main', 1);
      await person.reached('held', 1);
      desk.name();
      await desk.settled(['held']);
      await person.print('word', { fork: desk.session });
      person.release('go on');
      await person.served('held', 1);
      await desk.settled();
      await desk.exit();
    },
  },

  'fork-waiting': {
    about: 'a fork while main waits for a sub-agent, which then works on',
    needs: ['fork'],
    scripts: { main: oneHeldAgent, held, word },
    async person(person) {
      const started = await person.start('main');
      await person.reached('held', 1);
      await person.named(started);
      await person.quiet();
      await person.print('word', { fork: started.session });
      person.release('go on');
      await person.ended(started);
    },
  },

  'team-compact': {
    about: '/compact while a teammate works',
    needs: ['terminal'],
    hosts: ['claude-code'],
    since: '2.1.88',
    scripts: {
      main: [makeTeam, turn(spawn('held', 'Read part A', { name: 'alice', ...mate })), turn(say('Waiting for alice.'))],
      held,
      more: teamScripts.more,
      again: teamScripts.again,
      after: word,
    },
    async person(person) {
      const desk = await person.terminal({ env: TEAMS });
      await desk.ask('main');
      await person.served('main', 2);
      await person.reached('held', 1);
      await desk.settled(['held']);
      await desk.type('/compact');
      await person.servedHidden(/no script/, 1);
      await desk.settled(['held']);
      await desk.ask('after');
      await desk.settled(['held']);
      person.release('go on');
      await person.served('held', 1);
      await desk.settled();
      await desk.ask('more');
      await person.served('again', 1);
      await desk.settled();
      await desk.exit();
    },
  },

  'fails-at-end': {
    about: 'a sub-agent in the background fails in the moment in which the main agent ends',
    needs: ['wake'],
    hosts: ['claude-code', 'copilot', 'qwen'],
    scripts: {
      main: [turn(spawn('broken', 'Meet an API error', { background: true })), hold('now', turn(say('I leave.')))],
      broken: [turn(shell('echo before the error')), { ...apiError(), hold: 'now' }],
    },
    async person(person) {
      const started = await person.start('main');
      await Promise.all([person.reached('main', 1), person.reached('broken', 1)]);
      await person.quiet();
      person.release('now');
      await person.ended(started);
    },
  },

  'clear-twice-nested': {
    about: '/clear twice while a sub-agent of a sub-agent works, with another such pair in between',
    needs: ['terminal', 'background', 'typed-history', 'nesting'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { ...nestedAudit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      await desk.clear();
      await desk.ask('main');
      await person.reachedTimes('audit', 1, 2);
      await desk.settled(['audit']);
      await desk.clear();
      await desk.ask('after');
      person.release('go on');
      await person.servedTimes('audit', 2, 2);
      await person.servedTimes('outer', 2, 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-fork-of-fork': {
    about: 'a fork of a fork of a session that /clear began, while a sub-agent of the session before works',
    needs: ['terminal', 'background', 'typed-history', 'fork'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: oneAgent, leaf },
    async person(person) {
      const desk = await startAudit(person);
      await desk.clear();
      await desk.ask('after');
      await person.served('leaf', 1);
      await desk.settled(['audit']);
      desk.name();
      const fork = await person.print('after', { fork: desk.session });
      await person.print('after', { fork });
      await finishAudit(person, desk);
    },
  },

  'fork-cleared-busy': {
    about: 'a fork of the session before /clear, while its sub-agent works',
    needs: ['terminal', 'background', 'typed-history', 'fork'],
    hosts: ['claude-code'],
    // 2.1.161 writes lines out of order, and a copy ends with the one that is last in the file.
    since: '2.1.220',
    scripts: { main: auditing, audit, after: word, next: oneAgent, leaf },
    async person(person) {
      const desk = await startAudit(person);
      const old = desk.session;
      desk.name();
      await desk.clear();
      await desk.ask('after');
      await desk.settled(['audit']);
      await person.print('next', { fork: old });
      await finishAudit(person, desk);
    },
  },

  'branch-of-branch': {
    about: '/branch of a /branch while a sub-agent works',
    needs: ['terminal', 'background'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const desk = await startAudit(person);
      for (const script of ['after', 'after']) {
        await desk.branch();
        await desk.ask(script);
        await desk.settled(['audit']);
      }
      await finishAudit(person, desk);
    },
  },

  'typed-fork-clear': {
    about: '/clear while a /fork works',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.220',
    scripts: {
      main: [turn(shell('ls')), turn(say('Ready.'))],
      look: [turn(shell('echo in the fork')), hold('go on', turn(shell('echo more'))), turn(say('Looked.'))],
      after: word,
    },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await desk.settled();
      await desk.fork('look');
      await person.reached('look', 1);
      await desk.clear();
      await desk.ask('after');
      person.release('go on');
      await person.served('look', 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-killed-resumed': {
    about: '/clear twice, then the host is killed, and the session in the middle is resumed',
    needs: ['terminal', 'background', 'typed-history', 'process-record'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { first: word, main: auditing, audit, after: word, next: oneAgent, leaf },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('first');
      await desk.settled();
      await desk.clear();
      await desk.ask('main');
      await person.served('main', 1);
      await person.reached('audit', 1);
      const middle = desk.session;
      desk.name();
      await desk.clear();
      await desk.ask('after');
      await desk.settled(['audit']);
      await person.quiet();
      desk.kill('SIGKILL');
      // The next program writes down that the audit did not finish.
      person.giveUp('interrupted');
      await person.observer.settled();
      await person.print('next', { resume: middle });
    },
  },

  'sent-to-background': {
    about: 'a sub-agent that the person sends to the background while it works',
    needs: ['terminal', 'background'],
    hosts: ['claude-code'],
    since: '2.1.88',
    scripts: { main: oneHeldAgent, held, after: word },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.reached('held', 1);
      await desk.press('C-b');
      await desk.press('C-b');
      await desk.settled(['held']);
      await desk.ask('after');
      await desk.settled(['held']);
      person.release('go on');
      await person.served('held', 1);
      await desk.settled();
      await desk.exit();
    },
  },

  'resumed-twice-busy': {
    about: 'a session is resumed in a second terminal while a sub-agent works in the first',
    needs: ['terminal', 'background'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, next: oneAgent, leaf },
    async person(person) {
      const desk = await startAudit(person);
      desk.name();
      await desk.settled(['audit']);
      const other = await person.terminal({ resume: desk.session });
      await other.ask('next');
      await person.served('leaf', 1);
      await other.settled(['audit']);
      await other.exit();
      await finishAudit(person, desk);
    },
  },

  'team-clear-twice': {
    about: '/clear twice while two teammates work, with a team of its own in the middle session',
    needs: ['terminal', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.220',
    scripts: {
      main: [turn(spawn('held', 'Read part A', { name: 'alice', ...mate })), turn(say('Waiting for alice.'))],
      second: [turn(spawn('held', 'Read part B', { name: 'bob', ...mate })), turn(say('Waiting for bob.'))],
      held,
      after: word,
    },
    async person(person) {
      const desk = await person.terminal({ env: TEAMS });
      await desk.ask('main');
      await person.served('main', 1);
      await person.reached('held', 1);
      await desk.clear();
      await desk.ask('second');
      await person.reachedTimes('held', 1, 2);
      await desk.settled(['held']);
      await desk.clear();
      await desk.ask('after');
      person.release('go on');
      await person.servedTimes('held', 1, 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'resumed-in-worktree': {
    about: 'a session is resumed, then forked, in another worktree of its project',
    needs: ['fork'],
    hosts: ['claude-code'],
    // 2.1.161 finds only sessions of its own folder.
    since: '2.1.287',
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const { sandbox } = person;
      const cwd = path.join(sandbox.base, 'worktree');
      sandbox.git(['worktree', 'add', '-q', cwd, '-b', 'other']);
      const session = await person.print('main');
      await person.print('main', { resume: session, cwd });
      await person.print('main', { fork: session, cwd });
      await person.print('main', { resume: session });
    },
  },

  rewound: {
    about: '/rewind to before a sub-agent, then another one',
    needs: ['terminal'],
    hosts: ['claude-code'],
    since: '2.1.88',
    scripts: { main: oneAgent, leaf, word },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('word');
      await desk.settled();
      await desk.ask('main');
      await person.served('leaf', 1);
      await desk.settled();
      await desk.type('/rewind');
      await desk.press('Up');
      await desk.press('Enter');
      await desk.press('Enter');
      await desk.press('C-u');
      await desk.ask('main');
      await person.servedTimes('leaf', 1, 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-crowd': {
    about: '/clear while two sub-agents work, one with a sub-agent of its own; all end after the next prompt',
    needs: ['terminal', 'background', 'typed-history', 'nesting'],
    hosts: ['claude-code'],
    scripts: {
      main: [
        turn(spawn('outer', 'Audit all', { background: true }), spawn('held', 'Check one file', { background: true })),
        turn(say('Waiting for both.')),
      ],
      outer: nestedAudit.outer,
      audit,
      held,
      after: word,
    },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('main', 1);
      await Promise.all([person.reached('audit', 1), person.reached('held', 1)]);
      await desk.clear();
      await desk.ask('after');
      person.release('go on');
      await Promise.all([person.served('outer', 2), person.served('held', 1)]);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-failing': {
    about: '/clear while two sub-agents work; after the next prompt, one meets an API error',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: {
      main: [
        turn(
          spawn('broken', 'Meet an API error', { background: true }),
          spawn('held', 'Check one file', { background: true }),
        ),
        turn(say('Waiting for both.')),
      ],
      broken: [turn(shell('echo before the error')), { ...apiError(), hold: 'fail' }],
      held,
      after: word,
    },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('main', 1);
      await Promise.all([person.reached('broken', 1), person.reached('held', 1)]);
      await desk.clear();
      await desk.ask('after');
      person.release('fail');
      await person.served('broken', 1);
      await desk.settled(['held']);
      person.release('go on');
      await person.served('held', 1);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-team-leaves': {
    about: '/clear while two teammates work; then one of them is asked again, and the other is shut down',
    needs: ['terminal', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.220',
    scripts: {
      main: [
        turn(
          spawn('held', 'Read part A', { name: 'alice', ...mate }),
          spawn('held', 'Read part B', { name: 'bob', ...mate }),
        ),
        turn(say('Waiting for both.')),
      ],
      held,
      after: word,
      more: teamScripts.more,
      again: teamScripts.again,
      end: [turn(message('bye', { to: 'bob', shutdown: true })), turn(say('Asked bob to leave.'))],
      bye: fourScripts.bye,
    },
    async person(person) {
      const desk = await person.terminal({ env: TEAMS });
      await desk.ask('main');
      await person.served('main', 1);
      await person.reachedTimes('held', 1, 2);
      await desk.clear();
      await desk.ask('after');
      person.release('go on');
      await person.servedTimes('held', 1, 2);
      await desk.settled();
      await desk.ask('more');
      await person.served('again', 1);
      await desk.settled();
      await desk.ask('end');
      await person.served('bye');
      await desk.settled();
      await desk.exit();
    },
  },

  'fork-resumed-busy': {
    about: 'a fork of a resumed session while its sub-agent works, and another resume of the original after its end',
    needs: ['fork', 'wake'],
    hosts: ['claude-code'],
    scripts: { first: oneAgent, leaf, main: auditing, audit },
    async person(person) {
      const session = await person.print('first');
      const started = await person.start('main', { resume: session });
      await person.served('main', 1);
      await person.reached('audit', 1);
      await person.quiet();
      await person.print('first', { fork: session });
      person.release('go on');
      await person.ended(started);
      await person.print('first', { resume: session });
    },
  },

  'retried-then-failing': {
    about: 'a sub-agent in the background whose request is retried twice and then fails, beside one that works',
    needs: ['wake'],
    hosts: ['claude-code'],
    scripts: {
      main: [
        turn(
          spawn('flaky', 'Meet a busy model', { background: true }),
          spawn('held', 'Check one file', { background: true }),
        ),
        turn(say('Waiting.')),
      ],
      flaky: [overloaded(2, turn(shell('echo one'))), overloaded(2, apiError())],
      held,
    },
    async person(person) {
      const started = await person.start('main');
      await person.reached('held', 1);
      await person.patiently('flaky did not fail', () =>
        person.run.entriesOf('flaky').some(({ state }) => state === 'failed'),
      );
      await person.quiet();
      person.release('go on');
      await person.ended(started);
    },
  },

  'stopped-again': {
    about: 'a sub-agent that the main agent stops, and that gets another task afterwards',
    needs: ['stop', 'message', 'wake'],
    hosts: ['claude-code'],
    scripts: {
      main: [
        turn(spawn('endless', 'Wait for a long time', { background: true })),
        hold('begun', turn(stop())),
        hold('again', turn(message('leaf'))),
        turn(say('It has another task.')),
      ],
      endless: [turn(shell('echo begun')), hold('never', turn(say('never played')))],
      leaf,
    },
    async person(person) {
      const started = await person.start('main');
      await person.reached('endless', 1);
      await person.quiet();
      person.release('begun');
      await person.reached('main', 2);
      await person.quiet();
      person.release('again');
      await person.ended(started);
    },
  },

  'left-inner': {
    about: 'a sub-agent that ends while its own sub-agent works in the background',
    needs: ['wake', 'nesting'],
    hosts: ['claude-code'],
    since: '2.1.287',
    scripts: {
      main: [turn(spawn('outer', 'Audit all', { background: true })), turn(say('Waiting for the audit.'))],
      outer: [turn(spawn('audit', 'Run the long audit', { background: true })), turn(say('It works on.'))],
      audit,
    },
    async person(person) {
      const started = await person.start('main');
      await person.served('outer', 1);
      await person.reached('audit', 1);
      await person.quiet();
      person.release('go on');
      await person.served('audit', 2);
      await person.ended(started);
    },
  },

  'compact-clear': {
    about: '/compact, then /clear while a sub-agent works; the compacted session is resumed elsewhere',
    needs: ['terminal', 'background', 'typed-history'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: { main: auditing, audit, after: word, next: oneAgent, leaf },
    async person(person) {
      const desk = await startAudit(person);
      const old = desk.session;
      desk.name();
      await desk.type('/compact');
      await person.servedHidden(/no script/, 1);
      await desk.settled(['audit']);
      await desk.clear();
      await desk.ask('after');
      await desk.settled(['audit']);
      await person.print('next', { resume: old });
      await finishAudit(person, desk);
    },
  },

  'escape-agent': {
    about: 'Escape while a sub-agent works in the foreground, then another prompt with a sub-agent',
    needs: ['terminal', 'process-record'],
    hosts: ['claude-code'],
    scripts: {
      main: [turn(spawn('endless', 'Wait for a long time')), turn(say('never played'))],
      endless: [turn(shell('echo begun')), hold('never', turn(say('never played')))],
      next: oneAgent,
      leaf,
    },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.reached('endless', 1);
      await person.quiet();
      await desk.press('Escape');
      await person.quiet();
      await desk.press('C-u');
      await desk.ask('next');
      await person.served('leaf', 1);
      // 2.1.325 leaves the sub-agent at work.
      await desk.settled(['endless']);
      await desk.exit();
      person.giveUp('interrupted');
    },
  },

  'fork-compact': {
    about: '/compact in a fork while a sub-agent of the fork works, and one of the original',
    needs: ['terminal', 'fork', 'wake'],
    hosts: ['claude-code'],
    // 2.1.161 tells the fork that the sub-agent failed, with the prompt of the original: the script cannot tell whose turn it is.
    since: '2.1.220',
    scripts: { main: auditing, audit, after: word },
    async person(person) {
      const started = await person.start('main');
      await person.served('main', 1);
      await person.reached('audit', 1);
      await person.named(started);
      await person.quiet();
      const desk = await person.terminal({ fork: started.session });
      await desk.ask('main');
      await person.reachedTimes('audit', 1, 2);
      await desk.type('/compact');
      await person.servedHidden(/no script/, 1);
      await desk.settled(['audit']);
      await desk.ask('after');
      await desk.settled(['audit']);
      person.release('go on');
      await person.servedTimes('audit', 2, 2);
      await person.ended(started);
      await desk.settled();
      await desk.exit();
    },
  },

  'fork-killed': {
    about: 'a fork while a sub-agent works; the original is killed, then the fork is resumed with a sub-agent',
    needs: ['fork', 'wake', 'process-record'],
    hosts: ['claude-code'],
    since: '2.1.161',
    scripts: {
      main: auditing,
      audit: [turn(shell('echo first half')), hang('This answer never')],
      next: oneAgent,
      leaf,
    },
    // The end of the sub-agent would have woken main.
    expects(truth) {
      truth[0].agents[0].status = 'unknown';
    },
    async person(person) {
      const started = await person.start('main');
      await person.served('main', 1);
      await person.reached('audit', 1);
      await person.named(started);
      await person.quiet();
      const fork = await person.print('next', { fork: started.session });
      await person.quiet();
      await person.kill(started, 'SIGKILL');
      await person.quiet();
      await person.print('next', { resume: fork });
    },
  },

  'branch-exit': {
    about: '/branch and exit while a sub-agent works, then the original is resumed with a sub-agent',
    needs: ['terminal', 'background'],
    hosts: ['claude-code'],
    since: '2.1.287',
    scripts: { main: auditing, audit, after: word, next: oneAgent, leaf },
    async person(person) {
      const desk = await startAudit(person);
      desk.name();
      const original = desk.session;
      await desk.branch();
      await desk.ask('after');
      await desk.settled(['audit']);
      await desk.exit();
      person.giveUp('interrupted');
      await person.observer.settled();
      await person.print('next', { resume: original });
    },
  },

  'fork-again': {
    about: 'the sub-agent of the original gets a second task in a fork, then a third in the original',
    needs: ['fork', 'message', 'fork-message'],
    hosts: ['opencode'],
    scripts: { main: oneAgent, leaf, wake: [turn(message('again')), turn(say('Asked once more.'))], again: leaf },
    async person(person) {
      const original = await person.print('main');
      await person.print('wake', { fork: original });
      await person.print('wake', { resume: original });
    },
  },
};
