-- Who may see a status page. `sealed_access`: the hashes of its password and link, and the key of its feeds.
alter table status_pages
  add column access_type text not null default 'public',
  add column access_ranges text[] not null default '{}',
  add column access_version integer not null default 1,
  add column access_changed_at timestamptz,
  add column sealed_access bytea;
alter table status_pages
  add constraint status_pages_access check (access_type in ('public', 'password', 'link', 'members', 'ip')) not valid;
alter table status_pages validate constraint status_pages_access;

-- Documents of a private page have a space in their path, which no request can have: `acme/ feed.rss`. A replica of an
-- older version, which knows nothing of it, renders them under the paths of a public page.
create function hide_private_document() returns trigger language plpgsql as $$
declare
  slug text := split_part(new.path, '/', 1);
begin
  if not exists (select from status_pages where id = new.status_page_id and access_type <> 'public') then
    return new;
  end if;
  if starts_with(new.content_type, 'redirect:') then
    return null;
  end if;
  new.path := slug || '/ ' || substr(new.path, length(slug) + 2);
  return new;
end
$$;
create trigger hide_private_document before insert or update of path on published_documents
  for each row when (position(' ' in new.path) = 0) execute function hide_private_document();
