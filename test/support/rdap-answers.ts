// Answers of registries as they are shaped, cut to what matters; names and handles are made up.

/** As Verisign answers for .com: the registrar has a jCard and public ids. */
export const verisign = {
  objectClassName: 'domain',
  handle: '2336799_DOMAIN_COM-VRSN',
  ldhName: 'EXAMPLE.COM',
  links: [{ value: 'https://rdap.verisign.com/com/v1/domain/EXAMPLE.COM', rel: 'self', type: 'application/rdap+json' }],
  status: ['client delete prohibited', 'client transfer prohibited', 'client update prohibited'],
  entities: [
    {
      objectClassName: 'entity',
      handle: '376',
      roles: ['registrar'],
      publicIds: [{ type: 'IANA Registrar ID', identifier: '376' }],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['fn', {}, 'text', 'Example Registrar, Inc.'],
        ],
      ],
      entities: [{ objectClassName: 'entity', roles: ['abuse'], vcardArray: ['vcard', [['fn', {}, 'text', '']]] }],
    },
  ],
  events: [
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'expiration', eventDate: '2027-08-13T04:00:00Z' },
    { eventAction: 'last changed', eventDate: '2026-08-14T07:01:34Z' },
    { eventAction: 'last update of RDAP database', eventDate: '2026-11-26T08:00:00Z' },
  ],
  secureDNS: { delegationSigned: true },
  nameservers: [{ objectClassName: 'nameserver', ldhName: 'A.IANA-SERVERS.NET' }],
  rdapConformance: ['rdap_level_0', 'icann_rdap_response_profile_1'],
};

/** As registries of countries that say neither when a registration ends nor who the registrar is. */
export const withoutEnd = {
  objectClassName: 'domain',
  ldhName: 'example.de',
  status: ['active'],
  events: [{ eventAction: 'last changed', eventDate: '2018-03-12T21:44:25+01:00' }],
  entities: [{ objectClassName: 'entity', handle: 'ABC123', roles: ['technical'] }],
};

/** As one whose card has an organisation in place of a name, and times of another zone. */
export const withOrganisation = {
  objectClassName: 'domain',
  ldhName: 'example.fr.',
  unicodeName: 'example.fr',
  status: ['Active', 'active'],
  entities: [
    {
      objectClassName: 'entity',
      handle: 'REG-9',
      roles: ['registrar', 'technical'],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['org', { type: 'work' }, 'text', 'Exemple SAS'],
        ],
      ],
    },
  ],
  events: [{ eventAction: 'Expiration', eventDate: '2027-02-01T01:30:00+02:00' }],
};

/** The file of IANA, with two suffixes at one registry, one without HTTPS, and one that has no usable address. */
export const bootstrapFile = (bases: Readonly<Record<string, readonly string[]>>) =>
  JSON.stringify({
    description: 'RDAP bootstrap file for Domain Name System registrations',
    publication: '2026-11-25T20:00:01Z',
    version: '1.0',
    services: Object.entries(bases).map(([suffixes, urls]) => [suffixes.split(' '), urls]),
  });
