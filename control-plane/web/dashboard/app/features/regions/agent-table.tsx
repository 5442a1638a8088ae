import { useState } from 'preact/hooks';
import { Badge } from '../../kit/badge.tsx';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import type { LabelledPresentation } from '../../kit/labels.ts';
import { Ago } from '../../kit/time.tsx';
import type { Agent } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { agentFaults, capabilityWord, describeCapabilities, formatOffsetMs } from './words.ts';

const states: Readonly<Record<Agent['state'], LabelledPresentation>> = {
  online: { tone: 'good', glyph: 'check', label: 'Online' },
  draining: { tone: 'warn', glyph: 'triangle', label: 'Connection lost' },
  offline: { tone: 'bad', glyph: 'cross', label: 'Offline' },
};
const neverSeen: LabelledPresentation = { tone: 'quiet', glyph: 'ring', label: 'Never connected' };

const columns = [
  ['State', ''],
  ['Agent', ''],
  ['Last seen', ''],
  ['Monitors', ''],
  ['Checks', 'per second'],
  ['Queue', 'checks that wait to start'],
  ['Spool', 'results that wait'],
  ['Clock', 'its offset'],
  ['Missed', 'slots'],
  ['Late', 'starts'],
  ['Dropped', 'results'],
  ['Version', ''],
] as const;

/** One row an agent. Figures count since the agent was registered. */
export function AgentTable({ agents, refresh }: { agents: readonly Agent[]; refresh(): Promise<void> }) {
  const app = useApp();
  const [revoked, setRevoked] = useState<Agent | null>(null);
  const sorted = agents.toSorted(
    (left, right) => left.region.localeCompare(right.region) || left.name.localeCompare(right.name),
  );
  return (
    <div class="wide-table" tabIndex={0} role="group" aria-label="Agents">
      <table class="agents">
        <caption class="unseen">Agents by region, with counts since each was registered</caption>
        <thead>
          <tr>
            {columns.map(([name, more]) => (
              <th key={name} scope="col" title={more === '' ? undefined : `${name} ${more}`}>
                {name}
              </th>
            ))}
            {app.can('agents:write') && (
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {sorted.map(agent => (
            <Row key={agent.id} agent={agent} revoke={app.can('agents:write') ? () => setRevoked(agent) : null} />
          ))}
        </tbody>
      </table>
      {revoked !== null && <Revoke agent={revoked} close={() => setRevoked(null)} refresh={refresh} />}
    </div>
  );
}

function Row({ agent, revoke }: { agent: Agent; revoke: (() => void) | null }) {
  const { now } = useApp();
  const state = agent.last_seen_at === null ? neverSeen : states[agent.state];
  const faults = agentFaults(agent, now.value);
  const count = (value: number) => (
    <span class={value > 0 ? 'odd-figure' : undefined}>{value.toLocaleString('en')}</span>
  );
  return (
    <tr data-row>
      <td data-label="State">
        <Badge state={state} />
      </td>
      <td data-label="Agent">
        <strong>{agent.name}</strong>
        <span class="hint"> {agent.region}</span>
        {faults.map(fault => (
          <p key={fault} class="fault">
            {fault}
          </p>
        ))}
        {agent.last_seen_at !== null && <p class="can">{describeCapabilities(agent.capabilities)}</p>}
        {agent.incapable.map(({ word, reason }) => (
          <p key={word} class="can">
            no {capabilityWord(word)}: {reason}
          </p>
        ))}
      </td>
      <td data-label="Last seen">{agent.last_seen_at === null ? 'never' : <Ago at={agent.last_seen_at} />}</td>
      <td data-label="Monitors">{agent.assignments.toLocaleString('en')}</td>
      <td data-label="Checks">{agent.checks_per_second.toFixed(1)}/s</td>
      <td data-label="Queue">{count(agent.queue_depth)}</td>
      <td data-label="Spool">{count(agent.spool_count)}</td>
      <td data-label="Clock">{formatOffsetMs(agent.clock_offset_ms)}</td>
      <td data-label="Missed">{count(agent.missed_slots)}</td>
      <td data-label="Late">{count(agent.late_starts)}</td>
      <td data-label="Dropped">{count(agent.results_dropped)}</td>
      <td data-label="Version">{agent.version ?? '–'}</td>
      {revoke !== null && (
        <td>
          <button type="button" class="quiet" aria-label={`Revoke ${agent.name}`} onClick={revoke}>
            Revoke…
          </button>
        </td>
      )}
    </tr>
  );
}

function Revoke({ agent, close, refresh }: { agent: Agent; close(): void; refresh(): Promise<void> }) {
  const app = useApp();
  const work = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/agents/{id}', { params: { path: { id: agent.id } } });
    app.announce(`${agent.name}: revoked`);
    await refresh();
    close();
  };
  return (
    <ConfirmDialog title={`Revoke ${agent.name}?`} button="Revoke agent" close={close} work={work}>
      <p>
        It is disconnected at once and can never connect again with its secret. Other agents in {agent.region} take over
        its {agent.assignments} monitors; without another one the region loses its votes. Results that wait in its spool
        are lost.
      </p>
    </ConfirmDialog>
  );
}
