module example.com/editor/drafts

go 1.18
