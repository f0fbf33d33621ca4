package tickets

import "sync"

type stripes [8]sync.Mutex

func (s *stripes) forID(id int) *sync.Mutex {
	return &s[id%len(s)]
}
