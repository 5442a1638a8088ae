import test from 'ava';
import { draftPostmortem } from '#control-plane/web/dashboard/app/features/incidents/postmortem-draft.ts';
import { sampleIncident } from '../../samples.ts';

test('a post-mortem is drafted from what is known, and asks for the rest', t => {
  const posted = { id: 'u', edited_at: null, posted_at: '2026-11-21T09:10:00.000Z' };
  const incident = sampleIncident({
    resolved_at: '2026-11-21T10:30:00.000Z',
    updates: [{ ...posted, state: 'identified', body: `A disk\nis full. ${'word '.repeat(100)}\n\nMore.` }],
  });
  const text = draftPostmortem(incident, ['Payments'], null);
  t.regex(
    text,
    /began at 2026-11-21 09:00 UTC\. It lasted 1 h 30 min, until 2026-11-21 10:30 UTC\. It affected Payments/,
  );
  t.regex(text, /\*\*2026-11-21 09:10 UTC\*\* Identified: A disk is full\. word .* word …\n/);
  t.regex(text, /How many users noticed/);
  t.false(/How many users noticed/.test(draftPostmortem(incident, [], 'About 12 users.')));
  t.regex(draftPostmortem(sampleIncident(), [], null), /not resolved yet/);
});
