import { formatShare } from '../../kit/share.ts';
import { At } from '../../kit/time.tsx';
import type { FunnelGroup } from './funnel-steps.ts';

/** A row a group: the users of each step, and how many of the first reach the last. */
export function FunnelGroups({ groups, names }: { groups: readonly FunnelGroup[]; names: readonly string[] }) {
  return (
    <div class="wide-table" tabIndex={0} role="group" aria-label="Groups">
      <table class="groups">
        <caption class="unseen">The funnel by group</caption>
        <thead>
          <tr>
            <th scope="col">Group</th>
            {names.map((name, index) => (
              <th key={`${index} ${name}`} scope="col" class="number">
                {name}
              </th>
            ))}
            <th scope="col">Completed</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ key, label, at, steps }) => {
            const share = steps.at(-1)?.from_first ?? null;
            return (
              <tr key={key}>
                <th scope="row">
                  {label}
                  {at !== null && (
                    <span class="hint">
                      {' '}
                      <At at={at} />
                    </span>
                  )}
                </th>
                {steps.map((step, index) => (
                  <td key={step.step} class="number" data-label={names[index]}>
                    {step.users.toLocaleString('en')}
                  </td>
                ))}
                <td data-label="Completed">
                  <span class="share">
                    <span class="funnel-track">
                      <span class="funnel-bar" style={{ width: `${(share ?? 0) * 100}%` }} />
                    </span>
                    <span class="figure">{formatShare(share)}</span>
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
