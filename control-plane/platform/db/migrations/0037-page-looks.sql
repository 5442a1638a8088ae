-- How a page looks and in which language its fixed words are. The logo's bytes are served from our own origin.
alter table status_pages
  add column locale text collate "C" not null default 'en',
  add column color text collate "C" check (color ~ '^#[0-9a-f]{6}$'),
  add column home_url text,
  add column support_url text,
  add column logo bytea check (octet_length(logo) <= 65536),
  add column logo_type text,
  add column logo_width integer,
  add column logo_height integer,
  add constraint logo_is_whole check (num_nulls(logo, logo_type, logo_width, logo_height) in (0, 4));
