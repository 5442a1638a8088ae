-- Each batch of results asks which quarantines last, or ended lately.
create index region_faults_until on region_faults (until);
