import { Diagnostics } from '../parts/diagnostics.tsx';
import { diagnosticsOf } from './own-diagnostics.ts';
import { type AgentProps, Section } from './section.tsx';

/** What was not understood of it; at the session, all of it. */
export function ProblemsSection({ session, agent }: AgentProps) {
  const items = diagnosticsOf(session, agent);
  if (items.length === 0) return null;
  return (
    <Section title="Not understood">
      <Diagnostics items={items} />
    </Section>
  );
}
