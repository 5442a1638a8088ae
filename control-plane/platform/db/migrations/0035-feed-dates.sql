-- `feed_at` is the second in which an update was posted: never a later one, so updates of one second share it.
drop index incident_updates_status_page_id_feed_at_idx;
create index on incident_updates (status_page_id, feed_at desc, posted_at desc, id desc);
