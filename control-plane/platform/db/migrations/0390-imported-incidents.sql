-- Past incidents of another tool: where they come from, and their ID there. Each is made once, also if it is deleted.
alter table incidents
  add column imported_from text,
  add column imported_id text;
create unique index one_import_an_incident on incidents (status_page_id, imported_from, imported_id)
  where imported_from is not null;
