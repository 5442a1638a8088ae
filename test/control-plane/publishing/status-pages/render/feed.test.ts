import test from 'ava';
import fc from 'fast-check';
import type { FeedEntry, PageIncident } from '#control-plane/publishing/status-pages/publish/page-model.ts';
import { renderAtom, renderRss } from '#control-plane/publishing/status-pages/render/feed.ts';
import { anyText } from '#test/support/any-text.ts';
import {
  entriesOf,
  resolvedIncidents,
  sampleIncident,
  sampleModel,
  samplePage,
  sampleUpdate,
  stagedIncident,
} from '#test/support/page-model.ts';
import { childrenOf, onlyText, readXml, type XmlElement } from '#test/support/xml.ts';

const weekday = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const month = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const rfc822 = new RegExp(`^${weekday}, \\d{2} ${month} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$`);
const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const urn = /^urn:[a-z0-9][a-z0-9-]{1,31}:[A-Za-z0-9()+,\-.:=@;$_!*'%/?#]+$/;

const model = sampleModel({ page: samplePage({ name: 'Tom & "Jerry"', description: 'a < b' }) });
const entries = entriesOf([stagedIncident(), ...resolvedIncidents()]);

/** The rules of RSS 2.0 and of the W3C feed validator that a feed of ours could break. */
function rssFaults(xml: string): string[] {
  const rss = readXml(xml);
  const [channel, ...more] = rss.children;
  if (rss.name !== 'rss' || rss.attributes.version !== '2.0' || channel === undefined || more.length > 0)
    return ['no channel'];
  const self = childrenOf(channel, 'atom:link');
  const items = childrenOf(channel, 'item');
  const dates = items.map(item => onlyText(item, 'pubDate'));
  return [
    ...fault(onlyText(channel, 'title') === '', 'title of channel'),
    ...fault(!isWebAddress(onlyText(channel, 'link')), 'link of channel'),
    ...fault(onlyText(channel, 'description') === '', 'description of channel'),
    ...fault(
      self.length !== 1 || self[0]?.attributes.rel !== 'self' || !isWebAddress(self[0]?.attributes.href),
      'self link',
    ),
    ...fault(self[0]?.attributes.type !== 'application/rss+xml', 'type of self link'),
    ...childrenOf(channel, 'lastBuildDate').flatMap(({ text }) => fault(!rfc822.test(text), 'lastBuildDate')),
    ...dates.flatMap(text => fault(!rfc822.test(text) || new Date(text).toUTCString() !== text, `pubDate ${text}`)),
    ...orderFaults(dates),
    ...repeats(items.map(item => onlyText(item, 'guid'))),
    ...items.flatMap(item => itemFaults(item)),
  ];
}

function itemFaults(item: XmlElement): string[] {
  const [guid] = childrenOf(item, 'guid');
  return [
    ...fault(guid?.attributes.isPermaLink !== 'false' || !urn.test(guid.text), `guid ${guid?.text}`),
    ...fault(onlyText(item, 'title') === '', 'title of item'),
    ...fault(!isWebAddress(onlyText(item, 'link')), 'link of item'),
    ...fault(childrenOf(item, 'description').length !== 1, 'description of item'),
  ];
}

/** The same for Atom (RFC 4287). */
function atomFaults(xml: string): string[] {
  const feed = readXml(xml);
  const items = childrenOf(feed, 'entry');
  const links = childrenOf(feed, 'link');
  const [author] = childrenOf(feed, 'author');
  const published = items.map(item => onlyText(item, 'published'));
  const updated = items.map(item => onlyText(item, 'updated'));
  return [
    ...fault(feed.name !== 'feed' || feed.attributes.xmlns !== 'http://www.w3.org/2005/Atom', 'feed'),
    ...fault(onlyText(feed, 'title') === '' || !urn.test(onlyText(feed, 'id')), 'title or id'),
    ...fault(author === undefined || onlyText(author, 'name') === '', 'author'),
    ...fault(links.map(link => link.attributes.rel).join() !== 'self,alternate', 'links'),
    ...links.flatMap(link => fault(!isWebAddress(link.attributes.href), `link ${link.attributes.href}`)),
    ...[onlyText(feed, 'updated'), ...updated, ...published].flatMap(date =>
      fault(!rfc3339.test(date), `date ${date}`),
    ),
    ...fault(
      updated.some(date => date > onlyText(feed, 'updated')),
      'feed older than an entry',
    ),
    ...items.flatMap((_, index) =>
      fault((updated[index] ?? '') < (published[index] ?? ''), 'updated before published'),
    ),
    ...orderFaults(published),
    ...repeats(updated),
    ...repeats(items.map(item => onlyText(item, 'id'))),
    ...items.flatMap(item => entryFaults(item)),
  ];
}

function entryFaults(entry: XmlElement): string[] {
  const [content] = childrenOf(entry, 'content');
  const [link] = childrenOf(entry, 'link');
  return [
    ...fault(!urn.test(onlyText(entry, 'id')), 'id of entry'),
    ...fault(onlyText(entry, 'title') === '', 'title of entry'),
    ...fault(content?.attributes.type !== 'html', 'content of entry'),
    ...fault(link?.attributes.rel !== 'alternate' || !isWebAddress(link.attributes.href), 'link of entry'),
  ];
}

test('both feeds keep the rules, full and empty', t => {
  for (const some of [entries, entries.slice(0, 1), []]) {
    t.deepEqual(rssFaults(renderRss(model, some)), []);
    t.deepEqual(atomFaults(renderAtom(model, some)), []);
  }
});

test('both feeds keep the rules whatever people write and in whatever order entries come', t => {
  const update = fc.record({
    body: anyText({ maxLength: 60 }),
    edited: fc.option(fc.integer({ min: 0, max: 5000 })),
  });
  fc.assert(
    fc.property(anyText({ minLength: 1 }), fc.array(update, { maxLength: 8 }), (title, updates) => {
      const some = updates.map(({ body, edited }, index): FeedEntry => {
        const feedAt = 1_800_000_000_000 + ((index * 5) % 8) * 1000;
        const made = sampleUpdate({
          id: `upd_${index}`,
          body,
          feedAt,
          editedAt: edited === null ? null : feedAt + edited,
        });
        return { incident: sampleIncident({ title }), update: made };
      });
      t.deepEqual(rssFaults(renderRss(model, some)), []);
      t.deepEqual(atomFaults(renderAtom(model, some)), []);
    }),
    { numRuns: 200 },
  );
});

test('an entry is an update: its words, its date, a permanent id and a link to it', t => {
  const [channel] = readXml(renderRss(model, entries)).children;
  const [newest] = channel === undefined ? [] : childrenOf(channel, 'item');
  t.truthy(newest);
  if (newest === undefined) return;
  t.is(onlyText(newest, 'title'), 'Card payments fail in Europe – Identified');
  t.is(onlyText(newest, 'guid'), 'urn:upquorum:upd_staged_1');
  t.is(onlyText(newest, 'link'), 'https://status.example/status/acme/incidents/inc_staged#upd_staged_1');
  t.is(onlyText(newest, 'pubDate'), 'Sat, 21 Nov 2026 13:35:00 GMT');
  t.true(onlyText(newest, 'description').startsWith('<p>A certificate of our <strong>card processor</strong>'));
});

test('an edit changes the words and the Atom date of that entry, and nothing else', t => {
  const edit = (incident: PageIncident): PageIncident => ({
    ...incident,
    updates: incident.updates.map((update, index) =>
      index === 0 ? { ...update, body: 'Now in other words.', editedAt: update.postedAt + 90_500 } : update,
    ),
  });
  const before = entriesOf([sampleIncident(), ...resolvedIncidents()]);
  const after = entriesOf([edit(sampleIncident()), ...resolvedIncidents()]);
  const rss = [before, after].map(some => withoutBodies(readXml(renderRss(model, some)), ['description']));
  t.deepEqual(rss[1], rss[0]);
  const atom = [before, after].map(some => withoutBodies(readXml(renderAtom(model, some)), ['content', 'updated']));
  t.deepEqual(atom[1], atom[0]);
  const dates = [before, after].map(some =>
    childrenOf(readXml(renderAtom(model, some)), 'entry').map(each => onlyText(each, 'updated')),
  );
  t.is(dates[0]?.filter((date, index) => date !== dates[1]?.[index]).length, 1);
});

test('what becomes of an incident does not change the text of its old entries', t => {
  const before = sampleIncident({ impact: 'degraded', components: [{ id: 'comp_1', name: 'API' }] });
  const after = {
    ...before,
    impact: 'major' as const,
    components: [...before.components, { id: 'comp_2', name: 'Search' }],
  };
  const bodies = (incident: PageIncident) => {
    const some = entriesOf([incident]);
    const [channel] = readXml(renderRss(model, some)).children;
    return [
      ...(channel === undefined ? [] : childrenOf(channel, 'item').map(item => onlyText(item, 'description'))),
      ...childrenOf(readXml(renderAtom(model, some)), 'entry').map(entry => onlyText(entry, 'content')),
    ];
  };
  t.true(bodies(before).length > 1);
  t.deepEqual(bodies(after), bodies(before));
});

test('feeds do not change while nothing is said', t => {
  const later = { ...model, asOf: model.asOf + 60_000 };
  t.is(renderRss(later, entries), renderRss(model, entries));
  t.is(renderAtom(later, entries), renderAtom(model, entries));
  t.is(renderAtom(later, []), renderAtom(model, []));
});

function withoutBodies(element: XmlElement, names: readonly string[]): XmlElement {
  const children = element.children.map(child => withoutBodies(child, names));
  return { ...element, children, text: names.includes(element.name) ? '' : element.text };
}

function fault(is: boolean, name: string): string[] {
  return is ? [name] : [];
}

function repeats(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index).map(value => `repeated ${value}`);
}

function orderFaults(dates: readonly string[]): string[] {
  return dates
    .slice(1)
    .flatMap((date, index) => fault(Date.parse(date) >= Date.parse(dates[index] ?? ''), `order at ${date}`));
}

function isWebAddress(text: string | undefined): boolean {
  return /^https?:\/\//.test(text ?? '') && URL.canParse(text ?? '');
}
