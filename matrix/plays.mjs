// The plays. README.md says how to add one.
import { apiError, hang, hold, message, read, say, shell, spawn, stop, think, times, turn, write } from './script.mjs';

const leaf = [turn(shell('wc -l src/app.js; sleep 0.2')), turn(say('The file looks fine.'))];

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
    needs: ['background'],
    scripts: {
      main: [
        turn(spawn('slow', 'Run the slow check', { background: true })),
        turn(shell('echo the main agent goes on')),
        turn(say('I will report when it is done.')),
      ],
      slow: [turn(shell('sleep 2; echo passed')), turn(say('The slow check passed.'))],
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

  stopped: {
    about: 'a sub-agent that the main agent stops',
    needs: ['background', 'stop'],
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
};
