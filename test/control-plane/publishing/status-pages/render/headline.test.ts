import test from 'ava';
import fc from 'fast-check';
import { worstOf } from '#control-plane/monitoring/components/status.ts';
import { statusTones } from '#control-plane/platform/design/tones.ts';
import { english } from '#control-plane/publishing/status-pages/locale/english.ts';
import { headlineOf } from '#control-plane/publishing/status-pages/render/headline.ts';
import { type ShownStatus, shownStatuses } from '#shared/vocabulary.ts';
import { sampleComponent, sampleIncident, sampleModel } from '#test/support/page-model.ts';

const cases: [statuses: ShownStatus[], text: string][] = [
  [['operational', 'operational'], 'All systems operational'],
  [['unknown', 'unknown'], 'Status unavailable'],
  [['operational', 'unknown'], 'No data for some systems'],
  [['under_maintenance'], 'Under maintenance'],
  [['under_maintenance', 'unknown'], 'Some systems are under maintenance'],
  [['degraded_performance'], 'Degraded performance'],
  [['degraded_performance', 'operational'], 'Degraded performance in some systems'],
  [['partial_outage'], 'Partial outage'],
  [['partial_outage', 'operational'], 'Partial outage'],
  [['major_outage'], 'Major outage'],
  [['major_outage', 'partial_outage'], 'Some systems are down'],
];
const modelOf = (statuses: readonly ShownStatus[], status: ShownStatus = worstOf(statuses)) =>
  sampleModel({
    components: statuses.map((each, index) => sampleComponent({ id: `comp_${index}`, status: each })),
    status,
  });

for (const [statuses, text] of cases)
  test(`${statuses.join(' and ')} reads: ${text}`, t => {
    t.is(headlineOf(modelOf(statuses), english).text, text);
  });

test('an incident without components can be worse than every component', t => {
  t.like(headlineOf(modelOf(['operational'], 'partial_outage'), english), {
    status: 'partial_outage',
    text: 'Partial outage',
  });
  t.is(headlineOf(modelOf(['operational'], 'major_outage'), english).text, 'Some systems are down');
});

test('without components the headline speaks of incidents', t => {
  t.deepEqual(headlineOf(modelOf([]), english), { status: 'operational', tone: 'ok', text: 'No active incidents' });
  const open = { ...modelOf([]), openIncidents: [sampleIncident({ impact: 'none' })] };
  t.deepEqual(headlineOf(open, english), { status: 'operational', tone: 'note', text: 'Active incident' });
  t.is(headlineOf(modelOf([], 'major_outage'), english).text, 'Major outage');
});

test('the headline is never better than the page or any component', t => {
  const anyStatus = fc.constantFrom<ShownStatus>(...shownStatuses);
  fc.assert(
    fc.property(fc.array(anyStatus, { minLength: 1, maxLength: 5 }), anyStatus, (statuses, whole) => {
      const headline = headlineOf(modelOf(statuses, whole), english);
      const worst = worstOf([whole, ...statuses]);
      t.is(headline.status, worst);
      t.is(headline.tone, statusTones[worst]);
      t.is(headline.text === 'All systems operational', worst === 'operational');
    }),
  );
});
