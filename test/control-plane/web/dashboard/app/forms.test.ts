import test from 'ava';
import { alertingForms } from './forms/alerting.ts';
import type { FormRow, Step } from './forms/form-row.ts';
import { projectForms } from './forms/project.ts';
import { publishingForms } from './forms/publishing.ts';
import { type OpenPage, openPage } from './page/open-page.ts';
import { lost, problem, refusal } from './page/server.ts';

async function open(t: Parameters<typeof openPage>[0], form: FormRow, drafts = {}): Promise<OpenPage> {
  const page = await openPage(t, form.address, { answers: { ...form.answers, [form.sends[0]]: form.answer }, drafts });
  if (form.open !== undefined) await page.press(form.open);
  return page;
}

async function fill(page: OpenPage, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step[0] === 'type') await page.type(step[1], step[2]);
    if (step[0] === 'choose') await page.choose(step[1], step[2]);
    if (step[0] === 'check') await page.check(step[1]);
    if (step[0] === 'press') await page.press(step[1]);
  }
}

const stored = (page: OpenPage) =>
  Object.fromEntries(Object.entries(page.window.sessionStorage).filter(([key]) => key.startsWith('draft ')));

for (const form of [...alertingForms, ...publishingForms, ...projectForms]) {
  const { name, address, submit, sends, leads, says, refused, draft } = form;
  const [operation, body] = sends;

  test(`the form of ${name} sends what was typed, once`, async t => {
    const page = await open(t, form);
    await fill(page, form.fill);
    await page.pressTwice(submit);
    const sent = page.server.sentTo(operation);
    t.is(sent.length, 1);
    t.like(sent[0]?.body, body);
    t.is(sent[0]?.key !== null, operation.startsWith('POST'));
    t.deepEqual(page.problems(), []);
    if (leads !== undefined) t.is(page.address(), leads);
    else t.is(page.address(), address);
    if (says !== undefined) t.true(page.wholeText().includes(says), page.wholeText());
    t.deepEqual(stored(page), {});
  });

  test(`the form of ${name} says at the field what is wrong with it`, async t => {
    const page = await open(t, form);
    await fill(page, form.fill);
    const [pointer, label] = refused;
    const typed = page.value(label);
    page.server.change({ [operation]: refusal({ [pointer]: 'is not `right`', 'elsewhere/deep': 'is wrong, too' }) });
    await page.press(submit);
    t.is(page.faultAt(label), 'Is not right.');
    t.is(page.field(label).getAttribute('aria-invalid'), 'true');
    t.deepEqual(page.problems(), ['Please correct these fields: Elsewhere.deep is wrong, too.']);
    t.is(page.value(label), typed);
    page.server.change({ [operation]: form.answer });
    await page.press(submit);
    t.is(page.server.sentTo(operation).length, 2);
  });

  test(`the form of ${name} keeps what was typed while the server is away, and repeats one request`, async t => {
    const page = await open(t, form);
    await fill(page, form.fill);
    page.server.change({ [operation]: lost });
    await page.press(submit);
    t.deepEqual(page.problems(), ['The server cannot be reached. Check the connection, then try again.']);
    page.server.change({ [operation]: problem(409, 'conflict', 'It exists already') });
    await page.press(submit);
    t.true(page.problems()[0]?.startsWith('It exists already. Request ID req_77'), page.problems()[0]);
    const keys = page.server.sentTo(operation).map(({ key }) => key);
    t.is(keys.length, 2);
    t.is(keys[0], keys[1]);
  });

  if (draft !== undefined)
    test(`the form of ${name} keeps a draft until it is given up`, async t => {
      const page = await open(t, form);
      await page.type(draft.field, draft.text);
      const again = await open(t, form, stored(page));
      t.is(again.value(draft.field), draft.text);
      if (draft.cancel === undefined) return;
      await again.press(draft.cancel);
      t.deepEqual(stored(again), {});
      t.deepEqual(again.server.sentTo(operation), []);
      t.is(form.open === undefined ? '' : again.dialog(), '');
    });
}
