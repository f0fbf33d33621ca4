package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/bulkfailures/bulk"
)

type server struct{}

func (server) Index(docs []bulk.Doc) []bulk.Doc {
	time.Sleep(time.Millisecond)
	return docs[:1]
}

func main() {
	ix := bulk.NewIndexer(server{}, 2)
	for i := 0; i < 24; i++ {
		ix.Add(bulk.Doc{ID: i})
		if i%6 == 5 {
			time.Sleep(2 * time.Millisecond)
			ix.Retry()
		}
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println("indexed")
}
