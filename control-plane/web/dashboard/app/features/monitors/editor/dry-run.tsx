import type { MonitorDryRun } from '../../../session/api-types.ts';

/** What saving would do. */
export function DryRun({ tried, isNew }: { tried: MonitorDryRun; isNew: boolean }) {
  return (
    <div class="note" role="status">
      <p>{describe(tried, isNew)}</p>
    </div>
  );
}

function describe({ changed, bumps, drops_votes }: Omit<MonitorDryRun, 'monitor'>, isNew: boolean): string {
  if (isNew) return 'The settings are valid. All chosen regions would check at once.';
  if (changed.length === 0) return 'The settings are valid. Nothing would change.';
  const effects = [
    `The settings are valid. Would change: ${changed.join(', ')}.`,
    bumps ? 'All regions would check at once.' : 'The checks would go on as they are.',
    drops_votes ? 'The votes would be dropped until new results are in.' : '',
  ];
  return effects.filter(Boolean).join(' ');
}
