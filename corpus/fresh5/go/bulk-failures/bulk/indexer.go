package bulk

// Doc is a document.
type Doc struct {
	ID int
}

// Server takes documents and returns those that it refuses.
type Server interface {
	Index(docs []Doc) (refused []Doc)
}

// Indexer sends documents in batches.
type Indexer struct {
	srv    Server
	size   int
	batch  []Doc
	failed []Doc
}

// NewIndexer makes an indexer that sends n documents at a time.
func NewIndexer(srv Server, n int) *Indexer {
	return &Indexer{srv: srv, size: n}
}

// Add takes a document.
func (ix *Indexer) Add(d Doc) {
	ix.batch = append(ix.batch, d)
	if len(ix.batch) == ix.size {
		full := ix.batch
		ix.batch = nil
		go ix.flush(full)
	}
}

func (ix *Indexer) flush(docs []Doc) {
	for _, d := range ix.srv.Index(docs) {
		ix.onFailure(d)
	}
}

func (ix *Indexer) onFailure(d Doc) {
	ix.failed = append(ix.failed, d) //race:Indexer.failed
}

// Retry sends the refused documents again.
func (ix *Indexer) Retry() int {
	again := ix.failed //race:Indexer.failed
	ix.failed = nil    //race:Indexer.failed
	if len(again) > 0 {
		go ix.srv.Index(again[:1:1])
	}
	return len(again)
}
