import { render } from 'preact';
import { App } from './app.tsx';
import { createLiveBackend, createStaticBackend, embeddedData } from './backends/live.ts';
import { hashOf, startRouting } from './route.ts';
import { startTheme } from './shell/commands.ts';
import { connect, provideBackend } from './store.ts';
import './styles/tokens.css';
import './styles/base.css';

const embedded = embeddedData(document);
const backend = embedded ? createStaticBackend(embedded) : createLiveBackend();
provideBackend(backend);
// A session that is over is a tree first: in the race its cars are parked.
const [handed, another] = embedded?.snapshot.sessions ?? [];
if (handed && !another && location.hash === '')
  history.replaceState(
    undefined,
    '',
    hashOf({ view: 'graph', ref: { session: handed.id, agent: handed.id }, message: undefined }),
  );
startRouting(window);
connect(backend);
const home = document.getElementById('app');
if (home) render(<App />, home);

// As soon as this is loaded, so that nothing is ever painted in the wrong colours.
startTheme(document);
