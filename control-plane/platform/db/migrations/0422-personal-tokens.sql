-- A token of a person: it can do what its scopes and their role of now allow. `scopes` stay empty, so that version
-- 0.12.0, which knows nothing of roles here, lets it do nothing.
alter table tokens
  add column person_id text collate "C" references people (id) on delete cascade,
  add column personal_scopes text[],
  add check ((person_id is null) = (personal_scopes is null));
create index on tokens (person_id, created_at, id) where person_id is not null;

-- Id and name of the token by which a person acted.
alter table audit_entries add column actor_token jsonb;
