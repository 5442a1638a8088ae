-- Whoever has the link of an invitation may have another one emailed to an address, which proves that it is theirs.
-- Null: nobody asked.
alter table invitations
  add column if not exists asked_email text,
  add column if not exists asked_hash bytea,
  add column if not exists asked_until timestamptz(3);
create unique index if not exists invitations_asked_hash on invitations (asked_hash) where asked_hash is not null;
