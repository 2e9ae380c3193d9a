import { useBackend } from '../backend.ts';
import { problemsText } from '../parts/problems.ts';
import { ReplayBar } from '../replay/replay-bar.tsx';
import { connection, picture, sessions } from '../store.ts';
import { isProblemsOpen } from './commands.ts';

const STATES = { connecting: 'connecting…', connected: 'connected', lost: 'no connection' } as const;

export function BottomBar() {
  const backend = useBackend();
  const problems = problemsText(sessions.value);
  const isReading = picture.value?.isComplete === false;
  return (
    <footer class="bottom">
      <div class="bottom-replay">
        <ReplayBar />
      </div>
      {problems !== '' && (
        <button type="button" class="quiet bottom-problems" onClick={() => openProblems()}>
          {problems}
        </button>
      )}
      {backend.kind === 'live' && (
        <span class={`bottom-connection bottom-${connection.value}`}>
          <span class="bottom-word">
            {isReading && connection.value === 'connected' ? 'still reading' : STATES[connection.value]}
          </span>
        </span>
      )}
    </footer>
  );
}

function openProblems(): void {
  isProblemsOpen.value = true;
}
