import { render } from 'preact';
import { App } from './app.tsx';
import { provideBackend } from './backend-context.ts';
import { createLiveBackend } from './backends/live.ts';
import { createStaticBackend, embeddedData } from './backends/static.ts';
import { startRouting } from './route.ts';
import { connect } from './store.ts';
import './styles/tokens.css';
import './styles/base.css';

const embedded = embeddedData(document);
const backend = embedded ? createStaticBackend(embedded) : createLiveBackend();
provideBackend(backend);
startRouting(window);
connect(backend);
const home = document.getElementById('app');
if (home) render(<App />, home);
