import { useEffect, useState } from 'preact/hooks';
import {
  cleanLine,
  type MessageHit,
  plural,
  type SearchReport,
  type SessionHits,
  shortId,
} from '../../../src/core/index.ts';
import { openPairing } from '../asks/pairing.tsx';
import { ProofNeeded, type TextSearch } from '../backend.ts';
import { Ago, PlaceLink } from '../parts/marks.tsx';
import { message, selected } from '../store.ts';
import { found, isSearching, searchAgain, searchFailure, showMore, startSearch } from './search-state.ts';
import './message-hits.css';

/** What was said and done in any session that matches the search box: by session, the best messages of each. */
export function MessageHits({ search }: { readonly search: TextSearch }) {
  useEffect(() => startSearch(search), [search]);
  const report = found.value;
  const failure = searchFailure.value;
  return (
    <div class="hits" aria-busy={isSearching.value} tabIndex={-1}>
      <p class="sessions-none" role="status">
        {failure === undefined ? statusText(report, isSearching.value) : ''}
      </p>
      {failure !== undefined && (
        <p class="sessions-none sessions-failure" role="alert">
          The search failed: {cleanLine(failure)}
        </p>
      )}
      {report?.index.state === 'undecided' || report?.index.state === 'off' ? (
        <Consent search={search} isOff={report.index.state === 'off'} />
      ) : (
        report?.sessions.map((one) => <Hits key={`${one.host} ${one.id}`} session={one} />)
      )}
      {report && report.matchingSessions > report.sessions.length && (
        <button type="button" class="quiet hits-more" onClick={showMore}>
          Show more of {report.matchingSessions} sessions
        </button>
      )}
    </div>
  );
}

function statusText(report: SearchReport | undefined, isBusy: boolean): string {
  if (!report) return isBusy ? 'Searching…' : '';
  const { problem, index, hits, matchingSessions, isRedacted } = report;
  if (problem) return cleanLine(`${problem.message} ${problem.remedy}`);
  if (index.state !== 'on') return '';
  const parts = [
    hits === 0
      ? 'No message matches.'
      : `${plural(hits, 'message')} in ${plural(matchingSessions, 'session')}, last active first.`,
    ...(index.isComplete
      ? []
      : [
          `The index is being built: ${index.indexedSessions} of ${plural(index.sessions, 'session')} searched so far.`,
        ]),
    ...(index.problem === null ? [] : [`The index cannot be brought up to date: ${index.problem}`]),
    ...(isRedacted ? ['Secrets are redacted, because this browser is not known to be yours.'] : []),
  ];
  return cleanLine(parts.join(' '));
}

/** The index copies what transcripts hold into one file: the person is asked once. */
function Consent({ search, isOff }: { readonly search: TextSearch; readonly isOff: boolean }) {
  const [exclude, setExclude] = useState('');
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const decide = (allow: boolean): void => {
    setBusy(true);
    setFailure(undefined);
    const names = exclude
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    search
      .decide(allow ? { allow, exclude: names } : { allow })
      .then(searchAgain, (error: unknown) => {
        if (error instanceof ProofNeeded) openPairing();
        setFailure(error instanceof Error ? error.message : String(error));
      })
      .finally(() => setBusy(false));
  };
  return (
    <section class="hits-consent" aria-label="Allow the text index">
      <h2>{isOff ? 'Messages are not indexed' : 'Search in messages?'}</h2>
      <p>
        For this, troupe makes an index of everything that your sessions hold: prompts, answers, thinking, commands and
        their output. It stays on this machine, in one file that only you can read, and you can delete it at any time
        with <code>troupe index text off</code>.
      </p>
      <label>
        Leave out projects (names, with commas)
        <input type="text" value={exclude} onInput={({ currentTarget }) => setExclude(currentTarget.value)} />
      </label>
      <p class="hits-buttons">
        <button type="button" disabled={isBusy} onClick={() => decide(true)}>
          Make the index
        </button>
        {!isOff && (
          <button type="button" class="quiet" disabled={isBusy} onClick={() => decide(false)}>
            No
          </button>
        )}
      </p>
      {failure !== undefined && (
        <p class="sessions-failure" role="alert">
          {cleanLine(failure)}
        </p>
      )}
    </section>
  );
}

function Hits({ session }: { readonly session: SessionHits }) {
  const { id, title, project, hostTitle, hits, messages, lastActivityAt } = session;
  return (
    <section class="hits-session" aria-label={cleanLine(title ?? id)}>
      <h2>{title === null ? <span class="dim">without a title</span> : cleanLine(title)}</h2>
      <p class="hits-about">
        {cleanLine([project, hostTitle].filter((part) => part !== null).join(' · '))} ·{' '}
        <Ago at={lastActivityAt} isLive />
      </p>
      <ul>
        {messages.map((hit) => (
          <li key={`${hit.agentId} ${hit.messageId} ${hit.index}`}>
            <Hit session={id} hit={hit} />
          </li>
        ))}
      </ul>
      {hits > messages.length && <p class="hits-about">{plural(hits - messages.length, 'more message')} of it</p>}
    </section>
  );
}

const KINDS: Readonly<Record<MessageHit['kind'], string>> = {
  prompt: 'prompt',
  answer: 'answer',
  thinking: 'thinking',
  summary: 'summary',
  notice: 'notice',
  call: 'call',
  result: 'output',
};

function Hit({ session, hit }: { readonly session: string; readonly hit: MessageHit }) {
  const { agentId, agentLabel, index, kind, tool, at, snippet } = hit;
  const who = agentId === session ? 'main' : (agentLabel ?? shortId(agentId));
  const what = tool === null ? KINDS[kind] : `${tool} ${kind === 'result' ? 'output' : 'call'}`;
  // The session may be in the tree of another one by now.
  const isOpen = selected.value?.agent === agentId && message.value === index;
  return (
    <PlaceLink in="read" to={{ session, agent: agentId }} message={index} class={isOpen ? 'is-open' : ''}>
      <span class="hits-path">
        <span class="hits-who">{cleanLine(who)}</span> › {cleanLine(what)}
        <span class="sessions-age">
          <Ago at={at} isLive />
        </span>
      </span>
      <span class="hits-snippet">
        {snippet.length === 0 && <span class="dim">The message is not there any more.</span>}
        {snippet.map(({ text, isMatch }, place) =>
          isMatch ? <mark key={place}>{text}</mark> : <span key={place}>{text}</span>,
        )}
      </span>
    </PlaceLink>
  );
}
