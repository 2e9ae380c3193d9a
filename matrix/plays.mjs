// The plays. README.md says how to add one.
import {
  apiError,
  hang,
  hold,
  message,
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

const TEAMS = { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' };

const mate = { team: 'crew', kind: 'teammate', background: true };

const teamScripts = {
  main: [
    turn(shell('ls src'), tool('TeamCreate', { team_name: 'crew', description: 'two readers' })),
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

async function playTeam(person, options) {
  const desk = await person.terminal(options);
  await desk.ask('main');
  await Promise.all([person.served('reader', 1), person.served('counter', 2)]);
  await desk.settled();
  await desk.ask('more');
  await person.served('again', 1);
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
    scripts: {
      main: [
        turn(spawn('slow', 'Run the slow check', { background: true })),
        turn(shell('echo the main agent goes on')),
        turn(say('I will report when it is done.')),
      ],
      // Some hosts refuse a command that begins with a sleep.
      slow: [turn(shell('echo begun; sleep 2')), turn(say('The slow check passed.'))],
    },
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
      broken: [turn(shell('echo before the error')), apiError()],
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

  resumed: {
    about: 'a session that is resumed, with a sub-agent in each run',
    scripts: { main: oneAgent, leaf },
    async person(person) {
      const session = await person.print('main');
      await person.print('main', { resume: session });
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
    scripts: {
      main: [turn(spawn('stuck', 'Wait for the model')), turn(say('never played'))],
      stuck: [turn(shell('echo begun')), hang('This answer never')],
    },
    async person(person) {
      const started = await person.start('main');
      await person.reached('stuck', 1);
      await person.quiet();
      await person.kill(started, 'SIGKILL');
    },
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
    needs: ['message'],
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

  'clear-busy': {
    about: '/clear while a sub-agent works',
    needs: ['terminal'],
    hosts: ['claude-code'],
    scripts: {
      main: [turn(spawn('audit', 'Run the long audit', { background: true })), turn(say('Waiting for the audit.'))],
      audit: [turn(shell('echo first half')), hold('cleared', turn(shell('echo second half'))), turn(say('Passed.'))],
      after: [turn(say('A fresh start.'))],
    },
    async person(person) {
      const desk = await person.terminal();
      await desk.ask('main');
      await person.served('main', 1);
      await person.reached('audit', 1);
      await desk.clear();
      await desk.ask('after');
      await person.served('after');
      person.release('cleared');
      await person.served('audit', 2);
      await desk.settled();
      await desk.exit();
    },
  },

  'clear-idle': {
    about: '/clear while nothing runs',
    needs: ['terminal'],
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
};
