import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { goTo } from './actions.ts';
import { ApprovalBar } from './asks/ask-bar.tsx';
import { PairingAlarms, PairingSheet, startPairing } from './asks/pairing.tsx';
import { AttachSheet } from './attach/attach-sheet.tsx';
import { ExportSheet } from './export/export-sheet.tsx';
import { ExplainSheet } from './guard/explain-sheet.tsx';
import { DetailPanel } from './panel/detail-panel.tsx';
import { loaded } from './sessions/list-state.ts';
import { startReadingSelected, unknownSessions } from './sessions/order.ts';
import { SessionsColumn } from './sessions/sessions-column.tsx';
import { Announcer } from './shell/announcer.tsx';
import { isDetailOpen, startKeyboard, width } from './shell/commands.ts';
import { startPageHead } from './shell/counts.ts';
import { emptyText } from './shell/empty-text.ts';
import { HelpSheet } from './shell/help-sheet.tsx';
import { Banner, EmptyState, isTokenMissing, PaneTabs } from './shell/pane-tabs.tsx';
import { BottomBar, ProblemsSheet } from './shell/problems-sheet.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { PANEL_ID, tabId, ViewFrame } from './shell/view-frame.tsx';
import { connection, pane, picture, selected, sessions, useBackend, view, visibleSessions } from './store.ts';
import './app.css';

/** Three columns on a desk; on a laptop the detail is a sheet over the view; on a phone one of the three at a time. */
export function App() {
  const backend = useBackend();
  useEffect(() => startKeyboard(window), []);
  useEffect(() => startReadingSelected(backend), [backend]);
  useEffect(() => startPairing(backend), [backend]);
  useEffect(() => startPageHead(document), []);
  return (
    <div class="app" data-pane={pane.value} data-detail={isDetailOpen.value ? 'open' : 'closed'}>
      <a class="skip" href={`#${PANEL_ID}`} onClick={skipToView}>
        Skip to the view
      </a>
      <TopBar />
      <div class="asks-area">
        <PairingAlarms />
        <ApprovalBar />
      </div>
      <SessionsColumn />
      <ViewArea />
      {isDetailOpen.value && <DetailPanel />}
      <Banner />
      <BottomBar />
      {width.value === 'phone' && <PaneTabs />}
      <HelpSheet />
      <ProblemsSheet />
      <ExplainSheet />
      <ExportSheet />
      <AttachSheet />
      <PairingSheet />
      <Announcer />
    </div>
  );
}

/** An address may name a session that has to be read first. */
const selection = computed(() => {
  const id = selected.value?.session;
  if (id === undefined || unknownSessions.value.has(id)) return 'none';
  return sessions.value.some((session) => session.id === id) ? 'read' : 'being-read';
});

/** Apart from the picture, so that the view is not drawn anew from outside with each of its changes. */
export const nothingToSee = computed(() =>
  emptyText({
    picture: picture.value,
    visible: visibleSessions.value.length,
    matching: loaded.value?.report.matching ?? 0,
    selection: selection.value,
    isLost: connection.value === 'lost',
    isTokenMissing: isTokenMissing.value,
  }),
);

export function ViewArea() {
  const text = nothingToSee.value;
  return (
    <main class="app-view">
      <div id={PANEL_ID} class="app-panel" role="tabpanel" aria-labelledby={tabId(view.value)} tabIndex={-1}>
        {text ? <EmptyState text={text} /> : <ViewFrame key={view.value} name={view.value} />}
      </div>
    </main>
  );
}

/** The address belongs to the views: a jump within the page must not change it. */
export function skipToView(event: MouseEvent): void {
  event.preventDefault();
  goTo('view');
  requestAnimationFrame(() => document.getElementById(PANEL_ID)?.focus());
}
