import test from 'ava';
import fc from 'fast-check';
import { shownStatus, worstOf } from '#control-plane/monitoring/components/status.ts';
import {
  type ComponentStatus,
  componentStatuses,
  type Impact,
  impacts,
  type ShownStatus,
  shownStatuses,
  type Verdict,
  verdicts,
} from '#shared/vocabulary.ts';

const cases: [setStatus: ComponentStatus, impacts: Impact[], verdicts: Verdict[], shown: ShownStatus][] = [
  ['operational', [], [], 'operational'],
  ['operational', ['none'], ['up', 'up'], 'operational'],
  ['operational', ['degraded'], ['up'], 'degraded_performance'],
  ['operational', ['partial'], ['up'], 'partial_outage'],
  ['operational', ['major'], ['up'], 'major_outage'],
  ['operational', [], ['degraded', 'up'], 'degraded_performance'],
  ['operational', [], ['up', 'down'], 'major_outage'],
  ['operational', [], ['undetermined'], 'unknown'],
  ['operational', [], ['pending', 'up'], 'unknown'],
  ['operational', [], ['paused'], 'unknown'],
  ['operational', [], ['paused', 'down'], 'major_outage'],
  ['under_maintenance', [], ['up'], 'under_maintenance'],
  ['under_maintenance', [], ['pending'], 'under_maintenance'],
  ['under_maintenance', [], ['down'], 'major_outage'],
  ['major_outage', [], ['up'], 'major_outage'],
  ['partial_outage', ['degraded'], ['degraded'], 'partial_outage'],
];
for (const [setStatus, impacts, verdicts, shown] of cases)
  test(`${setStatus} with impacts [${impacts}] and verdicts [${verdicts}] is shown as ${shown}`, t =>
    t.is(shownStatus(setStatus, impacts, verdicts), shown));

const statuses = fc.array(fc.constantFrom(...shownStatuses), { maxLength: 8 });

test('the worst of statuses is one of them, whatever their order, and adding one never improves it', t => {
  t.is(worstOf([]), 'operational');
  fc.assert(
    fc.property(statuses, fc.constantFrom(...shownStatuses), (list, added) => {
      const worst = worstOf(list);
      const worse = worstOf([...list, added]);
      return (
        (list.length === 0 || list.includes(worst)) &&
        worstOf(list.toReversed()) === worst &&
        worstOf([worst, worse]) === worse &&
        worstOf([worst, worst]) === worst
      );
    }),
  );
});

test('a component is shown as operational only when nothing speaks against it', t => {
  fc.assert(
    fc.property(
      fc.constantFrom(...componentStatuses),
      fc.array(fc.constantFrom(...impacts), { maxLength: 4 }),
      fc.array(fc.constantFrom(...verdicts), { maxLength: 4 }),
      (setStatus, affecting, monitors) => {
        const fine =
          setStatus === 'operational' &&
          affecting.every(impact => impact === 'none') &&
          monitors.every(verdict => verdict === 'up');
        return (shownStatus(setStatus, affecting, monitors) === 'operational') === fine;
      },
    ),
  );
  t.pass();
});
