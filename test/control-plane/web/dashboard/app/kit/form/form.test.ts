import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { refusal } from '../../page/server.ts';
import { sampleIncident } from '../../samples.ts';

test('members that nobody changed follow the server, and what was typed stays', async t => {
  const page = await openPage(t, '#/incidents/inc_1');
  await page.type('Title', 'Ours');
  page.server.change({ 'GET /v0/incidents/{id}': sampleIncident({ title: 'Theirs', severity: 'p3' }) });
  await page.comeOnline();
  t.is(page.value('Title'), 'Ours');
  t.is(page.value('Severity'), 'p3');
  await page.type('Title', 'Theirs');
  page.server.change({ 'GET /v0/incidents/{id}': sampleIncident({ title: 'Theirs again', severity: 'p3' }) });
  await page.comeOnline();
  t.is(page.value('Title'), 'Theirs again', 'it was as the server had it');
});

test('of a draft that another version of the page kept, what fits is restored', async t => {
  const value = JSON.stringify({ name: 5, goesOn: true, severities: 'p1', unknown: 1, remind: '15' });
  const drafts = { 'draft route new': JSON.stringify({ value }) };
  const page = await openPage(t, '#/channels/routes/new', { drafts });
  t.is(page.value('Name'), '');
  t.true(page.isChecked('Also try later routes'));
  t.is(page.value('Remind every … minutes, until somebody acknowledges'), '15');
});

test('what is wrong with a field is said below the form once the field is gone', async t => {
  const page = await openPage(t, '#/monitors/new');
  await page.check('Keep one alert open while it flaps');
  page.server.change({ 'POST /v0/monitors': refusal({ 'alert_rules/flap/changes': 'is too small' }) });
  await page.press('Create');
  t.is(page.faultAt('Outages that count as flapping'), 'Is too small.');
  t.deepEqual(page.problems(), ['Please correct the marked fields.']);
  await page.check('Keep one alert open while it flaps');
  t.deepEqual(page.problems(), ['Please correct these fields: Alert_rules.flap.changes is too small.']);
});
