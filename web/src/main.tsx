import { render } from 'preact';
import { App } from './app.tsx';
import { provideBackend } from './backend.ts';
import { createLiveBackend } from './backends/live.ts';
import { createStaticBackend, embeddedData } from './backends/static.ts';
import { hashOf, startRouting } from './route.ts';
import { connect } from './store.ts';
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
