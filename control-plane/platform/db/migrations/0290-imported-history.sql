-- Where a verdict was brought from, as its import said it; null: decided here. Estimated: how long it held is known, but
-- not when it began.
alter table verdict_changes
  add column imported_from text,
  add column estimated boolean;
