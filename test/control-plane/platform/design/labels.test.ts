import test from 'ava';
import { glyphs, smallSigns, toneIcons } from '#control-plane/platform/design/icons.ts';
import * as labels from '#control-plane/platform/design/labels.ts';
import * as presentations from '#control-plane/platform/design/presentations.ts';
import { impactTones, statusTones, tones } from '#control-plane/platform/design/tones.ts';
import {
  alertStates,
  impacts,
  incidentStates,
  severities,
  shownStatuses,
  verdicts,
  voteValues,
} from '#shared/vocabulary.ts';

const vocabulary: [name: string, states: readonly string[], ...tables: Readonly<Record<string, unknown>>[]][] = [
  ['verdict', verdicts, labels.verdictWords, presentations.verdictPresentations],
  ['vote', voteValues, labels.voteWords, presentations.votePresentations],
  ['severity', severities, labels.severityWords, labels.severityDescriptions, presentations.severityPresentations],
  ['alert state', alertStates, labels.alertStateWords, presentations.alertStatePresentations],
  ['incident state', incidentStates, labels.stateWords, presentations.incidentStatePresentations],
  ['impact', impacts, labels.impactWords, impactTones],
  ['component status', shownStatuses, labels.statusWords, statusTones, presentations.statusPresentations],
];
for (const [name, states, ...tables] of vocabulary)
  test(`every ${name} has its words and its presentation, and nothing else has`, t => {
    for (const table of tables) t.deepEqual(Object.keys(table).toSorted(), states.toSorted());
  });

test('no two states of a kind read alike', t => {
  for (const words of Object.values(labels)) t.is(new Set(Object.values(words)).size, Object.keys(words).length);
});

test('bad news never looks good', t => {
  const good = Object.entries({
    ...presentations.verdictPresentations,
    ...presentations.statusPresentations,
    ...presentations.alertStatePresentations,
  })
    .filter(([, presentation]) => presentation.tone === 'good')
    .map(([state]) => state);
  t.deepEqual(good.toSorted(), ['operational', 'resolved', 'up']);
  t.deepEqual(
    Object.entries(statusTones).filter(([, tone]) => tone === 'ok'),
    [['operational', 'ok']],
  );
});

test('shapes of different tones differ, so that colour is not needed', t => {
  const icons = tones.map(tone => JSON.stringify(toneIcons[tone]));
  t.is(new Set(icons).size, tones.length);
  t.is(new Set(Object.values(smallSigns)).size, tones.length);
  t.is(new Set(Object.values(glyphs)).size, Object.keys(glyphs).length);
});

test('colours always have the same meaning: a shape belongs to one tone', t => {
  const all = Object.values(presentations).flatMap(table => Object.values(table));
  const toneOf = new Map<string, Set<string>>();
  for (const { glyph, tone } of all) toneOf.set(glyph, (toneOf.get(glyph) ?? new Set()).add(tone));
  for (const glyph of ['check', 'cross', 'triangle', 'question', 'ring', 'bars'])
    t.is(toneOf.get(glyph)?.size, 1, glyph);
});
