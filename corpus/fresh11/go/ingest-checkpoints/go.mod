module example.com/logstore/ingest

go 1.22
